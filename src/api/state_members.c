/* SPDX-License-Identifier: MIT */
/* Arrays of a state file that are not fields: those from which the model computes fields, and those
 * that it does not know. */
#include <stdlib.h>
#include <string.h>

#include "api/state.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"

static const struct vks_field *state_field(const struct vks_declaration *declaration,
                                           const char *name)
{
    const int index = vks_find_field(declaration, name);
    return index >= 0 && declaration->fields[index].persistent ? &declaration->fields[index] : NULL;
}

/* The member of that name in this declaration; NULL: there is none. */
static const struct vks_member *find_member(const struct vks_model *model,
                                            const struct vks_declaration *declaration,
                                            const char *name)
{
    const struct vks_member *row = state_field(declaration, name) ? NULL : model->members;
    while (row && row->name &&
           (strcmp(row->name, name) != 0 || !state_field(declaration, row->field))) {
        row++;
    }
    return row && row->name ? row : NULL;
}

const struct vks_npy *vks_state_array(const struct vks_state_file *file,
                                      const struct vks_model *model,
                                      const struct vks_declaration *declaration,
                                      const struct vks_field *field)
{
    const struct vks_npy *array = vks_npz_find(file->npz, field->name);
    const struct vks_member *row = array || file->header ? NULL : model->members;
    for (; !array && row && row->name; row++) {
        const bool counts = find_member(model, declaration, row->name) == row;
        array = counts && strcmp(row->field, field->name) == 0 ? vks_npz_find(file->npz, row->name)
                                                               : NULL;
    }
    return array;
}

/* --- unknown arrays -------------------------------------------------------------------------- */

struct names {
    const struct vks_state_file *file;
    const struct vks_model *model;
    const struct vks_declaration *declaration;
};

/* The names of all arrays that the file may have: fields, then members. */
static const char *next_name(void *user, size_t index)
{
    const struct names *names = user;
    const struct vks_declaration *declaration = names->declaration;
    for (size_t i = 0; i < declaration->field_count; i++) {
        if (declaration->fields[i].persistent && index-- == 0) {
            return declaration->fields[i].name;
        }
    }
    const struct vks_member *row = names->file->header ? NULL : names->model->members;
    for (; row && row->name; row++) {
        if (find_member(names->model, declaration, row->name) == row && index-- == 0) {
            return row->name;
        }
    }
    return NULL;
}

static bool is_known(struct names *names, const char *name)
{
    const char *known;
    for (size_t i = 0; (known = next_name(names, i)) != NULL; i++) {
        if (strcmp(known, name) == 0) {
            return true;
        }
    }
    return false;
}

static void warn_unknown(struct names *names, const char *name)
{
    const char *near = vks_nearest(name, next_name, names);
    char known[256];
    const char *list[64] = {NULL};
    for (size_t i = 0; i + 1 < VKS_COUNT(list) && (list[i] = next_name(names, i)) != NULL; i++) {
    }
    if (near) {
        vks_message(VKS_LOG_WARNING,
                    "'%s': %s has no array '%s', which is ignored (did you mean "
                    "'%s'?)",
                    names->file->path, names->model->name, name, near);
    } else {
        vks_message(VKS_LOG_WARNING, "'%s': %s has no array '%s', which is ignored; it has %s",
                    names->file->path, names->model->name, name,
                    vks_join(list, known, sizeof(known)));
    }
}

/* Fails if the file has a field and a member that gives it, or two such members. */
static enum vks_result check_doubles(const struct names *names)
{
    for (size_t i = 0; i < vks_npz_count(names->file->npz); i++) {
        const char *name = vks_npz_at(names->file->npz, i)->name;
        const struct vks_member *row = find_member(names->model, names->declaration, name);
        if (!row || row->helps) {
            continue;
        }
        for (size_t j = 0; j < vks_npz_count(names->file->npz); j++) {
            const char *other = vks_npz_at(names->file->npz, j)->name;
            const struct vks_member *twin = find_member(names->model, names->declaration, other);
            const bool same =
                strcmp(other, row->field) == 0 ||
                (twin && j < i && !twin->helps && strcmp(twin->field, row->field) == 0);
            if (same) {
                return vks_fail(VKS_ERROR_FILE,
                                "'%s' has both '%s' and '%s', which are alternatives: "
                                "leave one out",
                                names->file->path, other, name);
            }
        }
    }
    return VKS_OK;
}

