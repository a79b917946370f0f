/* SPDX-License-Identifier: MIT */
/* Files that are dropped on the window. */
#include "ui/window_private.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

/* Opens the scene of the file: a picture's leads to its state, any other is played. */
static enum vks_result open_scene(struct vks_window *window, struct vks_control *control)
{
    struct vks_next_run next = {0};
    const enum vks_result result = window->run.reopen(window->run.user, window->drop.path, &next);
    if (result == VKS_OK) {
        next.seeks = next.seeks && window->drop.is_picture;
        vks_player_ask(&window->player, control, &next);
    }
    return result;
}

/* Sets the option to the file: at once, with a restart, or in a new run. */
static enum vks_result set_option(struct vks_window *window, struct vks_control *control,
                                  const struct vks_option *option)
{
    struct vks_player *player = &window->player;
    const bool live = option->change == VKS_CHANGE_LIVE || option->change == VKS_CHANGE_START;
    char *value = vks_drop_value(&window->drop, option);
    enum vks_result result = value ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        result = live ? vks_player_set(player, control, option->name, value, vks_seconds())
                      : vks_player_prepare(player, option->name, value);
    }
    if (result == VKS_OK && !live) {
        result = vks_player_new_run(player, control);
    } else if (result == VKS_OK && option->change == VKS_CHANGE_START) {
        result = vks_window_restart(window, control, 0);
    }
    free(value);
    return result;
}

enum vks_result vks_window_use_drop(struct vks_window *window, struct vks_control *control,
                                    size_t choice)
{
    enum vks_result result = VKS_OK;
    if (choice < window->drop.count) {
        const struct vks_option *option = window->drop.choices[choice].option;
        result = option ? set_option(window, control, option) : open_scene(window, control);
    }
    vks_drop_free(&window->drop);
    window->updated = 0;
    return result;
}

enum vks_result vks_window_take_drop(struct vks_window *window, struct vks_control *control,
                                     const char *path)
{
    const enum vks_result result = vks_drop_read(&window->drop, path, vks_window_settings(window));
    if (result != VKS_OK) {
        return result;
    }
    if (window->drop.count == 1 && !window->drop.is_picture) {
        return vks_window_use_drop(window, control, 0);
    }
    window->port.panel = true;
    vks_panel_to_top(window->panel);
    window->dirty = true;
    window->updated = 0;
    return VKS_OK;
}
