/* SPDX-License-Identifier: MIT */
/* What a simulation is: `struct vks_model`, a table with its options, presets and views, and a
 * function that declares fields and passes. The simulations of vksim are made with this header, and
 * so are plug-ins (docs/plugins.md), for which vksim-model.pc defines VKS_PLUGIN.
 *
 * Everything that a table points to is constant and lives as long as the process. A member that is
 * left out is zero, and a comment says what that means.
 *
 * Later versions append members. Structures that stand in a list, or are passed to a function, may
 * grow, because plug-ins tell the size that they know; those that are members of others do not. So
 * vksim may have longer structures than a plug-in: the plug-in steps through its own lists, and
 * through none that it gets. A new member begins at a multiple of 8 bytes, not in what was padding
 * before.
 *
 * vksim may call a model's functions from any thread, one at a time per simulation. */
#ifndef VKSIM_MODEL_H
#define VKSIM_MODEL_H

#include <stdio.h>

#include <vksim/vksim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions below are vksim's own. A plug-in reaches them through a table that it gets when it
 * is loaded (vksim/plugin.h), so that it needs to be linked with nothing. */
#ifdef VKS_PLUGIN
#define VKS_CALL static inline
#else
#define VKS_CALL
#endif

struct vks_model;
struct vks_declaration; /* fields and passes in order of declaration */

/* --- failures ------------------------------------------------------------------------------- */

/* Records the message for vks_error_text() on this thread and returns `result`, so that a failing
 * function ends with `return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", ...)`. The message is
 * one sentence that names the option, file or device, what is wrong and what would be right; no
 * trailing newline. Control characters are escaped, because arguments may contain text from files.
 */
VKS_CALL enum vks_result vks_fail(enum vks_result result, const char *format, ...) VKS_PRINTF(2, 3);
/* Like vks_fail(), about the value of that option. The message begins with the option's name;
 * `format` is the rest of it: "'%s' is not ...". */
VKS_CALL enum vks_result vks_fail_option(enum vks_result result, const char *option,
                                         const char *format, ...) VKS_PRINTF(3, 4);

/* --- numbers with the same bits on every machine ---------------------------------------------- */

typedef struct {
    float x, y;
} vks_vec2;

typedef struct {
    uint32_t x, y, z, w;
} vks_uvec4;

/* What shaders get of an option: float32, flushed below 2^-60. */
VKS_CALL float vks_real(double value);
/* An angle as a fraction of a turn in 2^-32: to the nearest, ties away from 0, modulo a turn. */
VKS_CALL uint32_t vks_binary_angle(double degrees);
/* The functions of shaders/lib/exact.glsl, which gives the domain and error of each. */
VKS_CALL float vks_flush(float x);
VKS_CALL float vks_divide(float a, float b);
VKS_CALL float vks_sqrt(float x);
VKS_CALL float vks_exp(float x);
VKS_CALL float vks_log(float x);
VKS_CALL float vks_pow(float x, float y);
VKS_CALL vks_vec2 vks_sincos(uint32_t angle); /* x: sine, y: cosine */
VKS_CALL vks_uvec4 vks_random(uint32_t seed, uint32_t item, uint32_t step, uint32_t stream);
/* A decimal number, in the C locale: *end is its end, `text` if there is none. No blanks before it,
 * and neither hexadecimal numbers nor words such as inf. */
VKS_CALL double vks_parse_real(const char *text, const char **end);

/* --- options ---------------------------------------------------------------------------------- */

/* Values by enum vks_option_type: bool, uint64_t, double, uint32_t (index in `choices`), char * (on
 * the heap, NULL when unset) and struct vks_size (a third part with VKS_OPTION_DEPTH). With
 * VKS_OPTION_LIST there is a struct vks_list besides the double, which is then its first value. */

struct vks_size {
    uint32_t width, height;
    uint32_t depth; /* 1 when it was written without one */
};

enum { VKS_MAX_LIST = 8 };

/* The values of a list, such as one per species; count 0: the option has one value. Otherwise there
 * are at least two. */
struct vks_list {
    uint32_t count;
    double values[VKS_MAX_LIST];
};

