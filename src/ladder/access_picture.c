/* SPDX-License-Identifier: MIT */
/* Layout in pixels, from the top down: title, findings, legend, the panels of each pass, its time
 * line, registers and occupancy, the model. */
#include "ladder/access_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { MAX_PANELS = 12, MAX_FINDINGS = 6, MAX_DISPATCHES = 4 };

/* --- texts ----------------------------------------------------------------------------------- */

const char *vks_access_verb(uint32_t kind)
{
    static const char *const verbs[] = {"loads", "stores", "atomics"};
    return verbs[kind % 3];
}

const char *vks_access_mean(uint64_t sum, uint64_t count, char text[32])
{
    const double mean = count ? (double)sum / (double)count : 0;
    snprintf(text, 32, "%.*f", fabs(mean - nearbyint(mean)) < 0.05 ? 0 : 1, mean);
    return text;
}

/* What the picture shows, in a sentence: "result: stores touch 32 sectors per request instead of
 * 4." */
struct finding {
    const char *rating; /* a class of the style: good, clash or bad */
    char text[224];
};

/* A factor of reuse with its unit: "8 requests"; "" below 1.5. Returns `text`. */
static const char *format_factor(double factor, const char *before, const char *unit, char text[96])
{
    text[0] = '\0';
    if (factor >= 1.5) {
        snprintf(text, 96, "%s%.3g %s", before, factor, unit);
    }
    return text;
}

/* Buffers whose elements are transferred several times. */
static size_t list_reuse(const struct vks_access_trace *trace, size_t count,
                         struct finding findings[MAX_FINDINGS])
{
    for (size_t a = 0; a < trace->array_count && count < MAX_FINDINGS; a++) {
        const struct vks_access_reuse reuse = vks_access_reuse(trace, a);
        char lanes[96], requests[96], groups[96];
        if (trace->arrays[a].shared || vks_access_transfers(&reuse) < 1.5) {
            continue;
        }
        format_factor(reuse.lanes, ", by ", "lanes of a request", lanes);
        format_factor(reuse.requests, ", by ", "requests of the workgroup", requests);
        format_factor(reuse.groups, ", by ", "workgroups", groups);
        findings[count].rating = "clash";
        snprintf(findings[count].text, sizeof(findings->text),
                 "%s: each element is read %.3g times%s%s%s.", trace->arrays[a].name,
                 reuse.lanes * vks_access_transfers(&reuse), lanes, requests, groups);
        count++;
    }
    return count;
}

/* Returns how many there are: one if nothing is wasted or read several times. */
static size_t list_findings(const struct vks_access_trace *trace,
                            struct finding findings[MAX_FINDINGS])
{
    size_t count = 0;
    char mean[32], ideal[32];
    for (size_t a = 0; a < trace->array_count && count < MAX_FINDINGS; a++) {
        for (uint32_t kind = TRACE_LOAD; kind <= TRACE_SHARED_ATOMIC && count < MAX_FINDINGS;
             kind++) {
            const struct vks_access_total total = vks_access_total(trace, -1, a, kind);
            struct finding *finding = &findings[count];
            const char *name = trace->arrays[a].name;
            if (kind == TRACE_ATOMIC && total.degree > 1) {
                finding->rating = "clash";
                count++;
                snprintf(finding->text, sizeof(finding->text),
                         "%s: up to %u lanes of a request update the same word, one after another.",
                         name, total.degree);
            } else if (vks_access_is_buffer(kind) && total.cost > total.ideal) {
                finding->rating = "bad";
                count++;
                snprintf(finding->text, sizeof(finding->text),
                         "%s: %s touch %s sectors per request instead of %s.", name,
                         vks_access_verb(kind), vks_access_mean(total.cost, total.requests, mean),
                         vks_access_mean(total.ideal, total.requests, ideal));
            } else if (vks_access_is_shared(kind) && total.degree > 1) {
                finding->rating = "clash";
                count++;
                snprintf(finding->text, sizeof(finding->text),
                         "%s: %s have up to %u-way bank conflicts: %s cycles per request instead "
                         "of %s.",
                         name, vks_access_verb(kind), total.degree,
                         vks_access_mean(total.cost, total.requests, mean),
                         vks_access_mean(total.ideal, total.requests, ideal));
            }
        }
    }
    if (count == 0) {
        bool shared = false;
        for (size_t a = 0; a < trace->array_count; a++) {
            shared = shared || trace->arrays[a].shared;
        }
        findings[count].rating = "good";
        snprintf(findings[count++].text, sizeof(findings->text),
                 "Every request is coalesced: no sector is wasted%s.",
                 shared ? ", and no bank of shared memory has a conflict" : "");
    }
    return list_reuse(trace, count, findings);
}

