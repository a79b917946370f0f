/* SPDX-License-Identifier: MIT */
#include "ui/capture.h"

#include "base/error.h"

enum {
    MAX_LEVELS = 17, /* of a picture of 65536 x 65536 pixels */
    CRISP = 6,       /* from this magnification on, pixels are drawn as squares, not blended */
    MAX_BLITS = 256, /* recorded at once */
};

/* --- drawing --------------------------------------------------------------------------------- */

static VkExtent2D level_extent(const struct vks_capture *capture, uint32_t level)
{
    const uint32_t width = capture->size.width >> level, height = capture->size.height >> level;
    return (VkExtent2D){width ? width : 1, height ? height : 1};
}

/* The smallest level that is not smaller than the picture on the screen. It is less than twice as
 * large, so a linear filter skips no pixels. */
static uint32_t level_for(const struct vks_capture *capture, const struct vks_place *place)
{
    const double width = capture->size.width * place->across;
    const double height = capture->size.height * place->down;
    uint32_t level = 0;
    while (level + 1 < capture->image.levels) {
        const VkExtent2D next = level_extent(capture, level + 1);
        if (next.width < width - 0.5 || next.height < height - 0.5) {
            break;
        }
        level++;
    }
    return level;
}

/* Makes the levels up to this one, unless that was done when the picture was drawn before. */
static void make_levels(struct vks_capture *capture, VkCommandBuffer commands, uint32_t level)
{
    const struct vks_gpu *gpu = capture->image.gpu;
    const VkImage image = capture->image.image;
    for (uint32_t i = capture->made + 1; i <= level; i++) {
        const VkExtent2D from = level_extent(capture, i - 1), to = level_extent(capture, i);
        const VkImageBlit region = {
            .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i - 1, 0, 1},
            .srcOffsets = {{0, 0, 0}, {(int32_t)from.width, (int32_t)from.height, 1}},
            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
            .dstOffsets = {{0, 0, 0}, {(int32_t)to.width, (int32_t)to.height, 1}},
        };
        vks_image_turn(gpu, commands, image, i, VKS_TO_TARGET);
        gpu->vk.vkCmdBlitImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_LINEAR);
        vks_image_turn(gpu, commands, image, i, VKS_TARGET_TO_SOURCE);
        capture->made = i;
    }
}

/* As much of a length from `at` on as lies before `end`. */
static int32_t cut(int32_t at, int32_t length, uint32_t end)
{
    const int64_t left = (int64_t)end - at;
    return left < 0 ? 0 : left < length ? (int32_t)left : length;
}

void vks_capture_draw(struct vks_capture *capture, VkCommandBuffer commands, VkImage image,
                      VkExtent2D extent, const struct vks_place *place)
{
    const struct vks_gpu *gpu = capture->image.gpu;
    const struct vks_rect area = place->area;
    const uint32_t level = level_for(capture, place);
    const VkExtent2D from = level_extent(capture, level);
    const double across = (double)from.width / capture->size.width;
    const double down = (double)from.height / capture->size.height;
    struct vks_cover columns[VKS_MAX_COVERS], rows[VKS_MAX_COVERS];
    const size_t column_count =
        vks_place_covers(place->left * across, place->across / across, from.width, place->wraps,
                         area.x, cut(area.x, area.width, extent.width), columns);
    const size_t row_count =
        vks_place_covers(place->top * down, place->down / down, from.height, place->wraps, area.y,
                         cut(area.y, area.height, extent.height), rows);
    const VkFilter filter = place->across >= CRISP ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
    VkImageBlit regions[MAX_BLITS];
    uint32_t count = 0;
    make_levels(capture, commands, level);
    for (size_t i = 0; i < row_count * column_count; i++) {
        const struct vks_cover *row = &rows[i / column_count], *column = &columns[i % column_count];
        regions[count++] = (VkImageBlit){
            .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
            .srcOffsets = {{column->from, row->from, 0}, {column->to, row->to, 1}},
            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
            .dstOffsets = {{column->at, row->at, 0}, {column->end, row->end, 1}},
        };
        if (count == MAX_BLITS || i + 1 == row_count * column_count) {
            gpu->vk.vkCmdBlitImage(commands, capture->image.image,
                                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
                                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, count, regions, filter);
            count = 0;
        }
    }
}

/* --- capturing ------------------------------------------------------------------------------- */

struct capturing {
    const struct vks_capture *capture;
    const struct vks_graph *graph;
};

static void record_capture(void *user, VkCommandBuffer commands)
{
    const struct capturing *capturing = user;
    const struct vks_image *image = &capturing->capture->image;
    VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {image->width, image->height, 1},
    };
    vks_image_turn(image->gpu, commands, image->image, 0, VKS_TO_TARGET);
    image->gpu->vk.vkCmdCopyBufferToImage(commands, vks_graph_buffer(capturing->graph, "picture"),
                                          image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                          &region);
    vks_image_turn(image->gpu, commands, image->image, 0, VKS_TARGET_TO_SOURCE);
}

enum vks_result vks_capture_frame(struct vks_capture *capture, struct vks_graph *graph,
                                  struct vks_ring *ring)
{
    struct capturing capturing = {capture, graph};
    uint64_t *value = &capture->values[capture->next];
    capture->next = (capture->next + 1) % VKS_FRAMES_IN_FLIGHT;
    enum vks_result result = vks_gpu_wait(capture->image.gpu, *value);
    if (result != VKS_OK) {
        return result;
    }
    result = ring ? vks_ring_push_with(ring, record_capture, &capturing, value)
                  : vks_graph_frame(graph, record_capture, &capturing, VK_NULL_HANDLE,
                                    VK_NULL_HANDLE, value);
    capture->made = 0; /* only now: between its parts, the last picture may have been drawn */
    return result;
}

/* --- creation -------------------------------------------------------------------------------- */

enum vks_result vks_capture_create(struct vks_gpu *gpu, struct vks_size size,
                                   struct vks_capture *capture)
{
    const uint32_t max = gpu->properties.limits.maxImageDimension2D;
    uint32_t levels = 1;
    *capture = (struct vks_capture){.size = size};
    if (size.width > max || size.height > max) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a picture of %ux%u: %s shows at most %u pixels per side; choose a smaller "
                        "--size or --output-size, or --headless",
                        size.width, size.height, gpu->info.name, max);
    }
    while (levels < MAX_LEVELS && (size.width | size.height) >> levels) {
        levels++;
    }
    return vks_image_create(gpu, size.width, size.height, levels, "the picture in the window",
                            &capture->image);
}

void vks_capture_destroy(struct vks_capture *capture)
{
    vks_image_destroy(&capture->image);
}