enum {
    /* Changes no byte of state or pictures: left out of scenes and of state-file headers, which
     * hold all other options of a simulation. */
    VKS_OPTION_NOT_SAVED = 1,
    VKS_OPTION_ODD = 2,       /* a COUNT that must be odd */
    VKS_OPTION_DEPTH = 4,     /* a SIZE that may have a third part */
    VKS_OPTION_IN_SCENE = 8,  /* an option of the tool that scenes have, too */
    VKS_OPTION_COLOURS = 16,  /* changes only how values become colours */
    VKS_OPTION_OF_FILES = 32, /* an option of the tool for files of frames, which a window lacks */
    VKS_OPTION_IMAGE = 64,    /* a text that names an image, or may name one */
    VKS_OPTION_LIST = 128,    /* a REAL that may be a list */
    VKS_OPTION_NAMES =
        256, /* with VKS_OPTION_IMAGE: an image is image:FILE, other texts are names */
    VKS_OPTION_MAPS = 512,   /* with VKS_OPTION_IMAGE: OPTION=FILE:LOW:HIGH */
    VKS_OPTION_PARTS = 1024, /* a text of parts separated by commas */
    /* A TEXT that no file, report, title or message contains: set by the command line and by
     * programs only, as scenes and state files do not have it. */
    VKS_OPTION_SECRET = 2048,
    /* A TEXT that is given as the name of a file, and has its first line as its value. */
    VKS_OPTION_LINE = 4096,
    /* Says how far a run goes, and not what its state is: left out of state-file headers. */
    VKS_OPTION_NOT_IN_STATE = 8192,
    VKS_OPTION_VOLUME = 16384, /* has an effect only on pictures of a volume */
    VKS_OPTION_UNSAVED = VKS_OPTION_NOT_SAVED | VKS_OPTION_SECRET, /* either */
};

struct vks_option {
    const char *name; /* long option and scene key, without dashes */
    enum vks_option_type type;
    size_t offset;   /* of the value in the settings structure */
    size_t list;     /* VKS_OPTION_LIST: of the struct vks_list in that structure */
    double min, max; /* COUNT, REAL, each part of a SIZE or list: inclusive range */
    /* COUNT, REAL: the range of a slider, in which values have a useful effect; it has the default
     * and the values of all presets. 0, 0: the legal range. */
    double soft_min, soft_max;
    bool logarithmic;         /* equal distances on the slider are equal factors; soft_min > 0 */
    const char *default_text; /* the default, as a person would write it; NULL: unset */
    /* REAL: name of the option whose value is taken while this one is unset, also when that value
     * changes later. As text, an unset value is this name. */
    const char *same_as;
    const char *unit;     /* "cells", "deg", ...; "" for none */
    const char *argument; /* what --help shows for the value: "N", "FILE"; NULL: from the type */
    const char *help;     /* one line */
    const char *brief;    /* the line of the short --help; NULL: not in it */
    const char *topic;    /* section of the long help; NULL: that of the row before */
    const char *heading;  /* of a group of controls, in lower case; NULL: that of the row before */
    const char *const *choices; /* CHOICE: NULL-terminated. TEXT: the only values, which unlike a
                                 * CHOICE may be unset; NULL: any */
    const char *implied;        /* value when given without one */
    /* The option has an effect only if another option, of the simulation or a common one, is set
     * ("feed-map": a text, a number over 0 or a count over its minimum) or has one of these values
     * ("init=disc|ring"); NULL: always. */
    const char *needs;
    const char *unless;  /* options that replace it when they are set: "map|feed-map" */
    char letter;         /* of the short form, as in -o; 0: none */
    unsigned char group; /* options with the same number exclude each other or are given together;
                          * 0: none */
    enum vks_option_change change; /* when a running simulation can take another value */
    unsigned flags;
};

struct vks_option_table {
    const struct vks_option *options;
    size_t count;
};

/* True if the value of a TEXT is set and not empty. */
static inline bool vks_text_is_given(const char *text)
{
    return text && text[0];
}

/* --- variants of a step ----------------------------------------------------------------------- */

enum { VKS_VARIANT_NAME = 24, VKS_VARIANT_NUMBERS = 5 };

/* A variant as a model sees it. */
struct vks_variant {
    char name[VKS_VARIANT_NAME]; /* for --variant, messages and the tuner's file; "": the first */
    uint32_t numbers[VKS_VARIANT_NUMBERS]; /* what they mean is up to the model; zero: the first */
};

/* A row of a model's table: one variant or, with a # in its name, one per number from min to max,
 * which is the variant's first number. */
struct vks_variant_row {
    const char *name; /* "sorted-#-bytes"; NULL ends a table */
    const char *help; /* one line, for --help all; NULL: that of the row before */
    uint32_t numbers[VKS_VARIANT_NUMBERS];
    uint32_t min, max;
};

