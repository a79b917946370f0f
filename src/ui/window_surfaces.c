/* SPDX-License-Identifier: MIT */
#include "ui/window_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "sim/registry.h"
#include "ui/notice.h"

enum {
    MAX_EVENTS = 256, /* on the time line */
    MAX_MARKS = MAX_EVENTS + VKS_MAX_SAVED + 2 * VKS_MAX_BRANCHES,
};

static const double update_seconds = 1e-3 * VKS_UPDATE_MILLISECONDS;
static const double sample_seconds = 0.25; /* between two histograms */
static const double read_seconds = 0.01;   /* of an update, to read saved pictures */

/* --- panel and strip ------------------------------------------------------------------------- */

void vks_window_say(struct vks_window *window, const char *text)
{
    vks_ui_say(window->port.panel ? vks_panel_ui(window->panel) : &window->strip, text, 4);
    window->updated = 0;
}

/* The input of a surface: of the mouse only what goes to it. */
static struct vks_ui_input input_for(const struct vks_window *window, enum vks_on surface,
                                     struct vks_rect rect)
{
    struct vks_ui_input input = window->input;
    const bool over =
        window->held ? window->held == surface
                     : window->mouse_inside &&
                           vks_window_surface(window, window->mouse_x, window->mouse_y) == surface;
    input.x = window->mouse_x - (float)rect.x;
    input.y = window->mouse_y - (float)rect.y;
    input.inside = over && vks_rect_contains(rect, window->mouse_x, window->mouse_y);
    input.time = vks_seconds();
    if (!over) {
        input.down = input.pressed = input.released = input.menu = input.menu_down = false;
        input.clicks = 0;
        input.wheel = 0;
    }
    if (surface != VKS_ON_PANEL) {
        input.key_count = 0;
        input.text[0] = '\0';
    }
    return input;
}

enum vks_result vks_window_take(struct vks_window *window, size_t index,
                                const struct vks_canvas *canvas, const struct vks_update *update)
{
    struct vks_window_pane *drawn = &window->panes[index];
    const bool resized =
        drawn->pane.image.width != canvas->width || drawn->pane.image.height != canvas->height;
    drawn->wake = update->wake;
    if (update->count == 0 && !resized) {
        return VKS_OK;
    }
    window->dirty = true;
    drawn->shown = true;
    return vks_pane_update(window->gpu, &drawn->pane, canvas, update->rects, update->count);
}

/* Whether the panel shows the gallery, and pictures are still to be read. */
static bool must_read(const struct vks_window *window)
{
    return window->port.panel && vks_panel_tab(window->panel) == VKS_TAB_GALLERY &&
           !vks_gallery_is_read(window->gallery);
}

/* Whether the panel shows a histogram of an older picture. */
static bool must_sample(const struct vks_window *window, double now)
{
    return window->port.panel && vks_panel_tab(window->panel) == VKS_TAB_LOOK && window->stale &&
           !window->within && now - window->sampled > sample_seconds &&
           vks_grid_count(window->run.grid) == 1;
}

static enum vks_result sample(struct vks_window *window, double now)
{
    struct vks_samples *samples = &window->samples;
    const enum vks_result result = vks_simulation_sample(vks_window_simulation(window), samples);
    if (result == VKS_OK && samples->count > 0) {
        vks_histogram_make(&window->histogram, samples->values, samples->count, samples->low,
                           samples->high,
                           vks_window_settings(window)->common.look.values.range.symmetric);
    }
    window->sampled = now;
    window->stale = false;
    return result;
}

/* Runs the preset under the pointer, or makes a picture of one that has none. */
static void show_preview(struct vks_window *window, const struct vks_model *model)
{
    const char *pointed = vks_panel_pointed(window->panel);
    const char *lacking = pointed ? NULL : vks_panel_lacking(window->panel);
    struct vks_thumb picture;
    vks_preview_show(window->preview, model, pointed ? pointed : lacking, lacking != NULL);
    if (lacking && vks_preview_has_still(window->preview, &picture)) {
        vks_panel_take_picture(window->panel, lacking, &picture);
        window->updated = 0;
    }
}

