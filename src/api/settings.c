/* SPDX-License-Identifier: MIT */
#include "api/settings.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/option_json.h"
#include "graph/variant.h"
#include "sim/registry.h"
#include "io/image.h"
#include "io/table.h"
#include "view/colormap.h"
#include "api/model_check.h"
#include "api/start.h"

static const struct vks_option common_rows[] = {
    {.name = "size",
     .heading = "run",
     .topic = "run",
     .brief = "size of the field in cells (default 1024x1024)",
     .type = VKS_OPTION_SIZE,
     .change = VKS_CHANGE_NEVER,
     .offset = offsetof(struct vks_common, size),
     .min = 1,
     .max = 65536,
     .default_text = "1024x1024",
     .unit = "cells",
     .help =
         "size of the field, and of the picture unless --output-size or --crop is given; with "
         "--init image:FILE the default has the image's aspect ratio and about 2^20 cells; only "
         "volume simulations take a depth",
     .flags = VKS_OPTION_DEPTH},
    {.name = "seed",
     .brief = "seed of all random numbers (default 1)",
     .type = VKS_OPTION_COUNT,
     .offset = offsetof(struct vks_common, seed),
     .min = 0,
     .max = 4294967295.0,
     .soft_min = 0,
     .soft_max = 100,
     .default_text = "1",
     .unit = "",
     .help = "seed of all random numbers; equal seeds give identical bytes"},
    {.name = "init",
     .heading = "start",
     .brief = "initial condition, such as ring or image:photo.jpg",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_START,
     .offset = offsetof(struct vks_common, init),
     .argument = "KIND",
     .help = "initial condition of the simulation (see --list); image:FILE, where listed, takes a "
             "PNG or JPEG file",
     .flags = VKS_OPTION_IMAGE},
    {.name = "init-fit",
     .heading = "run",
     .type = VKS_OPTION_CHOICE,
     .offset = offsetof(struct vks_common, init_fit),
     .choices = vks_image_fit_names,
     .default_text = "cover",
     .help = "how an image that the simulation reads (--init image:FILE, a map) fits a field with "
             "a different aspect ratio: cover the field and cut the rest, contain the image with "
             "black around it, or stretch the image"},
    {.name = "steps-per-frame",
     .type = VKS_OPTION_COUNT,
     .offset = offsetof(struct vks_common, steps_per_frame),
     .min = 1,
     .max = 1e9,
     .soft_min = 1,
     .soft_max = 100,
     .logarithmic = true,
     .default_text = "1",
     .unit = "",
     .help = "number of steps between frames"},
    {.name = "variant",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_NEVER,
     .offset = offsetof(struct vks_common, variant),
     .default_text = "auto",
     .argument = "NAME|auto",
     .help = "how steps are computed, which affects only the speed: a variant of the simulation "
             "(vksim SIMULATION --help all lists them), or auto, the fastest measured on this "
             "device",
     .flags = VKS_OPTION_NOT_SAVED},
    {.name = "view",
     .heading = "view",
     .topic = "look",
     .brief = "quantity that pictures show",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.view),
     .argument = "NAME",
     .help = "quantity that pictures show: one of the views of the simulation (vksim SIMULATION "
             "--list); default: its first"},
    {.name = "axis",
     .heading = "volume",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.axis),
     .choices = vks_sight_names,
     .argument = "AXIS",
     .flags = VKS_OPTION_VOLUME,
     .help = "viewing direction through a volume; default: z"},
    {.name = "project",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.project),
     .choices = vks_project_names,
     .argument = "KIND",
     .flags = VKS_OPTION_VOLUME,
     .help = "projection of a volume along --axis: a cut (slice, the default), or the mean, "
             "maximum or sum (column) of the cells; with --camera: emission and absorption "
             "(soft, the default), or the sum"},
    {.name = "slice",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.slice),
     .argument = "FRACTION",
     .flags = VKS_OPTION_VOLUME,
     .help = "position of the cut of --project slice, as a fraction of the volume's length: 0 to "
             "1; default: 0.5"},
    {.name = "camera",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.camera),
     .argument = "AZIMUTH,ELEVATION",
     .flags = VKS_OPTION_VOLUME,
     .help = "viewing direction in degrees, for volumes; 0,0 looks along y, 90,0 along x and 0,90 "
             "along z; default: none (along --axis)"},
    {.name = "spin",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.spin),
     .min = -360,
     .max = 360,
     .soft_min = -5,
     .soft_max = 5,
     .default_text = "0",
     .unit = "degrees",
     .flags = VKS_OPTION_VOLUME,
     .help = "change of the camera's azimuth per step; without --camera it starts from 0,20"},
    {.name = "zoom",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.zoom),
     .min = 0.01,
     .max = 1000,
     .soft_min = 0.25,
     .soft_max = 8,
     .logarithmic = true,
     .default_text = "1",
     .unit = "",
     .flags = VKS_OPTION_VOLUME,
     .help = "magnification with --camera; at 1 the whole box fits at every azimuth"},
    {.name = "colormap",
     .heading = "tone",
     .brief = "colours, such as abyss or magma",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.colormap),
     .default_text = "ember",
     .argument = "NAME|FILE",
     .help = "colours from low to high values: a colour map (see --list), NAME_r for its reverse, "
             "or a file: 256 rows red,green,blue or a PNG strip",
     .flags = VKS_OPTION_COLOURS},
    {.name = "normalize",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.normalize),
     .default_text = "smooth",
     .argument = "RANGE",
     .help =
         "value range mapped to the colours: frame (min and max of each frame), smooth (the "
         "same, smoothed over time to avoid flicker), symmetric (smooth, and symmetric about 0: "
         "for a diverging colour map), fixed:LOW:HIGH or symmetric:HIGH",
     .flags = VKS_OPTION_COLOURS},
    {.name = "tone",
     .type = VKS_OPTION_CHOICE,
     .offset = offsetof(struct vks_common, look.tone),
     .choices = vks_tone_names,
     .default_text = "linear",
     .help = "colour scale: linear, or logarithmic over at most four powers of ten",
     .flags = VKS_OPTION_COLOURS},
    {.name = "gamma",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.gamma),
     .min = 0.05,
     .max = 20,
     .soft_min = 0.2,
     .soft_max = 3,
     .logarithmic = true,
     .default_text = "0.5",
     .unit = "",
     .help = "exponent of the normalised value; 0.5 is the square root",
     .flags = VKS_OPTION_COLOURS},
    {.name = "contrast",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.contrast),
     .min = 0,
     .max = 20,
     .soft_min = 0,
     .soft_max = 4,
     .default_text = "1",
     .unit = "",
     .help = "factor on the distance from the middle tone, applied after gamma",
     .flags = VKS_OPTION_COLOURS},
    {.name = "invert",
     .type = VKS_OPTION_FLAG,
     .offset = offsetof(struct vks_common, look.invert),
     .help = "reverse the colour map",
     .flags = VKS_OPTION_COLOURS},
    {.name = "hillshade",
     .heading = "relief",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.hillshade),
     .min = 0,
     .max = 100,
     .soft_min = 0,
     .soft_max = 5,
     .default_text = "0",
     .unit = "",
     .help = "strength of the relief shading; 1 gives gentle hills",
     .flags = VKS_OPTION_COLOURS},
    {.name = "light",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.light),
     .default_text = "315,45",
     .argument = "AZIMUTH,ELEVATION",
     .needs = "hillshade",
     .help =
         "direction of the light of --hillshade in degrees: azimuth clockwise from the top of the "
         "picture (315: upper left) and elevation above it (5 to 90); a low light shades more",
     .flags = VKS_OPTION_COLOURS},
    {.name = "gloss",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.gloss),
     .min = 0,
     .max = 1,
     .default_text = "0",
     .unit = "",
     .needs = "hillshade",
     .help = "strength of the highlights of --hillshade, as on a wet surface",
     .flags = VKS_OPTION_COLOURS},
    {.name = "bloom",
     .heading = "glow",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.bloom),
     .min = 0,
     .max = 8,
     .soft_min = 0,
     .soft_max = 3,
     .default_text = "0",
     .unit = "",
     .help = "strength of the glow around high values; 1 is clearly visible",
     .flags = VKS_OPTION_COLOURS},
    {.name = "bloom-radius",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct vks_common, look.bloom_radius),
     .min = 0.001,
     .max = 0.25,
     .soft_min = 0.005,
     .soft_max = 0.2,
     .logarithmic = true,
     .default_text = "0.05",
     .unit = "",
     .needs = "bloom",
     .help = "how far the glow of --bloom reaches: its standard deviation as a fraction of the "
             "picture's shorter side",
     .flags = VKS_OPTION_COLOURS},
    {.name = "background",
     .heading = "picture",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.background),
     .default_text = "none",
     .argument = "COLOUR|FILE",
     .help = "background behind low values: none, transparent (for .png, .webp and .exr), a colour "
             "(#RRGGBB, #RGB or a CSS name such as white), or a PNG or JPEG file",
     .flags = VKS_OPTION_COLOURS | VKS_OPTION_IMAGE},
    {.name = "crop",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.crop),
     .argument = "X,Y,WxH",
     .help = "show only this part of the field, in cells from the upper left corner"},
    {.name = "output-size",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct vks_common, look.output_size),
     .argument = "WxH",
     .help = "size of the picture in pixels; a side of 0 is derived from the other, as in 1920x0; "
             "default: one pixel per cell"},
    {.name = "fit",
     .type = VKS_OPTION_CHOICE,
     .offset = offsetof(struct vks_common, look.fit),
     .choices = vks_fit_names,
     .default_text = "stretch",
     .needs = "output-size",
     .help = "what --output-size shows: the whole field (stretch), as much of its middle as has "
             "that aspect ratio (crop), or its middle with one pixel per cell if the field is "
             "large enough, otherwise as stretch (cells; the default with --vary, except with "
             "--camera or --spin)"},
    {.name = "annotate",
     .type = VKS_OPTION_FLAG,
     .offset = offsetof(struct vks_common, look.annotate),
     .help = "write the time, a colour bar with the quantity and its range, and a scale bar into "
             "pictures; what does not fit a small picture is left out"},
};

