/* SPDX-License-Identifier: MIT */
/* What the window's panel and strip cost per frame: steps, a picture of the field and the drawing
 * of the whole screen onto an image, as the window does it but without a display, with and without
 * them. While they are shown the panel is updated as often as in the window, and a value changes
 * with every update. Arguments: SIDE FRAMES. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/simulation.h"
#include "base/clock.h"
#include "base/error.h"
#include "ui/capture.h"
#include "ui/pane.h"
#include "ui/panel.h"
#include "ui/viewport.h"

enum { SLOTS = VKS_PANE_SLOTS, REPEATS = 5 };

struct bench {
    vks_context *context;
    vks_simulation *simulation;
    struct vks_capture capture;
    struct vks_image screen;
    struct vks_viewport port;
    struct vks_panel *panel;
    struct vks_pane pane;
    struct vks_brush_state brush;
    double updated, updating; /* time of the last update; seconds of all updates */
    unsigned updates;
    VkCommandBuffer commands[SLOTS];
    uint64_t values[SLOTS];
};

static enum vks_result create(struct bench *bench, uint32_t side)
{
    const struct vks_size size = {side, side, 1};
    enum vks_result result = vks_context_create(&VKS_CONTEXT_PARAMS(), &bench->context);
    if (result == VKS_OK) {
        result = vks_simulation_create(bench->context,
                                       &VKS_SIMULATION_PARAMS(.width = side, .height = side),
                                       &bench->simulation);
    }
    if (result != VKS_OK) {
        return result;
    }
    struct vks_gpu *gpu = &bench->context->gpu;
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = SLOTS,
    };
    bench->port = (struct vks_viewport){.picture = size,
                                        .panel = true,
                                        .strip = true,
                                        .scale = 1,
                                        .width = side + VKS_PANEL_WIDTH,
                                        .height = side};
    result = vks_capture_create(gpu, size, &bench->capture);
    if (result == VKS_OK) {
        result = vks_image_create(gpu, bench->port.width, bench->port.height, 1, "the screen",
                                  &bench->screen);
    }
    if (result == VKS_OK) {
        result = vks_panel_create(&bench->panel);
    }
    return result == VKS_OK
               ? vks_gpu_check(
                     gpu, gpu->vk.vkAllocateCommandBuffers(gpu->device, &commands, bench->commands),
                     "vkAllocateCommandBuffers")
               : result;
}

static enum vks_result update_panel(struct bench *bench)
{
    const struct vks_rect rect = vks_viewport_panel(&bench->port);
    const struct vks_surface surface = {(uint32_t)rect.width, (uint32_t)rect.height, 1};
    const struct vks_ui_input input = {.time = vks_seconds()};
    const struct vks_panel_data data = {.settings = vks_simulation_settings(bench->simulation),
                                        .preset = "default",
                                        .brush = bench->brush};
    struct vks_actions actions = {.count = 0};
    struct vks_update update;
    char text[32];
    snprintf(text, sizeof(text), "%u", 20 + bench->updates % 20);
    enum vks_result result = vks_simulation_set(bench->simulation, "sensor-angle", text);
    const double begin = vks_seconds();
    if (result == VKS_OK) {
        result = vks_panel_update(bench->panel, &data, &input, &surface, &actions, &update);
    }
    bench->updating += vks_seconds() - begin;
    bench->updates++;
    bench->updated = vks_seconds();
    return result == VKS_OK
               ? vks_pane_update(&bench->context->gpu, &bench->pane, vks_panel_canvas(bench->panel),
                                 update.rects, update.count)
               : result;
}

static enum vks_result draw_screen(struct bench *bench, size_t slot)
{
    struct vks_gpu *gpu = &bench->context->gpu;
    const VkCommandBuffer commands = bench->commands[slot];
    const VkExtent2D extent = {bench->port.width, bench->port.height};
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const struct vks_place place = vks_viewport_place(&bench->port);
    enum vks_result result = vks_gpu_wait(gpu, bench->values[slot]);
    if (result == VKS_OK) {
        result = vks_gpu_check(gpu, gpu->vk.vkBeginCommandBuffer(commands, &begin),
                               "vkBeginCommandBuffer");
    }
    if (result != VKS_OK) {
        return result;
    }
    if (bench->port.panel) {
        vks_pane_record(&bench->pane, commands, slot);
    }
    vks_image_turn(gpu, commands, bench->screen.image, 0, VKS_TO_TARGET);
    vks_capture_draw(&bench->capture, commands, bench->screen.image, extent, &place);
    if (bench->port.panel) {
        vks_image_turn(gpu, commands, bench->screen.image, 0, VKS_TARGET_AGAIN);
        vks_pane_draw(&bench->pane, commands, bench->screen.image, extent,
                      vks_viewport_panel(&bench->port).x, 0);
    }
    result = vks_gpu_check(gpu, gpu->vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    if (result == VKS_OK) {
        result = vks_gpu_submit(gpu, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
        bench->values[slot] = gpu->submitted;
    }
    return result;
}

/* Seconds per frame. */
static enum vks_result measure(struct bench *bench, unsigned frames, bool panel, double *seconds)
{
    enum vks_result result = VKS_OK;
    const double begin = vks_seconds();
    bench->port.panel = panel;
    for (unsigned i = 0; i < frames && result == VKS_OK; i++) {
        if (panel && vks_seconds() - bench->updated >= 0.033) {
            result = update_panel(bench);
        }
        if (result == VKS_OK) {
            result = vks_simulation_run(bench->simulation, 1);
        }
        if (result == VKS_OK) {
            result =
                vks_capture_frame(&bench->capture, vks_simulation_picture(bench->simulation), NULL);
        }
        if (result == VKS_OK) {
            result = draw_screen(bench, i % SLOTS);
        }
    }
    if (result == VKS_OK) {
        result = vks_gpu_wait_idle(&bench->context->gpu);
    }
    *seconds = (vks_seconds() - begin) / frames;
    return result;
}

int main(int argc, char **argv)
{
    struct bench bench = {.brush = {.radius = 20, .soft = 1, .strength = 0.5}};
    const unsigned frames = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
    double with[REPEATS + 1], without[REPEATS + 1];
    if (frames == 0) {
        fprintf(stderr, "usage: panel_cost SIDE FRAMES\n");
        return 2;
    }
    enum vks_result result = create(&bench, (uint32_t)atoi(argv[1]));
    for (int i = 0; i <= REPEATS && result == VKS_OK; i++) { /* the first warms up */
        result = measure(&bench, frames, false, &without[i]);
        if (result == VKS_OK) {
            result = measure(&bench, frames, true, &with[i]);
        }
    }
    for (int i = 1; i <= REPEATS && result == VKS_OK; i++) {
        printf("without %.1f us per frame, with %.1f\n", 1e6 * without[i], 1e6 * with[i]);
    }
    if (result == VKS_OK) {
        printf("%u updates of the panel took %.0f us each\n", bench.updates,
               1e6 * bench.updating / bench.updates);
    } else {
        fprintf(stderr, "panel_cost: %s\n", vks_error_text());
    }
    return result == VKS_OK ? 0 : 1; /* the process ends: nothing is freed */
}
