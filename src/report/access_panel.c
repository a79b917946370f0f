/* SPDX-License-Identifier: MIT */
/* The cells of an array, in words of 4 bytes: 32 in a row, which are part of a row of a matrix, a
 * piece of a vector, or the banks of shared memory. */
#include "report/access_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    COLUMNS = 32, /* words in a row of the panel */
    SECTOR_WORDS = VKS_ACCESS_SECTOR / 4,
    MAX_ROWS = 33,    /* a padded tile of 32 x 33 is seen as a whole */
    WRAPPED_ROWS = 3, /* a matrix of which fewer rows are accessed is drawn like a vector */
};

struct cell {
    uint64_t word, time;
    uint32_t lane;
};

/* What is drawn. */
struct view {
    FILE *out;
    const struct vks_access_panel *panel;
    struct cell *cells; /* that any lane accesses, in order of words, without duplicates */
    size_t cell_count;
    struct cell *focus; /* those of the request that is picked out */
    size_t focus_count;
    uint64_t pitch;        /* words from row to row */
    uint64_t row_pitch;    /* of a matrix that is drawn like a vector: in rows of the panel */
    uint64_t first_column; /* of the panel */
    uint64_t end_column;   /* of the rows: the pitch */
    uint64_t rows[MAX_ROWS];
    size_t row_count;
    uint64_t all_rows;                 /* that are accessed */
    uint32_t columns;                  /* of the panel */
    uint16_t marks[MAX_ROWS][COLUMNS]; /* an enum paint, and a lane */
    double x, y, cell;
};

/* --- cells ----------------------------------------------------------------------------------- */

static int compare_cells(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return x->word != y->word ? (x->word > y->word) - (x->word < y->word)
                              : (x->time > y->time) - (x->time < y->time);
}

static uint64_t words_of(const struct vks_access_request *request)
{
    return request->bytes > 4 ? request->bytes / 4 : 1;
}

/* Appends the words of a request. */
static size_t put_cells(struct cell *cells, const struct vks_access_request *request, uint64_t time)
{
    size_t count = 0;
    for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        for (uint64_t i = 0; i < words_of(request) && (request->lanes >> lane & 1); i++) {
            cells[count++] =
                (struct cell){(uint64_t)request->index[lane] * request->bytes / 4 + i, time, lane};
        }
    }
    return count;
}

/* Sorts by word; of several accesses to one the first stays. */
static size_t unite(struct cell *cells, size_t count)
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

static bool collect(struct view *view)
{
    const struct vks_access_trace *trace = view->panel->trace;
    size_t count = 0;
    for (size_t i = 0; i < trace->request_count; i++) {
        if (is_shown(view->panel, &trace->requests[i])) {
            count += VKS_ACCESS_LANES * words_of(&trace->requests[i]);
        }
    }
    view->cells = calloc(count + 1, sizeof(*view->cells));
    view->focus =
        calloc(VKS_ACCESS_LANES * words_of(view->panel->total.worst) + 1, sizeof(*view->focus));
    if (!view->cells || !view->focus) {
        return false;
    }
    count = 0;
    for (size_t i = 0; i < trace->request_count; i++) {
        if (is_shown(view->panel, &trace->requests[i])) {
            /* Subgroups are listed one after another, but meet at barriers. */
            const uint64_t time = (uint64_t)trace->requests[i].epoch << 32 | i;
            count += put_cells(view->cells + count, &trace->requests[i], time);
        }
    }
    view->cell_count = unite(view->cells, count);
    view->focus_count = unite(view->focus, put_cells(view->focus, view->panel->total.worst, 0));
    return true;
}

/* The cell of a word, or NULL. */
static const struct cell *find(const struct cell *cells, size_t count, uint64_t word)
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
 * returned, of which at most MAX_ROWS are stored. */
