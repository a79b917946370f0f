/* SPDX-License-Identifier: MIT */
#include "ui/window.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "base/task.h"
#include "frames/sink.h"
#include "sim/registry.h"
#include "ui/gallery.h"
#include "ui/player.h"
#include "ui/recording.h"
#include "ui/sdl.h"
#include "ui/strip.h"
#include "ui/swapchain.h"
#include "ui/viewport.h"

enum {
    MAX_EXTENSIONS = 8,
    WAIT_MILLISECONDS = 100,  /* for events while idle */
    HIDDEN_MILLISECONDS = 16, /* per frame while the window is not visible */
    MAX_VIDEOS = 1000,        /* per step and folder */
    MIN_WIDTH = 720,          /* points of a window that opens with the panel */
    MIN_HEIGHT = 480,
    MAX_MARKS = 256, /* on the time line */
    PAN_PIXELS = 40, /* per press of an arrow */
};

static const double title_seconds = 0.25;
static const double update_seconds = 0.033; /* between two updates of the panel without input */
static const double hide_seconds = 3;       /* of full screen without the mouse */
static const double hint_seconds = 6;
static const double read_seconds = 0.01; /* of an update, to read saved pictures */

/* Speed since the last update of the title. */
struct meter {
    double time;
    uint64_t steps;
    double busy; /* seconds of the GPU, as in vks_graph_busy() */
    uint64_t busy_steps;
    unsigned frames;     /* presented since */
    double rate;         /* steps per second; 0: not known yet */
    double frame_rate;   /* frames per second; 0: not known yet */
    double step_seconds; /* of the GPU; 0: not known */
};

/* Where presses and moves of the mouse go until its buttons are up. */
enum surface { NOWHERE, ON_PICTURE, ON_PANEL, ON_STRIP };

/* A surface whose pixels the host draws. */
struct drawn {
    struct vks_pane pane;
    double wake; /* when it changes without input */
    bool shown;  /* it was drawn */
};

struct vks_window {
    SDL_Window *handle;
    struct vks_gpu *gpu;
    struct vks_swapchain *swapchain;
    struct vks_window_run run;
    struct vks_player player;
    struct vks_recording recording;
    char *video;                       /* its name; NULL: nothing is recorded */
    const struct vks_control *control; /* of the run */
    struct vks_viewport port;
    struct vks_panel *panel;
    struct vks_gallery *gallery;
    struct vks_ui strip, page; /* of the strip, and of the page of keys */
    struct drawn panes[3];     /* PANEL, STRIP, PAGE */
    struct vks_actions actions;
    struct vks_ui_input input; /* since the last update, in pixels of the window */
    enum surface held;
    unsigned buttons;       /* of the mouse that are down, as bits */
    bool moves;             /* the mouse moves the picture */
    float mouse_x, mouse_y; /* pixels of the window */
    bool mouse_inside;
    double mouse_time; /* of its last move */
    double updated;    /* time of the last update of panel and strip */
    size_t log_done;   /* events at that time */
    char *name;
    struct vks_size size; /* of the picture */
    bool full, paused, keys_shown, texting;
    bool stood;               /* the run was paused when it last presented */
    bool seeks;               /* the run is to go to its step */
    uint64_t steps_per_frame; /* as chosen */
    uint64_t pace;            /* the same, or fewer so that frames follow each other quickly */
    uint64_t now, last;       /* steps so far, and the largest number of them */
    bool captured;            /* the swapchain has a picture, of step `captured_step` */
    uint64_t captured_step;
    uint64_t captured_now; /* the same of the run, which restarts do not reset */
    bool dirty;            /* the screen does not show what it should */
    double presented;      /* time of the last presentation */
    struct meter meter;
    char title[256];
};

enum { PANEL, STRIP, PAGE };

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

/* The picture's size, reduced to fit the desktop beside the panel, or enlarged by a whole factor if
 * tiny; with them at least the size that shows everything. */
static struct vks_size window_size(struct vks_size picture)
{
    SDL_Rect desktop;
    if (vks_sdl.GetDisplayUsableBounds(0, &desktop) != 0 || desktop.w < 1 || desktop.h < 1) {
        desktop = (SDL_Rect){.w = 1280, .h = 720};
    }
    const double scale = display_scale(0);
    const double beside = VKS_PANEL_WIDTH * scale, below = VKS_STRIP_HEIGHT * scale;
    const double room_x = fmax(desktop.w - beside, 100);
    const double room_y = fmax(desktop.h - below, 100);
    const double across = room_x / picture.width;
    const double down = room_y / picture.height;
    double factor = across < down ? across : down;
    if (factor * 0.9 < 1) {
        factor *= 0.9;
    } else {
        factor = factor * 2 < 3 ? 1 : (double)(uint32_t)(factor * 2 / 3);
    }
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
    const struct vks_size size = window_size(window->size);
    /* Hidden until there is a picture. */
    window->handle = vks_sdl.CreateWindow(window->name, SDL_WINDOWPOS_CENTERED,
                                          SDL_WINDOWPOS_CENTERED, (int)size.width, (int)size.height,
                                          SDL_WINDOW_VULKAN | SDL_WINDOW_RESIZABLE |
                                              SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN);
    if (!window->handle) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW, "no window can be opened here (%s)",
                             vks_sdl.GetError());
    }
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

static enum vks_result open_context(struct vks_window *window, const struct vks_gpu_params *params,
                                    vks_context **context)
{
    const char *extensions[MAX_EXTENSIONS + 1] = {NULL};
    unsigned count = MAX_EXTENSIONS;
    VkSurfaceKHR surface = VK_NULL_HANDLE;
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
    if (!vks_sdl.Vulkan_CreateSurface(window->handle, made->gpu.instance, &surface)) {
        result =
            vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW, "%s cannot show on this display (%s)",
                          made->gpu.info.name, vks_sdl.GetError());
    } else {
        result = vks_swapchain_create(&made->gpu, surface, window->size, &window->swapchain);
        window->gpu = &made->gpu;
    }
    if (result != VKS_OK) {
        vks_context_destroy(made);
        return result;
    }
    *context = made;
    return VKS_OK;
}

enum vks_result vks_window_open(const struct vks_gpu_params *params, const char *title,
                                struct vks_size size, vks_context **context,
                                struct vks_window **out)
{
    struct vks_window *window = calloc(1, sizeof(*window));
    if (!window) {
        return vks_fail_memory();
    }
    window->size = size;
    window->name = vks_strdup(title);
    window->player.brush = (struct vks_brush_state){.radius = 20, .soft = 1, .strength = 0.5};
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
        result = create_window(window);
    }
    if (result == VKS_OK) {
        result = open_context(window, params, context);
    }
    if (result != VKS_OK) {
        vks_window_close(window);
        return result;
    }
    *out = window;
    return VKS_OK;
}

