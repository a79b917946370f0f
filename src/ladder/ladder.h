/* SPDX-License-Identifier: MIT */
/* The ladder of kernels: each kernel is computed by several rungs, and each rung changes one thing
 * (docs/ladder.md). A rung is verified before it is timed.
 *
 * A kernel is one file in src/ladder/kernels/, listed in ladder/kernels.def, and one shader per
 * rung, shaders/ladder/KERNEL_RUNG.comp. */
#ifndef VKS_LADDER_LADDER_H
#define VKS_LADDER_LADDER_H

#include "bench/kernel.h"
#include "ladder/rung.h"

enum {
    VKS_LADDER_AXES = 4,
    VKS_LADDER_BUFFERS = 8,
    VKS_RUNG_CONSTANTS = 8, /* that are tuned */
};

/* Sides of the problem in the order of the kernel's `axes`; 1 where it has fewer. */
struct vks_ladder_size {
    uint32_t axis[VKS_LADDER_AXES];
};

/* A field that all rungs of a kernel use. Rows are padded to a multiple of 16 bytes, and inputs
 * have zeros there. */
struct vks_ladder_buffer {
    const char *name;         /* of the block in shaders; NULL ends a list */
    enum vks_element element; /* VKS_U32, VKS_F32 or VKS_F16 */
    uint32_t columns;
    uint64_t rows;
    /* Inputs hold (w - offset) * scale, where w is a pseudorandom integer below 2^bits, with 1 to
     * 20 bits. offset and scale must make every value exact in the element's type. 0: not an input.
     */
    uint32_t bits;
    float offset, scale; /* scale 0 means 1 */
};

/* Elements from row to row. */
uint32_t vks_ladder_pitch(const struct vks_ladder_buffer *buffer);

struct vks_ladder_kernel;
struct vks_rung;

/* A rung at one size. */
struct vks_ladder_task {
    const struct vks_ladder_kernel *kernel;
    const struct vks_rung *rung;
    struct vks_ladder_size size;
    enum vks_element element;            /* of the data: one of the kernel's */
    uint32_t values[VKS_RUNG_CONSTANTS]; /* of the rung's tuned constants; zero: not chosen,
                                          * then vks_rung_declare() takes those that fit first */
    bool specials;                       /* inputs contain NaN, infinities and the largest number */
    bool fractions;                      /* inputs have sums that are rounded: tests only */
    bool spoiled;                        /* inputs are not what the check expects: tests only */
    bool trace;                          /* the tracing build runs (ladder/access.h) */
};

/* A specialization constant that is tuned. */
struct vks_tuned_constant {
    const char *name;   /* in the shader, or of rung->declare() only; NULL ends a list */
    uint32_t values[8]; /* to try; 0 ends the list */
};

/* What the tuner searches: all combinations that fit. */
struct vks_rung_space {
    const struct vks_tuned_constant *constants;
    /* Leaves out combinations that cannot work or are known to be slow. NULL: all fit. */
    bool (*fits)(const struct vks_limits *limits, const struct vks_ladder_task *task);
};

/* How the invocations of a rung with one pass cover the first input (of two axes: columns and
 * rows). */
enum vks_rung_layout {
    VKS_RUNG_LANES,  /* one lane per element of a vector */
    VKS_RUNG_FOURS,  /* one lane per four elements of a vector */
    VKS_RUNG_LOOP,   /* as many lanes as fill the device, each in a loop */
    VKS_RUNG_ROWS,   /* one workgroup per row */
    VKS_RUNG_BLOCKS, /* one lane per element, in workgroups of 32 x 8 */
    VKS_RUNG_TILES,  /* one workgroup of 256 lanes per 32 x 32 elements */
};

