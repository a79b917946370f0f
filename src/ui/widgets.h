/* SPDX-License-Identifier: MIT */
/* Widgets: immediate mode. Each update has two passes, which call the same functions in the same
 * order: the first one handles the input, the second one draws. The caller keeps the values; a
 * widget returns true where a person has changed one. All lengths are in points. */
#ifndef VKS_UI_WIDGETS_H
#define VKS_UI_WIDGETS_H

#include "base/option.h"
#include "ui/draw.h"

enum vks_ui_key {
    VKS_UI_NO_KEY,
    VKS_UI_TAB,
    VKS_UI_ENTER,
    VKS_UI_SPACE,
    VKS_UI_ESCAPE,
    VKS_UI_LEFT,
    VKS_UI_RIGHT,
    VKS_UI_UP,
    VKS_UI_DOWN,
    VKS_UI_HOME,
    VKS_UI_END,
    VKS_UI_PAGE_UP,
    VKS_UI_PAGE_DOWN,
    VKS_UI_BACKSPACE,
    VKS_UI_DELETE,
    VKS_UI_MENU,
};

enum { VKS_MAX_UI_KEYS = 8, VKS_UI_TEXT_SIZE = 256, VKS_MAX_UI_CELLS = 512 };

/* What has happened since the update before. */
struct vks_ui_input {
    float x, y;  /* the pointer, in pixels of the surface; beyond it while a drag is there */
    bool inside; /* it is over the surface */
    bool down;   /* the left button, now */
    bool pressed, released;
    bool menu;       /* the right button was pressed */
    bool menu_down;  /* it is held */
    unsigned clicks; /* of that press: 2 is a double click */
    float wheel;     /* notches; up is positive */
    bool shift, control, alt;
    enum vks_ui_key keys[VKS_MAX_UI_KEYS]; /* pressed or repeated, in this order */
    size_t key_count;
    char text[64]; /* typed: UTF-8 */
    double time;   /* seconds, of a clock that does not go back */
};

/* The place of a widget in the pass before: what the pointer and the Tab key find. */
struct vks_spot {
    uint32_t id;
    struct vks_box box; /* the visible part, perhaps empty */
    bool focusable;
    struct vks_box full; /* the whole */
};

/* The text being typed into a field. */
struct vks_edit {
    uint32_t id;  /* of the field; 0: none */
    bool all;     /* everything is selected: typing replaces it */
    bool leaving; /* the person has gone elsewhere: the text counts */
    size_t caret; /* byte */
    char text[VKS_UI_TEXT_SIZE];
};

/* The open list of a choice. */
struct vks_popup {
    uint32_t id; /* of the choice; 0: none is open */
    bool seen;   /* in this pass */
    struct vks_box from;
    const char *const *names;
    size_t count, current, chosen;
};

struct vks_scroll {
    float offset;
};

struct vks_ui {
    struct vks_draw *draw;
    float width, height; /* of the surface */
    float x, y;          /* of the pointer */
    unsigned clicks;     /* of the last press */
    float moved;         /* to the right, since the update before */
    struct vks_ui_input input;
    uint32_t hot, active, focus, reveal; /* ids; 0: none */
    bool keyboard;                       /* the focus is visible and takes keys */
    size_t cursor;                       /* in the cells that have the focus */
    double hot_since, scrolled_at;
    double held[2]; /* the point of the plane that is held, and where the pointer was */
    float held_x, held_y;
    uint32_t drawn;    /* the plane on which a path is being drawn; 0: none */
    double drag;       /* of the slider that is held, 0 to 1, beyond its ends, too */
    double dragged;    /* its value */
    bool drag_changes; /* it has changed in this drag */
    double wake;       /* when something changes without input; INFINITY: never */
    struct vks_box clip;
    struct vks_spot *spots[2]; /* of this pass and the one before */
    size_t spot_count[2], spot_capacity[2];
    struct vks_edit edit;
    struct vks_popup popup;
    struct vks_box tip_at;
    char tip[2 * VKS_UI_TEXT_SIZE];
    char toast[VKS_UI_TEXT_SIZE];
    double toast_until;
    double toast_seconds; /* of one that is not yet drawn */
    struct {
        uint32_t id;
        struct vks_box box, outer;
        struct vks_scroll *scroll;
    } area;
    bool failed; /* memory ran out */
};

