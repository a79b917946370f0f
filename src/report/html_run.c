/* SPDX-License-Identifier: MIT */
/* What was run, on what, and what it took of memory. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html_internal.h"

/* --- facts ----------------------------------------------------------------------------------- */

static void put_fact(FILE *out, const char *name, const char *text)
{
    if (text && text[0]) {
        fputs("<div><dt>", out);
        vks_html_text(out, name);
        fputs("</dt><dd>", out);
        vks_html_text(out, text);
        fputs("</dd></div>\n", out);
    }
}

static void put_figure(FILE *out, const char *name, double value, double unit, int digits,
                       const char *text)
{
    if (!isnan(value)) {
        fputs("<div><dt>", out);
        vks_html_text(out, name);
        fputs("</dt><dd>", out);
        vks_html_number(out, value, unit, digits);
        fprintf(out, "%s%s</dd></div>\n", text[0] ? "\xc2\xa0" : "", text);
    }
}

/* NAN unless the key has a number above 0: times of 0 are unknown. */
static double positive(const json_t *object, const char *key)
{
    const double value = vks_json_number(object, key, NAN);
    return value > 0 ? value : NAN;
}

/* Quotes a word for the shell where it needs it. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        vks_html_text(out, word);
        return;
    }
    fputs("&#39;", out);
    for (;;) {
        const int length = (int)strcspn(word, "'");
        char *part = vks_format("%.*s", length, word);
        vks_html_text(out, part ? part : "");
        free(part);
        word += length;
        if (!*word) {
            break;
        }
        fputs("&#39;\\&#39;&#39;", out);
        word++;
    }
    fputs("&#39;", out);
}

void vks_html_command(FILE *out, const json_t *command)
{
    const json_t *word;
    size_t index;
    fputs("<div class=\"command\"><pre tabindex=\"0\" aria-label=\"command line\"><code>", out);
    json_array_foreach(command, index, word)
    {
        if (json_is_string(word)) {
            fputs(index ? " " : "", out);
            put_word(out, json_string_value(word));
        }
    }
    fputs("</code></pre></div>\n", out);
}

enum vks_result vks_html_runs(const struct vks_html_page *page)
{
    char size[64];
    for (size_t i = 0; i < page->count; i++) {
        const json_t *report = page->runs[i].report;
        const double step = positive(report, "step_s");
        const double cells = vks_json_number(report, "width", 0) *
                             vks_json_number(report, "height", 0) *
                             vks_json_number(report, "depth", 1);
        vks_html_run_begin(page, i);
        if (vks_json_array(report, "command")) {
            vks_html_command(page->out, vks_json_array(report, "command"));
        }
        fputs("<dl class=\"facts\">\n", page->out);
        put_fact(page->out, "Simulation", vks_json_text(report, "simulation"));
        put_fact(page->out, "Cells", vks_html_size(report, size));
        put_figure(page->out, "Steps", vks_json_number(report, "steps", NAN), 1, 0, "");
        put_figure(page->out, "Frames", vks_json_number(report, "frames", NAN), 1, 0, "");
        put_figure(page->out, "GPU time per step", step, 1e-6, 2, "\xc2\xb5s");
        put_figure(page->out, "Cell updates", cells / step, 1e6, 1, "M/s");
        put_figure(page->out, "Wall time", positive(report, "wall_s"), 1, 3, "s");
        put_figure(page->out, "Loop", positive(report, "seconds"), 1, 3, "s");
        put_figure(page->out, "Start-up", positive(report, "startup_s"), 1e-3, 0, "ms");
        put_figure(page->out, "First frame after", positive(report, "first_frame_s"), 1e-3, 0,
                   "ms");
        put_figure(page->out, "Pipelines", positive(report, "pipelines"), 1, 0, "");
        put_figure(page->out, "Pipelines cached", vks_json_number(report, "pipelines_cached", NAN),
                   1, 0, "");
        put_fact(page->out, "vksim", vks_json_text(report, "version"));
        fputs("</dl>\n", page->out);
        vks_html_run_end(page);
    }
    return VKS_OK;
}

bool vks_html_has_scalars(const struct vks_html_page *page)
{
    bool found = false;
    for (size_t i = 0; i < page->count; i++) {
        found = found || json_object_size(json_object_get(page->runs[i].report, "watched")) > 0;
    }
    return found;
}

enum vks_result vks_html_scalars(const struct vks_html_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        const json_t *scalars = json_object_get(page->runs[i].report, "watched"), *value;
        const char *name;
        if (json_object_size(scalars) == 0) {
            continue;
        }
        vks_html_run_begin(page, i);
        fputs("<dl class=\"facts\">\n", page->out);
        json_object_foreach((json_t *)(uintptr_t)scalars, name, value)
        {
            fputs("<div><dt>", page->out);
            vks_html_text(page->out, name);
            fputs("</dt><dd>", page->out);
            if (json_is_number(value)) {
                const double number = json_number_value(value);
                fprintf(page->out, "<data value=\"%.17g\">%.6g</data>", number, number);
            } else {
                fputs("not finite", page->out);
            }
            fputs("</dd></div>\n", page->out);
        }
        fputs("</dl>\n", page->out);
        vks_html_run_end(page);
    }
    return VKS_OK;
}

/* --- devices --------------------------------------------------------------------------------- */

