/* SPDX-License-Identifier: MIT */
/* The cells of an array, in words of 4 bytes: 32 in a row, which are part of a row of a matrix, a
 * piece of a vector, or the banks of shared memory. */
#ifndef VKS_LADDER_ACCESS_CELLS_H
#define VKS_LADDER_ACCESS_CELLS_H

#include "ladder/access_internal.h"

enum {
    VKS_ACCESS_COLUMNS = 32, /* words in a row of the panel */
    VKS_ACCESS_SECTOR_WORDS = VKS_ACCESS_SECTOR / 4,
    VKS_ACCESS_ROWS = 33, /* maximum: a padded tile of 32 x 33 is drawn as a whole */
};

struct vks_access_cell {
    uint64_t word, time;
    uint32_t lane;
};

/* The part of an array that a panel shows. */
struct vks_access_part {
    const struct vks_access_panel *panel;
    /* Cells that any lane accesses, in order of words, without duplicates; to be freed. */
    struct vks_access_cell *cells;
    size_t cell_count;
    struct vks_access_cell *focus; /* cells of the highlighted request; to be freed */
    size_t focus_count;
    uint64_t pitch;        /* words from row to row */
    uint64_t row_pitch;    /* rows of the panel per row of a matrix that is drawn like a vector */
    uint64_t first_column; /* the first that the panel shows */
    uint64_t end_column;   /* one past the last of a row: the pitch */
    uint64_t rows[VKS_ACCESS_ROWS];
    size_t row_count;
    uint64_t all_rows; /* number of rows that are accessed */
    uint32_t columns;  /* of the panel */
};

/* Collects cells and focus; false if memory ran out. */
bool vks_access_collect(struct vks_access_part *part);
/* Chooses rows and columns around the focus. */
void vks_access_choose_part(struct vks_access_part *part);

/* Lists the words of a request, at most 4 per lane. Returns their number. */
size_t vks_access_list_cells(struct vks_access_cell *cells,
                             const struct vks_access_request *request, uint64_t time);
/* Sorts by word; of several accesses to one the first stays. Returns how many are left. */
size_t vks_access_unite_cells(struct vks_access_cell *cells, size_t count);
/* The cell of a word among sorted ones, or NULL. */
const struct vks_access_cell *vks_access_find_cell(const struct vks_access_cell *cells,
                                                   size_t count, uint64_t word);

#endif
