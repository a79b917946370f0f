/* SPDX-License-Identifier: MIT */
#include "ui/pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "formula/formula.h"
#include "gpu/device.h"
#include "io/image.h"
#include "sim/registry.h"

enum { SIDE = VKS_PICTURE_SIDE, COLUMNS = VKS_PICTURE_COLUMNS };

/* The place of a name in the list; SIZE_MAX if it is not there. */
static size_t place_of(const char *names, const char *name)
{
    const size_t length = strlen(name);
    size_t place = 0;
    while (strncmp(names + 1, name, length) != 0 || names[1 + length] != ' ') {
        names = strchr(names + 1, ' ');
        place++;
        if (!names || !names[1]) {
            return SIZE_MAX;
        }
    }
    return place;
}

/* Cuts a sheet into squares, one after the other. */
static void cut(const uint8_t *sheet, size_t count, uint8_t *squares)
{
    for (size_t i = 0; i < count; i++) {
        const size_t left = i % COLUMNS * SIDE, top = i / COLUMNS * SIDE;
        for (size_t y = 0; y < SIDE; y++, squares += (size_t)SIDE * 4) {
            memcpy(squares, sheet + ((top + y) * COLUMNS * SIDE + left) * 4, (size_t)SIDE * 4);
        }
    }
}

static enum vks_result load(const struct vks_picture_sheet *sheet, uint8_t **squares, size_t *count)
{
    uint32_t width, height;
    uint8_t *rgba;
    enum vks_result result = vks_image_decode(sheet->jpeg, (size_t)(sheet->end - sheet->jpeg),
                                              "the pictures of presets", &width, &height, &rgba);
    if (result != VKS_OK) {
        return result;
    }
    *count = (size_t)(width / SIDE) * (height / SIDE);
    *squares = width == COLUMNS * SIDE && *count > 0 ? malloc(*count * SIDE * SIDE * 4) : NULL;
    if (*squares) {
        cut(rgba, *count, *squares);
    } else {
        result = vks_fail_memory();
    }
    free(rgba);
    return result;
}

enum vks_result vks_pictures_load(const struct vks_model *model, struct vks_thumb *thumbs,
                                  uint8_t **pixels)
{
    const struct vks_preset *presets = vks_model_presets(model);
    const struct vks_picture_sheet *sheet = vks_picture_sheets;
    size_t count = 0;
    *pixels = NULL;
    while (sheet->model && strcmp(sheet->model, model->name) != 0) {
        sheet++;
    }
    const enum vks_result result = sheet->model ? load(sheet, pixels, &count) : VKS_OK;
    for (size_t i = 0; presets[i].name; i++) {
        const size_t place = *pixels ? place_of(sheet->names, presets[i].name) : SIZE_MAX;
        thumbs[i] = (struct vks_thumb){.width = SIDE, .height = SIDE};
        if (place < count) {
            thumbs[i].rgba = *pixels + place * SIDE * SIDE * 4;
        }
    }
    return result;
}

/* --- made ones ------------------------------------------------------------------------------- */

/* What the model is made of, as scenes hold it, to be freed; NULL: it is not from a file, or memory
 * ran out. */
static char *version_of(const struct vks_model *model)
{
    json_t *object = json_object();
    char *text = NULL;
    if (object && vks_formula_embed(model, object) == VKS_OK && json_object_size(object) > 0) {
        text = vks_json_dump(object, JSON_COMPACT);
    }
    json_decref(object);
    return text;
}

bool vks_pictures_are_made(const struct vks_model *model)
{
    char *version = version_of(model);
    free(version);
    return version != NULL;
}

/* The file in the cache, to be freed; NULL: there is none. */
static char *path_of(const struct vks_model *model, const char *preset)
{
    char hex[33], file[64];
    char *version = version_of(model);
    char *key = version ? vks_format("%s %s %s", model->name, preset, version) : NULL;
    if (key) {
        vks_digest_of(key, strlen(key), hex);
        snprintf(file, sizeof(file), "presets/%s.rgba", hex);
    }
    char *path = key ? vks_cache_name(file) : NULL;
    free(key);
    free(version);
    return path;
}

bool vks_picture_find(const struct vks_model *model, const char *preset, uint8_t *rgba)
{
    char *path = path_of(model, preset), *data = NULL;
    size_t size = 0;
    struct vks_error before; /* a missing file is not an error */
    vks_error_keep(VKS_OK, &before);
    const bool found = path && access(path, R_OK) == 0 &&
                       vks_read_regular_file(path, VKS_MADE_BYTES, &data, &size) == VKS_OK &&
                       size == VKS_MADE_BYTES;
    if (found) {
        memcpy(rgba, data, VKS_MADE_BYTES);
    }
    vks_fail_again(&before);
    free(data);
    free(path);
    return found;
}

void vks_picture_keep(const struct vks_model *model, const char *preset, const uint8_t *rgba)
{
    char *path = path_of(model, preset);
    if (path) {
        vks_gpu_cache_keep(path, rgba, VKS_MADE_BYTES);
    }
    free(path);
}
