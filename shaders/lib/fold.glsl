// SPDX-License-Identifier: MIT
//
// VKS_FOLD(values, combine) folds a shared array into element 0. Every invocation has written
// element gl_LocalInvocationIndex, combine(a, b) is associative and commutative, the workgroup size
// is a power of two, and all invocations must reach it. A statement.
#ifndef VKS_LIB_FOLD_GLSL
#define VKS_LIB_FOLD_GLSL

#define VKS_FOLD(values, combine)                                                                  \
    {                                                                                              \
        uint vks_own = gl_LocalInvocationIndex;                                                    \
        barrier();                                                                                 \
        for (uint vks_half = gl_WorkGroupSize.x * gl_WorkGroupSize.y / 2u; vks_half > 0u;          \
             vks_half >>= 1) {                                                                     \
            if (vks_own < vks_half) {                                                              \
                values[vks_own] = combine(values[vks_own], values[vks_own + vks_half]);            \
            }                                                                                      \
            barrier();                                                                             \
        }                                                                                          \
    }
#endif
