// SPDX-License-Identifier: MIT
// The accesses of ladder/access.glsl in a tracing build: one workgroup of the dispatch records
// them. tools/trace_shaders.py defines, for each array that a shader names, its number
// (TRACE_ARRAY_from), the bytes of its elements (TRACE_BYTES_from), and TRACE_ARRAYS: a constant
// `trace_array_NAME` of that number, which carries the name of the buffer or shared array to the
// reflection.
#ifndef VKS_LADDER_TRACE_GLSL
#define VKS_LADDER_TRACE_GLSL

#include "lib/pass.glsl" // before any use of gl_WorkGroupSize, which is 1 until it is declared
#include "ladder/trace.h"

TRACE_ARRAYS
layout(constant_id = 250) const uint trace_pass = 0u;

layout(std430, set = 0, binding = 14) buffer trace
{
    uint trace_count; // of records, also of those beyond the end
    uint trace_unused[3];
    uvec4 trace_passes[TRACE_PASSES];
    uvec4 trace_records[];
};

uint trace_number = 0u; // of the lane's next record

uint trace_bytes(float x) { return 4u; }
uint trace_bytes(vec2 x) { return 8u; }
uint trace_bytes(vec4 x) { return 16u; }
uint trace_bytes(uint x) { return 4u; }
uint trace_bytes(uvec2 x) { return 8u; }
uint trace_bytes(uvec4 x) { return 16u; }
uint trace_bytes(int x) { return 4u; }
uint trace_bytes(ivec2 x) { return 8u; }
uint trace_bytes(ivec4 x) { return 16u; }

void trace_record(uint kind, uint array, uint bytes, uint line, uint index)
{
    // Not at the edge, where parts of a workgroup may have nothing to do.
    if (gl_WorkGroupID.xy == gl_NumWorkGroups.xy / uvec2(4u, 2u) && gl_WorkGroupID.z == 0u &&
        trace_pass < TRACE_PASSES) {
        uint at = atomicAdd(trace_count, 1u);
        if (at < uint(trace_records.length())) {
            trace_records[at] =
                uvec4(gl_LocalInvocationIndex | line << 16, trace_number,
                      TRACE_WHAT(kind, array, bytes, trace_pass), index);
        }
        trace_passes[trace_pass] = uvec4(gl_WorkGroupID.xy,
                                         gl_WorkGroupSize.x * gl_WorkGroupSize.y, 1u);
        trace_number++;
    }
}

uint trace_index(uint kind, uint array, uint bytes, uint line, uint index)
{
    trace_record(kind, array, bytes, line, index);
    return index;
}

void trace_barrier()
{
    barrier();
    trace_record(TRACE_BARRIER, 0u, 0u, 0u, 0u);
}

#define TRACE_INDEX(kind, array, index)                                                            \
    array[trace_index(kind, TRACE_ARRAY_##array, TRACE_BYTES_##array, uint(__LINE__), uint(index))]
// After the value, which may contain accesses of its own.
#define TRACE_WRITE(kind, array, index, value)                                                     \
    {                                                                                              \
        uint trace_at = uint(index);                                                               \
        array[trace_at] = (value);                                                                 \
        trace_record(kind, TRACE_ARRAY_##array, TRACE_BYTES_##array, uint(__LINE__), trace_at);    \
    }

#define LOAD(array, index) TRACE_INDEX(TRACE_LOAD, array, index)
#define STORE(array, index, value) TRACE_WRITE(TRACE_STORE, array, index, value)
#define ATOMIC(array, index) TRACE_INDEX(TRACE_ATOMIC, array, index)
#define SHARED_LOAD(array, index) TRACE_INDEX(TRACE_SHARED_LOAD, array, index)
#define SHARED_STORE(array, index, value) TRACE_WRITE(TRACE_SHARED_STORE, array, index, value)
#define SHARED_ATOMIC(array, index) TRACE_INDEX(TRACE_SHARED_ATOMIC, array, index)
#define COMPUTE(operations) trace_record(TRACE_COMPUTE, 0u, 0u, uint(__LINE__), uint(operations))
#define BARRIER() trace_barrier()
#define barrier() trace_barrier()

#endif
