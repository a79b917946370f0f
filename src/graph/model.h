/* SPDX-License-Identifier: MIT */
/* What a simulation declares: options, presets, fields and passes. The core orders the passes,
 * allocates the fields, derives the barriers, times every pass and keeps the bindings; a model is
 * one table and one function. No Vulkan here.
 *
 * Time inside a step runs in declaration order: a pass sees what earlier passes wrote. A field
 * declared `ping_pong` has two buffers; a pass that declares VKS_WRITE_NEXT writes the other one,
 * and from the following pass on that one is the field. (Which of the two is which is the core's
 * affair, never the author's.)
 *
 * A shader names its storage buffers after the fields: `buffer trail { ... }` is the field as it
 * stands, `buffer trail_next { ... }` the one that VKS_WRITE_NEXT writes. Binding numbers are read
 * from the SPIR-V. Every shader may also read `buffer clock { uint first_step; }`. */
#ifndef VKS_GRAPH_MODEL_H
#define VKS_GRAPH_MODEL_H

#include <vksim/vksim.h>

#include "base/option.h"
#include "gpu/features.h"

enum { VKS_MAX_CONSTANTS = 120 }; /* bytes: the floor's 128 less what the core uses */

/* What a field's elements are made of. */
struct vks_element_info {
    const char *name; /* of a scalar, as NumPy calls it */
    uint32_t bytes;   /* of an element: `scalars` of equal size */
    uint32_t scalars;
    char kind; /* 'f' float, 'u' unsigned integer */
};

/* NULL for a number that is not an element. */
const struct vks_element_info *vks_element_info(enum vks_element element);

/* A scalar that a watched field brings back: one per element. A pair of uint32 is one 64-bit
 * integer in two's complement, the low word first. */
struct vks_scalar {
    const char *name; /* a column of tables: without commas, quotes, backslashes and control
                       * characters; NULL ends a list */
    double unit;      /* of the integer or float; 0 means 1 */
    /* A status word: 0 is fine, n ends the run with the n-th message (the last for larger n). The
     * list ends with NULL; NULL for every other scalar. */
    const char *const *failures;
};

#define VKS_SCALARS(...) ((const struct vks_scalar[]){__VA_ARGS__, {0}})

/* What the host makes a field from. */
struct vks_source {
    const float *brightness; /* of the field's picture: one per cell of a plane, 0 to 1; or NULL */
    const void *array;       /* scalars in native byte order, C order; or NULL */
    char kind;               /* of the array's scalars: 'f' float, 'u' unsigned */
    uint32_t item_bytes;     /* of one: 2, 4 or 8 */
    uint64_t count;          /* brightnesses, or scalars in the array as in the field */
};

/* A scalar of the source's array as a number, whatever its type. */
double vks_source_number(const struct vks_source *source, uint64_t index);

struct vks_field {
    const char *name; /* unique in the model; not one that ends in "_next" */
    const char *help; /* persistent fields: what it is, with its unit */
    enum vks_element element;
    uint32_t rank;     /* 1 to 3; 0: the grid's rank and shape */
    uint64_t shape[3]; /* (N), (H, W) or (D, H, W): C order, x is contiguous */
    bool persistent;   /* is state: saved, loaded, digested */
    bool ping_pong;    /* has two buffers: a pass may read the old one and write the next */
    /* Rank 1: the items, of vks_declare_items(), that the elements belong to. The core chooses
     * their order in memory; they are downloaded and uploaded in order of number. */
    const char *items;
    const struct vks_scalar *watched; /* VKS_SCALARS(): its elements come back with every batch and
                                       * frame, without a wait; NULL: it stays on the GPU. Not
                                       * with .items */
    /* Makes the whole field on the host: its bytes, zeroed before, at `out`. Called
     * - where `made_from` is given: when a run starts, after the AT_START and AT_CHANGE passes, or
     *   before them if they only read it and it has no picture (a table); and, for fields
     *   that are not state, after an update that changes the text (from the brightness of `picture`
     *   if there is one, else from `user` alone),
     * - for arrays of floats from a state file or a program, to convert them and to check the
     *   values: VKS_ERROR_FILE with a message on what is wrong. `out` may be the array's own
     * memory: element i is read before it is written, and later ones after it. Without fill() a
     * field takes arrays of its own type, float32 if finite. */
    enum vks_result (*fill)(const void *user, const struct vks_field *field,
                            const struct vks_source *source, void *out);
    /* Integers of the field's own type from a state file or a program, which are otherwise taken as
     * they are: VKS_ERROR_FILE with a message on what is wrong. NULL: all values are good. */
    enum vks_result (*check)(const void *user, const struct vks_field *field, const void *data);
    const void *user; /* lives as long as the declaration, see vks_declaration_copy() */
    const char
        *made_from;      /* all that the data depends on, as text; NULL: not filled at the start */
    const char *picture; /* PNG or JPEG file, resized to (H, W); NULL: none */
};

