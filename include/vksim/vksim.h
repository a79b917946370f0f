/* SPDX-License-Identifier: MIT */
/* libvksim: simulations on Vulkan compute, the same bytes on every driver.
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
 * Structures begin with `size`, which the caller sets to the sizeof of the structure, in those that
 * the library fills as well; later versions append members. What a program does not have (it was
 * compiled with an earlier version) is zero, and is not filled. What the library does not have must
 * be zero in parameters, and stays as it is in a structure to be filled. A size of 0 is an error.
 * Every other member of parameters may be zero, which always means the default.
 *
 * Strings passed in are copied; strings handed out belong to the object they came from, and those
 * about models are static. A context and its simulations are used by one thread at a time; separate
 * contexts are independent. All other functions may be called from any thread.
 *
 * docs/library.md has whole programs. */
#ifndef VKSIM_VKSIM_H
#define VKSIM_VKSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH" of the library: a static string. */
VKS_API const char *vks_version(void);

/* Messages for a person. Errors are not among them: those are vks_error_text(). */
enum vks_log_level { VKS_LOG_ERROR, VKS_LOG_WARNING, VKS_LOG_INFO, VKS_LOG_VERBOSE };
typedef void vks_log_fn(void *user, enum vks_log_level level, const char *text);

/* Sends messages up to level `max` to `callback` (NULL: standard error, one line each, prefixed
 * with "vksim: "). Process-wide; the callback may be called from any thread. */
VKS_API void vks_log_to(enum vks_log_level max, vks_log_fn *callback, void *user);

/* --- devices and contexts -------------------------------------------------------------------- */

enum vks_validation {
    VKS_VALIDATION_OFF,
    VKS_VALIDATION_CORE, /* API use */
    VKS_VALIDATION_SYNC, /* and hazards between commands */
    VKS_VALIDATION_GPU,  /* and the shaders' own accesses (GPU-assisted) */
};

/* No structure of parameters ends in padding, where a later member could not be told from noise. */
struct vks_context_params {
    size_t size;
    enum vks_validation validation;
    bool no_disk_cache; /* neither read nor write the pipeline cache file */
    const char *device; /* index, part of a name, or UUID; NULL: VKSIM_DEVICE, else the best */
};
/* VKS_CONTEXT_PARAMS(.device = "1"): for C. */
#define VKS_CONTEXT_PARAMS(...) \
    ((struct vks_context_params){.size = sizeof(struct vks_context_params), __VA_ARGS__})

typedef struct vks_context vks_context;

/* Opens a device. *context is the caller's, to be destroyed after all its simulations; untouched
 * on failure (VKS_ERROR_DEVICE: no loader, no driver, no such device, or none that is enough). */
VKS_API enum vks_result vks_context_create(const struct vks_context_params *params,
                                           vks_context **context);
VKS_API void vks_context_destroy(vks_context *context); /* NULL is fine */

/* Messages the validation layers have reported so far (0 when validation is off). */
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
    char name[256];       /* as the driver gives it */
    char driver[512];     /* name and version in the driver's own words */
    char api_version[32]; /* highest Vulkan version, "1.3.230" */
    char uuid[37];        /* 8-4-4-4-12 hex digits */
    char lacks[256];      /* what vksim needs and the device has not; "" when it is enough */
    char features[256];   /* what it offers beyond that, for reports and measurements; may be "" */
    enum vks_device_type type;
    uint64_t memory;         /* bytes of its largest device-local heap */
    uint64_t largest_buffer; /* bytes of the largest storage buffer a shader can address */
};

VKS_API enum vks_result vks_context_device(const vks_context *context,
                                           struct vks_device_info *info);

/* Fills up to `capacity` rows, each of the size that the first one says, and sets *count to the
 * number of devices there are. */
VKS_API enum vks_result vks_devices(struct vks_device_info *infos, size_t capacity, size_t *count);

/* --- models ---------------------------------------------------------------------------------- */