static uint64_t list_rows(const struct view *view, const struct cell *cells, size_t count,
                          uint64_t from, uint64_t *rows)
{
    uint64_t listed = 0, last = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = cells[i].word / view->pitch;
        if (row != last && row >= from) {
            if (rows && listed < MAX_ROWS) {
                rows[listed] = row;
            }
            listed++;
        }
        last = row;
    }
    return listed;
}

static void choose_columns(struct view *view)
{
    uint64_t low = UINT64_MAX, high = 0, focus_low = UINT64_MAX;
    for (size_t i = 0; i < view->cell_count; i++) {
        const uint64_t column = view->cells[i].word % view->pitch;
        low = column < low ? column : low;
        high = column > high ? column : high;
    }
    for (size_t i = 0; i < view->focus_count; i++) {
        const uint64_t column = view->focus[i].word % view->pitch;
        focus_low = column < focus_low ? column : focus_low;
    }
    low -= low % SECTOR_WORDS;
    view->first_column = high - low < COLUMNS ? low : focus_low - focus_low % SECTOR_WORDS;
}

/* Rows from the first that the picked request accesses on; or only its own, if these are far apart.
 */
static void choose_rows(struct view *view)
{
    const uint64_t first = view->focus[0].word / view->pitch;
    const uint64_t last = view->focus[view->focus_count - 1].word / view->pitch;
    uint64_t count = list_rows(view, view->cells, view->cell_count, first, view->rows);
    const bool shared = view->panel->trace->arrays[view->panel->array].shared;
    const size_t limit = shared ? MAX_ROWS : MAX_ROWS - 1;
    const size_t kept = count < limit ? (size_t)count : limit;
    view->all_rows = list_rows(view, view->cells, view->cell_count, 0, NULL);
    if (kept > 0 && view->rows[kept - 1] < last) {
        count = list_rows(view, view->focus, view->focus_count, 0, view->rows);
    } else if (view->all_rows <= limit) {
        count = list_rows(view, view->cells, view->cell_count, 0, view->rows);
    }
    view->row_count = count < limit ? (size_t)count : limit;
}

static void choose_part(struct view *view)
{
    const struct vks_access_array *array = &view->panel->trace->arrays[view->panel->array];
    const uint64_t pitch = array->buffer.columns > 0
                               ? (uint64_t)vks_ladder_pitch(&array->buffer) *
                                     vks_element_bytes(array->buffer.element) / 4
                               : 0;
    view->pitch = pitch;
    if (array->shared || array->buffer.rows <= 1 || pitch <= COLUMNS ||
        list_rows(view, view->cells, view->cell_count, 0, NULL) < WRAPPED_ROWS) {
        view->pitch = COLUMNS;
    }
    view->end_column = view->pitch;
    view->row_pitch = pitch > COLUMNS ? pitch / COLUMNS : 1;
    if (view->pitch == COLUMNS && !array->shared && array->buffer.rows > 1 && pitch <= COLUMNS) {
        view->pitch = view->end_column = pitch;
    }
    choose_columns(view);
    choose_rows(view);
    view->columns = view->end_column - view->first_column < COLUMNS
                        ? (uint32_t)(view->end_column - view->first_column)
                        : COLUMNS;
}

/* --- drawing --------------------------------------------------------------------------------- */

/* The y of a row of the panel: rows that do not follow each other have a gap. */
static double row_y(const struct view *view, size_t row)
{
    double y = view->y;
    for (size_t i = 1; i <= row; i++) {
        y += view->cell + (i < view->row_count && view->rows[i] != view->rows[i - 1] + 1 ? 3 : 0);
    }
    return y;
}

