/* SPDX-License-Identifier: MIT */
/* Operators on neighbours, in a fixed order of additions: opposite neighbours first, so that a
 * symmetric field stays symmetric to the bit. */
#include "formula/expression.h"

#define E struct vks_expressions

static uint32_t add(E *e, uint32_t a, uint32_t b)
{
    return vks_node_make(e, VKS_OP_ADD, a, b, 0);
}

static uint32_t subtract(E *e, uint32_t a, uint32_t b)
{
    return vks_node_make(e, VKS_OP_SUBTRACT, a, b, 0);
}

static uint32_t multiply(E *e, uint32_t a, uint32_t b)
{
    return vks_node_make(e, VKS_OP_MULTIPLY, a, b, 0);
}

static uint32_t times(E *e, double factor, uint32_t a)
{
    return multiply(e, vks_node_number(e, factor), a);
}

/* a / (factor dx^power), by a constant. */
static uint32_t per_length(E *e, uint32_t a, double factor, int power)
{
    const uint32_t dx = vks_node_leaf(e, VKS_OP_PARAMETER, VKS_PARAMETER_DX);
    const uint32_t length = times(e, factor, power == 2 ? multiply(e, dx, dx) : dx);
    const uint32_t one = vks_node_number(e, 1);
    return multiply(e, a, vks_node_make(e, VKS_OP_DIVIDE, one, length, 0));
}

/* The neighbour that is `steps` further along an axis. */
static uint32_t along(E *e, uint32_t a, uint32_t axis, int steps)
{
    return vks_node_at(e, a, axis == 0 ? steps : 0, axis == 1 ? steps : 0, axis == 2 ? steps : 0);
}

static uint32_t pair(E *e, uint32_t a, uint32_t axis)
{
    return add(e, along(e, a, axis, -1), along(e, a, axis, 1));
}

/* The sum of the nearest neighbours along all axes. */
static uint32_t nearest(E *e, uint32_t a)
{
    uint32_t sum = add(e, pair(e, a, 0), pair(e, a, 1));
    return e->dimensions == 3 ? add(e, sum, pair(e, a, 2)) : sum;
}

/* The sum of the neighbours along the diagonals of the plane of two axes. */
static uint32_t diagonal(E *e, uint32_t a, uint32_t axis, uint32_t other)
{
    const uint32_t sides = pair(e, a, axis);
    return add(e, along(e, sides, other, -1), along(e, sides, other, 1));
}

static uint32_t make_lap(E *e, const uint32_t *args)
{
    const uint32_t centre = times(e, 2.0 * e->dimensions, args[0]);
    return per_length(e, subtract(e, nearest(e, args[0]), centre), 1, 2);
}

/* Nine points: 4, 1, -20 over 6; 27 points: 14, 3, 1, -128 over 30 (Kumar 2004, "Isotropic
 * finite-differences", J. Comput. Phys. 201). */
static uint32_t make_lap9(E *e, const uint32_t *args)
{
    const uint32_t a = args[0], edges = diagonal(e, a, 0, 1);
    if (e->dimensions == 2) {
        const uint32_t sum = add(e, times(e, 4, nearest(e, a)), edges);
        return per_length(e, subtract(e, sum, times(e, 20, a)), 6, 2);
    }
    const uint32_t all = add(e, add(e, edges, diagonal(e, a, 0, 2)), diagonal(e, a, 1, 2));
    const uint32_t corners = add(e, along(e, edges, 2, -1), along(e, edges, 2, 1));
    const uint32_t near = add(e, times(e, 14, nearest(e, a)), times(e, 3, all));
    return per_length(e, subtract(e, add(e, near, corners), times(e, 128, a)), 30, 2);
}

static uint32_t make_bilap(E *e, const uint32_t *args)
{
    const uint32_t once = make_lap(e, args);
    return make_lap(e, &once);
}

static uint32_t make_trilap(E *e, const uint32_t *args)
{
    const uint32_t twice = make_bilap(e, args);
    return make_lap(e, &twice);
}

static uint32_t slope(E *e, uint32_t a, uint32_t axis)
{
    return per_length(e, subtract(e, along(e, a, axis, 1), along(e, a, axis, -1)), 2, 1);
}

static uint32_t make_dx(E *e, const uint32_t *args)
{
    return slope(e, args[0], 0);
}

static uint32_t make_dy(E *e, const uint32_t *args)
{
    return slope(e, args[0], 1);
}

static uint32_t make_dz(E *e, const uint32_t *args)
{
    return slope(e, args[0], 2);
}