/* The variant of a row; `number` stands for its #. */
VKS_CALL struct vks_variant vks_variant_of(const struct vks_variant_row *row, uint32_t number);

/* Variants for the tuner to measure. */
struct vks_candidates {
    char key[160]; /* of the case: the best variant found applies to every run with this key */
    struct vks_variant variants[24];
    size_t count;
    uint32_t period; /* steps after which all variants repeat, such as the interval of sorting; 0:
                      * 64 */
    double warm_up; /* seconds of steps before a variant is timed, where the start is not typical */
};

/* Adds a candidate unless it is there or the list is full. */
VKS_CALL void vks_candidate_add(struct vks_candidates *candidates,
                                const struct vks_variant *variant);

/* --- the run ---------------------------------------------------------------------------------- */

/* Zero on a GPU. No member changes a byte of any result. */
struct vks_software {
    bool driver;     /* the device is a software driver: the first candidate is used unmeasured,
                      * because building pipelines is slow there and variants differ little */
    bool one_by_one; /* each invocation counts its own item, because finding others of the same
                      * bin costs more than an atomic there */
    uint32_t texels; /* max elements of a field that shaders read as a texel buffer, because loads
                      * from storage buffers are done one lane at a time there; 0: none */
};

enum { VKS_MAX_CONSTANTS = 120 }; /* bytes: the portability floor's 128, minus the core's own */

/* What a declaration may depend on of the device, to choose among variants that produce identical
 * bytes. Zero without a device: the plain variant. */
struct vks_limits {
    uint32_t subgroup;     /* subgroup size to request, 32 if there is a choice; 0: no shuffles */
    uint32_t min_subgroup; /* smallest subgroup size: if small, few registers per lane at 32 */
    uint32_t shared_bytes; /* of a workgroup */
    uint32_t invocations;  /* of a workgroup */
    uint64_t field_range;  /* bytes of the largest field in one piece; 0: no device yet */
    struct vks_software software;
};

/* A row of a table of numbers: its number, from 1, and its values. */
typedef enum vks_result vks_row_fn(void *user, uint64_t number, const double *values,
                                   uint32_t count);
/* Calls the function for each row of a table. All have
 * min_columns to max_columns numbers. A result of `row` other than VKS_OK ends the reading. */
typedef enum vks_result vks_table_fn(const char *path, uint32_t min_columns, uint32_t max_columns,
                                     vks_row_fn *row, void *user);

/* Reads a field of the state: `size` bytes, in C order. */
typedef enum vks_result vks_read_fn(void *user, const char *field, void *data, size_t size);

/* The slab of the grid that one of several ranks computes, along the slowest axis: rows of a plane,
 * planes of a volume. Its fields have `before` + `rows` + `after` of them, around the torus if need
 * be; those before and after its own are copies of the neighbours' (halos), 0 at a closed end of
 * the grid. Zero: one rank, which has the whole grid. */
struct vks_slab {
    uint32_t index, count; /* of the ranks */
    uint32_t whole;        /* rows of the grid */
    uint32_t first, rows;  /* its own */
    uint32_t before, after;
    uint32_t
        crowding; /* a rank has room for this many times as many items as there are on average */
};

/* The run, as a model's functions see it. */
struct vks_config {
    const struct vks_model *model;
    uint32_t width, height; /* cells of the whole grid */
    uint32_t depth;         /* cells; 1 unless the model has `volumes` */
    uint32_t seed;
    uint32_t start;     /* index in the model's `starts` */
    const char *image;  /* file of --init image:FILE, `start` is 0 then; NULL: one of `starts` */
    uint32_t image_fit; /* of all images: for vksim alone */
    uint64_t steps_per_frame; /* likely number of steps between frames; at least 1 */
    const void *settings;     /* the model's own structure, parsed */
    uint32_t view;            /* index in the model's `views`: what pictures show */
    uint32_t views, vectors;  /* sets of those that files hold besides, a bit for each */
    bool watch;               /* scalars are requested: declare those that cost time */
    struct vks_limits limits;
    vks_table_fn *read_table;   /* for .fill and check_files(): reads a .csv or .npy file */
    struct vks_variant variant; /* the requested one, or the fastest of candidates(); zero: neither,
                                 * use the first */
    struct vks_slab slab;
};

/* Length of the slowest axis of the rank's fields, of `whole` in the grid. */
static inline uint32_t vks_slab_length(const struct vks_slab *slab, uint32_t whole)
{
    return slab->count > 1 ? slab->before + slab->rows + slab->after : whole;
}