enum vks_result vks_state_check_members(const struct vks_state_file *file,
                                        const struct vks_settings *settings)
{
    const struct vks_config config = vks_settings_config(settings);
    struct vks_declaration declaration = {0};
    enum vks_result result = VKS_OK;
    if (settings->model->members && !file->header) {
        vks_declare_model(settings->model, &config, &declaration);
        result = check_doubles(&(struct names){file, settings->model, &declaration});
        vks_declaration_free(&declaration); /* a failure is that of the run */
    }
    return result;
}

void vks_state_warn_unknown(const struct vks_state_file *file, const struct vks_model *model,
                            const struct vks_declaration *declaration)
{
    struct names names = {file, model, declaration};
    for (size_t i = 0; i < vks_npz_count(file->npz); i++) {
        const char *name = vks_npz_at(file->npz, i)->name;
        if (!is_known(&names, name)) {
            warn_unknown(&names, name);
        }
    }
}

/* --- missing fields -------------------------------------------------------------------------- */

enum { MAX_FOUND = 16 };

/* The arrays that complete() has found, as numbers. */
struct found {
    const struct vks_state_file *file;
    const struct vks_settings *settings;
    const struct vks_declaration *declaration;
    struct {
        const char *name;
        double *numbers;
    } arrays[MAX_FOUND];
    size_t count;
    enum vks_result result; /* of the first failure */
};

static enum vks_result read_numbers(const struct found *found, const struct vks_field *field,
                                    const struct vks_npy *array, double *numbers)
{
    const uint64_t count = array->bytes / array->item_bytes;
    enum vks_result result = vks_state_check_shape(found->file, field, array);
    void *data = result == VKS_OK ? malloc(array->bytes ? array->bytes : 1) : NULL;
    if (result == VKS_OK) {
        result =
            data ? vks_npz_read(found->file->npz, array, data, array->bytes) : vks_fail_memory();
    }
    for (uint64_t i = 0; result == VKS_OK && i < count; i++) {
        numbers[i] = vks_array_number(data, array->kind, array->item_bytes, i);
    }
    free(data);
    return result;
}

static const double *find_numbers(void *user, const char *name)
{
    struct found *found = user;
    const struct vks_model *model = found->settings->model;
    const struct vks_npy *array = vks_npz_find(found->file->npz, name);
    const struct vks_member *row = find_member(model, found->declaration, name);
    const struct vks_field *field = state_field(found->declaration, row ? row->field : name);
    for (size_t i = 0; i < found->count; i++) {
        if (strcmp(found->arrays[i].name, name) == 0) {
            return found->arrays[i].numbers;
        }
    }
    if (!array || !field || found->result != VKS_OK || found->count == MAX_FOUND) {
        return NULL;
    }
    const uint64_t count = array->bytes / array->item_bytes;
    double *numbers = malloc(count ? count * sizeof(*numbers) : 1);
    found->result = numbers ? read_numbers(found, field, array, numbers) : vks_fail_memory();
    if (found->result != VKS_OK) {
        free(numbers);
        return NULL;
    }
    found->arrays[found->count].name = name;
    found->arrays[found->count++].numbers = numbers;
    return numbers;
}

enum vks_result vks_state_complete(const struct vks_state_file *file,
                                   const struct vks_settings *settings,
                                   const struct vks_declaration *declaration,
                                   const struct vks_field *field, double **numbers,
                                   char assumed[VKS_ASSUMED_SIZE])
{
    const struct vks_model *model = settings->model;
    const struct vks_config config = vks_settings_config(settings);
    struct found found = {.file = file, .settings = settings, .declaration = declaration};
    const struct vks_arrays arrays = {find_numbers, &found};
    *numbers = NULL;
    if (!model->complete) {
        return VKS_OK;
    }
    enum vks_result result =
        model->complete(&config, field, &arrays, vks_field_count(field), numbers, assumed);
    if (result == VKS_ERROR_FILE && found.result == VKS_OK) {
        result = vks_fail(result, "'%s': %s", file->path, vks_error_text());
    }
    result = found.result == VKS_OK ? result : found.result;
    for (size_t i = 0; i < found.count; i++) {
        free(found.arrays[i].numbers);
    }
    if (result != VKS_OK) {
        free(*numbers);
        *numbers = NULL;
    }
    return result;
}
