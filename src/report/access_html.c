/* SPDX-License-Identifier: MIT */
/* Access pictures as files: SVG, or an HTML page with the figures behind them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "report/access_internal.h"
#include "report/html_internal.h"

struct page {
    const struct vks_access_figure *figures;
    size_t count;
    const struct vks_device_info *device;
};

/* A row per array and kind of access. */
static void put_totals(FILE *out, const struct vks_access_trace *trace)
{
    vks_html_table(out, "Requests of the workgroup", false);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Array", NULL, false);
    vks_html_head(out, "Access", NULL, false);
    vks_html_head(out, "Requests", NULL, true);
    vks_html_head(out, "Cost", NULL, true);
    vks_html_head(out, "At least", NULL, true);
    vks_html_head(out, "Unit", NULL, false);
    vks_html_head(out, "Efficiency", "%", true);
    vks_html_head(out, "Conflict", NULL, true);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t a = 0; a < trace->array_count; a++) {
        for (uint32_t kind = TRACE_LOAD; kind <= TRACE_SHARED_ATOMIC; kind++) {
            const struct vks_access_total total = vks_access_total(trace, -1, a, kind);
            const bool shared = vks_access_is_shared(kind);
            if (total.requests == 0) {
                continue;
            }
            fputs("<tr><th scope=\"row\">", out);
            vks_html_text(out, trace->arrays[a].name);
            fputs("</th>", out);
            vks_html_cell_text(out, vks_access_verb(kind));
            vks_html_cell(out, (double)total.requests, 1, 0);
            vks_html_cell(out, (double)total.cost, 1, 0);
            vks_html_cell(out, (double)total.ideal, 1, 0);
            vks_html_cell_text(out, shared ? "cycles" : "sectors");
            vks_html_cell_share(out, (double)total.ideal / (double)total.cost, "");
            vks_html_cell(out, shared || kind == TRACE_ATOMIC ? total.degree : (double)NAN, 1, 0);
            fputs("</tr>\n", out);
        }
    }
    vks_html_table_end(out);
}

static enum vks_result put_figure(FILE *out, const struct page *page, size_t index)
{
    const struct vks_access_figure *figure = &page->figures[index];
    char *svg = NULL;
    const enum vks_result result = vks_access_svg(figure, 1, page->device, &svg);
    if (result == VKS_OK) {
        fprintf(out, "<section aria-labelledby=\"rung%zu\">\n<h2 id=\"rung%zu\">", index, index);
        vks_html_text(out, figure->task.rung->name);
        fputs("</h2>\n<figure class=\"plot\"><img alt=\"Memory accesses of the rung; the table "
              "below has the figures\" src=\"data:image/svg+xml;base64,",
              out);
        vks_html_base64(out, svg, strlen(svg));
        fputs("\"></figure>\n", out);
        put_totals(out, &figure->trace);
        fputs("</section>\n", out);
    }
    free(svg);
    return result;
}

static enum vks_result put_slot(FILE *out, const void *user, const char *name)
{
    const struct page *page = user;
    enum vks_result result = VKS_OK;
    if (strcmp(name, "product") == 0) {
        fputs("vksim bench --explain", out);
    } else if (strcmp(name, "title") == 0) {
        fputs("Memory accesses of ", out);
        vks_html_text(out, page->figures[0].task.kernel->name);
    } else if (strcmp(name, "subtitle") == 0) {
        fputs("recorded on ", out);
        vks_html_text(out, page->device->name);
        fputs(" (", out);
        vks_html_text(out, page->device->driver);
        fputs(")", out);
    } else if (strcmp(name, "pictures") == 0) {
        for (size_t i = 0; i < page->count && result == VKS_OK; i++) {
            result = put_figure(out, page, i);
        }
    } else {
        result = vks_html_unknown(name);
    }
    return result;
}

static enum vks_result print_page(FILE *out, const void *user)
{
    return vks_html_fill(out, vks_access_page, put_slot, NULL, user);
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
    const struct page page = {figures, count, device};
    char *svg = NULL;
    if (vks_has_extension(path, ".html")) {
        return vks_print_file(path, overwrite, print_page, &page);
    }
    enum vks_result result = vks_access_svg(figures, count, device, &svg);
    if (result == VKS_OK) {
        result = vks_write_file(path, overwrite, svg, strlen(svg));
    }
    free(svg);
    return result;
}