/* Name of the model with that index ("physarum", ...), NULL past the last. */
VKS_API const char *vks_model_name(size_t index);
/* One line on it; NULL if there is no such model. */
VKS_API const char *vks_model_summary(const char *model);
/* Its presets by index: name, and *summary if not NULL. NULL past the last or for no such model. */
VKS_API const char *vks_model_preset(const char *model, size_t index, const char **summary);
/* Its views, what pictures can show, alike; the first is the default of the option "view". */
VKS_API const char *vks_model_view(const char *model, size_t index, const char **help);
/* Its initial conditions, what the option "init" takes; the first is the default. */
VKS_API const char *vks_model_init(const char *model, size_t index);
/* The colour maps by index, what the option "colormap" takes besides files. */
VKS_API const char *vks_colormap_name(size_t index);

enum vks_option_type {
    VKS_OPTION_FLAG,   /* "true" or "false" */
    VKS_OPTION_COUNT,  /* a whole number */
    VKS_OPTION_REAL,   /* a number */
    VKS_OPTION_CHOICE, /* one of `choices` */
    VKS_OPTION_TEXT,   /* one of `choices`, or any text where there are none; may be unset */
    VKS_OPTION_SIZE,   /* "640x480", or "64x64x64" */
};

/* When a simulation that runs can take another value (vks_simulation_set()). */
enum vks_option_change {
    VKS_CHANGE_LIVE,  /* at any time: the next steps and pictures have it */
    VKS_CHANGE_START, /* at any time, but only the start depends on it: vks_simulation_restart() */
    VKS_CHANGE_SOMETIMES, /* some values: bloom from 1 to 2, but not from 0, which has no glow */
    VKS_CHANGE_NEVER,     /* takes a new simulation */
};

struct vks_option_info {
    size_t size;
    const char *name;
    const char *help;           /* one line */
    const char *unit;           /* "cells", "degrees", ...; "" for none */
    const char *default_text;   /* where no preset says otherwise; NULL: unset */
    const char *same_as;        /* the option whose value it has while unset; NULL: none */
    const char *const *choices; /* NULL-terminated; NULL: not limited to some */
    double min, max;            /* of a count, a real and each part of a size; else 0 */
    enum vks_option_type type;
    enum vks_option_change change;
};

/* The option with that index: first the model's own, then those of every model. False past the
 * last, and for no such model. */
VKS_API bool vks_model_option(const char *model, size_t index, struct vks_option_info *info);

/* --- simulations ----------------------------------------------------------------------------- */

struct vks_simulation_params {
    size_t size;
    const char *model;          /* NULL: "physarum" */
    const char *preset;         /* NULL: "default" */
    uint32_t width, height;     /* cells; 0: the preset's, 1024 x 1024 as a rule */
    uint32_t depth;             /* cells; over 1 only for models of volumes; 0: the preset's */
    uint32_t planes;            /* set of enum vks_frame_plane to be made besides RGBA */
    uint32_t seed;              /* 0: 1, or the seed of the state file */
    bool watch;                 /* compute the model's scalars with every frame */
    const char *init;           /* a start of the model, or "image:FILE"; NULL: the preset's */
    const char *const *options; /* "name=value" strings, NULL-terminated; NULL: none */
    const char *load_state;     /* .npz file to start from; NULL: a fresh start */
};
/* VKS_SIMULATION_PARAMS(.model = "gas", .width = 64): for C. */
#define VKS_SIMULATION_PARAMS(...) \
    ((struct vks_simulation_params){.size = sizeof(struct vks_simulation_params), __VA_ARGS__})

typedef struct vks_simulation vks_simulation;

/* Builds the pipelines, allocates the fields and starts the model. VKS_ERROR_USAGE: a name, value
 * or size that is wrong or does not fit the device; VKS_ERROR_FILE: image or state file. */
VKS_API enum vks_result vks_simulation_create(vks_context *context,
                                              const struct vks_simulation_params *params,
                                              vks_simulation **simulation);
