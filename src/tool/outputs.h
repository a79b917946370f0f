/* SPDX-License-Identifier: MIT */
/* The outputs of a run's frames: the files of --out, the sheet of --collage and the picture of
 * --poster. */
#ifndef VKS_TOOL_OUTPUTS_H
#define VKS_TOOL_OUTPUTS_H

#include "frames/ring.h"
#include "runs/grid.h"
#include "tool/cli.h"
#include "tool/summary.h"

/* Zeroed before vks_outputs_name(). */
struct vks_outputs {
    char *sheet, *poster; /* heap strings; NULL: none. `sheet` may be the name of an --out */
    /* Those of cli->outputs that take frames, opened: */
    struct vks_sink *sinks[VKS_RING_SINKS];
    size_t sink_count;
    struct vks_collage *collage; /* NULL: none */
    bool waits;  /* for a later process, which continues them: finish leaves them incomplete */
    char *scene; /* in the files, without --collage; a heap string */
};

/* --- names ----------------------------------------------------------------------------------- */

/* Collects --out and the options of outputs from the command line. --encoder, --crf and --depth are
 * for the --out before them; before the first --out they are for all outputs that support them.
 * --collage is for the --out before it, or the first, --poster for the first video. */
enum vks_result vks_outputs_parse(struct vks_cli *cli);
/* Adds the default, SIMULATION.mp4, if there is no --out, and gives all outputs their options. The
 * simulation is known. */
enum vks_result vks_outputs_complete(struct vks_cli *cli);
/* Which of the options that belong to one output it is; VKS_CODED: none. */
enum vks_coded vks_outputs_coded(const struct vks_option *option);
/* True for --out none. */
bool vks_outputs_are_none(const struct vks_cli *cli);
/* True if one of them is standard output. */
bool vks_outputs_has_stream(const struct vks_cli *cli);
/* Sets `sheet` and `poster`. VKS_ERROR_USAGE if --collage or --poster does not suit its --out. */
enum vks_result vks_outputs_name(const struct vks_cli *cli, struct vks_outputs *outputs);
/* True if that output of the command line is the sheet and takes no other frames. */
bool vks_outputs_is_sheet(const struct vks_cli *cli, const struct vks_outputs *outputs,
                          size_t index);

/* --- files ----------------------------------------------------------------------------------- */

/* Checks and opens the sinks and the collage, once they are named. */
enum vks_result vks_outputs_open(const struct vks_cli *cli, const struct vks_grid *grid,
                                 struct vks_outputs *outputs);
/* Starts the sinks, which loads encoders; in a dry run all but standard output. */
enum vks_result vks_outputs_start(const struct vks_cli *cli, const struct vks_outputs *outputs);
/* Whether pictures too large for a buffer can be drawn in bands, or are not drawn at all. */
bool vks_outputs_take_bands(const struct vks_cli *cli);
/* The planes and VKS_VIEW_ flags of the view that the outputs need. */
unsigned vks_outputs_planes(const struct vks_cli *cli, const struct vks_outputs *outputs);
/* Whether an output needs all frames, and not only the last. */
bool vks_outputs_need_all(const struct vks_cli *cli);
/* The collage of --collage's layout, without a path. */
struct vks_collage_params vks_outputs_collage(const struct vks_cli *cli,
                                              const struct vks_grid *grid);
/* Completes the files and prints their names. After a failed run (`result`) the files of all frames
 * are kept up to that point, but no collage or poster is written. Returns `result`, or the first
 * failure of its own if that is VKS_OK. */
enum vks_result vks_outputs_finish(const struct vks_cli *cli, const struct vks_grid *grid,
                                   struct vks_outputs *outputs, enum vks_result result,
                                   struct vks_outcome *outcome);
/* Removes incomplete files and frees everything; zeroed outputs are fine. */
void vks_outputs_close(struct vks_outputs *outputs);

#endif
