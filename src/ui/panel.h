/* SPDX-License-Identifier: MIT */
/* The window's panel: everything that a person can change, made from the tables of options, presets
 * and colour maps. It draws into a canvas of its own and reports what a person did as actions; it
 * changes nothing itself. */
#ifndef VKS_UI_PANEL_H
#define VKS_UI_PANEL_H

#include "runs/presets.h"
#include "ui/drop.h"
#include "ui/widgets.h"

enum { VKS_PANEL_WIDTH = 340 }; /* points */

enum vks_action_kind {
    VKS_ACTION_SET,     /* the option `name` to `text`; with `more` while a drag goes on */
    VKS_ACTION_ANIMATE, /* the option `name` as a wave of `period` and `share`; 0: stop it */
    VKS_ACTION_PATH,    /* the options of the chart along `path` in `period` seconds; NULL: the path
                         * that they are on; with a period of 0 stop them */
    VKS_ACTION_PRESET,  /* `name`; with `keep` only its parameters, and the state goes on */
    VKS_ACTION_SAVE_PRESET,   /* the options as the preset `name` */
    VKS_ACTION_DELETE_PRESET, /* `name`, a saved one */
    VKS_ACTION_MODEL,         /* `name` */
    VKS_ACTION_RESTART,       /* with the same seed */
    /* A new simulation, with the options that the actions VKS_ACTION_PREPARE just before it set. */
    VKS_ACTION_PREPARE,
    VKS_ACTION_NEW_RUN,
    VKS_ACTION_BRUSH,           /* `brush` */
    VKS_ACTION_GALLERY_LOOK,    /* at the picture `index`, whose words are shown */
    VKS_ACTION_GALLERY_RETURN,  /* to its state */
    VKS_ACTION_GALLERY_ENLARGE, /* render it larger */
    VKS_ACTION_GALLERY_VIDEO,   /* render its run as a video */
    VKS_ACTION_GALLERY_DELETE,
    VKS_ACTION_GALLERY_FOLDER, /* open that of the picture `index`, past the last one: of all */
    VKS_ACTION_SEEK,           /* to `step` */
    VKS_ACTION_PAUSE,          /* or go on */
    VKS_ACTION_SAVE,
    VKS_ACTION_RECORD,  /* start or stop */
    VKS_ACTION_DROP,    /* the choice `index` of the dropped file, past the last one: none */
    VKS_ACTION_CANCEL,  /* what is being rendered */
    VKS_ACTION_KEYS,    /* show or hide the table of keys */
    VKS_ACTION_GALLERY, /* show the gallery */
};

enum { VKS_MAX_WAVES = 16 };

/* An option whose value is a sine. */
struct vks_wave {
    const struct vks_option *option;
    double period;        /* seconds */
    double centre, share; /* place on the slider, 0 to 1, and how far it goes from there */
    double phase;         /* 0 to 1 */
    uint32_t number;      /* of the motion */
};

/* Two options on a path. */
struct vks_trip {
    const struct vks_option *options[2]; /* x and y */
    struct vks_path path;                /* without points: there is no trip */
    double period;                       /* seconds */
    double done;                         /* the share of the way, 0 to 1 */
    uint32_t number;                     /* of the motion */
};

struct vks_brush_state {
    size_t index;                     /* of the list of brushes */
    double radius;                    /* cells */
    double soft, strength;            /* 0 to 1: the share of the radius that is a soft edge */
    double values[VKS_STROKE_VALUES]; /* what brushes that take values paint */
};

struct vks_action {
    enum vks_action_kind kind;
    bool keep, more;
    char name[64];
    char text[VKS_UI_TEXT_SIZE];
    size_t index;
    uint64_t step;
    double period, share;        /* as struct vks_wave has them */
    const struct vks_path *path; /* the panel's, until its next update */
    struct vks_brush_state brush;
};

enum { VKS_MAX_ACTIONS = 64 };

/* Actions in the order in which they happened. */
struct vks_actions {
    struct vks_action items[VKS_MAX_ACTIONS];
    size_t count; /* the caller sets it to 0 once they are done */
};

/* Adds a zeroed action of the kind; it stays in place until the caller clears the list. */
struct vks_action *vks_actions_add(struct vks_actions *actions, enum vks_action_kind kind);