/* --- fields ----------------------------------------------------------------------------------- */

/* A scalar of a watched field, one per element. A pair of uint32 is a 64-bit integer in two's
 * complement, low word first. */
struct vks_scalar {
    const char *name; /* a column of tables: without commas, quotes, backslashes and control
                       * characters; NULL ends a list */
    double unit;      /* of the integer or float; 0 means 1 */
    /* A status word: 0 is fine, n ends the run with message n (the last one for larger n). The list
     * ends with NULL. Other scalars: NULL. */
    const char *const *failures;
};

#define VKS_SCALARS(...) ((const struct vks_scalar[]){__VA_ARGS__, {0}})

/* How vksim sensitivity measures the distance between a field of the state and that of a perturbed
 * twin. */
enum vks_distance {
    VKS_DISTANCE_NONE,  /* not at all: the model has no twins */
    VKS_DISTANCE_PLACE, /* U32X2 of items: (y, x) as fractions of the side in 2^-32, either way
                         * around the torus */
    VKS_DISTANCE_ANGLE, /* U32 of items: fractions of a turn in 2^-32, either way around */
    VKS_DISTANCE_SUM,   /* F32: the sum of absolute differences */
    VKS_DISTANCE_MAIN,  /* the same, for the field whose sum, relative to its total, is the distance
                         * of the twins: one per model */
    VKS_DISTANCE_EQUAL, /* any words, which have no distance */
};

/* The source of a field's host data. */
struct vks_source {
    const float *brightness; /* of the field's image: one per cell of a plane, 0 to 1; or NULL */
    const void *array;       /* scalars in native byte order, C order; or NULL */
    char kind;               /* of the array's scalars: 'f' float, 'u' unsigned, 'i' signed */
    uint32_t item_bytes;     /* of one: 1, 2, 4 or 8 */
    uint64_t count;          /* brightnesses, or scalars in the array as in the field */
    uint64_t first;          /* a large array comes in pieces of whole elements: the number of the
                              * piece's first scalar, for messages */
};

/* A scalar of the source's array, converted from any type. */
VKS_CALL double vks_source_number(const struct vks_source *source, uint64_t index);

#define VKS_LARGEST_AMOUNT 1e30 /* of the range of amounts per cell, such as trails */

struct vks_field {
    const char *name; /* unique in the model; not one that ends in "_next" */
    const char *help; /* persistent fields: meaning and unit */
    enum vks_element element;
    uint32_t rank;     /* 1 to 3; 0: the grid's rank and shape */
    uint64_t shape[3]; /* (N), (H, W) or (D, H, W): C order, x is contiguous */
    bool persistent;   /* is state: saved, loaded, digested */
    bool ping_pong;    /* has two buffers: a pass may read the old one and write the next */
    /* Rank 1: the items (vks_declare_items()) that the elements belong to. The core chooses their
     * order in memory; downloads and uploads are in order of number. */
    const char *items;
    bool bound; /* the buffers are another graph's: set by vks_declaration_bind() */
    bool twin;  /* and that graph is the second: set by vks_declaration_bind_twin() */
    enum vks_distance distance; /* of persistent fields */
    /* Of a bound graph's own field: its value stays if an update changes the graph's structure, but
     * not this text. NULL: a new structure zeroes it. */
    const char *carries;
    const struct vks_scalar *watched; /* VKS_SCALARS(): its elements are read back after every batch
                                       * and frame, without waiting; NULL: not. Not with .items */
    /* Computes the whole field on the host, into the zeroed bytes at `out`. Called
     * - if `made_from` is set: when a run starts, after the AT_START and AT_CHANGE passes, or
     *   before them if they only read it and it has no image (a table); and, for fields that are
     *   not state, after an update that changes the text (from the brightness of `image` if set,
     *   else only from `user`),
     * - for arrays of floats from a state file or a program, if there is no range, to convert them
     *   and to check the values: VKS_ERROR_FILE with a message. `out` may be the array's own
     *   memory: element i is read before it is written, and later ones after it. Without range and
     *   fill() a field takes arrays of its own type, floats if they are finite. */
    enum vks_result (*fill)(const void *user, const struct vks_field *field,
                            const struct vks_source *source, void *out);
    /* Rank 2, U32: rows of a mask this many cells wide, 32 to a word, the first in bit 0. Also
     * taken from arrays (H, mask_width) of any type, whose elements that are not 0 set bits; an
     * image is resized to that shape. */
    uint32_t mask_width;
    bool integers; /* fill() converts integers of other types than the field's, not floats */
    /* Checks integers of the field's own type from a state file or a program: VKS_ERROR_FILE with a
     * message. NULL: all values are valid. */
    enum vks_result (*check)(const void *user, const struct vks_field *field, const void *data);
    const void *user;      /* lives as long as the declaration, see vks_declaration_copy() */
    const char *made_from; /* everything that the data depends on, as text; NULL: not filled at the
                            * start */
    const char *image;     /* PNG or JPEG file, resized to (H, W); NULL: none */
    uint32_t image_fit;    /* set by the core: the config's, if there is an image */
    const char *plain;     /* its name without the scope of a compound: set by the core */
    /* Floats: arrays of floats of any size are taken if their values are within these two, both
     * included. Equal: no range. */
    double range[2];
    bool whole; /* each of several ranks has all of it, not only the rows of its slab */
};

