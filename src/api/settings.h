/* SPDX-License-Identifier: MIT */
/* What a simulation is made from: the model, its options, and what every model has. Defaults,
 * presets, scenes, state files and the command line all write here, in that order. */
#ifndef VKS_API_SETTINGS_H
#define VKS_API_SETTINGS_H

#include <jansson.h>

#include "graph/model.h"
#include "view/view.h"

/* Options that every model has. */
struct vks_common {
    struct vks_size size;
    uint64_t seed;
    char *init;
    uint32_t init_fit; /* enum vks_image_fit */
    uint64_t steps_per_frame;
    char *variant;
    struct vks_look look;
    /* Set by vks_settings_parse() from the texts: */
    const struct vks_view *view;
    uint32_t start;               /* index of the initial condition; 0 with an image */
    bool from_image;              /* `init` is image:FILE */
    struct vks_variant requested; /* by `variant`; zero: auto */
};

struct vks_settings {
    const struct vks_model *model;
    void *own;      /* the model's structure, by its option table */
    void *resolved; /* a copy of it in which followers (same_as) have their values and texts are
                     * parsed: what the model sees, made by vks_settings_parse() */
    struct vks_common common;
    /* Of the device that the simulation is for; set when it is opened (tune.h). */
    struct vks_limits limits;
    struct vks_slab slab;       /* of the rank that it is for (rank.h); zero: there is one */
    bool pictures;              /* several ranks draw them */
    struct vks_variant variant; /* chosen; zero: the requested one */
    bool watch;                 /* the model's scalars are wanted */
    bool allow_model_change;    /* states of other versions of a formula are taken */
    uint32_t views, vectors;    /* that files hold besides what is displayed: a bit for each */
    bool preset_view;           /* the view is a preset's: another may take its place */
    bool has_size;              /* something has set the size: it is not the default */
    /* Colours belong to the view that they were given with. Those of the last preset, state file or
     * scene, and bits, by row of vks_common_options, of what was set since. */
    struct vks_common given;
    uint64_t set_since;
    json_t *images; /* digests of the brightness of images that are no state, by file; NULL: none */
};

extern const struct vks_option_table vks_common_options;
/* The row of vks_common_options whose value is that member of struct vks_common. */
#define VKS_COMMON_ROW(member) \
    vks_option_at(vks_common_options, offsetof(struct vks_common, member))

/* Defaults and the model's first preset. Free with vks_settings_free(), also after a failure. */
enum vks_result vks_settings_init(struct vks_settings *settings, const struct vks_model *model);
void vks_settings_free(struct vks_settings *settings);
/* Finished settings have finished copies. */
enum vks_result vks_settings_copy(struct vks_settings *to, const struct vks_settings *from);

/* Whether an option of vks_common_options was set since the last preset, state file or scene. */
bool vks_settings_set_since(const struct vks_settings *settings, const struct vks_option *row);
/* Sets what files of fields hold from a list of names, of views and vectors: "density,velocity". */
enum vks_result vks_settings_set_fields(struct vks_settings *settings, const char *list);
/* The arrays of such files: those, or without any what is displayed. */
void vks_settings_cells(const struct vks_settings *settings, struct vks_exports *cells);
/* The arrays of files of items: their positions, vectors, and other fields of the state. None if
 * the model has no view of points, or no items. */
void vks_settings_items(const struct vks_settings *settings, const struct vks_declaration *steps,
                        struct vks_exports *items);

/* Row of an option by name, and the structure it lives in; NULL if there is none. */
const struct vks_option *vks_settings_option(struct vks_settings *settings, const char *name,
                                             void **structure);
/* The same; with a message that suggests the nearest name if there is none. */
const struct vks_option *vks_settings_find(struct vks_settings *settings, const char *name,
                                           void **structure);
/* The option that has replaced one of this name, or NULL. */
const char *vks_option_replaced(const char *name);
/* To be called where an option is set other than by vks_settings_set(). */
void vks_settings_note(struct vks_settings *settings, const struct vks_option *option);
/* Sets an option of the model or a common one. With VKS_OPTION_LINE, from the first line of the
 * file `text`. */
