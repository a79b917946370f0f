/* SPDX-License-Identifier: MIT */
/* What a model is: one table with options, presets, initial conditions and views, and a function
 * that declares fields and passes (graph/declare.h, graph/primitives.h). */
#ifndef VKS_GRAPH_MODEL_H
#define VKS_GRAPH_MODEL_H

#include <stdio.h>

#include "base/option.h"
#include "graph/declare.h"
#include "graph/variant.h"

/* A row of a table of numbers: its number, from 1, and its values. */
typedef enum vks_result vks_row_fn(void *user, uint64_t number, const double *values,
                                   uint32_t count);
/* Calls the function for each row of a table: vks_table_read() of io/table.h. */
typedef enum vks_result vks_table_fn(const char *path, uint32_t min_columns, uint32_t max_columns,
                                     vks_row_fn *row, void *user);

/* Reads a field of the state: `size` bytes, in C order. */
typedef enum vks_result vks_read_fn(void *user, const char *field, void *data, size_t size);

struct vks_model;

/* The run, as a model's functions see it. */
struct vks_config {
    const struct vks_model *model;
    uint32_t width, height; /* cells */
    uint32_t depth;         /* cells; 1 unless the model has `volumes` */
    uint32_t seed;
    uint32_t start;     /* index in the model's `starts` */
    const char *image;  /* file of --init image:FILE, `start` is 0 then; NULL: one of `starts` */
    uint32_t image_fit; /* of all images: enum vks_image_fit of io/image.h */
    uint64_t steps_per_frame; /* likely number of steps between frames; at least 1 */
    const void *settings;     /* the model's own structure, parsed */
    uint32_t view;            /* index in the model's `views`: what pictures show */
    uint32_t views, vectors;  /* sets of those that files hold besides, a bit for each */
    bool watch;               /* scalars are requested: declare those that cost time */
    struct vks_limits limits;
    vks_table_fn *read_table;   /* for .fill and check_files(): reads a .csv or .npy file */
    struct vks_variant variant; /* the requested one, or the fastest of candidates(); zero: neither,
                                 * use the first */
};

/* A view of the model. */
struct vks_view {
    const char *name;  /* for --view; NULL ends a list */
    const char *field; /* F32 or F16 field with a value per cell: (H, W), or (D, H, W) in a volume.
                        * declare_frame() may omit it if config->view is another view and
                        * config->views lacks it. Views that have the same field exclude each other
                        * in files */
    const char *fallback; /* another such field, which pictures show in frames in which `field` has
                           * no range (max - min is at most 1e-6), if no view was chosen; arrays
                           * have `field` in every frame; NULL: none */
    const char *help;     /* what it shows, for --list */
    const char *unit;     /* in annotations; NULL: none */
    /* Instead of `field`: points, which are counted per pixel. Names of the U32 fields of rank 1
     * with their positions along z, y and x, fractions of the side in 2^-32, of equal shape; z may
     * be NULL in a model without `volumes`. */
    const char *points[3];
    /* Makes the points soft, in colours of a quantity: F32 fields with a value per point, one, or
     * the three components of a vector, of which the magnitude counts. */
    const char *tint[3];
    /* How pictures show it where it is not the view of the preset, whose colours are for that one:
     * "name=value name=value ..." of options of colours (VKS_OPTION_COLOURS), over their defaults;
     * NULL: the defaults. */
    const char *look;
};

/* A vector that files can hold: the fields of its components along z, y and x, of float32 and equal
 * shape. Its name is not one of a view. */
struct vks_vector {
    const char *name; /* NULL ends a list */
    const char *fields[3];
    bool items; /* of fields of items; else of cells, made by declare_frame() if config->vectors has
                 * its bit */
    const char *help;
};

#define VKS_VECTORS(...) ((const struct vks_vector[]){__VA_ARGS__, {0}})

enum { VKS_MAX_MIX = 8 };

/* How pictures show a field of several planes of a flat grid, of shape (planes, H, W): each plane
 * in its own colours. planes x H x W is at most 2^32 - 1. */
struct vks_mix {
    uint32_t planes; /* 2 to VKS_MAX_MIX; below 2: the field is (H, W), without a mix */
    uint32_t only;   /* 1 to `planes`: this plane alone; 0: all */
    bool strongest;  /* the colour of a pixel is that of the plane with the largest normalised
                      * value, the first of equals; false: the sum of all */
    const char *colours[VKS_MAX_MIX]; /* of each plane: "#rrggbb" for shades from black to this
                                       * colour, or a colour map's name or file */
    const char *names[VKS_MAX_MIX];   /* of each plane, constants; NULL: its number, from 1 */
    const char *option; /* whose value the colours are, for messages: "species-colors" */
};

