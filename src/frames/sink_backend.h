/* SPDX-License-Identifier: MIT */
/* The interface of an output format to sink.c, which does what all formats share. */
#ifndef VKS_FRAMES_SINK_BACKEND_H
#define VKS_FRAMES_SINK_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "frames/sink.h"

/* Set by the build: whether it has sink_video.c with libav, and exr.c with OpenEXR. */
#ifndef VKS_HAVE_VIDEO
#define VKS_HAVE_VIDEO 0
#endif
#ifndef VKS_HAVE_EXR
#define VKS_HAVE_EXR 0
#endif

struct vks_sink_backend {
    /* `path` and `field` of the params are copies that outlive the state. The params are checked:
     * sizes, frame rate and depth are not 0. Checks the rest, and creates the part file. Uses no
     * library that load() loads. */
    enum vks_result (*open)(const struct vks_sink_params *params, void **state);
    /* Before the first frame: allocates what is large, and opens the encoder. NULL: nothing. */
    enum vks_result (*start)(void *state);
    /* Waits until what was written is on the disk, and adds to *position what open() needs as
     * `resume`. NULL: nothing is needed. */
    enum vks_result (*hold)(void *state, json_t *position);
    /* The frame's size is checked, and it has exactly the format's planes. Not called again after
     * a failure. */
    enum vks_result (*write)(void *state, const struct vks_frame *frame);
    /* Called after at least one frame and no failure. Frees the state either way. */
    enum vks_result (*finish)(void *state);
    /* Frees the state and removes the part file. Unless `keep_complete`, also removes files that
     * already have their final name (stills of a sequence). What was held stays. */
    void (*abort)(void *state, bool keep_complete);
    /* The result is incomplete: calls vks_atomic_file_keep_old(), before finish(). *name becomes
     * the final name, which lives as long as the state. */
    enum vks_result (*keep_old)(void *state, const char **name);
    /* The rest may be NULL. */
    /* May run at any time in another thread: reads only what open() has set. NULL: every frame. */
    bool (*needs_frame)(const void *state, uint64_t index);
    bool (*shows_end)(const char *path); /* whether it is one still of the last frame; NULL: no */
    uint64_t (*frame_bytes)(const void *state); /* that each frame takes in files; NULL: unknown */
    enum vks_result (*set_origin)(void *state,
                                  const struct vks_origin *origin); /* NULL: too late */
    enum vks_result (*load)(const char *path); /* before start(), and earlier from any thread */
    void (*cancel)(void *state);               /* vks_sink_cancel(): from any thread */
    bool (*takes_bands)(const char *path);     /* NULL: never */
    enum vks_result (*scene)(const char *path, char **scene); /* vks_sink_scene(); NULL: none */
    /* vks_sink_picture(); NULL: none */
    enum vks_result (*picture)(const char *path, uint32_t *width, uint32_t *height, uint8_t **rgba);
    /* How the output deviates from the params, for the user: a heap string, or NULL. */
    char *(*note)(const void *state);
};

extern const struct vks_sink_backend vks_sink_video;
extern const struct vks_sink_backend vks_sink_gif;
extern const struct vks_sink_backend vks_sink_y4m;
extern const struct vks_sink_backend vks_sink_png;
extern const struct vks_sink_backend vks_sink_jpg;
extern const struct vks_sink_backend vks_sink_webp;
extern const struct vks_sink_backend vks_sink_exr;
extern const struct vks_sink_backend vks_sink_npy;
extern const struct vks_sink_backend vks_sink_vti;
extern const struct vks_sink_backend vks_sink_vtp;
extern const struct vks_sink_backend vks_sink_fields_npz;
extern const struct vks_sink_backend vks_sink_r16;
extern const struct vks_sink_backend vks_sink_glb;
extern const struct vks_sink_backend vks_sink_stl;
extern const struct vks_sink_backend vks_sink_ply;
extern const struct vks_sink_backend vks_sink_csv;

/* Opens the part file for reading and writing, at its end. VKS_ERROR_FILE with a message; *fd is -1
 * then. */
enum vks_result vks_sink_open_part(const struct vks_atomic_file *file, int *fd);

/* Fails with a message: the file contains no scene. */
enum vks_result vks_fail_no_scene(const char *path);

/* A video's side, rounded up to even for 4:2:0. */
static inline uint32_t vks_even(uint32_t side)
{
    return side + (side & 1U);
}

/* A note that a video is larger than its picture because a side is odd: a heap string, or NULL if
 * no side is odd or when memory ran out. */
char *vks_padding_note(uint32_t width, uint32_t height);

#endif
