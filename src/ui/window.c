/* SPDX-License-Identifier: MIT */
#include "ui/window_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "base/task.h"
#include "frames/sink.h"
#include "sim/registry.h"
#include "ui/connection.h"

enum {
    MAX_EXTENSIONS = 8,
    HIDDEN_MILLISECONDS = 16, /* per frame while the window is not visible */
    MIN_WIDTH = 720,          /* points of a window that opens with the panel */
    MIN_HEIGHT = 480,
    FLASH_POINTS = 4,
};

static const double title_seconds = 0.25;
static const double part_seconds = 0.012; /* of the GPU, at most, before input is answered */
static const double hint_seconds = 6;
static const double flash_seconds = 0.3; /* when a picture is saved */

/* --- opening --------------------------------------------------------------------------------- */

/* A scale in halves, from 1 to 4. */
static float round_scale(float scale)
{
    scale = floorf(scale * 2 + 0.5F) / 2;
    return scale < 1 ? 1 : scale > 4 ? 4 : scale;
}

/* The scale of a display whose windows are measured in pixels, by its density. */
static float display_scale(int display)
{
    float dpi = 0;
    const bool known = strcmp(vks_sdl.GetCurrentVideoDriver(), "x11") == 0 &&
                       vks_sdl.GetDisplayDPI(display, NULL, &dpi, NULL) == 0;
    return known ? round_scale(dpi / 96) : 1;
}

/* The display with the mouse. */
static int find_display(void)
{
    SDL_Point mouse;
    vks_sdl.GetGlobalMouseState(&mouse.x, &mouse.y);
    const int display = vks_sdl.GetPointDisplayIndex(&mouse);
    return display < 0 ? 0 : display;
}

/* The picture's size times the scale of the display, reduced to fit the desktop beside the panel,
 * or enlarged by a whole factor if tiny; with them at least the size that shows everything. */
static struct vks_size window_size(struct vks_size picture, int display)
{
    SDL_Rect desktop;
    if (vks_sdl.GetDisplayUsableBounds(display, &desktop) != 0 || desktop.w < 1 || desktop.h < 1) {
        desktop = (SDL_Rect){.w = 1280, .h = 720};
    }
    const double scale = display_scale(display);
    const double beside = VKS_PANEL_WIDTH * scale, below = VKS_STRIP_HEIGHT * scale;
    const double room_x = fmax(desktop.w - beside, 100);
    const double room_y = fmax(desktop.h - below, 100);
    const double across = room_x / picture.width;
    const double down = room_y / picture.height;
    const double most = across < down ? across : down;
    const double factor = most * 0.9 < scale ? most * 0.9 : fmax(floor(most * 2 / 3), scale);
    const double width = fmax(picture.width * factor + 0.5 + beside, MIN_WIDTH * scale);
    const double height = fmax(picture.height * factor + 0.5 + below, MIN_HEIGHT * scale);
    return (struct vks_size){.width = (uint32_t)fmin(width, desktop.w),
                             .height = (uint32_t)fmin(height, desktop.h)};
}

static enum vks_result open_display(void)
{
    const enum vks_result loaded = vks_sdl_load();
    if (loaded != VKS_OK) {
        return loaded;
    }
    vks_sdl.SetMainReady();
    vks_sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* the tool handles Ctrl-C */
    vks_sdl.SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    /* For drivers with XCB surfaces only: SDL would look for libX11-xcb.so, which only development
     * packages install. */
    vks_sdl.setenv("SDL_X11_XCB_LIBRARY", "libX11-xcb.so.1", 0);
    /* Without this folder there is no Wayland unless its socket is an absolute path, but libwayland
     * says so on standard error. */
    const char *socket = getenv("WAYLAND_DISPLAY");
    if (!getenv("XDG_RUNTIME_DIR") && !(socket && socket[0] == '/')) {
        vks_sdl.setenv("SDL_VIDEODRIVER", "x11,kmsdrm", 0);
    }
    const char *driver = vks_sdl.Init(SDL_INIT_VIDEO) == 0 ? vks_sdl.GetCurrentVideoDriver() : NULL;
    if (!driver || strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                             "no display to open a window on (%s)",
                             driver ? "SDL found none" : vks_sdl.GetError());
    }
    vks_sdl.EnableScreenSaver();
    vks_sdl.StopTextInput(); /* no input method for keys */
    if (vks_sdl.Vulkan_LoadLibrary(NULL) != 0) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                             "Vulkan cannot show on this display (%s)", vks_sdl.GetError());
    }
    return VKS_OK;
}

