/* SPDX-License-Identifier: MIT */
/* libvksim: simulations on Vulkan compute, byte-identical on every driver.
 *
 *     vks_context *context;
 *     vks_simulation *simulation;
 *     vks_context_create(&VKS_CONTEXT_PARAMS(), &context);
 *     vks_simulation_create(context, &VKS_SIMULATION_PARAMS(.model = "physarum"), &simulation);
 *     vks_simulation_run(simulation, 1000);
 *     vks_simulation_read(simulation, "trail", trail, sizeof(trail));
 *     vks_simulation_destroy(simulation);
 *     vks_context_destroy(context);
 *
 * Structures begin with `size`, which the caller sets to the structure's sizeof, also in structures
 * that the library fills; later versions append members. Members that the program does not have (it
 * was compiled with an earlier version) count as zero in parameters and are not filled in results.
 * Members that the library does not have must be zero in parameters and stay unchanged in results.
 * A size of 0 is an error. Any other member of parameters may be zero, which means the default.
 *
 * Pointers must not be NULL unless a comment says what NULL means: functions that can fail return
 * VKS_ERROR_USAGE for it, the others 0, false or NULL. Values of enumerations that do not exist are
 * VKS_ERROR_USAGE, too.
 *
 * Strings passed in are copied; strings handed out belong to the object they came from, and those
 * about models are static. A context with its simulations and snapshots may be used by one thread
 * at a time, except where a function says otherwise; separate contexts are independent. All other
 * functions may be called from any thread.
 *
 * docs/library.md has complete programs. */
#ifndef VKSIM_VKSIM_H
#define VKSIM_VKSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, "MAJOR.MINOR.PATCH": a static string. */
VKS_API const char *vks_version(void);

/* Messages for the user. Failures of calls are not among them: see vks_error_text(). */
enum vks_log_level { VKS_LOG_ERROR, VKS_LOG_WARNING, VKS_LOG_INFO, VKS_LOG_VERBOSE };
typedef void vks_log_fn(void *user, enum vks_log_level level, const char *text);

/* Sends messages up to level `max` to `callback` (NULL: standard error, one line each, prefixed
 * with "vksim: "). Process-wide; the callback may be called from any thread, and one
 * that it replaces may still be running in another thread when this returns. */
VKS_API void vks_log_to(enum vks_log_level max, vks_log_fn *callback, void *user);

/* --- devices and contexts -------------------------------------------------------------------- */

enum vks_validation {
    VKS_VALIDATION_OFF,
    VKS_VALIDATION_CORE, /* API use */
    VKS_VALIDATION_SYNC, /* and hazards between commands */
    VKS_VALIDATION_GPU,  /* and the shaders' own accesses (GPU-assisted) */
};

/* No parameter structure ends in padding: a later member there would read uninitialised bytes. */
struct vks_context_params {
    size_t size;
    enum vks_validation validation;
    bool no_disk_cache; /* neither read nor write the pipeline cache file */
    const char *device; /* index, part of a name, or UUID; NULL: VKSIM_DEVICE, else the best */
    /* Seconds that a call waits for a GPU that does not finish its work, until it fails with
     * VKS_ERROR_GPU; the context's later calls fail at once then. 0: 60, and no limit for a
     * software driver; negative: no limit. */
    double gpu_timeout;
    /* One process of several, each with a device, that compute a simulation together:
     * "local:NAME:INDEX/COUNT", with a name that is used once on this host, an index from 0 on and
     * the number of processes, up to 64; "mpi": the processes that mpirun has started, once in a
     * process that has not started MPI itself; NULL: this is the only one. The calls of the context
     * and of its simulations are then collective: all processes make the same ones, in the same
     * order, from one thread. What fails in one of them fails in all ("mpi": it ends all of them).
     * What is read, drawn and saved are those of index 0: the others take part, may pass NULL for
     * the memory of results, and write nothing. vks_simulation_read_plane() is for index 0 only. */
    const char *ranks;
};
/* VKS_CONTEXT_PARAMS(.device = "1"): for C. */
#define VKS_CONTEXT_PARAMS(...) \
    ((struct vks_context_params){.size = sizeof(struct vks_context_params), __VA_ARGS__})

typedef struct vks_context vks_context;