enum vks_result vks_settings_set(struct vks_settings *settings, const char *name, const char *text);
/* Sets all options to their defaults. */
enum vks_result vks_settings_reset(struct vks_settings *settings);
/* Sets all but size and seed to their defaults, because a preset is a whole look: what it does not
 * name is at its default. */
enum vks_result vks_settings_clear(struct vks_settings *settings);
enum vks_result vks_settings_preset(struct vks_settings *settings, const char *name);

/* Whether the model's count_option is over 0, so that no density gives the number of items. */
bool vks_settings_has_count(const struct vks_settings *settings);

/* The option of the time at which the simulation ends, NULL: it has no time; its value, 0: none. */
const struct vks_option *vks_settings_end_option(const struct vks_settings *settings);
double vks_settings_end(const struct vks_settings *settings);

/* The values as one flat JSON object: what vks_settings_from_json() reads. */
enum vks_result vks_settings_to_json(const struct vks_settings *settings, json_t *object);
/* Keys that are neither options nor in `known` (NULL-terminated) are errors. */
enum vks_result vks_settings_from_json(struct vks_settings *settings, const json_t *object,
                                       const char *const *known, const char *source);

/* Sets options that a person or a program has chosen from such an object, as vks_settings_set(). */
enum vks_result vks_settings_set_values(struct vks_settings *settings, const json_t *object);
/* The values of the object's options in a new object, null for those that are unset. */
enum vks_result vks_settings_read(const struct vks_settings *settings, const json_t *object,
                                  json_t **values);

/* Stretches images if the object, options that an older vksim has written, does not have init-fit.
 */
enum vks_result vks_settings_stretch_images(struct vks_settings *settings, const json_t *object);

enum { VKS_PATH_SIZE = 4096 }; /* bytes; the system opens no longer path */

/* The next text in the value of an option that may be the name of a file: FILE, that of image:FILE
 * or points:FILE, of a map, or a part of a list of colours. Start with *rest = the value; false:
 * there are no more.
 */
bool vks_next_file(const struct vks_option *option, const char **rest, char path[VKS_PATH_SIZE]);

/* If nothing has set the size and the run starts from an image: the image's aspect ratio, about
 * 2^20 cells, sides that are multiples of 8. Call it after the last option is set, before the
 * settings are finished. VKS_ERROR_FILE if the image cannot be read. */
enum vks_result vks_settings_take_image_size(struct vks_settings *settings);

/* Checks what the tables cannot, and parses all texts into typed values. Call it once, after the
 * last option is set and before the settings are used. */
enum vks_result vks_settings_finish(struct vks_settings *settings);

/* Checks that the images named by finished settings exist and have a supported format.
 * `checked`: other settings, whose images need not be checked again; NULL: none. `from_state`:
 * without that of --init and what else a state holds, for a run that continues one; otherwise,
 * options must not have the values that only states give. `whole`: reads them to their ends.
 */
enum vks_result vks_settings_check_images(const struct vks_settings *settings,
                                          const struct vks_settings *checked, bool from_state,
                                          bool whole);
/* Reads the whole image that an option names, if it names one, to check it. */
enum vks_result vks_settings_check_image(struct vks_settings *settings, const char *name);

/* The part of vks_settings_finish() that vks_settings_config() needs: the texts of the model, its
 * view and its initial condition. Used alone on incomplete settings, to learn which fields they
 * declare. */
enum vks_result vks_settings_parse(struct vks_settings *settings);

/* The size of the pictures, in pixels. The settings are finished. */
void vks_picture_size(const struct vks_settings *settings, uint32_t *width, uint32_t *height);

/* What the model sees of finished or parsed settings, valid while they stay as they are: it points
 * into them. */
struct vks_config vks_settings_config(const struct vks_settings *settings);

#endif
