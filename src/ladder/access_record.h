/* SPDX-License-Identifier: MIT */
/* Records of a tracing build, before they are requests. */
#ifndef VKS_LADDER_ACCESS_RECORD_H
#define VKS_LADDER_ACCESS_RECORD_H

#include "ladder/access.h"

/* A record of the trace, with values derived from earlier records of its lane. */
struct vks_access_record {
    uint32_t lane, line, number, kind, array, bytes, pass, index;
    /* Set by vks_access_requests(): */
    uint32_t epoch;  /* barriers before it */
    uint32_t since;  /* records since the last of them */
    uint32_t repeat; /* how often the lane has done the same in this epoch */
};

/* Makes the trace's requests from the records, which it sorts. False if memory ran out. */
bool vks_access_requests(struct vks_access_record *records, size_t count,
                         struct vks_access_trace *trace);

#endif