VKS_API void vks_simulation_destroy(vks_simulation *simulation); /* NULL is fine */

/* Submits `steps` steps; returns when all but the last few batches (of some 50 ms) are done. */
VKS_API enum vks_result vks_simulation_run(vks_simulation *simulation, uint64_t steps);
/* Waits until all that was submitted is done. */
VKS_API enum vks_result vks_simulation_wait(vks_simulation *simulation);
/* Steps submitted since the start, those of a loaded state included. */
VKS_API uint64_t vks_simulation_steps(const vks_simulation *simulation);
/* Changes an option of a running simulation, for example "feed" to "0.03". Steps already submitted
 * use the old value, later ones the new; what only the start depends on takes effect with
 * vks_simulation_restart(). VKS_ERROR_USAGE, with nothing changed, for an unknown name, a bad
 * value, or a change that takes a new simulation ("size", "agents"). */
VKS_API enum vks_result vks_simulation_set(vks_simulation *simulation, const char *name,
                                           const char *value);
/* The same with a number: of a real, which takes counts as well, and of a count. */
VKS_API enum vks_result vks_simulation_set_real(vks_simulation *simulation, const char *name,
                                                double value);
VKS_API enum vks_result vks_simulation_set_count(vks_simulation *simulation, const char *name,
                                                 uint64_t value);
/* The value of an option as text that vks_simulation_set() takes, terminated; "" for a text that is
 * unset. VKS_ERROR_USAGE for an unknown name, or if it needs more than `size` bytes. */
VKS_API enum vks_result vks_simulation_get(vks_simulation *simulation, const char *name, char *text,
                                           size_t size);
/* The value of a real or a count; of an option that follows another, the value that it has now. */
VKS_API enum vks_result vks_simulation_get_real(vks_simulation *simulation, const char *name,
                                                double *value);
/* Starts again without rebuilding anything: from the loaded state if there was one and the seed is
 * the same; another seed gives a fresh start with the same options. After a failure the simulation
 * can only be destroyed; every other call fails. */
VKS_API enum vks_result vks_simulation_restart(vks_simulation *simulation, uint32_t seed);

enum vks_element {
    VKS_F32 = 1,
    VKS_U32,
    VKS_U32X2,
    VKS_F16, /* IEEE half, two bytes; never subnormal, infinite or NaN */
};

struct vks_field_info {
    size_t size;
    const char *name; /* this and help: valid until the next call that sets an option or restarts */
    const char *help;
    enum vks_element element;
    /* The field as an array of float32, uint32 or float16 in C order (the last axis is contiguous),
     * as a state file holds it: N items are (N), a plane is (H, W), a volume (D, H, W). Where an
     * element has several scalars their number is one more axis, the last: N items of VKS_U32X2
     * are (N, 2). */
    uint32_t rank;      /* axes, 1 to 4 */
    uint64_t extent[4]; /* their lengths; 0 past the last */
    uint64_t bytes;     /* of the whole field */
};

/* The persistent fields (the state) in declaration order. False past the last. */
VKS_API bool vks_simulation_field(const vks_simulation *simulation, size_t index,
                                  struct vks_field_info *info);
/* Copies a persistent field out (in); `size` must be its bytes. Waits for submitted steps. */
VKS_API enum vks_result vks_simulation_read(vks_simulation *simulation, const char *field,
                                            void *data, size_t size);
VKS_API enum vks_result vks_simulation_write(vks_simulation *simulation, const char *field,
                                             const void *data, size_t size);
/* XXH3-128 of the persistent fields in declaration order, as 32 hex digits. */
VKS_API enum vks_result vks_simulation_digest(vks_simulation *simulation, char hex[33]);
/* The size of pictures in pixels: output-size, or else that of the crop, of the field or, in a
 * volume, of the plane that is shown. */
VKS_API void vks_simulation_picture_size(const vks_simulation *simulation, uint32_t *width,
                                         uint32_t *height);
