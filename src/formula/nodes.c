/* SPDX-License-Identifier: MIT */
/* The graph of nodes: equal operations on equal operands are one node. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "formula/expression.h"

enum { TABLE = 4 * VKS_FORMULA_NODES };

uint32_t vks_op_args(enum vks_op op)
{
    switch (op) {
    case VKS_OP_NUMBER:
    case VKS_OP_PARAMETER:
    case VKS_OP_FIELD:
    case VKS_OP_IMAGE:
    case VKS_OP_X:
    case VKS_OP_Y:
    case VKS_OP_Z:
    case VKS_OP_STEP:
    case VKS_OP_BEYOND:
    case VKS_OP_RANDOM:
    case VKS_OP_NORMAL:
        return 0;
    case VKS_OP_CHOOSE:
        return 3;
    case VKS_OP_ADD:
    case VKS_OP_SUBTRACT:
    case VKS_OP_MULTIPLY:
    case VKS_OP_DIVIDE:
    case VKS_OP_LESS:
    case VKS_OP_LESS_EQUAL:
    case VKS_OP_EQUAL:
    case VKS_OP_NOT_EQUAL:
    case VKS_OP_AND:
    case VKS_OP_OR:
    case VKS_OP_MIN:
    case VKS_OP_MAX:
    case VKS_OP_POWER:
        return 2;
    default:
        return 1;
    }
}

void vks_expressions_free(struct vks_expressions *expressions)
{
    free(expressions->nodes);
    free(expressions->table);
    expressions->nodes = NULL;
    expressions->table = NULL;
    expressions->node_count = expressions->node_capacity = 0;
}

static uint32_t mix(uint32_t hash, uint32_t word)
{
    return (hash ^ word) * 0x9e3779b1U ^ hash >> 15;
}

static uint32_t hash_of(const struct vks_node *node)
{
    uint64_t bits;
    memcpy(&bits, &node->number, sizeof(bits));
    uint32_t hash = mix(mix((uint32_t)node->op, (uint32_t)bits), (uint32_t)(bits >> 32));
    for (size_t i = 0; i < 3; i++) {
        hash = mix(mix(hash, node->args[i]), (uint8_t)node->offset[i]);
    }
    return mix(hash, node->index);
}

static bool is_same(const struct vks_node *a, const struct vks_node *b)
{
    return a->op == b->op && a->index == b->index &&
           memcmp(&a->number, &b->number, sizeof(a->number)) == 0 &&
           memcmp(a->args, b->args, sizeof(a->args)) == 0 &&
           memcmp(a->offset, b->offset, sizeof(a->offset)) == 0;
}

static bool prepare(struct vks_expressions *expressions)
{
    if (expressions->result != VKS_OK) {
        return false;
    }
    if (!expressions->table) {
        expressions->table = calloc(TABLE, sizeof(*expressions->table));
    }
    struct vks_node *grown = vks_grow(expressions->nodes, sizeof(*grown), expressions->node_count,
                                      &expressions->node_capacity);
    if (!grown || !expressions->table) {
        expressions->result = vks_fail_memory();
        return false;
    }
    expressions->nodes = grown;
    if (expressions->node_count == VKS_FORMULA_NODES) {
        expressions->result =
            vks_fail(VKS_ERROR_USAGE, "the formulas have more than %d operations and operands",
                     VKS_FORMULA_NODES);
        return false;
    }
    return true;
}

/* The node that is equal to this one; it is added if it is new. */
static uint32_t find_or_add(struct vks_expressions *expressions, struct vks_node *node)
{
    if (!prepare(expressions)) {
        return 0;
    }
    uint32_t at = hash_of(node) % TABLE;
    while (expressions->table[at] != 0) { /* numbers of nodes plus 1 */
        if (is_same(&expressions->nodes[expressions->table[at] - 1], node)) {
            return expressions->table[at] - 1;
        }
        at = (at + 1) % TABLE;
    }
    const uint32_t count = vks_op_args(node->op);
    node->uses = node->op == VKS_OP_FIELD                                 ? VKS_USES_FIELD
                 : node->op == VKS_OP_IMAGE                               ? VKS_USES_IMAGE
                 : node->op == VKS_OP_RANDOM || node->op == VKS_OP_NORMAL ? VKS_USES_RANDOM
                                                                          : 0;
    node->constant = count > 0 || node->op == VKS_OP_NUMBER || node->op == VKS_OP_PARAMETER;
    for (uint32_t i = 0; i < count; i++) {
        const struct vks_node *arg = &expressions->nodes[node->args[i]];
        node->constant = node->constant && arg->constant;
        node->uses |= arg->uses;
        node->depth = node->depth > arg->depth ? node->depth : arg->depth + 1;
    }
    if (node->depth > VKS_FORMULA_CHAIN) {
        expressions->result =
            vks_fail(VKS_ERROR_USAGE,
                     "the formulas have a chain of more than %d operations that each need "
                     "the one before",
                     VKS_FORMULA_CHAIN);
        return 0;
    }
    vks_node_bound(expressions, node);
    expressions->nodes[expressions->node_count++] = *node;
    expressions->table[at] = (uint32_t)expressions->node_count;
    return (uint32_t)expressions->node_count - 1;
}

