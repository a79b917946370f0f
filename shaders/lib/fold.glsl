// SPDX-License-Identifier: MIT
//
// VKS_FOLD(values, combine) folds a shared array, to which every invocation of the workgroup has written
// its element gl_LocalInvocationIndex, into element 0: combine(a, b) is associative and commutative. The
// workgroup has a power of two of invocations, and all of them must reach it. A statement.
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
