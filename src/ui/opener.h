/* SPDX-License-Identifier: MIT */
/* Opens folders in the program that the desktop has for them: xdg-open. Independent of SDL. */
#ifndef VKS_UI_OPENER_H
#define VKS_UI_OPENER_H

#include <sys/types.h>

#include <vksim/result.h>

/* Zeroed: nothing is being opened. */
struct vks_opener {
    pid_t process; /* 0: there is none */
    char *folder;
};

/* Starts to open the folder. VKS_ERROR_FILE if there is no xdg-open, or if it still runs. */
enum vks_result vks_opener_start(struct vks_opener *opener, const char *folder);
/* Never waits. VKS_ERROR_FILE, once, if the folder could not be opened. */
enum vks_result vks_opener_poll(struct vks_opener *opener);
/* The program goes on. */
void vks_opener_end(struct vks_opener *opener);

#endif