static enum vks_result create_window(struct vks_window *window)
{
    const int display = find_display();
    const int centred = (int)SDL_WINDOWPOS_CENTERED_DISPLAY((unsigned)display);
    const struct vks_size size = window_size(window->size, display);
    /* Hidden until there is something to show. */
    window->handle = vks_sdl.CreateWindow(
        window->name, centred, centred, (int)size.width, (int)size.height,
        SDL_WINDOW_VULKAN | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN);
    if (!window->handle) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW, "no window can be opened here (%s)",
                             vks_sdl.GetError());
    }
    vks_connection_keep(window->handle);
    return VKS_OK;
}

/* Pixels per point: of a display that has its own, else by its density. */
static float find_scale(const struct vks_window *window)
{
    int points = 0, unused, pixels = 0;
    vks_sdl.GetWindowSize(window->handle, &points, &unused);
    vks_sdl.Vulkan_GetDrawableSize(window->handle, &pixels, &unused);
    const float scale = points > 0 ? (float)pixels / (float)points : 1;
    return scale > 1.1F ? round_scale(scale)
                        : display_scale(vks_sdl.GetWindowDisplayIndex(window->handle));
}

/* vks_surface_maker.make. */
static enum vks_result make_surface(void *user, const struct vks_gpu *gpu, VkSurfaceKHR *surface)
{
    const struct vks_window *window = user;
    return vks_sdl.Vulkan_CreateSurface(window->handle, gpu->instance, surface)
               ? VKS_OK
               : vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                               "%s cannot show on this display (%s)", gpu->info.name,
                               vks_sdl.GetError());
}

static enum vks_result open_context(struct vks_window *window, const struct vks_gpu_params *params,
                                    unsigned present_mode, vks_context **context)
{
    const char *extensions[MAX_EXTENSIONS + 1] = {NULL};
    unsigned count = MAX_EXTENSIONS;
    if (!vks_sdl.Vulkan_GetInstanceExtensions(window->handle, &count, extensions)) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                             "Vulkan cannot show on this display (%s)", vks_sdl.GetError());
    }
    struct vks_gpu_params with_window = *params;
    with_window.instance_extensions = extensions;
    vks_context *made = NULL;
    enum vks_result result = vks_context_open(&with_window, &made);
    if (result != VKS_OK) {
        return result;
    }
    window->gpu = &made->gpu;
    result = vks_preview_create(params, &made->gpu, &window->preview);
    if (result == VKS_OK) {
        result = vks_swapchain_create(&made->gpu, &(struct vks_surface_maker){make_surface, window},
                                      present_mode, window->size, &window->swapchain);
    }
    if (result != VKS_OK) {
        vks_context_destroy(made);
        return result;
    }
    *context = made;
    return VKS_OK;
}

enum vks_result vks_window_open(const struct vks_gpu_params *params, unsigned present_mode,
                                const char *title, struct vks_size size, vks_context **context,
                                struct vks_window **out)
{
    struct vks_window *window = calloc(1, sizeof(*window));
    if (!window) {
        return vks_fail_memory();
    }
    window->size = size;
    window->name = vks_strdup(title);
    window->player.brush = (struct vks_brush_state){.radius = 20, .soft = 1, .strength = 0.5};
    window->player.random = (uint32_t)(uint64_t)(vks_seconds() * 1e6);
    enum vks_result result = window->name ? open_display() : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_panel_create(&window->panel);
    }
    if (result == VKS_OK) {
        result = vks_gallery_create(&window->gallery);
    }
    if (result == VKS_OK) {
        result = vks_ui_create(&window->strip);
    }
    if (result == VKS_OK) {
        result = vks_ui_create(&window->page);
    }
    if (result == VKS_OK) {
        result = vks_ui_create(&window->notice);
    }
    if (result == VKS_OK) {
        result = create_window(window);
    }
    if (result == VKS_OK) {
        result = open_context(window, params, present_mode, context);
    }
    if (result != VKS_OK) {
        vks_window_close(window);
        return result;
    }
    *out = window;
    return VKS_OK;
}

