/* SPDX-License-Identifier: MIT */
/* Access pictures as files: SVG, or an HTML page with the figures behind them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "ladder/access_internal.h"
#include "report/html.h"

/* A row per array and kind of access. */
static json_t *requests_json(const struct vks_access_trace *trace)
{
    json_t *rows = json_array();
    bool whole = rows != NULL;
    for (size_t a = 0; a < trace->array_count; a++) {
        for (uint32_t kind = TRACE_LOAD; kind <= TRACE_SHARED_ATOMIC; kind++) {
            const struct vks_access_total total = vks_access_total(trace, -1, a, kind);
            const bool shared = vks_access_is_shared(kind);
            if (total.requests == 0 || !whole) {
                continue;
            }
            json_t *row =
                json_pack("{s:s, s:s, s:I, s:I, s:I, s:s}", "array", trace->arrays[a].name,
                          "access", vks_access_verb(kind), "requests", (json_int_t)total.requests,
                          "cost", (json_int_t)total.cost, "at_least", (json_int_t)total.ideal,
                          "unit", shared ? "cycles" : "sectors");
            whole = json_array_append_new(rows, row) == 0;
            if (whole && kind % TRACE_SHARED_LOAD == TRACE_LOAD) {
                const struct vks_access_reuse reuse = vks_access_reuse(trace, a);
                whole = json_object_set_new(row, "reuse",
                                            json_pack("{s:f, s:f, s:f}", "lanes", reuse.lanes,
                                                      "requests", reuse.requests, "workgroups",
                                                      reuse.groups)) == 0;
            }
            if (whole && (shared || kind == TRACE_ATOMIC)) {
                whole = json_object_set_new(row, "degree", json_integer(total.degree)) == 0;
            }
        }
    }
    if (!whole) {
        json_decref(rows);
        rows = NULL;
    }
    return rows;
}

/* The texts of the shaders of its passes: [{name, lines}]. */
static json_t *shaders_json(const struct vks_access_trace *trace)
{
    json_t *list = json_array();
    bool whole = list != NULL;
    for (size_t p = 0; p < trace->pass_count && whole; p++) {
        const struct vks_ladder_text *text = vks_ladder_texts;
        bool listed = false;
        for (size_t i = 0; i < p; i++) {
            listed = listed || strcmp(trace->passes[i].shader, trace->passes[p].shader) == 0;
        }
        while (text->name && strcmp(text->name, trace->passes[p].shader) != 0) {
            text++;
        }
        if (listed || !text->name) {
            continue;
        }
        json_t *lines = json_array();
        whole = json_array_append_new(
                    list, json_pack("{s:s, s:o}", "name", text->name, "lines", lines)) == 0;
        for (const char *const *line = text->lines; whole && *line; line++) {
            whole = json_array_append_new(lines, json_string(*line)) == 0;
        }
    }
    if (!whole) {
        json_decref(list);
        list = NULL;
    }
    return list;
}

static json_t *rung_json(const struct vks_access_figure *figure)
{
    const struct vks_ladder_task *task = &figure->task;
    char size[48];
    json_t *rung =
        json_pack("{s:s, s:s, s:s, s:o, s:o}", "rung", task->rung->name, "help", task->rung->help,
                  "size", vks_ladder_format_size(task->kernel, &task->size, size), "requests",
                  requests_json(&figure->trace), "shaders", shaders_json(&figure->trace));
    json_t *seconds =
        figure->seconds.samples ? vks_spread_json(json_object(), &figure->seconds) : NULL;
    if (rung && figure->seconds.samples &&
        (!seconds || json_object_set_new(rung, "seconds", seconds) != 0)) {
        json_decref(rung);
        rung = NULL;
    }
    return rung;
}

static enum vks_result write_page(const struct vks_access_figure *figures, size_t count,
                                  const struct vks_device_info *device, const char *path,
                                  bool overwrite)
{
    json_t *rungs = json_array(), *pictures = json_array();
    enum vks_result result = rungs && pictures ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        char *svg = NULL;
        result = vks_access_svg(&figures[i], 1, device, &svg);
        const bool added = json_array_append_new(rungs, rung_json(&figures[i])) == 0;
        if (result == VKS_OK &&
            (!added || json_array_append_new(pictures, json_string(svg)) != 0)) {
            result = vks_fail_memory();
        }
        free(svg);
    }
    if (result != VKS_OK) {
        json_decref(rungs);
        json_decref(pictures);
        return result;
    }
    return vks_html_write(path, overwrite, &vks_page_access,
                          json_pack("{s:s, s:{s:s, s:s}, s:o}", "kernel",
                                    figures[0].task.kernel->name, "device", "name", device->name,
                                    "driver", device->driver, "rungs", rungs),
                          pictures);
}

/* --- files ----------------------------------------------------------------------------------- */

enum vks_result vks_access_check(const char *option, const char *path, bool overwrite)
{
    struct vks_atomic_file file = {0};
    const bool html = vks_has_extension(path, ".html");
    if (!html && !vks_has_extension(path, ".svg")) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' does not end in .svg or .html", option, path);
    }
    enum vks_result result = html ? vks_html_available() : VKS_OK;
    if (result == VKS_OK) {
        result = vks_atomic_file_begin(&file, path, overwrite);
    }
    vks_atomic_file_abort(&file);
    return result;
}

enum vks_result vks_access_write(const struct vks_access_figure *figures, size_t count,
                                 const struct vks_device_info *device, const char *path,
                                 bool overwrite)
{
    char *svg = NULL;
    if (vks_has_extension(path, ".html")) {
        return write_page(figures, count, device, path, overwrite);
    }
    enum vks_result result = vks_access_svg(figures, count, device, &svg);
    if (result == VKS_OK) {
        result = vks_write_file(path, overwrite, svg, strlen(svg));
    }
    free(svg);
    return result;
}
