/* SPDX-License-Identifier: MIT */
/* The time line of a workgroup: a row per subgroup, a block per request, as wide as its cost.
 * Subgroups run independently of each other between barriers. */
#include "ladder/access_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    MAX_SUBGROUPS = 8,  /* that are drawn */
    MAX_REQUESTS = 160, /* of each subgroup */
};

static const double row_height = 18, row_gap = 4, label_room = 92, max_per_unit = 24;
static const double barrier_room = 5, barrier_share = 0.4; /* pixels; of the width, at most */

/* Blocks of each kind are one path, which keeps the file small: the line is walked once for each.
 */
enum block { LOAD, STORE, ATOMIC, SHARED, COMPUTE, WAIT, WASTED, CONFLICT, BARRIER, BLOCKS };

static const char *const classes[BLOCKS] = {"load", "store",  "atomic", "shared", "compute",
                                            "wait", "wasted", "clash",  "barrier"};

struct row {
    const struct vks_access_request *first;
    size_t count, left; /* requests; those that are not drawn yet */
    double at;          /* units */
};

struct line {
    FILE *out;
    struct row rows[MAX_SUBGROUPS];
    size_t row_count;
    double left, top, scale; /* pixels per unit; 0: only measures */
    double barrier;          /* pixels that a barrier takes */
    double end;              /* units */
    bool waits;
    enum block block;   /* that is drawn */
    uint32_t subgroups; /* of the workgroup */
    size_t omitted;     /* requests of rows that are drawn */
};

static bool find_rows(struct line *line, const struct vks_access_trace *trace, int pass)
{
    for (size_t i = 0; i < trace->request_count; i++) {
        const struct vks_access_request *request = &trace->requests[i];
        if (request->pass != (uint32_t)pass) {
            continue;
        }
        line->subgroups =
            request->subgroup >= line->subgroups ? request->subgroup + 1 : line->subgroups;
        if (request->subgroup >= MAX_SUBGROUPS) {
            continue;
        }
        struct row *row = &line->rows[request->subgroup];
        row->first = row->first ? row->first : request;
        row->count++;
        line->row_count =
            request->subgroup >= line->row_count ? request->subgroup + 1 : line->row_count;
    }
    for (size_t i = 0; i < line->row_count; i++) {
        struct row *row = &line->rows[i];
        line->omitted += row->count > MAX_REQUESTS ? row->count - MAX_REQUESTS : 0;
        row->left = row->count = row->count > MAX_REQUESTS ? MAX_REQUESTS : row->count;
    }
    return line->row_count > 0;
}

static void put_block(const struct line *line, enum block block, size_t row, double from, double to)
{
    if (line->scale > 0 && to > from && line->block == block) {
        const double gap = (to - from) * line->scale > 3 ? 1 : 0;
        const double width = (to - from) * line->scale - gap;
        fprintf(line->out, "M%.6g %gh%.4gv%gh-%.4gz", line->left + from * line->scale,
                line->top + (double)row * (row_height + row_gap), width, row_height, width);
    }
}

static void put_request(struct line *line, size_t row, const struct vks_access_request *request)
{
    static const enum block blocks[] = {
        [TRACE_LOAD] = LOAD,          [TRACE_STORE] = STORE,         [TRACE_ATOMIC] = ATOMIC,
        [TRACE_SHARED_LOAD] = SHARED, [TRACE_SHARED_STORE] = SHARED, [TRACE_SHARED_ATOMIC] = SHARED,
    };
    double *at = &line->rows[row].at;
    if (request->kind == TRACE_COMPUTE) {
        uint32_t max = 0;
        for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
            const uint32_t count = request->lanes >> lane & 1 ? request->index[lane] : 0;
            max = count > max ? count : max;
        }
        put_block(line, COMPUTE, row, *at, *at + max);
        *at += max;
    } else if (request->kind < VKS_COUNT(blocks)) {
        put_block(line, blocks[request->kind], row, *at, *at + request->ideal);
        put_block(line, request->degree > 1 ? CONFLICT : WASTED, row, *at + request->ideal,
                  *at + request->cost);
        *at += request->cost;
    }
}

