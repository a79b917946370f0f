/* SPDX-License-Identifier: MIT */
/* What files of fields and of items hold. */
#include <stdio.h>
#include <string.h>

#include "api/settings.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"

enum { MAX_NAMES = 2 * VKS_MAX_VIEWS };

/* The names that a list of fields may have, NULL-terminated. */
static void list_names(const struct vks_model *model, const char *names[MAX_NAMES + 1])
{
    size_t count = 0;
    for (const struct vks_view *view = model->views; view->name && count < MAX_NAMES; view++) {
        names[count] = view->name;
        count += view->field != NULL;
    }
    const struct vks_vector *vector = model->vectors;
    for (; vector && vector->name && count < MAX_NAMES; vector++) {
        names[count] = vector->name;
        count += !vector->items;
    }
    names[count] = NULL;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static enum vks_result add_field(struct vks_settings *settings, const char *text, size_t length)
{
    const struct vks_model *model = settings->model;
    for (uint32_t i = 0; model->views[i].name; i++) {
        if (model->views[i].field && is_name(model->views[i].name, text, length)) {
            settings->views |= 1U << i;
            return VKS_OK;
        }
    }
    for (uint32_t i = 0; model->vectors && model->vectors[i].name; i++) {
        if (!model->vectors[i].items && is_name(model->vectors[i].name, text, length)) {
            settings->vectors |= 1U << i;
            return VKS_OK;
        }
    }
    const char *names[MAX_NAMES + 1];
    char all[512];
    list_names(model, names);
    return vks_fail_option(VKS_ERROR_USAGE, "fields", "'%.*s' is not one of: %s", (int)length, text,
                           vks_join(names, all, sizeof(all)));
}

enum vks_result vks_settings_set_fields(struct vks_settings *settings, const char *list)
{
    enum vks_result result = VKS_OK;
    settings->views = settings->vectors = 0;
    for (const char *at = list; result == VKS_OK; at++) {
        const size_t length = strcspn(at, ",");
        result = add_field(settings, at, length);
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return result;
}

static struct vks_export *add_array(struct vks_exports *exports, const char *name,
                                    const char *field)
{
    struct vks_export *array = &exports->list[exports->count++];
    *array = (struct vks_export){.fields = {field}};
    snprintf(array->name, sizeof(array->name), "%s", name);
    return array;
}

static void add_vector(struct vks_exports *exports, const char *name, const char *const fields[3])
{
    struct vks_export *array = add_array(exports, name, NULL);
    array->is_vector = true;
    memcpy(array->fields, fields, sizeof(array->fields));
}

void vks_settings_cells(const struct vks_settings *settings, struct vks_exports *cells)
{
    const struct vks_model *model = settings->model;
    const struct vks_view *shown = settings->common.view;
    const bool chosen = settings->views || settings->vectors;
    *cells = (struct vks_exports){.count = 0};
    for (uint32_t i = 0; model->views[i].name; i++) {
        const struct vks_view *view = &model->views[i];
        if (chosen ? settings->views >> i & 1U : view == shown && view->field) {
            (void)add_array(cells, view->name, view->field);
        }
    }
    for (uint32_t i = 0; settings->vectors >> i && i < 32; i++) {
        if (settings->vectors >> i & 1U) {
            add_vector(cells, model->vectors[i].name, model->vectors[i].fields);
        }
    }
}

static bool has_field(const struct vks_exports *exports, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < exports->count; i++) {
        for (uint32_t c = 0; c < vks_export_components(&exports->list[i]); c++) {
            found = found || strcmp(exports->list[i].fields[c], name) == 0;
        }
    }
    return found;
}

void vks_settings_items(const struct vks_settings *settings, const struct vks_declaration *steps,
                        struct vks_exports *items)
{
    const struct vks_view *view = settings->model->views;
    while (view->name && !view->points[2]) {
        view++;
    }
    const int place = view->name ? vks_find_field(steps, view->points[2]) : -1;
    *items = (struct vks_exports){.count = 0};
    if (place < 0 || !view->points[0]) {
        return;
    }
    const char *of = items->of = steps->fields[place].items;
    add_vector(items, "Points", view->points);
    const struct vks_vector *vector = settings->model->vectors;
    for (; vector && vector->name; vector++) {
        if (vector->items) {
            add_vector(items, vector->name, vector->fields);
        }
    }
    for (size_t i = 0; i < steps->field_count && items->count < VKS_MAX_EXPORTS; i++) {
        const struct vks_field *field = &steps->fields[i];
        const bool whole = field->element == VKS_F32 || field->element == VKS_U32;
        if (field->persistent && whole && of && field->items && strcmp(field->items, of) == 0 &&
            !has_field(items, field->name)) {
            add_array(items, field->name, field->name)->is_integer = field->element == VKS_U32;
        }
    }
}
