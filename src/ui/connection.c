/* SPDX-License-Identifier: MIT */
#include "ui/connection.h"

#include <string.h>

#include "base/library.h"
#include "base/memory.h"

typedef int on_error(void *display);
typedef void on_end(void *display, void *user);

/* Of libX11, which SDL has loaded; `void` stands for its Display. */
static struct xlib {
    on_error *(*XSetIOErrorHandler)(on_error *handler);
    void (*XSetIOErrorExitHandler)(void *display, on_end *handler, void *user);
} xlib;

/* SDL_SysWMinfo, whose header would need those of all window systems. */
struct window_info {
    SDL_version version;
    int subsystem;
    union {
        struct {
            void *display;
            unsigned long window;
        } x11;
        Uint8 room[64];
    } info;
};

static bool broken;

/* In place of Xlib's message. */
static int note(void *display)
{
    (void)display;
    broken = true;
    return 0;
}

/* In place of exit(1): the call that failed returns, and so do all later ones. */
static void go_on(void *display, void *user)
{
    (void)display;
    (void)user;
}

void vks_connection_keep(SDL_Window *window)
{
    static const char *const names[] = {"libX11.so.6", NULL};
    static const struct vks_library_function functions[] = {
        {"XSetIOErrorHandler", offsetof(struct xlib, XSetIOErrorHandler)},
        {"XSetIOErrorExitHandler", offsetof(struct xlib, XSetIOErrorExitHandler)},
    };
    static struct vks_library library = {
        .names = names,
        .functions = functions,
        .function_count = VKS_COUNT(functions),
        .table = &xlib,
    };
    char why[256];
    struct window_info info = {0};
    SDL_VERSION(&info.version);
    if (strcmp(vks_sdl.GetCurrentVideoDriver(), "x11") == 0 &&
        vks_sdl.GetWindowWMInfo(window, (SDL_SysWMinfo *)&info) &&
        vks_library_load(&library, why, sizeof(why))) {
        (void)xlib.XSetIOErrorHandler(note);
        xlib.XSetIOErrorExitHandler(info.info.x11.display, go_on, NULL);
    }
}

bool vks_connection_is_broken(void)
{
    return broken;
}