const struct vks_option_table vks_common_options = {common_rows, VKS_COUNT(common_rows)};

static enum vks_result reset_tables(struct vks_settings *settings)
{
    const enum vks_result result = vks_options_reset(settings->model->options, settings->own);
    return result == VKS_OK ? vks_options_reset(vks_common_options, &settings->common) : result;
}

enum vks_result vks_settings_reset(struct vks_settings *settings)
{
    const enum vks_result result = reset_tables(settings);
    return result == VKS_OK
               ? vks_settings_set(settings, "init", vks_model_starts(settings->model)[0])
               : result;
}

/* With the defaults of the options. */
static enum vks_result allocate(struct vks_settings *settings, const struct vks_model *model)
{
    const size_t size = model->settings_size ? model->settings_size : 1;
    *settings = (struct vks_settings){.model = model};
    settings->own = calloc(1, size);
    settings->resolved = calloc(1, size);
    if (!settings->own || !settings->resolved) {
        return vks_fail_memory();
    }
    return reset_tables(settings);
}

/* --- colours of views ------------------------------------------------------------------------ */

/* The bit of an option in `set_since`; 0 for those of the model. */
static uint64_t bit_of(const struct vks_option *option)
{
    return option >= common_rows && option < common_rows + VKS_COUNT(common_rows)
               ? UINT64_C(1) << (option - common_rows)
               : 0;
}

