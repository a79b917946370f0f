/* SPDX-License-Identifier: MIT */
/* Walls that are a maze: docs/sims/physarum.md, "Walls". */
#include <stdlib.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "sim/physarum/physarum.h"

enum { RANDOM_MAZE = 80 }; /* stream of random numbers */

/* Rooms in rows; from each one may go to the right or down, if that side is open. */
struct maze {
    uint32_t columns, rows;
    uint8_t *rooms;  /* RIGHT and so on */
    uint32_t *trace; /* the rooms from the first to the current one */
};

enum { VISITED = 1, RIGHT = 2, DOWN = 4 };

/* The place of a cell along an axis: the room, or with `line` the line before it. */
struct place {
    uint32_t room;
    bool line;
};

/* Opens the side between two rooms that are neighbours. */
static void open_side(struct maze *maze, uint32_t from, uint32_t to)
{
    const uint32_t first = from < to ? from : to, step = from < to ? to - from : from - to;
    maze->rooms[first] |= step == maze->columns ? DOWN : RIGHT;
}

/* The neighbours that have not been visited, in the order up, left, right, down. */
static uint32_t find_new(const struct maze *maze, uint32_t room, uint32_t list[4])
{
    const uint32_t column = room % maze->columns, row = room / maze->columns;
    const struct {
        bool exists;
        uint32_t room;
    } all[] = {{row > 0, room - maze->columns},
               {column > 0, room - 1},
               {column + 1 < maze->columns, room + 1},
               {row + 1 < maze->rows, room + maze->columns}};
    uint32_t count = 0;
    for (size_t i = 0; i < VKS_COUNT(all); i++) {
        if (all[i].exists && !(maze->rooms[all[i].room] & VISITED)) {
            list[count++] = all[i].room;
        }
    }
    return count;
}

/* Walks from the first room to random new ones, and back where there are none: one way leads from
 * each room to each other. A maze of one column has RIGHT and DOWN alike, and only DOWN counts. */
static void carve(struct maze *maze, uint32_t seed)
{
    uint32_t depth = 0, opened = 0, list[4];
    maze->trace[0] = 0;
    maze->rooms[0] = VISITED;
    for (;;) {
        const uint32_t room = maze->trace[depth], count = find_new(maze, room, list);
        if (count == 0 && depth == 0) {
            return;
        }
        if (count == 0) {
            depth--;
            continue;
        }
        const uint32_t next = list[vks_high(vks_random(seed, opened++, 0, RANDOM_MAZE).x, count)];
        open_side(maze, room, next);
        maze->rooms[next] |= VISITED;
        maze->trace[++depth] = next;
    }
}

/* Lines of `thick` cells, the first and the last at the edges, and the rooms between them. */
static void place_cells(struct place *places, uint32_t side, uint32_t rooms, uint32_t thick)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < side; i++) {
        while (line < rooms && i >= (uint64_t)(line + 1) * (side - thick) / rooms) {
            line++;
        }
        const uint32_t begin = (uint32_t)((uint64_t)line * (side - thick) / rooms);
        places[i] = (struct place){line, i - begin < thick};
    }
}

static bool is_wall(const struct maze *maze, struct place y, struct place x)
{
    if (y.line && x.line) {
        return true;
    }
    if (x.line) {
        return x.room == 0 || x.room == maze->columns ||
               !(maze->rooms[y.room * maze->columns + x.room - 1] & RIGHT);
    }
    if (y.line) {
        return y.room == 0 || y.room == maze->rows ||
               !(maze->rooms[(y.room - 1) * maze->columns + x.room] & DOWN);
    }
    return false;
}

enum vks_result vks_physarum_fill_maze(uint32_t width, uint32_t height, uint32_t passages,
                                       uint32_t seed, uint32_t *words)
{
    const uint32_t shorter = width < height ? width : height, row_words = (width + 31) / 32;
    const uint32_t fifth = shorter / passages / 5, thick = fifth > 0 ? fifth : 1;
    struct maze maze = {
        .columns = (uint32_t)(((uint64_t)width * passages + shorter / 2) / shorter),
        .rows = (uint32_t)(((uint64_t)height * passages + shorter / 2) / shorter),
    };
    const size_t rooms = (size_t)maze.columns * maze.rows;
    struct place *across = calloc(width, sizeof(*across)), *down = calloc(height, sizeof(*down));
    maze.rooms = calloc(rooms, sizeof(*maze.rooms));
    maze.trace = calloc(rooms, sizeof(*maze.trace));
    const bool ready = across && down && maze.rooms && maze.trace;
    if (ready) {
        carve(&maze, seed);
        place_cells(across, width, maze.columns, thick);
        place_cells(down, height, maze.rows, thick);
        for (uint32_t i = 0; i < height; i++) {
            for (uint32_t j = 0; j < width; j++) {
                words[(size_t)i * row_words + j / 32] |=
                    (uint32_t)is_wall(&maze, down[i], across[j]) << j % 32;
            }
        }
    }
    free(maze.trace);
    free(maze.rooms);
    free(down);
    free(across);
    return ready ? VKS_OK : vks_fail_memory();
}