void vks_window_release(struct vks_window *window)
{
    if (window) {
        vks_swapchain_destroy(window->swapchain); /* waits */
        for (size_t i = 0; i < VKS_COUNT(window->panes); i++) {
            vks_pane_destroy(&window->panes[i].pane);
        }
        window->swapchain = NULL;
        window->run = (struct vks_window_run){0};
    }
}

void vks_window_close(struct vks_window *window)
{
    if (!window) {
        return;
    }
    if (window->handle) {
        vks_sdl.DestroyWindow(window->handle);
    }
    if (vks_sdl.Quit) { /* SDL is loaded */
        vks_sdl.Quit(); /* also unloads Vulkan; may follow a failed SDL_Init() */
    }
    vks_panel_destroy(window->panel);
    vks_gallery_destroy(window->gallery);
    vks_ui_destroy(&window->strip);
    vks_ui_destroy(&window->page);
    vks_player_free(&window->player);
    free(window->name);
    free(window);
}

/* --- pictures -------------------------------------------------------------------------------- */

/* The simulation whose seed and steps are in the title. */
static vks_simulation *first(const struct vks_window *window)
{
    return vks_player_simulation(&window->player);
}

static const struct vks_settings *settings_of(const struct vks_window *window)
{
    return vks_simulation_settings(first(window));
}

static bool is_minimised(const struct vks_window *window)
{
    return (vks_sdl.GetWindowFlags(window->handle) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) !=
           0;
}

static bool contains(struct vks_rect rect, float x, float y)
{
    return x >= (float)rect.x && y >= (float)rect.y && x < (float)rect.x + (float)rect.width &&
           y < (float)rect.y + (float)rect.height;
}

static enum surface find_surface(const struct vks_window *window, float x, float y)
{
    return contains(vks_viewport_panel(&window->port), x, y)   ? ON_PANEL
           : contains(vks_viewport_strip(&window->port), x, y) ? ON_STRIP
           : contains(vks_viewport_area(&window->port), x, y)  ? ON_PICTURE
                                                               : NOWHERE;
}

/* The place of the field under the mouse; false if there is none, or the run has no brush. */
static bool find_place(const struct vks_window *window, double *across, double *down)
{
    const struct vks_place place = vks_viewport_place(&window->port);
    double x, y;
    return settings_of(window)->model->brushes &&
           vks_place_find(&place, window->size, window->mouse_x, window->mouse_y, &x, &y) &&
           vks_player_find(&window->player, x, y, across, down);
}

/* The ring around the brush. */
static struct vks_dots find_dots(const struct vks_window *window)
{
    const struct vks_place place = vks_viewport_place(&window->port);
    const struct vks_part *part = &settings_of(window)->common.look.values.part;
    struct vks_dots dots = {.x = window->mouse_x, .y = window->mouse_y};
    double across, down;
    const bool brushing = window->mouse_inside && !window->moves &&
                          (window->held == ON_PICTURE ||
                           (window->held == NOWHERE &&
                            find_surface(window, window->mouse_x, window->mouse_y) == ON_PICTURE));
    dots.area = vks_viewport_area(&window->port);
    dots.size = window->port.scale >= 1.5F ? 2 : 1;
    if (brushing && find_place(window, &across, &down)) {
        dots.radius = window->player.brush.radius * part->out_width / part->width * place.across;
    }
    return dots;
}

static struct vks_screen find_screen(struct vks_window *window)
{
    const struct vks_viewport *port = &window->port;
    const struct vks_rect rects[] = {vks_viewport_panel(port), vks_viewport_strip(port)};
    struct vks_screen screen = {.place = vks_viewport_place(port), .dots = find_dots(window)};
    for (size_t i = 0; i < VKS_COUNT(rects); i++) {
        if (rects[i].width > 0 && window->panes[i].shown) {
            screen.panes[screen.pane_count].pane = &window->panes[i].pane;
            screen.panes[screen.pane_count].x = rects[i].x;
            screen.panes[screen.pane_count++].y = rects[i].y;
        }
    }
    if (window->keys_shown && window->panes[PAGE].shown) {
        const struct vks_image *image = &window->panes[PAGE].pane.image;
        screen.panes[screen.pane_count].pane = &window->panes[PAGE].pane;
        screen.panes[screen.pane_count].x = ((int32_t)port->width - (int32_t)image->width) / 2;
        screen.panes[screen.pane_count++].y = ((int32_t)port->height - (int32_t)image->height) / 2;
    }
    return screen;
}

/* "physarum-600.mp4", or the first of "physarum-600-2.mp4" and so on that does not exist; if all
 * exist, the last, which then cannot be written. NULL if memory ran out. */
static char *video_name(const struct vks_window *window)
{
    const char *model = settings_of(window)->model->name;
    char *name = vks_format("%s-%" PRIu64 ".mp4", model, window->captured_step);
    for (int i = 2; name && i < MAX_VIDEOS && access(name, F_OK) == 0; i++) {
        free(name);
        name = vks_format("%s-%" PRIu64 "-%d.mp4", model, window->captured_step, i);
    }
    return name;
}

/* Whether it concerns only what was asked for. */
static bool is_harmless(enum vks_result result)
{
    return result == VKS_ERROR_USAGE || result == VKS_ERROR_FILE || result == VKS_ERROR_EXISTS ||
           result == VKS_ERROR_MEMORY;
}

/* Shows such a failure, and the run goes on. */
static enum vks_result tolerate(struct vks_window *window, enum vks_result result)
{
    if (!is_harmless(result)) {
        return result;
    }
    vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
    vks_window_say(window, vks_error_text());
    return VKS_OK;
}

/* --- video ----------------------------------------------------------------------------------- */

/* Draws the captured picture again, whose buffer is new. */
static enum vks_result draw_again(struct vks_window *window)
{
    return window->captured
               ? vks_swapchain_capture(window->swapchain, vks_grid_graph(window->run.grid), NULL)
               : VKS_OK;
}

static enum vks_result begin_video(struct vks_window *window)
{
    char *scene = NULL;
    char *name = video_name(window);
    enum vks_result result =
        name ? window->run.scene(window->run.user, window->run.log, &scene) : vks_fail_memory();
    if (result == VKS_OK) {
        result =
            vks_recording_begin(&window->recording, window->gpu, window->run.grid, name, scene);
    }
    if (result == VKS_OK) {
        window->video = name;
    } else {
        free(name);
    }
    return tolerate(window, result);
}