uint64_t vks_window_release(struct vks_window *window)
{
    uint64_t messages = 0;
    if (window) {
        if (!vks_connection_is_broken()) {
            vks_sdl.HideWindow(window->handle);
        }
        messages = vks_preview_destroy(window->preview);
        window->preview = NULL;
        vks_swapchain_destroy(window->swapchain); /* waits */
        for (size_t i = 0; i < VKS_COUNT(window->panes); i++) {
            vks_pane_destroy(&window->panes[i].pane);
        }
        window->swapchain = NULL;
        window->run = (struct vks_window_run){0};
    }
    return messages;
}

void vks_window_close(struct vks_window *window)
{
    if (!window) {
        return;
    }
    const bool open = !vks_connection_is_broken();
    if (window->handle && open) {
        vks_sdl.DestroyWindow(window->handle);
    }
    if (vks_sdl.Quit && open) { /* SDL is loaded */
        vks_sdl.Quit();         /* also unloads Vulkan; may follow a failed SDL_Init() */
    }
    vks_jobs_end(&window->jobs);
    vks_opener_end(&window->opener);
    vks_own_presets_free(&window->own);
    vks_drop_free(&window->drop);
    vks_preview_destroy(window->preview);
    vks_panel_destroy(window->panel);
    vks_gallery_destroy(window->gallery);
    vks_ui_destroy(&window->strip);
    vks_ui_destroy(&window->page);
    vks_ui_destroy(&window->notice);
    free(window->notice_text);
    vks_player_free(&window->player);
    free(window->name);
    free(window);
}

/* --- pictures -------------------------------------------------------------------------------- */

vks_simulation *vks_window_simulation(const struct vks_window *window)
{
    return vks_player_simulation(&window->player);
}

const struct vks_settings *vks_window_settings(const struct vks_window *window)
{
    return vks_simulation_settings(vks_window_simulation(window));
}

bool vks_window_is_minimised(const struct vks_window *window)
{
    return (vks_sdl.GetWindowFlags(window->handle) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) !=
           0;
}

void vks_window_measure(struct vks_window *window)
{
    int width = 0, height = 0;
    if (!vks_window_is_minimised(window)) {
        vks_sdl.Vulkan_GetDrawableSize(window->handle, &width, &height);
    }
    window->port.width = (uint32_t)width;
    window->port.height = (uint32_t)height;
    window->port.scale = find_scale(window);
    window->updated = 0;
    window->dirty = true;
}

bool vks_rect_contains(struct vks_rect rect, float x, float y)
{
    return x >= (float)rect.x && y >= (float)rect.y && x < (float)rect.x + (float)rect.width &&
           y < (float)rect.y + (float)rect.height;
}

enum vks_on vks_window_surface(const struct vks_window *window, float x, float y)
{
    return vks_rect_contains(vks_viewport_panel(&window->port), x, y)   ? VKS_ON_PANEL
           : vks_rect_contains(vks_viewport_strip(&window->port), x, y) ? VKS_ON_STRIP
           : vks_rect_contains(vks_viewport_area(&window->port), x, y)  ? VKS_ON_PICTURE
                                                                        : VKS_ON_NOTHING;
}

bool vks_window_place(const struct vks_window *window, double *across, double *down)
{
    const struct vks_place place = vks_viewport_place(&window->port);
    double x, y;
    return vks_window_settings(window)->model->brushes &&
           vks_place_find(&place, window->size, window->mouse_x, window->mouse_y, &x, &y) &&
           vks_player_find(&window->player, x, y, across, down);
}

