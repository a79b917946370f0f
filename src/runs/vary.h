/* SPDX-License-Identifier: MIT */
/* --grid, --vary and --vary-rows: which options have which values in the cells of a grid. */
#ifndef VKS_RUNS_VARY_H
#define VKS_RUNS_VARY_H

#include "frames/sheet.h"
#include "api/settings.h"

enum { VKS_MAX_CELLS = 256 };

/* An option (or "preset") and the texts it is set to. */
struct vks_axis {
    char *option;
    char **values;
    size_t count; /* 0: no such axis */
    size_t max, capacity;
};

/* Parses OPTION=VALUES, of at most `max` values: VALUE,VALUE... (or separated by semicolons, if
 * there is one, so that values can be lists such as 20,30), LOW..HIGH/N for N numbers, which are
 * evenly spread and rounded to two digits below their distance, LOW..HIGH for `cells` numbers or,
 * where that is 0, for all whole numbers, or all for options with named values. Names and forms are
 * checked, values are not. Messages name `flag`. Free also after a failure. */
enum vks_result vks_axis_parse(struct vks_axis *axis, struct vks_settings *settings,
                               const char *text, size_t cells, size_t max, const char *flag);
void vks_axis_free(struct vks_axis *axis);

/* Cells in reading order. One axis: cell i has its value i. Two: `across` varies along the columns,
 * `down` along the rows. */
struct vks_vary {
    uint32_t columns, rows;
    size_t count; /* of cells; 0: nothing varies */
    struct vks_axis across, down;
};

/* Parses the three options; NULL texts and a zero grid mean that they are not given. Texts are
 * those of vks_axis_parse(), for the cells of the grid. Without a grid, a nearly square one is
 * chosen, with blank cells at the end if necessary. Free with vks_vary_free(), also after a
 * failure. */
enum vks_result vks_vary_parse(struct vks_vary *vary, struct vks_settings *settings,
                               struct vks_size grid, const char *across, const char *down);
/* The same for options of other names than --vary and --vary-rows, which messages name. */
enum vks_result vks_vary_parse_flags(struct vks_vary *vary, struct vks_settings *settings,
                                     struct vks_size grid, const char *across_flag,
                                     const char *across, const char *down_flag, const char *down);
void vks_vary_free(struct vks_vary *vary);

/* The value of a cell on one of the two axes; NULL if there is no such axis. */
const char *vks_vary_value(const struct vks_vary *vary, const struct vks_axis *axis, size_t cell);
/* True if that axis is "preset". */
bool vks_axis_is_preset(const struct vks_axis *axis);

/* The finished settings of every cell, a heap array of vary->count, the caller's: `base` (not yet
 * finished) with the cell's values. A preset is applied first; then `win` sets the options that
 * override presets again. NULL after a failure. */
enum vks_result vks_vary_cells(const struct vks_vary *vary, const struct vks_settings *base,
                               enum vks_result (*win)(void *user, struct vks_settings *cell),
                               void *user, struct vks_settings **cells);

/* The caption of a cell: words alone, numbers after their option's name. */
void vks_vary_caption(const struct vks_vary *vary, struct vks_settings *settings, size_t cell,
                      struct vks_caption *caption);

#endif