/* Scalars and vectors in the field: the product of its shape; UINT64_MAX when that overflows. */
uint64_t vks_field_count(const struct vks_field *field);

/* What the pass does with a field. A declaration states exactly what the shader does: VKS_READ is a
 * load anywhere in its code, VKS_WRITE a store, VKS_ATOMIC an atomic operation, and they combine
 * (VKS_ATOMIC | VKS_READ: atomics next to plain loads). A block that the pass only reads is
 * `readonly` in the shader, one that it only writes `writeonly`, any other neither. Between passes
 * VKS_ATOMIC is ordered like VKS_READ_WRITE; within one pass the order of plain loads or stores and
 * other invocations' atomics is unknown; the result must not depend on it. */
enum vks_access {
    VKS_READ = 1,
    VKS_WRITE = 2,
    VKS_READ_WRITE = 3,
    VKS_ATOMIC = 4,
    VKS_NEXT = 8, /* only together with VKS_WRITE */
    VKS_WRITE_NEXT = VKS_WRITE | VKS_NEXT,
};

struct vks_use {
    const char *field; /* NULL ends a list */
    unsigned access;   /* enum vks_access */
    const char *as;    /* the shader's name for it, when not the field's */
    uint32_t index;    /* of the field: set by vks_declare_pass() */
};

/* .uses = VKS_USES({"trail", VKS_READ}, {"trail", VKS_WRITE_NEXT}) */
#define VKS_USES(...) ((const struct vks_use[]){__VA_ARGS__, {0}})

enum vks_when {
    VKS_EACH_STEP,
    VKS_AT_START,    /* once, before step 0, in declaration order */
    VKS_AT_CHANGE,   /* after those, and again after an update that changes it: tables. Such a pass
                      * cannot write persistent fields */
    VKS_WHEN_READY,  /* once, when the state is complete (started, or loaded), before the first step
                      * or frame: to measure it */
    VKS_EACH_FRAME,  /* when a picture is drawn */
    VKS_BEFORE_READ, /* the core's own: before fields of sorted items leave the device */
};

struct vks_specialization {
    const char *name; /* the shader's constant; NULL ends a list */
    uint32_t value;   /* int, uint or bool as they stand; float as its bits */
};

#define VKS_SPECIALIZATIONS(...) ((const struct vks_specialization[]){__VA_ARGS__, {0}})

struct vks_pass {
    const char *name;         /* shown in timings; unique in the model */
    const char *shader;       /* "physarum/agents": file under shaders/ without its extension */
    enum vks_feature feature; /* that the device must have, beyond the floor; 0: none */
    const char *without;      /* the shader for devices that lack it; NULL: they are refused */
    enum vks_when when;
    uint32_t every; /* EACH_STEP: run at steps divisible by this; 0 means 1 */
    /* EACH_STEP: steps that one dispatch does; 0 means 1. The passes with the same number here form
     * one variant of the step: one step, and, say, up to eight at once. All variants must produce
     * identical bytes; the core takes the longest that fit. There is always a variant of one step,
     * and `every` is for models that have no other. */
    uint32_t steps;
    const struct vks_use *uses;                       /* VKS_USES(); NULL: none */
    const struct vks_specialization *specializations; /* VKS_SPECIALIZATIONS(); NULL: none */
    const void *constants; /* the shader's push-constant block after `step_in_batch`; VKS_PUSH() */
    size_t constants_size;
    uint64_t items[2]; /* invocations wanted: (x, y), y 0 means a one-dimensional pass; zero: one
                        * per cell of the grid, in two dimensions */
    uint32_t group[2]; /* workgroup size; 0: 256 x 1, or 32 x 8 for two dimensions */
    uint32_t per_group[2]; /* items a workgroup covers, when not one per invocation; 0: as group */
    uint32_t subgroup;     /* lanes that a subgroup must have; group[0] is a multiple; 0: any */
    uint32_t shared_bytes; /* of its workgroup variables as specialized; 0: as the shader says */
    double bytes;          /* that the whole pass must move at least, for GB/s */
    double operations;     /* arithmetic operations of the whole pass */
    size_t use_count;      /* set by vks_declare_pass() */
    bool left_out;         /* EACH_FRAME: does not run, until an update says otherwise */
};