/* The ring around the brush. */
static struct vks_dots find_dots(const struct vks_window *window)
{
    const struct vks_place place = vks_viewport_place(&window->port);
    const struct vks_part *part = &vks_window_settings(window)->common.look.values.part;
    struct vks_dots dots = {.x = window->mouse_x, .y = window->mouse_y};
    double across, down;
    const bool brushing =
        window->mouse_inside && !window->moves && !window->space &&
        (window->held == VKS_ON_PICTURE ||
         (window->held == VKS_ON_NOTHING &&
          vks_window_surface(window, window->mouse_x, window->mouse_y) == VKS_ON_PICTURE));
    dots.area = vks_viewport_area(&window->port);
    dots.size = window->port.scale >= 1.5F ? 2 : 1;
    if (brushing && vks_window_place(window, &across, &down)) {
        dots.radius = window->player.brush.radius * part->out_width / part->width * place.across;
    }
    return dots;
}

/* Adds the page of keys or of words, in the middle. */
static void add_page(struct vks_window *window, struct vks_screen *screen)
{
    struct vks_pane *pane = &window->panes[VKS_PANE_PAGE].pane;
    const size_t index = screen->pane_count++;
    screen->panes[index].pane = pane;
    screen->panes[index].x = ((int32_t)window->port.width - (int32_t)pane->image.width) / 2;
    screen->panes[index].y = ((int32_t)window->port.height - (int32_t)pane->image.height) / 2;
}

/* The frame that gets thinner after a picture was saved; 0: none. In pixels. */
static int32_t find_frame(struct vks_window *window)
{
    const double left = (window->flashed - vks_seconds()) / flash_seconds;
    if (left <= 0) {
        window->flashed = 0;
        return 0;
    }
    return (int32_t)ceil(left * FLASH_POINTS * (double)window->port.scale);
}

static struct vks_screen find_screen(struct vks_window *window)
{
    const struct vks_viewport *port = &window->port;
    const struct vks_rect rects[] = {vks_viewport_panel(port), vks_viewport_strip(port),
                                     vks_viewport_notice(port)};
    struct vks_screen screen = {
        .place = vks_viewport_place(port), .dots = find_dots(window), .frame = find_frame(window)};
    for (size_t i = 0; i < VKS_COUNT(rects); i++) {
        if (rects[i].width > 0 && window->panes[i].shown) {
            screen.panes[screen.pane_count].pane = &window->panes[i].pane;
            screen.panes[screen.pane_count].x = rects[i].x;
            screen.panes[screen.pane_count++].y = rects[i].y;
        }
    }
    if (window->keys_shown && window->panes[VKS_PANE_PAGE].shown) {
        add_page(window, &screen);
    }
    return screen;
}

/* Whether it concerns only what was asked for. */
static bool is_harmless(enum vks_result result)
{
    return result == VKS_ERROR_USAGE || result == VKS_ERROR_FILE || result == VKS_ERROR_EXISTS ||
           result == VKS_ERROR_MEMORY;
}

enum vks_result vks_window_tolerate(struct vks_window *window, enum vks_result result)
{
    if (!is_harmless(result)) {
        return result;
    }
    vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
    vks_window_say(window, vks_error_text());
    return VKS_OK;
}

/* --- video ----------------------------------------------------------------------------------- */

/* The path for a file of the captured picture, with an end such as ".png"; NULL if memory ran out.
 */
static char *name_file(const struct vks_window *window, const char *end)
{
    const struct vks_settings *settings = vks_window_settings(window);
    const char *folder = vks_gallery_folder(
        window->gallery, vks_has_extension(end, ".mp4") ? VKS_VIDEOS : VKS_PICTURES);
    return folder ? vks_picture_name(folder, settings->model->name, window->player.preset,
                                     settings->common.seed, window->captured_step, end)
                  : NULL;
}

/* What a person is told about a written file: "./NAME" is not in the folder of pictures. */
static void say_written(struct vks_window *window, const char *name)
{
    char words[VKS_UI_TEXT_SIZE];
    snprintf(words, sizeof(words), "wrote %s", name[0] == '.' ? name : strrchr(name, '/') + 1);
    vks_window_say(window, words);
}