/* Completes the video, and says so, or why it could not be written. */
static enum vks_result end_video(struct vks_window *window)
{
    char *scene = NULL, words[VKS_UI_TEXT_SIZE];
    const uint64_t frames = window->recording.frames;
    enum vks_result result = window->run.scene(window->run.user, window->run.log, &scene);
    struct vks_error why;
    vks_error_keep(result, &why);
    const enum vks_result ended = vks_recording_end(&window->recording, scene);
    result = result == VKS_OK ? ended : vks_fail_again(&why);
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "wrote %s (%" PRIu64 " frame%s)", window->video, frames,
                    frames == 1 ? "" : "s");
        snprintf(words, sizeof(words), "wrote %s", window->video);
        vks_window_say(window, words);
    }
    free(scene);
    free(window->video);
    window->video = NULL;
    return tolerate(window, result);
}

/* Starts or ends a video. */
static enum vks_result record(struct vks_window *window)
{
    if (!window->captured) {
        return VKS_OK;
    }
    window->updated = 0;
    const enum vks_result result = window->video ? end_video(window) : begin_video(window);
    return result == VKS_OK ? draw_again(window) : result;
}

/* --- presenting ------------------------------------------------------------------------------ */

static enum vks_result present_picture(struct vks_window *window)
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
    return result;
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
    window->captured_step = vks_simulation_steps(first(window));
    window->captured_now = window->control->now;
    window->meter.frames++;
    result = present_picture(window);
    /* Presentation limits the frame rate; a hidden window needs another limit. */
    if (result == VKS_OK && window->dirty &&
        vks_seconds() - start < (double)HIDDEN_MILLISECONDS * 1e-3) {
        vks_phase_begin(VKS_PHASE_WAIT_EVENT);
        vks_sdl.Delay(HIDDEN_MILLISECONDS);
        vks_phase_end();
    }
    return result;
}