/* Colours: 0xRRGGBB. */
enum {
    VKS_COLOUR_SURROUND = 0x0d0d10,
    VKS_COLOUR_GROUND = 0x141419,
    VKS_COLOUR_RAISED = 0x1e1e24,
    VKS_COLOUR_RULE = 0x2a2a31,
    VKS_COLOUR_TRACK = 0x35353c,
    VKS_COLOUR_CHOSEN = 0x45433f,
    VKS_COLOUR_FAINT = 0x6e6c6a,
    VKS_COLOUR_DIM = 0x96938e,
    VKS_COLOUR_TEXT = 0xd6d2c8,
    VKS_COLOUR_BRIGHT = 0xf8f3e8,
    VKS_COLOUR_ACCENT = 0xd9962f,
    VKS_COLOUR_LIGHT = 0xf0b95c, /* of the accent: rings, the pointer over it */
    VKS_COLOUR_ALERT = 0xf7775b,
};

extern const struct vks_style vks_style_body, vks_style_bold, vks_style_small, vks_style_heading,
    vks_style_number;

enum vks_align { VKS_ALIGN_LEFT, VKS_ALIGN_MIDDLE, VKS_ALIGN_RIGHT };

enum vks_result vks_ui_create(struct vks_ui *ui);
void vks_ui_destroy(struct vks_ui *ui); /* a zeroed one is fine */

/* The size of a surface in pixels, and pixels per point. */
struct vks_surface {
    uint32_t width, height;
    float scale;
};

/* The outcome of an update. */
struct vks_update {
    struct vks_rect rects[VKS_MAX_RECTS]; /* of the canvas, that have changed */
    size_t count;
    double wake; /* time at which to update without input; INFINITY: none */
};

/* An update: calls `build`, which calls the widgets, in both passes, and draws what has changed
 * into vks_draw_canvas(ui->draw). */
enum vks_result vks_ui_update(struct vks_ui *ui, const struct vks_ui_input *input,
                              const struct vks_surface *surface, void (*build)(void *user),
                              void *user, struct vks_update *update);

/* True while keys belong to the surface: a text is being typed, a list is open, or the focus is
 * visible. */
bool vks_ui_takes_keys(const struct vks_ui *ui);
/* Gives the focus to the first widget, as the Tab key does. */
void vks_ui_enter(struct vks_ui *ui);
/* Takes the keyboard from all widgets, as a press elsewhere does: a text being typed counts. */
void vks_ui_leave(struct vks_ui *ui);
/* Shows a line at the bottom for some seconds. */
void vks_ui_say(struct vks_ui *ui, const char *text, double seconds);

/* An id from a name, and from a number within a widget. Never 0. */
uint32_t vks_ui_id(const char *name);
uint32_t vks_ui_sub(uint32_t id, size_t index);
/* Where a widget was in the last pass; NULL: nowhere. */
const struct vks_spot *vks_ui_spot(const struct vks_ui *ui, uint32_t id);
bool vks_ui_take_key(struct vks_ui *ui, enum vks_ui_key key);
/* The notches of the wheel, for the widget under the pointer; 0 while the wheel scrolls. */
float vks_ui_take_wheel(struct vks_ui *ui);
/* Whether the right button was pressed on the widget, or the key VKS_UI_MENU while it has the
 * focus. */
bool vks_ui_take_menu(struct vks_ui *ui, uint32_t id);

struct vks_touch {
    bool hover, held, pressed, clicked;
    bool focused; /* and the focus is visible */
};

/* A place that the pointer, and with `focusable` the keyboard, can reach. */
struct vks_touch vks_ui_touch(struct vks_ui *ui, uint32_t id, struct vks_box box, bool focusable);
/* The ring of the widget that has the focus. */
void vks_ui_ring(struct vks_ui *ui, struct vks_box box, float radius);
/* The sign of a list or group that opens: to the right or, `down`, open. */
void vks_ui_chevron(struct vks_ui *ui, float x, float y, bool down, uint32_t colour);
/* Words shown when the pointer stays on the widget. */
void vks_ui_tip(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *text);

/* Text in the middle of a box's height, cut if it is too wide. Returns its width. */
float vks_ui_text(struct vks_ui *ui, struct vks_box box, enum vks_align align,
                  const struct vks_style *style, uint32_t colour, const char *text);
/* Text in lines, at most `lines`, the last one cut. Draws unless `colour` is UINT32_MAX; returns
 * the number of lines. */
unsigned vks_ui_paragraph(struct vks_ui *ui, struct vks_box box, const struct vks_style *style,
                          uint32_t colour, unsigned lines, const char *text);
enum { VKS_LINE_HEIGHT = 17 };

/* Several places in rows of `columns`, one of which is current: one stop of the Tab key, arrows
 * move among them. SIZE_MAX: none. */
struct vks_cells {
    uint32_t id;
    const struct vks_box *boxes;
    size_t count, columns, current;
};
struct vks_cell_event {
    size_t hover, chosen, cursor;
    bool again; /* it was a double click, or Enter */
};
struct vks_cell_event vks_ui_cells(struct vks_ui *ui, const struct vks_cells *cells);

