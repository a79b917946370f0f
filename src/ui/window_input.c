/* SPDX-License-Identifier: MIT */
#include "ui/window_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"

enum {
    WAIT_MILLISECONDS = 100, /* for events while idle */
    PAN_PIXELS = 40,         /* per press of an arrow */
};

static const double update_seconds = 1e-3 * VKS_UPDATE_MILLISECONDS;
static const double hide_seconds = 3;  /* of full screen without the mouse */
static const double leave_seconds = 4; /* between two presses of Escape */

/* --- keys ------------------------------------------------------------------------------------ */

static void toggle_full(struct vks_window *window)
{
    if (vks_sdl.SetWindowFullscreen(window->handle,
                                    window->full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP) != 0) {
        vks_message(VKS_LOG_WARNING, "full screen is unavailable: %s", vks_sdl.GetError());
        return;
    }
    window->full = !window->full;
    window->port.strip = true;
    vks_sdl.ShowCursor(SDL_ENABLE);
    if (window->full) {
        vks_sdl.DisableScreenSaver();
    } else {
        vks_sdl.EnableScreenSaver();
    }
}

/* The character on the key; on non-Latin keyboards, the one at that place on a Latin one. */
static SDL_Keycode key_of(SDL_Keysym keysym)
{
    bool non_latin = keysym.sym > 127 && !(keysym.sym & SDLK_SCANCODE_MASK);
    if (non_latin && keysym.scancode >= SDL_SCANCODE_A && keysym.scancode <= SDL_SCANCODE_Z) {
        return SDLK_a + (SDL_Keycode)(keysym.scancode - SDL_SCANCODE_A);
    }
    return non_latin && keysym.scancode == SDL_SCANCODE_PERIOD ? SDLK_PERIOD : keysym.sym;
}

enum action {
    NONE,
    PAUSE,
    STEP,
    STEP_BACK,
    SLOWER,
    FASTER,
    RESTART,
    NEXT_SEED,
    LAST_SEED,
    NEXT_PRESET,
    LAST_PRESET,
    SURPRISE,
    GENTLE_SURPRISE,
    MORPH,
    UNDO,
    REDO,
    NEXT_COLOURS,
    LAST_COLOURS,
    NEXT_VIEW,
    LAST_VIEW,
    INVERT,
    ANNOTATE,
    NEXT_BRUSH,
    LAST_BRUSH,
    SMALLER_BRUSH,
    LARGER_BRUSH,
    SAVE,
    SAVE_LARGE,
    RECORD,
    RENDER_VIDEO,
    SHOW_GALLERY,
    OPEN_FOLDER,
    ZOOM_TO_PIXELS,
    ZOOM_TO_WHOLE,
    PAN_LEFT,
    PAN_RIGHT,
    PAN_UP,
    PAN_DOWN,
    PANEL_ON_OFF,
    ENTER_PANEL,
    FULL_SCREEN,
    KEYS,
    LEAVE,
    QUIT,
};

static enum action action_of(SDL_Keycode key, unsigned modifiers)
{
    enum { PLAIN, SHIFT, CTRL, CTRL_SHIFT };
    static const struct {
        SDL_Keycode key;
        unsigned modifiers;
        enum action action;
    } keys[] = {
#define VKS_BIND(key, modifiers, action) {SDLK_##key, modifiers, action},
#include "ui/keys.def"
    };
    const unsigned held =
        (modifiers & KMOD_SHIFT ? SHIFT : PLAIN) | (modifiers & KMOD_CTRL ? (unsigned)CTRL : PLAIN);
    for (size_t i = 0; i < VKS_COUNT(keys); i++) {
        /* Some keyboards need Shift for a sign. */
        const bool sign = keys[i].modifiers == PLAIN && held == SHIFT && key < SDLK_a && key > ' ';
        if (key == keys[i].key && (keys[i].modifiers == held || sign) &&
            !(modifiers & (KMOD_ALT | KMOD_GUI))) {
            return keys[i].action;
        }
    }
    return NONE;
}