/* The path for the captured picture; NULL if memory ran out. */
static char *picture_name(const struct vks_window *window)
{
    const struct vks_settings *settings = settings_of(window);
    const char *folder = vks_gallery_folder(window->gallery);
    return folder ? vks_picture_name(folder, settings->model->name, window->player.preset,
                                     settings->common.seed, window->captured_step)
                  : NULL;
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

/* Writes the captured picture in full size. If the file cannot be written, the run continues. */
static enum vks_result save_picture(struct vks_window *window)
{
    if (!window->captured) {
        return VKS_OK;
    }
    const struct vks_size size = window->size;
    unsigned char *pixels = malloc((size_t)size.width * size.height * 4);
    char *name = picture_name(window), words[VKS_UI_TEXT_SIZE];
    enum vks_result result = VKS_OK;
    if (!pixels || !name) {
        vks_message(VKS_LOG_ERROR, "no memory for a picture");
    } else {
        result = vks_graph_download_to(vks_grid_graph(window->run.grid), "picture", pixels);
        if (result == VKS_OK && write_picture(window, name, pixels) == VKS_OK) {
            vks_message(VKS_LOG_INFO, "wrote %s", name);
            /* "./NAME" shows that it is not in the folder of pictures. */
            snprintf(words, sizeof(words), "wrote %s",
                     name[0] == '.' ? name : strrchr(name, '/') + 1);
            vks_window_say(window, words);
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

/* --- panel and strip ------------------------------------------------------------------------- */

void vks_window_say(struct vks_window *window, const char *text)
{
    vks_ui_say(window->port.panel ? vks_panel_ui(window->panel) : &window->strip, text, 4);
    window->updated = 0;
}

/* The input of a surface: of the mouse only what goes to it. */
static struct vks_ui_input input_for(const struct vks_window *window, enum surface surface,
                                     struct vks_rect rect)
{
    struct vks_ui_input input = window->input;
    const bool over = window->held
                          ? window->held == surface
                          : window->mouse_inside &&
                                find_surface(window, window->mouse_x, window->mouse_y) == surface;
    input.x = window->mouse_x - (float)rect.x;
    input.y = window->mouse_y - (float)rect.y;
    input.inside = over && contains(rect, window->mouse_x, window->mouse_y);
    input.time = vks_seconds();
    if (!over) {
        input.down = input.pressed = input.released = false;
        input.clicks = 0;
        input.wheel = 0;
    }
    if (surface != ON_PANEL) {
        input.key_count = 0;
        input.text[0] = '\0';
    }
    return input;
}

/* Hands the changes of a canvas to its pane. */
static enum vks_result take(struct vks_window *window, size_t index,
                            const struct vks_canvas *canvas, const struct vks_update *update)
{
    struct drawn *drawn = &window->panes[index];
    const bool resized =
        drawn->pane.image.width != canvas->width || drawn->pane.image.height != canvas->height;
    drawn->wake = update->wake;
    if (update->count == 0 && !resized) {
        return VKS_OK;
    }
    window->dirty = true;
    drawn->shown = true;
    return vks_pane_update(window->gpu, &drawn->pane, canvas, update->rects, update->count);
}

/* Whether the panel shows the gallery, and pictures are still to be read. */
static bool must_read(const struct vks_window *window)
{
    return window->port.panel && vks_panel_tab(window->panel) == VKS_TAB_GALLERY &&
           !vks_gallery_is_read(window->gallery);
}

static enum vks_result update_panel(struct vks_window *window)
{
    struct vks_brush_row brushes[VKS_MAX_BRUSHES];
    const struct vks_rect rect = vks_viewport_panel(&window->port);
    const struct vks_surface surface = {(uint32_t)rect.width, (uint32_t)rect.height,
                                        window->port.scale};
    const struct vks_ui_input input = input_for(window, ON_PANEL, rect);
    enum vks_result result =
        must_read(window) ? vks_gallery_read(window->gallery, read_seconds) : VKS_OK;
    struct vks_panel_data data = {
        .settings = settings_of(window),
        .preset = window->player.preset,
        .brushes = brushes,
        .brush_count = vks_player_brushes(&window->player, brushes),
        .brush = window->player.brush,
    };
    struct vks_update update;
    data.gallery = vks_gallery_items(window->gallery, &data.gallery_count);
    if (result == VKS_OK) {
        result =
            vks_panel_update(window->panel, &data, &input, &surface, &window->actions, &update);
    }
    return result == VKS_OK ? take(window, PANEL, vks_panel_canvas(window->panel), &update)
                            : result;
}

/* The events of the log, at most as many as there are marks. */
static size_t find_marks(const struct vks_window *window, struct vks_mark marks[MAX_MARKS])
{
    const struct vks_log *log = window->run.log;
    const size_t each = log->count / MAX_MARKS + 1;
    size_t count = 0;
    for (size_t i = 0; i < log->count; i += each) {
        if (count == 0 || marks[count - 1].step != log->events[i].step) {
            marks[count++] = (struct vks_mark){log->events[i].step, VKS_MARK_EVENT};
        }
    }
    return count;
}

static enum vks_result update_strip(struct vks_window *window)
{
    struct vks_mark marks[MAX_MARKS];
    const struct vks_rect rect = vks_viewport_strip(&window->port);
    const struct vks_surface surface = {(uint32_t)rect.width, (uint32_t)rect.height,
                                        window->port.scale};
    const struct vks_ui_input input = input_for(window, ON_STRIP, rect);
    const struct meter *meter = &window->meter;
    const struct vks_history *history = window->run.history;
    char speed[96], frames[32] = "", time[32] = "";
    if (meter->frame_rate > 0 && !window->paused) {
        snprintf(frames, sizeof(frames), " \u00b7 %.*f fps", meter->frame_rate < 10 ? 1 : 0,
                 meter->frame_rate);
    }
    if (meter->step_seconds > 0) {
        const bool slow = meter->step_seconds >= 1;
        snprintf(time, sizeof(time), " \u00b7 %.3g %s", meter->step_seconds * (slow ? 1 : 1e3),
                 slow ? "s" : "ms");
    }
    snprintf(speed, sizeof(speed), "%" PRIu64 "x%s%s", window->steps_per_frame, frames, time);
    const struct vks_strip_data data = {
        .paused = window->paused,
        .first = history->count > 0 ? history->moments[0].step : window->now,
        .last = window->last,
        .now = window->now,
        .marks = marks,
        .mark_count = find_marks(window, marks),
        .speed = speed,
        .recorded = window->video ? (double)window->recording.frames / VKS_RECORDING_FPS : -1,
    };
    struct vks_update update;
    const enum vks_result result =
        vks_strip_update(&window->strip, &data, &input, &surface, &window->actions, &update);
    return result == VKS_OK ? take(window, STRIP, vks_draw_canvas(window->strip.draw), &update)
                            : result;
}

static enum vks_result update_page(struct vks_window *window)
{
    static const struct vks_key_row rows[] = {
#define VKS_KEY(names, words) {names, words},
#include "ui/keys.def"
    };
    const float scale = window->port.scale;
    const float margin = 24;
    float width, height;
    vks_keys_page_size(VKS_COUNT(rows), (float)window->port.width / scale - margin,
                       (float)window->port.height / scale - margin, &width, &height);
    const struct vks_surface surface = {(uint32_t)fmaxf(width * scale, 1),
                                        (uint32_t)fmaxf(height * scale, 1), scale};
    struct vks_update update = {.wake = INFINITY};
    const enum vks_result result =
        vks_keys_page_draw(&window->page, rows, VKS_COUNT(rows), &surface, &update);
    return result == VKS_OK ? take(window, PAGE, vks_draw_canvas(window->page.draw), &update)
                            : result;
}

/* Updates what the host draws, if there was input or something may have changed. */
static enum vks_result update_surfaces(struct vks_window *window, bool input)
{
    const double now = vks_seconds();
    const bool due = now - window->updated >= update_seconds;
    const bool changed = input || window->log_done != window->run.log->done ||
                         window->panes[PANEL].wake <= now || window->panes[STRIP].wake <= now ||
                         !window->paused || window->updated <= 0 || must_read(window);
    enum vks_result result = VKS_OK;
    if (!input && (!due || !changed)) {
        return VKS_OK;
    }
    if (result == VKS_OK && vks_viewport_panel(&window->port).width > 0) {
        result = update_panel(window);
    }
    if (result == VKS_OK && vks_viewport_strip(&window->port).width > 0) {
        result = update_strip(window);
    }
    if (result == VKS_OK && window->keys_shown) {
        result = update_page(window);
    }
    window->updated = now;
    window->log_done = window->run.log->done;
    window->input = (struct vks_ui_input){.x = window->input.x,
                                          .y = window->input.y,
                                          .down = window->input.down,
                                          .shift = window->input.shift,
                                          .control = window->input.control};
    return result;
}

/* --- actions --------------------------------------------------------------------------------- */

static enum vks_result restart(struct vks_control *control, uint32_t seed)
{
    const struct vks_event event = vks_event_restart(seed);
    return vks_log_add(&control->events, &event);
}

/* The seed of the simulation after the events that are still to be applied. */
static uint32_t next_seed(const struct vks_window *window, const struct vks_control *control)
{
    for (size_t i = control->events.count; i-- > 0;) {
        if (control->events.events[i].restarts) {
            return control->events.events[i].seed;
        }
    }
    return (uint32_t)settings_of(window)->common.seed;
}

static enum vks_result restart_with(const struct vks_window *window, struct vks_control *control,
                                    int by)
{
    const uint32_t seed = next_seed(window, control) + (uint32_t)by;
    if (by != 0) {
        vks_message(VKS_LOG_INFO, "seed %" PRIu32, seed);
    }
    return restart(control, seed);
}

/* Opens the run of a picture as a new one, which goes to the state that it shows. */
static enum vks_result reopen(struct vks_window *window, struct vks_control *control, size_t index)
{
    struct vks_next_run next = {0};
    const char *preset = vks_gallery_preset(window->gallery, index);
    const enum vks_result result =
        window->run.reopen(window->run.user, vks_gallery_path(window->gallery, index), &next);
    if (result != VKS_OK) {
        return result;
    }
    if (preset[0] && vks_preset_find(next.settings.model, preset)) {
        snprintf(next.preset, sizeof(next.preset), "%s", preset);
    }
    vks_player_ask(&window->player, control, &next);
    return VKS_OK;
}

static enum vks_result act_in_gallery(struct vks_window *window, struct vks_control *control,
                                      const struct vks_action *action)
{
    size_t count;
    char words[VKS_UI_TEXT_SIZE];
    const char *folder;
    vks_gallery_items(window->gallery, &count);
    switch (action->kind) {
    case VKS_ACTION_GALLERY_RETURN:
        return action->index < count ? reopen(window, control, action->index) : VKS_OK;
    case VKS_ACTION_GALLERY_DELETE:
        window->updated = 0;
        return action->index < count ? vks_gallery_delete(window->gallery, action->index) : VKS_OK;
    case VKS_ACTION_GALLERY_FOLDER:
        folder = vks_gallery_folder(window->gallery);
        snprintf(words, sizeof(words), "pictures are in %s", folder ? folder : "no folder");
        vks_window_say(window, words);
        return VKS_OK;
    default:
        return VKS_OK;
    }
}

static enum vks_result act(struct vks_window *window, struct vks_control *control,
                           const struct vks_action *action)
{
    struct vks_player *player = &window->player;
    const double now = vks_seconds();
    switch (action->kind) {
    case VKS_ACTION_SET:
        return vks_player_set(player, control, action->name, action->text, now);
    case VKS_ACTION_PRESET:
        return action->keep ? vks_player_take_preset(player, control, action->name, now)
                            : vks_player_new_preset(player, control, action->name);
    case VKS_ACTION_MODEL:
        return vks_player_new_model(player, control, action->name);
    case VKS_ACTION_RESTART:
        return restart_with(window, control, 0);
    case VKS_ACTION_PREPARE:
        return vks_player_prepare(player, action->name, action->text);
    case VKS_ACTION_NEW_RUN:
        return vks_player_new_run(player, control);
    case VKS_ACTION_BRUSH:
        player->brush = action->brush;
        return VKS_OK;
    case VKS_ACTION_SEEK:
        control->seek = true;
        control->step = action->step;
        control->paused = true;
        return VKS_OK;
    case VKS_ACTION_PAUSE:
        control->paused = !control->paused;
        return VKS_OK;
    case VKS_ACTION_SAVE:
        return save_picture(window);
    case VKS_ACTION_KEYS:
        window->keys_shown = !window->keys_shown;
        window->dirty = true;
        return VKS_OK;
    case VKS_ACTION_RECORD:
        return record(window);
    case VKS_ACTION_GALLERY_RETURN:
    case VKS_ACTION_GALLERY_DELETE:
    case VKS_ACTION_GALLERY_FOLDER:
        return act_in_gallery(window, control, action);
    case VKS_ACTION_GALLERY_LOOK: /* the panel shows its words */
        return VKS_OK;
    }
    return VKS_OK;
}

static enum vks_result act_all(struct vks_window *window, struct vks_control *control)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < window->actions.count && result == VKS_OK; i++) {
        result = tolerate(window, act(window, control, &window->actions.items[i]));
    }
    window->actions.count = 0;
    return result;
}

/* Updates the surfaces with the input so far, and does what a person did there. */
static enum vks_result flush(struct vks_window *window, struct vks_control *control)
{
    const enum vks_result result = update_surfaces(window, true);
    return result == VKS_OK ? act_all(window, control) : result;
}

/* --- keys ------------------------------------------------------------------------------------ */

static void toggle_full(struct vks_window *window)
{
    if (vks_sdl.SetWindowFullscreen(window->handle,
                                    window->full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP) != 0) {
        vks_message(VKS_LOG_WARNING, "full screen is unavailable: %s", vks_sdl.GetError());
        return;
    }
    window->full = !window->full;
    window->port.strip = true;
    vks_sdl.ShowCursor(SDL_ENABLE);
    if (window->full) {
        vks_sdl.DisableScreenSaver();
    } else {
        vks_sdl.EnableScreenSaver();
    }
}

/* The character on the key; on non-Latin keyboards, the one at that place on a Latin one. */
static SDL_Keycode key_of(SDL_Keysym keysym)
{
    bool non_latin = keysym.sym > 127 && !(keysym.sym & SDLK_SCANCODE_MASK);
    if (non_latin && keysym.scancode >= SDL_SCANCODE_A && keysym.scancode <= SDL_SCANCODE_Z) {
        return SDLK_a + (SDL_Keycode)(keysym.scancode - SDL_SCANCODE_A);
    }
    return non_latin && keysym.scancode == SDL_SCANCODE_PERIOD ? SDLK_PERIOD : keysym.sym;
}

enum action {
    NONE,
    PAUSE,
    STEP,
    STEP_BACK,
    SLOWER,
    FASTER,
    RESTART,
    NEXT_SEED,
    LAST_SEED,
    NEXT_PRESET,
    LAST_PRESET,
    SURPRISE,
    GENTLE_SURPRISE,
    UNDO,
    REDO,
    NEXT_COLOURS,
    LAST_COLOURS,
    NEXT_VIEW,
    LAST_VIEW,
    INVERT,
    ANNOTATE,
    NEXT_BRUSH,
    LAST_BRUSH,
    SMALLER_BRUSH,
    LARGER_BRUSH,
    SAVE,
    RECORD,
    ZOOM_TO_PIXELS,
    ZOOM_TO_WHOLE,
    PAN_LEFT,
    PAN_RIGHT,
    PAN_UP,
    PAN_DOWN,
    PANEL_ON_OFF,
    ENTER_PANEL,
    FULL_SCREEN,
    KEYS,
    LEAVE,
    QUIT,
};

static enum action action_of(SDL_Keycode key, unsigned modifiers)
{
    enum { PLAIN, SHIFT, CTRL, CTRL_SHIFT };
    static const struct {
        SDL_Keycode key;
        unsigned modifiers;
        enum action action;
    } keys[] = {
#define VKS_BIND(key, modifiers, action) {SDLK_##key, modifiers, action},
#include "ui/keys.def"
    };
    const unsigned held =
        (modifiers & KMOD_SHIFT ? SHIFT : PLAIN) | (modifiers & KMOD_CTRL ? (unsigned)CTRL : PLAIN);
    for (size_t i = 0; i < VKS_COUNT(keys); i++) {
        /* Some keyboards need Shift for a sign. */
        const bool sign = keys[i].modifiers == PLAIN && held == SHIFT && key < SDLK_a && key > ' ';
        if (key == keys[i].key && (keys[i].modifiers == held || sign) &&
            !(modifiers & (KMOD_ALT | KMOD_GUI))) {
            return keys[i].action;
        }
    }
    return NONE;
}

static void turn_brush(struct vks_window *window, int by)
{
    struct vks_brush_row rows[VKS_MAX_BRUSHES];
    const size_t count = vks_player_brushes(&window->player, rows);
    size_t *index = &window->player.brush.index;
    for (size_t i = 0; i < count; i++) {
        *index = (*index + (by < 0 ? count - 1 : 1)) % count;
        if (!rows[*index].lacks) {
            break;
        }
    }
    if (count > 0) {
        vks_panel_show(window->panel, VKS_TAB_BRUSH);
    }
}

static void scale_brush(struct vks_window *window, double factor)
{
    const double radius = window->player.brush.radius * factor;
    window->player.brush.radius = radius < 2 ? 2 : radius > 400 ? 400 : radius;
    window->dirty = true;
}

static void scale_steps(struct vks_window *window, struct vks_control *control, bool faster)
{
    uint64_t *steps = &window->steps_per_frame;
    *steps = faster ? (*steps < 1 << 20 ? *steps * 2 : *steps) : *steps > 1 ? *steps / 2 : 1;
    window->pace = control->steps_per_frame = *steps;
}

static void close_keys(struct vks_window *window)
{
    window->keys_shown = false;
    window->dirty = true;
}

static void leave(struct vks_window *window, struct vks_control *control)
{
    if (window->keys_shown) {
        close_keys(window);
    } else if (window->full) {
        toggle_full(window);
    } else {
        control->quit = true;
    }
}

static enum vks_result toggle(struct vks_window *window, struct vks_control *control,
                              const char *name, bool on)
{
    return vks_player_set(&window->player, control, name, on ? "false" : "true", vks_seconds());
}

/* Actions that concern time and presets; NONE if it is another. */
static enum vks_result play(struct vks_window *window, struct vks_control *control,
                            enum action action)
{
    struct vks_player *player = &window->player;
    const double now = vks_seconds();
    switch (action) {
    case PAUSE:
        control->paused = !control->paused;
        return VKS_OK;
    case STEP: /* pauses, as video players do */
        control->paused = true;
        control->single++;
        return VKS_OK;
    case STEP_BACK:
        control->paused = control->seek = true;
        control->step = window->now > 0 ? window->now - 1 : 0;
        return VKS_OK;
    case SLOWER:
    case FASTER:
        scale_steps(window, control, action == FASTER);
        return VKS_OK;
    case RESTART:
        return restart_with(window, control, 0);
    case NEXT_SEED:
    case LAST_SEED:
        return restart_with(window, control, action == NEXT_SEED ? 1 : -1);
    case NEXT_PRESET:
    case LAST_PRESET:
        return vks_player_new_preset(
            player, control, vks_player_next_preset(player, action == NEXT_PRESET ? 1 : -1));
    case SURPRISE:
    case GENTLE_SURPRISE:
        return vks_player_surprise(player, control, action == SURPRISE ? 0.15 : 0.04, now);
    case UNDO:
        return vks_player_undo(player, control);
    case REDO:
        return vks_player_redo(player, control);
    default:
        return VKS_OK;
    }
}

/* Actions that concern the look. */
static enum vks_result dress(struct vks_window *window, struct vks_control *control,
                             enum action action)
{
    struct vks_player *player = &window->player;
    const struct vks_look *look = &settings_of(window)->common.look;
    const double now = vks_seconds();
    switch (action) {
    case NEXT_COLOURS:
    case LAST_COLOURS:
        return vks_player_cycle(player, control, "colormap", action == NEXT_COLOURS ? 1 : -1, now);
    case NEXT_VIEW:
    case LAST_VIEW:
        return vks_player_cycle(player, control, "view", action == NEXT_VIEW ? 1 : -1, now);
    case INVERT:
        return toggle(window, control, "invert", look->invert);
    case ANNOTATE:
        return toggle(window, control, "annotate", look->annotate);
    default:
        return VKS_OK;
    }
}

/* Actions that concern the window. */
static enum vks_result arrange(struct vks_window *window, struct vks_control *control,
                               enum action action)
{
    struct vks_viewport *port = &window->port;
    switch (action) {
    case NEXT_BRUSH:
    case LAST_BRUSH:
        turn_brush(window, action == NEXT_BRUSH ? 1 : -1);
        break;
    case SMALLER_BRUSH:
    case LARGER_BRUSH:
        scale_brush(window, action == SMALLER_BRUSH ? 1 / 1.25 : 1.25);
        break;
    case SAVE:
        return save_picture(window);
    case RECORD:
        return record(window);
    case ZOOM_TO_PIXELS:
        vks_viewport_to_pixels(port);
        break;
    case ZOOM_TO_WHOLE:
        vks_viewport_to_whole(port);
        break;
    case PAN_LEFT:
    case PAN_RIGHT:
        vks_viewport_pan(port, action == PAN_LEFT ? PAN_PIXELS : -PAN_PIXELS, 0);
        break;
    case PAN_UP:
    case PAN_DOWN:
        vks_viewport_pan(port, 0, action == PAN_UP ? PAN_PIXELS : -PAN_PIXELS);
        break;
    case PANEL_ON_OFF:
        port->panel = !port->panel;
        break;
    case ENTER_PANEL:
        port->panel = true;
        vks_ui_enter(vks_panel_ui(window->panel));
        break;
    case FULL_SCREEN:
        toggle_full(window);
        break;
    case KEYS:
        window->keys_shown = !window->keys_shown;
        break;
    case LEAVE:
        leave(window, control);
        break;
    case QUIT:
        control->quit = true;
        break;
    default:
        return VKS_OK;
    }
    window->dirty = true;
    window->updated = 0;
    return VKS_OK;
}

/* A key for the panel, which has the keyboard. */
static bool give_key(struct vks_window *window, SDL_Keycode key)
{
    static const struct {
        SDL_Keycode key;
        enum vks_ui_key given;
    } keys[] = {
        {SDLK_TAB, VKS_UI_TAB},
        {SDLK_RETURN, VKS_UI_ENTER},
        {SDLK_KP_ENTER, VKS_UI_ENTER},
        {SDLK_SPACE, VKS_UI_SPACE},
        {SDLK_ESCAPE, VKS_UI_ESCAPE},
        {SDLK_LEFT, VKS_UI_LEFT},
        {SDLK_RIGHT, VKS_UI_RIGHT},
        {SDLK_UP, VKS_UI_UP},
        {SDLK_DOWN, VKS_UI_DOWN},
        {SDLK_HOME, VKS_UI_HOME},
        {SDLK_END, VKS_UI_END},
        {SDLK_PAGEUP, VKS_UI_PAGE_UP},
        {SDLK_PAGEDOWN, VKS_UI_PAGE_DOWN},
        {SDLK_BACKSPACE, VKS_UI_BACKSPACE},
        {SDLK_DELETE, VKS_UI_DELETE},
    };
    struct vks_ui *ui = vks_panel_ui(window->panel);
    if (!window->port.panel || !vks_ui_takes_keys(ui)) {
        return false;
    }
    for (size_t i = 0; i < VKS_COUNT(keys); i++) {
        if (keys[i].key == key && window->input.key_count < VKS_MAX_UI_KEYS) {
            window->input.keys[window->input.key_count++] = keys[i].given;
            return true;
        }
    }
    /* Its letters come as text, and the digits that open the number of a slider. */
    return ui->edit.id != 0 || (key >= '0' && key <= '9') || key == '.' || key == '-';
}

static enum vks_result press(struct vks_window *window, const SDL_KeyboardEvent *event,
                             struct vks_control *control)
{
    const SDL_Keycode key = key_of(event->keysym);
    window->input.shift = (event->keysym.mod & KMOD_SHIFT) != 0;
    window->input.control = (event->keysym.mod & KMOD_CTRL) != 0;
    const enum action action = action_of(key, event->keysym.mod);
    const bool modifier = key >= SDLK_LCTRL && key <= SDLK_RGUI;
    if (window->keys_shown && !modifier && action != KEYS && action != LEAVE) {
        close_keys(window); /* any key does */
    }
    if (give_key(window, key)) {
        return flush(window, control);
    }
    const bool repeats = action == STEP || action == STEP_BACK || action == SMALLER_BRUSH ||
                         action == LARGER_BRUSH || (action >= PAN_LEFT && action <= PAN_DOWN) ||
                         action == UNDO || action == REDO;
    if (action == NONE || (event->repeat && !repeats)) {
        return VKS_OK;
    }
    enum vks_result result = play(window, control, action);
    if (result == VKS_OK) {
        result = dress(window, control, action);
    }
    if (result == VKS_OK) {
        result = arrange(window, control, action);
    }
    return tolerate(window, result);
}

/* --- mouse ----------------------------------------------------------------------------------- */

/* Events have points of the window. */
static void move_to(struct vks_window *window, int x, int y)
{
    int points = 0, unused;
    vks_sdl.GetWindowSize(window->handle, &points, &unused);
    const float ratio = points > 0 ? (float)window->port.width / (float)points : 1;
    window->mouse_x = ((float)x + 0.5F) * ratio;
    window->mouse_y = ((float)y + 0.5F) * ratio;
    window->mouse_inside = true;
    window->mouse_time = vks_seconds();
    window->dirty = true; /* the ring moves */
}

static enum vks_result paint_to_mouse(struct vks_window *window, struct vks_control *control)
{
    double across, down;
    return find_place(window, &across, &down)
               ? vks_player_move(&window->player, control, across, down)
               : VKS_OK;
}

/* What the stroke lacks to where the mouse is now. */
static enum vks_result paint_rest(struct vks_window *window, struct vks_control *control)
{
    struct vks_player *player = &window->player;
    double across, down;
    return player->stroking && find_place(window, &across, &down) &&
                   (across != player->x || down != player->y)
               ? vks_player_move(player, control, across, down)
               : VKS_OK;
}

static enum vks_result press_button(struct vks_window *window, const SDL_MouseButtonEvent *event,
                                    struct vks_control *control)
{
    double across, down;
    move_to(window, event->x, event->y);
    const enum surface surface = find_surface(window, window->mouse_x, window->mouse_y);
    window->held = window->buttons ? window->held : surface;
    window->buttons |= (unsigned)SDL_BUTTON(event->button);
    if (window->keys_shown) {
        window->held = NOWHERE;
        close_keys(window);
    } else if (window->held == ON_PICTURE) {
        vks_ui_leave(vks_panel_ui(window->panel));
        const bool paints = event->button == SDL_BUTTON_LEFT || event->button == SDL_BUTTON_RIGHT;
        window->moves = event->button == SDL_BUTTON_MIDDLE;
        if (paints && find_place(window, &across, &down)) {
            vks_player_press(&window->player, across, down, event->button == SDL_BUTTON_RIGHT);
            return paint_to_mouse(window, control);
        }
    } else if (event->button == SDL_BUTTON_LEFT) {
        window->input.down = window->input.pressed = true;
        window->input.clicks = event->clicks;
        return flush(window, control);
    }
    return VKS_OK;
}

static enum vks_result release_button(struct vks_window *window, const SDL_MouseButtonEvent *event,
                                      struct vks_control *control)
{
    enum vks_result result = VKS_OK;
    move_to(window, event->x, event->y);
    window->buttons &= ~(unsigned)SDL_BUTTON(event->button);
    if (window->held == ON_PICTURE) {
        result = paint_rest(window, control);
        vks_player_release(&window->player);
        window->moves = false;
    } else if (event->button == SDL_BUTTON_LEFT) {
        result = flush(window, control); /* the last move is still one of the drag */
        window->input.down = false;
        window->input.released = true;
        result = result == VKS_OK ? flush(window, control) : result;
    }
    if (window->buttons == 0) {
        window->held = NOWHERE;
    }
    return result;
}

static enum vks_result move(struct vks_window *window, const SDL_MouseMotionEvent *event)
{
    const float x = window->mouse_x, y = window->mouse_y;
    move_to(window, event->x, event->y);
    if (window->moves) {
        vks_viewport_pan(&window->port, window->mouse_x - x, window->mouse_y - y);
    }
    return VKS_OK;
}

static void turn_wheel(struct vks_window *window, const SDL_MouseWheelEvent *event)
{
    const float notches = event->preciseY * (event->direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1);
    const enum surface surface = find_surface(window, window->mouse_x, window->mouse_y);
    window->dirty = true;
    if (surface != ON_PICTURE) {
        window->input.wheel += notches;
    } else if (window->input.shift) {
        scale_brush(window, pow(1.25, (double)notches));
    } else {
        vks_viewport_zoom(&window->port, pow(1.25, (double)notches), window->mouse_x,
                          window->mouse_y);
    }
}

/* --- events ---------------------------------------------------------------------------------- */

/* The window has another size, or may have. */
static void measure_window(struct vks_window *window)
{
    int width = 0, height = 0;
    if (!is_minimised(window)) {
        vks_sdl.Vulkan_GetDrawableSize(window->handle, &width, &height);
    }
    window->port.width = (uint32_t)width;
    window->port.height = (uint32_t)height;
    window->port.scale = find_scale(window);
    window->updated = 0;
    window->dirty = true;
}

static enum vks_result handle(struct vks_window *window, const SDL_Event *event,
                              struct vks_control *control)
{
    switch (event->type) {
    case SDL_QUIT:
        control->quit = true;
        break;
    case SDL_KEYDOWN:
        return press(window, &event->key, control);
    case SDL_KEYUP:
        window->input.shift = (event->key.keysym.mod & KMOD_SHIFT) != 0;
        window->input.control = (event->key.keysym.mod & KMOD_CTRL) != 0;
        break;
    case SDL_TEXTINPUT:
        snprintf(window->input.text, sizeof(window->input.text), "%s", event->text.text);
        return flush(window, control);
    case SDL_MOUSEMOTION:
        return move(window, &event->motion);
    case SDL_MOUSEBUTTONDOWN:
        return press_button(window, &event->button, control);
    case SDL_MOUSEBUTTONUP:
        return release_button(window, &event->button, control);
    case SDL_MOUSEWHEEL:
        turn_wheel(window, &event->wheel);
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_CLOSE) {
            control->quit = true;
        } else if (event->window.event == SDL_WINDOWEVENT_LEAVE) {
            window->mouse_inside = false;
            window->dirty = true;
        } else if (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED ||
                   event->window.event == SDL_WINDOWEVENT_EXPOSED ||
                   event->window.event == SDL_WINDOWEVENT_MINIMIZED ||
                   event->window.event == SDL_WINDOWEVENT_RESTORED) {
            vks_swapchain_resized(window->swapchain);
            measure_window(window);
        }
        break;
    default:
        break;
    }
    return VKS_OK;
}

/* An input method only where text may be typed. */
static void choose_text_input(struct vks_window *window)
{
    const bool wanted = window->port.panel && vks_ui_takes_keys(vks_panel_ui(window->panel));
    if (wanted != window->texting) {
        window->texting = wanted;
        (wanted ? vks_sdl.StartTextInput : vks_sdl.StopTextInput)();
    }
}

/* In full screen the strip and the pointer are hidden while the mouse rests. */
static void hide_idle(struct vks_window *window)
{
    const bool idle = window->full && vks_seconds() - window->mouse_time > hide_seconds;
    if (window->port.strip == idle) {
        window->port.strip = !idle;
        window->dirty = true;
        window->updated = 0;
        vks_sdl.ShowCursor(idle ? SDL_DISABLE : SDL_ENABLE);
    }
}

/* Goes to the step of a picture, once the start is kept, so that there is a way back. */
static void go_to_step(struct vks_window *window, struct vks_control *control)
{
    if (window->seeks) {
        control->paused = true;
        control->seek = window->captured;
        control->step = window->run.step;
        window->seeks = !window->captured;
    }
}

static enum vks_result poll_events(void *user, struct vks_control *control)
{
    struct vks_window *window = user;
    enum vks_result result = VKS_OK;
    SDL_Event event;
    window->control = control;
    window->now = control->now;
    window->last = control->now > window->last ? control->now : window->last;
    go_to_step(window, control);
    vks_phase_begin(control->idle ? VKS_PHASE_WAIT_EVENT : VKS_PHASE_PRESENT);
    int got = control->idle && !control->seek ? vks_sdl.WaitEventTimeout(&event, WAIT_MILLISECONDS)
                                              : vks_sdl.PollEvent(&event);
    vks_phase_end();
    const bool any = got;
    while (got && result == VKS_OK) {
        result = handle(window, &event, control);
        got = vks_sdl.PollEvent(&event);
    }
    if (result == VKS_OK && window->player.stroking) {
        result = paint_to_mouse(window, control); /* as long as it is held */
    }
    window->paused = control->paused;
    control->steps_per_frame = window->pace;
    hide_idle(window);
    if (result == VKS_OK) {
        result = update_surfaces(window, any);
    }
    if (result == VKS_OK) {
        result = act_all(window, control);
    }
    choose_text_input(window);
    /* While running, the next frame repaints the window, unless frames are slow. */
    const bool late = control->idle || vks_seconds() - window->presented > update_seconds;
    if (result == VKS_OK && window->dirty && window->captured && late) {
        result = present_picture(window);
    }
    return result;
}

/* --- title ----------------------------------------------------------------------------------- */

/* Restarts the measurement. */
static void restart_meter(struct vks_window *window, double now, uint64_t steps)
{
    struct meter *meter = &window->meter;
    meter->time = now;
    meter->steps = steps;
    meter->frames = 0;
    vks_grid_busy(window->run.grid, &meter->busy, &meter->busy_steps);
}

static void measure(struct vks_window *window, double now, uint64_t steps)
{
    struct meter *meter = &window->meter;
    const struct meter before = *meter;
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
    const struct meter *meter = &window->meter;
    const uint64_t seed = settings_of(window)->common.seed;
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
             settings_of(window)->model->name, seed, steps, rate, time);
    if (strcmp(title, window->title) != 0) {
        memcpy(window->title, title, sizeof(title));
        vks_sdl.SetWindowTitle(window->handle, title);
    }
}