/* Opens a device. *context is the caller's, to be destroyed after all its simulations; untouched
 * on failure (VKS_ERROR_DEVICE: no loader, no driver, no such device, or no suitable one). */
VKS_API enum vks_result vks_context_create(const struct vks_context_params *params,
                                           vks_context **context);
VKS_API void vks_context_destroy(vks_context *context); /* NULL is fine */

/* Number of messages from the validation layers so far (0 when validation is off). */
VKS_API uint64_t vks_context_validation_messages(const vks_context *context);

enum vks_device_type {
    VKS_DEVICE_OTHER,
    VKS_DEVICE_INTEGRATED,
    VKS_DEVICE_DISCRETE,
    VKS_DEVICE_VIRTUAL,
    VKS_DEVICE_SOFTWARE,
};

struct vks_device_info {
    size_t size;
    uint32_t index;       /* what `device` in the parameters takes */
    char name[256];       /* as reported by the driver */
    char driver[512];     /* name and version, as reported by the driver */
    char api_version[32]; /* highest Vulkan version, "1.3.230" */
    char uuid[37];        /* 8-4-4-4-12 hex digits */
    char lacks[256];      /* required features that are missing; "" if it is suitable */
    char features[256];   /* optional features that it offers; may be "" */
    enum vks_device_type type;
    uint64_t memory;         /* bytes of its largest device-local heap */
    uint64_t largest_buffer; /* bytes of the largest buffer that a shader can bind */
    uint64_t buffers;        /* storage buffers that a shader can bind */
};

VKS_API enum vks_result vks_context_device(const vks_context *context,
                                           struct vks_device_info *info);

/* Fills up to `capacity` rows, all of the size given in the first, and sets *count to the number of
 * devices. */
VKS_API enum vks_result vks_devices(struct vks_device_info *infos, size_t capacity, size_t *count);

/* --- models ---------------------------------------------------------------------------------- */

/* Name of the model with that index ("physarum", ...), NULL past the last. */
VKS_API const char *vks_model_name(size_t index);
/* One line of description; NULL if there is no such model. */
VKS_API const char *vks_model_summary(const char *model);
/* Its presets by index: name, and *summary if not NULL. NULL past the last or for no such model. */
VKS_API const char *vks_model_preset(const char *model, size_t index, const char **summary);
/* Likewise its views, what pictures can show; the first is the default of the option "view". */
VKS_API const char *vks_model_view(const char *model, size_t index, const char **help);
/* Its initial conditions, the values of the option "init"; the first is the default. */
VKS_API const char *vks_model_init(const char *model, size_t index);
/* The colour maps by index: values of the option "colormap", which also takes files. */
VKS_API const char *vks_colormap_name(size_t index);

enum vks_option_type {
    VKS_OPTION_FLAG,   /* "true" or "false" */
    VKS_OPTION_COUNT,  /* a whole number */
    VKS_OPTION_REAL,   /* a number; some options also take a list: "20,30,40" */
    VKS_OPTION_CHOICE, /* one of `choices` */
    VKS_OPTION_TEXT,   /* one of `choices`, or any text if there are none; may be unset */
    VKS_OPTION_SIZE,   /* "640x480", or "64x64x64" */
};

/* When an option of a running simulation can change (vks_simulation_set()). */
enum vks_option_change {
    VKS_CHANGE_LIVE,      /* at any time; the next steps and pictures use it */
    VKS_CHANGE_START,     /* at any time, with effect from the next vks_simulation_restart() */
    VKS_CHANGE_SOMETIMES, /* to some values: the gas's gravity from 1 to 2, but not from 0 */
    VKS_CHANGE_NEVER,     /* needs a new simulation */
};

struct vks_option_info {
    size_t size;
    const char *name;
    const char *help;           /* one line */
    const char *unit;           /* "cells", "degrees", ...; "" for none */
    const char *default_text;   /* unless a preset sets another; NULL: unset */
    const char *same_as;        /* the option that it follows while unset; NULL: none */
    const char *const *choices; /* NULL-terminated; NULL: any value */
    double min, max;            /* of a count, a real or each part of a size; otherwise 0 */
    enum vks_option_type type;
    enum vks_option_change change;
    const char *heading;       /* of its group in a panel, in lower case; "" for none */
    double soft_min, soft_max; /* of a count or a real: the range for a slider, inside the above */
    bool logarithmic;          /* equal distances on the slider are equal factors */
};

