/* SPDX-License-Identifier: MIT */
/* The inside of the window, for the files that share it: window.c opens it and presents,
 * window_surfaces.c draws panel and strip and does what a person did there, window_input.c has keys
 * and mouse. */
#ifndef VKS_UI_WINDOW_PRIVATE_H
#define VKS_UI_WINDOW_PRIVATE_H

#include "ui/gallery.h"
#include "ui/opener.h"
#include "ui/player.h"
#include "ui/preview.h"
#include "ui/recording.h"
#include "ui/sdl.h"
#include "ui/strip.h"
#include "ui/swapchain.h"
#include "ui/viewport.h"
#include "ui/window.h"

enum { VKS_MAX_SAVED = 64 };
enum { VKS_UPDATE_MILLISECONDS = 33 }; /* between two updates of the panel without input */

/* Speed since the last update of the title. */
struct vks_meter {
    double time;
    uint64_t steps;
    double busy; /* seconds of the GPU, as in vks_graph_busy() */
    uint64_t busy_steps;
    unsigned frames;     /* presented since */
    double rate;         /* steps per second; 0: not known yet */
    double frame_rate;   /* frames per second; 0: not known yet */
    double step_seconds; /* of the GPU; 0: not known */
};

/* Where presses and moves of the mouse go until its buttons are up. */
enum vks_on { VKS_ON_NOTHING, VKS_ON_PICTURE, VKS_ON_PANEL, VKS_ON_STRIP };

/* A surface whose pixels the host draws. */
struct vks_window_pane {
    struct vks_pane pane;
    double wake; /* when it changes without input */
    bool shown;  /* it was drawn */
};

/* What is done with a whole picture only. */
enum vks_later { VKS_LATER_SAVE, VKS_LATER_RECORD, VKS_LATER_ENLARGE, VKS_LATER_RENDER };

struct vks_window {
    SDL_Window *handle;
    struct vks_gpu *gpu;
    struct vks_swapchain *swapchain;
    struct vks_window_run run;
    struct vks_player player;
    struct vks_recording recording;
    char *video;                 /* its name; NULL: nothing is recorded */
    struct vks_control *control; /* of the run; NULL before its first poll */
    bool within;                 /* a step or frame: the state or its picture is incomplete */
    unsigned later;              /* bits 1 << enum vks_later: asked for within one */
    struct vks_viewport port;
    struct vks_panel *panel;
    struct vks_gallery *gallery;
    struct vks_drop drop;       /* that a person has still to choose about */
    struct vks_own_presets own; /* of the model */
    struct vks_jobs jobs;       /* in the background */
    struct vks_opener opener;
    bool asked;     /* whether to give them up */
    double leaves;  /* until when Escape ends the run */
    double flashed; /* until when a frame shows that a picture was saved */
    struct vks_preview *preview;
    struct vks_ui strip, page, notice; /* of the strip, the page of keys and the notice */
    const char *notice_title;
    char *notice_text;               /* NULL: none */
    struct vks_window_pane panes[4]; /* VKS_PANE_PANEL and so on */
    struct vks_actions actions;
    struct vks_ui_input input; /* since the last update, in pixels of the window */
    enum vks_on held;
    unsigned buttons;       /* of the mouse that are down, as bits */
    bool space;             /* the key is down: with it, the mouse moves the picture */
    bool spent;             /* it has, so the key does not pause */
    bool moves;             /* the mouse moves the picture */
    bool orbits;            /* it turns the camera */
    float orbit_x, orbit_y; /* by so many pixels, which the camera has not turned yet */
    float nearer;           /* notches of the wheel that it has not moved by yet */
    float mouse_x, mouse_y; /* pixels of the window */
    bool mouse_inside;
    double mouse_time; /* of its last move */
    double updated;    /* time of the last update of panel and strip */
    size_t log_done;   /* events at that time */
    char *name;
    struct vks_size size; /* of the picture */
    bool full, paused, keys_shown, texting;
    bool stood;               /* the run was paused when it last presented */
    bool seeks;               /* the run is to go to its step */
    uint64_t steps_per_frame; /* as chosen */
    uint64_t pace;            /* the same, or fewer so that frames follow each other quickly */
    uint64_t now, last;       /* steps so far, and the largest number of them */
    uint64_t ahead;           /* where the future that is repeated ends */
    uint64_t goal;            /* of the way through time, with `travels` */
    bool travels;
    bool changes; /* events were given at step `changed_at`, with so many of the log done */
    uint64_t changed_at;
    size_t changed_done;
    struct vks_branches branches;
    uint64_t saved[VKS_MAX_SAVED]; /* steps of the pictures and videos that this run has saved */
    size_t saved_count;
    uint32_t runs; /* so far, with this one */
    bool captured; /* the swapchain has a picture, of step `captured_step` */
    uint64_t captured_step;
    uint64_t captured_now; /* the same of the run, which restarts do not reset */
    bool dirty;            /* the screen does not show what it should */
    double presented;      /* time of the last presentation */
    struct vks_meter meter;
    char title[256];
    struct vks_samples samples; /* of the picture; none: not yet, or it has none */
    struct vks_histogram histogram;
    double sampled; /* their time */
    bool stale;     /* a picture has been presented since */
};