static void turn_brush(struct vks_window *window, int by)
{
    struct vks_brush_row rows[VKS_MAX_BRUSHES];
    const size_t count = vks_player_brushes(&window->player, rows);
    size_t *index = &window->player.brush.index;
    for (size_t i = 0; i < count; i++) {
        *index = (*index + (by < 0 ? count - 1 : 1)) % count;
        if (!rows[*index].lacks) {
            break;
        }
    }
    if (count > 0) {
        vks_panel_show(window->panel, VKS_TAB_BRUSH);
    }
}

static void scale_brush(struct vks_window *window, double factor)
{
    const double radius = window->player.brush.radius * factor;
    window->player.brush.radius = radius < 2 ? 2 : radius > 400 ? 400 : radius;
    window->dirty = true;
}

static void scale_steps(struct vks_window *window, struct vks_control *control, bool faster)
{
    uint64_t *steps = &window->steps_per_frame;
    *steps = faster ? (*steps < 1 << 20 ? *steps * 2 : *steps) : *steps > 1 ? *steps / 2 : 1;
    window->pace = control->steps_per_frame = *steps;
}

static void close_keys(struct vks_window *window)
{
    window->keys_shown = false;
    window->dirty = true;
}

/* Asks before it ends the run, unless that asks. */
static void leave_run(struct vks_window *window, struct vks_control *control)
{
    const double now = vks_seconds();
    if (window->jobs.count > 0 || now < window->leaves) {
        vks_window_quit(window, control);
    } else {
        vks_window_say(window, window->video ? "Escape again completes the video and quits"
                                             : "Escape again quits");
        window->leaves = now + leave_seconds;
    }
}

static void leave(struct vks_window *window, struct vks_control *control)
{
    if (window->keys_shown) {
        close_keys(window);
    } else if (window->player.motions.trip.path.count > 0) {
        window->player.motions.trip.path.count = 0;
    } else if (window->full) {
        toggle_full(window);
    } else {
        leave_run(window, control);
    }
}

static enum vks_result toggle(struct vks_window *window, struct vks_control *control,
                              const char *name, bool on)
{
    return vks_player_set(&window->player, control, name, on ? "false" : "true", vks_seconds());
}

/* To a preset by chance, or no further on the way to one. */
static enum vks_result morph(struct vks_window *window, struct vks_control *control)
{
    if (window->player.motions.morph.end) {
        vks_motions_yield(&window->player.motions, NULL);
        return VKS_OK;
    }
    return vks_window_morph(window, control, vks_player_random_preset(&window->player), 10);
}

/* Actions that concern time and presets; NONE if it is another. */
static enum vks_result play(struct vks_window *window, struct vks_control *control,
                            enum action action)
{
    struct vks_player *player = &window->player;
    const double now = vks_seconds();
    switch (action) {
    case PAUSE: /* once the key is up, because the mouse may move the picture with it */
        window->space = window->dirty = true;
        window->spent = false;
        return VKS_OK;
    case STEP: /* pauses, as video players do */
        control->paused = true;
        control->single++;
        return VKS_OK;
    case STEP_BACK:
        control->paused = control->seek = true;
        control->step = window->now > 0 ? window->now - 1 : 0;
        return VKS_OK;
    case SLOWER:
    case FASTER:
        scale_steps(window, control, action == FASTER);
        return VKS_OK;
    case RESTART:
        return vks_window_restart(window, control, 0);
    case NEXT_SEED:
    case LAST_SEED:
        return vks_window_restart(window, control, action == NEXT_SEED ? 1 : -1);
    case NEXT_PRESET:
    case LAST_PRESET:
        return vks_player_new_preset(
            player, control, vks_player_next_preset(player, action == NEXT_PRESET ? 1 : -1));
    case SURPRISE:
    case GENTLE_SURPRISE:
        return vks_player_surprise(player, control, action == SURPRISE ? 0.15 : 0.04, now);
    case MORPH:
        return morph(window, control);
    case UNDO:
        return vks_player_undo(player, control);
    case REDO:
        return vks_player_redo(player, control);
    default:
        return VKS_OK;
    }
}