static enum vks_result update_panel(struct vks_window *window)
{
    struct vks_brush_row brushes[VKS_MAX_BRUSHES];
    const struct vks_trip *trip = &window->player.motions.trip;
    const struct vks_rect rect = vks_viewport_panel(&window->port);
    const struct vks_surface surface = {(uint32_t)rect.width, (uint32_t)rect.height,
                                        window->port.scale};
    const struct vks_ui_input input = input_for(window, VKS_ON_PANEL, rect);
    enum vks_result result =
        must_read(window) ? vks_gallery_read(window->gallery, read_seconds) : VKS_OK;
    if (result == VKS_OK && must_sample(window, input.time)) {
        result = sample(window, input.time);
    }
    struct vks_panel_data data = {
        .settings = vks_window_settings(window),
        .preset = window->player.preset,
        .histogram = window->samples.count > 0 ? &window->histogram : NULL,
        .own = &window->own,
        .drop = &window->drop,
        .waves = window->player.motions.waves,
        .wave_count = window->player.motions.wave_count,
        .trip = trip->path.count > 0 ? trip : NULL,
        .brushes = brushes,
        .brush_count = vks_player_brushes(&window->player, brushes),
        .brush = window->player.brush,
        .live = vks_preview_picture(window->preview),
    };
    struct vks_update update;
    data.gallery = vks_gallery_items(window->gallery, &data.gallery_count);
    if (result == VKS_OK) {
        result =
            vks_panel_update(window->panel, &data, &input, &surface, &window->actions, &update);
        show_preview(window, data.settings->model);
    }
    return result == VKS_OK
               ? vks_window_take(window, VKS_PANE_PANEL, vks_panel_canvas(window->panel), &update)
               : result;
}

/* The events of the log, at most as many as there is room for, saved pictures and branches. */
static size_t find_marks(const struct vks_window *window, struct vks_mark marks[MAX_MARKS])
{
    const struct vks_log *log = window->run.log;
    const struct vks_branches *branches = &window->branches;
    const size_t each = log->count / MAX_EVENTS + 1;
    const size_t saved = window->saved_count;
    size_t count = 0;
    for (size_t i = 0; i < log->count; i += each) {
        if (count == 0 || marks[count - 1].step != log->events[i].step) {
            marks[count++] = (struct vks_mark){log->events[i].step, VKS_MARK_EVENT};
        }
    }
    for (size_t i = 0; i < saved && i < VKS_MAX_SAVED; i++) {
        marks[count++] = (struct vks_mark){window->saved[i], VKS_MARK_PICTURE};
    }
    for (size_t i = 0; i < branches->count; i++) {
        marks[count++] = (struct vks_mark){branches->steps[i], VKS_MARK_BRANCH};
        marks[count++] = (struct vks_mark){branches->ends[i], VKS_MARK_END};
    }
    return count;
}

static enum vks_result update_strip(struct vks_window *window)
{
    struct vks_mark marks[MAX_MARKS];
    const struct vks_rect rect = vks_viewport_strip(&window->port);
    const struct vks_surface surface = {(uint32_t)rect.width, (uint32_t)rect.height,
                                        window->port.scale};
    const struct vks_ui_input input = input_for(window, VKS_ON_STRIP, rect);
    const struct vks_meter *meter = &window->meter;
    const struct vks_history *history = window->run.history;
    char speed[96], frames[32] = "", time[32] = "";
    if (meter->frame_rate > 0 && !window->paused) {
        snprintf(frames, sizeof(frames), " \u00b7 %.*f fps", meter->frame_rate < 10 ? 1 : 0,
                 meter->frame_rate);
    }
    if (meter->step_seconds > 0) {
        const bool slow = meter->step_seconds >= 1;
        snprintf(time, sizeof(time), " \u00b7 %.3g %s", meter->step_seconds * (slow ? 1 : 1e3),
                 slow ? "s" : "ms");
    }
    snprintf(speed, sizeof(speed), "%" PRIu64 "x%s%s", window->steps_per_frame, frames, time);
    size_t count;
    const struct vks_gallery_item *items = vks_gallery_items(window->gallery, &count);
    const struct vks_strip_data data = {
        .paused = window->paused,
        .first = history->count > 0 ? history->moments[0].step : window->now,
        .last = window->last,
        .now = window->now,
        .marks = marks,
        .mark_count = find_marks(window, marks),
        .speed = speed,
        .jobs = window->jobs.count,
        .job = window->jobs.count > 0 ? window->jobs.jobs[0].path : NULL,
        .job_share = window->jobs.share,
        .recorded = window->video
                        ? (double)vks_recording_length(&window->recording) / VKS_RECORDING_FPS
                        : -1,
        .saved = window->saved_count > 0 && count > 0 ? items : NULL,
    };
    struct vks_update update;
    const enum vks_result result =
        vks_strip_update(&window->strip, &data, &input, &surface, &window->actions, &update);
    return result == VKS_OK ? vks_window_take(window, VKS_PANE_STRIP,
                                              vks_draw_canvas(window->strip.draw), &update)
                            : result;
}