static double column_x(const struct view *view, uint64_t column)
{
    return view->x + (double)(column - view->first_column) * view->cell;
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
    uint32_t most = 0;
    for (uint32_t first = 0; first < VKS_ACCESS_LANES; first += together) {
        struct vks_access_request phase = *request;
        struct cell cells[VKS_ACCESS_LANES * 4];
        const uint32_t mask =
            together == 32 ? UINT32_MAX : ((UINT32_C(1) << together) - 1) << first;
        struct bank banks = {{0}};
        uint32_t highest = 0;
        phase.lanes &= mask;
        size_t count = put_cells(cells, &phase, 0);
        count = request->kind == TRACE_SHARED_ATOMIC ? count : unite(cells, count);
        for (size_t i = 0; i < count; i++) {
            uint32_t *words = &banks.words[cells[i].word % VKS_ACCESS_BANKS];
            highest = ++*words > highest ? *words : highest;
        }
        if (highest > most) {
            most = highest;
            worst = banks;
        }
    }
    return worst;
}

static enum paint paint_of(const struct view *view, const struct bank *banks, uint64_t word,
                           const struct cell **cell)
{
    const struct vks_access_request *worst = view->panel->total.worst;
    *cell = find(view->focus, view->focus_count, word);
    if (*cell) {
        const bool shares = worst->kind == TRACE_ATOMIC &&
                            vks_access_lanes_on(worst, (uint32_t)(word * 4 / worst->bytes)) > 1;
        return shares || (banks && banks->words[word % VKS_ACCESS_BANKS] > 1) ? CONFLICT : NEAR;
    }
    *cell = find(view->cells, view->cell_count, word);
    if (*cell) {
        return FAR;
    }
    const uint64_t sector = word - word % SECTOR_WORDS;
    const bool wasteful = worst->cost > worst->ideal && worst->degree == 1;
    for (uint64_t i = 0; i < SECTOR_WORDS && !banks && wasteful; i++) {
        if (find(view->focus, view->focus_count, sector + i)) {
            return WASTE;
        }
    }
    return EMPTY;
}