/* Actions that concern the look. */
static enum vks_result dress(struct vks_window *window, struct vks_control *control,
                             enum action action)
{
    struct vks_player *player = &window->player;
    const struct vks_look *look = &vks_window_settings(window)->common.look;
    const double now = vks_seconds();
    switch (action) {
    case NEXT_COLOURS:
    case LAST_COLOURS:
        return vks_player_cycle(player, control, "colormap", action == NEXT_COLOURS ? 1 : -1, now);
    case NEXT_VIEW:
    case LAST_VIEW:
        return vks_player_cycle(player, control, "view", action == NEXT_VIEW ? 1 : -1, now);
    case INVERT:
        return toggle(window, control, "invert", look->invert);
    case ANNOTATE:
        return toggle(window, control, "annotate", look->annotate);
    default:
        return VKS_OK;
    }
}

/* Actions that concern the window. */
static enum vks_result arrange(struct vks_window *window, struct vks_control *control,
                               enum action action)
{
    struct vks_viewport *port = &window->port;
    switch (action) {
    case NEXT_BRUSH:
    case LAST_BRUSH:
        turn_brush(window, action == NEXT_BRUSH ? 1 : -1);
        break;
    case SMALLER_BRUSH:
    case LARGER_BRUSH:
        scale_brush(window, action == SMALLER_BRUSH ? 1 / 1.25 : 1.25);
        break;
    case SAVE:
        return vks_window_save(window);
    case SAVE_LARGE:
        return vks_window_render(window, false);
    case RECORD:
        return vks_window_record(window);
    case RENDER_VIDEO:
        return vks_window_render(window, true);
    case SHOW_GALLERY:
        vks_window_show_gallery(window);
        break;
    case OPEN_FOLDER:
        return vks_window_open_folder(window, SIZE_MAX);
    case ZOOM_TO_PIXELS:
        vks_viewport_to_pixels(port);
        break;
    case ZOOM_TO_WHOLE:
        vks_viewport_to_whole(port);
        break;
    case PAN_LEFT:
    case PAN_RIGHT:
        vks_viewport_pan(port, action == PAN_LEFT ? PAN_PIXELS : -PAN_PIXELS, 0);
        break;
    case PAN_UP:
    case PAN_DOWN:
        vks_viewport_pan(port, 0, action == PAN_UP ? PAN_PIXELS : -PAN_PIXELS);
        break;
    case PANEL_ON_OFF:
        port->panel = !port->panel;
        break;
    case ENTER_PANEL:
        port->panel = true;
        vks_ui_enter(vks_panel_ui(window->panel));
        break;
    case FULL_SCREEN:
        toggle_full(window);
        break;
    case KEYS:
        window->keys_shown = !window->keys_shown;
        break;
    case LEAVE:
        leave(window, control);
        break;
    case QUIT:
        vks_window_quit(window, control);
        break;
    default:
        return VKS_OK;
    }
    window->dirty = true;
    window->updated = 0;
    return VKS_OK;
}

/* Text input begins once the events at hand are done, so no text comes with those of them that
 * follow a click on a number: their characters are those of the keys. */
static void type_key(struct vks_window *window, SDL_Keycode key)
{
    const SDL_Keycode given = key >= SDLK_KP_1 && key <= SDLK_KP_9 ? key - SDLK_KP_1 + '1'
                              : key == SDLK_KP_0                   ? '0'
                              : key == SDLK_KP_PERIOD              ? '.'
                              : key == SDLK_KP_MINUS               ? '-'
                                                                   : key;
    const bool letter = given >= 'a' && given <= 'z';
    if (given > ' ' && given <= '~' && !window->input.alt && !window->input.control &&
        (letter || !window->input.shift)) {
        window->input.text[0] = (char)(letter && window->input.shift ? given - 'a' + 'A' : given);
        window->input.text[1] = '\0';
    }
}

