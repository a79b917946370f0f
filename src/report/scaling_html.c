/* SPDX-License-Identifier: MIT */
/* What vksim scale measured as an HTML page: tables, and the plots as pictures within it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "report/html_internal.h"
#include "report/scaling_internal.h"

static void put_options(FILE *out, const struct vks_scaling *scaling)
{
    const char *key;
    json_t *value;
    vks_html_table(out, "Options", false);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Option", NULL, false);
    vks_html_head(out, "Value", NULL, false);
    fputs("</tr></thead><tbody>\n", out);
    json_object_foreach(scaling->options, key, value)
    {
        char *text =
            json_is_string(value)
                ? vks_strdup(json_string_value(value))
                : vks_json_dump(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputs("<tr>", out);
        vks_html_cell_text(out, key);
        vks_html_cell_text(out, text ? text : "");
        fputs("</tr>\n", out);
        free(text);
    }
    vks_html_table_end(out);
}

static void put_points(FILE *out, const struct vks_scaling *scaling,
                       const struct vks_scaling_sweep *sweep)
{
    vks_html_table(out, "Measured values", false);
    fputs("<thead><tr>", out);
    vks_html_head(out, sweep->quantity, NULL, true);
    vks_html_head(out, "Cells", NULL, true);
    vks_html_head(out, "GPU per step", "\xc2\xb5s", true);
    vks_html_head(out, "Spread", "%", true);
    vks_html_head(out, "Host per step", "\xc2\xb5s", true);
    vks_html_head(out, "Start", "ms", true);
    vks_html_head(out, sweep->is_size ? "Per cell" : "Per item", "ns", true);
    vks_html_head(out, "of copy", "%", true);
    vks_html_head(out, "Note", NULL, false);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < sweep->count; i++) {
        const struct vks_scaling_point *point = &sweep->points[i];
        const struct vks_spread *gpu = &point->gpu;
        const bool measured = !point->left_out;
        const double items = sweep->is_size ? point->cells : (double)point->x;
        const double share = vks_scaling_share(scaling, point);
        fputs("<tr>", out);
        vks_html_cell(out, (double)point->x, 1, 0);
        vks_html_cell(out, point->cells > 0 ? point->cells : NAN, 1, 0);
        vks_html_cell(out, measured ? gpu->median : NAN, 1e-6, 2);
        vks_html_cell(out, measured ? (gpu->high_quartile - gpu->low_quartile) / gpu->median : NAN,
                      1e-2, 1);
        vks_html_cell(out, measured ? point->host.median : NAN, 1e-6, 2);
        vks_html_cell(out, measured ? point->startup : NAN, 1e-3, 1);
        vks_html_cell(out, measured && !sweep->is_steps ? gpu->median / items : NAN, 1e-9, 6);
        vks_html_cell(out, measured && share > 0 ? share : NAN, 1e-2, 1);
        const bool outside = measured && sweep->full && point->x < sweep->fit_from;
        vks_html_cell_text(out, !measured        ? point->left_out
                                : !outside       ? ""
                                : sweep->is_size ? "the GPU is not full"
                                                 : "not in the fit");
        fputs("</tr>\n", out);
    }
    vks_html_table_end(out);
}

static enum vks_result put_sweep(FILE *out, const struct vks_scaling *scaling, size_t index)
{
    const struct vks_scaling_sweep *sweep = &scaling->sweeps[index];
    char *svg = NULL, *fit = NULL;
    size_t length;
    const enum vks_result result = vks_scaling_svg(scaling, index, 1, &svg);
    FILE *words = result == VKS_OK ? open_memstream(&fit, &length) : NULL;
    if (words) {
        vks_scaling_print_fit(words, sweep);
        fclose(words);
    }
    if (fit) {
        fprintf(out, "<section aria-labelledby=\"sweep%zu\">\n<h2 id=\"sweep%zu\">Over ", index,
                index);
        vks_html_text(out, sweep->quantity);
        fputs("</h2>\n<figure class=\"plot\"><img alt=\"GPU time against ", out);
        vks_html_text(out, sweep->quantity);
        fputs(", measured and fitted; the table below has the values\" "
              "src=\"data:image/svg+xml;base64,",
              out);
        vks_html_base64(out, svg, strlen(svg));
        fputs("\"></figure>\n<pre>", out);
        vks_html_text(out, fit);
        fputs("</pre>\n", out);
        put_points(out, scaling, sweep);
        fputs("</section>\n", out);
    }
    free(svg);
    const bool printed = fit != NULL;
    free(fit);
    return result == VKS_OK && !printed ? vks_fail_memory() : result;
}

static enum vks_result put_slot(FILE *out, const void *user, const char *name)
{
    const struct vks_scaling *scaling = user;
    enum vks_result result = VKS_OK;
    if (strcmp(name, "product") == 0) {
        fputs("vksim scale", out);
    } else if (strcmp(name, "title") == 0) {
        vks_html_text(out, scaling->model);
        for (size_t i = 0; i < scaling->count; i++) {
            fputs(i ? " and " : " over ", out);
            vks_html_text(out, scaling->sweeps[i].quantity);
        }
    } else if (strcmp(name, "subtitle") == 0) {
        fputs("on ", out);
        vks_html_text(out, scaling->device.name);
        fputs(" (", out);
        vks_html_text(out, scaling->device.driver);
        fputs(")", out);
    } else if (strcmp(name, "left") == 0) {
        fprintf(out, "%zu", scaling->points_left);
    } else if (strcmp(name, "run") == 0) {
        vks_html_command(out, scaling->command);
    } else if (strcmp(name, "options") == 0) {
        put_options(out, scaling);
    } else if (strcmp(name, "sweeps") == 0) {
        for (size_t i = 0; i < scaling->count && result == VKS_OK; i++) {
            result = put_sweep(out, scaling, i);
        }
    } else {
        result = vks_html_unknown(name);
    }
    return result;
}

static enum vks_result find_part(const void *user, const char *name, bool *has)
{
    const struct vks_scaling *scaling = user;
    *has = scaling->points_left > 0;
    return strcmp(name, "interrupted") == 0 ? VKS_OK : vks_html_unknown(name);
}

static enum vks_result print_page(FILE *out, const void *user)
{
    return vks_html_fill(out, vks_scaling_page, put_slot, find_part, user);
}

enum vks_result vks_scaling_html(const struct vks_scaling *scaling, const char *path,
                                 bool overwrite)
{
    const enum vks_result result = vks_html_available();
    return result == VKS_OK ? vks_print_file(path, overwrite, print_page, scaling) : result;
}
