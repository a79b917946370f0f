/* SPDX-License-Identifier: MIT */
/* The inside of the library's objects, for the command line tool and the window. */
#ifndef VKS_API_SIMULATION_H
#define VKS_API_SIMULATION_H

#include <vksim/vksim.h>

#include "graph/graph.h"
#include "ranks/transport.h"
#include "view/bands.h"
#include "api/settings.h"
#include "api/state.h"

struct vks_context {
    struct vks_gpu gpu;
    struct vks_transport ranks; /* count 0: there are none */
    uint64_t exchange_every;    /* steps; 0: as many as are probably fastest */
    bool pictures;              /* ranks draw them */
    double patience;            /* seconds with a silent rank */
};

/* A rank of several. */
struct vks_rank_params {
    const char *text;        /* struct vks_context_params; NULL: there is one */
    uint64_t exchange_every; /* as above */
    bool pictures;
};

/* As vks_context_create(), with what the window system and the tests need. */
enum vks_result vks_context_open(const struct vks_gpu_params *params, vks_context **context);
enum vks_result vks_context_open_rank(const struct vks_gpu_params *params,
                                      const struct vks_rank_params *rank, vks_context **context);
/* Leaves the other ranks, if there are any, with a message that ends them; NULL: without one. The
 * simulations have been destroyed. */
void vks_context_leave(vks_context *context, const char *why);
/* Destroys it; returns the validation messages of its whole life, its end included. */
uint64_t vks_context_close(vks_context *context);

/* Declares the steps of a simulation with these settings, into an empty declaration. They do not
 * depend on the look. */
void vks_declare_steps(const struct vks_settings *settings, struct vks_declaration *declaration);
/* Declares its pictures, bound to `steps`, what vks_declare_steps() has declared. `planes` are
 * those of each frame besides the picture (view/view.h). `bands` has the view's max_bytes, part and
 * row for a picture that may be drawn in bands; NULL: in one piece. */
void vks_declare_picture(const struct vks_settings *settings, unsigned planes,
                         const struct vks_view_params *bands, const struct vks_declaration *steps,
                         struct vks_declaration *declaration);

/* The rows that a rank of several has, with these finished settings, whose own slab is that of one
 * rank. `every`: steps between exchanges; 0: as many as are probably fastest. `pictures`: the halos
 * suffice for them. VKS_ERROR_USAGE: the simulation does not run on several ranks, or the slabs
 * would be too small. */
enum vks_result vks_rank_slab(const struct vks_settings *settings, uint32_t index, uint32_t count,
                              uint64_t every, bool pictures, struct vks_slab *slab);

/* Whether that many ranks are probably faster than fewer, each on a GPU of its own. `every` as for
 * vks_rank_slab(). */
bool vks_ranks_pay(const struct vks_settings *settings, uint32_t count, uint64_t every);
/* What ranks exchange, on average. */
struct vks_rank_load {
    uint32_t steps; /* between two exchanges; 0: they also exchange within steps */
    double bytes;   /* that a rank sends in an exchange */
    double rows;    /* of neighbours that a rank also computes, per row of its own */
};
/* Of finished settings with the slab of one of several ranks. */
enum vks_result vks_rank_load(const struct vks_settings *settings, struct vks_rank_load *load);
/* Makes the value the highest of those of all ranks, which all call it. VKS_OK on one rank. */
enum vks_result vks_simulation_agree(const vks_simulation *simulation, uint64_t *value);
/* Of several ranks: takes the values of the picture from all of them to rank 0, which draws it
 * next. All ranks call it. VKS_OK on one rank. */
enum vks_result vks_simulation_collect(vks_simulation *simulation);

/* Makes a simulation from finished settings (copied). `state` may be NULL; `planes` as above. With
 * VKS_VIEW_BANDS a picture that is too large for a buffer is drawn in bands: frames are drawn with
 * vks_simulation_bands() then. */
enum vks_result vks_simulation_open(vks_context *context, const struct vks_settings *settings,
                                    const struct vks_state_file *state, unsigned planes,
                                    vks_simulation **simulation);