/* A key for the panel, which has the keyboard. */
static bool give_key(struct vks_window *window, SDL_Keycode key)
{
    static const struct {
        SDL_Keycode key;
        enum vks_ui_key given;
    } keys[] = {
        {SDLK_TAB, VKS_UI_TAB},
        {SDLK_RETURN, VKS_UI_ENTER},
        {SDLK_KP_ENTER, VKS_UI_ENTER},
        {SDLK_SPACE, VKS_UI_SPACE},
        {SDLK_ESCAPE, VKS_UI_ESCAPE},
        {SDLK_LEFT, VKS_UI_LEFT},
        {SDLK_RIGHT, VKS_UI_RIGHT},
        {SDLK_UP, VKS_UI_UP},
        {SDLK_DOWN, VKS_UI_DOWN},
        {SDLK_HOME, VKS_UI_HOME},
        {SDLK_END, VKS_UI_END},
        {SDLK_PAGEUP, VKS_UI_PAGE_UP},
        {SDLK_PAGEDOWN, VKS_UI_PAGE_DOWN},
        {SDLK_BACKSPACE, VKS_UI_BACKSPACE},
        {SDLK_DELETE, VKS_UI_DELETE},
        {SDLK_APPLICATION, VKS_UI_MENU},
    };
    struct vks_ui *ui = vks_panel_ui(window->panel);
    if (!window->port.panel || !vks_ui_takes_keys(ui)) {
        return false;
    }
    for (size_t i = 0; i < VKS_COUNT(keys); i++) {
        if (keys[i].key == key && window->input.key_count < VKS_MAX_UI_KEYS) {
            window->input.keys[window->input.key_count++] = keys[i].given;
            return true;
        }
    }
    /* Its letters come as text, and the digits that open the number of a slider. */
    const bool typed = ui->edit.id != 0 || (key >= '0' && key <= '9') || key == '.' || key == '-';
    if (typed && !window->texting) {
        type_key(window, key);
    }
    return typed;
}

/* The digit of a key, 1 to 9, also on a keyboard where digits need Shift; 0: it has none. */
static unsigned digit_of(const SDL_Keysym *keysym)
{
    return keysym->sym >= SDLK_KP_1 && keysym->sym <= SDLK_KP_9
               ? (unsigned)(keysym->sym - SDLK_KP_1) + 1
           : keysym->scancode >= SDL_SCANCODE_1 && keysym->scancode <= SDL_SCANCODE_9
               ? (unsigned)(keysym->scancode - SDL_SCANCODE_1) + 1
               : 0;
}

/* Favourites are saved presets with these names. One of this simulation is a morph, as a preset
 * with Shift. */
static enum vks_result favour(struct vks_window *window, struct vks_control *control,
                              unsigned digit, bool saves)
{
    char name[32];
    snprintf(name, sizeof(name), "favourite-%u", digit);
    if (saves) {
        return vks_window_save_preset(window, name, true);
    }
    const struct vks_model *model = vks_own_preset_model(name);
    if (!model) {
        return vks_fail(VKS_ERROR_USAGE, "there is no %s yet; Ctrl+%u saves one", name, digit);
    }
    return model == vks_window_settings(window)->model
               ? vks_window_morph(window, control, name, 1)
               : vks_player_new_model(&window->player, control, model, name);
}

