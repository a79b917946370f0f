/* SPDX-License-Identifier: MIT */
/* Records of a tracing build (ladder/trace.glsl), which src/ladder/access.c reads. */
#ifndef VKS_LADDER_TRACE_H
#define VKS_LADDER_TRACE_H

#define TRACE_LOAD 0
#define TRACE_STORE 1
#define TRACE_ATOMIC 2
#define TRACE_SHARED_LOAD 3
#define TRACE_SHARED_STORE 4
#define TRACE_SHARED_ATOMIC 5
#define TRACE_BARRIER 6
#define TRACE_COMPUTE 7

/* Ids of the constants trace_array_NAME begin here. */
#define TRACE_FIRST_ARRAY 230

/* The buffer `trace`, in words. */
#define TRACE_PASSES 16 /* of one rung */
#define TRACE_PASS_WORDS                                                    \
    4 /* per pass, from word 4: the workgroup's x and y, lanes, 1 if it ran \
       */
#define TRACE_RECORD_WORDS 4

/* Words of a record: lane | line << 16, number within the lane, what, index of the element (or
 * number of operations). */
#define TRACE_WHAT(kind, array, bytes, pass) ((kind) | (array) << 4 | (bytes) << 12 | (pass) << 20)

#endif