/* The option with that index: first the model's own, then those common to all models. False past
 * the last, or if there is no such model. */
VKS_API bool vks_model_option(const char *model, size_t index, struct vks_option_info *info);

/* Adds the model of a file, for the life of the process; *name becomes its name, for the functions
 * above and for vks_simulation_create(). `word` is what `vksim WORD` takes: a file of formulas
 * (docs/formulas.md) or a compound, the folder of a model of shaders, or a name, which is looked
 * for in VKSIM_MODEL_PATH, in $XDG_DATA_HOME/vksim/models and among the models that come with
 * vksim; the name of a model that is there already stands for that. Adding a file again does
 * nothing. VKS_ERROR_FILE if the file cannot be read or is not JSON, VKS_ERROR_USAGE for what is
 * wrong in it, for a name that is not found, and if another model has its name. Shaders of formulas
 * are compiled when a simulation first needs them, which fails with VKS_ERROR_USAGE if there is no
 * GLSL compiler.
 *
 * A file that ends in ".so" is a plug-in (docs/plugins.md), whose code is loaded. All of its models
 * are added, *name is that of the first; VKS_ERROR_STOPPED if a shader of it is not exact. */
VKS_API enum vks_result vks_model_load(const char *word, const char **name);
/* The same for a formula's text. */
VKS_API enum vks_result vks_model_parse(const char *text, const char **name);

enum { VKS_STROKE_VALUES = 2 };

struct vks_brush_info {
    size_t size;
    const char *name;
    const char *help;    /* what a stroke does; one line */
    const char *inverse; /* what its inverse does; one line */
    const char *needs;   /* "walls" or "method=grid": an option that a run must have set, or have
                          * set to one of some values; "" for none */
    /* Of each value that its strokes carry, the option of the same quantity, such as "feed", and
     * the largest one; the least is 0. NULL ends the list. */
    const char *values[VKS_STROKE_VALUES];
    double max[VKS_STROKE_VALUES];
};

/* The brush of a model with that index: what vks_simulation_paint() takes. False past the last, or
 * if there is no such model. */
VKS_API bool vks_model_brush(const char *model, size_t index, struct vks_brush_info *info);

/* --- simulations ----------------------------------------------------------------------------- */

struct vks_simulation_params {
    size_t size;
    const char *model;      /* NULL: "physarum" */
    const char *preset;     /* NULL: "default" */
    uint32_t width, height; /* cells; 0: the preset's, usually 1024 x 1024, or about as many
                             * with the aspect ratio of the image that the run starts from */
    uint32_t depth;         /* cells; over 1 only for volume models; 0: the preset's */
    uint32_t planes;        /* set of enum vks_frame_plane, besides RGBA */
    uint32_t seed;          /* 0: 1, or the seed of the state file */
    bool watch;             /* compute the model's scalars with every frame */
    const char *init;       /* an initial condition, or "image:FILE"; NULL: the preset's */
    /* "name=value" strings, NULL-terminated; NULL: none. An option that a member above has set is
     * VKS_ERROR_USAGE. */
    const char *const *options;
    const char *load_state; /* .npz file to start from; NULL: a fresh start */
};
/* VKS_SIMULATION_PARAMS(.model = "gas", .width = 64): for C. */
#define VKS_SIMULATION_PARAMS(...) \
    ((struct vks_simulation_params){.size = sizeof(struct vks_simulation_params), __VA_ARGS__})

typedef struct vks_simulation vks_simulation;

/* Builds the pipelines, allocates the fields and computes the initial state. VKS_ERROR_USAGE: a
 * name, value or size is wrong or exceeds the device's limits; VKS_ERROR_FILE: an image or state
 * file. */
VKS_API enum vks_result vks_simulation_create(vks_context *context,
                                              const struct vks_simulation_params *params,
                                              vks_simulation **simulation);
VKS_API void vks_simulation_destroy(vks_simulation *simulation); /* NULL is fine */

