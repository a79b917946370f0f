/* SPDX-License-Identifier: MIT */
/* The inside of the library's objects, for the command line tool and the window. */
#ifndef VKS_API_SIMULATION_H
#define VKS_API_SIMULATION_H

#include <vksim/vksim.h>

#include "graph/graph.h"
#include "view/bands.h"
#include "api/settings.h"
#include "api/state.h"

struct vks_context {
    struct vks_gpu gpu;
};

/* As vks_context_create(), with what the window system and the tests need. */
enum vks_result vks_context_open(const struct vks_gpu_params *params, vks_context **context);
/* Destroys it; returns the validation messages of its whole life, its end included. */
uint64_t vks_context_close(vks_context *context);

/* Declares a simulation with these settings, model and view, into an empty declaration. `planes`:
 * those made of each frame besides the picture, in one piece, and VKS_VIEW_ flags. */
void vks_declare_all(const struct vks_settings *settings, unsigned planes,
                     struct vks_declaration *declaration);

/* The same for a picture that may be drawn in bands (`bands` has the view's max_bytes, part and
 * row; the rest of it is unused). */
void vks_declare_bands(const struct vks_settings *settings, unsigned planes,
                       const struct vks_view_params *bands, struct vks_declaration *declaration);

/* Makes a simulation from finished settings (copied). `state` may be NULL; `planes` as above. With
 * VKS_VIEW_BANDS a picture that is too large for a buffer is drawn in bands: frames are drawn with
 * vks_simulation_bands() then. */
enum vks_result vks_simulation_open(vks_context *context, const struct vks_settings *settings,
                                    const struct vks_state_file *state, unsigned planes,
                                    vks_simulation **simulation);

/* Makes only what draws pictures with these settings: its graph has the EACH_FRAME passes, and the
 * caller fills its fields (those that vks_field_is_state() names) before each frame. It is never
 * run, and has no state to read, save or digest. */
enum vks_result vks_simulation_open_view(vks_context *context, const struct vks_settings *settings,
                                         unsigned planes, vks_simulation **simulation);

vks_context *vks_simulation_context(const vks_simulation *simulation);
const struct vks_settings *vks_simulation_settings(const vks_simulation *simulation);
struct vks_graph *vks_simulation_graph(const vks_simulation *simulation);
/* How its pictures are drawn. Valid until it is destroyed or restarted. */
struct vks_bands vks_simulation_bands(vks_simulation *simulation);

#endif