struct vks_slider {
    double low, high;
    bool logarithmic, whole, odd;
    double preset;        /* a tick, and the value of a double click; NAN: none */
    double centre, swing; /* it moves about a place on it, 0 to 1, by so much; 0: it does not */
};
/* The useful range of a COUNT or REAL. */
struct vks_slider vks_option_slider(const struct vks_option *option);
/* The place of a value, 0 to 1. */
double vks_slider_fraction(const struct vks_slider *slider, double value);
/* The value at a place, rounded to what a person would write; `fine`: ten times finer. */
double vks_slider_value(const struct vks_slider *slider, double at, bool fine);
/* True for every change of a drag, and once more at its end. */
bool vks_ui_slider(struct vks_ui *ui, uint32_t id, struct vks_box box,
                   const struct vks_slider *slider, double *value);

/* Two limits on the same scale, the first one below the second, as lines over the box. A double
 * click on one sets *again. */
bool vks_ui_limits(struct vks_ui *ui, const uint32_t ids[2], struct vks_box box,
                   const struct vks_slider *slider, double limits[2], bool *again);

/* The direction of a light on a ball that is seen from above: azimuth in degrees clockwise from the
 * top, and elevation, `lowest` at the rim and 90 in the middle; in whole degrees. As a slider. */
bool vks_ui_dial(struct vks_ui *ui, uint32_t id, struct vks_box box, double lowest,
                 double angles[2]);

/* A plane on which a point is dragged: x to the right, y upwards. */
struct vks_dot {
    double at[2];
    uint32_t colour;
};
struct vks_plane_label {
    const char *text;
    double at[2];
};
enum { VKS_MAX_TAIL = 64 };
/* Where the point was. */
struct vks_tail {
    double at[VKS_MAX_TAIL][2], times[VKS_MAX_TAIL];
    size_t count;
};
enum { VKS_MAX_PATH = 256 };
/* A line that was drawn on a plane. */
struct vks_path {
    double at[VKS_MAX_PATH][2];
    double reach[VKS_MAX_PATH]; /* the length up to the point, on the screen */
    size_t count;
};
struct vks_chart_plane {
    double low[2], high[2];
    const struct vks_thumb *ground;
    const struct vks_dot *dots; /* landmarks, to which a click close by jumps */
    size_t count;
    double (*edge)(double y); /* x of a line; NULL: none */
    bool along;               /* the line is upright: low[0] and high[0] are of x - edge(y) */
    double min_x, max_x;      /* with `along`: legal values of x */
    const struct vks_plane_label *labels;
    size_t label_count;
    struct vks_tail *tail; /* grows by the point, and is forgotten after some seconds; NULL: none */
    const double *other;   /* a point that is not dragged; NULL: none */
    const struct vks_path *path; /* shown; NULL: none */
    bool ring;                   /* the dragged point is drawn as a ring, and the other as a disc */
};
/* The place in the plane, 0 to 1 from the left and from below. */
void vks_plane_place(const struct vks_chart_plane *plane, const double at[2], double place[2]);
/* As a slider. *near is the dot under the pointer, SIZE_MAX: none. */
bool vks_ui_plane(struct vks_ui *ui, uint32_t id, struct vks_box box,
                  const struct vks_chart_plane *plane, double at[2], size_t *near);

/* The right button draws a path on the plane, which vks_ui_plane() shows; Escape gives it up. True
 * once it is complete; a click makes one of a single point, and so does the key VKS_UI_MENU. */
bool vks_ui_path(struct vks_ui *ui, uint32_t id, struct vks_box box,
                 const struct vks_chart_plane *plane, struct vks_path *path);

/* A field with a text that a click opens for typing. True once the typed text, in ui->edit.text,
 * counts. `plain`: without a frame until it is open, and aligned to the right. */
bool vks_ui_field(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *value,
                  const char *shown, bool plain);
/* Opens a field as if it had been clicked. */
void vks_ui_open_field(struct vks_ui *ui, uint32_t id, const char *value);

bool vks_ui_toggle(struct vks_ui *ui, uint32_t id, struct vks_box box, bool *on);
bool vks_ui_button(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *text,
                   bool primary);
/* One of several names, which live until the end of the pass: segments where they fit, else a list
 * that opens. *current SIZE_MAX: none of
 * them, and `other` is shown. */
bool vks_ui_choice(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *const *names,
                   size_t count, size_t *current, const char *other);
/* Words in a row, one of which is current and underlined. */
bool vks_ui_tabs(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *const *names,
                 size_t count, size_t *current);

/* An area whose content may be higher. Returns the top of the content. */
float vks_ui_scroll_begin(struct vks_ui *ui, uint32_t id, struct vks_box box,
                          struct vks_scroll *scroll);
void vks_ui_scroll_end(struct vks_ui *ui, float content_height);

#endif
