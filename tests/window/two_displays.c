/* SPDX-License-Identifier: MIT */
/* SDL on a desktop whose halves are two displays, the right one denser, because Xvfb has one. Tests
 * let vksim find this as libSDL2-2.0.so.0; TWO_DISPLAYS_SDL is the path of the real one. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "ui/sdl.h"

typedef void function(void);

static function *real(const char *name)
{
    static void *library;
    function *found = NULL;
    library = library ? library : dlopen(getenv("TWO_DISPLAYS_SDL"), RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, name) : NULL;
    memcpy(&found, &address, sizeof(found));
    return found;
}

#define REAL(name) ((__typeof__(SDL_##name) *)real("SDL_" #name))

static SDL_Rect bounds(int display)
{
    SDL_Rect rect;
    REAL(GetDisplayBounds)(0, &rect);
    rect.w /= 2;
    rect.x = display * rect.w;
    return rect;
}

static int point_display(const SDL_Point *point)
{
    return point->x >= bounds(1).x;
}

static int usable_bounds(int display, SDL_Rect *rect)
{
    *rect = bounds(display);
    return 0;
}

static int density(int display, float *diagonal, float *across, float *down)
{
    (void)diagonal;
    (void)down;
    *across = display == 0 ? 96 : 144;
    return 0;
}

static SDL_Window *create(const char *title, int x, int y, int width, int height, Uint32 flags)
{
    const SDL_Rect rect = bounds(x & 0xFFFF);
    (void)y;
    return REAL(CreateWindow)(title, rect.x + (rect.w - width) / 2, (rect.h - height) / 2, width,
                              height, flags);
}

static int window_display(SDL_Window *window)
{
    SDL_Point middle;
    int y, width, height;
    REAL(GetWindowPosition)(window, &middle.x, &y);
    REAL(GetWindowSize)(window, &width, &height);
    middle.x += width / 2;
    return point_display(&middle);
}

/* A window that was moved to the other display gets an event that says so. */
static int poll(SDL_Event *event)
{
    static int last = -1;
    SDL_Window *window = REAL(GetWindowFromID)(1);
    const int now = window ? window_display(window) : last;
    if (now != last) {
        last = now;
        *event = (SDL_Event){.window = {.type = SDL_WINDOWEVENT,
                                        .windowID = 1,
                                        .event = SDL_WINDOWEVENT_DISPLAY_CHANGED,
                                        .data1 = now}};
        return 1;
    }
    return REAL(PollEvent)(event);
}

static function *find(const char *name)
{
    static const struct {
        const char *name;
        function *function;
    } own[] = {
        {"SDL_CreateWindow", (function *)create},
        {"SDL_GetDisplayDPI", (function *)density},
        {"SDL_GetDisplayUsableBounds", (function *)usable_bounds},
        {"SDL_GetPointDisplayIndex", (function *)point_display},
        {"SDL_GetWindowDisplayIndex", (function *)window_display},
        {"SDL_PollEvent", (function *)poll},
    };
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (strcmp(own[i].name, name) == 0) {
            return own[i].function;
        }
    }
    return real(name);
}

#define VKS_SDL(name)                                                \
    __attribute__((used)) /* by ifunc, which clang does not count */ \
    static __typeof__(SDL_##name) *find_##name(void)                 \
    {                                                                \
        return (__typeof__(SDL_##name) *)find("SDL_" #name);         \
    }                                                                \
    __typeof__(SDL_##name) SDL_##name __attribute__((ifunc("find_" #name)));
#include "ui/sdl.def"