/* Submits `steps` steps; returns when all but the last few batches (of some 50 ms) are done. */
VKS_API enum vks_result vks_simulation_run(vks_simulation *simulation, uint64_t steps);
/* Waits until all submitted work is done. */
VKS_API enum vks_result vks_simulation_wait(vks_simulation *simulation);
/* Steps submitted since the start, including those of a loaded state. */
VKS_API uint64_t vks_simulation_steps(const vks_simulation *simulation);
/* Changes an option of a running simulation, for example "feed" to "0.03". Steps already submitted
 * use the old value, later ones the new; options that affect only the start take effect with
 * vks_simulation_restart(). "" unsets a text that has no default. VKS_ERROR_USAGE, with nothing
 * changed, for an unknown name, a bad value, or a change that needs a new simulation ("size",
 * "agents"). */
VKS_API enum vks_result vks_simulation_set(vks_simulation *simulation, const char *name,
                                           const char *value);
/* The same with a number: vks_simulation_set_real() sets reals and counts, _set_count() counts. */
VKS_API enum vks_result vks_simulation_set_real(vks_simulation *simulation, const char *name,
                                                double value);
VKS_API enum vks_result vks_simulation_set_count(vks_simulation *simulation, const char *name,
                                                 uint64_t value);
/* The value of an option as terminated text, as vks_simulation_set() takes it; "" for a text that
 * is unset or a key. VKS_ERROR_USAGE for an unknown name, or if it needs more than `size` bytes. */
VKS_API enum vks_result vks_simulation_get(vks_simulation *simulation, const char *name, char *text,
                                           size_t size);
/* The value of a real (of a list, the first) or a count; for an option that follows another, its
 * current value. */
VKS_API enum vks_result vks_simulation_get_real(vks_simulation *simulation, const char *name,
                                                double *value);

enum { VKS_MAX_STROKES = 64 };

/* A stroke of a brush: a disc, in a volume a ball, that moves from one place to another, or stays
 * where the places are equal. Places are in 2^-16 of the field's sides, from the left, the top and,
 * in a volume, the middle of the depth. Where the model is periodic, strokes continue at the
 * opposite edge. docs/brushes.md defines to the bit what a stroke does. */
struct vks_stroke {
    size_t size;
    const char *brush;
    int32_t x, y, x2, y2; /* -65536 to 131072; a side at most apart */
    int32_t z, z2;        /* -65536 to 65536, likewise; no effect in a flat field */
    uint32_t radius;      /* in 2^-16 of the shortest side that is longer than a cell: 1 to 32768.
                           * At least 7/8 of a cell counts */
    uint32_t soft;        /* share of the radius that is a soft edge, in 2^-16: 0 to 65536 */
    uint32_t strength;    /* in 2^-16: 0 to 65536 */
    uint32_t inverse;     /* 1: what the brush calls its inverse */
    double values[VKS_STROKE_VALUES]; /* what it paints, if the brush takes values */
};
/* VKS_STROKE(.brush = "seed", .radius = 1000, .strength = 65536): for C. */
#define VKS_STROKE(...) ((struct vks_stroke){.size = sizeof(struct vks_stroke), __VA_ARGS__})

/* Paints up to VKS_MAX_STROKES strokes, one after another, between the steps submitted so far and
 * later ones. Does not wait for the GPU; the first stroke of a brush builds its pipelines. All have
 * the size given in the first. VKS_ERROR_USAGE, with nothing painted, for an unknown brush, one
 * that this run lacks, or a number out of range. */
VKS_API enum vks_result vks_simulation_paint(vks_simulation *simulation,
                                             const struct vks_stroke *strokes, size_t count);

/* Starts again without rebuilding anything: from the loaded state if there was one and the seed is
 * the same; with another seed, from the initial condition with the same options. VKS_ERROR_FILE,
 * with nothing changed, if the state or an image cannot be read; so that it can go back, a start
 * from a state needs memory for a snapshot. After another failure the simulation can only be
 * destroyed; every other call that can fail does. */
VKS_API enum vks_result vks_simulation_restart(vks_simulation *simulation, uint32_t seed);

/* --- snapshots ------------------------------------------------------------------------------- */

/* The complete state of a simulation: fields, the order of items, steps, settings and seed, what a
 * restart returns to, and the range that normalize=smooth follows. */
typedef struct vks_snapshot vks_snapshot;

enum vks_snapshot_memory {
    VKS_SNAPSHOT_DEVICE, /* the device's, or the host's if too little of it is free */
    VKS_SNAPSHOT_HOST,
};

