// SPDX-License-Identifier: MIT
// An amount of a particle for the nodes around it, so that the parts add up to it to the last unit.
// docs/sims/gas.md.
#ifndef VKS_GAS_SHARE_OUT_GLSL
#define VKS_GAS_SHARE_OUT_GLSL

// Adds the parts of an amount to `sums`: `weights` of it to `nodes` for every corner but the `nearest`,
// which gets the rest.
#define DEPOSIT(sums, amount, scale)                                                               \
    {                                                                                              \
        uvec2 rest = vks_fixed(amount, scale);                                                     \
        for (uint corner = 0u; corner < 8u; corner++) {                                            \
            if (corner != nearest && !is_left_out(corner)) {                                       \
                precise float weighted = (amount)*weights[corner];                                 \
                uvec2 part = vks_fixed(weighted, scale);                                           \
                rest = vks_fixed_subtract(rest, part);                                             \
                if ((part.x | part.y) != 0u) {                                                     \
                    VKS_FIXED_ATOMIC_ADD(VKS_AT(sums, nodes[corner]), part);                       \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        if ((rest.x | rest.y) != 0u) {                                                             \
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums, nodes[nearest]), rest);                              \
        }                                                                                          \
    }
#endif