/* Scalars and vectors in the field: the product of its shape; UINT64_MAX when that overflows. */
VKS_CALL uint64_t vks_field_count(const struct vks_field *field);

/* Converts the source's array of positions in cells to fractions of the side in 2^-32, for .fill:
 * scalar i goes with sides[i % axes]. Positions wrap and stay in their cells; exact for integers.
 * VKS_ERROR_FILE for a number that is not finite. */
VKS_CALL enum vks_result vks_fill_places(const struct vks_field *field,
                                         const struct vks_source *source, const uint32_t *sides,
                                         uint32_t axes, uint32_t *places);

/* --- passes ----------------------------------------------------------------------------------- */

enum vks_feature {
    VKS_FEATURE_NONE,          /* always available */
    VKS_FEATURE_SUBGROUP_SUMS, /* sums and votes across subgroups in compute shaders */
    VKS_FEATURE_SUBGROUP_SHUFFLES,
    VKS_FEATURE_FLOAT16,
    VKS_FEATURE_COOPERATIVE_MATRIX,
    VKS_FEATURE_WORKGROUP_MATRIX, /* cooperative matrices of a whole workgroup */
    VKS_FEATURE_CALIBRATED_TIMESTAMPS,
    VKS_FEATURE_MEMORY_BUDGET,
    VKS_FEATURE_MAPPED_MEMORY,       /* VKS_MEMORY_MAPPED exists */
    VKS_FEATURE_PIPELINE_STATISTICS, /* only with vks_gpu_params.statistics */
    VKS_FEATURE_SWAPCHAIN,           /* only with vks_gpu_params.instance_extensions */
    VKS_FEATURE_EXPORTED_MEMORY,     /* file descriptors for other APIs, */
    VKS_FEATURE_EXPORTED_SEMAPHORES, /* with which they wait for each other */
    VKS_FEATURE_IMPORTED_MEMORY,     /* buffers of the host's memory, for other ranks */
    VKS_FEATURE_COUNT,
};

/* How a pass accesses a field. The declaration states exactly what the shader does: VKS_READ is a
 * load anywhere in its code, VKS_WRITE a store, VKS_ATOMIC an atomic operation; they combine
 * (VKS_ATOMIC | VKS_READ: atomics and plain loads). A block that the pass only reads is `readonly`
 * in the shader, one that it only writes `writeonly`, any other neither. Between passes VKS_ATOMIC
 * is ordered like VKS_READ_WRITE; within a pass the order of plain accesses and other invocations'
 * atomics is undefined, and the result must not depend on it. A pass with VKS_WRITE and
 * without VKS_READ writes everything of the field that later passes read. */
enum vks_access {
    VKS_READ = 1,
    VKS_WRITE = 2,
    VKS_READ_WRITE = 3,
    VKS_ATOMIC = 4,
    VKS_NEXT = 8, /* only together with VKS_WRITE or VKS_ATOMIC alone */
    VKS_WRITE_NEXT = VKS_WRITE | VKS_NEXT,
    VKS_ATOMIC_NEXT = VKS_ATOMIC | VKS_NEXT,
};

struct vks_use {
    const char *field; /* NULL ends a list */
    unsigned access;   /* enum vks_access */
    const char *as;    /* the shader's name for it, if different */
    uint32_t index;    /* of the field: set by vks_declare_pass() */
};

/* .uses = VKS_USES({"trail", VKS_READ}, {"trail", VKS_WRITE_NEXT}) */
#define VKS_USES(...) ((const struct vks_use[]){__VA_ARGS__, {0}})

