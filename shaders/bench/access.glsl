// SPDX-License-Identifier: MIT
// Accesses of a rung to buffers and shared memory.
#ifndef VKS_BENCH_ACCESS_GLSL
#define VKS_BENCH_ACCESS_GLSL

#define LOAD(array, index) array[index]
#define STORE(array, index, value) array[index] = (value)
#define SHARED_LOAD(array, index) array[index]
#define SHARED_STORE(array, index, value) array[index] = (value)
#define BARRIER() barrier()

#endif
