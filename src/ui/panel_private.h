/* SPDX-License-Identifier: MIT */
/* The inside of the panel, for the files that share it: panel.c has its life and what all tabs draw
 * with, panel_options.c the rows of options, and each tab a file of its own. */
#ifndef VKS_UI_PANEL_PRIVATE_H
#define VKS_UI_PANEL_PRIVATE_H

#include "sim/registry.h"
#include "ui/panel.h"
#include "view/colormap.h"

enum {
    VKS_MARGIN = 14,
    VKS_CONTENT = VKS_PANEL_WIDTH - 2 * VKS_MARGIN,
    VKS_ROW = 24,      /* of an option */
    VKS_LABEL = 146,   /* width of its name */
    VKS_CONTROL = 104, /* of its slider */
    VKS_GAP = 6,
    VKS_CHART_WIDE = VKS_CONTENT / 2, /* pixels of the chart's ground */
    VKS_CHART_HIGH = 95,
    VKS_MAX_DOTS = 128,
    VKS_MAX_PENDING = 32,
    VKS_MAX_HEADINGS = 48,
    /* Parts of an id, beyond the numbers of cells: of an option, and of a heading. */
    VKS_LABEL_PART = VKS_MAX_UI_CELLS,
    VKS_NUMBER_PART,
    VKS_PERIOD_PART,
    VKS_SHARE_PART,
    VKS_HEADING_PART,
};

/* A value for the next new run. */
struct vks_pending {
    const struct vks_option *option;
    char text[VKS_UI_TEXT_SIZE];
};

/* A group that a person has opened or closed. */
struct vks_turned {
    uint32_t id;
    bool open;
};

struct vks_panel {
    struct vks_ui ui;
    size_t tab;
    struct vks_scroll scroll[VKS_TABS];
    bool all_presets;
    bool loops;      /* new videos do */
    size_t selected; /* picture of the gallery; SIZE_MAX: none */
    uint32_t selected_id;
    struct vks_settings base;  /* as the preset has them; without a model: none yet */
    struct vks_settings other; /* to read other presets with */
    char base_preset[64];
    unsigned own_version; /* of the saved presets that it was looked for in */
    struct vks_pending pending[VKS_MAX_PENDING];
    size_t pending_count;
    struct vks_turned turned[VKS_MAX_HEADINGS];
    size_t turned_count;
    const char *views[VKS_MAX_VIEWS + 1]; /* names of the model's, NULL at the end */
    struct vks_colormap *maps;
    size_t map_count;
    struct vks_thumb *pictures; /* of the presets */
    uint8_t *pixels;            /* that they are in */
    uint8_t *made; /* pictures of a model from a file, one per preset; NULL: it is built in */
    bool *lacking; /* whether that of a preset is to be made; likewise */
    size_t pointed, was_pointed; /* the preset under the pointer, now and before; SIZE_MAX: none */
    double pointed_since;
    bool chart_brushes;                /* the chart's point that is dragged is the brush's */
    struct vks_dot dots[VKS_MAX_DOTS]; /* of the chart; none: not made yet */
    size_t dot_count, dot_presets[VKS_MAX_DOTS];
    uint8_t ground[VKS_CHART_WIDE * VKS_CHART_HIGH * 4];
    bool along; /* the chart is shown along its line */
    struct vks_tail tail;
    struct vks_path path; /* that is being drawn there */
    double path_period;   /* seconds of the next one */
    uint32_t version;     /* of the pictures and the ground */
    double axis[2];       /* of the histogram; it stays while a limit is dragged */
    /* During an update: */
    const struct vks_panel_data *data;
    struct vks_actions *actions;
    float y;                     /* of the next row */
    char hint[VKS_UI_TEXT_SIZE]; /* words about a preset: that under the pointer */
    enum vks_result result;
};

/* --- panel.c --------------------------------------------------------------------------------- */

void vks_panel_act(struct vks_panel *panel, enum vks_action_kind kind, const char *name, bool keep);
size_t vks_preset_count(const struct vks_model *model);
/* The index of a preset; past the last one for a name that is none. */
size_t vks_preset_named(const struct vks_model *model, const char *name);

struct vks_box vks_panel_row(struct vks_panel *panel, float height);
/* In capitals; `words` stand to its right. */
void vks_panel_heading(struct vks_panel *panel, const char *text, const char *words);
/* A heading that opens and closes its group. Returns whether it is open. */
bool vks_panel_group(struct vks_panel *panel, const char *text, bool open_at_first);
/* A picture (NULL: none) with its name below. */
void vks_panel_tile(struct vks_panel *panel, struct vks_box box, const struct vks_thumb *image,
                    const char *name, bool current, bool lit);
/* Boxes in rows of `columns`; returns the height of all. */
float vks_panel_lay(struct vks_box *boxes, size_t count, size_t columns, float y, float side,
                    float height);

/* --- panel_options.c ------------------------------------------------------------------------- */

enum vks_panel_part { VKS_IN_MODEL, VKS_IN_LOOK, VKS_IN_NEW_RUN, VKS_NOWHERE };

/* Where an option is shown in the panel. */
enum vks_panel_part vks_panel_place(const struct vks_panel *panel, const struct vks_option *option);
/* A count or a real of the run, or of the one to come. */
double vks_panel_number(struct vks_panel *panel, const struct vks_option *option);
/* True if a value is not that of the preset. */
bool vks_panel_changed(struct vks_panel *panel);
/* A person has set an option; with `more` while a drag goes on. */
void vks_panel_set(struct vks_panel *panel, const struct vks_option *option, const char *text,
                   bool more);
/* A slider that is no option's. With a unit, such as " s", it belongs to the row above. */
bool vks_panel_slider(struct vks_panel *panel, uint32_t id, const char *text, const char *unit,
                      const struct vks_slider *slider, double *value);
/* The options of a place as rows, of all groups. */
void vks_panel_options(struct vks_panel *panel, enum vks_panel_part place);
/* The same by groups, of which the first `open` ones are open. */
void vks_panel_groups(struct vks_panel *panel, enum vks_panel_part place, size_t open);

/* --- panel_chart.c --------------------------------------------------------------------------- */

/* In the tab of brushes it chooses what the brush of its quantities paints. */
void vks_panel_chart(struct vks_panel *panel);
/* The brush that paints what the chart's axes are: its row, and which of its values x and y are.
 * SIZE_MAX: there is none. */
size_t vks_panel_chart_brush(const struct vks_panel *panel, size_t values[2]);

/* --- panel_drop.c ---------------------------------------------------------------------------- */

void vks_panel_drop(struct vks_panel *panel);

/* --- panel_own.c ----------------------------------------------------------------------------- */

/* Whether the preset is one of them. */
bool vks_panel_is_own(const struct vks_panel *panel);
/* `changed`: the options are not those of the preset. */
void vks_panel_own_presets(struct vks_panel *panel, bool changed);

/* --- panel_model.c --------------------------------------------------------------------------- */

/* Finds the pictures of the presets; a preset without one shows its colour map. */
enum vks_result vks_panel_find_pictures(struct vks_panel *panel, const struct vks_model *model);

/* --- the tabs -------------------------------------------------------------------------------- */

void vks_panel_model(struct vks_panel *panel);
void vks_panel_look(struct vks_panel *panel);
/* The ball below the option of the light. */
void vks_panel_light(struct vks_panel *panel, const struct vks_option *option, float left);
void vks_panel_brush(struct vks_panel *panel);
void vks_panel_gallery(struct vks_panel *panel);

#endif