/* Draws the captured picture again, whose buffer is new. */
static enum vks_result draw_again(struct vks_window *window)
{
    enum vks_result result = VKS_OK;
    window->within = true; /* of input that is being answered */
    if (window->captured) {
        result = vks_swapchain_capture(window->swapchain, vks_grid_graph(window->run.grid), NULL);
    }
    window->within = false;
    return result;
}

static enum vks_result begin_video(struct vks_window *window)
{
    char *scene = NULL;
    char *name = name_file(window, ".mp4");
    enum vks_result result =
        name ? window->run.scene(window->run.user, window->run.log, &scene) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_recording_begin(&window->recording, window->gpu, window->run.grid, name,
                                     vks_panel_loops(window->panel), scene);
    }
    if (result == VKS_OK) {
        window->video = name;
    } else {
        free(name);
    }
    return vks_window_tolerate(window, result);
}

/* Completes the video, and says so, or why it could not be written. */
static enum vks_result end_video(struct vks_window *window)
{
    char *scene = NULL;
    const uint64_t frames = vks_recording_length(&window->recording);
    enum vks_result result = window->run.scene(window->run.user, window->run.log, &scene);
    struct vks_error why;
    vks_error_keep(result, &why);
    const enum vks_result ended = vks_recording_end(&window->recording, scene);
    result = result == VKS_OK ? ended : vks_fail_again(&why);
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "wrote %s (%" PRIu64 " frame%s)", window->video, frames,
                    frames == 1 ? "" : "s");
        say_written(window, window->video);
        result = vks_window_list_video(window, window->video);
    }
    free(scene);
    free(window->video);
    window->video = NULL;
    return vks_window_tolerate(window, result);
}

bool vks_window_defers(struct vks_window *window, enum vks_later what)
{
    window->later ^= window->within ? 1U << what : 0;
    return window->within;
}

enum vks_result vks_window_record(struct vks_window *window)
{
    if (!window->captured || vks_window_defers(window, VKS_LATER_RECORD)) {
        return VKS_OK;
    }
    window->updated = 0;
    const enum vks_result result = window->video ? end_video(window) : begin_video(window);
    return result == VKS_OK ? draw_again(window) : result;
}

/* --- presenting ------------------------------------------------------------------------------ */

enum vks_result vks_window_check(enum vks_result result)
{
    SDL_Event event;
    if (result != VKS_OK) {
        (void)vks_sdl.PollEvent(&event); /* so that Xlib notices what Vulkan did */
    }
    return vks_connection_is_broken()
               ? vks_fail(VKS_ERROR_DEVICE, "the connection to the display is broken")
               : result;
}

enum vks_result vks_window_present(struct vks_window *window)
{
    bool presented = false;
    const struct vks_screen screen = find_screen(window);
    vks_phase_begin(VKS_PHASE_PRESENT);
    enum vks_result result = vks_swapchain_present(
        window->swapchain, (VkExtent2D){window->port.width, window->port.height}, &screen,
        &presented);
    vks_phase_end();
    window->dirty = !presented;
    window->presented = vks_seconds();
    return vks_window_check(result);
}

/* Whether the video gets the state that is presented now: all of a run that goes on, and the one at
 * which it pauses, unless that is in the past. */
static bool is_recorded(const struct vks_window *window)
{
    const struct vks_control *control = window->control;
    return window->video &&
           (!control->paused || (!window->stood && control->now > window->recording.steps));
}

/* Draws the state and captures its picture. A video that cannot be written is given up. */
static enum vks_result capture(struct vks_window *window)
{
    struct vks_recording *recording = &window->recording;
    struct vks_graph *graph = vks_grid_graph(window->run.grid);
    struct vks_ring *ring = is_recorded(window) ? recording->ring : NULL;
    enum vks_result result = vks_grid_draw(window->run.grid);
    if (result == VKS_OK) {
        result = vks_swapchain_capture(window->swapchain, graph, ring);
    }
    window->stood = window->control->paused;
    if (ring && result == VKS_OK) {
        recording->frames++;
        recording->steps = window->control->now;
    } else if (ring && is_harmless(result)) {
        result = end_video(window); /* says why */
        result = result == VKS_OK ? vks_swapchain_capture(window->swapchain, graph, NULL) : result;
    }
    return result;
}

