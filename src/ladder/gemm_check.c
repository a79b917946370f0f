/* SPDX-License-Identifier: MIT */
#include "ladder/gemm_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Multiply-adds of a product that is computed in full. */
enum { FULL_CHECK = 1 << 22 };

struct check {
    const struct vks_ladder_task *task;
    uint32_t columns, depth, pitch; /* of the result; of the products */
    struct vks_ladder_reader left, right;
    double *row, *magnitudes; /* of the result's current row */
    uint64_t *products;       /* right x vector */
    float *found;             /* the downloaded part of a row, with its padding */
    uint32_t column;
    uint64_t at; /* row */
};

static struct check begin(const struct vks_ladder_task *task)
{
    const struct vks_ladder_buffer result = vks_ladder_buffer(task, "result");
    struct check check = {
        .task = task,
        .columns = task->size.axis[1],
        .depth = task->size.axis[2],
        .pitch = vks_ladder_pitch(&result),
        .left = vks_ladder_read(task, "left"),
        .right = vks_ladder_read(task, "right"),
    };
    check.row = calloc(check.columns, sizeof(*check.row));
    check.magnitudes = calloc(check.columns, sizeof(*check.magnitudes));
    check.products = calloc(check.depth, sizeof(*check.products));
    check.found = calloc(check.pitch, sizeof(*check.found));
    return check;
}

static void end(struct check *check)
{
    free(check->row);
    free(check->magnitudes);
    free(check->products);
    free(check->found);
}

/* --- in full --------------------------------------------------------------------------------- */

/* Integers: exact. Others have 20 bits, so products are exact and sums of less than 2^13 as well;
 * the rounding of longer ones is far below the bound. */
static void compute_row(struct check *check, uint64_t row)
{
    memset(check->row, 0, check->columns * sizeof(*check->row));
    memset(check->magnitudes, 0, check->columns * sizeof(*check->magnitudes));
    for (uint32_t k = 0; k < check->depth; k++) {
        const double a = vks_ladder_at(&check->left, row, k);
        for (uint32_t column = 0; column < check->columns; column++) {
            const double product = a * vks_ladder_at(&check->right, k, column);
            check->row[column] += product;
            check->magnitudes[column] += fabs(product);
        }
    }
}

/* Each of `depth` products and additions is rounded by at most 2^-23 of its size, which holds for
 * rounding to nearest and for the truncation of matrix units; 2^-22 leaves room for the products
 * of these. */
static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    struct check *check = user;
    if (column == 0) {
        compute_row(check, row);
    }
    return (struct vks_expected){
        .value = check->row[column],
        .bound =
            check->task->fractions ? 0x1p-22 * (check->depth + 1.0) * check->magnitudes[column] : 0,
    };
}

/* --- by Freivalds ---------------------------------------------------------------------------- */

/* Element `column` of the vector: splitmix64. */
static uint64_t random_at(uint32_t column)
{
    uint64_t x = (column + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t integer(double value)
{
    return (uint64_t)(int64_t)value;
}

static void multiply_right(struct check *check)
{
    for (uint32_t k = 0; k < check->depth; k++) {
        uint64_t sum = 0;
        for (uint32_t column = 0; column < check->columns; column++) {
            sum += integer(vks_ladder_at(&check->right, k, column)) * random_at(column);
        }
        check->products[k] = sum;
    }
}

/* True if the row times the vector is what it must be. */
static bool is_plausible(const struct check *check)
{
    uint64_t sum = 0, wanted = 0;
    for (uint32_t column = 0; column < check->columns; column++) {
        const float value = check->found[column];
        if (!(fabsf(value) <= 0x1p24f) || value != truncf(value)) {
            return false; /* NaN as well */
        }
        sum += integer((double)value) * random_at(column);
    }
    for (uint32_t k = 0; k < check->depth; k++) {
        wanted += integer(vks_ladder_at(&check->left, check->at, k)) * check->products[k];
    }
    return sum == wanted;
}

static enum vks_result check_row(struct check *check)
{
    if (is_plausible(check)) {
        return VKS_OK;
    }
    compute_row(check, check->at);
    uint32_t column = 0;
    while (column + 1 < check->columns && (double)check->found[column] == check->row[column]) {
        column++;
    }
    return vks_ladder_wrong(check->task, check->at, column, (double)check->found[column],
                            check->row[column]);
}

static enum vks_result take(void *user, const void *bytes, size_t size)
{
    struct check *check = user;
    enum vks_result result = VKS_OK;
    for (size_t used = 0, count = size / sizeof(float); used < count && result == VKS_OK;) {
        const size_t room = check->pitch - check->column;
        const size_t part = count - used < room ? count - used : room;
        memcpy(check->found + check->column, (const float *)bytes + used, part * sizeof(float));
        check->column += (uint32_t)part;
        used += part;
        if (check->column == check->pitch) {
            result = check_row(check);
            check->column = 0;
            check->at++;
        }
    }
    return result;
}

enum vks_result vks_gemm_check(const struct vks_ladder_task *task, struct vks_graph *graph,
                               uint32_t runs)
{
    struct check check = begin(task);
    const double multiply_adds = (double)task->size.axis[0] * check.columns * check.depth;
    enum vks_result result =
        check.row && check.magnitudes && check.products && check.found ? VKS_OK : vks_fail_memory();
    (void)runs;
    if (result == VKS_OK && (multiply_adds <= FULL_CHECK || task->fractions)) {
        result = vks_ladder_compare(task, graph, "result", expected, &check);
    } else if (result == VKS_OK) {
        multiply_right(&check);
        result = vks_graph_download(graph, "result", take, &check);
    }
    end(&check);
    return result;
}