bool vks_settings_set_since(const struct vks_settings *settings, const struct vks_option *row)
{
    return (settings->set_since & bit_of(row)) != 0;
}

/* Sets the options "name=value ...", words of the preset or view `what` `name`, without those with
 * a bit in `kept`. */
static enum vks_result set_words(struct vks_settings *settings, const char *words, uint64_t kept,
                                 const char *what, const char *name)
{
    enum vks_result result = VKS_OK;
    char *text = vks_strdup(words ? words : "");
    if (!text) {
        return vks_fail_memory();
    }
    char *rest = text;
    for (char *word = strtok_r(rest, " ", &rest); word && result == VKS_OK;
         word = strtok_r(NULL, " ", &rest)) {
        void *structure;
        char *value = strchr(word, '=');
        if (!value) {
            result =
                vks_fail(VKS_ERROR_INTERNAL, "%s '%s' has '%s' without a value", what, name, word);
            break;
        }
        *value = '\0';
        const struct vks_option *option = vks_settings_option(settings, word, &structure);
        if (!option || !(kept & bit_of(option))) {
            result = vks_settings_set(settings, word, value + 1);
        }
        if (result == VKS_ERROR_USAGE) {
            result = vks_fail(VKS_ERROR_INTERNAL, "%s '%s' of %s: %s", what, name,
                              settings->model->name, vks_error_text());
        }
    }
    free(text);
    return result;
}

/* Gives the colours that were not set since `given` to the view: those of `given` if that has the
 * same view, else the view's own. */
static enum vks_result take_colours(struct vks_settings *settings)
{
    const struct vks_view *view = vks_view_find(settings->model, settings->common.look.view);
    const struct vks_view *given = vks_view_find(settings->model, settings->given.look.view);
    const uint64_t kept = settings->set_since;
    enum vks_result result = view && given ? VKS_OK : VKS_ERROR_USAGE;
    for (size_t i = 0; i < VKS_COUNT(common_rows) && result == VKS_OK; i++) {
        const struct vks_option *row = &common_rows[i];
        char text[VKS_VALUE_SIZE];
        if (!(row->flags & VKS_OPTION_COLOURS) || (kept & bit_of(row))) {
            continue;
        }
        result = view == given
                     ? vks_option_set(row, &settings->common,
                                      vks_option_get(row, &settings->given, text, sizeof(text)))
                     : vks_options_reset((struct vks_option_table){row, 1}, &settings->common);
    }
    if (result == VKS_OK && view != given) {
        result = set_words(settings, view->look, kept, "view", view->name);
    }
    settings->set_since = kept;
    return result;
}

