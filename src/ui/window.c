/* SPDX-License-Identifier: MIT */
#include "ui/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "frames/sink.h"
#include "ui/sdl.h"
#include "ui/swapchain.h"

enum {
    MAX_EXTENSIONS = 8,
    WAIT_MILLISECONDS = 100,  /* for events while idle */
    HIDDEN_MILLISECONDS = 16, /* per frame while the window is not visible */
    MAX_PICTURES = 1000,      /* per step and folder */
};

static const double title_seconds = 0.25;

/* Speed since the last update of the title. */
struct meter {
    double time;
    uint64_t steps;
    double busy; /* seconds of the GPU, as in vks_graph_busy() */
    uint64_t busy_steps;
    double rate;         /* steps per second; 0: not known yet */
    double step_seconds; /* of the GPU; 0: not known */
};

struct vks_window {
    SDL_Window *handle;
    struct vks_swapchain *swapchain;
    struct vks_grid *grid;
    char *name;
    struct vks_size size; /* of the picture */
    bool full, paused;
    bool captured; /* the swapchain has a picture, of step `captured_step` */
    uint64_t captured_step;
    bool dirty;       /* the screen does not show the captured picture, or not in the right size */
    double presented; /* time of the last presentation */
    struct meter meter;
    char title[256];
};

/* --- opening --------------------------------------------------------------------------------- */

/* The picture's size, reduced to fit the desktop, or enlarged by a whole factor if tiny. */
static struct vks_size window_size(struct vks_size picture)
{
    SDL_Rect desktop;
    if (vks_sdl.GetDisplayUsableBounds(0, &desktop) != 0 || desktop.w < 1 || desktop.h < 1) {
        desktop = (SDL_Rect){.w = 1280, .h = 720};
    }
    const double across = (double)desktop.w / picture.width;
    const double down = (double)desktop.h / picture.height;
    double factor = across < down ? across : down;
    if (factor * 0.9 < 1) {
        factor *= 0.9;
    } else {
        factor = factor * 2 < 3 ? 1 : (double)(uint32_t)(factor * 2 / 3);
    }
    double width = picture.width * factor + 0.5, height = picture.height * factor + 0.5;
    return (struct vks_size){width < 1 ? 1 : (uint32_t)width, height < 1 ? 1 : (uint32_t)height};
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
    enum vks_result result = window->name ? open_display() : vks_fail_memory();
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
        vks_swapchain_destroy(window->swapchain);
        window->swapchain = NULL;
        window->grid = NULL;
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
    free(window->name);
    free(window);
}

/* --- pictures -------------------------------------------------------------------------------- */

/* The simulation whose seed and steps are in the title. */
static vks_simulation *first(const struct vks_window *window)
{
    return vks_grid_simulation(window->grid, 0);
}

static bool is_minimised(const struct vks_window *window)
{
    return (vks_sdl.GetWindowFlags(window->handle) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) !=
           0;
}

static enum vks_result present_picture(struct vks_window *window)
{
    int width = 0, height = 0;
    bool presented = false;
    if (!is_minimised(window)) {
        vks_sdl.Vulkan_GetDrawableSize(window->handle, &width, &height);
    }
    vks_phase_begin(VKS_PHASE_PRESENT);
    const struct vks_area all = {0, 0, (uint32_t)width, (uint32_t)height};
    const struct vks_screen screen = {.place = vks_place_whole(window->size, all)};
    enum vks_result result = vks_swapchain_present(
        window->swapchain, (VkExtent2D){(uint32_t)width, (uint32_t)height}, &screen, &presented);
    vks_phase_end();
    window->dirty = !presented;
    window->presented = vks_seconds();
    return result;
}