/* Makes only what draws pictures of the owner's state with these settings, which differ from the
 * owner's only in their look. It is never run, set, read or saved, and destroyed before the
 * owner. */
enum vks_result vks_simulation_open_view(vks_simulation *owner, const struct vks_settings *settings,
                                         unsigned planes, vks_simulation **simulation);

vks_context *vks_simulation_context(const vks_simulation *simulation);
const struct vks_settings *vks_simulation_settings(const vks_simulation *simulation);
struct vks_graph *vks_simulation_graph(const vks_simulation *simulation); /* of its steps */
/* Of its pictures, bound to the one above. */
struct vks_graph *vks_simulation_picture(const vks_simulation *simulation);
enum { VKS_MAX_GRAPHS = 4 + VKS_MAX_BRUSHES };
/* The graphs of its steps, of its picture and of a rank's rows of that, and those of the brushes
 * that have painted. Returns their number. */
size_t vks_simulation_graphs(const vks_simulation *simulation,
                             struct vks_graph *graphs[VKS_MAX_GRAPHS]);
/* As vks_simulation_set(), for all options of a JSON object at once: together they have to be
 * valid, and frames keep the layout of their planes: VKS_ERROR_USAGE for another size of pictures.
 */
enum vks_result vks_simulation_set_values(vks_simulation *simulation, const json_t *values);
/* VKS_ERROR_USAGE for strokes that vks_simulation_paint() would not take. */
enum vks_result vks_simulation_can_paint(const vks_simulation *simulation,
                                         const struct vks_stroke *strokes, size_t count);
/* Makes other planes of each frame from now on, as in vks_simulation_open(). The picture has to be
 * drawn again. After a failure they are as before: VKS_ERROR_USAGE if they exclude a transparent
 * background. */
enum vks_result vks_simulation_use_planes(vks_simulation *simulation, unsigned planes);
/* What a restart returns to: the start with `seed`, or the state of that file, whose name is
 * copied; NULL: its initial condition. For a simulation that was opened with a checkpoint. */
enum vks_result vks_simulation_set_start(vks_simulation *simulation, const char *state_path,
                                         uint64_t seed);
/* As vks_simulation_save() and vks_snapshot_save(), with `run` of vks_state_file_save(). */
enum vks_result vks_simulation_save_run(vks_simulation *simulation, const char *path,
                                        bool overwrite, json_t *run);
enum vks_result vks_snapshot_save_run(const vks_snapshot *snapshot, const char *path,
                                      bool overwrite, json_t *run);
/* Puts the shaders in place that vks_shader_find() has now. A failure may leave some of them in
 * place: with the earlier shaders the next call puts everything back. */
enum vks_result vks_simulation_reload(vks_simulation *simulation);
/* Goes on from the present state and step of another simulation, if that has the fields of this
 * one's state and their values are in range; else it stays at its start and *carried is false. */
enum vks_result vks_simulation_carry(vks_simulation *simulation, const vks_simulation *from,
                                     bool *carried);
/* Fractions of the last drawn picture that lie outside its fixed range: of negative values below
 * it, and of values above. Zero with any other range, and for pictures in bands. Waits for the
 * picture. */
enum vks_result vks_simulation_clipped(vks_simulation *simulation, double *below, double *above);
enum { VKS_SHOWN_SAMPLES = 16384 };

/* Some of the values that a picture shows. */
struct vks_samples {
    float values[VKS_SHOWN_SAMPLES];
    size_t count;     /* 0 for pictures of several planes or in bands */
    double low, high; /* the range that is mapped to the colours */
};

/* Those of the last drawn picture, evenly distributed. Waits for the picture. */
enum vks_result vks_simulation_sample(vks_simulation *simulation, struct vks_samples *samples);
/* The range of the last drawn picture; of magnitudes, from 0, if it is symmetric. Waits for it. */
enum vks_result vks_simulation_range(vks_simulation *simulation, double *low, double *high);
/* How its pictures are drawn. Valid until it is destroyed or restarted. */
struct vks_bands vks_simulation_bands(vks_simulation *simulation);

#endif