enum vks_result vks_html_devices(const struct vks_html_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        const json_t *device = json_object_get(page->runs[i].report, "device");
        const json_t *stamps = json_object_get(device, "timestamps");
        vks_html_run_begin(page, i);
        fputs("<dl class=\"facts\">\n", page->out);
        put_fact(page->out, "Device", vks_json_text(device, "name"));
        put_fact(page->out, "Driver", vks_json_text(device, "driver"));
        put_fact(page->out, "Vulkan", vks_json_text(device, "vulkan"));
        put_fact(page->out, "UUID", vks_json_text(device, "uuid"));
        put_figure(page->out, "Memory", positive(device, "memory"), 1 << 30, 1, "GiB");
        put_figure(page->out, "Timestamp period", positive(stamps, "period_ns"), 1, 2, "ns");
        put_figure(page->out, "Valid bits", positive(stamps, "valid_bits"), 1, 0, "");
        put_figure(page->out, "Dropped samples", positive(page->runs[i].report, "dropped_samples"),
                   1, 0, "");
        fputs("</dl>\n", page->out);
        vks_html_run_end(page);
    }
    return VKS_OK;
}

/* --- pictures -------------------------------------------------------------------------------- */

bool vks_html_has_pictures(const struct vks_html_page *page)
{
    bool found = false;
    for (size_t i = 0; i < page->count; i++) {
        found = found || (page->runs[i].thumbnails && vks_collage_count(page->runs[i].thumbnails));
    }
    return found;
}

enum vks_result vks_html_pictures(const struct vks_html_page *page)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < page->count && result == VKS_OK; i++) {
        const struct vks_html_run *run = &page->runs[i];
        struct vks_thumbnail thumbnail;
        if (!run->thumbnails || vks_collage_count(run->thumbnails) == 0) {
            continue;
        }
        vks_html_run_begin(page, i);
        fputs("<div class=\"pictures\">\n", page->out);
        for (size_t t = 0; t < VKS_HTML_PICTURES && result == VKS_OK; t++) {
            if (!vks_collage_thumbnail(run->thumbnails, t, &thumbnail)) {
                continue; /* the run ended before it */
            }
            fprintf(page->out,
                    "<figure><img width=\"%" PRIu32 "\" height=\"%" PRIu32 "\" alt=\"picture of ",
                    thumbnail.width, thumbnail.height);
            vks_html_text(page->out, vks_json_text(run->report, "simulation"));
            fputs(" at ", page->out);
            vks_html_text(page->out, thumbnail.caption);
            fputs("\" src=\"", page->out);
            result = vks_html_picture(page->out, &thumbnail);
            fputs("\"><figcaption>", page->out);
            vks_html_text(page->out, thumbnail.caption);
            fputs("</figcaption></figure>\n", page->out);
        }
        fputs("</div>\n", page->out);
        vks_html_run_end(page);
    }
    return result;
}

