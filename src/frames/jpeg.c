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
    struct jpeg_destination_mgr file;
    int fd;
    int failure;           /* errno of a write, or 0 */
    JOCTET bytes[1 << 16]; /* to be written next */
    uint8_t *row;          /* RGB */
};

static void begin_bytes(j_compress_ptr base)
{
    base->dest->next_output_byte = ((struct jpeg *)base->err)->bytes;
    base->dest->free_in_buffer = sizeof(((struct jpeg *)base->err)->bytes);
}

static void write_bytes(j_compress_ptr base, size_t count)
{
    struct jpeg *jpeg = (struct jpeg *)base->err;
    jpeg->failure = vks_write_all(jpeg->fd, jpeg->bytes, count);
    if (jpeg->failure) {
        base->err->error_exit((j_common_ptr)base);
    }
    begin_bytes(base);
}

static boolean empty_bytes(j_compress_ptr base)
{
    write_bytes(base, sizeof(((struct jpeg *)base->err)->bytes));
    return TRUE;
}

static void end_bytes(j_compress_ptr base)
{
    write_bytes(base, sizeof(((struct jpeg *)base->err)->bytes) - base->dest->free_in_buffer);
}

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
    jpeg->file = (struct jpeg_destination_mgr){.init_destination = begin_bytes,
                                               .empty_output_buffer = empty_bytes,
                                               .term_destination = end_bytes};
    base->dest = &jpeg->file;
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
        jpeg->fd = still->fd;
        if (!encode(jpeg, frame)) {
            result = jpeg->failure ? vks_fail_write(still->path, jpeg->failure)
                                   : vks_fail(VKS_ERROR_FILE, "cannot write '%s': libjpeg: %s",
                                              still->path, jpeg->text);
        }
        jpeg_destroy_compress(&jpeg->base);
    }
    free(row);
    free(jpeg);
    return result;
}