/* The present colours are those of the present view, until some are set. */
static enum vks_result keep_colours(struct vks_settings *settings)
{
    settings->set_since = 0;
    return vks_options_copy(vks_common_options, &settings->given, &settings->common,
                            sizeof(settings->given));
}

enum vks_result vks_settings_init(struct vks_settings *settings, const struct vks_model *model)
{
    *settings = (struct vks_settings){.model = model};
    enum vks_result result = vks_model_check(model, (struct vks_option_table){0});
    if (result == VKS_OK) {
        result = allocate(settings, model);
    }
    if (result == VKS_OK) {
        result = vks_settings_preset(settings, vks_model_presets(model)[0].name);
    }
    return result;
}

void vks_settings_free(struct vks_settings *settings)
{
    void *const structures[] = {settings->own, settings->resolved};
    for (size_t i = 0; i < VKS_COUNT(structures); i++) {
        if (structures[i]) {
            vks_options_free(settings->model->options, structures[i]);
            free(structures[i]);
        }
    }
    vks_options_free(vks_common_options, &settings->common);
    vks_options_free(vks_common_options, &settings->given);
    json_decref(settings->images);
    *settings = (struct vks_settings){0};
}

enum vks_result vks_settings_copy(struct vks_settings *to, const struct vks_settings *from)
{
    enum vks_result result = allocate(to, from->model);
    const struct vks_option_table own = from->model->options;
    const size_t size = from->model->settings_size;
    if (result == VKS_OK) {
        result = vks_options_copy(own, to->own, from->own, size);
    }
    if (result == VKS_OK) {
        result = vks_options_copy(own, to->resolved, from->resolved, size);
    }
    if (result == VKS_OK) {
        result =
            vks_options_copy(vks_common_options, &to->common, &from->common, sizeof(to->common));
    }
    if (result == VKS_OK) {
        result = vks_options_copy(vks_common_options, &to->given, &from->given, sizeof(to->given));
    }
    to->set_since = from->set_since;
    to->limits = from->limits;
    to->slab = from->slab;
    to->pictures = from->pictures;
    to->variant = from->variant;
    to->watch = from->watch;
    to->allow_model_change = from->allow_model_change;
    to->preset_view = from->preset_view;
    to->views = from->views;
    to->vectors = from->vectors;
    if (result == VKS_OK && from->images) {
        to->images = json_deep_copy(from->images);
        result = to->images ? VKS_OK : vks_fail_memory();
    }
    return result;
}

const struct vks_option *vks_settings_option(struct vks_settings *settings, const char *name,
                                             void **structure)
{
    const struct vks_option *option = vks_option_find(settings->model->options, name);
    *structure = settings->own;
    if (!option) {
        option = vks_option_find(vks_common_options, name);
        *structure = &settings->common;
    }
    return option;
}

const char *vks_option_replaced(const char *name)
{
    static const char *const tuning[] = {"sort", "counts", "fuse"};
    const char *by = NULL;
    for (size_t i = 0; i < VKS_COUNT(tuning); i++) {
        by = strcmp(name, tuning[i]) == 0 ? "variant" : by;
    }
    return by;
}

/* The end of a message about an unknown option `name`: the simulations that have such an option, or
 * the nearest name in these quotes; "" if there is neither. Returns `buffer`. */
static const char *suggestion(const struct vks_settings *settings, const char *name, char quote,
                              char *buffer, size_t size)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    char owners[256];
    const char *near = vks_option_nearest(tables, VKS_COUNT(tables), name);
    if (vks_option_owners(name, owners, sizeof(owners))[0]) {
        snprintf(buffer, size, ", which belongs to %s", owners);
    } else if (near) {
        snprintf(buffer, size, " (did you mean %c%s%c?)", quote, near, quote);
    } else {
        buffer[0] = '\0';
    }
    return buffer;
}

const struct vks_option *vks_settings_find(struct vks_settings *settings, const char *name,
                                           void **structure)
{
    const struct vks_option *option = vks_settings_option(settings, name, structure);
    char hint[320];
    if (!option && vks_option_replaced(name)) {
        vks_fail(VKS_ERROR_USAGE, "'%s' was replaced by '%s'; see vksim %s --help all", name,
                 vks_option_replaced(name), settings->model->name);
    } else if (!option) {
        vks_fail(VKS_ERROR_USAGE, "%s has no option '%s'%s", settings->model->name, name,
                 suggestion(settings, name, '\'', hint, sizeof(hint)));
    }
    return option;
}

void vks_settings_note(struct vks_settings *settings, const struct vks_option *option)
{
    settings->has_size = settings->has_size || option == VKS_COMMON_ROW(size);
    settings->preset_view = settings->preset_view && option != VKS_COMMON_ROW(look.view);
    settings->set_since |= bit_of(option);
}