static enum vks_result present(void *user)
{
    struct vks_window *window = user;
    const double start = vks_seconds();
    enum vks_result result = capture(window);
    if (result != VKS_OK) {
        return result;
    }
    window->captured = true;
    window->player.motions.due = window->stale = true;
    window->captured_step = vks_simulation_steps(vks_window_simulation(window));
    window->captured_now = window->control->now;
    window->meter.frames++;
    result = vks_window_present(window);
    /* Presentation limits the frame rate; a hidden window needs another limit. */
    if (result == VKS_OK && window->dirty &&
        vks_seconds() - start < (double)HIDDEN_MILLISECONDS * 1e-3) {
        vks_phase_begin(VKS_PHASE_WAIT_EVENT);
        vks_sdl.Delay(HIDDEN_MILLISECONDS);
        vks_phase_end();
    }
    return result;
}

static enum vks_result write_picture(struct vks_window *window, const char *name,
                                     const unsigned char *pixels)
{
    const struct vks_size size = window->size;
    char *scene = NULL;
    enum vks_result result = window->run.scene(window->run.user, window->run.log, &scene);
    const struct vks_origin origin = {.scene = scene, .steps = window->captured_now, .frames = 1};
    if (result == VKS_OK) {
        result = vks_write_png(name, pixels, size.width, size.height, &origin, false);
    }
    free(scene);
    return result;
}

enum vks_result vks_window_save(struct vks_window *window)
{
    if (!window->captured || vks_window_defers(window, VKS_LATER_SAVE)) {
        return VKS_OK;
    }
    const struct vks_size size = window->size;
    unsigned char *pixels = malloc((size_t)size.width * size.height * 4);
    char *name = name_file(window, ".png");
    enum vks_result result = VKS_OK;
    if (!pixels || !name) {
        vks_message(VKS_LOG_ERROR, "no memory for a picture");
    } else {
        result = vks_graph_download_to(vks_grid_graph(window->run.grid), "picture", pixels);
        if (result == VKS_OK && write_picture(window, name, pixels) == VKS_OK) {
            vks_message(VKS_LOG_INFO, "wrote %s", name);
            window->flashed = vks_seconds() + flash_seconds;
            window->saved[window->saved_count++ % VKS_MAX_SAVED] = window->captured_now;
            say_written(window, name);
            result = vks_gallery_add(window->gallery, name, pixels, size.width, size.height);
        } else if (result == VKS_OK) {
            vks_message(VKS_LOG_ERROR, "%s", vks_error_text());
            vks_window_say(window, vks_error_text());
        }
    }
    free(name);
    free(pixels);
    return result;
}

/* --- title ----------------------------------------------------------------------------------- */

/* Restarts the measurement. */
static void restart_meter(struct vks_window *window, double now, uint64_t steps)
{
    struct vks_meter *meter = &window->meter;
    meter->time = now;
    meter->steps = steps;
    meter->frames = 0;
    vks_grid_busy(window->run.grid, &meter->busy, &meter->busy_steps);
}

static void measure(struct vks_window *window, double now, uint64_t steps)
{
    struct vks_meter *meter = &window->meter;
    const struct vks_meter before = *meter;
    restart_meter(window, now, steps);
    if (meter->steps > before.steps && before.time > 0) {
        meter->rate = (double)(steps - before.steps) / (now - before.time);
        meter->frame_rate = before.frames / (now - before.time);
    }
    if (meter->busy_steps > before.busy_steps && meter->busy > before.busy) {
        meter->step_seconds =
            (meter->busy - before.busy) / (double)(meter->busy_steps - before.busy_steps);
    }
}