/* What is in each cell; the same looks the same. */
static void mark_cells(struct view *view, const struct bank *banks)
{
    for (size_t row = 0; row < view->row_count; row++) {
        for (uint32_t c = 0; c < view->columns; c++) {
            const struct cell *cell;
            const enum paint paint = paint_of(
                view, banks, view->rows[row] * view->pitch + view->first_column + c, &cell);
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
        if (c >= view->columns || view->marks[row][c] != mark) {
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
    const uint32_t widest = paint == CONFLICT ? 1 : COLUMNS;
    bool open = false;
    for (size_t row = 0; row < view->row_count; row++) {
        for (uint32_t c = 0; c < view->columns; c++) {
            uint32_t wide = 0;
            size_t high = 1;
            while (wide < widest && is_run(view, row, c, wide + 1, mark)) {
                wide++;
            }
            if (wide == 0) {
                continue;
            }
            while (paint != CONFLICT && row + high < view->row_count &&
                   view->rows[row + high] == view->rows[row] + high &&
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
    const double bottom = row_y(view, view->row_count - 1) + view->cell;
    fputs("<path class=\"gaps\" d=\"", view->out);
    for (uint32_t c = 0; c <= view->columns; c++) {
        fprintf(view->out, "M%g %gV%g", view->x + c * view->cell, view->y, bottom);
    }
    for (size_t row = 0; row < view->row_count; row++) {
        fprintf(view->out, "M%g %gh%g", view->x, row_y(view, row), view->columns * view->cell);
    }
    fprintf(view->out, "M%g %gh%g\"/>\n", view->x, bottom, view->columns * view->cell);
}

/* Outlines of the sectors that the picked request moves. */
static void put_sectors(const struct view *view)
{
    const struct vks_access_request *request = view->panel->total.worst;
    fprintf(view->out, "<path class=\"outline %s\" d=\"",
            request->degree > 1              ? "clash"
            : request->cost > request->ideal ? "bad"
                                             : "good");
    for (size_t row = 0; row < view->row_count; row++) {
        for (uint64_t c = view->first_column;
             c < view->first_column + COLUMNS && c < view->end_column; c += SECTOR_WORDS) {
            const uint64_t word = view->rows[row] * view->pitch + c;
            bool moved = false;
            for (uint64_t i = 0; i < SECTOR_WORDS && c + i < view->end_column; i++) {
                moved = moved || find(view->focus, view->focus_count, word + i);
            }
            if (moved) {
                fprintf(view->out, "M%g %gh%gv%gh-%gz", column_x(view, c), row_y(view, row),
                        SECTOR_WORDS * view->cell, view->cell, SECTOR_WORDS * view->cell);
            }
        }
    }
    fputs("\"/>\n", view->out);
}

/* Bars below the tile: words of the picked request in each bank. */
static double put_banks(const struct view *view, const struct bank *banks, double y)
{
    const uint32_t degree = view->panel->total.worst->degree;
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
    const struct vks_access_panel *panel = view->panel;
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
    fprintf(view->out, "<circle class=\"dot %s\" cx=\"%g\" cy=\"%g\" r=\"5\"/>\n",
            !bad                                 ? "good"
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
}

/* Which part of the array is drawn. */
static void put_caption(const struct view *view, double y)
{
    const struct vks_access_array *array = &view->panel->trace->arrays[view->panel->array];
    const unsigned long long first = view->rows[0], last = view->rows[view->row_count - 1];
    char text[160], more[64] = "";
    const bool gaps = last - first + 1 != view->row_count;
    if (view->all_rows > view->row_count) {
        snprintf(more, sizeof(more), ", %zu of %llu rows", view->row_count,
                 (unsigned long long)view->all_rows);
    }
    if (array->shared) {
        snprintf(text, sizeof(text), "a column is a bank%s", more);
    } else if (view->pitch == COLUMNS && array->buffer.rows > 1 &&
               first / view->row_pitch == last / view->row_pitch) {
        snprintf(text, sizeof(text), "row %llu, words %llu to %llu, 32 per line",
                 first / view->row_pitch, first % view->row_pitch * COLUMNS,
                 last % view->row_pitch * COLUMNS + COLUMNS - 1);
    } else if (view->pitch == COLUMNS) {
        snprintf(text, sizeof(text), "words %llu to %llu%s, 32 per row%s", first * COLUMNS,
                 last * COLUMNS + COLUMNS - 1, gaps ? " with gaps" : "", more);
    } else {
        const unsigned long long end = view->first_column + COLUMNS < view->end_column
                                           ? view->first_column + COLUMNS
                                           : view->end_column;
        snprintf(text, sizeof(text), "rows %llu to %llu%s, words %llu to %llu of %llu", first, last,
                 gaps ? " with gaps" : "", (unsigned long long)view->first_column, end - 1,
                 (unsigned long long)view->end_column);
    }
    vks_svg_label(view->out, view->x, y, "small", "start", "", text);
}

double vks_access_put_panel(FILE *out, const struct vks_access_panel *panel, double x, double y,
                            double cell)
{
    struct view view = {.out = out, .panel = panel, .x = x, .y = y + 38, .cell = cell};
    const bool shared = panel->trace->arrays[panel->array].shared;
    double bottom = (double)NAN;
    if (collect(&view)) {
        const struct bank banks = shared ? count_banks(panel->total.worst) : (struct bank){{0}};
        choose_part(&view);
        put_head(&view, y + 12);
        mark_cells(&view, shared ? &banks : NULL);
        for (enum paint paint = EMPTY; paint < CONFLICT; paint++) {
            put_cells_of(&view, paint);
        }
        put_gaps(&view);
        put_cells_of(&view, CONFLICT);
        bottom = row_y(&view, view.row_count - 1) + cell;
        if (shared) {
            bottom = put_banks(&view, &banks, bottom);
        } else {
            put_sectors(&view);
        }
        put_caption(&view, bottom + 17);
        bottom += 30;
    }
    free(view.cells);
    free(view.focus);
    return bottom;
}