struct vks_rung {
    const char *name;   /* NULL ends a list */
    const char *shader; /* "ladder/copy_scalar"; NULL if declare() or measure() name their own */
    const char *help;   /* what it changes; one line */
    enum vks_rung_layout layout;
    enum vks_feature feature;
    unsigned elements;                  /* mask of VKS_LADDER_ELEMENT(); 0: all of the kernel's */
    const char *ceiling;                /* NULL: the kernel's */
    const struct vks_rung_space *space; /* NULL: nothing is tuned */
    /* Declares its passes, and fields of its own. NULL: one pass with the shader, the layout,
     * struct rung_params, and all buffers of the kernel that the shader has. */
    void (*declare)(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                    struct vks_declaration *declaration);
    /* Verifies and measures a rung that is not a graph. effort->repeats 0: only verifies. */
    enum vks_result (*measure)(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                               const struct vks_effort *effort, struct vks_spread *seconds);
};

#define VKS_LADDER_ELEMENT(element) (1U << (element))

struct vks_ladder_kernel {
    const char *name;           /* NULL ends the table */
    const char *help;           /* what it computes and teaches; one line */
    const char *axes;           /* "ELEMENTS", "WIDTHxHEIGHT": names of at most VKS_LADDER_AXES */
    const char *sizes;          /* default ones, for a GPU */
    const char *software_sizes; /* default ones, for a software driver */
    const char *awkward_sizes;  /* for tests: sides of 1, primes, off the tiles */
    const char *ceiling;        /* what bounds it: a name of vks_ceiling_info() */
    unsigned elements;          /* mask of VKS_LADDER_ELEMENT(); 0: `element` */
    enum vks_element element;   /* the default one */
    bool specials;              /* tests also run it with NaN, infinities and the largest number */
    /* Why the size is impossible: "the side of its filter is 4 instead of an odd number from 3 to
     * 11"; NULL if it is possible. May be NULL itself. `text` has room for 128 characters. */
    const char *(*refuse)(const struct vks_ladder_size *size, char text[128]);
    /* Lists its buffers, `result` among them. The array is zeroed. */
    void (*buffers)(const struct vks_ladder_task *task,
                    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS]);
    double (*bytes)(const struct vks_ladder_task *task);      /* moved at least */
    double (*operations)(const struct vks_ladder_task *task); /* of the plain algorithm; NULL: not
                                                               * counted */
    /* Compares the results of `runs` dispatches with the reference (vks_ladder_compare()). */
    enum vks_result (*check)(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs);
    const struct vks_rung *rungs;
};

extern const struct vks_ladder_kernel *const vks_ladder[]; /* NULL ends it */

/* Makes the rungs' shaders known, as vks_bench_add_shaders() does those that they use, too. */
void vks_ladder_add_shaders(void);

/* --- names and sizes -------------------------------------------------------------------------- */

/* The kernel of that name, or NULL. */
const struct vks_ladder_kernel *vks_ladder_find(const char *name);

/* True if the comma-separated list `names` has the rung; NULL has all. */
bool vks_ladder_has_rung(const char *names, const struct vks_rung *rung);
/* VKS_ERROR_USAGE with a list if a name is not a rung of the kernel. */
enum vks_result vks_ladder_check_rungs(const struct vks_ladder_kernel *kernel, const char *names);

/* True if the kernel, or the rung, takes such data. */
bool vks_ladder_takes(const struct vks_ladder_kernel *kernel, const struct vks_rung *rung,
                      enum vks_element element);

/* What the device, or this build, lacks for the rung with such data; NULL if it has all. */
const char *vks_rung_missing(const struct vks_gpu *gpu, const struct vks_rung *rung,
                             enum vks_element element);

/* Parses the size at *text, "4096" or "4096x1024", and moves *text past it and the comma behind it.
 * VKS_ERROR_USAGE if it is not one. */
enum vks_result vks_ladder_parse_size(const struct vks_ladder_kernel *kernel, const char **text,
                                      struct vks_ladder_size *size);
/* As it is parsed. */
const char *vks_ladder_format_size(const struct vks_ladder_kernel *kernel,
                                   const struct vks_ladder_size *size, char text[48]);