/* Frames at least about 20 times a second, as far as steps allow it. */
static void keep_smooth(struct vks_window *window)
{
    const double rate = window->meter.frame_rate;
    if (window->run.smooth && rate > 0 && rate < 20 && window->pace > 1) {
        window->pace = window->pace / 2;
    } else if (rate > 50 && window->pace * 2 <= window->steps_per_frame) {
        window->pace *= 2;
    }
}

static void set_title(struct vks_window *window, uint64_t steps)
{
    const struct vks_meter *meter = &window->meter;
    const uint64_t seed = vks_window_settings(window)->common.seed;
    const double micro = meter->step_seconds * 1e6;
    char rate[48] = "", time[48] = "", title[sizeof(window->title)];
    if (window->paused) {
        snprintf(rate, sizeof(rate), " | paused");
    } else if (meter->rate > 0) {
        snprintf(rate, sizeof(rate), " | %.*f steps/s", meter->rate < 10 ? 1 : 0, meter->rate);
    }
    if (micro > 0) {
        bool small = micro < 1000;
        double value = small ? micro : micro * 1e-3;
        snprintf(time, sizeof(time), " | GPU %.*f %s/step",
                 value < 10    ? 2
                 : value < 100 ? 1
                               : 0,
                 value, small ? "us" : "ms");
    }
    snprintf(title, sizeof(title), "%s | seed %" PRIu64 " | step %" PRIu64 "%s%s",
             vks_window_settings(window)->model->name, seed, steps, rate, time);
    if (strcmp(title, window->title) != 0) {
        memcpy(window->title, title, sizeof(title));
        vks_sdl.SetWindowTitle(window->handle, title);
    }
}

static void progress(void *user, uint64_t frames, uint64_t done)
{
    struct vks_window *window = user;
    const double now = vks_seconds();
    const uint64_t steps = vks_simulation_steps(vks_window_simulation(window));
    (void)frames;
    (void)done;
    if (window->paused || steps < window->meter.steps) {
        restart_meter(window, now, steps); /* pauses and restarts do not count */
    } else if (now - window->meter.time < title_seconds) {
        return;
    } else {
        measure(window, now, steps);
        keep_smooth(window);
    }
    set_title(window, steps);
}

/* --- before a run ---------------------------------------------------------------------------- */

/* Words on the window's own colour, as a pane in the middle. */
static enum vks_result draw_words(struct vks_window *window, const char *words)
{
    struct vks_draw *draw = window->page.draw;
    const float scale = window->port.scale, width = 400, height = 40;
    struct vks_update update = {.wake = INFINITY};
    vks_draw_begin(draw, (uint32_t)(width * scale), (uint32_t)(height * scale), scale,
                   VKS_COLOUR_SURROUND);
    const float left = (width - vks_draw_text_width(draw, &vks_style_body, words)) / 2;
    vks_draw_text(draw, left, 25, &vks_style_body, VKS_COLOUR_DIM, words);
    const enum vks_result result = vks_draw_end(draw, update.rects, &update.count);
    return result == VKS_OK ? vks_window_take(window, VKS_PANE_PAGE, vks_draw_canvas(draw), &update)
                            : result;
}

enum vks_result vks_window_wait(struct vks_window *window, const char *words)
{
    SDL_Event event;
    bool presented;
    vks_sdl.ShowWindow(window->handle);
    while (vks_sdl.PollEvent(&event)) { /* so that the window system sees a window that answers */
        if (event.type == SDL_QUIT) {
            vks_interrupt();
        }
    }
    vks_window_measure(window);
    enum vks_result result = vks_swapchain_use(window->swapchain, window->size);
    if (result == VKS_OK) {
        result = draw_words(window, words);
    }
    if (result != VKS_OK) {
        return result;
    }
    struct vks_screen screen = {.pane_count = 0};
    add_page(window, &screen);
    window->captured = false;
    return vks_swapchain_present(window->swapchain,
                                 (VkExtent2D){window->port.width, window->port.height}, &screen,
                                 &presented);
}

/* --- runs ------------------------------------------------------------------------------------ */

/* vks_division.between: answers input while a long step runs or a picture is drawn. What is done to
 * the run or with its picture waits. */