/* Cells that pictures show in one colour, over all else: those whose bits are 1. */
struct vks_mask {
    const char *field;  /* (H, ceil(W / 32)) words, a bit per cell of a flat grid; NULL: none */
    const char *colour; /* "#rrggbb", "#rgb" or a name */
    const char *option; /* whose value the colour is, for messages: "wall-color" */
};

/* .views = VKS_VIEWS({"v", "v", .help = "concentration of v"}, {"u", "u", .help = "..."}) */
#define VKS_VIEWS(...) ((const struct vks_view[]){__VA_ARGS__, {0}})

struct vks_preset {
    const char *name;
    const char *summary;
    const char *options; /* "name=value name=value ...": options of the model or the look; NULL:
                          * none */
};

enum { VKS_MAX_VIEWS = 32 };

/* A choice of an option that decides which fields are state: the choice of a file that has an array
 * of one of these names, unless an earlier row is. Of a TEXT, a file keeps the value that its
 * header has. */
struct vks_shape_option {
    const char *option, *choice; /* NULL ends a list */
    const char *fields[12];
    uint32_t min_rank; /* arrays with fewer axes do not count: they are of items */
    /* The value that says that there are no such fields: only it is replaced by the choice, and the
     * option is a text, unset when it has this value. NULL: the choice replaces any other. */
    const char *instead_of;
};

/* A COUNT that is the length of the first axis of a field of that rank; 1 where the field or a
 * file's array has one axis fewer. */
struct vks_axis_option {
    const char *option, *field; /* NULL ends a list */
    uint32_t rank;
};

/* An array from which a state file that vksim did not write may give a field of the same shape. The
 * first row of a name whose field exists counts, and none if a field has that name. */
struct vks_member {
    const char *name, *field; /* NULL ends a list */
    bool helps; /* it is not the field in other terms, only needed for it: a file may have both */
};

#define VKS_MEMBERS(...) ((const struct vks_member[]){__VA_ARGS__, {0}})

/* The arrays of such a file, for complete(). */
struct vks_arrays {
    /* The numbers of a field or member in C order, one per element; NULL: the file lacks it. */
    const double *(*find)(void *user, const char *name);
    void *user;
};

enum { VKS_ASSUMED_SIZE = 64 };

#define VKS_AXIS_OPTIONS(...) ((const struct vks_axis_option[]){__VA_ARGS__, {0}})
#define VKS_SHAPE_OPTIONS(...) ((const struct vks_shape_option[]){__VA_ARGS__, {0}})

/* What a stroke does to the values of a field. */
struct vks_brush_change {
    bool adds; /* adds the amount times the stroke's weight; else moves that share of the way to
                * the amount */
    double amount;
};

#define VKS_ADD(number) \
    {                   \
        true, number    \
    }
#define VKS_TO(number) \
    {                  \
        false, number  \
    }

/* The same of a field with a value per cell, F32 or F16: (H, W), (D, H, W) in a volume, or of
 * several planes, each of which is painted. */
struct vks_brush_effect {
    const char *field; /* NULL ends a list */
    struct vks_brush_change stroke, inverse;
    double min, max;     /* values stay between these */
    const char *times;   /* REAL option that multiplies both amounts; NULL: none */
    const char *outside; /* mask of a flat grid, as vks_mask.field: cells whose bit is 1 keep their
                          * values. NULL, or a field that the run lacks: none do */
    unsigned
        value; /* number, from 1, of the stroke's value that multiplies both amounts; 0: none */
};

/* A number of 0 to `max` that strokes carry: a value of the quantity that a REAL option has. */
struct vks_brush_value {
    const char *option; /* NULL ends a list */
    double max;
};

enum { VKS_MAX_BRUSH_EFFECTS = 3, VKS_MAX_BRUSHES = 8 };

/* A way to paint into a running simulation: docs/brushes.md. */
struct vks_brush {
    const char *name; /* NULL ends a list */
    const char *help; /* what a stroke does */
    const char *inverse;
    const char *needs; /* as that of an option; NULL: every run has it */
    struct vks_brush_effect effects[VKS_MAX_BRUSH_EFFECTS + 1];
    /* Or passes of its own: declares EACH_FRAME passes that read the field "strokes" through
     * shaders/lib/stroke.glsl. They run between two steps, and write bound fields in place and in
     * the order of memory. NULL: only effects. */
    void (*declare)(const struct vks_config *config, struct vks_declaration *declaration);
    struct vks_brush_value values[VKS_STROKE_VALUES];
    bool measures; /* the WHEN_READY passes run after each stroke, as after the write of a field */
};

