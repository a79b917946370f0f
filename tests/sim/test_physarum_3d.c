/* SPDX-License-Identifier: MIT */
/* Physarum in a volume on a device: the digests of physarum_3d_cases.def; the laws of runs: pieces,
 * saving and loading, restarts; states from NumPy; tables of points; and a planted web, which the
 * trace recovers. TAP on standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "io/npz.h"
#include "physarum_3d_cases.h"
#include "sim_test.h"

#define POINTS "tests/sim/physarum_3d_points.csv"

/* --- recorded runs ---------------------------------------------------------------------------- */

/* With another option; valid until the next call. */
static struct sim_run run_with(const struct physarum_3d_case *row, const char *option)
{
    static char name[800], options[1280];
    snprintf(name, sizeof(name), "%s%s%s", row->name, option[0] ? ", " : "", option);
    snprintf(options, sizeof(options), "%s %s", row->options, option);
    return (struct sim_run){.name = name,
                            .model = "physarum-3d",
                            .preset = "plain",
                            .basis = "",
                            .width = row->width,
                            .height = row->height,
                            .depth = row->depth,
                            .seed = PHYSARUM_3D_SEED,
                            .start = "default",
                            .options = options};
}

static void test_case(vks_context *context, const struct physarum_3d_case *row, const char *option)
{
    const struct sim_run run = run_with(row, option);
    sim_test_moments(context, &run, physarum_3d_moments, row->digests, PHYSARUM_3D_MOMENTS);
}

static void test_laws(vks_context *context)
{
    static const uint32_t splits[][8] = {{7, 1, 52}, {1, 1, 58}, {60}};
    const char *const variants[] = {"variant=unsorted", "variant=sorted-1", "variant=sorted-7"};
    for (size_t i = 0; i < 3; i++) {
        const struct physarum_3d_case *row = &physarum_3d_cases[i];
        struct sim_run run = run_with(row, variants[i]);
        sim_test_pieces(context, &run, splits[i], i % 2 == 0, row->digests[2]);
        run = run_with(row, variants[(i + 1) % 3]);
        sim_test_save_and_load(context, &run, 8, row->digests[1], 52, row->digests[2]);
        run = run_with(row, variants[(i + 2) % 3]);
        sim_test_restart(context, &run, 8, row->digests[1]);
    }
}

/* --- tables of points ------------------------------------------------------------------------- */

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    const bool good = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && good;
}

/* A .npy file of these numbers, in C or Fortran order. */
static bool write_npy(const char *path, const char *type, bool fortran, const void *data,
                      size_t bytes, unsigned rows, unsigned columns)
{
    char header[128];
    const int length = snprintf(header + 10, sizeof(header) - 10,
                                "{'descr': '%s', 'fortran_order': %s, 'shape': (%u, %u), }", type,
                                fortran ? "True" : "False", rows, columns);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(header + 10 + length, ' ', sizeof(header) - 10 - (size_t)length);
    header[sizeof(header) - 1] = '\n';
    FILE *file = fopen(path, "wb");
    const bool good = file && fwrite(header, 1, sizeof(header), file) == sizeof(header) &&
                      fwrite(data, 1, bytes, file) == bytes;
    return file && fclose(file) == 0 && good;
}

/* The food of the case "food" from another file gives its digest. */
static void test_table(vks_context *context, const char *name, const char *what)
{
    if (!sim_due()) {
        return;
    }
    const struct physarum_3d_case *row = &physarum_3d_cases[0];
    char option[512];
    snprintf(option, sizeof(option), "food=points:%s", in_folder(name));
    const struct sim_run run = run_with(row, option);
    vks_simulation *simulation = sim_open(context, &run);
    report(simulation && fine(vks_simulation_run(simulation, 8)) &&
               sim_has_digest(simulation, row->digests[1]),
           "points: %s", what);
    vks_simulation_destroy(simulation);
}

static void test_tables(vks_context *context)
{
    static const double rows[] = {5.1, 4.7, 3.2,  1,   12.8, 7.2, 8.9, 2,
                                  9,   3.3, 10.4, 0.5, 5.9,  4.9, 3.2, 0.3};
    double columns[16];
    for (size_t i = 0; i < 16; i++) {
        columns[i % 4 * 4 + i / 4] = rows[i];
    }
    static const char *const names[] = {"permuted.csv", "c.npy", "fortran.npy", "split.csv"};
    bool good = write_text(in_folder(names[0]),
                           "\xef\xbb\xbf# galaxies\r\n\r\n5.9 4.9\t3.2 .3\r\n"
                           "9.0, 3.3, 10.4, 5e-1\r\n  5.1,4.7,3.2,1\r\n12.8,7.2,8.9,2.0") &&
                write_npy(in_folder(names[1]), "<f8", false, rows, sizeof(rows), 4, 4) &&
                write_npy(in_folder(names[2]), "<f8", true, columns, sizeof(columns), 4, 4) &&
                /* Halves of a weight: sums are of integers. */
                write_text(in_folder(names[3]), "x y z w\n5.1 4.7 3.2 0.5\n9 3.3 10.4 0.5\n"
                                                "12.8 7.2 8.9 2\n5.9 4.9 3.2 0.3\n5.2 4.8 3.1 "
                                                "0.5\n-4 1 1 7\n");
    if (!good) {
        report(false, "files of points are written");
    }
    test_table(context, names[0], "rows in another order, other separators");
    test_table(context, names[1], "a .npy file");
    test_table(context, names[2], "a .npy file in Fortran order");
    test_table(context, names[3], "a point in two parts, and one outside the volume");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        remove(in_folder(names[i]));
    }
}