/* Copies the state after all steps submitted so far. Does not wait for them: the copies follow them
 * on the device. *snapshot is the caller's, to be released before the context is destroyed; it
 * stays as it is whatever happens to the simulation, and outlives it. VKS_ERROR_MEMORY: too little
 * is free; the message says how many bytes it needs, and the simulation goes on. */
VKS_API enum vks_result vks_simulation_snapshot(vks_simulation *simulation,
                                                enum vks_snapshot_memory memory,
                                                vks_snapshot **snapshot);
/* Returns to the state and the settings of a snapshot, any number of times: the steps that follow
 * produce the same bytes as they did after the snapshot. Waits for submitted steps. The simulation
 * is the one that the snapshot was taken of, or another one of the same context with the same
 * fields and variant; for any other VKS_ERROR_USAGE, with nothing changed. After another failure,
 * the simulation may be of no use but to be destroyed. */
VKS_API enum vks_result vks_simulation_restore(vks_simulation *simulation,
                                               const vks_snapshot *snapshot);
/* Writes the snapshot to a file, like vks_simulation_save(); VKS_ERROR_STOPPED if the model's
 * failure was known when it was taken. Any thread may call this while others use the context, so
 * that steps continue while the file is written. */
VKS_API enum vks_result vks_snapshot_save(const vks_snapshot *snapshot, const char *path,
                                          bool overwrite);
/* Must not be called while the snapshot is being saved. NULL is fine. */
VKS_API void vks_snapshot_release(vks_snapshot *snapshot);

struct vks_snapshot_info {
    size_t size;
    uint64_t steps; /* vks_simulation_steps() when it was taken */
    uint64_t bytes; /* of memory that it takes */
    bool in_host_memory;
};
VKS_API enum vks_result vks_snapshot_describe(const vks_snapshot *snapshot,
                                              struct vks_snapshot_info *info);

/* --- fields and pictures --------------------------------------------------------------------- */

enum vks_element {
    VKS_F32 = 1,
    VKS_U32,
    VKS_U32X2,
    VKS_F16, /* IEEE half, two bytes; never subnormal, infinite or NaN */
};

struct vks_field_info {
    size_t size;
    /* These two are valid until the next call that changes or draws the simulation. */
    const char *name;
    const char *help;
    enum vks_element element;
    /* The field as an array of float32, uint32 or float16 in C order (the last axis is contiguous),
     * as in a state file: N items are (N), a plane is (H, W), a volume (D, H, W). If an element has
     * several scalars, their number is one more axis, the last: N items of VKS_U32X2 are (N, 2). */
    uint32_t rank;      /* axes, 1 to 4 */
    uint64_t extent[4]; /* their lengths; 0 past the last */
    uint64_t bytes;     /* of the whole field */
};

/* The persistent fields (the state) in declaration order. False past the last. */
VKS_API bool vks_simulation_field(const vks_simulation *simulation, size_t index,
                                  struct vks_field_info *info);
/* Reads or writes a persistent field; `size` must be that of the field in bytes. Waits for
 * submitted steps. On several ranks, all fields of agents are written again after `position`,
 * because agents change their ranks: VKS_ERROR_USAGE from the next call that needs them. */
VKS_API enum vks_result vks_simulation_read(vks_simulation *simulation, const char *field,
                                            void *data, size_t size);
VKS_API enum vks_result vks_simulation_write(vks_simulation *simulation, const char *field,
                                             const void *data, size_t size);

/* The rows of the grid (planes of a volume) that this process computes: on one rank, all. */
VKS_API void vks_simulation_part(const vks_simulation *simulation, uint32_t *first, uint32_t *rows);
/* Reads these rows of a persistent field of the grid's shape; one with planes has them for each of
 * these. Other ranks take no part. On one rank as vks_simulation_read(). VKS_ERROR_USAGE: the field
 * has no rows, or `size` is not that of the rows in bytes. */
VKS_API enum vks_result vks_simulation_read_part(vks_simulation *simulation, const char *field,
                                                 void *data, size_t size);

struct vks_mapped {
    size_t size;
    const void *data;
    uint64_t bytes; /* of the field */
};