/* .brushes = VKS_BRUSHES({"seed", "raises v", "clears it", .effects = {...}}, ...) */
#define VKS_BRUSHES(...) ((const struct vks_brush[]){__VA_ARGS__, {0}})

/* A time that is not a number of steps, in this unit. */
#define VKS_TIME_UNIT 0x1p-40
struct vks_model_time {
    const char *end_option; /* REAL: steps end exactly there and change nothing then; 0: none */
    const char *end_field;  /* U32X2 of the steps: the same in units, filled by the host */
    const char *field;      /* U32 of the state: the first two words are the time, low word first */
    const char *scalar;     /* U32X2 of the steps, watched: the time, which annotations show */
    const char *dt_scalar; /* of the steps: how much of it a step takes that the end does not cut */
};

/* What a compound (docs/compounds.md) can compute for each cell in every step, in place of options.
 */
struct vks_input {
    const char *name;  /* NULL ends a list */
    const char *field; /* F32 with a value per cell, which the model then only reads */
    double min, max;   /* values are limited to these */
    const char *times; /* REAL option that multiplies the value; NULL: none */
    double grain;      /* the field has multiples of this power of two; 0: it is not rounded */
    /* Options that compounds do not have then, separated by spaces: "name=value", which gives the
     * run the field, or "name", which has no effect. Of texts with VKS_OPTION_PARTS, the values for
     * several inputs are joined by commas. */
    const char *options;
    const char *help;
};

#define VKS_INPUTS(...) ((const struct vks_input[]){__VA_ARGS__, {0}})
/* In these values, the name of the image in place of which an input fills the field. */
#define VKS_INPUT_IMAGE "<input>"

/* A name in a chart: a sign or a word. */
struct vks_chart_label {
    const char *text;
    double at[2]; /* x and y */
};

/* Two options that decide together what grows: the window shows them as a plane. */
struct vks_chart {
    const char *x, *y;        /* REALs; NULL: there is no chart */
    double low[2], high[2];   /* of x and y: the part of the plane that is shown */
    double (*edge)(double y); /* x of a line across it; NULL: none */
    const char *help;         /* what the line is */
    /* With a line, the plane can also be shown along it: the part of x - edge(y) that is shown, and
     * what the line is called. NULL: it cannot. */
    const char *along;
    double along_low, along_high;
    const struct vks_chart_label *labels; /* with text NULL at the end; NULL: none */
};

struct vks_model {
    const char *name;
    const char *summary;
    const char *notes; /* a paragraph of its --help; NULL: none */
    struct vks_option_table options;
    size_t settings_size;
    const struct vks_preset *presets; /* name NULL ends; the first is "default". NULL: only
                                       * "default", with every option at its default */
    const char *const *starts;        /* names of --init, NULL-terminated; the first is default.
                                       * NULL: only "default" */
    const struct vks_view *views;     /* VKS_VIEWS(): what pictures can show; the first is default.
                                       * At most VKS_MAX_VIEWS */
    const struct vks_vector *vectors; /* VKS_VECTORS(): what files can hold besides; NULL: none */
    bool unit_box; /* lengths are fractions of the longest side, and values are at the corners of
                    * cells; else lengths are in cells, and values at their centres */
    const char *count_option; /* option with a rank-1 field's N, set from a state file's
                               * arrays; NULL: none */
    /* REAL with the number of items per cell, which gives the count while that is 0; of the two,
     * the one that is set last counts. NULL: none */
    const char *density_option;
    /* VKS_AXIS_OPTIONS(): options with the length of a field's first axis, set from a state file's
     * arrays; NULL: none */
    const struct vks_axis_option *axis_options;
    /* VKS_SHAPE_OPTIONS(): choices that decide which fields are state, set from a state file's
     * arrays; NULL: none do */
    const struct vks_shape_option *shape_options;
    /* VKS_MEMBERS(): further arrays of state files; NULL: none */
    const struct vks_member *members;
    /* Computes a field of the state that a file without a header lacks, from the file's arrays or
     * as a default: *numbers, `count` of them, checked and converted like an array of the file,
     * are the caller's; NULL: the field keeps its value from the initial condition. Puts what a
     * default is into `assumed`, which is "" before. NULL: all such fields keep that value. */
    enum vks_result (*complete)(const struct vks_config *config, const struct vks_field *field,
                                const struct vks_arrays *arrays, uint64_t count, double **numbers,
                                char assumed[VKS_ASSUMED_SIZE]);