/* Items of vks_declare_items(). */
struct vks_items {
    const char *name;
    uint64_t count;
    bool sorted;
};

/* The push constants of a pass, a structure: VKS_PUSH(params). */
#define VKS_PUSH(params) .constants = &(params), .constants_size = sizeof(params)

/* A declaration: fields and passes in the order in which they were declared. Everything that is
 * declared is copied, strings and constants as well. A failure sticks: later calls do nothing, the
 * core sees it at the end. Start from a zeroed structure; vks_declaration_free() ends it. */
struct vks_declaration {
    struct vks_field *fields;
    size_t field_count, field_capacity;
    struct vks_pass *passes;
    size_t pass_count, pass_capacity;
    struct vks_items *items;
    size_t items_count, items_capacity;
    uint64_t grid[3]; /* cells of the model's grid: (D, H, W), D 1 on a flat one; zero: none */
    bool measures;    /* may name shaders that are not exact; a model's may not */
    bool goes_on;     /* frames continue an earlier one, whose watched words have come back */
    enum vks_result result;
    struct vks_kept *blocks; /* storage of strings, lists and constants */
};

/* Frees what was declared and leaves a zeroed structure; one that is zeroed is fine. */
void vks_declaration_free(struct vks_declaration *declaration);
/* Shape of the fields and number of items of the passes that name none. */
void vks_declaration_grid(struct vks_declaration *declaration, uint64_t depth, uint64_t height,
                          uint64_t width);

void vks_declare_field(struct vks_declaration *declaration, const struct vks_field *field);
void vks_declare_pass(struct vks_declaration *declaration, const struct vks_pass *pass);
/* The same, written as VKS_FIELD(declaration, .name = "trail", .element = VKS_F32). */
#define VKS_FIELD(declaration, ...) \
    vks_declare_field((declaration), &(const struct vks_field){__VA_ARGS__})
#define VKS_PASS(declaration, ...) \
    vks_declare_pass((declaration), &(const struct vks_pass){__VA_ARGS__})

/* Watches a declared field, such as a primitive's result, as .watched does. `scalars` is not NULL.
 */
void vks_declare_watch(struct vks_declaration *declaration, const char *field,
                       const struct vks_scalar *scalars);

/* A name by printf's rules that lives as long as the declaration; "" after a failure. */
const char *vks_declaration_name(struct vks_declaration *declaration, const char *format, ...)
    VKS_PRINTF(2, 3);
/* A copy of `size` bytes that lives as long as the declaration; NULL after a failure. */
void *vks_declaration_copy(struct vks_declaration *declaration, const void *data, size_t size);

/* Declared items, or NULL; valid until the next are declared. */
struct vks_items *vks_find_items(const struct vks_declaration *declaration, const char *name);
/* Index of a declared field, or -1. */
int vks_find_field(const struct vks_declaration *declaration, const char *name);
/* True if the pass uses the field of that index. */
bool vks_pass_uses(const struct vks_pass *pass, size_t field);
/* True if a pass of that name is declared. */
bool vks_has_pass(const struct vks_declaration *declaration, const char *name);
/* Marks the declaration as failed with vks_fail()'s result. */
void vks_declaration_fail(struct vks_declaration *declaration, enum vks_result result);

/* Leaves only what draws pictures: the EACH_FRAME passes and the fields they use. */
void vks_declaration_strip_to_frames(struct vks_declaration *declaration);
/* True if a pass of another time than EACH_FRAME uses the field, or if it is state. */
bool vks_field_is_state(const struct vks_declaration *declaration, const struct vks_field *field);

/* --- primitives: groups of passes that any model can declare --------------------------------- */

/* Smallest and largest value of an F32 or F16 field, into the new field `result` (two f32: least,
 * most). Exact: the same on every device. As in a sum, at most 2^32 - 1 values. */
void vks_declare_range(struct vks_declaration *declaration, const char *field, const char *result,
                       enum vks_when when);
/* Sum of an F32 or F16 field in 64-bit fixed point, into the new field `result` (one U32X2): each
 * value times 2^exponent is rounded to an integer, ties to even, and the integers are added up
 * (shaders/lib/fixed.glsl; vks_from_fixed() makes a float32 of the sum). So the sums of the parts
 * of a field add up to the sum of the field. The exponent is -126 to 127. A value beyond 2^62 units
 * counts as 2^62 units; the total is right while its magnitude is below 2^63 units. */
