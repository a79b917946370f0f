/* SPDX-License-Identifier: MIT */
/* Draws the cells of an array: a panel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/access_cells.h"

struct view {
    FILE *out;
    struct vks_access_part part;
    uint16_t marks[VKS_ACCESS_ROWS][VKS_ACCESS_COLUMNS]; /* an enum paint, and a lane */
    double x, y, cell;
};

/* --- cells ----------------------------------------------------------------------------------- */

/* The y of a row of the panel: rows that do not follow each other have a gap. */
static double row_y(const struct view *view, size_t row)
{
    double y = view->y;
    for (size_t i = 1; i <= row; i++) {
        y += view->cell +
             (i < view->part.row_count && view->part.rows[i] != view->part.rows[i - 1] + 1 ? 3 : 0);
    }
    return y;
}

static double column_x(const struct view *view, uint64_t column)
{
    return view->x + (double)(column - view->part.first_column) * view->cell;
}

enum paint { EMPTY, WASTE, FAR, NEAR, CONFLICT, PAINTS };
enum { DRAWN = PAINTS * VKS_ACCESS_LANES };

struct bank {
    uint32_t words[VKS_ACCESS_BANKS];
};

/* Words of each bank in the worst phase of the request. */
static struct bank count_banks(const struct vks_access_request *request)
{
    const uint32_t together = request->bytes <= 4 ? 32 : request->bytes <= 8 ? 16 : 8;
    struct bank worst = {{0}};
    uint32_t max = 0;
    for (uint32_t first = 0; first < VKS_ACCESS_LANES; first += together) {
        struct vks_access_request phase = *request;
        struct vks_access_cell cells[VKS_ACCESS_LANES * 4];
        const uint32_t mask =
            together == 32 ? UINT32_MAX : ((UINT32_C(1) << together) - 1) << first;
        struct bank banks = {{0}};
        uint32_t highest = 0;
        phase.lanes &= mask;
        size_t count = vks_access_list_cells(cells, &phase, 0);
        count = request->kind == TRACE_SHARED_ATOMIC ? count : vks_access_unite_cells(cells, count);
        for (size_t i = 0; i < count; i++) {
            uint32_t *words = &banks.words[cells[i].word % VKS_ACCESS_BANKS];
            highest = ++*words > highest ? *words : highest;
        }
        if (highest > max) {
            max = highest;
            worst = banks;
        }
    }
    return worst;
}

static enum paint paint_of(const struct view *view, const struct bank *banks, uint64_t word,
                           const struct vks_access_cell **cell)
{
    const struct vks_access_request *worst = view->part.panel->total.worst;
    *cell = vks_access_find_cell(view->part.focus, view->part.focus_count, word);
    if (*cell) {
        const bool shares = worst->kind == TRACE_ATOMIC &&
                            vks_access_lanes_on(worst, (uint32_t)(word * 4 / worst->bytes)) > 1;
        return shares || (banks && banks->words[word % VKS_ACCESS_BANKS] > 1) ? CONFLICT : NEAR;
    }
    *cell = vks_access_find_cell(view->part.cells, view->part.cell_count, word);
    if (*cell) {
        return FAR;
    }
    const uint64_t sector = word - word % VKS_ACCESS_SECTOR_WORDS;
    const bool wasteful = worst->cost > worst->ideal && worst->degree == 1;
    for (uint64_t i = 0; i < VKS_ACCESS_SECTOR_WORDS && !banks && wasteful; i++) {
        if (vks_access_find_cell(view->part.focus, view->part.focus_count, sector + i)) {
            return WASTE;
        }
    }
    return EMPTY;
}

/* What is in each cell; the same looks the same. */
static void mark_cells(struct view *view, const struct bank *banks)
{
    for (size_t row = 0; row < view->part.row_count; row++) {
        for (uint32_t c = 0; c < view->part.columns; c++) {
            const struct vks_access_cell *cell;
            const enum paint paint = paint_of(
                view, banks, view->part.rows[row] * view->part.pitch + view->part.first_column + c,
                &cell);
            const bool by_lane = paint == FAR || paint == NEAR;
            view->marks[row][c] = (uint16_t)(paint * VKS_ACCESS_LANES + (by_lane ? cell->lane : 0));
        }
    }
}

