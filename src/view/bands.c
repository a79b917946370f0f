/* SPDX-License-Identifier: MIT */
#include "view/bands.h"

#include "base/error.h"

uint32_t vks_band_rows(const struct vks_graph *graph)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    const int picture = vks_find_field(declaration, "picture");
    return picture < 0 ? 0 : (uint32_t)declaration->fields[picture].shape[0];
}

static bool has_frame_passes(const struct vks_graph *graph)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if (pass->when == VKS_EACH_FRAME && !pass->left_out) {
            return true;
        }
    }
    return false;
}

/* Runs one part of the picture, band by band or once; stops if it has no passes to run. */
static enum vks_result run_part(const struct vks_bands *bands, enum vks_view_part part)
{
    for (uint64_t row = 0; row < bands->height; row += bands->rows) {
        uint64_t value;
        enum vks_result result = bands->update(bands->user, part, (uint32_t)row);
        /* The first frame of a picture always runs: it reports the watched words. */
        const bool begins = part == VKS_VIEW_MEASURE && row == 0;
        if (result == VKS_OK && !begins && !has_frame_passes(bands->graph)) {
            return VKS_OK;
        }
        if (result == VKS_OK) {
            result =
                vks_graph_frame(bands->graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value);
        }
        if (result == VKS_OK) { /* limits the frames in flight to the command buffers */
            result = vks_graph_wait(bands->graph);
        }
        if (result != VKS_OK) {
            return result;
        }
    }
    return VKS_OK;
}

enum vks_result vks_bands_begin(const struct vks_bands *bands)
{
    enum vks_result result = VKS_OK;
    const int end = bands->rows < bands->height ? VKS_VIEW_DRAW : VKS_VIEW_MEASURE;
    for (int part = VKS_VIEW_MEASURE; result == VKS_OK && part < end; part++) {
        result = run_part(bands, (enum vks_view_part)part);
    }
    return result;
}

enum vks_result vks_bands_draw(const struct vks_bands *bands, uint32_t row,
                               void (*record)(void *user, VkCommandBuffer commands), void *user,
                               uint64_t *value)
{
    enum vks_result result =
        bands->rows < bands->height ? bands->update(bands->user, VKS_VIEW_DRAW, row) : VKS_OK;
    return result == VKS_OK
               ? vks_graph_frame(bands->graph, record, user, VK_NULL_HANDLE, VK_NULL_HANDLE, value)
               : result;
}
