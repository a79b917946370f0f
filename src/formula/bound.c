/* SPDX-License-Identifier: MIT */
/* What the values of a node can be, and what its operands need so that no value is infinite or
 * subnormal: devices may treat those differently. docs/formulas.md has the rules. */
#include <math.h>

#include "formula/expression.h"

#define LARGEST 0x1p126 /* of a float that is a sum or product */
#define CLAMPED 0x1p62
#define TINY 0x1p-60 /* smaller ones are flushed to 0 */
enum { TINY_GRID = -83, SMALLEST = -126 };

/* The largest exponent g so that floats of at least that magnitude are multiples of 2^g. */
static int grid_of(double magnitude)
{
    return (int)floor(log2(magnitude)) - 23;
}

static struct vks_bound make(double max, double min, int grid)
{
    const int coarser = grid_of(min);
    return (struct vks_bound){max, min, grid > coarser ? grid : coarser};
}

static struct vks_bound of_number(double number)
{
    const double size = fabs((double)(float)number);
    if (size < TINY) {
        return (struct vks_bound){0, 1, 0};
    }
    int grid = grid_of(size);
    while (fmod(size, ldexp(1, grid + 1)) == 0) {
        grid++;
    }
    return (struct vks_bound){size, size, grid};
}

static struct vks_bound clamped(struct vks_bound bound)
{
    return bound.max > CLAMPED ? (struct vks_bound){CLAMPED, bound.min, bound.grid} : bound;
}

static struct vks_bound flushed(struct vks_bound bound)
{
    return bound.min < TINY ? (struct vks_bound){bound.max, TINY,
                                                 bound.grid > TINY_GRID ? bound.grid : TINY_GRID}
                            : bound;
}

static struct vks_bound either(struct vks_bound a, struct vks_bound b)
{
    return (struct vks_bound){fmax(a.max, b.max), fmin(a.min, b.min),
                              a.grid < b.grid ? a.grid : b.grid};
}

/* The sum of a rounded float32 is at most the next power of two above the exact one. */
static struct vks_bound of_sum(struct vks_bound a[2], struct vks_guard *guard)
{
    if (a[0].max + a[1].max > LARGEST) {
        guard->clamp |= 3;
        a[0] = clamped(a[0]);
        a[1] = clamped(a[1]);
    }
    if (a[0].grid < SMALLEST || a[1].grid < SMALLEST) {
        for (unsigned i = 0; i < 2; i++) {
            guard->flush |= (uint8_t)((a[i].grid < SMALLEST ? 1U : 0U) << i);
            a[i] = a[i].grid < SMALLEST ? flushed(a[i]) : a[i];
        }
    }
    const int grid = a[0].grid < a[1].grid ? a[0].grid : a[1].grid;
    return (struct vks_bound){(a[0].max + a[1].max) * (1 + 0x1p-23), ldexp(1, grid), grid};
}

static struct vks_bound of_product(struct vks_bound a[2], struct vks_guard *guard)
{
    if (a[0].max * a[1].max > LARGEST) {
        guard->clamp |= 3;
        a[0] = clamped(a[0]);
        a[1] = clamped(a[1]);
    }
    for (int i = 0; i < 2 && a[0].min * a[1].min < ldexp(1, SMALLEST); i++) {
        const unsigned smaller = a[1].min < a[0].min ? 1 : 0;
        guard->flush |= (uint8_t)(1U << smaller);
        a[smaller] = flushed(a[smaller]);
    }
    return make(a[0].max * a[1].max * (1 + 0x1p-23), a[0].min * a[1].min * (1 - 0x1p-23),
                a[0].grid + a[1].grid);
}

/* The bound of a quotient's reciprocal; its operand is flushed by the function itself. */
static struct vks_bound of_reciprocal(struct vks_bound b)
{
    const double smallest = fmax(b.min, TINY), largest = fmin(fmax(b.max, smallest), 0x1p60);
    return make(2 / smallest, 0.5 / largest, SMALLEST - 23);
}

static struct vks_bound of_quotient(struct vks_bound a[2], struct vks_guard *guard)
{
    a[1] = of_reciprocal(a[1]);
    struct vks_guard both = {0};
    const struct vks_bound bound = of_product(a, &both);
    /* What is to happen to the reciprocal cannot: it is between 2^-61 and 2^61. */
    guard->clamp |= both.clamp & 1;
    guard->flush |= both.flush & 1;
    return bound;
}

/* Functions clamp their operands to their domains, and flush them. */
static struct vks_bound of_function(const struct vks_node *node, struct vks_bound a)
{
    switch (node->op) {
    case VKS_OP_SQRT:
        return make(0x1p31, 0x1p-31, SMALLEST);
    case VKS_OP_EXP:
        return make(0x1p60, 0x1p-60, SMALLEST);
    case VKS_OP_LOG:
        return make(64, 0x1p-26, SMALLEST);
    case VKS_OP_SIN:
    case VKS_OP_COS:
        return make(2, 0x1p-40, SMALLEST);
    case VKS_OP_TANH:
        return make(2, 0x1p-30, SMALLEST);
    case VKS_OP_SIGMOID:
        return make(2, 0x1p-31, SMALLEST);
    case VKS_OP_POWER:
        return make(0x1p61, 0x1p-61, SMALLEST);
    case VKS_OP_FLOOR:
        return make(a.max + 1, 1, 0);
    default: /* those that choose one of their operands' values */
        return a;
    }
}

