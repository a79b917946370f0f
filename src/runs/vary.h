/* SPDX-License-Identifier: MIT */
/* --grid, --vary and --vary-rows: which value of which option each cell of a grid has. */
#ifndef VKS_RUNS_VARY_H
#define VKS_RUNS_VARY_H

#include "frames/sheet.h"
#include "api/settings.h"

enum { VKS_MAX_CELLS = 256 };

/* An option (or "preset") and the texts it is set to. */
struct vks_axis {
    char *option;
    char **values;
    size_t count; /* 0: there is no such axis */
};

/* Cells in reading order. One axis: cell i has its value i. Two: `across` goes along the columns,
 * `down` along the rows. */
struct vks_vary {
    uint32_t columns, rows;
    size_t count; /* of cells; 0: nothing varies */
    struct vks_axis across, down;
};

/* Reads the three options; NULL texts and a zero grid stand for those not given. The forms of the
 * texts are OPTION=VALUE,VALUE... (parted by semicolons where there is one), OPTION=LOW..HIGH for
 * numbers, which are spread evenly over the cells and rounded to two digits below their distance,
 * and OPTION=all for what has names. Without a grid one is chosen that is near to a square, with
 * blank cells at its end where it has to. Names and forms are checked, not the values. Free with
 * vks_vary_free(), also after a failure. */
enum vks_result vks_vary_parse(struct vks_vary *vary, struct vks_settings *settings,
                               struct vks_size grid, const char *across, const char *down);
void vks_vary_free(struct vks_vary *vary);

/* The value of a cell on one of the two axes; NULL for an axis that is not there. */
const char *vks_vary_value(const struct vks_vary *vary, const struct vks_axis *axis, size_t cell);
/* True if that axis is "preset". */
bool vks_axis_is_preset(const struct vks_axis *axis);

/* The finished settings of every cell, a heap array of vary->count, the caller's: `base` (not yet
 * finished) with the cell's values. A preset comes first, and after it `win`, which sets again what
 * wins over presets. NULL after a failure. */
enum vks_result vks_vary_cells(const struct vks_vary *vary, const struct vks_settings *base,
                               enum vks_result (*win)(void *user, struct vks_settings *cell),
                               void *user, struct vks_settings **cells);

/* What stands under a cell: words alone, numbers behind their option's name. */
void vks_vary_caption(const struct vks_vary *vary, struct vks_settings *settings, size_t cell,
                      struct vks_caption *caption);

#endif