struct vks_brush_row {
    const char *name, *help;
    const char *inverse;                  /* what the other button does */
    const char *lacks;                    /* what the run needs for it; NULL: it works */
    const struct vks_brush_value *values; /* VKS_STROKE_VALUES of them, those that it takes first */
};

struct vks_gallery_item {
    const char *name;
    const char *words; /* simulation, preset, step */
    struct vks_thumb image;
    bool is_video;
    uint32_t id; /* of the picture as long as it is there; not 0 */
};

/* How many of the values that the picture shows are where. */
struct vks_histogram {
    double low, high; /* of all bars */
    float bars[96];   /* heights, the largest 1 */
    double range[2];  /* the values that have the first and the last colour */
};
/* From some of the values, of which there is at least one. `symmetric`: the range is of magnitudes.
 */
void vks_histogram_make(struct vks_histogram *histogram, const float *values, size_t count,
                        double low, double high, bool symmetric);

/* What the panel shows, the caller's. */
struct vks_panel_data {
    const struct vks_settings *settings;   /* finished, of the running simulation */
    const char *preset;                    /* its last preset */
    const struct vks_histogram *histogram; /* NULL: none */
    const struct vks_wave *waves;
    size_t wave_count;
    const struct vks_trip *trip;       /* of the chart's options; NULL: none */
    const struct vks_own_presets *own; /* saved ones of the model; NULL: none */
    struct vks_thumb live; /* of the run of the preset under the pointer; without `rgba`: none */
    const struct vks_brush_row *brushes; /* of this simulation */
    size_t brush_count;
    struct vks_brush_state brush;
    const struct vks_drop *drop;            /* a file to choose about; NULL: none */
    const struct vks_gallery_item *gallery; /* newest first */
    size_t gallery_count;
};

struct vks_panel;

enum vks_result vks_panel_create(struct vks_panel **panel);
void vks_panel_destroy(struct vks_panel *panel); /* NULL is fine */

/* Takes the input, adds actions to the list and draws the panel. To be called when there is input,
 * when the data have changed, and at `wake`. */
enum vks_result vks_panel_update(struct vks_panel *panel, const struct vks_panel_data *data,
                                 const struct vks_ui_input *input,
                                 const struct vks_surface *surface, struct vks_actions *actions,
                                 struct vks_update *update);
const struct vks_canvas *vks_panel_canvas(const struct vks_panel *panel);

/* Its widgets, for vks_ui_takes_keys(), vks_ui_enter() and vks_ui_say(). */
struct vks_ui *vks_panel_ui(struct vks_panel *panel);

enum vks_tab { VKS_TAB_MODEL, VKS_TAB_LOOK, VKS_TAB_BRUSH, VKS_TAB_GALLERY, VKS_TABS };
void vks_panel_show(struct vks_panel *panel, enum vks_tab tab);
bool vks_panel_loops(const struct vks_panel *panel); /* whether new videos are loops */
/* Scrolls to the top, where a dropped file is. */
void vks_panel_to_top(struct vks_panel *panel);
enum vks_tab vks_panel_tab(const struct vks_panel *panel);
/* The preset that the pointer has rested on for half a second; NULL: none. */
const char *vks_panel_pointed(const struct vks_panel *panel);
/* A preset that is shown and has no picture yet, which can be made; NULL: there is none. */
const char *vks_panel_lacking(const struct vks_panel *panel);
/* Takes the picture of it, which is kept in the cache; without `rgba` it cannot be made. */
void vks_panel_take_picture(struct vks_panel *panel, const char *preset,
                            const struct vks_thumb *picture);

/* The ids of an option's widgets: the slider, choice, toggle or field, and the number. */
uint32_t vks_panel_option_id(const struct vks_option *option);
uint32_t vks_panel_number_id(const struct vks_option *option);
uint32_t vks_panel_label_id(const struct vks_option *option);
/* The sliders of its wave. */
uint32_t vks_panel_period_id(const struct vks_option *option);
uint32_t vks_panel_share_id(const struct vks_option *option);
/* The id of the heading that opens and closes a group of options; "new run" is one of them. */
uint32_t vks_panel_group_id(const char *heading, enum vks_tab tab);

#endif