enum { VKS_PANE_PANEL, VKS_PANE_STRIP, VKS_PANE_NOTICE, VKS_PANE_PAGE };

/* --- window.c -------------------------------------------------------------------------------- */

/* The simulation whose seed and steps are in the title, and its settings. */
vks_simulation *vks_window_simulation(const struct vks_window *window);
const struct vks_settings *vks_window_settings(const struct vks_window *window);
bool vks_window_is_minimised(const struct vks_window *window);
/* The window has another size, or may have. */
void vks_window_measure(struct vks_window *window);
bool vks_rect_contains(struct vks_rect rect, float x, float y);
/* The part of the window at a point. */
enum vks_on vks_window_surface(const struct vks_window *window, float x, float y);
/* The place of the field under the mouse; false if there is none, or the run has no brush. */
bool vks_window_place(const struct vks_window *window, double *across, double *down);
/* Whether it has to wait for the end of a step or frame; asked for twice, it is not done. */
bool vks_window_defers(struct vks_window *window, enum vks_later what);
/* Starts or completes a video; writes the captured picture. If that fails, the run goes on. */
enum vks_result vks_window_record(struct vks_window *window);
enum vks_result vks_window_save(struct vks_window *window);
/* Fails if the display is gone, else with the result of what was done there. */
enum vks_result vks_window_check(enum vks_result result);
/* Presents the captured picture and the panes. */
enum vks_result vks_window_present(struct vks_window *window);

/* --- window_render.c ------------------------------------------------------------------------- */

/* Renders the present picture VKS_ENLARGED times as large in the background, or, with `is_video`,
 * the run so far as a video of 4K; or the run of a picture of the gallery. */
enum vks_result vks_window_render(struct vks_window *window, bool is_video);
enum vks_result vks_window_render_picture(struct vks_window *window, size_t index, bool is_video);
/* Adds a video that was just recorded to the gallery and to the strip. */
enum vks_result vks_window_list_video(struct vks_window *window, const char *path);
/* Takes what has been rendered. */
enum vks_result vks_window_poll_jobs(struct vks_window *window);
/* Gives up what is being rendered. */
void vks_window_cancel_job(struct vks_window *window);
/* Ends the run, once a person who wants to knows what is being rendered. */
void vks_window_quit(struct vks_window *window, struct vks_control *control);

/* --- window_drop.c --------------------------------------------------------------------------- */

/* Opens a dropped file if there is only one way, and else asks in the panel. */
enum vks_result vks_window_take_drop(struct vks_window *window, struct vks_control *control,
                                     const char *path);
/* Does what a person has chosen there. */
enum vks_result vks_window_use_drop(struct vks_window *window, struct vks_control *control,
                                    size_t choice);

/* --- window_surfaces.c ----------------------------------------------------------------------- */

/* Hands the changes of a canvas to its pane. */
enum vks_result vks_window_take(struct vks_window *window, size_t index,
                                const struct vks_canvas *canvas, const struct vks_update *update);
/* Updates panel and strip, if there was input or something may have changed. */
enum vks_result vks_window_update(struct vks_window *window, bool input);
/* Does what a person did there. */
enum vks_result vks_window_act(struct vks_window *window, struct vks_control *control);
/* Both, with the input so far. */
enum vks_result vks_window_flush(struct vks_window *window, struct vks_control *control);
/* Restarts with a seed larger by `by`. */
enum vks_result vks_window_restart(const struct vks_window *window, struct vks_control *control,
                                   int by);
/* Goes to the numbers of a preset in that time; at once while paused. */
enum vks_result vks_window_morph(struct vks_window *window, struct vks_control *control,
                                 const char *preset, unsigned seconds);

/* Shows the panel with the gallery. */
void vks_window_show_gallery(struct vks_window *window);
/* Opens the folder of a picture or video of the gallery; of another index: that of pictures. */
enum vks_result vks_window_open_folder(struct vks_window *window, size_t index);
/* Saves the present options as a preset. */
enum vks_result vks_window_save_preset(struct vks_window *window, const char *name, bool replace);

/* --- window_input.c -------------------------------------------------------------------------- */

/* vks_presenter.poll. */
enum vks_result vks_window_poll(void *user, struct vks_control *control);

#endif
