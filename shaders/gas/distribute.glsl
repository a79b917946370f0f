// SPDX-License-Identifier: MIT
// Divides an amount of a particle among the surrounding nodes; the parts add up to it to the last
// unit. docs/sims/gas.md.
#ifndef VKS_GAS_DISTRIBUTE_GLSL
#define VKS_GAS_DISTRIBUTE_GLSL

#include "gas/particle.glsl"
#include "lib/fixed.glsl"

// Calls add(corner, limbs) for every corner: seven get their weighted share, the nearest one gets
// the remainder. `top` is the amount in units of 2^42. Not an [[unroll]] loop: when SPIRV-Tools
// unrolls one, the copies lose NoContraction.
#define DISTRIBUTE(place, top, add)                                                                \
    {                                                                                              \
        uint nearest = nearest_corner(place);                                                      \
        ivec3 rest = vks_limbs(top);                                                               \
        DISTRIBUTE_TO(nearest ^ 1u, 1u, place, top, add)                                           \
        DISTRIBUTE_TO(nearest ^ 2u, 2u, place, top, add)                                           \
        DISTRIBUTE_TO(nearest ^ 3u, 3u, place, top, add)                                           \
        DISTRIBUTE_TO(nearest ^ 4u, 4u, place, top, add)                                           \
        DISTRIBUTE_TO(nearest ^ 5u, 5u, place, top, add)                                           \
        DISTRIBUTE_TO(nearest ^ 6u, 6u, place, top, add)                                           \
        DISTRIBUTE_TO(nearest ^ 7u, 7u, place, top, add)                                           \
        rest = vks_carried(rest);                                                                  \
        add(nearest, rest);                                                                        \
    }

#define DISTRIBUTE_TO(corner, axes, place, top, add)                                               \
    if (!is_left_out(axes)) {                                                                      \
        precise float part = (top)*corner_weight(place, corner);                                   \
        ivec3 limbs = vks_limbs(part);                                                             \
        rest -= limbs;                                                                             \
        add(corner, limbs);                                                                        \
    }
#endif
