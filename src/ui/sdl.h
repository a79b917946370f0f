/* SPDX-License-Identifier: MIT */
/* SDL, loaded for the first window. Its functions are called as vks_sdl.NAME(), for SDL_NAME(). */
#ifndef VKS_UI_SDL_H
#define VKS_UI_SDL_H

#define SDL_MAIN_HANDLED
#define SDL_PROTOTYPES_ONLY 1 /* no headers of window systems */
#include <SDL.h>
#include <SDL_syswm.h>
#include <SDL_vulkan.h>

#include <vksim/result.h>

struct vks_sdl {
#define VKS_SDL(name) __typeof__(SDL_##name) *name;
#include "ui/sdl.def"
#undef VKS_SDL
};

/* Filled by vks_sdl_load(). */
extern struct vks_sdl vks_sdl;

/* VKS_ERROR_DEVICE with a message if SDL is not installed. */
enum vks_result vks_sdl_load(void);

#endif