/* A density that is set replaces the count. */
static enum vks_result note_density(struct vks_settings *settings, const struct vks_option *option)
{
    const struct vks_model *model = settings->model;
    return model->density_option && strcmp(option->name, model->density_option) == 0
               ? vks_option_set_count(vks_option_find(model->options, model->count_option),
                                      settings->own, 0)
               : VKS_OK;
}

/* The number of items in these values of the options: the count, else density times cells. */
static enum vks_result count_items(const struct vks_settings *settings, void *values)
{
    const struct vks_model *model = settings->model;
    const struct vks_size size = settings->common.size;
    if (!model->density_option || vks_settings_has_count(settings)) {
        return VKS_OK;
    }
    const struct vks_option *count = vks_option_find(model->options, model->count_option);
    const struct vks_option *density = vks_option_find(model->options, model->density_option);
    const double per_cell = *(const double *)((const char *)values + density->offset);
    const double items = floor(per_cell * ((double)size.width * size.height * size.depth) + 0.5);
    if (items > count->max) {
        char text[64];
        return vks_fail_option(
            VKS_ERROR_USAGE, density->name, "%g is %.0f %s in %s cells, and the maximum is %.0f",
            per_cell, items, count->name,
            vks_option_get(VKS_COMMON_ROW(size), &settings->common, text, sizeof(text)),
            count->max);
    }
    return vks_option_set_count(count, values, items < 1 ? 1 : (uint64_t)items);
}

bool vks_settings_has_count(const struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    const struct vks_option *count =
        model->count_option ? vks_option_find(model->options, model->count_option) : NULL;
    return count && *(const uint64_t *)((const char *)settings->own + count->offset) > 0;
}

enum vks_result vks_settings_stretch_images(struct vks_settings *settings, const json_t *object)
{
    return json_object_get(object, "init-fit") ? VKS_OK
                                               : vks_settings_set(settings, "init-fit", "stretch");
}

bool vks_next_file(const struct vks_option *option, const char **rest, char path[VKS_PATH_SIZE])
{
    const char *text = *rest;
    if (!vks_text_is_given(text) || (option->flags & VKS_OPTION_SECRET) ||
        (option == VKS_COMMON_ROW(look.colormap) && !vks_colormap_file(text))) {
        return false;
    }
    size_t length = (option->flags & VKS_OPTION_PARTS) ? strcspn(text, ",") : strlen(text);
    *rest = text[length] ? text + length + 1 : NULL;
    text = (option->flags & VKS_OPTION_MAPS) ? vks_map_file(text, length, &length)
           : vks_image_file(text)            ? vks_image_file(text)
           : vks_points_of(text)             ? vks_points_of(text)
                                             : text;
    snprintf(path, VKS_PATH_SIZE, "%.*s", text ? (int)length : 0, text ? text : "");
    return true;
}

/* Sets an option with VKS_OPTION_LINE from the file that is given. */
static enum vks_result set_line(const struct vks_option *option, void *structure, const char *path)
{
    enum { MAX_BYTES = 1 << 16 };
    char *text = NULL;
    size_t size;
    enum vks_result result = vks_read_file(path, MAX_BYTES, &text, &size);
    if (result != VKS_OK) {
        return result;
    }
    const size_t length = strcspn(text, "\r\n");
    if (length == 0 || (length < size && text[length] == '\0')) {
        result = vks_fail_option(VKS_ERROR_USAGE, option->name, "'%s' begins with %s", path,
                                 length == 0 ? "an empty line" : "a line that is not text");
    } else {
        text[length] = '\0';
        result = vks_option_set(option, structure, text);
    }
    free(text);
    return result;
}

enum vks_result vks_settings_set(struct vks_settings *settings, const char *name, const char *text)
{
    void *structure;
    const struct vks_option *option = vks_settings_find(settings, name, &structure);
    if (!option) {
        return VKS_ERROR_USAGE;
    }
    vks_settings_note(settings, option);
    const enum vks_result result = note_density(settings, option);
    return result != VKS_OK                  ? result
           : option->flags & VKS_OPTION_LINE ? set_line(option, structure, text)
                                             : vks_option_set(option, structure, text);
}

enum vks_result vks_settings_clear(struct vks_settings *settings)
{
    const struct vks_size size = settings->common.size;
    const uint64_t seed = settings->common.seed;
    const enum vks_result result = vks_settings_reset(settings);
    settings->common.size = size;
    settings->common.seed = seed;
    return result;
}

enum vks_result vks_settings_preset(struct vks_settings *settings, const char *name)
{
    const struct vks_preset *preset = vks_preset_find(settings->model, name);
    if (!preset) {
        return VKS_ERROR_USAGE;
    }
    enum vks_result result = vks_settings_clear(settings);
    if (result == VKS_OK) {
        result = set_words(settings, preset->options, 0, "preset", name);
    }
    settings->preset_view = true;
    return result == VKS_OK ? keep_colours(settings) : result;
}