/* --- memory ---------------------------------------------------------------------------------- */

enum vks_result vks_html_memory(const struct vks_html_page *page)
{
    static const struct {
        const char *key, *text;
    } rows[] = {
        {"allocated_bytes", "Allocated at the end"},
        {"peak_bytes", "Peak"},
        {"budget_bytes", "Budget of this process"},
        {"free_bytes", "Free at the end"},
    };
    FILE *out = page->out;
    for (size_t i = 0; i < page->count; i++) {
        const json_t *report = page->runs[i].report;
        const json_t *memory = json_object_get(report, "memory");
        const double size = positive(json_object_get(report, "device"), "memory");
        vks_html_run_begin(page, i);
        vks_html_table(out, "Device memory", false);
        fputs("<thead><tr>", out);
        vks_html_head(out, "Memory", NULL, false);
        vks_html_head(out, "Size", NULL, true);
        vks_html_head(out, "Of the device", NULL, true);
        fputs("</tr></thead><tbody>\n", out);
        for (size_t r = 0; r < VKS_COUNT(rows); r++) {
            const double bytes =
                vks_json_number(memory, rows[r].key, vks_json_number(report, rows[r].key, NAN));
            if (!isnan(bytes)) {
                fprintf(out, "<tr><th scope=\"row\">%s</th>", rows[r].text);
                vks_html_cell_bytes(out, bytes);
                vks_html_cell_share(out, bytes / size, "");
                fputs("</tr>\n", out);
            }
        }
        vks_html_table_end(out);
        vks_html_run_end(page);
    }
    return VKS_OK;
}

/* --- ceilings -------------------------------------------------------------------------------- */

bool vks_html_has_ceilings(const struct vks_html_page *page)
{
    return vks_html_any(page, "ceilings");
}

enum vks_result vks_html_ceilings(const struct vks_html_page *page)
{
    FILE *out = page->out;
    for (size_t i = 0; i < page->count; i++) {
        const json_t *ceilings = vks_json_array(page->runs[i].report, "ceilings"), *ceiling;
        size_t index;
        if (!ceilings) {
            continue;
        }
        vks_html_run_begin(page, i);
        vks_html_table(out, "Measured ceilings of the device", true);
        fputs("<thead><tr>", out);
        vks_html_head(out, "Ceiling", NULL, false);
        vks_html_head(out, "Median", NULL, true);
        vks_html_head(out, "Unit", NULL, false);
        fputs("</tr></thead><tbody>\n", out);
        json_array_foreach((json_t *)(uintptr_t)ceilings, index, ceiling)
        {
            const char *name = vks_json_text(ceiling, "name");
            const char *unit = vks_json_text(ceiling, "unit");
            const double median = vks_json_number(ceiling, "median", NAN);
            const bool is_rate = median >= 1e6;
            char text[64];
            snprintf(text, sizeof(text), "%s%.60s", is_rate ? "G" : "", unit ? unit : "");
            fputs("<tr><th scope=\"row\">", out);
            vks_html_text(out, name ? name : "");
            fputs("</th>", out);
            if (median > 0 && median < 1e-3) {
                snprintf(text, sizeof(text), "\xc2\xb5%.60s", unit ? unit : "");
                vks_html_cell(out, median, 1e-6, 3);
            } else {
                vks_html_cell(out, median, is_rate ? 1e9 : 1, 2);
            }
            vks_html_cell_text(out, text);
            fputs("</tr>\n", out);
        }
        vks_html_table_end(out);
        vks_html_run_end(page);
    }
    return VKS_OK;
}