void vks_declare_sum(struct vks_declaration *declaration, const char *field, int exponent,
                     const char *result, enum vks_when when);
/* Watches the mean of an F32 or F16 field in every frame, as the scalar `name`, from the exact sum.
 * `max`, above 0, is at least the magnitude of every value or, where none is negative, at least the
 * mean. */
void vks_declare_mean(struct vks_declaration *declaration, const char *field, double max,
                      const char *name);
/* Exclusive sums of a U32 field, which wrap, into the new field `result` (count + 1 U32): element i
 * is the sum of all elements before i, the last one the total. At most 2^31 elements, in fields
 * that fit one buffer of the device. */
void vks_declare_scan(struct vks_declaration *declaration, const char *field, const char *result,
                      enum vks_when when);

/* The solution of a linear equation on a periodic grid by FFT, exact: with the same bits on every
 * device (docs/architecture.md defines them). The operator's symbol, what it multiplies each wave
 * by, is the sum of one table per axis, such as the squared wave numbers of the Laplacian:
 *
 *     target = IFFT(factor * FFT(source - mean) / (symbol[0][k] + symbol[1][l] + symbol[2][m]))
 *
 * Wave number 0, and any other whose sum is 0, is left out. Values must stay finite. */
struct vks_fft {
    const char *name;       /* begins the names of its passes and fields */
    const char *source;     /* an F32 field of rank 1 to 3. Sides are powers of two from 1 to 2048,
                             * cells at most 2^31 */
    const char *target;     /* another F32 field of that shape, declared as well */
    float mean;             /* subtracted from the source, where there is no mean_field */
    const char *mean_field; /* a U32 or F32 field, not the target; NULL: none */
    uint32_t mean_word;     /* number of the scalar of mean_field that is the mean, a float32 */
    float factor;           /* within +-2^60; one nearer to 0 than 2^-60 per cell counts as 0 */
    const float *symbol[3]; /* of z, y and x: one value per wave number, within +-2^58, those of n
                             * and side - n equal; copied. NULL where the side is 1 means 0 */
    enum vks_when when;     /* EACH_STEP or EACH_FRAME */
    uint32_t every;         /* EACH_STEP: at steps divisible by this; 0 means 1 */
};

/* Declares the passes, and the fields NAME.waves (8 bytes per cell, where more than one side is
 * longer than 1), NAME.turns and NAME.symbol. Live updates can change mean, factor and symbol. */
void vks_declare_fft(struct vks_declaration *declaration, const struct vks_fft *fft);

/* --- items: elements whose order is the core's ------------------------------------------------ */

/* Says that the order of these items in memory belongs to the core: fields name them in `.items`. A
 * state file's arrays of such fields say how many there are. No result may depend on the order,
 * only speed: sums and the like over items are of integers. At most 2^31 items. */
void vks_declare_items(struct vks_declaration *declaration, const char *name, uint64_t count);

/* Declares the field NAME_number (U32), unless it is there: the number of the item stored at an
 * index, to draw random numbers from; at the start it is the index itself. */
void vks_declare_numbers(struct vks_declaration *declaration, const char *items);

struct vks_sorting {
    const char *items;
    const char *key; /* a U32 field, one element per item, that a pass before has written; itself
                      * it is not sorted */
    uint64_t bins;   /* keys are 0 to bins - 1 */
    uint32_t every;  /* sort at steps divisible by this; 0 means 1 */
};

/* Sorts the items by their key at this point of the step, and declares their numbers: every field
 * declared so far with these items is reordered, so declare them before. The order of items with
 * equal keys is unspecified. The field NAME.starts (U32, bins + 1) has where each bin's items
 * start, as of the last sort, and their number at the end; 0 before the first. The fields get a
 * second buffer, and the sorting needs another 4 bytes per item and 16 per bin. */
void vks_declare_sorting(struct vks_declaration *declaration, const struct vks_sorting *sorting);

/* --- the model ------------------------------------------------------------------------------- */

/* What a model may know of the device, to choose among variants that produce identical bytes. Zero
 * where there is no device (yet): the plainest variant. */
struct vks_limits {
    uint32_t subgroup;       /* lanes of a subgroup to ask for, 32 where there is a choice; 0: no
                              * subgroup can pass values from lane to lane */
    uint32_t subgroup_least; /* the smallest there is: small ones mean few registers a lane at 32 */
    uint32_t shared_bytes;   /* of a workgroup */
    uint32_t invocations;    /* of a workgroup */
    bool software;           /* a software driver, where variants are not measured */
};

