// SPDX-License-Identifier: MIT
// Maxima over all nodes. docs/sims/gas.md. The shader declares the buffer maxima[].
#ifndef VKS_GAS_REDUCE_MAX_GLSL
#define VKS_GAS_REDUCE_MAX_GLSL

shared uint highest[4];

// Raises the `count` maxima from `first` on to the largest of the workgroup's values. All
// invocations must call it. Atomics need less shared memory and fewer barriers than VKS_FOLD().
void reduce_max(uint first, uint count, uvec4 own)
{
    uint t = gl_LocalInvocationIndex;
    if (t < count) {
        highest[t] = 0u;
    }
    barrier();
    for (uint i = 0u; i < count; i++) {
        atomicMax(highest[i], own[i]);
    }
    barrier();
    if (t < count) {
        atomicMax(maxima[first + t], highest[t]);
    }
}
#endif