/* --- the style ------------------------------------------------------------------------------- */

/* Lanes are blue to violet, since green, yellow and red have a meaning. */
static void put_ramp(FILE *out)
{
    static const int stops[][3] = {
        {0x9a, 0xdf, 0xf5}, {0x43, 0x9b, 0xe0}, {0x4a, 0x55, 0xc8}, {0x8a, 0x2f, 0x8f}};
    for (int lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        const double at = 3.0 * lane / (VKS_ACCESS_LANES - 1);
        const int stop = at < 2 ? (int)at : 2;
        int rgb[3];
        for (int i = 0; i < 3; i++) {
            const int from = stops[stop][i], to = stops[stop + 1][i];
            rgb[i] = (int)lround(from + (at - stop) * (to - from));
        }
        fprintf(out, ".vks-plot .l%d{fill:#%02x%02x%02x}", lane, (unsigned)rgb[0], (unsigned)rgb[1],
                (unsigned)rgb[2]);
    }
    fputs("\n", out);
}

static void put_style(FILE *out)
{
    fputs("<style>\n"
          ".vks-plot .name{font-size:15px;font-weight:600}\n"
          ".vks-plot .small{font-size:12px;fill:#4b5563}\n"
          ".vks-plot .finding{font-size:15px}\n"
          ".vks-plot .degree{font-size:20px;font-weight:700}\n"
          ".vks-plot .empty{fill:#e9ecf0}\n"
          ".vks-plot .waste{fill:#f6c1c1}\n"
          ".vks-plot .far{opacity:.3}\n"
          ".vks-plot .gaps{stroke:#ffffff;stroke-width:1}\n"
          ".vks-plot .clash{fill:#f5c400}\n"
          ".vks-plot .cells.clash{stroke:#7a5f00;stroke-width:1}\n"
          ".vks-plot .free,.vks-plot .dot.good{fill:#15803d}\n"
          ".vks-plot .dot.bad,.vks-plot .wasted{fill:#dc2626}\n"
          ".vks-plot .outline{fill:none;stroke-width:2}\n"
          ".vks-plot .outline.good{stroke:#15803d}\n"
          ".vks-plot .outline.bad{stroke:#dc2626}\n"
          ".vks-plot .outline.clash{stroke:#b8920a;fill:none}\n"
          ".vks-plot .load{fill:#3b82c4}\n"
          ".vks-plot .store{fill:#7c4fb0}\n"
          ".vks-plot .atomic{fill:#c2410c}\n"
          ".vks-plot .shared{fill:#7f8b99}\n"
          ".vks-plot .compute{fill:#0f9488}\n"
          ".vks-plot .wait{fill:#e9ecf0}\n"
          ".vks-plot rect.over{fill:#1b1f24}\n"
          ".vks-plot .barrier{fill:none;stroke:#1b1f24;stroke-width:2}\n",
          out);
    put_ramp(out);
    fputs("@media (prefers-color-scheme:dark){\n"
          ".vks-plot .small{fill:#aab3c0}\n"
          ".vks-plot .empty,.vks-plot .wait{fill:#262c34}\n"
          ".vks-plot .waste{fill:#6b2c30}\n"
          ".vks-plot .far{opacity:.42}\n"
          ".vks-plot .gaps{stroke:#15181d}\n"
          ".vks-plot .clash{fill:#ffd83d}\n"
          ".vks-plot .free,.vks-plot .dot.good{fill:#3fd07c}\n"
          ".vks-plot .dot.bad,.vks-plot .wasted{fill:#ff6b6b}\n"
          ".vks-plot .outline.good{stroke:#3fd07c}\n"
          ".vks-plot .outline.bad{stroke:#ff6b6b}\n"
          ".vks-plot .load{fill:#6fb1ea}\n"
          ".vks-plot .store{fill:#b48ae0}\n"
          ".vks-plot .atomic{fill:#fb923c}\n"
          ".vks-plot .shared{fill:#8b97a5}\n"
          ".vks-plot .compute{fill:#2dd4bf}\n"
          ".vks-plot rect.over{fill:#e6e9ee}\n"
          ".vks-plot .barrier{stroke:#e6e9ee}\n"
          "}\n</style>\n",
          out);
}

