/* SPDX-License-Identifier: MIT */
/* The vocabulary of a declaration: fields and passes. The core orders the passes, allocates the
 * fields, derives the barriers, times every pass and keeps the bindings. No Vulkan here.
 *
 * Within a step, passes run in declaration order: a pass sees what earlier passes wrote. A field
 * declared `ping_pong` has two buffers; a pass that declares VKS_WRITE_NEXT or VKS_ATOMIC_NEXT
 * writes the other one, which is the field from the next pass on. The core keeps track of which is
 * which.
 *
 * A shader names its storage buffers after the fields: `buffer trail { ... }` is the current field,
 * `buffer trail_next { ... }` the other one. Binding numbers are read from the
 * SPIR-V. Every shader may also read `buffer clock { uint first_step; }`. */
#ifndef VKS_GRAPH_DECLARE_H
#define VKS_GRAPH_DECLARE_H

#include <vksim/vksim.h>

#include "gpu/features.h"
#include "graph/software.h"

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

/* The layout of a field's elements. */
struct vks_element_info {
    const char *name; /* of a scalar, as in NumPy */
    uint32_t bytes;   /* of an element: `scalars` of equal size */
    uint32_t scalars;
    char kind; /* 'f' float, 'u' unsigned integer */
};

/* NULL for a number that is not an element. */
const struct vks_element_info *vks_element_info(enum vks_element element);

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
 * twin (api/twins.h). */
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
double vks_source_number(const struct vks_source *source, uint64_t index);

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
     * - for arrays of floats from a state file or a program, to convert them and to check the
     *   values: VKS_ERROR_FILE with a message. `out` may be the array's own memory: element i is
     *   read before it is written, and later ones after it. Without fill() a field takes arrays of
     *   its own type, float32 if finite. */
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
    const char *plain;     /* its name without a scope: set by vks_declare_field() */
};

/* Scalars and vectors in the field: the product of its shape; UINT64_MAX when that overflows. */
uint64_t vks_field_count(const struct vks_field *field);

/* Converts the source's array of amounts, such as a trail, to float32, for .fill. VKS_ERROR_FILE
 * for a number that is not finite, below 0 or over 1e30. */
enum vks_result vks_fill_amounts(const struct vks_field *field, const struct vks_source *source,
                                 float *amounts);
/* Converts the source's array of positions in cells to fractions of the side in 2^-32, for .fill:
 * scalar i goes with sides[i % axes]. Positions wrap and stay in their cells; exact for integers.
 * VKS_ERROR_FILE for a number that is not finite. */
enum vks_result vks_fill_places(const struct vks_field *field, const struct vks_source *source,
                                const uint32_t *sides, uint32_t axes, uint32_t *places);

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

/* Items of vks_declare_items(). */
struct vks_items {
    const char *name;
    uint64_t count;
    bool sorted;
};

/* The push constants of a pass, a structure: VKS_PUSH(params). */
#define VKS_PUSH(params) .constants = &(params), .constants_size = sizeof(params)

/* Fields and passes in order of declaration. Everything is copied, including strings and constants.
 * A failure is sticky: later calls do nothing, and the function that uses the declaration reports
 * it. Start from a zeroed structure; free with vks_declaration_free(). */
struct vks_declaration {
    struct vks_field *fields;
    size_t field_count, field_capacity;
    struct vks_pass *passes;
    size_t pass_count, pass_capacity;
    struct vks_items *items;
    size_t items_count, items_capacity;
    uint64_t grid[3];   /* cells of the model's grid: (D, H, W), D 1 on a flat one; zero: none */
    uint32_t image_fit; /* the config's */
    struct vks_software software; /* of the config's limits */
    const char *scope;            /* NULL: none */
    /* Only for benchmarks: shaders need not be exact; passes are timed in every batch of one step,
     * and longer batches only as a whole. */
    bool measures;
    bool continues; /* frames continue an earlier one, which has reported the watched words */
    bool addressed; /* the fields' buffers have addresses, for a bound graph whose fields split */
    uint64_t bound_bytes;      /* of the fields of the declaration that this one binds */
    const char **bound_passes; /* names of its passes */
    size_t bound_pass_count;
    enum vks_result result;
    struct vks_kept *blocks; /* storage of strings, lists and constants */
};

/* Frees and zeroes it; a zeroed structure is fine. */
void vks_declaration_free(struct vks_declaration *declaration);
/* The default shape of fields and number of items of passes. */
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

/* A printf-formatted name that lives as long as the declaration; "" after a failure. */
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
/* Index of a declared pass, or -1. */
int vks_find_pass(const struct vks_declaration *declaration, const char *name);
/* True if a pass of that name is declared, here or in what the declaration binds. */
bool vks_has_pass(const struct vks_declaration *declaration, const char *name);
/* Begins a scope, for one of several models in a declaration; NULL ends it. Names of fields,
 * passes, items and scalars get this prefix, and are found without it; shaders have the names
 * without it, too. Other passes may run between the steps of a scope, so those of fused steps and
 * joined passes are left out. */
void vks_declaration_scope(struct vks_declaration *declaration, const char *prefix);
/* Moves the last pass to a place before others. */
void vks_declaration_move_pass(struct vks_declaration *declaration, size_t to);
/* Marks the declaration as failed with vks_fail()'s result. */
void vks_declaration_fail(struct vks_declaration *declaration, enum vks_result result);

/* Begins the declaration of a graph that binds the buffers of another one
 * (vks_graph_create_bound()): with the grid and the fields of that graph's declaration, which keep
 * their values and scalars. Its passes are EACH_FRAME, and cannot write the next buffer of a bound
 * field. */
void vks_declaration_bind(struct vks_declaration *declaration, const struct vks_declaration *base);
/* Continues one that is bound to a graph with this declaration: it also has the fields of a second
 * graph with an equal declaration, named "twin.FIELD" (vks_graph_create_twins()). */
void vks_declaration_bind_twin(struct vks_declaration *declaration,
                               const struct vks_declaration *base);

#endif