enum vks_result vks_window_notice(struct vks_window *window, const char *title, const char *text)
{
    char *copy = text ? vks_strdup(text) : NULL;
    window->notice_title = title;
    free(window->notice_text);
    window->notice_text = copy;
    window->port.notice = copy ? 3 * VKS_LINE_HEIGHT : 0;
    window->updated = 0;
    window->dirty = true;
    return copy || !text ? VKS_OK : vks_fail_memory();
}

static enum vks_result update_notice(struct vks_window *window)
{
    const struct vks_rect rect = vks_viewport_notice(&window->port);
    const struct vks_surface surface = {(uint32_t)rect.width, (uint32_t)rect.height,
                                        window->port.scale};
    struct vks_update update;
    int height;
    enum vks_result result = vks_notice_draw(&window->notice, window->notice_title,
                                             window->notice_text, &surface, &update, &height);
    if (result == VKS_OK) {
        result =
            vks_window_take(window, VKS_PANE_NOTICE, vks_draw_canvas(window->notice.draw), &update);
    }
    if (window->port.notice != height) { /* now its lines are counted */
        window->port.notice = height;
        window->dirty = true;
    }
    return result;
}

static enum vks_result update_page(struct vks_window *window)
{
    static const struct vks_key_row rows[] = {
#define VKS_KEY(names, words) {names, words},
#include "ui/keys.def"
    };
    const float scale = window->port.scale;
    const float margin = 24;
    float width, height;
    vks_keys_page_size(VKS_COUNT(rows), (float)window->port.width / scale - margin,
                       (float)window->port.height / scale - margin, &width, &height);
    const struct vks_surface surface = {(uint32_t)fmaxf(width * scale, 1),
                                        (uint32_t)fmaxf(height * scale, 1), scale};
    struct vks_update update = {.wake = INFINITY};
    const enum vks_result result =
        vks_keys_page_draw(&window->page, rows, VKS_COUNT(rows), &surface, &update);
    return result == VKS_OK
               ? vks_window_take(window, VKS_PANE_PAGE, vks_draw_canvas(window->page.draw), &update)
               : result;
}

enum vks_result vks_window_update(struct vks_window *window, bool input)
{
    const double now = vks_seconds();
    const bool due = now - window->updated >= update_seconds;
    const bool changed = input || window->log_done != window->run.log->done ||
                         window->panes[VKS_PANE_PANEL].wake <= now ||
                         window->panes[VKS_PANE_STRIP].wake <= now || !window->paused ||
                         window->updated <= 0 || must_read(window) || must_sample(window, now) ||
                         vks_preview_is_new(window->preview);
    enum vks_result result = VKS_OK;
    if (!input && (!due || !changed)) {
        return VKS_OK;
    }
    if (vks_viewport_panel(&window->port).width > 0) {
        result = update_panel(window);
    } else {
        vks_preview_show(window->preview, NULL, NULL, false);
    }
    if (result == VKS_OK && vks_viewport_strip(&window->port).width > 0) {
        result = update_strip(window);
    }
    if (result == VKS_OK && window->keys_shown) {
        result = update_page(window);
    }
    const int notice = window->port.notice;
    if (result == VKS_OK && vks_viewport_notice(&window->port).width > 0) {
        result = update_notice(window);
    }
    window->updated = notice == window->port.notice ? now : 0;
    window->log_done = window->run.log->done;
    window->input = (struct vks_ui_input){.x = window->input.x,
                                          .y = window->input.y,
                                          .down = window->input.down,
                                          .menu_down = window->input.menu_down,
                                          .shift = window->input.shift,
                                          .alt = window->input.alt,
                                          .control = window->input.control};
    return result;
}

/* --- actions --------------------------------------------------------------------------------- */

/* The seed of the simulation after the events that are still to be applied. */
static uint32_t next_seed(const struct vks_window *window, const struct vks_control *control)
{
    for (size_t i = control->events.count; i-- > 0;) {
        if (control->events.events[i].restarts) {
            return control->events.events[i].seed;
        }
    }
    return (uint32_t)vks_window_settings(window)->common.seed;
}