static void progress(void *user, uint64_t frames, uint64_t done)
{
    struct vks_window *window = user;
    const double now = vks_seconds();
    const uint64_t steps = vks_simulation_steps(first(window));
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
    return result == VKS_OK ? take(window, PAGE, vks_draw_canvas(draw), &update) : result;
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
    measure_window(window);
    enum vks_result result = vks_swapchain_use(window->swapchain, window->size);
    if (result == VKS_OK) {
        result = draw_words(window, words);
    }
    if (result != VKS_OK) {
        return result;
    }
    struct vks_screen screen = {.pane_count = 1};
    const struct vks_image *image = &window->panes[PAGE].pane.image;
    screen.panes[0].pane = &window->panes[PAGE].pane;
    screen.panes[0].x = ((int32_t)window->port.width - (int32_t)image->width) / 2;
    screen.panes[0].y = ((int32_t)window->port.height - (int32_t)image->height) / 2;
    window->captured = false;
    return vks_swapchain_present(window->swapchain,
                                 (VkExtent2D){window->port.width, window->port.height}, &screen,
                                 &presented);
}

/* --- runs ------------------------------------------------------------------------------------ */

/* Whether the picture continues at its edges: it shows a whole flat field that does. */
static bool is_periodic(const struct vks_window *window)
{
    const struct vks_settings *settings = settings_of(window);
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

enum vks_result vks_window_begin(struct vks_window *window, const struct vks_window_run *run,
                                 struct vks_presenter *presenter)
{
    const struct vks_size size = vks_grid_size(run->grid);
    enum vks_result result = VKS_OK;
    const bool again = window->run.grid != NULL;
    window->run = *run;
    vks_player_begin(&window->player, run->grid, run->log, run->preset);
    if (again || size.width != window->size.width || size.height != window->size.height) {
        result = vks_swapchain_use(window->swapchain, size);
        window->captured = false;
    }
    window->size = window->port.picture = size;
    window->port.magnified = false;
    window->port.wraps = is_periodic(window);
    window->port.strip = true;
    window->steps_per_frame = window->pace = vks_grid_steps_per_frame(run->grid);
    window->last = 0;
    window->seeks = run->seeks;
    window->meter = (struct meter){0};
    if (!again) {
        window->port.panel = true;
        window->mouse_time = vks_seconds();
        vks_ui_say(&window->strip, "Tab: panel   ?: keys   drag on the picture to paint",
                   hint_seconds);
    }
    measure_window(window);
    *presenter = (struct vks_presenter){
        .user = window, .poll = poll_events, .present = present, .progress = progress};
    return result;
}

enum vks_result vks_window_end(struct vks_window *window, enum vks_result result)
{
    struct vks_error why;
    if (!window->video) {
        return result;
    }
    vks_error_keep(result, &why);
    const enum vks_result ended = end_video(window);
    return result == VKS_OK ? ended : vks_fail_again(&why);
}

bool vks_window_next(struct vks_window *window, struct vks_next_run *next)
{
    *next = window->player.next;
    window->player.next = (struct vks_next_run){0};
    return next->settings.model != NULL;
}
