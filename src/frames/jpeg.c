/* SPDX-License-Identifier: MIT */
/* Pictures as JPEG. */
#include <setjmp.h>
#include <stdint.h>
/* jpeglib.h needs stdio.h first. */
#include <stdio.h>

#include <jpeglib.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "frames/still.h"

/* With these, noise and thin lines look the same as in a PNG, at a quarter of its size. */
enum { QUALITY = 95, CHROMA_SAMPLES = 1 };

struct jpeg {
    struct jpeg_error_mgr error; /* first member: libjpeg passes pointers to it */
    jmp_buf failed;
    char text[JMSG_LENGTH_MAX];
    struct jpeg_compress_struct base;
    unsigned char *data; /* the file, in memory that libjpeg allocates */
    unsigned long size;
    uint8_t *row; /* RGB */
};

static void on_error(j_common_ptr base)
{
    struct jpeg *jpeg = (struct jpeg *)base->err;
    base->err->format_message(base, jpeg->text);
    longjmp(jpeg->failed, 1);
}

static void on_message(j_common_ptr base, int level)
{
    (void)base;
    (void)level;
}

/* libjpeg jumps out of here on errors. */
static bool encode(struct jpeg *jpeg, const struct vks_frame *frame)
{
    const uint8_t *rgba = frame->planes[VKS_PLANE_RGBA];
    struct jpeg_compress_struct *base = &jpeg->base;
    base->err = jpeg_std_error(&jpeg->error);
    jpeg->error.error_exit = on_error;
    jpeg->error.emit_message = on_message;
    if (setjmp(jpeg->failed)) {
        return false;
    }
    jpeg_create_compress(base);
    jpeg_mem_dest(base, &jpeg->data, &jpeg->size);
    base->image_width = frame->width;
    base->image_height = frame->height;
    base->input_components = 3;
    base->in_color_space = JCS_RGB;
    jpeg_set_defaults(base);
    jpeg_set_quality(base, QUALITY, TRUE);
    base->comp_info[0].h_samp_factor = base->comp_info[0].v_samp_factor = CHROMA_SAMPLES;
    base->dct_method = JDCT_ISLOW;
    base->optimize_coding = TRUE;
    jpeg_start_compress(base, TRUE);
    while (base->next_scanline < base->image_height) {
        const uint8_t *from = rgba + (size_t)base->next_scanline * frame->width * 4;
        for (size_t x = 0; x < frame->width; x++) {
            jpeg->row[3 * x] = from[4 * x];
            jpeg->row[3 * x + 1] = from[4 * x + 1];
            jpeg->row[3 * x + 2] = from[4 * x + 2];
        }
        jpeg_write_scanlines(base, &jpeg->row, 1);
    }
    jpeg_finish_compress(base);
    return true;
}

enum vks_result vks_jpeg_still(const struct vks_still *still, const struct vks_frame *frame)
{
    struct jpeg *jpeg = calloc(1, sizeof(*jpeg));
    uint8_t *row = malloc((size_t)frame->width * 3);
    enum vks_result result = jpeg && row ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        jpeg->row = row;
        if (encode(jpeg, frame)) {
            const int error = vks_write_all(still->fd, jpeg->data, jpeg->size);
            result = error ? vks_fail_write(still->path, error) : VKS_OK;
        } else {
            result =
                vks_fail(VKS_ERROR_FILE, "cannot write '%s': libjpeg: %s", still->path, jpeg->text);
        }
        jpeg_destroy_compress(&jpeg->base);
        free(jpeg->data);
    }
    free(row);
    free(jpeg);
    return result;
}
