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

static enum vks_result write_page(const struct vks_access_figure *figures, size_t count,
                                  const struct vks_device_info *device, const char *path,
                                  bool overwrite)
{
    json_t *rungs = json_array(), *pictures = json_array();
    enum vks_result result = rungs && pictures ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        char *svg = NULL;
        result = vks_access_svg(&figures[i], 1, device, &svg);
        json_t *rung = json_pack("{s:s, s:o}", "rung", figures[i].task.rung->name, "requests",
                                 requests_json(&figures[i].trace));
        const bool added = json_array_append_new(rungs, rung) == 0;
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
