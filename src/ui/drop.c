/* SPDX-License-Identifier: MIT */
#include "ui/drop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/condition.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "frames/sink.h"
#include "io/image.h"
#include "view/colormap.h"

char *vks_drop_value(const struct vks_drop *drop, const struct vks_option *option)
{
    const bool named = (option->flags & VKS_OPTION_NAMES) || option == VKS_COMMON_ROW(init);
    return named ? vks_format("image:%s", drop->path) : vks_strdup(drop->path);
}

/* Whether options of this kind are the name of a picture; not those with ranges besides. */
static bool takes_pictures(const struct vks_option *option)
{
    return ((option->flags & VKS_OPTION_IMAGE) && !(option->flags & VKS_OPTION_MAPS)) ||
           option == VKS_COMMON_ROW(look.colormap);
}

/* Whether a run could have the file as the option's value, and be affected by it. */
static bool is_possible(const struct vks_drop *drop, const struct vks_option *option,
                        const struct vks_settings *settings)
{
    struct vks_settings with = {0};
    struct vks_colormap map;
    char *value = vks_drop_value(drop, option);
    enum vks_result result = value ? vks_settings_copy(&with, settings) : VKS_ERROR_MEMORY;
    if (result == VKS_OK) {
        result = vks_settings_set(&with, option->name, value);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(&with);
    }
    if (result == VKS_OK && option == VKS_COMMON_ROW(look.colormap)) {
        result = vks_colormap_load(value, &map);
    }
    const bool possible = result == VKS_OK && vks_option_has_effect(option, &with);
    vks_settings_free(&with);
    free(value);
    return possible;
}

/* "as kill map" */
static void add(struct vks_drop *drop, const struct vks_option *option)
{
    struct vks_drop_choice *choice = &drop->choices[drop->count++];
    choice->option = option;
    snprintf(choice->words, sizeof(choice->words), "as %s",
             option == VKS_COMMON_ROW(init)            ? "start"
             : option == VKS_COMMON_ROW(look.colormap) ? "palette"
                                                       : option->name);
    for (char *dash = choice->words; *dash; dash++) {
        *dash = *dash == '-' ? ' ' : *dash;
    }
}

static void add_options(struct vks_drop *drop, const struct vks_settings *settings)
{
    const struct vks_option_table tables[] = {vks_common_options, settings->model->options};
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct vks_option *option = &tables[t].options[i];
            if (drop->count < VKS_MAX_DROP_CHOICES && takes_pictures(option) &&
                is_possible(drop, option, settings)) {
                add(drop, option);
            }
        }
    }
}

static void add_scene(struct vks_drop *drop)
{
    struct vks_drop_choice *choice = &drop->choices[drop->count++];
    snprintf(choice->words, sizeof(choice->words), "open its scene");
}

/* Whether the name says that it is a picture. */
static bool is_named_picture(const char *path)
{
    return vks_has_extension(path, ".png") || vks_has_extension(path, ".jpg") ||
           vks_has_extension(path, ".jpeg");
}

/* Adds the choices. */
static enum vks_result read_choices(struct vks_drop *drop, const struct vks_settings *settings)
{
    uint32_t width, height;
    char *scene = NULL;
    if (vks_has_extension(drop->path, ".json")) {
        add_scene(drop);
        return VKS_OK;
    }
    drop->is_picture = is_named_picture(drop->path);
    const bool holds = vks_sink_holds_scene(drop->path);
    if (!holds && !drop->is_picture) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' is neither a scene nor a picture nor a video of vksim's", drop->path);
    }
    enum vks_result result = holds ? vks_sink_scene(drop->path, &scene) : VKS_ERROR_FILE;
    free(scene);
    if (result == VKS_OK) {
        add_scene(drop);
    }
    if (drop->is_picture) {
        result = vks_image_size(drop->path, &width, &height);
    }
    if (result == VKS_OK && drop->is_picture) {
        add_options(drop, settings);
    }
    return result == VKS_OK && drop->count == 0
               ? vks_fail(VKS_ERROR_USAGE, "%s has no use for the picture '%s'",
                          settings->model->name, drop->path)
               : result;
}

enum vks_result vks_drop_read(struct vks_drop *drop, const char *path,
                              const struct vks_settings *settings)
{
    struct stat info;
    vks_drop_free(drop);
    if (stat(path, &info) != 0) {
        return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", path, vks_errno_text(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return vks_fail(VKS_ERROR_FILE, "'%s' is not a file: drop a scene, a picture or a video",
                        path);
    }
    drop->path = vks_strdup(path);
    const enum vks_result result = drop->path ? read_choices(drop, settings) : vks_fail_memory();
    if (result != VKS_OK) {
        vks_drop_free(drop);
    }
    return result;
}

void vks_drop_free(struct vks_drop *drop)
{
    free(drop->path);
    *drop = (struct vks_drop){.path = NULL};
}