    bool volumes; /* takes a depth: --size WxHxD */

    /* Parses text options into members of the settings that have no option of their own, so that no
     * other function parses them. These members are zeroed before the call, hold no heap memory,
     * and are copied with the settings. NULL: there are no texts to parse. */
    enum vks_result (*parse)(const struct vks_model *model, void *settings);
    /* Checks options against each other and the size; optional. */
    enum vks_result (*check)(const struct vks_config *config);
    /* A sentence about options that run, but probably not as they are meant; NULL for none. The
     * tool warns with it once. NULL: there is never one. */
    const char *(*warning)(const struct vks_config *config);
    /* Reads and checks files named by options that are not images (VKS_OPTION_IMAGE), before a
     * device is opened and unless the run continues a state; optional. */
    enum vks_result (*check_files)(const struct vks_config *config);
    /* Data points: whether the run has any, and a CSV table of the state at each, for --points-out.
     * NULL: no run has. */
    bool (*has_points)(const struct vks_config *config);
    enum vks_result (*tabulate)(const struct vks_config *config, vks_read_fn *read, void *user,
                                FILE *out);
    /* Declares fields and all passes that are not EACH_FRAME. `view`, `views`, `vectors` and
     * `watch` of this config are zero, because no step depends on what pictures show. */
    void (*declare)(const struct vks_config *config, struct vks_declaration *declaration);
    /* Declares the EACH_FRAME passes that precede those of a picture, and the fields that only they
     * use: what the selected view shows, and the scalars of frames. The fields of declare() are
     * declared already. A change of options may add and remove fields and passes here. NULL:
     * none. */
    void (*declare_frame)(const struct vks_config *config, struct vks_declaration *declaration);
    /* Fills the zeroed *mix if the field of the view config->view has several planes; that view has
     * no `fallback`. Texts live as long as the config's settings. Called after check(). NULL: no
     * view's field has. */
    void (*mix)(const struct vks_config *config, struct vks_mix *mix);

    /* Fills the zeroed *mask, which is drawn over every view. `field` is a constant; `colour` lives
     * as long as the config's settings. NULL: there is none. */
    void (*mask)(const struct vks_config *config, struct vks_mask *mask);

    /* The values of --variant, all of which must produce identical bytes. check() rejects those
     * that do not fit the run or its device. NULL: there is only one. */
    const struct vks_variant_row *variants;
    /* Lists those worth measuring for the run or, if config->variant is a requested one, those that
     * it stands for. None if there is no choice. The first is used where nothing can be measured.
     */
    void (*candidates)(const struct vks_config *config, struct vks_candidates *candidates);

    const void *user; /* the model's own */

    const struct vks_brush *brushes; /* VKS_BRUSHES(), at most VKS_MAX_BRUSHES; NULL: none */
    /* Condition, as that of an option's `needs`, under which strokes end at the edges of the
     * field. NULL: they always continue at the opposite edge. */
    const char *closed;

    bool starts_from_image; /* accepts --init image:FILE (config->image) */
    bool needs_image;       /* nothing else starts a run, except a state */

    /* FLAG with which steps run backward, only from a state, and a U32 field whose first word is
     * the number of steps that there are; further ones change nothing. NULL: no step runs
     * backward. */
    const char *reverse_option, *reverse_field;

    struct vks_chart chart; /* for the window */

    /* The time of the simulation, if it has one of its own; else it is the number of steps. */
    struct vks_model_time time;

    const struct vks_input *inputs; /* VKS_INPUTS(); NULL: none */
};

/* The views that are displayed or written, a bit for each: declare_frame() declares their fields.
 */
static inline uint32_t vks_shown_views(const struct vks_config *config)
{
    return 1U << config->view | config->views;
}

static inline bool vks_is_shown(const struct vks_config *config, uint32_t view)
{
    return (vks_shown_views(config) >> view & 1U) != 0;
}

/* Calls the model's declare() with an empty declaration that has its grid and keeps a copy of the
 * config. Settings and strings in the config must outlive the declaration. */
void vks_declare_model(const struct vks_model *model, const struct vks_config *config,
                       struct vks_declaration *declaration);
/* Calls its declare_frame() with an empty declaration, which is bound to the one above. */
void vks_declare_frame(const struct vks_model *model, const struct vks_config *config,
                       const struct vks_declaration *base, struct vks_declaration *declaration);

#endif