enum vks_when {
    VKS_EACH_STEP,
    VKS_AT_START,    /* once, before step 0, in declaration order */
    VKS_AT_CHANGE,   /* after those, and again after an update that changes it: tables. Cannot write
                      * persistent fields */
    VKS_WHEN_READY,  /* once the state is complete (started or loaded), before the first step or
                      * frame: to measure it */
    VKS_EACH_FRAME,  /* when a picture is drawn */
    VKS_BEFORE_READ, /* core only: before fields of sorted items are downloaded */
    VKS_BEFORE_EXCHANGE, /* core only: items that leave a rank, */
    VKS_AFTER_EXCHANGE,  /* and those that arrive */
};

struct vks_specialization {
    const char *name; /* the shader's constant; NULL ends a list */
    uint32_t value;   /* int, uint or bool; float as its bits */
};

#define VKS_SPECIALIZATIONS(...) ((const struct vks_specialization[]){__VA_ARGS__, {0}})

struct vks_pass {
    const char *name;         /* shown in timings; unique in the model */
    const char *shader;       /* "physarum/agents": file under shaders/ without its extension */
    enum vks_feature feature; /* required of the device; 0: none */
    const char *without;      /* shader for devices that lack it; NULL: they are refused */
    enum vks_when when;
    uint32_t every; /* EACH_STEP: runs at steps divisible by this; 0: 1 */
    /* EACH_STEP: fused steps; 0 means 1. The passes with the same number form one variant of the
     * step. All variants must produce identical bytes. The scheduler covers a batch with as few
     * dispatches as the largest number allows. A variant of one step is required, and `every`
     * excludes fused steps. */
    uint32_t steps_per_dispatch;
    /* EACH_STEP: declared passes that this one does both of, so that they share a dispatch: the
     * first as the last pass of a step, the second as the first of the next. It runs in place of
     * the two wherever they follow each other in a batch, and nowhere else. NULL: none. */
    const char *joins[2];
    const struct vks_use *uses;                       /* VKS_USES(); NULL: none */
    const struct vks_specialization *specializations; /* VKS_SPECIALIZATIONS(); NULL: none */
    const void *constants; /* the shader's push-constant block after `step_in_batch`; VKS_PUSH() */
    size_t constants_size;
    uint64_t items[2]; /* invocations: (x, y), or y 0 for a one-dimensional pass; zero: one per cell
                        * of the grid, in two dimensions */
    uint32_t group[2]; /* workgroup size; 0: 256 x 1, or 32 x 8 for two dimensions */
    uint32_t per_group[2]; /* items per workgroup, if not one per invocation; 0: as group */
    uint32_t subgroup;     /* required subgroup size, a divisor of group[0]; 0: any */
    uint32_t shared_bytes; /* of workgroup variables as specialized; 0: as reflected */
    double bytes;          /* minimum that the whole pass must move, for GB/s */
    double operations;     /* arithmetic operations of the whole pass */
    double atomics;        /* atomic operations on fields, likewise */
    bool fixed;            /* other constants need a new simulation */
    bool by_rows;          /* rows may continue along z: the shader uses vks_row(). Set by
                            * vks_declare_pass() for passes over the grid */
    size_t use_count;      /* set by vks_declare_pass() */
    bool left_out;         /* EACH_FRAME: does not run until an update changes this */
};

/* The push constants of a pass, a structure: VKS_PUSH(params). */
#define VKS_PUSH(params) .constants = &(params), .constants_size = sizeof(params)

/* --- declarations ----------------------------------------------------------------------------- */

/* The core orders the passes, allocates the fields, derives the barriers, times every pass and
 * keeps the bindings.
 *
 * Within a step, passes run in declaration order: a pass sees what earlier passes wrote. A field
 * declared `ping_pong` has two buffers; a pass that declares VKS_WRITE_NEXT or VKS_ATOMIC_NEXT
 * writes the other one, which is the field from the next pass on. The core keeps track of which is
 * which.
 *
 * A shader names its storage buffers after the fields: `buffer trail { ... }` is the current field,
 * `buffer trail_next { ... }` the other one. Binding numbers are read from the
 * SPIR-V. Every shader may also read `buffer clock { uint first_step; }`.
 *
 * Everything is copied, including strings and constants. A failure is sticky: later calls do
 * nothing, and the run that uses the declaration reports it. */