/* --- states from NumPy ------------------------------------------------------------------------ */

enum { ROWS = 3, CELLS = 4 * 4 * 4 };

struct array {
    const char *name;
    char kind;
    uint32_t item_bytes, rank;
    uint64_t shape[3];
    const void *data;
};

static bool write_state(const char *path, const struct array *arrays, size_t count)
{
    struct vks_npz_writer *writer = NULL;
    bool good = fine(vks_npz_create(path, true, &writer));
    for (size_t i = 0; good && i < count; i++) {
        const struct array *array = &arrays[i];
        size_t bytes = array->item_bytes;
        for (uint32_t axis = 0; axis < array->rank; axis++) {
            bytes *= array->shape[axis];
        }
        good = fine(vks_npz_begin_array(writer, array->name, array->kind, array->item_bytes,
                                        array->rank, array->shape)) &&
               fine(vks_npz_write(writer, array->data, bytes));
    }
    return good && fine(vks_npz_finish(writer));
}

/* Places in cells, directions of any length, and food. */
static void test_numpy(vks_context *context)
{
    static const double places[] = {0.5, 1.25, 3.75};
    static double dz[] = {3, 0, -1e-8}, dy[] = {4, 0, 1e-8};
    static float dx[] = {0, -1e9f / 4, 0};
    static float food[CELLS], trail[CELLS];
    food[5] = 2.5f;
    struct array arrays[] = {
        {"z", 'f', 8, 1, {ROWS}, places},     {"y", 'f', 8, 1, {ROWS}, places},
        {"x", 'f', 8, 1, {ROWS}, places},     {"dz", 'f', 8, 1, {ROWS}, dz},
        {"dy", 'f', 8, 1, {ROWS}, dy},        {"dx", 'f', 4, 1, {ROWS}, dx},
        {"food", 'f', 4, 3, {4, 4, 4}, food}, {"trail", 'f', 4, 3, {4, 4, 4}, trail},
    };
    if (!sim_due()) {
        return;
    }
    const struct sim_run run = {.model = "physarum-3d"};
    char path[512];
    float got[3][ROWS], eaten[CELLS];
    snprintf(path, sizeof(path), "%s", in_folder("numpy.npz"));
    bool good = write_state(path, arrays, sizeof(arrays) / sizeof(arrays[0]));
    vks_simulation *simulation = good ? sim_load(context, &run, path) : NULL;
    good = simulation && fine(vks_simulation_read(simulation, "dz", got[0], sizeof(got[0]))) &&
           fine(vks_simulation_read(simulation, "dy", got[1], sizeof(got[1]))) &&
           fine(vks_simulation_read(simulation, "dx", got[2], sizeof(got[2]))) &&
           fine(vks_simulation_read(simulation, "food", eaten, sizeof(eaten))) &&
           memcmp(eaten, food, sizeof(food)) == 0;
    const double expected[3][ROWS] = {{0.6, 0, -sqrt(0.5)}, {0.8, 0, sqrt(0.5)}, {0, -1, 0}};
    for (size_t i = 0; good && i < ROWS; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            good = good && fabs((double)got[axis][i] - expected[axis][i]) < 2e-7;
        }
    }
    report(good, "a state of NumPy: directions become unit vectors, food is an array");
    vks_simulation_destroy(simulation);

    dz[2] = dy[2] = 1e-11; /* too short */
    good = write_state(path, arrays, sizeof(arrays) / sizeof(arrays[0]));
    simulation = good ? sim_load(context, &run, path) : NULL;
    enum vks_result result = simulation ? vks_simulation_run(simulation, 1) : VKS_OK;
    result = simulation && result == VKS_OK ? vks_simulation_wait(simulation) : result;
    report(result == VKS_ERROR_STOPPED && strstr(vks_error_text(), "has no direction"),
           "a direction that is too short is refused");
    vks_simulation_destroy(simulation);

    dz[2] = NAN;
    good = write_state(path, arrays, sizeof(arrays) / sizeof(arrays[0]));
    simulation = NULL;
    result = good ? vks_simulation_create(
                        context, &VKS_SIMULATION_PARAMS(.model = "physarum-3d", .load_state = path),
                        &simulation)
                  : VKS_OK;
    report(result == VKS_ERROR_FILE && strstr(vks_error_text(), "'dz': element 2 is nan"),
           "a direction that is not finite is refused with its index");
    vks_simulation_destroy(simulation);
    remove(path);
}

