/* SPDX-License-Identifier: MIT */
/* Writers of stills: each writes one frame to an open file. */
#ifndef VKS_FRAMES_STILL_H
#define VKS_FRAMES_STILL_H

#include "frames/sink.h"

struct vks_still {
    const char *path; /* for messages */
    int fd;
    const struct vks_sink_params *params;
    bool alpha;    /* write an alpha channel even if every pixel is opaque */
    bool numbered; /* one of a sequence */
};

static inline bool vks_is_big_endian(void)
{
    return *(const uint8_t *)&(uint16_t){1} == 0;
}

/* VKS_ERROR_FILE with a message. Safe in any thread. */
typedef enum vks_result vks_still_fn(const struct vks_still *still, const struct vks_frame *frame);

vks_still_fn vks_png_still;                       /* RGBA or RGBA16, whichever the frame has */
vks_still_fn vks_jpeg_still, vks_webp_still;      /* RGBA */
vks_still_fn vks_exr_still;                       /* RGBA16 and values */
vks_still_fn vks_vti_still, vks_fields_npz_still; /* cells */
vks_still_fn vks_vtp_still;                       /* items */
/* Heights (mesh.c); those of glb and ply also RGBA. */
vks_still_fn vks_heights_still, vks_r16_still, vks_glb_still, vks_stl_still, vks_ply_still;
vks_still_fn vks_caves_png_still, vks_caves_npy_still, vks_caves_csv_still;

/* Loads libav. VKS_ERROR_FILE if it, or its encoder of WebP, is missing. */
enum vks_result vks_webp_load(const char *path);

/* --- PNG ------------------------------------------------------------------------------------- */

/* A PNG that is written row by row, 8 bits per channel or 16 if `deep`; `grey`: one channel. */
struct vks_png_params {
    const char *path; /* for error messages; outlives the PNG */
    int fd;
    uint32_t width, height;
    bool deep, alpha, grey;
    const struct vks_origin *origin; /* NULL: unknown; outlives the PNG */
    uint64_t step, index;            /* of the frame */
};
struct vks_png;

struct vks_png_params vks_png_params_of(const struct vks_still *still,
                                        const struct vks_frame *frame);
/* The pixels of the frame, or of its band, that a PNG stores. */
const void *vks_png_pixels(const struct vks_frame *frame);

enum vks_result vks_png_begin(const struct vks_png_params *params, struct vks_png **png);
/* Writes the next rows: four channels without padding, even if alpha is dropped, or one if grey. */
enum vks_result vks_png_write(struct vks_png *png, const void *pixels, uint32_t rows);
/* After the last row. */
enum vks_result vks_png_end(struct vks_png *png);
void vks_png_free(struct vks_png *png); /* at any time; NULL is fine */
/* Reads the scene, as vks_sink_scene() does. */
enum vks_result vks_png_scene(const char *path, char **scene);

/* Whether a pixel of a frame, or of its band, is not opaque. */
bool vks_has_alpha(const struct vks_frame *frame);

#endif