VKS_CALL void vks_declare_field(struct vks_declaration *declaration, const struct vks_field *field);
VKS_CALL void vks_declare_pass(struct vks_declaration *declaration, const struct vks_pass *pass);
/* The same, written as VKS_FIELD(declaration, .name = "trail", .element = VKS_F32). */
#define VKS_FIELD(declaration, ...) \
    vks_declare_field((declaration), &(const struct vks_field){__VA_ARGS__})
#define VKS_PASS(declaration, ...) \
    vks_declare_pass((declaration), &(const struct vks_pass){__VA_ARGS__})

/* Watches a declared field, such as a primitive's result, as .watched does. `scalars` is not NULL.
 */
VKS_CALL void vks_declare_watch(struct vks_declaration *declaration, const char *field,
                                const struct vks_scalar *scalars);

/* A printf-formatted name that lives as long as the declaration; "" after a failure. */
VKS_CALL const char *vks_declaration_name(struct vks_declaration *declaration, const char *format,
                                          ...) VKS_PRINTF(2, 3);
/* A copy of `size` bytes that lives as long as the declaration; NULL after a failure. */
VKS_CALL void *vks_declaration_copy(struct vks_declaration *declaration, const void *data,
                                    size_t size);

/* Marks the declaration as failed with vks_fail()'s result. */
VKS_CALL void vks_declaration_fail(struct vks_declaration *declaration, enum vks_result result);

/* --- primitives: groups of passes ------------------------------------------------------------- */

/* On several ranks, ranges, sums and means of a field of the grid's shape are of all ranks. */

/* Min and max of an F32 or F16 field, into the new field `result` (two f32). Exact: identical on
 * every device. At most 2^32 - 1 values. */
VKS_CALL void vks_declare_range(struct vks_declaration *declaration, const char *field,
                                const char *result, enum vks_when when);
/* Sum of an F32 or F16 field in 64-bit fixed point, into the new field `result` (one U32X2): each
 * value times 2^exponent is rounded to an integer, ties to even, and the integers are added up
 * (shaders/lib/fixed.glsl; vks_from_fixed() makes a float32 of the sum). So the sums of parts of a
 * field add up to the sum of the whole. The exponent is -126 to 127. A value beyond 2^62 units
 * counts as 2^62 units; the total is right while its magnitude is below 2^63 units. */
VKS_CALL void vks_declare_sum(struct vks_declaration *declaration, const char *field, int exponent,
                              const char *result, enum vks_when when);
/* Watches the mean of an F32 or F16 field in every frame, as the scalar `name`, computed from the
 * exact sum. `max` is over 0 and an upper bound of all magnitudes or, if no value is negative, of
 * the mean. */
VKS_CALL void vks_declare_mean(struct vks_declaration *declaration, const char *field, double max,
                               const char *name);
/* Exclusive scan of a U32 field, with wrapping sums, into the new field `result` (count + 1 U32):
 * element i is the sum of all elements before i; the last one is the total. At most 2^31 elements,
 * in fields that fit one buffer of the device. */
VKS_CALL void vks_declare_scan(struct vks_declaration *declaration, const char *field,
                               const char *result, enum vks_when when);

/* Solves a linear equation on a periodic grid by FFT. Exact: identical bits on every device
 * (defined in docs/architecture.md). The operator's symbol (the factor for each wave) is the sum of
 * one table per axis, such as the squared wave numbers of the Laplacian:
 *
 *     target = IFFT(factor * FFT(source - mean) / (symbol[0][k] + symbol[1][l] + symbol[2][m]))
 *
 * Wave number 0, and any other with sum 0, contributes nothing. Values must stay finite. */
struct vks_fft {
    const char *name;       /* prefix of the names of its passes and fields */
    const char *source;     /* an F32 field of rank 1 to 3. Sides are powers of two from 1 to 2048,
                             * cells at most 2^31 */
    const char *target;     /* another declared F32 field of that shape */
    float mean;             /* subtracted from the source, unless there is a mean_field */
    const char *mean_field; /* a U32 or F32 field, not the target; NULL: none */
    uint32_t mean_word;     /* index of the float32 in mean_field */
    float factor;           /* within +-2^60; below 2^-60 per cell it counts as 0 */
    const float *symbol[3]; /* of z, y and x: one value per wave number, within +-2^58, equal for n
                             * and side - n; copied. NULL for an axis of one cell */
    enum vks_when when;     /* EACH_STEP or EACH_FRAME */
    uint32_t every;         /* EACH_STEP: runs at steps divisible by this; 0: 1 */
    uint32_t invocations;   /* max per workgroup; 0: 256 */
};