/* The memory of a persistent field itself, where the host can read the device's memory like its
 * own: of software drivers and most integrated GPUs. Waits for submitted steps. The memory is valid
 * until the simulation is destroyed; what it holds, only until the next call that changes the
 * simulation: a field may have two buffers that take turns, so map it again after steps.
 * VKS_ERROR_USAGE: the host cannot read it, or the field is in several buffers, or its items are in
 * another order than that of their numbers; vks_simulation_read() copies any field. */
VKS_API enum vks_result vks_simulation_map(vks_simulation *simulation, const char *field,
                                           struct vks_mapped *mapped);

/* A copy of a persistent field in memory of the device that other APIs can import, such as CUDA by
 * cuImportExternalMemory() and Vulkan by VK_KHR_external_memory_fd. It is a copy because a field
 * may have two buffers that take turns, and its items may be sorted. */
typedef struct vks_shared vks_shared;

struct vks_shared_info {
    size_t size;
    uint64_t bytes;        /* of the field, at the beginning of the memory */
    uint64_t memory_bytes; /* of the memory, a dedicated allocation */
    int memory;            /* file descriptor, the caller's: an import usually takes it over */
    int semaphore;         /* the same, of a timeline semaphore; -1: the device cannot share one */
    uint8_t device_uuid[16]; /* VkPhysicalDeviceIDProperties.deviceUUID */
};

/* Makes the copy, whose values are undefined until vks_shared_update(). *shared is the caller's, to
 * be closed before the simulation is destroyed; imports stay valid. VKS_ERROR_DEVICE: the device
 * cannot export memory; VKS_ERROR_USAGE: there is no such field, or it is in several buffers. */
VKS_API enum vks_result vks_simulation_share(vks_simulation *simulation, const char *field,
                                             vks_shared **shared, struct vks_shared_info *info);

/* The two APIs take turns. Each of these calls begins on the device once the semaphore has reached
 * `after`, which the other API signals when it is done with the memory (0: it is), and signals
 * *value when it is done itself; the other API waits for that on the device. Values rise: `after`
 * is one more than the last *value. Without a semaphore `after` must be 0; the calls wait for the
 * device, and *value is 0. */

/* Copies the current values of the field into the memory. Does not wait for the device. */
VKS_API enum vks_result vks_shared_update(vks_shared *shared, uint64_t after, uint64_t *value);
/* Makes the values in the memory those of the field. As with vks_simulation_write(), floats must be
 * finite and in the field's range, and are flushed, in the memory too; the device checks them, and
 * the call waits for that. Fields that the model converts or checks itself pass through the host's
 * memory. VKS_ERROR_USAGE for a bad value, with its index, or a bad `after`: the field stays as it
 * was, and nothing is signalled. */
VKS_API enum vks_result vks_shared_store(vks_shared *shared, uint64_t after, uint64_t *value);
VKS_API void vks_shared_close(vks_shared *shared); /* waits for the device; NULL is fine */

/* XXH3-128 of the persistent fields in declaration order, as 32 hex digits. */
VKS_API enum vks_result vks_simulation_digest(vks_simulation *simulation, char hex[33]);
/* The size of pictures in pixels: output-size, or else that of the crop, the field or, for a
 * volume, the displayed plane. */
VKS_API void vks_simulation_picture_size(const vks_simulation *simulation, uint32_t *width,
                                         uint32_t *height); /* each may be NULL */
/* Draws the current state into the planes below and computes the watched scalars. Does not wait.
 * With normalize=smooth each picture's range affects that of the next one. */
VKS_API enum vks_result vks_simulation_draw(vks_simulation *simulation);

/* What can be copied of a drawn picture. Rows run from the top, without padding; numbers are in the
 * host's byte order. A set of planes has the bit 1 << plane for each. */
enum vks_frame_plane {
    VKS_PLANE_RGBA = 0,    /* 8 bits per channel, red first, straight alpha; always made */
    VKS_PLANE_RGBA16 = 1,  /* 16 bits per channel: R G B A */
    VKS_PLANE_YUV = 2,     /* planar YUV 4:2:0, BT.709, limited range: Y, then U, then V; excludes
                            * backgrounds with transparency */
    VKS_PLANE_YUV10 = 3,   /* the same with 10 bits, each sample in 16 */
    VKS_PLANE_VALUES = 4,  /* float32 per pixel: the view's field at the picture's size, before
                            * normalisation; of several planes one after the other */
    VKS_PLANE_CELLS = 5,   /* float32 per cell of the whole displayed field */
    VKS_PLANE_HEIGHTS = 6, /* uint32 per pixel, 0 to 65535: normalised values, before gamma; of
                            * several planes the largest */
};

