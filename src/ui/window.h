/* SPDX-License-Identifier: MIT */
/* The live window: SDL2, a swapchain, the panel and the strip. Pictures never leave the device on
 * their way from the "picture" buffer to the screen. */
#ifndef VKS_UI_WINDOW_H
#define VKS_UI_WINDOW_H

#include "ui/jobs.h"
#include "ui/player.h"

struct vks_window;

/* Opens a window of a sensible size for pictures of `size`, and a context on a device that can
 * present on it, in a mode as in ui/swapchain.h. VKS_ERROR_DEVICE with VKS_HINT_WINDOW without a
 * display. On failure *context and *window are unchanged. */
enum vks_result vks_window_open(const struct vks_gpu_params *params, unsigned present_mode,
                                const char *title, struct vks_size size, vks_context **context,
                                struct vks_window **window);

enum { VKS_RENDERING_FPS = 60 };

/* A picture or video that another process is to render. */
struct vks_rendering {
    const char *file; /* a picture whose run it is; NULL: the present one, with all below */
    const struct vks_log *log;
    uint64_t steps;           /* so far */
    uint64_t steps_per_frame; /* of a video */
    const char *range;        /* normalize of a picture; NULL: as the run says */
    bool is_video;            /* from the start of the run */
    struct vks_size size;     /* pixels */
    const char *path;         /* of the new file */
};

/* A run in the window. */
struct vks_window_run {
    struct vks_grid *grid;
    const char *preset;
    struct vks_log *log; /* of the run */
    struct vks_history *history;
    bool smooth; /* frames may be closer together than the steps per frame say, on slow devices */
    /* The scene of the run so far, without its length, as a heap string for pictures. */
    enum vks_result (*scene)(void *user, const struct vks_log *log, char **text);
    /* The run that led to a picture with its scene. VKS_ERROR_USAGE or VKS_ERROR_FILE for another
     * file. */
    enum vks_result (*reopen)(void *user, const char *path, struct vks_next_run *next);
    /* Fills a zeroed job, to be freed also after a failure. VKS_ERROR_USAGE if it is impossible. */
    enum vks_result (*render)(void *user, const struct vks_rendering *rendering,
                              struct vks_job *job);
    void *user;
    bool seeks; /* it goes to `step` at once, and pauses there */
    uint64_t step;
};

/* The presenter for vks_run(): handles input, updates the title, presents pictures of the grid.
 * What a person does becomes events of the run. */
enum vks_result vks_window_begin(struct vks_window *window, const struct vks_window_run *run,
                                 struct vks_presenter *presenter);
/* After vks_run() or a failed beginning, with its result: completes a video. Returns `result`, or a
 * failure of its own.
 */
enum vks_result vks_window_end(struct vks_window *window, enum vks_result result);
/* Between steps: ends the run, and takes over what vks_window_next() gives then. */
void vks_window_ask(struct vks_window *window, struct vks_control *control,
                    const struct vks_next_run *next);
/* After the run: whether another one was asked for, which is the caller's. */
bool vks_window_next(struct vks_window *window, struct vks_next_run *next);
/* Shows the window with these words and no picture, while a run is being opened. */
enum vks_result vks_window_wait(struct vks_window *window, const char *words);
/* A failure that concerns only what was asked for is a warning, which the window shows too, and the
 * run goes on: VKS_OK. */
enum vks_result vks_window_tolerate(struct vks_window *window, enum vks_result result);
/* Shows lines under a title below the picture until the next call; NULL: none. */
enum vks_result vks_window_notice(struct vks_window *window, const char *title, const char *text);
/* Shows a message in the window, too. */
void vks_window_say(struct vks_window *window, const char *text);

/* Frees everything on the device; to be called before the context is destroyed. Returns the
 * validation messages of the window's own context. NULL is fine. */
uint64_t vks_window_release(struct vks_window *window);
/* Closes the window; to be called after the context is destroyed. NULL is fine. */
void vks_window_close(struct vks_window *window);

#endif
