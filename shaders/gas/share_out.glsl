// SPDX-License-Identifier: MIT
// An amount of a particle for the nodes around it, so that the parts add up to it to the last unit.
// docs/sims/gas.md.
#ifndef VKS_GAS_SHARE_OUT_GLSL
#define VKS_GAS_SHARE_OUT_GLSL

#include "gas/particle.glsl"
#include "lib/fixed.glsl"

// Calls add(corner, limbs) for every corner: the nearest one gets what the parts of the others, its
// weight of the amount, leave. `top` is the amount in units of 2^42.
#define SHARE_OUT(place, top, add)                                                                 \
    {                                                                                              \
        uint nearest = nearest_corner(place);                                                      \
        ivec3 rest = vks_limbs(top);                                                               \
        [[unroll]] for (uint other = 1u; other < 8u; other++) {                                    \
            if (!is_left_out(other)) {                                                             \
                uint corner = nearest ^ other;                                                     \
                precise float part = (top)*corner_weight(place, corner);                           \
                ivec3 limbs = vks_limbs(part);                                                     \
                rest -= limbs;                                                                     \
                add(corner, limbs);                                                                \
            }                                                                                      \
        }                                                                                          \
        rest = vks_carried(rest);                                                                  \
        add(nearest, rest);                                                                        \
    }
#endif
