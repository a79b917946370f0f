// SPDX-License-Identifier: MIT
// Accesses of a rung to buffers and shared memory, so that they can be drawn (docs/ladder/
// access-pictures.md). Here they are plain accesses. The build compiles a shader that includes this
// a second time with TRACE: then the lanes of one workgroup also record what they access.
//
//     uint word = LOAD(from, i);
//     STORE(to, i, word);
//     SHARED_STORE(tile, lane, word);
//     barrier();
//     word = SHARED_LOAD(tile, 255u - lane);
//     atomicAdd(ATOMIC(counts, bin), 1u);            // also SHARED_ATOMIC
//     COMPUTE(64u);                                  // arithmetic instructions of the lane so far
//
// The first argument is the name of a one-dimensional array. A value may contain LOAD.
#ifndef VKS_LADDER_ACCESS_GLSL
#define VKS_LADDER_ACCESS_GLSL

#ifdef TRACE
#include "ladder/trace.glsl"
#else
#define LOAD(array, index) array[index]
#define STORE(array, index, value) array[index] = (value)
#define ATOMIC(array, index) array[index]
#define SHARED_LOAD(array, index) array[index]
#define SHARED_STORE(array, index, value) array[index] = (value)
#define SHARED_ATOMIC(array, index) array[index]
#define COMPUTE(operations)
#define BARRIER() barrier()
#endif

#endif