uint32_t vks_node_number(struct vks_expressions *expressions, double number)
{
    struct vks_node node = {.op = VKS_OP_NUMBER, .number = number};
    return find_or_add(expressions, &node);
}

uint32_t vks_node_leaf(struct vks_expressions *expressions, enum vks_op op, uint32_t index)
{
    struct vks_node node = {.op = op, .index = index};
    return find_or_add(expressions, &node);
}

uint32_t vks_node_make(struct vks_expressions *expressions, enum vks_op op, uint32_t a, uint32_t b,
                       uint32_t c)
{
    struct vks_node node = {.op = op, .args = {a, b, c}};
    return find_or_add(expressions, &node);
}

uint32_t vks_node_at(struct vks_expressions *expressions, uint32_t node, int x, int y, int z)
{
    if (expressions->result != VKS_OK || (x == 0 && y == 0 && z == 0) ||
        expressions->nodes[node].constant) {
        return node;
    }
    struct vks_node at = {.op = VKS_OP_AT, .args = {node}};
    if (expressions->nodes[node].op == VKS_OP_AT) { /* a place relative to a place */
        at = expressions->nodes[node];
    }
    const int offset[3] = {at.offset[0] + x, at.offset[1] + y, at.offset[2] + z};
    for (size_t i = 0; i < 3; i++) {
        if (offset[i] < -100 || offset[i] > 100) {
            expressions->result =
                vks_fail(VKS_ERROR_USAGE, "the formulas reach further than 100 cells");
            return 0;
        }
        at.offset[i] = (int8_t)offset[i];
    }
    if (at.offset[0] == 0 && at.offset[1] == 0 && at.offset[2] == 0) {
        return at.args[0];
    }
    return find_or_add(expressions, &at);
}

/* How a copy of an expression differs from it. */
struct change {
    bool replaces;
    enum vks_op op;
    uint32_t with;   /* in place of the leaves of `op` */
    uint32_t fields; /* added to the numbers of fields */
    double steps;    /* added to the step */
};

static uint32_t changed(struct vks_expressions *e, uint32_t index, const uint32_t *map,
                        const struct change *change)
{
    struct vks_node node = e->nodes[index];
    if (change->replaces && node.op == change->op) {
        return change->with;
    }
    if (node.op == VKS_OP_FIELD) {
        return vks_node_leaf(e, VKS_OP_FIELD, node.index + change->fields);
    }
    if (node.op == VKS_OP_STEP && change->steps != 0) {
        return vks_node_make(e, VKS_OP_ADD, index, vks_node_number(e, change->steps), 0);
    }
    for (uint32_t i = 0; i < vks_op_args(node.op); i++) {
        node.args[i] = map[node.args[i]];
    }
    node.guard = (struct vks_guard){0};
    node.depth = 0;
    return find_or_add(e, &node);
}