const struct vks_option *vks_settings_end_option(const struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    return model->time.end_option ? vks_option_find(model->options, model->time.end_option) : NULL;
}

double vks_settings_end(const struct vks_settings *settings)
{
    const struct vks_option *end = vks_settings_end_option(settings);
    const char *own = settings->own;
    return end ? *(const double *)(const void *)(own + end->offset) : 0;
}

enum vks_result vks_settings_to_json(const struct vks_settings *settings, json_t *object)
{
    enum vks_result result = vks_options_to_json(vks_common_options, &settings->common, object);
    if (result == VKS_OK) {
        result = vks_options_to_json(settings->model->options, settings->own, object);
    }
    if (result == VKS_OK && settings->model->density_option) { /* the one that counts */
        json_object_del(object, vks_settings_has_count(settings) ? settings->model->density_option
                                                                 : settings->model->count_option);
    }
    return result;
}

/* Sets the option of a key of an object. */
static enum vks_result set_from_json(struct vks_settings *settings, const char *name,
                                     const json_t *value)
{
    void *structure;
    char hint[320];
    const struct vks_option *option = vks_settings_option(settings, name, &structure);
    if (!option && vks_option_replaced(name)) {
        return vks_fail(VKS_ERROR_USAGE, "\"%s\" was replaced by \"%s\"; see vksim %s --help all",
                        name, vks_option_replaced(name), settings->model->name);
    }
    if (!option) {
        return vks_fail(VKS_ERROR_USAGE, "%s has no option \"%s\"%s", settings->model->name, name,
                        suggestion(settings, name, '"', hint, sizeof(hint)));
    }
    if (option->flags & VKS_OPTION_SECRET) {
        return vks_fail(VKS_ERROR_USAGE, "\"%s\" belongs on the command line only", name);
    }
    if (option == VKS_COMMON_ROW(init) && json_is_null(value)) { /* its default is the model's */
        return vks_fail(VKS_ERROR_USAGE, "\"%s\" must be a string", name);
    }
    vks_settings_note(settings, option);
    const enum vks_result result = note_density(settings, option);
    return result == VKS_OK ? vks_option_from_json(option, structure, value, NULL) : result;
}

/* Fails if the object has both the number of items and their density. */
static enum vks_result check_count(const struct vks_model *model, const json_t *object)
{
    return model->density_option && json_object_get(object, model->density_option) &&
                   json_object_get(object, model->count_option)
               ? vks_fail(VKS_ERROR_USAGE, "\"%s\" and \"%s\" exclude each other",
                          model->count_option, model->density_option)
               : VKS_OK;
}

enum vks_result vks_settings_set_values(struct vks_settings *settings, const json_t *object)
{
    const char *name;
    const json_t *value;
    enum vks_result result = check_count(settings->model, object);
    /* jansson's iteration wants a non-const object; nothing is changed. */
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        result = result == VKS_OK ? set_from_json(settings, name, value) : result;
    }
    return result;
}

enum vks_result vks_settings_read(const struct vks_settings *settings, const json_t *object,
                                  json_t **values)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    const void *const structures[] = {settings->own, &settings->common};
    json_t *made = json_object();
    enum vks_result result = made ? VKS_OK : vks_fail_memory();
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count && result == VKS_OK; i++) {
            const struct vks_option *row = &tables[t].options[i];
            if (!json_object_get(object, row->name)) {
                continue;
            }
            result = vks_options_to_json((struct vks_option_table){row, 1}, structures[t], made);
            if (result == VKS_OK && !json_object_get(made, row->name) &&
                json_object_set_new(made, row->name, json_null()) != 0) {
                result = vks_fail_memory();
            }
        }
    }
    if (result != VKS_OK) {
        json_decref(made);
        made = NULL;
    }
    *values = made;
    return result;
}

enum vks_result vks_settings_from_json(struct vks_settings *settings, const json_t *object,
                                       const char *const *known, const char *source)
{
    const char *name;
    const json_t *value;
    enum vks_result result = check_count(settings->model, object);
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        void *structure;
        bool is_known = false;
        for (size_t i = 0; known[i]; i++) {
            is_known = is_known || strcmp(known[i], name) == 0;
        }
        if (result == VKS_OK && (!is_known || vks_settings_option(settings, name, &structure))) {
            result = set_from_json(settings, name, value);
        }
    }
    if (result != VKS_OK) {
        return vks_fail_in(source, result);
    }
    /* An unknown view is an error of vks_settings_parse(). */
    result = vks_view_find(settings->model, settings->common.look.view) ? take_colours(settings)
                                                                        : VKS_OK;
    return result == VKS_OK ? keep_colours(settings) : result;
}