/* Variants of computing a step that a model would have measured on the device at hand. */
struct vks_variants {
    char
        key[96]; /* of the case: the best variant found for one holds for every run with this key */
    char names[24][24]; /* what declare() understands as config->variant */
    size_t count;
    uint32_t period; /* steps that all of them repeat after, such as those between two sortings; 0:
                      * 64 */
};

/* What a model's functions get to know about the run. */
struct vks_config {
    uint32_t width, height; /* cells */
    uint32_t depth;         /* cells; 1 unless the model has `volumes` */
    uint32_t seed;
    uint32_t start;    /* index in the model's `starts` */
    const char *image; /* file of --init image:FILE, `start` is 0 then; NULL: one of `starts` */
    uint64_t steps_per_frame; /* how many steps are likely to be run at a time; at least 1 */
    const void *settings;     /* the model's own structure */
    uint32_t view;            /* index in the model's `views`: what pictures show */
    bool watch;               /* scalars have been asked for: declare those that cost time */
    struct vks_limits limits;
    const char
        *variant; /* one of variants(), which had the best time; NULL: not known, the plain one */
};

/* A picture that the model can be asked for. */
struct vks_view {
    const char *name;  /* what --view takes; NULL ends a list */
    const char *field; /* F32 or F16 field with a value per cell: (H, W), or (D, H, W) in a volume.
                        * declare() may leave it out when config->view is another view */
    const char *fallback; /* another such field, for frames in which `field` has no range (the
                           * greatest less the least is at most 1e-6); NULL: none */
    const char *help;     /* what it shows, for --list */
    /* Instead of `field`: points that are counted where they fall on the picture. Names of the U32
     * fields of rank 1 with their positions along z, y and x, fractions of the sides in 2^-32, that
     * all have the same shape; z may be NULL in a model without `volumes`. */
    const char *points[3];
};

/* .views = VKS_VIEWS({"v", "v", .help = "concentration of v"}, {"u", "u", .help = "..."}) */
#define VKS_VIEWS(...) ((const struct vks_view[]){__VA_ARGS__, {0}})

struct vks_preset {
    const char *name;
    const char *summary;
    const char *options; /* "name=value name=value ...": model options and look options alike;
                          * NULL: none */
};

enum { VKS_MAX_VIEWS = 32 };

struct vks_model {
    const char *name;
    const char *summary;
    struct vks_option_table options;
    size_t settings_size;
    const struct vks_preset *presets; /* name NULL ends; the first is "default". NULL: only that,
                                       * with every option at its default */
    const char *const *starts;        /* names of --init, NULL-terminated; the first is default.
                                       * NULL: only "default" */
    const struct vks_view *views;     /* VKS_VIEWS(): what pictures can show; the first is default.
                                       * At most VKS_MAX_VIEWS */
    const char *count_option;         /* option that gives a rank-1 field's N, taken from a state
                                       * file's arrays; NULL if none */

    bool volumes; /* takes a depth: --size WxHxD */

    /* Checks options against each other and the size; optional. */
    enum vks_result (*check)(const struct vks_config *config);
    void (*declare)(const struct vks_config *config, struct vks_declaration *declaration);

    /* Lists the variants worth trying; none when there is nothing to choose. The first is taken
     * where nothing can be measured. All must produce identical bytes. NULL: there is only one
     * variant. */
    void (*variants)(const struct vks_config *config, struct vks_variants *variants);

    bool starts_from_image; /* knows --init image:FILE: config->image then */
};

/* What the model declares for a run, over its grid, into an empty declaration, which keeps a copy
 * of the config for it. Settings and strings in the config must outlive the declaration. */
void vks_declare_model(const struct vks_model *model, const struct vks_config *config,
                       struct vks_declaration *declaration);

/* src/sim/registry.def lists them. */
const struct vks_model *vks_model_find(const char *name);
const struct vks_model *vks_model_at(size_t index); /* NULL past the last */

/* `presets` and `starts`, or what a model without them has. */
const struct vks_preset *vks_model_presets(const struct vks_model *model);
const char *const *vks_model_starts(const struct vks_model *model);

/* A row of vks_model_presets() or NULL; its error message, like that of vks_model_find(), lists the
 * valid names. */
const struct vks_preset *vks_preset_find(const struct vks_model *model, const char *name);

/* The row of `views` of that name, the first for NULL. For an unknown name NULL, with a message
 * that lists the valid ones. */
const struct vks_view *vks_view_find(const struct vks_model *model, const char *name);

#endif