/* --- a planted web ---------------------------------------------------------------------------- */

/* Points with gaps along the edges of a random graph of nodes, as galaxies along filaments. Among
 * cells 3 to 6 cells away from every point, those on an edge must have more trace than those off
 * the edges: the area under the ROC curve is the probability that one of the first has more than
 * one of the second. */
enum { SIDE = 48, NODES = 10, MAX_EDGES = 40, MAX_POINTS = 400 };

struct web {
    double nodes[NODES][3]; /* in cells */
    unsigned edges[MAX_EDGES][2];
    size_t edge_count;
    double points[MAX_POINTS][3];
    size_t point_count;
};

static double share_of(uint32_t word)
{
    return word / 4294967296.0;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* From a point to a segment. */
static double distance_to(const double p[3], const double a[3], const double b[3])
{
    double along = 0, square = 0, nearest[3];
    for (int axis = 0; axis < 3; axis++) {
        along += (p[axis] - a[axis]) * (b[axis] - a[axis]);
        square += (b[axis] - a[axis]) * (b[axis] - a[axis]);
    }
    const double t = fmin(fmax(along / square, 0), 1);
    for (int axis = 0; axis < 3; axis++) {
        nearest[axis] = a[axis] + t * (b[axis] - a[axis]);
    }
    return distance(p, nearest);
}

static void add_edge(struct web *web, unsigned a, unsigned b)
{
    for (size_t i = 0; i < web->edge_count; i++) {
        if (web->edges[i][0] == a && web->edges[i][1] == b) {
            return;
        }
    }
    web->edges[web->edge_count][0] = a;
    web->edges[web->edge_count++][1] = b;
}

/* Nodes 8 cells or more from each other, edges to the two nearest, points every 9 cells or so. */
static void plant(struct web *web, uint32_t seed)
{
    const double gap = 9;
    size_t placed = 0;
    for (uint32_t i = 0; placed < NODES; i++) {
        const vks_uvec4 r = vks_random(seed, i, 0, 50);
        const double node[3] = {5 + 38 * share_of(r.x), 5 + 38 * share_of(r.y),
                                5 + 38 * share_of(r.z)};
        bool far = true;
        for (size_t j = 0; j < placed; j++) {
            far = far && distance(node, web->nodes[j]) >= 12;
        }
        if (far) {
            memcpy(web->nodes[placed++], node, sizeof(node));
        }
    }
    for (unsigned a = 0; a < NODES; a++) {
        unsigned nearest[2] = {a, a};
        for (unsigned b = 0; b < NODES; b++) {
            const double d = distance(web->nodes[a], web->nodes[b]);
            if (b != a &&
                (nearest[0] == a || d < distance(web->nodes[a], web->nodes[nearest[0]]))) {
                nearest[1] = nearest[0];
                nearest[0] = b;
            } else if (b != a &&
                       (nearest[1] == a || d < distance(web->nodes[a], web->nodes[nearest[1]]))) {
                nearest[1] = b;
            }
        }
        for (int k = 0; k < 2; k++) {
            add_edge(web, a < nearest[k] ? a : nearest[k], a < nearest[k] ? nearest[k] : a);
        }
        memcpy(web->points[web->point_count++], web->nodes[a], sizeof(web->nodes[a]));
    }
    for (size_t i = 0; i < web->edge_count; i++) {
        const double *a = web->nodes[web->edges[i][0]], *b = web->nodes[web->edges[i][1]];
        const unsigned parts = (unsigned)(distance(a, b) / gap + 0.5);
        for (unsigned k = 1; k < parts; k++) {
            for (int axis = 0; axis < 3; axis++) {
                web->points[web->point_count][axis] = a[axis] + (b[axis] - a[axis]) * k / parts;
            }
            web->point_count++;
        }
    }
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The probability that a random one of `on` is larger than a random one of `off`. */
static double area_of(float *on, size_t on_count, float *off, size_t off_count)
{
    size_t below = 0, equal = 0;
    double wins = 0;
    qsort(on, on_count, sizeof(*on), compare_floats);
    qsort(off, off_count, sizeof(*off), compare_floats);
    for (size_t i = 0; i < on_count; i++) {
        while (below < off_count && off[below] < on[i]) {
            below++;
        }
        equal = equal > below ? equal : below;
        while (equal < off_count && off[equal] == on[i]) {
            equal++;
        }
        wins += (double)below + 0.5 * (double)(equal - below);
    }
    return wins / ((double)on_count * (double)off_count);
}

static double recovered(const struct web *web, const float *trace)
{
    const size_t cells = (size_t)SIDE * SIDE * SIDE;
    float *on = malloc(cells * sizeof(*on)), *off = malloc(cells * sizeof(*off));
    size_t on_count = 0, off_count = 0;
    for (size_t cell = 0; on && off && cell < cells; cell++) {
        const double at[3] = {(double)(cell % SIDE) + 0.5, (double)(cell / SIDE % SIDE) + 0.5,
                              (double)(cell / SIDE / SIDE) + 0.5};
        double to_point = INFINITY, to_edge = INFINITY;
        for (size_t i = 0; i < web->point_count; i++) {
            to_point = fmin(to_point, distance(at, web->points[i]));
        }
        if (to_point < 3 || to_point > 6) {
            continue;
        }
        for (size_t i = 0; i < web->edge_count; i++) {
            to_edge = fmin(to_edge, distance_to(at, web->nodes[web->edges[i][0]],
                                                web->nodes[web->edges[i][1]]));
        }
        if (to_edge < 1) {
            on[on_count++] = trace[cell];
        } else if (to_edge > 3) {
            off[off_count++] = trace[cell];
        }
    }
    const double area = on_count && off_count ? area_of(on, on_count, off, off_count) : 0;
    printf("# %zu cells on %zu edges, %zu cells off them, %zu points\n", on_count, web->edge_count,
           off_count, web->point_count);
    free(on);
    free(off);
    return area;
}

static void test_web(vks_context *context, uint32_t seed)
{
    if (!sim_due()) {
        return;
    }
    struct web web = {0};
    char option[640], path[512];
    float *trace = malloc(sizeof(float) * SIDE * SIDE * SIDE);
    snprintf(path, sizeof(path), "%s", in_folder("web.csv"));
    FILE *file = fopen(path, "w");
    plant(&web, seed);
    for (size_t i = 0; file && i < web.point_count; i++) {
        fprintf(file, "%.17g,%.17g,%.17g\n", web.points[i][0], web.points[i][1], web.points[i][2]);
    }
    bool good = file && fclose(file) == 0;
    snprintf(option, sizeof(option), "food=points:%s points-box=0,0,0,48,48,48", path);
    const struct physarum_3d_case row = {"web", SIDE, SIDE, SIDE, "agents=16000", {0}};
    const struct sim_run run = run_with(&row, option);
    vks_simulation *simulation = good ? sim_open(context, &run) : NULL;
    good =
        simulation && trace && fine(vks_simulation_run(simulation, 200)) &&
        fine(vks_simulation_read(simulation, "trace", trace, sizeof(float) * SIDE * SIDE * SIDE));
    const double area = good ? recovered(&web, trace) : 0;
    report(area >= 0.95, "a planted web is recovered: area under the ROC curve %.3f", area);
    vks_simulation_destroy(simulation);
    free(trace);
    remove(path);
}

/* --- wrong use -------------------------------------------------------------------------------- */

static void test_changes(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    const struct physarum_3d_case *row = &physarum_3d_cases[0];
    const struct sim_run run = run_with(row, "");
    vks_simulation *simulation = sim_open(context, &run);
    bool good = simulation && fine(vks_simulation_run(simulation, 1)) &&
                sim_refuses(simulation, "food=none", false, "food") &&
                sim_refuses(simulation, "food=picture.png", false, "food") &&
                sim_refuses(simulation, "points-box=0,0,0,1,1,0", false, "points-box") &&
                sim_refuses(simulation, "agents=401", false, "agents") &&
                sim_set(simulation, "sharpness=2 deposit=3 decay=0.5") &&
                fine(vks_simulation_run(simulation, 1));
    report(good, "changes that need a new simulation are refused");
    vks_simulation_destroy(simulation);
}

static void run_all(vks_context *context)
{
    static const char *const variants[] = {"variant=unsorted", "variant=sorted-1",
                                           "variant=sorted-3"};
    for (size_t i = 0; i < physarum_3d_case_count; i++) {
        for (size_t j = 0; j < sizeof(variants) / sizeof(variants[0]); j++) {
            test_case(context, &physarum_3d_cases[i], variants[j]);
        }
    }
    test_laws(context);
    test_tables(context);
    test_numpy(context);
    test_changes(context);
    test_web(context, 1);
}

static void run_few(vks_context *context)
{
    for (size_t i = 0; i < 3; i++) {
        test_case(context, &physarum_3d_cases[i], i == 0 ? "variant=sorted-3" : "");
    }
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "physarum-3d", run_all, run_few);
}