struct vks_plane_info {
    size_t size;
    uint32_t width, height; /* pixels, or cells; of YUV rounded up to multiples of 8 and 2 */
    uint32_t depth;         /* cells of a volume along z, or planes of a field; otherwise 1 */
    uint64_t row_bytes;     /* of YUV: of a row of Y; rows of U and V have half as many */
    uint64_t bytes;         /* of the whole plane */
};

/* The layout of a plane; VKS_ERROR_USAGE for one that pictures are not made with. */
VKS_API enum vks_result vks_simulation_plane(const vks_simulation *simulation,
                                             enum vks_frame_plane plane,
                                             struct vks_plane_info *info);
/* Makes these planes of each picture from now on, instead of those of the parameters. The picture
 * has to be drawn again. VKS_ERROR_USAGE for planes that do not exist, or that the background
 * excludes; after a failure the planes are as before. */
VKS_API enum vks_result vks_simulation_set_planes(vks_simulation *simulation, uint32_t planes);
/* Copies a plane of the latest picture, and waits for it; `size` must be that of the plane in
 * bytes. VKS_ERROR_USAGE if the simulation has changed since. */
VKS_API enum vks_result vks_simulation_read_plane(vks_simulation *simulation,
                                                  enum vks_frame_plane plane, void *data,
                                                  size_t size);
/* Draws a picture and copies it as RGB: width x height x 3 bytes, without alpha. */
VKS_API enum vks_result vks_simulation_render(vks_simulation *simulation, uint8_t *rgb,
                                              size_t size);
struct vks_watched {
    size_t size;
    const char *name; /* valid until the next call that changes or draws the simulation */
    double value;
    uint64_t step; /* number of steps done at that value */
    bool known;    /* false before the first frame is done: value and step are 0 */
};

/* The model's scalars (means, extremes, status) by index, as of the latest completed frame;
 * vks_simulation_draw() makes frames. Most exist only with `watch` in the parameters. Never waits.
 * False past the last. */
VKS_API bool vks_simulation_watched(vks_simulation *simulation, size_t index,
                                    struct vks_watched *watched);
/* Waits for submitted steps, and writes an .npz state file, which appears under its name once it is
 * complete. VKS_ERROR_EXISTS if the file exists and `overwrite` is false; VKS_ERROR_STOPPED,
 * without a file, if the model has failed. */
VKS_API enum vks_result vks_simulation_save(vks_simulation *simulation, const char *path,
                                            bool overwrite);

/* Continues from a state file with the options in it, as if the simulation had been created with
 * load_state: vks_simulation_restart() returns there. The state must have the fields and the size
 * of this simulation. After a failure the simulation is as it was: VKS_ERROR_FILE or
 * VKS_ERROR_USAGE for the file, VKS_ERROR_MEMORY if there is no room to keep the current state
 * meanwhile. */
VKS_API enum vks_result vks_simulation_load(vks_simulation *simulation, const char *path);

/* --- timings --------------------------------------------------------------------------------- */

struct vks_pass_timing {
    size_t size;
    const char *name;  /* valid until the next call that changes or draws the simulation */
    uint64_t calls;    /* dispatches submitted and finished */
    uint64_t samples;  /* calls that were timed */
    double total;      /* seconds: mean x calls */
    double mean;       /* seconds per call */
    double p50, p95;   /* seconds, of the samples kept (the latest few thousand) */
    double bytes;      /* minimum per call, as the pass declares */
    double operations; /* arithmetic operations per call, likewise */
    double min, max;   /* seconds, of all samples */
    double atomics;    /* atomic operations on memory per call, as the pass declares */
};

/* The pass with that index, in declaration order; false past the last. Those of brushes that have
 * painted are last; those with the same name count as one. Waits for the GPU. */
VKS_API bool vks_simulation_timing(vks_simulation *simulation, size_t index,
                                   struct vks_pass_timing *timing);

#ifdef __cplusplus
}
#endif
#endif