/* Draws the state as it is now into the planes below, and computes the scalars further down. Does
 * not wait. With normalize=smooth each drawing moves the range that the next one is drawn with. */
VKS_API enum vks_result vks_simulation_draw(vks_simulation *simulation);

/* What can be copied of a drawn picture. Rows run from the top, without padding; numbers are in the
 * byte order of the machine. A set of planes has the bit 1 << plane for each. */
enum vks_frame_plane {
    VKS_PLANE_RGBA = 0,   /* 8 bits per channel, red first, straight alpha; always made */
    VKS_PLANE_RGBA16 = 1, /* 16 bits per channel: R G B A */
    VKS_PLANE_YUV = 2,   /* planar YUV 4:2:0, BT.709, limited range: Y, then U, then V; a background
                          * that is transparent somewhere is an error with it */
    VKS_PLANE_YUV10 = 3, /* the same with 10 bits, each sample in 16 */
    VKS_PLANE_VALUES = 4, /* float32 per pixel: what the picture shows, before normalisation */
    VKS_PLANE_CELLS = 5,  /* float32 per cell of the field that is shown, all of it */
};

struct vks_plane_info {
    size_t size;
    uint32_t width, height; /* pixels, or cells; of YUV the picture's, rounded up to 8 x 2 */
    uint32_t depth;         /* cells of a volume along z; otherwise 1 */
    uint64_t row_bytes;     /* of YUV those of a row of Y; rows of U and V have half as many */
    uint64_t bytes;         /* of the whole plane */
};

/* The layout of a plane; VKS_ERROR_USAGE for one that is not in the parameters' `planes`. */
VKS_API enum vks_result vks_simulation_plane(const vks_simulation *simulation,
                                             enum vks_frame_plane plane,
                                             struct vks_plane_info *info);
/* Copies a plane of the picture that was drawn last; `size` must be its bytes. Waits for it.
 * VKS_ERROR_USAGE after anything that has changed the simulation since. */
VKS_API enum vks_result vks_simulation_read_plane(vks_simulation *simulation,
                                                  enum vks_frame_plane plane, void *data,
                                                  size_t size);
/* Draws and copies the simplest picture: width x height x 3 bytes, RGB, without the alpha. */
VKS_API enum vks_result vks_simulation_render(vks_simulation *simulation, uint8_t *rgb,
                                              size_t size);
struct vks_watched {
    size_t size;
    const char *name; /* valid until the next call that sets an option or restarts */
    double value;
    uint64_t step; /* steps done when it had that value */
    bool known;    /* false before the first frame is done: value and step are 0 */
};

/* The model's scalars (means, extremes, status) by index, as of the latest frame that is done;
 * vks_simulation_draw() makes frames. Most are there only with `watch` in the parameters. Never
 * waits. False past the last. */
VKS_API bool vks_simulation_watched(vks_simulation *simulation, size_t index,
                                    struct vks_watched *watched);
/* Writes an .npz state file, which appears under its name only when it is whole. VKS_ERROR_EXISTS
 * if there is one already and `overwrite` is false. */
VKS_API enum vks_result vks_simulation_save(vks_simulation *simulation, const char *path,
                                            bool overwrite);

/* --- timings --------------------------------------------------------------------------------- */

struct vks_pass_timing {
    size_t size;
    const char *name;  /* valid until the next call that sets an option or restarts */
    uint64_t calls;    /* dispatches submitted and finished */
    uint64_t samples;  /* of which were timed */
    double total;      /* seconds: mean x calls */
    double mean;       /* seconds a call */
    double p50, p95;   /* seconds, of the samples kept (the latest few thousand) */
    double bytes;      /* a call must move, as the pass declares */
    double operations; /* arithmetic operations a call, as the pass declares */
};

/* The pass with that index in order of declaration; false past the last. Waits for the GPU. */
VKS_API bool vks_simulation_timing(vks_simulation *simulation, size_t index,
                                   struct vks_pass_timing *timing);

#ifdef __cplusplus
}
#endif
#endif