static enum vks_result press(struct vks_window *window, const SDL_KeyboardEvent *event,
                             struct vks_control *control)
{
    const SDL_Keycode key = key_of(event->keysym);
    window->input.shift = (event->keysym.mod & KMOD_SHIFT) != 0;
    window->input.alt = (event->keysym.mod & KMOD_ALT) != 0;
    window->input.control = (event->keysym.mod & KMOD_CTRL) != 0;
    const enum action action = action_of(key, event->keysym.mod);
    const bool modifier = key >= SDLK_LCTRL && key <= SDLK_RGUI;
    if (window->keys_shown && !modifier && action != KEYS && action != LEAVE) {
        close_keys(window); /* any key does */
    }
    if (give_key(window, key)) {
        return vks_window_flush(window, control);
    }
    const bool repeats = action == STEP || action == STEP_BACK || action == SMALLER_BRUSH ||
                         action == LARGER_BRUSH || (action >= PAN_LEFT && action <= PAN_DOWN) ||
                         action == UNDO || action == REDO;
    const unsigned digit = action == NONE ? digit_of(&event->keysym) : 0;
    if ((action == NONE && digit == 0) || (event->repeat && !repeats)) {
        return VKS_OK;
    }
    if (digit > 0) {
        const bool saves = (event->keysym.mod & KMOD_CTRL) != 0;
        return vks_window_tolerate(window, favour(window, control, digit, saves));
    }
    enum vks_result result = play(window, control, action);
    if (result == VKS_OK) {
        result = dress(window, control, action);
    }
    if (result == VKS_OK) {
        result = arrange(window, control, action);
    }
    return vks_window_tolerate(window, result);
}

static void release(struct vks_window *window, const SDL_KeyboardEvent *event,
                    struct vks_control *control)
{
    window->input.shift = (event->keysym.mod & KMOD_SHIFT) != 0;
    window->input.alt = (event->keysym.mod & KMOD_ALT) != 0;
    window->input.control = (event->keysym.mod & KMOD_CTRL) != 0;
    if (window->space && event->keysym.sym == SDLK_SPACE) {
        window->space = false;
        window->dirty = true;
        control->paused = window->spent ? control->paused : !control->paused;
    }
}

/* --- mouse ----------------------------------------------------------------------------------- */

/* Events have points of the window. */
static void move_to(struct vks_window *window, int x, int y)
{
    int points = 0, unused;
    vks_sdl.GetWindowSize(window->handle, &points, &unused);
    const float ratio = points > 0 ? (float)window->port.width / (float)points : 1;
    window->mouse_x = ((float)x + 0.5F) * ratio;
    window->mouse_y = ((float)y + 0.5F) * ratio;
    window->mouse_inside = true;
    window->mouse_time = vks_seconds();
    window->dirty = true; /* the ring moves */
}

static enum vks_result paint_to_mouse(struct vks_window *window, struct vks_control *control)
{
    double across, down;
    return vks_window_place(window, &across, &down)
               ? vks_player_move(&window->player, control, across, down)
               : VKS_OK;
}

/* What the stroke lacks to where the mouse is now. */
static enum vks_result paint_rest(struct vks_window *window, struct vks_control *control)
{
    struct vks_player *player = &window->player;
    double across, down;
    return player->stroking && vks_window_place(window, &across, &down) &&
                   (across != player->x || down != player->y)
               ? vks_player_move(player, control, across, down)
               : VKS_OK;
}

/* The first press of a double click has painted. A video has shown that already. */
static enum vks_result centre(struct vks_window *window, struct vks_control *control)
{
    vks_viewport_centre(&window->port, window->mouse_x, window->mouse_y);
    return window->video ? VKS_OK : vks_player_take_back(&window->player, control);
}

static enum vks_result press_picture(struct vks_window *window, const SDL_MouseButtonEvent *event,
                                     struct vks_control *control)
{
    double across, down;
    const bool camera = vks_player_has_camera(&window->player);
    const bool paints =
        !window->space && (event->button == SDL_BUTTON_LEFT || event->button == SDL_BUTTON_RIGHT);
    vks_ui_leave(vks_panel_ui(window->panel));
    window->moves = event->button == SDL_BUTTON_MIDDLE || window->space;
    window->spent = window->space;
    window->orbits = paints && camera;
    if (paints && !camera && event->button == SDL_BUTTON_LEFT && event->clicks == 2) {
        return centre(window, control);
    }
    if (paints && vks_window_place(window, &across, &down)) {
        vks_player_press(&window->player, across, down, event->button == SDL_BUTTON_RIGHT);
        return paint_to_mouse(window, control);
    }
    return VKS_OK;
}

