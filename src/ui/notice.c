/* SPDX-License-Identifier: MIT */
#include "ui/notice.h"

#include <stdio.h>
#include <string.h>

static const float margin = 12;

/* A notice that is drawn. */
struct notice {
    struct vks_ui *ui;
    const char *heading, *text;
    float bottom;
};

/* Draws a line of the text in at most `most` lines. Returns their number. */
static unsigned draw_line(struct vks_ui *ui, float y, unsigned most, const char *line,
                          size_t length)
{
    char copy[2 * VKS_UI_TEXT_SIZE];
    snprintf(copy, sizeof(copy), "%.*s", (int)length, line);
    return vks_ui_paragraph(ui, (struct vks_box){margin, y, ui->width - 2 * margin, 0},
                            &vks_style_body, VKS_COLOUR_TEXT, most, copy);
}

static void build(void *user)
{
    struct notice *notice = user;
    struct vks_ui *ui = notice->ui;
    unsigned left = VKS_NOTICE_LINES;
    float y = 9;
    vks_draw_box(ui->draw, (struct vks_box){0, 0, ui->width, ui->height}, 0, VKS_COLOUR_GROUND);
    vks_draw_box(ui->draw, (struct vks_box){0, 0, ui->width, 2}, 0, VKS_COLOUR_ALERT);
    vks_ui_text(ui, (struct vks_box){margin, y, ui->width - 2 * margin, VKS_LINE_HEIGHT},
                VKS_ALIGN_LEFT, &vks_style_bold, VKS_COLOUR_ALERT, notice->heading);
    y += VKS_LINE_HEIGHT + 3;
    for (const char *at = notice->text; *at && left > 0;) {
        const size_t length = strcspn(at, "\n");
        const unsigned lines = draw_line(ui, y, left < 2 ? left : 2, at, length);
        left -= lines < left ? lines : left;
        y += (float)(lines * VKS_LINE_HEIGHT);
        at += length + (at[length] == '\n');
    }
    notice->bottom = y + 9;
}

enum vks_result vks_notice_draw(struct vks_ui *ui, const char *heading, const char *text,
                                const struct vks_surface *surface, struct vks_update *update,
                                int *height)
{
    static const struct vks_ui_input none = {0};
    struct notice notice = {ui, heading, text, 0};
    const enum vks_result result = vks_ui_update(ui, &none, surface, build, &notice, update);
    *height = (int)notice.bottom;
    return result;
}