/* --- panels ---------------------------------------------------------------------------------- */

/* Picks the kind of access to a shared array that costs most. */
static bool pick_shared(struct vks_access_panel *panel)
{
    static const uint32_t kinds[] = {TRACE_SHARED_LOAD, TRACE_SHARED_STORE, TRACE_SHARED_ATOMIC};
    panel->total = (struct vks_access_total){0};
    for (size_t i = 0; i < VKS_COUNT(kinds); i++) {
        const struct vks_access_total total =
            vks_access_total(panel->trace, panel->pass, panel->array, kinds[i]);
        if (total.worst && (!panel->total.worst || total.degree > panel->total.degree)) {
            panel->total = total;
            panel->kind = kinds[i];
        }
    }
    return panel->total.worst != NULL;
}

size_t vks_access_panels(const struct vks_access_trace *trace, int pass,
                         struct vks_access_panel *panels, size_t capacity)
{
    /* Data move from left to right. */
    static const uint32_t order[] = {TRACE_LOAD, TRACE_SHARED_LOAD, TRACE_STORE, TRACE_ATOMIC};
    size_t count = 0;
    for (size_t k = 0; k < VKS_COUNT(order); k++) {
        for (size_t a = 0; a < trace->array_count && count < capacity; a++) {
            struct vks_access_panel panel = {
                .trace = trace, .array = a, .pass = pass, .kind = order[k]};
            const bool shared = trace->arrays[a].shared;
            if (shared != vks_access_is_shared(order[k])) {
                continue;
            }
            if (!shared) {
                panel.total = vks_access_total(trace, pass, a, order[k]);
            }
            if (shared ? pick_shared(&panel) : panel.total.worst != NULL) {
                panels[count++] = panel;
            }
        }
    }
    return count;
}

static double put_panels(FILE *out, const struct vks_access_trace *trace, int pass, double y)
{
    struct vks_access_panel panels[MAX_PANELS];
    const size_t count = vks_access_panels(trace, pass, panels, MAX_PANELS);
    const size_t per_row = count == 1 ? 2 : count == 4 ? 2 : count < 3 ? count : 3;
    const double room = VKS_ACCESS_WIDTH - 2 * VKS_ACCESS_MARGIN, cell = per_row == 3 ? 8 : 12;
    const double step = per_row < 2 ? 0 : (room - 32 * cell) / (double)(per_row - 1);
    for (size_t i = 0; i < count; i += per_row) {
        double bottom = y;
        for (size_t k = i; k < count && k < i + per_row; k++) {
            bottom = fmax(bottom, vks_access_put_panel(out, &panels[k],
                                                       VKS_ACCESS_MARGIN + step * (double)(k - i),
                                                       y, cell));
        }
        y = bottom + 14;
    }
    return y;
}

/* --- head and foot --------------------------------------------------------------------------- */

struct key {
    const char *class_name, *text;
    bool outline;
};

/* A row of swatches. */
static void put_keys(FILE *out, const struct key *keys, size_t count, double x, double y)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%d\" height=\"11\"/>\n",
                keys[i].class_name, x, y - 10, keys[i].outline ? 24 : 14);
        x += keys[i].outline ? 30 : 20;
        vks_svg_label(out, x, y, "small", "start", "", keys[i].text);
        x += vks_svg_width(keys[i].text, 12.5) + 16;
    }
}