static enum vks_result press_button(struct vks_window *window, const SDL_MouseButtonEvent *event,
                                    struct vks_control *control)
{
    move_to(window, event->x, event->y);
    const enum vks_on surface = vks_window_surface(window, window->mouse_x, window->mouse_y);
    window->held = window->buttons ? window->held : surface;
    window->buttons |= (unsigned)SDL_BUTTON(event->button);
    if (window->keys_shown) {
        window->held = VKS_ON_NOTHING;
        close_keys(window);
    } else if (window->held == VKS_ON_PICTURE) {
        return press_picture(window, event, control);
    } else if (event->button == SDL_BUTTON_LEFT) {
        window->input.down = window->input.pressed = true;
        window->input.clicks = event->clicks;
        return vks_window_flush(window, control);
    } else if (event->button == SDL_BUTTON_RIGHT) {
        window->input.menu = window->input.menu_down = true;
        return vks_window_flush(window, control);
    }
    return VKS_OK;
}

static enum vks_result release_button(struct vks_window *window, const SDL_MouseButtonEvent *event,
                                      struct vks_control *control)
{
    enum vks_result result = VKS_OK;
    move_to(window, event->x, event->y);
    window->buttons &= ~(unsigned)SDL_BUTTON(event->button);
    if (window->held == VKS_ON_PICTURE) {
        result = paint_rest(window, control);
        vks_player_release(&window->player);
        window->moves = window->orbits = false;
    } else if (event->button == SDL_BUTTON_LEFT) {
        result = vks_window_flush(window, control); /* the last move is still one of the drag */
        window->input.down = false;
        window->input.released = true;
        result = result == VKS_OK ? vks_window_flush(window, control) : result;
    } else if (event->button == SDL_BUTTON_RIGHT) {
        window->input.menu_down = false;
        result = vks_window_flush(window, control);
    }
    if (window->buttons == 0) {
        window->held = VKS_ON_NOTHING;
    }
    return result;
}

static enum vks_result move(struct vks_window *window, const SDL_MouseMotionEvent *event)
{
    const float x = window->mouse_x, y = window->mouse_y;
    move_to(window, event->x, event->y);
    if (window->moves) {
        vks_viewport_pan(&window->port, window->mouse_x - x, window->mouse_y - y);
    }
    if (window->orbits) {
        window->orbit_x += window->mouse_x - x;
        window->orbit_y += window->mouse_y - y;
    }
    return VKS_OK;
}

/* Turns the camera by what the mouse has moved, half a turn for the height of the window, and moves
 * it by what the wheel has turned: once for all events, because the values change between steps. */
static enum vks_result move_camera(struct vks_window *window, struct vks_control *control)
{
    const double degrees = 180.0 / (window->port.height > 0 ? (double)window->port.height : 1);
    const double left = (double)-window->orbit_x * degrees, up = (double)window->orbit_y * degrees;
    const double factor = pow(1.1, (double)window->nearer), now = vks_seconds();
    window->orbit_x = window->orbit_y = window->nearer = 0;
    const enum vks_result result =
        left != 0 || up != 0 ? vks_player_orbit(&window->player, control, left, up, now) : VKS_OK;
    return result == VKS_OK && factor != 1
               ? vks_player_approach(&window->player, control, factor, now)
               : result;
}