/* True if the marks right of (row, column) equal `mark`, and none is drawn yet. */
static bool is_run(const struct view *view, size_t row, uint32_t column, uint32_t count,
                   uint16_t mark)
{
    for (uint32_t c = column; c < column + count; c++) {
        if (c >= view->part.columns || view->marks[row][c] != mark) {
            return false;
        }
    }
    return true;
}

/* One path per colour, of rectangles as large as possible, keeps the file small. Conflicts are
 * single cells, which have a border. */
static void put_layer(struct view *view, uint16_t mark)
{
    static const char *const classes[PAINTS] = {"empty", "waste", "far l", "l", "cells clash"};
    const enum paint paint = (enum paint)(mark / VKS_ACCESS_LANES);
    const bool by_lane = paint == FAR || paint == NEAR;
    const uint32_t widest = paint == CONFLICT ? 1 : VKS_ACCESS_COLUMNS;
    bool open = false;
    for (size_t row = 0; row < view->part.row_count; row++) {
        for (uint32_t c = 0; c < view->part.columns; c++) {
            uint32_t wide = 0;
            size_t high = 1;
            while (wide < widest && is_run(view, row, c, wide + 1, mark)) {
                wide++;
            }
            if (wide == 0) {
                continue;
            }
            while (paint != CONFLICT && row + high < view->part.row_count &&
                   view->part.rows[row + high] == view->part.rows[row] + high &&
                   is_run(view, row + high, c, wide, mark)) {
                high++;
            }
            for (size_t i = 0; i < high; i++) {
                for (uint32_t k = 0; k < wide; k++) {
                    view->marks[row + i][c + k] = DRAWN;
                }
            }
            if (!open) {
                char number[16] = "";
                if (by_lane) {
                    snprintf(number, sizeof(number), "%u", mark % VKS_ACCESS_LANES);
                }
                fprintf(view->out, "<path class=\"%s%s\" d=\"", classes[paint], number);
                open = true;
            }
            fprintf(view->out, "M%g %gh%gv%gh-%gz", view->x + c * view->cell, row_y(view, row),
                    wide * view->cell, (double)high * view->cell, wide * view->cell);
        }
    }
    fputs(open ? "\"/>\n" : "", view->out);
}

static void put_cells_of(struct view *view, enum paint paint)
{
    const bool by_lane = paint == FAR || paint == NEAR;
    for (uint32_t lane = 0; lane < (by_lane ? VKS_ACCESS_LANES : 1); lane++) {
        put_layer(view, (uint16_t)(paint * VKS_ACCESS_LANES + lane));
    }
}

/* Lines between cells. */
static void put_gaps(const struct view *view)
{
    const double bottom = row_y(view, view->part.row_count - 1) + view->cell;
    fputs("<path class=\"gaps\" d=\"", view->out);
    for (uint32_t c = 0; c <= view->part.columns; c++) {
        fprintf(view->out, "M%g %gV%g", view->x + c * view->cell, view->y, bottom);
    }
    for (size_t row = 0; row < view->part.row_count; row++) {
        fprintf(view->out, "M%g %gh%g", view->x, row_y(view, row), view->part.columns * view->cell);
    }
    fprintf(view->out, "M%g %gh%g\"/>\n", view->x, bottom, view->part.columns * view->cell);
}