static double put_legend(FILE *out, const struct vks_access_trace *trace, double y)
{
    static const struct key cells[] = {
        {"outline good", "coalesced sector", true},
        {"outline bad", "uncoalesced sector", true},
        {"waste", "wasted", false},
        {"clash", "conflict", false},
    };
    double x = VKS_ACCESS_MARGIN;
    bool conflicts = false;
    for (size_t i = 0; i < trace->request_count; i++) {
        conflicts = conflicts || trace->requests[i].degree > 1;
    }
    vks_svg_label(out, x, y, "small", "start", "", "lane 0");
    x += 44;
    for (int lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        fprintf(out, "<rect class=\"l%d\" x=\"%g\" y=\"%g\" width=\"5\" height=\"11\"/>\n", lane,
                x + 4.5 * lane, y - 10);
    }
    x += 4.5 * VKS_ACCESS_LANES + 6;
    vks_svg_label(out, x, y, "small", "start", "", "31");
    x += 28;
    put_keys(out, cells, conflicts ? 4 : 3, x, y);
    y += 18;
    vks_svg_label(out, VKS_ACCESS_MARGIN, y, "small", "start", "",
                  "Bright cells belong to one request of a subgroup, pale ones to the rest of the "
                  "workgroup.");
    return y + 10;
}

/* Swatches of what the time line has. */
static double put_time_keys(FILE *out, const struct vks_access_trace *trace, int pass, bool waits,
                            double y)
{
    static const struct {
        struct key key;
        uint32_t first, last; /* kinds */
        enum { ALL, WASTEFUL, CONFLICTING, WAITING } which;
    } blocks[] = {
        {{"load", "load", false}, TRACE_LOAD, TRACE_LOAD, ALL},
        {{"store", "store", false}, TRACE_STORE, TRACE_STORE, ALL},
        {{"atomic", "atomic operation", false}, TRACE_ATOMIC, TRACE_ATOMIC, ALL},
        {{"wasted", "wasted sectors", false}, TRACE_LOAD, TRACE_ATOMIC, WASTEFUL},
        {{"shared", "shared memory", false}, TRACE_SHARED_LOAD, TRACE_SHARED_ATOMIC, ALL},
        {{"clash", "conflicts", false}, TRACE_LOAD, TRACE_SHARED_ATOMIC, CONFLICTING},
        {{"compute", "compute", false}, TRACE_COMPUTE, TRACE_COMPUTE, ALL},
        {{"wait", "waiting", false}, TRACE_BARRIER, TRACE_BARRIER, WAITING},
        {{"over", "barrier", false}, TRACE_BARRIER, TRACE_BARRIER, ALL},
    };
    struct key keys[VKS_COUNT(blocks)];
    size_t count = 0;
    for (size_t k = 0; k < VKS_COUNT(blocks); k++) {
        for (size_t i = 0; i < trace->request_count; i++) {
            const struct vks_access_request *request = &trace->requests[i];
            const bool conflicts = request->degree > 1;
            const bool wasteful = request->cost > request->ideal && !conflicts;
            const bool has[] = {true, wasteful, conflicts, waits};
            if (request->pass == (uint32_t)pass && request->kind >= blocks[k].first &&
                request->kind <= blocks[k].last && has[blocks[k].which]) {
                keys[count++] = blocks[k].key;
                break;
            }
        }
    }
    put_keys(out, keys, count, VKS_ACCESS_MARGIN, y + 14);
    return y + 26;
}