/* Draws up to the next barrier, at which all subgroups meet. Returns false at the end. */
static bool put_epoch(struct line *line)
{
    bool barrier = false, more = false;
    double latest = 0;
    for (size_t i = 0; i < line->row_count; i++) {
        struct row *row = &line->rows[i];
        while (row->left > 0) {
            const struct vks_access_request *request = row->first + (row->count - row->left--);
            if (request->kind == TRACE_BARRIER) {
                barrier = true;
                break;
            }
            put_request(line, i, request);
        }
        latest = fmax(latest, row->at);
        more = more || row->left > 0;
    }
    line->end = fmax(line->end, latest);
    for (size_t i = 0; i < line->row_count && barrier; i++) {
        put_block(line, WAIT, i, line->rows[i].at, latest);
        line->waits = line->waits || line->rows[i].at < latest;
        line->rows[i].at = latest;
    }
    if (barrier) {
        const double x = line->left + latest * line->scale + 0.4 * line->barrier;
        if (line->scale > 0 && line->block == BARRIER) {
            fprintf(line->out, "M%.6g %gv%g", x, line->top - 3,
                    (double)line->row_count * (row_height + row_gap) + 2);
        }
        for (size_t i = 0; i < line->row_count; i++) {
            line->rows[i].at += line->scale > 0 ? line->barrier / line->scale : 0;
        }
    }
    return more;
}

static size_t walk(struct line *line)
{
    size_t barriers = 0;
    for (size_t i = 0; i < line->row_count; i++) {
        line->rows[i].left = line->rows[i].count;
        line->rows[i].at = 0;
    }
    while (put_epoch(line)) {
        barriers++;
    }
    return barriers;
}

double vks_access_put_time(FILE *out, const struct vks_access_trace *trace, int pass, double y,
                           bool *waits)
{
    struct line line = {.out = out, .left = VKS_ACCESS_MARGIN + label_room};
    char text[160], rows[64] = "";
    *waits = false;
    if (!find_rows(&line, trace, pass)) {
        return y;
    }
    const double barriers = (double)walk(&line) + 1;
    *waits = line.waits;
    const double width = VKS_ACCESS_WIDTH - VKS_ACCESS_MARGIN - line.left - 6;
    line.barrier = fmin(barrier_room, barrier_share * width / barriers);
    const double room = width - line.barrier * barriers;
    vks_svg_label(out, VKS_ACCESS_MARGIN, y + 12, "name", "start", "", "Time line");
    if (line.subgroups > MAX_SUBGROUPS) {
        snprintf(rows, sizeof(rows), "; %d of %u subgroups are drawn", MAX_SUBGROUPS,
                 line.subgroups);
    }
    snprintf(text, sizeof(text),
             "a block is as wide as its cost in sectors, cycles or instructions%s%s", rows,
             line.omitted ? "; only the beginning is drawn" : "");
    vks_svg_label(out, VKS_ACCESS_WIDTH - VKS_ACCESS_MARGIN, y + 12, "note", "end", "", text);
    line.top = y + 28;
    line.scale = fmin(line.end > 0 ? room / line.end : max_per_unit, max_per_unit);
    for (size_t i = 0; i < line.row_count; i++) {
        snprintf(text, sizeof(text), "subgroup %zu", i);
        vks_svg_label(out, VKS_ACCESS_MARGIN, line.top + (double)i * (row_height + row_gap) + 13,
                      "small", "start", "", text);
    }
    for (line.block = LOAD; line.block < BLOCKS; line.block++) {
        fprintf(out, "<path class=\"%s\"", classes[line.block]);
        if (line.block == BARRIER && line.barrier < barrier_room) { /* else the lines touch */
            fprintf(out, " style=\"stroke-width:%.3g\"", 0.4 * line.barrier);
        }
        fputs(" d=\"", out);
        walk(&line);
        fputs("\"/>\n", out);
    }
    return line.top + (double)line.row_count * (row_height + row_gap) + 4;
}