static void turn_wheel(struct vks_window *window, const SDL_MouseWheelEvent *event)
{
    const float notches = event->preciseY * (event->direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1);
    const enum vks_on surface = vks_window_surface(window, window->mouse_x, window->mouse_y);
    window->dirty = true;
    if (surface != VKS_ON_PICTURE) {
        window->input.wheel += notches;
    } else if (window->input.shift) {
        scale_brush(window, pow(1.25, (double)notches));
    } else if (vks_player_has_camera(&window->player)) {
        window->nearer += notches;
    } else {
        vks_viewport_zoom(&window->port, pow(1.25, (double)notches), window->mouse_x,
                          window->mouse_y);
    }
}

/* --- events ---------------------------------------------------------------------------------- */

/* A file, or a text, which is no use. */
static enum vks_result drop(struct vks_window *window, const SDL_Event *event,
                            struct vks_control *control)
{
    const enum vks_result result =
        event->type == SDL_DROPFILE && event->drop.file
            ? vks_window_tolerate(window, vks_window_take_drop(window, control, event->drop.file))
            : VKS_OK;
    vks_sdl.free(event->drop.file);
    return result;
}

static enum vks_result handle(struct vks_window *window, const SDL_Event *event,
                              struct vks_control *control)
{
    switch (event->type) {
    case SDL_QUIT:
        vks_window_quit(window, control);
        break;
    case SDL_KEYDOWN:
        return press(window, &event->key, control);
    case SDL_KEYUP:
        release(window, &event->key, control);
        break;
    case SDL_TEXTINPUT:
        snprintf(window->input.text, sizeof(window->input.text), "%s", event->text.text);
        return vks_window_flush(window, control);
    case SDL_MOUSEMOTION:
        return move(window, &event->motion);
    case SDL_MOUSEBUTTONDOWN:
        return press_button(window, &event->button, control);
    case SDL_MOUSEBUTTONUP:
        return release_button(window, &event->button, control);
    case SDL_MOUSEWHEEL:
        turn_wheel(window, &event->wheel);
        break;
    case SDL_DROPFILE:
    case SDL_DROPTEXT:
        return drop(window, event, control);
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE) {
            window->mouse_inside = false;
            window->dirty = true;
        } else if (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED ||
                   event->window.event == SDL_WINDOWEVENT_DISPLAY_CHANGED ||
                   event->window.event == SDL_WINDOWEVENT_EXPOSED ||
                   event->window.event == SDL_WINDOWEVENT_MINIMIZED ||
                   event->window.event == SDL_WINDOWEVENT_RESTORED) {
            vks_swapchain_resized(window->swapchain);
            vks_window_measure(window);
        }
        break;
    default:
        break;
    }
    return VKS_OK;
}

/* An input method only where text may be typed. */
static void choose_text_input(struct vks_window *window)
{
    const bool wanted = window->port.panel && vks_ui_takes_keys(vks_panel_ui(window->panel));
    if (wanted != window->texting) {
        window->texting = wanted;
        (wanted ? vks_sdl.StartTextInput : vks_sdl.StopTextInput)();
    }
}

/* In full screen the strip and the pointer are hidden while the mouse rests. */
static void hide_idle(struct vks_window *window)
{
    const bool idle = window->full && vks_seconds() - window->mouse_time > hide_seconds;
    if (window->port.strip == idle) {
        window->port.strip = !idle;
        window->dirty = true;
        window->updated = 0;
        vks_sdl.ShowCursor(idle ? SDL_DISABLE : SDL_ENABLE);
    }
}

/* Goes to the step of a picture, once the start is kept, so that there is a way back. */
static void go_to_step(struct vks_window *window, struct vks_control *control)
{
    if (window->seeks) {
        control->paused = true;
        control->seek = window->captured;
        control->step = window->run.step;
        window->seeks = !window->captured;
    }
}

