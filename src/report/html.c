/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/html_internal.h"
#include "report/report.h"

enum { MAX_CEILINGS = 64 }; /* columns of the table of passes */

#if !VKS_HAVE_REPORT
const struct vks_page_piece vks_page[] = {{VKS_PAGE_END, NULL}};
const struct vks_page_piece vks_scaling_page[] = {{VKS_PAGE_END, NULL}};
const struct vks_page_piece vks_ladder_page[] = {{VKS_PAGE_END, NULL}};
const struct vks_page_piece vks_access_page[] = {{VKS_PAGE_END, NULL}};
#endif

enum vks_result vks_html_available(void)
{
    return VKS_HAVE_REPORT ? VKS_OK
                           : vks_fail(VKS_ERROR_USAGE, "this vksim was built without Chart.js and "
                                                       "cannot write HTML reports");
}

enum vks_result vks_html_check(const char *path, bool overwrite)
{
    struct vks_atomic_file file = {0};
    enum vks_result result = vks_html_available();
    if (result == VKS_OK) {
        result = vks_atomic_file_begin(&file, path, overwrite);
    }
    vks_atomic_file_abort(&file);
    return result;
}

bool vks_html_any(const struct vks_html_page *page, const char *key)
{
    bool found = false;
    for (size_t i = 0; i < page->count; i++) {
        found = found || vks_json_array(page->runs[i].report, key);
    }
    return found;
}

static bool has_several(const struct vks_html_page *page)
{
    return page->count > 1;
}

static enum vks_result put_title(const struct vks_html_page *page)
{
    char size[64];
    if (page->count > 1) {
        fprintf(page->out, "Comparison of %zu runs", page->count);
    } else {
        vks_html_text(page->out, vks_json_text(page->runs[0].report, "simulation"));
        fprintf(page->out, " %s", vks_html_size(page->runs[0].report, size));
    }
    return VKS_OK;
}

static enum vks_result put_subtitle(const struct vks_html_page *page)
{
    const json_t *first = json_object_get(page->runs[0].report, "device");
    const char *name = vks_json_text(first, "name"), *driver = vks_json_text(first, "driver");
    bool same = true;
    for (size_t i = 1; i < page->count; i++) {
        const json_t *device = json_object_get(page->runs[i].report, "device");
        same = same && json_equal(json_object_get(device, "name"), json_object_get(first, "name"));
        same =
            same && json_equal(json_object_get(device, "driver"), json_object_get(first, "driver"));
    }
    if (!same) {
        fputs("on different devices or drivers", page->out);
        return VKS_OK;
    }
    fputs("on ", page->out);
    vks_html_text(page->out, name ? name : "an unknown device");
    if (driver) {
        fputs(" (", page->out);
        vks_html_text(page->out, driver);
        fputs(")", page->out);
    }
    return VKS_OK;
}

static enum vks_result put_data(const struct vks_html_page *page)
{
    json_t *reports = json_array(), *names = json_array();
    bool whole = reports && names;
    for (size_t i = 0; i < page->count && whole; i++) {
        const char *name = page->runs[i].name;
        whole = json_array_append(reports, (json_t *)(uintptr_t)page->runs[i].report) == 0 &&
                json_array_append_new(names, vks_report_string(name ? name : "this run")) == 0;
    }
    json_t *data = whole ? json_pack("{s:O, s:O, s:O}", "passes", page->passes, "names", names,
                                     "reports", reports)
                         : NULL;
    const enum vks_result result = vks_html_json(page->out, data);
    json_decref(data);
    json_decref(reports);
    json_decref(names);
    return result;
}

static enum vks_result put_version(const struct vks_html_page *page)
{
    fputs(VKS_VERSION, page->out);
    return VKS_OK;
}

