/* SPDX-License-Identifier: MIT */
/* What is wrong for the time being, as lines that stay below the picture until it is mended. */
#ifndef VKS_UI_NOTICE_H
#define VKS_UI_NOTICE_H

#include "ui/widgets.h"

enum { VKS_NOTICE_LINES = 7 }; /* at most, of text */

/* Draws a heading and the lines of a text, each in up to two lines. *height: points that they need.
 */
enum vks_result vks_notice_draw(struct vks_ui *ui, const char *heading, const char *text,
                                const struct vks_surface *surface, struct vks_update *update,
                                int *height);

#endif