/* Notes where what was done before the last steps has replaced a future. */
static void note_branch(struct vks_window *window, const struct vks_control *control)
{
    const size_t done = window->run.log->done;
    if (window->within) {
        return; /* nothing is applied before the step ends */
    }
    if (window->changes && done > window->changed_done && window->changed_at < window->ahead) {
        vks_branches_add(&window->branches, window->changed_at, window->ahead);
        window->ahead = control->now;
    }
    window->ahead = control->now > window->ahead ? control->now : window->ahead;
    window->travels = window->travels && control->now < window->goal;
    window->changes = false;
}

/* Remembers what note_branch() needs: an event that is given may still turn out to be impossible.
 */
static void expect_branch(struct vks_window *window, const struct vks_control *control)
{
    if (control->seek) {
        window->travels = true;
        window->goal = control->step;
        window->ahead = control->forget ? control->step : window->ahead;
    } else if (!window->travels && !window->within) {
        window->changes = control->events.count > 0;
        window->changed_at = control->now;
        window->changed_done = window->run.log->done;
    }
}

/* What was asked for within a step or frame. */
static enum vks_result do_later(struct vks_window *window)
{
    const unsigned later = window->later;
    enum vks_result result = VKS_OK;
    window->later = 0;
    if (later >> VKS_LATER_SAVE & 1) {
        result = vks_window_save(window);
    }
    if (result == VKS_OK && later >> VKS_LATER_RECORD & 1) {
        result = vks_window_record(window);
    }
    if (result == VKS_OK && later >> VKS_LATER_ENLARGE & 1) {
        result = vks_window_render(window, false);
    }
    if (result == VKS_OK && later >> VKS_LATER_RENDER & 1) {
        result = vks_window_render(window, true);
    }
    return result;
}

enum vks_result vks_window_poll(void *user, struct vks_control *control)
{
    struct vks_window *window = user;
    enum vks_result result = VKS_OK;
    SDL_Event event;
    window->control = control;
    window->now = control->now;
    window->last = control->now > window->last ? control->now : window->last;
    note_branch(window, control);
    go_to_step(window, control);
    const bool idle = control->idle && !window->within;
    const int wait = vks_preview_runs(window->preview) || window->flashed > 0
                         ? VKS_UPDATE_MILLISECONDS
                         : WAIT_MILLISECONDS;
    vks_phase_begin(idle ? VKS_PHASE_WAIT_EVENT : VKS_PHASE_PRESENT);
    int got =
        idle && !control->seek ? vks_sdl.WaitEventTimeout(&event, wait) : vks_sdl.PollEvent(&event);
    vks_phase_end();
    const bool any = got;
    while (got && result == VKS_OK) {
        result = handle(window, &event, control);
        got = vks_sdl.PollEvent(&event);
    }
    choose_text_input(window);
    result = vks_window_check(result);
    if (result == VKS_OK && window->player.stroking && !window->within) {
        result = paint_to_mouse(window, control); /* as long as it is held, once per step */
    }
    if (result == VKS_OK) {
        result = vks_window_tolerate(window, vks_window_poll_jobs(window));
    }
    if (result == VKS_OK) {
        result = vks_window_tolerate(window, vks_opener_poll(&window->opener));
    }
    window->paused = control->paused;
    control->steps_per_frame = window->pace;
    hide_idle(window);
    if (result == VKS_OK) {
        result = vks_window_update(window, any);
    }
    if (result == VKS_OK) {
        result = vks_window_act(window, control);
    }
    if (result == VKS_OK && !window->within) {
        result = vks_window_tolerate(window, move_camera(window, control));
    }
    if (result == VKS_OK && !window->within) {
        result = vks_window_tolerate(window, vks_player_advance(&window->player, control));
    }
    if (result == VKS_OK && !window->within) {
        result = vks_window_tolerate(window, do_later(window));
    }
    expect_branch(window, control);
    window->dirty = window->dirty || window->flashed > 0;
    /* While running, the next frame repaints the window, unless frames are slow. */
    const bool late = idle || vks_seconds() - window->presented > update_seconds;
    if (result == VKS_OK && window->dirty && window->captured && late) {
        result = vks_window_present(window);
    }
    return result;
}