static enum vks_result present(void *user)
{
    struct vks_window *window = user;
    const double start = vks_seconds();
    enum vks_result result = vks_grid_draw(window->grid);
    if (result == VKS_OK) {
        result = vks_swapchain_capture(window->swapchain, vks_grid_graph(window->grid));
    }
    if (result != VKS_OK) {
        return result;
    }
    window->captured = true;
    window->captured_step = vks_simulation_steps(first(window));
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

/* "physarum-600.png", or the first of "physarum-600-2.png" and so on that does not exist; if all
 * exist, the last, which then cannot be written. NULL if memory ran out. */
static char *picture_name(const struct vks_window *window)
{
    char *name = vks_format("%s-%" PRIu64 ".png", window->name, window->captured_step);
    for (int i = 2; name && i < MAX_PICTURES && access(name, F_OK) == 0; i++) {
        free(name);
        name = vks_format("%s-%" PRIu64 "-%d.png", window->name, window->captured_step, i);
    }
    return name;
}

/* Writes the captured picture in full size. If the file cannot be written, the run continues. */
static enum vks_result save_picture(const struct vks_window *window)
{
    if (!window->captured) {
        return VKS_OK;
    }
    const struct vks_size size = window->size;
    unsigned char *pixels = malloc((size_t)size.width * size.height * 4);
    char *name = picture_name(window);
    enum vks_result result = VKS_OK;
    if (!pixels || !name) {
        vks_message(VKS_LOG_ERROR, "no memory for a picture");
    } else {
        result = vks_graph_download_to(vks_grid_graph(window->grid), "picture", pixels);
        if (result == VKS_OK &&
            vks_write_png(name, pixels, size.width, size.height, NULL, false) == VKS_OK) {
            vks_message(VKS_LOG_INFO, "wrote %s", name);
        } else if (result == VKS_OK) {
            vks_message(VKS_LOG_ERROR, "%s", vks_error_text());
        }
    }
    free(name);
    free(pixels);
    return result;
}

/* --- events ---------------------------------------------------------------------------------- */

static void toggle_full(struct vks_window *window)
{
    if (vks_sdl.SetWindowFullscreen(window->handle,
                                    window->full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP) != 0) {
        vks_message(VKS_LOG_WARNING, "full screen is unavailable: %s", vks_sdl.GetError());
        return;
    }
    window->full = !window->full;
    vks_sdl.ShowCursor(window->full ? SDL_DISABLE : SDL_ENABLE);
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
#define VKS_KEY(name, key, other, action, words) action,
#include "ui/keys.def"
#undef VKS_KEY
};

static enum action action_of(SDL_Keycode key)
{
    static const struct {
        SDL_Keycode key, other;
        enum action action;
    } keys[] = {
#define VKS_KEY(name, key, other, action, words) {SDLK_##key, SDLK_##other, action},
#include "ui/keys.def"
#undef VKS_KEY
    };
    for (size_t i = 0; i < VKS_COUNT(keys); i++) {
        if (key != SDLK_UNKNOWN && (key == keys[i].key || key == keys[i].other)) {
            return keys[i].action;
        }
    }
    return NONE;
}

static enum vks_result restart(struct vks_control *control, uint32_t seed)
{
    const struct vks_event change = vks_event_restart(seed);
    return vks_log_add(&control->events, &change);
}

/* The seed of the simulation after the events that are still to be applied. */
static uint32_t next_seed(const struct vks_window *window, const struct vks_control *control)
{
    for (size_t i = control->events.count; i-- > 0;) {
        if (control->events.events[i].restarts) {
            return control->events.events[i].seed;
        }
    }
    return (uint32_t)vks_simulation_settings(first(window))->common.seed;
}

/* In all cells, as the first one does not have it. */
static enum vks_result toggle_annotations(struct vks_window *window, struct vks_control *control)
{
    const bool annotated = vks_simulation_settings(first(window))->common.look.annotate;
    const struct vks_event change = vks_event_option("annotate", annotated ? "false" : "true");
    window->captured = false; /* the picture may have a new buffer */
    return vks_log_add(&control->events, &change);
}

static enum vks_result press(struct vks_window *window, const SDL_KeyboardEvent *event,
                             struct vks_control *control)
{
    const enum action action = action_of(key_of(event->keysym));
    const uint32_t seed = next_seed(window, control);
    if ((event->keysym.mod & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) ||
        (event->repeat && action != STEP)) {
        return VKS_OK;
    }
    switch (action) {
    case NONE:
        break;
    case PAUSE:
        control->paused = !control->paused;
        break;
    case STEP: /* pauses, as video players do */
        control->paused = true;
        control->single++;
        break;
    case QUIT:
        control->quit = true;
        break;
    case RESTART:
        return restart(control, seed);
    case NEXT_SEED:
        vks_message(VKS_LOG_INFO, "seed %" PRIu32, seed + 1);
        return restart(control, seed + 1);
    case ANNOTATE:
        return toggle_annotations(window, control);
    case SAVE:
        return save_picture(window);
    case FULL_SCREEN:
        toggle_full(window);
        break;
    }
    return VKS_OK;
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
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_CLOSE) {
            control->quit = true;
        } else if (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED ||
                   event->window.event == SDL_WINDOWEVENT_EXPOSED ||
                   event->window.event == SDL_WINDOWEVENT_RESTORED) {
            vks_swapchain_resized(window->swapchain);
            window->dirty = true;
        }
        break;
    default:
        break;
    }
    return VKS_OK;
}

static enum vks_result poll_events(void *user, struct vks_control *control)
{
    struct vks_window *window = user;
    enum vks_result result = VKS_OK;
    SDL_Event event;
    vks_phase_begin(control->idle ? VKS_PHASE_WAIT_EVENT : VKS_PHASE_PRESENT);
    int got = control->idle ? vks_sdl.WaitEventTimeout(&event, WAIT_MILLISECONDS)
                            : vks_sdl.PollEvent(&event);
    vks_phase_end();
    while (got && result == VKS_OK) {
        result = handle(window, &event, control);
        got = vks_sdl.PollEvent(&event);
    }
    window->paused = control->paused;
    /* While running, the next frame repaints the window, unless frames are slow. */
    bool late =
        control->idle || vks_seconds() - window->presented > (double)WAIT_MILLISECONDS * 1e-3;
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
    vks_grid_busy(window->grid, &meter->busy, &meter->busy_steps);
}

static void measure(struct vks_window *window, double now, uint64_t steps)
{
    struct meter *meter = &window->meter;
    const struct meter before = *meter;
    restart_meter(window, now, steps);
    if (meter->steps > before.steps && before.time > 0) {
        meter->rate = (double)(steps - before.steps) / (now - before.time);
    }
    if (meter->busy_steps > before.busy_steps && meter->busy > before.busy) {
        meter->step_seconds =
            (meter->busy - before.busy) / (double)(meter->busy_steps - before.busy_steps);
    }
}

static void set_title(struct vks_window *window, uint64_t steps)
{
    const struct meter *meter = &window->meter;
    const uint64_t seed = vks_simulation_settings(first(window))->common.seed;
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
    snprintf(title, sizeof(title), "%s | seed %" PRIu64 " | step %" PRIu64 "%s%s", window->name,
             seed, steps, rate, time);
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
    }
    set_title(window, steps);
}

struct vks_presenter vks_window_presenter(struct vks_window *window, struct vks_grid *grid)
{
    window->grid = grid;
    vks_sdl.ShowWindow(window->handle);
    static const char keys[] =
#define VKS_KEY(name, key, other, action, words) ", " name " " words
#include "ui/keys.def"
#undef VKS_KEY
        ;
    vks_message(VKS_LOG_INFO, "keys: %s", keys + strlen(", "));
    return (struct vks_presenter){
        .user = window, .poll = poll_events, .present = present, .progress = progress};
}