static uint32_t curvature(E *e, uint32_t a, uint32_t axis)
{
    return per_length(e, subtract(e, pair(e, a, axis), times(e, 2, a)), 1, 2);
}

static uint32_t make_dxx(E *e, const uint32_t *args)
{
    return curvature(e, args[0], 0);
}

static uint32_t make_dyy(E *e, const uint32_t *args)
{
    return curvature(e, args[0], 1);
}

static uint32_t make_dzz(E *e, const uint32_t *args)
{
    return curvature(e, args[0], 2);
}

static uint32_t make_dxy(E *e, const uint32_t *args)
{
    const uint32_t across = subtract(e, along(e, args[0], 0, 1), along(e, args[0], 0, -1));
    return per_length(e, subtract(e, along(e, across, 1, 1), along(e, across, 1, -1)), 4, 2);
}

static uint32_t make_grad2(E *e, const uint32_t *args)
{
    uint32_t sum = 0;
    for (uint32_t axis = 0; axis < e->dimensions; axis++) {
        const uint32_t d = slope(e, args[0], axis), square = multiply(e, d, d);
        sum = axis == 0 ? square : add(e, sum, square);
    }
    return sum;
}

/* Both cells at a face compute the same flux, so that what leaves one enters the other. */
static uint32_t make_div(E *e, const uint32_t *args)
{
    uint32_t sum = 0;
    for (uint32_t axis = 0; axis < e->dimensions; axis++) {
        const uint32_t mean = times(e, 0.5, add(e, args[0], along(e, args[0], axis, 1)));
        const uint32_t flux = multiply(e, mean, subtract(e, along(e, args[1], axis, 1), args[1]));
        const uint32_t net = subtract(e, flux, along(e, flux, axis, -1));
        sum = axis == 0 ? net : add(e, sum, net);
    }
    return per_length(e, sum, 1, 2);
}

/* a du along an axis, from the side that a comes from. */
static uint32_t upwind(E *e, uint32_t a, uint32_t u, uint32_t axis)
{
    const uint32_t ahead = subtract(e, along(e, u, axis, 1), u);
    const uint32_t rises = vks_node_make(e, VKS_OP_LESS, vks_node_number(e, 0), a, 0);
    const uint32_t step = vks_node_make(e, VKS_OP_CHOOSE, rises, along(e, ahead, axis, -1), ahead);
    return multiply(e, a, per_length(e, step, 1, 1));
}

static uint32_t make_upwind(E *e, const uint32_t *args)
{
    return upwind(e, args[0], args[1], 0);
}

static uint32_t make_upwind_y(E *e, const uint32_t *args)
{
    return upwind(e, args[0], args[1], 1);
}

static uint32_t make_upwind_z(E *e, const uint32_t *args)
{
    return upwind(e, args[0], args[1], 2);
}

static uint32_t make_sum8(E *e, const uint32_t *args)
{
    return add(e, add(e, pair(e, args[0], 0), pair(e, args[0], 1)), diagonal(e, args[0], 0, 1));
}

/* The sum of the cells from -reach to reach along an axis, in that order. */
static uint32_t line(E *e, uint32_t a, uint32_t axis, int reach)
{
    uint32_t sum = along(e, a, axis, -reach);
    for (int i = 1 - reach; i <= reach; i++) {
        sum = add(e, sum, along(e, a, axis, i));
    }
    return sum;
}

/* The second argument is a number from 1 to 4, which the parser has checked. */
static uint32_t make_mean(E *e, const uint32_t *args)
{
    if (e->result != VKS_OK) {
        return 0;
    }
    const int reach = (int)e->nodes[args[1]].number;
    const int side = 2 * reach + 1;
    const uint32_t sum = line(e, line(e, args[0], 0, reach), 1, reach);
    return times(e, 1.0 / (side * side), sum);
}

const struct vks_operator vks_operators[] = {
    {"lap", 1, make_lap},
    {"lap9", 1, make_lap9},
    {"bilap", 1, make_bilap},
    {"trilap", 1, make_trilap},
    {"dx", 1, make_dx},
    {"dy", 1, make_dy},
    {"dz", 1, make_dz},
    {"dxx", 1, make_dxx},
    {"dyy", 1, make_dyy},
    {"dzz", 1, make_dzz},
    {"dxy", 1, make_dxy},
    {"grad2", 1, make_grad2},
    {"div", 2, make_div},
    {"upwind", 2, make_upwind},
    {"upwind_y", 2, make_upwind_y},
    {"upwind_z", 2, make_upwind_z},
    {"sum8", 1, make_sum8},
    {"mean", 2, make_mean},
    {NULL, 0, NULL},
};