/* Outlines of the sectors that the picked request moves. */
static void put_sectors(const struct view *view)
{
    const struct vks_access_request *request = view->part.panel->total.worst;
    fprintf(view->out, "<path class=\"outline %s\" d=\"",
            request->degree > 1              ? "clash"
            : request->cost > request->ideal ? "bad"
                                             : "good");
    for (size_t row = 0; row < view->part.row_count; row++) {
        for (uint64_t c = view->part.first_column;
             c < view->part.first_column + VKS_ACCESS_COLUMNS && c < view->part.end_column;
             c += VKS_ACCESS_SECTOR_WORDS) {
            const uint64_t word = view->part.rows[row] * view->part.pitch + c;
            bool moved = false;
            for (uint64_t i = 0; i < VKS_ACCESS_SECTOR_WORDS && c + i < view->part.end_column;
                 i++) {
                moved = moved ||
                        vks_access_find_cell(view->part.focus, view->part.focus_count, word + i);
            }
            if (moved) {
                fprintf(view->out, "M%g %gh%gv%gh-%gz", column_x(view, c), row_y(view, row),
                        VKS_ACCESS_SECTOR_WORDS * view->cell, view->cell,
                        VKS_ACCESS_SECTOR_WORDS * view->cell);
            }
        }
    }
    fputs("\"/>\n", view->out);
}

/* Bars below the tile: words of the picked request in each bank. */
static double put_banks(const struct view *view, const struct bank *banks, double y)
{
    const uint32_t degree = view->part.panel->total.worst->degree;
    const double full = degree > 1 ? 34 : 10;
    uint32_t labelled = VKS_ACCESS_BANKS;
    char text[16];
    y += 5;
    for (uint32_t bank = 0; bank < VKS_ACCESS_BANKS; bank++) {
        const uint32_t words = banks->words[bank];
        if (words > 0) {
            fprintf(view->out,
                    "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%.1f\"/>\n",
                    words > 1 ? "clash" : "free", view->x + bank * view->cell + 0.5, y,
                    view->cell - 1, full * words / degree);
        }
        labelled = words == degree && labelled == VKS_ACCESS_BANKS ? bank : labelled;
    }
    if (degree > 1 && labelled < VKS_ACCESS_BANKS) {
        const bool left = labelled > VKS_ACCESS_BANKS - 4;
        const double x = view->x + (labelled + !left) * view->cell;
        snprintf(text, sizeof(text), "%u", degree);
        vks_svg_label(view->out, left ? x - 4 : x + 4, y + full - 8, "degree halo",
                      left ? "end" : "start", "", text);
    }
    return y + full;
}

/* --- texts ----------------------------------------------------------------------------------- */

static void put_head(const struct view *view, double y)
{
    const struct vks_access_panel *panel = view->part.panel;
    const struct vks_access_array *array = &panel->trace->arrays[panel->array];
    const struct vks_access_request *worst = panel->total.worst;
    char text[160], mean[32], ideal[32];
    vks_svg_label(view->out, view->x, y, "name", "start", "", array->name);
    snprintf(text, sizeof(text), "%s",
             array->shared                ? "shared memory"
             : panel->kind == TRACE_LOAD  ? "buffer, loads"
             : panel->kind == TRACE_STORE ? "buffer, stores"
                                          : "buffer, atomics");
    vks_svg_label(view->out, view->x + 32 * view->cell, y, "note", "end", "", text);
    const bool bad = array->shared ? worst->degree > 1 : worst->cost > worst->ideal;
    const struct vks_access_reuse reuse = panel->kind == TRACE_LOAD || array->shared
                                              ? vks_access_reuse(panel->trace, panel->array)
                                              : (struct vks_access_reuse){0};
    const bool again = !array->shared && vks_access_transfers(&reuse) >= 1.5;
    fprintf(view->out, "<circle class=\"dot %s\" cx=\"%g\" cy=\"%g\" r=\"5\"/>\n",
            !bad                                 ? (again ? "clash" : "good")
            : array->shared || worst->degree > 1 ? "clash"
                                                 : "bad",
            view->x + 5, y + 14);
    if (array->shared && bad) {
        snprintf(text, sizeof(text), "%u-way conflict of %s", worst->degree,
                 vks_access_verb(panel->kind));
    } else if (array->shared) {
        snprintf(text, sizeof(text), "no bank conflict");
    } else if (worst->degree > 1) {
        snprintf(text, sizeof(text), "%u lanes update one word", worst->degree);
    } else {
        vks_access_mean(panel->total.cost, panel->total.requests, mean);
        vks_access_mean(panel->total.ideal, panel->total.requests, ideal);
        snprintf(text, sizeof(text), "%s sector%s per request%s%s", mean,
                 strcmp(mean, "1") == 0 ? "" : "s", bad ? ", not " : "", bad ? ideal : "");
    }
    vks_svg_label(view->out, view->x + 16, y + 19, "verdict", "start", "", text);
    const double used = 16 + vks_svg_width(text, 14);
    snprintf(text, sizeof(text), "each %.3g\u00d7", reuse.lanes * vks_access_transfers(&reuse));
    if (reuse.lanes * vks_access_transfers(&reuse) >= 1.5 &&
        used + vks_svg_width(text, 14) < 32 * view->cell) {
        vks_svg_label(view->out, view->x + 32 * view->cell, y + 19, "note", "end", "", text);
    }
}