enum vks_result vks_window_restart(const struct vks_window *window, struct vks_control *control,
                                   int by)
{
    const uint32_t seed = next_seed(window, control) + (uint32_t)by;
    if (by != 0) {
        vks_message(VKS_LOG_INFO, "seed %" PRIu32, seed);
    }
    const struct vks_event event = vks_event_restart(seed);
    return vks_log_add(&control->events, &event);
}

enum vks_result vks_window_morph(struct vks_window *window, struct vks_control *control,
                                 const char *preset, unsigned seconds)
{
    const unsigned frames = control->paused ? 0 : seconds * VKS_FRAMES_PER_SECOND;
    char words[VKS_UI_TEXT_SIZE];
    snprintf(words, sizeof(words), "to %s", preset);
    vks_window_say(window, words);
    return vks_player_morph(&window->player, control, preset, frames, vks_seconds());
}

enum vks_result vks_window_open_folder(struct vks_window *window, size_t index)
{
    size_t count;
    vks_gallery_items(window->gallery, &count);
    const char *path = index < count ? vks_gallery_path(window->gallery, index) : NULL;
    const char *pictures = path ? NULL : vks_gallery_folder(window->gallery, VKS_PICTURES);
    char *folder = path ? vks_folder_of(path) : pictures ? vks_strdup(pictures) : NULL;
    char words[VKS_UI_TEXT_SIZE];
    const enum vks_result result =
        folder ? vks_opener_start(&window->opener, folder) : vks_fail_memory();
    if (result == VKS_OK) {
        snprintf(words, sizeof(words), "opening %s", folder);
        vks_window_say(window, words);
    }
    free(folder);
    return result;
}