/* --- typed values ---------------------------------------------------------------------------- */

static enum vks_result parse_variant(const struct vks_model *model, struct vks_common *common)
{
    common->requested = (struct vks_variant){0};
    return !common->variant || strcmp(common->variant, "auto") == 0 ||
                   vks_variant_find(model->variants, common->variant, &common->requested)
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "variant",
                                 "'%s' is neither auto nor a variant of %s; see vksim %s "
                                 "--help all",
                                 common->variant, model->name, model->name);
}

enum vks_result vks_settings_parse(struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    settings->common.view = vks_view_find(model, settings->common.look.view);
    if (!settings->common.view) {
        return VKS_ERROR_USAGE;
    }
    enum vks_result result = vks_start_parse(model, &settings->common);
    if (result == VKS_OK) {
        result = parse_variant(model, &settings->common);
    }
    if (result == VKS_OK) {
        result = vks_options_copy(model->options, settings->resolved, settings->own,
                                  model->settings_size);
    }
    if (result == VKS_OK) {
        vks_options_resolve(model->options, settings->resolved);
        result = count_items(settings, settings->resolved);
    }
    return result == VKS_OK && model->parse ? model->parse(model, settings->resolved) : result;
}

/* Checks a view that files hold as if it were displayed. */
static enum vks_result check_written(const struct vks_settings *settings, uint32_t view)
{
    struct vks_config config = vks_settings_config(settings);
    config.view = view;
    const enum vks_result result =
        settings->model->check ? settings->model->check(&config) : VKS_OK;
    if (result != VKS_OK && strcmp(vks_error_last()->option, "view") == 0) {
        vks_error_about("fields");
    }
    return result;
}

/* Finishes settings whose preset has a view that does not suit the run's other options. */
static enum vks_result use_first_view(struct vks_settings *settings)
{
    free(settings->common.look.view);
    settings->common.look.view = NULL;
    settings->preset_view = false;
    return vks_settings_finish(settings);
}

enum vks_result vks_settings_finish(struct vks_settings *settings)
{
    const struct vks_size size = settings->common.size;
    if (size.depth > 1 && !settings->model->volumes) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' is two-dimensional: size takes WIDTHxHEIGHT, not %ux%ux%u",
                        settings->model->name, size.width, size.height, size.depth);
    }
    enum vks_result result = VKS_OK;
    if ((uint64_t)size.width * size.height * size.depth > UINT32_MAX) {
        char text[64];
        result = vks_fail_option(VKS_ERROR_USAGE, "size", "%s has more than %u cells, the maximum",
                                 vks_option_get(vks_option_find(vks_common_options, "size"),
                                                &settings->common, text, sizeof(text)),
                                 UINT32_MAX);
    }
    if (result == VKS_OK) {
        result = vks_settings_parse(settings);
    }
    if (result == VKS_OK) {
        result = take_colours(settings);
    }
    if (result == VKS_OK) {
        result = vks_look_finish(&settings->common.look, size, !settings->common.view->field);
    }
    if (result == VKS_OK && settings->model->check) {
        const struct vks_config config = vks_settings_config(settings);
        result = settings->model->check(&config);
        if (result != VKS_OK && settings->preset_view &&
            strcmp(vks_error_last()->option, "view") == 0) {
            return use_first_view(settings);
        }
        if (result != VKS_OK && !settings->common.requested.name[0] &&
            strcmp(vks_error_last()->option, "variant") == 0) {
            result = vks_fail(result,
                              "it does not fit the running variant, %s; it needs a new simulation",
                              config.variant.name);
        }
    }
    for (uint32_t i = 0; result == VKS_OK && i < VKS_MAX_VIEWS; i++) {
        result = settings->views >> i & 1U ? check_written(settings, i) : VKS_OK;
    }
    if (result == VKS_OK && settings->model->mix) {
        const struct vks_config config = vks_settings_config(settings);
        struct vks_mix mix = {0};
        settings->model->mix(&config, &mix);
        result = vks_look_mix(&settings->common.look, &mix);
    }
    if (result == VKS_OK && settings->model->mask) {
        const struct vks_config config = vks_settings_config(settings);
        struct vks_mask mask = {0};
        settings->model->mask(&config, &mask);
        result = vks_look_mask(&settings->common.look, &mask);
    }
    return result;
}

/* The next image that the row's value names; NULL: there are no more. *rest as for
 * vks_next_file(). */