/* Which part of the array is drawn. */
static void put_caption(const struct view *view, double y)
{
    const struct vks_access_array *array =
        &view->part.panel->trace->arrays[view->part.panel->array];
    const unsigned long long first = view->part.rows[0],
                             last = view->part.rows[view->part.row_count - 1];
    char text[160], more[64] = "";
    const bool gaps = last - first + 1 != view->part.row_count;
    if (view->part.all_rows > view->part.row_count) {
        snprintf(more, sizeof(more), ", %zu of %llu rows", view->part.row_count,
                 (unsigned long long)view->part.all_rows);
    }
    if (array->shared) {
        snprintf(text, sizeof(text), "a column is a bank%s", more);
    } else if (view->part.pitch == VKS_ACCESS_COLUMNS && array->buffer.rows > 1 &&
               first / view->part.row_pitch == last / view->part.row_pitch) {
        snprintf(text, sizeof(text), "row %llu, words %llu to %llu, 32 per line",
                 first / view->part.row_pitch, first % view->part.row_pitch * VKS_ACCESS_COLUMNS,
                 last % view->part.row_pitch * VKS_ACCESS_COLUMNS + VKS_ACCESS_COLUMNS - 1);
    } else if (view->part.pitch == VKS_ACCESS_COLUMNS) {
        snprintf(text, sizeof(text), "words %llu to %llu%s, 32 per row%s",
                 first * VKS_ACCESS_COLUMNS, last * VKS_ACCESS_COLUMNS + VKS_ACCESS_COLUMNS - 1,
                 gaps ? " with gaps" : "", more);
    } else {
        const unsigned long long end =
            view->part.first_column + VKS_ACCESS_COLUMNS < view->part.end_column
                ? view->part.first_column + VKS_ACCESS_COLUMNS
                : view->part.end_column;
        snprintf(text, sizeof(text), "rows %llu to %llu%s, words %llu to %llu of %llu", first, last,
                 gaps ? " with gaps" : "", (unsigned long long)view->part.first_column, end - 1,
                 (unsigned long long)view->part.end_column);
    }
    vks_svg_label(view->out, view->x, y, "small", "start", "", text);
}

double vks_access_put_panel(FILE *out, const struct vks_access_panel *panel, double x, double y,
                            double cell)
{
    struct view view = {.out = out, .part = {.panel = panel}, .x = x, .y = y + 38, .cell = cell};
    const bool shared = panel->trace->arrays[panel->array].shared;
    double bottom = (double)NAN;
    if (vks_access_collect(&view.part)) {
        const struct bank banks = shared ? count_banks(panel->total.worst) : (struct bank){{0}};
        vks_access_choose_part(&view.part);
        put_head(&view, y + 12);
        mark_cells(&view, shared ? &banks : NULL);
        for (enum paint paint = EMPTY; paint < CONFLICT; paint++) {
            put_cells_of(&view, paint);
        }
        put_gaps(&view);
        put_cells_of(&view, CONFLICT);
        bottom = row_y(&view, view.part.row_count - 1) + cell;
        if (shared) {
            bottom = put_banks(&view, &banks, bottom);
        } else {
            put_sectors(&view);
        }
        put_caption(&view, bottom + 17);
        bottom += 30;
    }
    free(view.part.cells);
    free(view.part.focus);
    return bottom;
}
