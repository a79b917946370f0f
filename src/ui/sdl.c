/* SPDX-License-Identifier: MIT */
#include "ui/sdl.h"

#include "base/error.h"
#include "base/library.h"
#include "base/memory.h"

#define SONAME "libSDL2-2.0.so.0" /* of every version of SDL 2 */

VKS_LIBRARY_NOTE(sdl, "window", "Live windows", "recommended", SONAME);

struct vks_sdl vks_sdl = {
#if VKS_LINK_SDL
#define VKS_SDL(name) .name = SDL_##name,
#include "ui/sdl.def"
#undef VKS_SDL
#else
    0
#endif
};

static const char *const names[] = {SONAME, NULL};
static const struct vks_library_function functions[] = {
#define VKS_SDL(name) {"SDL_" #name, offsetof(struct vks_sdl, name)},
#include "ui/sdl.def"
#undef VKS_SDL
};

enum vks_result vks_sdl_load(void)
{
    static struct vks_library library = {
        .names = names,
        .functions = functions,
        .function_count = VKS_COUNT(functions),
        .table = &vks_sdl,
        .loaded = VKS_LINK_SDL,
    };
    char why[512];
    return vks_library_load(&library, why, sizeof(why))
               ? VKS_OK
               : vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                               "a window needs SDL 2 (%s); install it (Debian: apt install "
                               "libsdl2-2.0-0)",
                               why);
}