/* A copy of an expression. */
static uint32_t change_all(struct vks_expressions *e, uint32_t node, const struct change *change)
{
    enum { UNUSED, USED };
    if (e->result != VKS_OK) {
        return 0;
    }
    uint32_t *map = calloc((size_t)node + 1, sizeof(*map));
    if (!map) {
        e->result = vks_fail_memory();
        return 0;
    }
    map[node] = USED;
    for (uint32_t i = node; i > 0; i--) { /* operands are before their node */
        for (uint32_t j = 0; map[i] == USED && j < vks_op_args(e->nodes[i].op); j++) {
            map[e->nodes[i].args[j]] = USED;
        }
    }
    for (uint32_t i = 0; i <= node && e->result == VKS_OK; i++) {
        map[i] = map[i] == USED ? changed(e, i, map, change) : UNUSED;
    }
    const uint32_t found = map[node];
    free(map);
    return found;
}

uint32_t vks_node_shift(struct vks_expressions *expressions, uint32_t node, uint32_t fields,
                        double steps)
{
    const struct change change = {.fields = fields, .steps = steps};
    return change_all(expressions, node, &change);
}

uint32_t vks_node_replace(struct vks_expressions *expressions, uint32_t node, enum vks_op op,
                          uint32_t with)
{
    const struct change change = {.replaces = true, .op = op, .with = with};
    return change_all(expressions, node, &change);
}

/* --- values of constants --------------------------------------------------------------------- */

/* A constant as the operations on it see it: within +-2^62; 0 for what is not a number. */
static double settled(double value)
{
    return value > 0x1p62 ? 0x1p62 : value < -0x1p62 ? -0x1p62 : value == value ? value : 0;
}

static double function_value(enum vks_op op, double a, double b)
{
    const float x = vks_real(a);
    switch (op) {
    case VKS_OP_SQRT:
        return vks_formula_sqrt(x);
    case VKS_OP_EXP:
        return vks_formula_exp(x);
    case VKS_OP_LOG:
        return vks_formula_log(x);
    case VKS_OP_SIN:
        return vks_formula_sin(x);
    case VKS_OP_COS:
        return vks_formula_cos(x);
    case VKS_OP_TANH:
        return vks_formula_tanh(x);
    case VKS_OP_SIGMOID:
        return vks_formula_sigmoid(x);
    default:
        return vks_formula_power(x, vks_real(b));
    }
}

static double operation_value(enum vks_op op, double a, double b, double c)
{
    switch (op) {
    case VKS_OP_ADD:
        return a + b;
    case VKS_OP_SUBTRACT:
        return a - b;
    case VKS_OP_MULTIPLY:
        return a * b;
    case VKS_OP_DIVIDE:
        return fabs(b) < 0x1p-60 ? 0 : a / b;
    case VKS_OP_NEGATE:
        return -a;
    case VKS_OP_LESS:
        return a < b;
    case VKS_OP_LESS_EQUAL:
        return a <= b;
    case VKS_OP_EQUAL:
        return a == b;
    case VKS_OP_NOT_EQUAL:
        return a != b;
    case VKS_OP_AND:
        return a != 0 && b != 0;
    case VKS_OP_OR:
        return a != 0 || b != 0;
    case VKS_OP_NOT:
        return a == 0;
    case VKS_OP_CHOOSE:
        return a != 0 ? b : c;
    case VKS_OP_MIN:
        return a < b ? a : b;
    case VKS_OP_MAX:
        return a > b ? a : b;
    case VKS_OP_ABS:
        return fabs(a);
    case VKS_OP_FLOOR:
        return floor(a);
    case VKS_OP_SIGN:
        return (a > 0) - (a < 0);
    default:
        return function_value(op, a, b);
    }
}

void vks_node_values(const struct vks_expressions *expressions, const double *parameters,
                     double *values)
{
    for (size_t i = 0; i < expressions->node_count; i++) {
        const struct vks_node *node = &expressions->nodes[i];
        double args[3] = {0};
        for (uint32_t j = 0; j < vks_op_args(node->op); j++) {
            args[j] = values[node->args[j]];
        }
        values[i] = !node->constant             ? 0
                    : node->op == VKS_OP_NUMBER ? settled(node->number)
                    : node->op == VKS_OP_PARAMETER
                        ? settled(parameters[node->index])
                        : settled(operation_value(node->op, args[0], args[1], args[2]));
    }
}