static const struct {
    const char *name;
    vks_html_has_fn *has;     /* NULL: always */
    vks_html_write_fn *write; /* NULL: {{?name}} only */
} slots[] = {
    {"title", NULL, put_title},
    {"subtitle", NULL, put_subtitle},
    {"several", has_several, NULL},
    {"differences", has_several, vks_html_differences},
    {"comparison", has_several, vks_html_comparison},
    {"runs", NULL, vks_html_runs},
    {"scalars", vks_html_has_scalars, vks_html_scalars},
    {"devices", NULL, vks_html_devices},
    {"pictures", vks_html_has_pictures, vks_html_pictures},
    {"passes", vks_html_has_passes, vks_html_passes},
    {"timeline", vks_html_has_timeline, vks_html_timeline},
    {"roofline", vks_html_has_roofline, vks_html_roofline},
    {"ceilings", vks_html_has_ceilings, vks_html_ceilings},
    {"phases", vks_html_has_phases, vks_html_phases},
    {"steps", vks_html_has_steps, vks_html_steps},
    {"memory", NULL, vks_html_memory},
    {"data", NULL, put_data},
    {"version", NULL, put_version},
};

static size_t find_slot(const char *name)
{
    size_t slot = 0;
    while (slot < VKS_COUNT(slots) && strcmp(slots[slot].name, name) != 0) {
        slot++;
    }
    return slot;
}

/* Gives a new name the next number; those beyond `max` are left out. */
static bool number_name(json_t *numbers, const char *name, size_t max)
{
    return !name || json_object_get(numbers, name) || json_object_size(numbers) >= max ||
           json_object_set_new(numbers, name,
                               json_integer((json_int_t)json_object_size(numbers))) == 0;
}

static enum vks_result collect(struct vks_html_page *page)
{
    page->passes = json_object();
    page->ceilings = json_object();
    bool whole = page->passes && page->ceilings;
    for (size_t i = 0; i < page->count && whole; i++) {
        const json_t *passes = json_object_get(page->runs[i].report, "passes"), *pass, *share;
        const json_t *slices = json_object_get(page->runs[i].report, "timeline");
        const char *key;
        size_t index;
        json_array_foreach(passes, index, pass)
        {
            whole = whole && number_name(page->passes, vks_json_text(pass, "name"), SIZE_MAX);
            json_object_foreach(json_object_get(pass, "ceilings"), key, share)
            {
                whole = whole &&
                        (!json_is_number(share) || number_name(page->ceilings, key, MAX_CEILINGS));
            }
        }
        json_array_foreach(slices, index, pass) /* copies are no passes */
        {
            whole = whole && number_name(page->passes, vks_json_text(pass, "pass"), SIZE_MAX);
        }
    }
    return whole ? VKS_OK : vks_fail_memory();
}

static enum vks_result put_slot(FILE *out, const void *user, const char *name)
{
    const size_t slot = find_slot(name);
    (void)out; /* is the page's */
    return slot < VKS_COUNT(slots) && slots[slot].write ? slots[slot].write(user)
                                                        : vks_html_unknown(name);
}

static enum vks_result find_part(const void *user, const char *name, bool *has)
{
    const size_t slot = find_slot(name);
    *has = slot < VKS_COUNT(slots) && (!slots[slot].has || slots[slot].has(user));
    return slot < VKS_COUNT(slots) ? VKS_OK : vks_html_unknown(name);
}

struct runs {
    const struct vks_html_run *runs;
    size_t count;
};

static enum vks_result print_page(FILE *out, const void *user)
{
    const struct runs *runs = user;
    struct vks_html_page page = {.out = out, .runs = runs->runs, .count = runs->count};
    enum vks_result result = vks_html_available();
    if (result == VKS_OK) {
        result = collect(&page);
    }
    if (result == VKS_OK) {
        result = vks_html_fill(out, vks_page, put_slot, find_part, &page);
    }
    json_decref(page.passes);
    json_decref(page.ceilings);
    return result;
}

enum vks_result vks_report_html_file(const char *path, bool overwrite,
                                     const struct vks_html_run *runs, size_t count)
{
    return vks_print_file(path, overwrite, print_page, &(struct runs){runs, count});
}