/* The largest magnitude of values within these limits, as float32. */
static double largest(const struct vks_formula_name *limits)
{
    return fmax(fabs(limits->low), fabs(limits->high)) * (1 + 0x1p-23);
}

static struct vks_bound of_leaf(const struct vks_expressions *expressions,
                                const struct vks_node *node)
{
    switch (node->op) {
    case VKS_OP_FIELD: {
        const double most = largest(&expressions->fields[node->index]);
        return make(expressions->has_ghosts ? fmax(most, 0x1p30) : most, TINY, TINY_GRID);
    }
    case VKS_OP_IMAGE:
        return make(largest(&expressions->images[node->index]), TINY, TINY_GRID);
    case VKS_OP_X:
    case VKS_OP_Y:
    case VKS_OP_Z:
        return make(2, 0x1p-26, TINY_GRID);
    case VKS_OP_STEP:
        return make(0x1p33, 1, 0);
    case VKS_OP_BEYOND:
        return make(255, 1, 0);
    case VKS_OP_RANDOM:
        return make(1, 0x1p-24, -24);
    default: /* VKS_OP_NORMAL */
        return make(16, TINY, TINY_GRID);
    }
}

static struct vks_bound of_operation(const struct vks_node *node, struct vks_bound a[3],
                                     struct vks_guard *guard)
{
    switch (node->op) {
    case VKS_OP_ADD:
    case VKS_OP_SUBTRACT:
        return of_sum(a, guard);
    case VKS_OP_MULTIPLY:
        return of_product(a, guard);
    case VKS_OP_DIVIDE:
        return of_quotient(a, guard);
    case VKS_OP_LESS:
    case VKS_OP_LESS_EQUAL:
    case VKS_OP_EQUAL:
    case VKS_OP_NOT_EQUAL:
    case VKS_OP_AND:
    case VKS_OP_OR:
    case VKS_OP_NOT:
    case VKS_OP_SIGN:
        return (struct vks_bound){1, 1, 0};
    case VKS_OP_CHOOSE:
        return either(a[1], a[2]);
    case VKS_OP_MIN:
    case VKS_OP_MAX:
        return either(a[0], a[1]);
    default:
        return of_function(node, a[0]);
    }
}

/* --- constants ------------------------------------------------------------------------------- */

/* The bound of a constant before it is rounded and flushed, without a grid; a `min` of 0: none. */
static struct vks_bound of_constant(const struct vks_expressions *expressions,
                                    const struct vks_node *node, struct vks_bound a[3])
{
    const struct vks_formula_name *limits;
    struct vks_guard none = {0};
    double max, min = 0;
    switch (node->op) {
    case VKS_OP_NUMBER:
        max = min = fabs(node->number);
        break;
    case VKS_OP_PARAMETER:
        limits = &expressions->parameters[node->index];
        max = fmax(fabs(limits->low), fabs(limits->high));
        min = limits->low > 0 || limits->high < 0 ? fmin(fabs(limits->low), fabs(limits->high)) : 0;
        break;
    case VKS_OP_MULTIPLY:
        max = a[0].max * a[1].max;
        min = a[0].min * a[1].min;
        break;
    case VKS_OP_DIVIDE:
        max = a[0].max / fmax(a[1].min, TINY);
        min = a[0].min / fmax(a[1].max, TINY);
        break;
    default:
        max = of_operation(node, a, &none).max;
    }
    return (struct vks_bound){fmin(max * (1 + 0x1p-23), CLAMPED),
                              fmin(min * (1 - 0x1p-23), CLAMPED), 0};
}

/* The bound of a node as an operand of one that is no constant. */
static struct vks_bound of_operand(const struct vks_node *node)
{
    const struct vks_bound bound = node->bound;
    return node->op == VKS_OP_NUMBER ? of_number(node->number)
           : node->constant          ? make(bound.max, fmax(bound.min, TINY), TINY_GRID)
                                     : bound;
}

void vks_node_bound(const struct vks_expressions *expressions, struct vks_node *node)
{
    struct vks_bound args[3] = {{0}};
    const uint32_t count = vks_op_args(node->op);
    for (uint32_t i = 0; i < count; i++) {
        const struct vks_node *arg = &expressions->nodes[node->args[i]];
        args[i] = node->constant ? arg->bound : of_operand(arg);
    }
    node->bound = node->constant ? of_constant(expressions, node, args)
                  : count == 0   ? of_leaf(expressions, node)
                                 : of_operation(node, args, &node->guard);
}