/* Bytes of memory that the kernel's buffers need. */
uint64_t vks_ladder_bytes(const struct vks_ladder_task *task);
/* VKS_ERROR_USAGE if the kernel or the device refuses the size: what it needs, and what there is.
 */
enum vks_result vks_ladder_check_size(const struct vks_gpu *gpu,
                                      const struct vks_ladder_task *task);

/* --- for kernels ------------------------------------------------------------------------------ */

/* The kernel's buffer of that name; it must have one. */
struct vks_ladder_buffer vks_ladder_buffer(const struct vks_ladder_task *task, const char *name);

/* What the input `name` holds; of U32, the integer. */
double vks_ladder_input(const struct vks_ladder_task *task, const char *name, uint64_t row,
                        uint32_t column);
/* The same for many elements: look up the buffer once. */
struct vks_ladder_reader {
    struct vks_ladder_buffer buffer;
    uint32_t pitch, addend;
    bool specials;
};
struct vks_ladder_reader vks_ladder_read(const struct vks_ladder_task *task, const char *name);
double vks_ladder_at(const struct vks_ladder_reader *reader, uint64_t row, uint32_t column);

/* An element of a result, and how far from it the device's may be; 0: equal. NaN and infinities are
 * always compared exactly. */
struct vks_expected {
    double value, bound;
};

/* Downloads the field `name` and compares all elements in order of memory with what `expected`
 * returns for them, which is called in that order: VKS_ERROR_STOPPED with a message that names the
 * rung and the first wrong element. */
enum vks_result
vks_ladder_compare(const struct vks_ladder_task *task, struct vks_graph *graph, const char *name,
                   struct vks_expected (*expected)(void *user, uint64_t row, uint32_t column),
                   void *user);
/* Scalar `index` of downloaded data; NaN and infinities are possible. */
double vks_ladder_value(enum vks_element element, const void *data, uint64_t index);
/* The message of a wrong element, for checks of another kind. Returns VKS_ERROR_STOPPED. */
enum vks_result vks_ladder_wrong(const struct vks_ladder_task *task, uint64_t row, uint32_t column,
                                 double found, double expected);

/* The shader for the task's data: its own name or, for float16, the one of its second build
 * (shaders/ladder/element.glsl). */
const char *vks_rung_shader(const struct vks_ladder_task *task, const char *shader,
                            struct vks_declaration *declaration);
/* rung_params for the first input and the result. */
struct rung_params vks_rung_params(const struct vks_ladder_task *task);
/* Declares a pass of the task, by default with the rung's name and shader: sets the shader for its
 * data and the values of the tuned constants that the shader has. After those of pass->uses come
 * uses of all declared buffers of the kernel that the shader has, with the access in its code. The
 * declaration fails with more than 16 uses or more than 8 of pass->specializations. */
void vks_rung_pass(const struct vks_ladder_task *task, const struct vks_pass *pass,
                   struct vks_declaration *declaration);

/* Lanes that fill the device, a multiple of 256, but not more than `groups` workgroups of 256. */
uint32_t vks_rung_loop_lanes(const struct vks_gpu *gpu, uint64_t groups);

/* --- measuring -------------------------------------------------------------------------------- */

/* Declares the kernel's buffers, the passes that fill them, and the rung, with the first
 * combination of constants that fits the device if the task has none. */
void vks_rung_declare(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                      struct vks_declaration *declaration);

/* Runs the rung twice, compares every element with the reference, then times it: seconds per
 * run, with the barriers before its dispatches. A wrong result: VKS_ERROR_STOPPED, and nothing is
 * timed. A device without timestamps or the rung's feature: VKS_ERROR_DEVICE. effort->repeats 0:
 * only verifies. Constants that the task does not give are tuned first (ladder/tune.h), or the
 * first that fit if nothing is timed. */
enum vks_result vks_rung_measure(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                 const struct vks_effort *effort, struct vks_spread *seconds);

#endif