/* Undoes the enlargement of the pictures of finished settings; 0: a factor that is not known. */
static enum vks_result reduce(struct vks_settings *settings, uint32_t factor)
{
    uint32_t width, height;
    vks_picture_size(settings, &width, &height);
    if (factor == 1) {
        return VKS_OK;
    }
    if (factor == 0) {
        json_t *none = json_pack("{s:n}", VKS_COMMON_ROW(look.output_size)->name);
        const enum vks_result unset =
            none ? vks_settings_set_values(settings, none) : vks_fail_memory();
        json_decref(none);
        return unset == VKS_OK ? vks_settings_finish(settings) : unset;
    }
    char *size = vks_format("%ux%u", (width + factor - 1) / factor, (height + factor - 1) / factor);
    enum vks_result result =
        size ? vks_settings_set(settings, VKS_COMMON_ROW(look.output_size)->name, size)
             : vks_fail_memory();
    free(size);
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

/* Opens the run of a picture as a new one, which goes to the state that it shows. */
static enum vks_result reopen(struct vks_window *window, struct vks_control *control, size_t index)
{
    struct vks_next_run next = {0};
    const char *preset = vks_gallery_preset(window->gallery, index);
    enum vks_result result =
        window->run.reopen(window->run.user, vks_gallery_path(window->gallery, index), &next);
    if (result == VKS_OK) {
        result = reduce(&next.settings, vks_gallery_enlarged(window->gallery, index));
    }
    if (result != VKS_OK) {
        vks_next_run_free(&next);
        return result;
    }
    if (preset[0] && vks_preset_exists(next.settings.model, preset)) {
        snprintf(next.preset, sizeof(next.preset), "%s", preset);
    }
    vks_player_ask(&window->player, control, &next);
    return VKS_OK;
}

void vks_window_show_gallery(struct vks_window *window)
{
    window->port.panel = true;
    vks_panel_show(window->panel, VKS_TAB_GALLERY);
}

static enum vks_result act_in_gallery(struct vks_window *window, struct vks_control *control,
                                      const struct vks_action *action)
{
    size_t count;
    vks_gallery_items(window->gallery, &count);
    switch (action->kind) {
    case VKS_ACTION_GALLERY_RETURN:
        return action->index < count ? reopen(window, control, action->index) : VKS_OK;
    case VKS_ACTION_GALLERY_DELETE:
        window->updated = 0;
        return action->index < count ? vks_gallery_delete(window->gallery, action->index) : VKS_OK;
    case VKS_ACTION_GALLERY_ENLARGE:
    case VKS_ACTION_GALLERY_VIDEO:
        return action->index < count
                   ? vks_window_render_picture(window, action->index,
                                               action->kind == VKS_ACTION_GALLERY_VIDEO)
                   : VKS_OK;
    case VKS_ACTION_GALLERY_FOLDER:
        return vks_window_open_folder(window, action->index);
    default:
        return VKS_OK;
    }
}

enum vks_result vks_window_save_preset(struct vks_window *window, const char *name, bool replace)
{
    char words[VKS_UI_TEXT_SIZE];
    const struct vks_settings *settings = vks_window_settings(window);
    enum vks_result result = vks_own_preset_save(settings, name, replace);
    if (result == VKS_OK) {
        result = vks_own_presets_list(&window->own, settings->model);
    }
    if (result == VKS_OK) {
        snprintf(window->player.preset, sizeof(window->player.preset), "%s", name);
        snprintf(words, sizeof(words), "saved the preset %s", name);
        vks_window_say(window, words);
    }
    return result;
}

static enum vks_result delete_preset(struct vks_window *window, const char *name)
{
    char words[VKS_UI_TEXT_SIZE];
    const struct vks_own_preset *preset = vks_own_preset_find(&window->own, name);
    enum vks_result result = preset ? vks_trash(preset->path) : VKS_OK;
    if (result == VKS_OK) {
        snprintf(words, sizeof(words), "%s is in the trash", name);
        vks_window_say(window, words);
        result = vks_own_presets_list(&window->own, vks_window_settings(window)->model);
    }
    return result;
}

static enum vks_result act(struct vks_window *window, struct vks_control *control,
                           const struct vks_action *action)
{
    struct vks_player *player = &window->player;
    const double now = vks_seconds();
    switch (action->kind) {
    case VKS_ACTION_SET:
        return vks_player_set(player, control, action->name, action->text, now);
    case VKS_ACTION_PRESET:
        return action->keep ? vks_window_morph(window, control, action->name, 1)
                            : vks_player_new_preset(player, control, action->name);
    case VKS_ACTION_ANIMATE:
        return vks_player_animate(player, action->name, action->period, action->share);
    case VKS_ACTION_PATH:
        return vks_player_travel(player, action->path, action->period);
    case VKS_ACTION_SAVE_PRESET:
        return vks_window_save_preset(window, action->name, false);
    case VKS_ACTION_DELETE_PRESET:
        return delete_preset(window, action->name);
    case VKS_ACTION_MODEL:
        return vks_player_new_model(player, control, vks_model_find(action->name), NULL);
    case VKS_ACTION_RESTART:
        return vks_window_restart(window, control, 0);
    case VKS_ACTION_PREPARE:
        return vks_player_prepare(player, action->name, action->text);
    case VKS_ACTION_NEW_RUN:
        return vks_player_new_run(player, control);
    case VKS_ACTION_BRUSH:
        player->brush = action->brush;
        return VKS_OK;
    case VKS_ACTION_SEEK:
        control->seek = true;
        control->step = action->step;
        control->paused = true;
        return VKS_OK;
    case VKS_ACTION_PAUSE:
        control->paused = !control->paused;
        return VKS_OK;
    case VKS_ACTION_SAVE:
        return vks_window_save(window);
    case VKS_ACTION_GALLERY:
        vks_window_show_gallery(window);
        return VKS_OK;
    case VKS_ACTION_KEYS:
        window->keys_shown = !window->keys_shown;
        window->dirty = true;
        return VKS_OK;
    case VKS_ACTION_RECORD:
        return vks_window_record(window);
    case VKS_ACTION_DROP:
        return vks_window_use_drop(window, control, action->index);
    case VKS_ACTION_CANCEL:
        vks_window_cancel_job(window);
        return VKS_OK;
    case VKS_ACTION_GALLERY_RETURN:
    case VKS_ACTION_GALLERY_ENLARGE:
    case VKS_ACTION_GALLERY_VIDEO:
    case VKS_ACTION_GALLERY_DELETE:
    case VKS_ACTION_GALLERY_FOLDER:
        return act_in_gallery(window, control, action);
    case VKS_ACTION_GALLERY_LOOK: /* the panel shows its words */
        return VKS_OK;
    }
    return VKS_OK;
}

enum vks_result vks_window_act(struct vks_window *window, struct vks_control *control)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < window->actions.count && result == VKS_OK; i++) {
        result = vks_window_tolerate(window, act(window, control, &window->actions.items[i]));
    }
    window->actions.count = 0;
    return result;
}

enum vks_result vks_window_flush(struct vks_window *window, struct vks_control *control)
{
    const enum vks_result result = vks_window_update(window, true);
    return result == VKS_OK ? vks_window_act(window, control) : result;
}