static double put_head(FILE *out, const struct vks_access_figure *figure, double y)
{
    const struct vks_ladder_task *task = &figure->task;
    const struct vks_access_pass *pass = &figure->trace.passes[0];
    char text[400], size[48];
    struct finding findings[MAX_FINDINGS];
    y += 34;
    snprintf(text, sizeof(text), "%s, rung %s", task->kernel->name, task->rung->name);
    vks_svg_label(out, VKS_ACCESS_MARGIN, y, "title", "start", "", text);
    y += 22;
    vks_svg_label(out, VKS_ACCESS_MARGIN, y, "note", "start", "", task->rung->help);
    y += 20;
    snprintf(text, sizeof(text),
             "size %s \u00b7 workgroup (%u, %u) \u00b7 %u lanes, as %u subgroup%s of 32",
             vks_ladder_format_size(task->kernel, &task->size, size), pass->group[0],
             pass->group[1], pass->lanes, (pass->lanes + 31) / 32, pass->lanes > 32 ? "s" : "");
    vks_svg_label(out, VKS_ACCESS_MARGIN, y, "note", "start", "", text);
    y += 6;
    const size_t count = list_findings(&figure->trace, findings);
    for (size_t i = 0; i < count; i++) {
        y += 22;
        fprintf(out, "<circle class=\"dot %s\" cx=\"%g\" cy=\"%g\" r=\"6\"/>\n", findings[i].rating,
                VKS_ACCESS_MARGIN + 6, y - 5);
        vks_svg_label(out, VKS_ACCESS_MARGIN + 20, y, "finding", "start", "", findings[i].text);
    }
    return put_legend(out, &figure->trace, y + 28);
}

static double put_figure(FILE *out, const struct vks_access_figure *figure,
                         const struct vks_device_info *device, double y)
{
    const struct vks_access_trace *trace = &figure->trace;
    char text[512];
    y = put_head(out, figure, y);
    for (size_t p = 0; p < trace->pass_count && p < MAX_DISPATCHES; p++) {
        y += 14;
        if (trace->pass_count > 1) {
            snprintf(text, sizeof(text), "Dispatch %zu: %s", p + 1, trace->passes[p].name);
            y += 20;
            vks_svg_label(out, VKS_ACCESS_MARGIN, y, "label", "start", "", text);
            y += 10;
        }
        y = put_panels(out, trace, (int)p, y);
        bool waits;
        y = vks_access_put_time(out, trace, (int)p, y, &waits);
        y = put_time_keys(out, trace, (int)p, waits, y);
        for (const char *line = figure->resources[p]; *line;) {
            const size_t length = strcspn(line, "\n");
            snprintf(text, sizeof(text), "%.*s", (int)length, line);
            y += 18;
            vks_svg_label(out, VKS_ACCESS_MARGIN, y,
                          line == figure->resources[p] ? "text" : "small", "start", "", text);
            line += length + (line[length] == '\n');
        }
    }
    if (trace->pass_count > MAX_DISPATCHES) {
        snprintf(text, sizeof(text), "%zu more dispatches are not drawn.",
                 trace->pass_count - MAX_DISPATCHES);
        y += 20;
        vks_svg_label(out, VKS_ACCESS_MARGIN, y, "text", "start", "", text);
    }
    y += 20;
    snprintf(text, sizeof(text),
             "Recorded by the shader on %s. Model: subgroups of 32 lanes, sectors of 32 bytes, 32 "
             "banks of 4 bytes%s.",
             device->name, trace->lost ? "; the record is incomplete" : "");
    vks_svg_label(out, VKS_ACCESS_MARGIN, y, "small", "start", "", text);
    return y + 18;
}

/* --- the document ---------------------------------------------------------------------------- */

enum vks_result vks_access_svg(const struct vks_access_figure *figures, size_t count,
                               const struct vks_device_info *device, char **svg)
{
    char *body = NULL, *whole = NULL;
    size_t body_size, whole_size;
    double y = 0;
    /* The height is known at the end. */
    FILE *out = open_memstream(&body, &body_size);
    for (size_t i = 0; out && i < count; i++) {
        y = put_figure(out, &figures[i], device, y);
    }
    const bool drawn = out && fclose(out) == 0 && isfinite(y);
    out = drawn ? open_memstream(&whole, &whole_size) : NULL;
    if (out) {
        char title[160];
        snprintf(title, sizeof(title), "Memory accesses of the rung %s of %s",
                 figures[0].task.rung->name, figures[0].task.kernel->name);
        vks_svg_begin(out, VKS_ACCESS_WIDTH, ceil(y), title);
        put_style(out);
        fwrite(body, 1, body_size, out);
        vks_svg_end(out);
    }
    free(body);
    if (!out || fclose(out) != 0) {
        free(whole);
        return vks_fail_memory();
    }
    *svg = whole;
    return VKS_OK;
}