static enum vks_result answer(void *user)
{
    struct vks_window *window = user;
    if (!window->control || window->within) {
        return VKS_OK;
    }
    window->within = true;
    const enum vks_result result = vks_window_poll(window, window->control);
    window->within = false;
    return result;
}

/* Whether the picture continues at its edges: it shows a whole flat field that does. */
static bool is_periodic(const struct vks_window *window)
{
    const struct vks_settings *settings = vks_window_settings(window);
    const struct vks_part *part = &settings->common.look.values.part;
    const struct vks_size size = settings->common.size;
    void *structure;
    const struct vks_option *row =
        vks_settings_option((struct vks_settings *)(uintptr_t)settings, "boundary", &structure);
    char text[VKS_VALUE_SIZE];
    return vks_grid_count(window->run.grid) == 1 && size.depth <= 1 && part->x == 0 &&
           part->y == 0 && part->width == size.width && part->height == size.height &&
           (!row || strcmp(vks_option_get(row, structure, text, sizeof(text)), "periodic") == 0);
}

/* What a new user needs to know. */
static void say_first_words(struct vks_window *window)
{
    struct vks_brush_row brushes[VKS_MAX_BRUSHES];
    double across, down;
    const bool paints = vks_player_find(&window->player, 0, 0, &across, &down) &&
                        vks_player_brushes(&window->player, brushes) > 0;
    char words[VKS_UI_TEXT_SIZE];
    snprintf(words, sizeof(words), "Tab panel  \u00b7  ? keys%s",
             paints                                   ? "  \u00b7  drag to paint"
             : vks_player_has_camera(&window->player) ? "  \u00b7  drag to turn"
                                                      : "");
    vks_ui_say(&window->strip, words, hint_seconds);
}

enum vks_result vks_window_begin(struct vks_window *window, const struct vks_window_run *run,
                                 struct vks_presenter *presenter)
{
    const struct vks_size size = vks_grid_size(run->grid);
    enum vks_result result = VKS_OK;
    const bool again = window->run.grid != NULL;
    window->run = *run;
    window->control = NULL;
    vks_grid_divide(run->grid, &(struct vks_division){part_seconds, answer, window});
    vks_player_begin(&window->player, run->grid, run->log, run->preset);
    vks_drop_free(&window->drop); /* its choices were the last run's */
    result = vks_own_presets_list(&window->own, vks_window_settings(window)->model);
    const bool same = size.width == window->size.width && size.height == window->size.height;
    if (result == VKS_OK && (again || !same)) {
        result = vks_swapchain_use(window->swapchain, size);
        window->captured = false;
    }
    window->size = window->port.picture = size;
    window->port.magnified = false;
    window->port.wraps = is_periodic(window);
    window->port.strip = true;
    window->steps_per_frame = window->pace = vks_grid_steps_per_frame(run->grid);
    window->last = window->ahead = 0;
    window->later = 0;
    window->travels = window->changes = false;
    window->branches.count = window->saved_count = 0;
    window->runs++;
    window->samples.count = 0;
    window->seeks = run->seeks;
    window->meter = (struct vks_meter){0};
    if (!again) {
        window->port.panel = true;
        window->mouse_time = vks_seconds();
        say_first_words(window);
    }
    vks_window_measure(window);
    *presenter = (struct vks_presenter){
        .user = window, .poll = vks_window_poll, .present = present, .progress = progress};
    return result;
}

enum vks_result vks_window_end(struct vks_window *window, enum vks_result result)
{
    struct vks_error why;
    vks_grid_divide(window->run.grid, NULL);
    if (!window->video) {
        return result;
    }
    vks_error_keep(result, &why);
    const enum vks_result ended = end_video(window);
    return result == VKS_OK ? ended : vks_fail_again(&why);
}

void vks_window_ask(struct vks_window *window, struct vks_control *control,
                    const struct vks_next_run *next)
{
    vks_player_ask(&window->player, control, next);
}

bool vks_window_next(struct vks_window *window, struct vks_next_run *next)
{
    *next = window->player.next;
    window->player.next = (struct vks_next_run){0};
    return next->settings.model != NULL;
}
