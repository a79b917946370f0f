/* SPDX-License-Identifier: MIT */
/* The connection to an X server, which may break. */
#ifndef VKS_UI_CONNECTION_H
#define VKS_UI_CONNECTION_H

#include <stdbool.h>

#include "ui/sdl.h"

/* For a window on an X server: a broken connection does not end the process, as Xlib would (with
 * libX11 1.7 or later). */
void vks_connection_keep(SDL_Window *window);
/* Whether it is broken. Nothing may be asked of SDL's windows from then on. */
bool vks_connection_is_broken(void);

#endif