static const char *next_image(const struct vks_settings *settings, const struct vks_option *row,
                              const char **rest, char path[VKS_PATH_SIZE])
{
    const struct vks_look *look = &settings->common.look;
    const char *text = *rest;
    const bool none = row == VKS_COMMON_ROW(init) ? !settings->common.from_image
                      : row == VKS_COMMON_ROW(look.background)
                          ? look->values.background.kind != VKS_BACKGROUND_FILE
                          : (row->flags & VKS_OPTION_NAMES) && text && !vks_image_file(text);
    if (none || !(row->flags & VKS_OPTION_IMAGE)) {
        return NULL;
    }
    return vks_next_file(row, rest, path) ? path : NULL;
}

/* The value of a row whose value is a text; else NULL. */
static const char *text_of(const struct vks_option *row, const void *values)
{
    return row->type == VKS_OPTION_TEXT ? *(char *const *)((const char *)values + row->offset)
                                        : NULL;
}

static enum vks_result check_image(const struct vks_option *row, const char *path, bool whole)
{
    uint32_t width, height;
    uint8_t *rgba = NULL;
    const enum vks_result result = whole ? vks_image_rgba(path, &width, &height, &rgba)
                                         : vks_image_size(path, &width, &height);
    free(rgba);
    return result == VKS_OK || row != VKS_COMMON_ROW(look.background)
               ? result
               : vks_look_fail_background(result, path);
}

/* Checks the images that a row's value names, except those that it names in `before`. */
static enum vks_result check_row(const struct vks_settings *settings, const struct vks_option *row,
                                 const void *values, const char *before, bool whole)
{
    const char *rest = text_of(row, values), *image;
    char path[VKS_PATH_SIZE];
    enum vks_result result = VKS_OK;
    if (rest && before && strcmp(rest, before) == 0) {
        return VKS_OK;
    }
    while (result == VKS_OK && (image = next_image(settings, row, &rest, path)) != NULL) {
        result = check_image(row, image, whole);
    }
    return result;
}

/* Fails if an option has the value that only the fields of a state give it. */
static enum vks_result check_given(const struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    for (const struct vks_shape_option *row = model->shape_options; row && row->option; row++) {
        const struct vks_option *option =
            row->instead_of ? vks_option_find(model->options, row->option) : NULL;
        const char *text = option ? text_of(option, settings->own) : NULL;
        if (text && strcmp(text, row->choice) == 0) {
            return vks_fail_option(VKS_ERROR_USAGE, row->option,
                                   "%s is the value of states that hold it; a new start needs "
                                   "another",
                                   row->choice);
        }
    }
    return VKS_OK;
}

enum vks_result vks_settings_check_images(const struct vks_settings *settings,
                                          const struct vks_settings *checked, bool from_state,
                                          bool whole)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    const void *const values[] = {settings->own, &settings->common};
    const void *const other[] = {checked ? checked->own : NULL, checked ? &checked->common : NULL};
    enum vks_result result = from_state ? VKS_OK : check_given(settings);
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count && result == VKS_OK; i++) {
            const struct vks_option *row = &tables[t].options[i];
            /* What they start with is in the state. */
            const bool unused =
                from_state && (row == VKS_COMMON_ROW(init) || (row->flags & VKS_OPTION_NAMES));
            if (!unused) {
                const char *before = checked ? text_of(row, other[t]) : NULL;
                result = check_row(settings, row, values[t], before, whole);
            }
        }
    }
    if (result == VKS_OK && !from_state && settings->model->check_files) {
        const struct vks_config config = vks_settings_config(settings);
        result = settings->model->check_files(&config);
    }
    return result;
}

enum vks_result vks_settings_check_image(struct vks_settings *settings, const char *name)
{
    void *structure;
    const struct vks_option *row = vks_settings_option(settings, name, &structure);
    return row ? check_row(settings, row, structure, NULL, true) : VKS_OK;
}

void vks_picture_size(const struct vks_settings *settings, uint32_t *width, uint32_t *height)
{
    const struct vks_part *part = &settings->common.look.values.part;
    *width = part->out_width;
    *height = part->out_height;
}

struct vks_config vks_settings_config(const struct vks_settings *settings)
{
    const struct vks_common *common = &settings->common;
    assert(common->view); /* parsed */
    return (struct vks_config){
        .model = settings->model,
        .width = common->size.width,
        .height = common->size.height,
        .depth = common->size.depth,
        .seed = (uint32_t)common->seed,
        .start = common->start,
        .image = vks_start_image(common),
        .image_fit = common->init_fit,
        .steps_per_frame = common->steps_per_frame,
        .settings = settings->resolved,
        .view = (uint32_t)(common->view - settings->model->views),
        .views = settings->views,
        .vectors = settings->vectors,
        .watch = settings->watch,
        .limits = settings->limits,
        .slab = settings->slab,
        .read_table = vks_table_read,
        .variant = settings->variant.name[0] ? settings->variant : common->requested,
    };
}
