/* SPDX-License-Identifier: MIT */
/* Which cells of an array are accessed, and which part of it a panel shows. */
#include "ladder/access_cells.h"

#include <stdlib.h>

enum { WRAPPED_ROWS = 3 }; /* a matrix of which fewer rows are accessed is drawn like a vector */

/* --- cells ----------------------------------------------------------------------------------- */

static int compare_cells(const void *a, const void *b)
{
    const struct vks_access_cell *x = a, *y = b;
    return x->word != y->word ? (x->word > y->word) - (x->word < y->word)
                              : (x->time > y->time) - (x->time < y->time);
}

static uint64_t words_of(const struct vks_access_request *request)
{
    return request->bytes > 4 ? request->bytes / 4 : 1;
}

size_t vks_access_list_cells(struct vks_access_cell *cells,
                             const struct vks_access_request *request, uint64_t time)
{
    size_t count = 0;
    for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        for (uint64_t i = 0; i < words_of(request) && (request->lanes >> lane & 1); i++) {
            cells[count++] = (struct vks_access_cell){
                (uint64_t)request->index[lane] * request->bytes / 4 + i, time, lane};
        }
    }
    return count;
}

size_t vks_access_unite_cells(struct vks_access_cell *cells, size_t count)
{
    size_t kept = 0;
    if (count > 0) {
        qsort(cells, count, sizeof(*cells), compare_cells);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || cells[kept - 1].word != cells[i].word) {
            cells[kept++] = cells[i];
        }
    }
    return kept;
}

static bool is_shown(const struct vks_access_panel *panel, const struct vks_access_request *request)
{
    const bool shared = panel->trace->arrays[panel->array].shared;
    return request->array == panel->array && request->pass == (uint32_t)panel->pass &&
           (shared ? vks_access_is_shared(request->kind) : request->kind == panel->kind);
}

bool vks_access_collect(struct vks_access_part *part)
{
    const struct vks_access_trace *trace = part->panel->trace;
    size_t count = 0;
    for (size_t i = 0; i < trace->request_count; i++) {
        if (is_shown(part->panel, &trace->requests[i])) {
            count += VKS_ACCESS_LANES * words_of(&trace->requests[i]);
        }
    }
    part->cells = calloc(count + 1, sizeof(*part->cells));
    part->focus =
        calloc(VKS_ACCESS_LANES * words_of(part->panel->total.worst) + 1, sizeof(*part->focus));
    if (!part->cells || !part->focus) {
        return false;
    }
    count = 0;
    for (size_t i = 0; i < trace->request_count; i++) {
        if (is_shown(part->panel, &trace->requests[i])) {
            /* Subgroups are listed one after another, but meet at barriers. */
            const uint64_t time = (uint64_t)trace->requests[i].epoch << 32 | i;
            count += vks_access_list_cells(part->cells + count, &trace->requests[i], time);
        }
    }
    part->cell_count = vks_access_unite_cells(part->cells, count);
    part->focus_count = vks_access_unite_cells(
        part->focus, vks_access_list_cells(part->focus, part->panel->total.worst, 0));
    return true;
}

const struct vks_access_cell *vks_access_find_cell(const struct vks_access_cell *cells,
                                                   size_t count, uint64_t word)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (cells[middle].word < word) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && cells[low].word == word ? &cells[low] : NULL;
}

/* --- the part that is drawn ------------------------------------------------------------------ */

/* Distinct rows of cells that are sorted. `rows` may be NULL; the number of those from `from` on is
 * returned, of which at most VKS_ACCESS_ROWS are stored. */
static uint64_t list_rows(const struct vks_access_part *part, const struct vks_access_cell *cells,
                          size_t count, uint64_t from, uint64_t *rows)
{
    uint64_t listed = 0, last = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = cells[i].word / part->pitch;
        if (row != last && row >= from) {
            if (rows && listed < VKS_ACCESS_ROWS) {
                rows[listed] = row;
            }
            listed++;
        }
        last = row;
    }
    return listed;
}

static void choose_columns(struct vks_access_part *part)
{
    uint64_t low = UINT64_MAX, high = 0, focus_low = UINT64_MAX;
    for (size_t i = 0; i < part->cell_count; i++) {
        const uint64_t column = part->cells[i].word % part->pitch;
        low = column < low ? column : low;
        high = column > high ? column : high;
    }
    for (size_t i = 0; i < part->focus_count; i++) {
        const uint64_t column = part->focus[i].word % part->pitch;
        focus_low = column < focus_low ? column : focus_low;
    }
    low -= low % VKS_ACCESS_SECTOR_WORDS;
    part->first_column =
        high - low < VKS_ACCESS_COLUMNS ? low : focus_low - focus_low % VKS_ACCESS_SECTOR_WORDS;
}

/* Chooses rows from the first of the focus on, or only those of the focus if they are far apart. */
static void choose_rows(struct vks_access_part *part)
{
    const uint64_t first = part->focus[0].word / part->pitch;
    const uint64_t last = part->focus[part->focus_count - 1].word / part->pitch;
    uint64_t count = list_rows(part, part->cells, part->cell_count, first, part->rows);
    const bool shared = part->panel->trace->arrays[part->panel->array].shared;
    const size_t limit = shared ? VKS_ACCESS_ROWS : VKS_ACCESS_ROWS - 1;
    const size_t kept = count < limit ? (size_t)count : limit;
    part->all_rows = list_rows(part, part->cells, part->cell_count, 0, NULL);
    if (kept > 0 && part->rows[kept - 1] < last) {
        count = list_rows(part, part->focus, part->focus_count, 0, part->rows);
    } else if (part->all_rows <= limit) {
        count = list_rows(part, part->cells, part->cell_count, 0, part->rows);
    }
    part->row_count = count < limit ? (size_t)count : limit;
}

void vks_access_choose_part(struct vks_access_part *part)
{
    const struct vks_access_array *array = &part->panel->trace->arrays[part->panel->array];
    const uint64_t pitch = array->buffer.columns > 0
                               ? (uint64_t)vks_ladder_pitch(&array->buffer) *
                                     vks_element_bytes(array->buffer.element) / 4
                               : 0;
    part->pitch = pitch;
    if (array->shared || array->buffer.rows <= 1 || pitch <= VKS_ACCESS_COLUMNS ||
        list_rows(part, part->cells, part->cell_count, 0, NULL) < WRAPPED_ROWS) {
        part->pitch = VKS_ACCESS_COLUMNS;
    }
    part->end_column = part->pitch;
    part->row_pitch = pitch > VKS_ACCESS_COLUMNS ? pitch / VKS_ACCESS_COLUMNS : 1;
    if (part->pitch == VKS_ACCESS_COLUMNS && !array->shared && array->buffer.rows > 1 &&
        pitch <= VKS_ACCESS_COLUMNS) {
        part->pitch = part->end_column = pitch;
    }
    choose_columns(part);
    choose_rows(part);
    part->columns = part->end_column - part->first_column < VKS_ACCESS_COLUMNS
                        ? (uint32_t)(part->end_column - part->first_column)
                        : VKS_ACCESS_COLUMNS;
}
