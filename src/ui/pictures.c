/* SPDX-License-Identifier: MIT */
#include "ui/pictures.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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