/* Declares the passes and the fields NAME.waves (8 bytes per cell, unless the grid is one line),
 * NAME.turns and NAME.symbol. Live updates can change mean, factor and symbol. */
VKS_CALL void vks_declare_fft(struct vks_declaration *declaration, const struct vks_fft *fft);

/* Declares items whose order in memory the core chooses; fields name them in `.items`. State-file
 * arrays of such fields determine their number. No result may depend on the order: sums over items
 * must be of integers. At most 2^31 items. */
VKS_CALL void vks_declare_items(struct vks_declaration *declaration, const char *name,
                                uint64_t count);

/* Elements of the fields of these items: their number or, on one of several ranks, how many it has
 * room for. There the first NAME_alive[0] elements are items (U32, which vks_declare_exchange()
 * declares): the rank's own and, unless items move, copies of those in its halos. */
VKS_CALL uint64_t vks_items_room(const struct vks_declaration *declaration, const char *name);

/* Declares the field NAME_number (U32) unless it exists: the number of the item stored at each
 * index, to derive random numbers from; initially the index itself. On several ranks the
 * pass that places the items at the start writes it. */
VKS_CALL void vks_declare_numbers(struct vks_declaration *declaration, const char *items);

struct vks_sorting {
    const char *items;
    const char *key; /* a U32 field, one element per item, written by an earlier pass; not sorted
                      * itself */
    uint64_t bins;   /* keys are 0 to bins - 1; on several ranks also 2^32 - 1, of elements that are
                      * no items, which passes of the model then do not count */
    uint32_t every;  /* sorts at steps divisible by this; 0: 1 */
    bool counted; /* passes of the model count, with core/count.glsl: after the previous sort they
                   * have added each item to its bin in NAME.counts (U32, zero after a sort) and
                   * written its rank in the bin to NAME.slots (U32, one per item) */
};

/* Declares NAME.counts and NAME.slots before vks_declare_sorting() would, for passes that count and
 * precede it. Takes the same sorting. */
VKS_CALL void vks_declare_ranks(struct vks_declaration *declaration,
                                const struct vks_sorting *sorting);

/* Sorts the items by key at this point of the step, and declares their numbers. It reorders every
 * field of these items declared so far, so declare them first. The order of items with equal keys
 * is unspecified. The field NAME.starts (U32, bins + 1) holds the index of each bin's first item,
 * as of the last sort, and the number of items at the end; 0 before the first sort. The fields get
 * a second buffer; sorting needs another 4 bytes per item and 16 per bin. */
VKS_CALL void vks_declare_sorting(struct vks_declaration *declaration,
                                  const struct vks_sorting *sorting);

enum { VKS_ALIVE_WORDS = 12 };

/* What ranks exchange. A rank's halos are exact for halo / reach steps, after which the neighbours'
 * rows are copied to them again. */
struct vks_exchange {
    const char *const *fields; /* names of fields of the grid's shape, or of several planes of that
                                * shape (rank 3); ends with NULL */
    uint32_t reach;            /* rows beyond a cell's own that a step reads at most */
    uint32_t grain;            /* the ranks' rows are a multiple of it, but for the last; 0: 1 */
    bool closed;               /* the first row and the last are not neighbours */
    /* Items that are at places; NULL: none. The first word of `position` (U32X2, or U32 with
     * `moves`) is the place along the rows, as a fraction of the whole grid's side in 2^-32. A
     * rank's own items are those in its rows. `reach` covers what a step reads on the way from an
     * item to a cell. Copies of others' items may be in rows that the fields lack; they may read
     * and add to the outermost rows, which are not exact then. */
    const char *items, *position;
    /* Ranks have no copies of others' items, and exchange before each step: an item that has left a
     * rank's rows, by at most `reach`, moves to the neighbour. */
    bool moves;
};

/* Declares it once, of the whole grid and of each slab alike. Without this declaration a model runs
 * on one rank only, where it means nothing. With items it follows their fields and precedes their
 * sorting: on several ranks it declares NAME_number and NAME_alive (U32, VKS_ALIVE_WORDS), and the
 * pass that places items at the start adds to NAME_alive[0] to find the index of each of its own.
 */
VKS_CALL void vks_declare_exchange(struct vks_declaration *declaration,
                                   const struct vks_exchange *exchange);

/* --- what pictures, files and people see of a model ------------------------------------------- */

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

/* --- the model -------------------------------------------------------------------------------- */

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

#ifdef __cplusplus
}
#endif

#ifdef VKS_PLUGIN
#include <vksim/plugin.h>
#endif
#endif
