/* SPDX-License-Identifier: MIT */
/* Expressions of a formula model: their text becomes a graph of nodes, in which equal parts are one
 * node and the operators (lap, div, ...) are sums of neighbours. docs/formulas.md defines every
 * function to the bit. */
#ifndef VKS_FORMULA_EXPRESSION_H
#define VKS_FORMULA_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

enum {
    VKS_FORMULA_FIELDS = 8,      /* of a model */
    VKS_FORMULA_ALL_FIELDS = 32, /* with those between the stages of a step */
    VKS_FORMULA_PARAMETERS = 64,
    VKS_FORMULA_IMAGES = 16,     /* with the maps of parameters */
    VKS_FORMULA_LETS = 72,       /* with images that are not given */
    VKS_FORMULA_OFFSET = 4,      /* of u[4,0] */
    VKS_FORMULA_TEXT = 4096,     /* characters of an expression */
    VKS_FORMULA_DEPTH = 64,      /* of nested parentheses, signs and choices */
    VKS_FORMULA_NODES = 1 << 14, /* of a model, with those that operators add */
    VKS_FORMULA_CHAIN = 4096     /* operations that each need the one before */
};

enum vks_op {
    VKS_OP_NUMBER,    /* `number` */
    VKS_OP_PARAMETER, /* of that `index` */
    VKS_OP_FIELD,     /* of that `index`, at the cell */
    VKS_OP_IMAGE,     /* likewise */
    VKS_OP_X,         /* of the cell's centre, 0 to 1 */
    VKS_OP_Y,
    VKS_OP_Z,
    VKS_OP_STEP,
    VKS_OP_BEYOND, /* how far a cell beyond an edge is from its mirror image, in cells: 1, 3, ... */
    VKS_OP_RANDOM, /* `index`: the number of the call */
    VKS_OP_NORMAL,
    VKS_OP_AT, /* args[0] at the cell that is `offset` further along x, y, z */
    VKS_OP_ADD,
    VKS_OP_SUBTRACT,
    VKS_OP_MULTIPLY,
    VKS_OP_DIVIDE,
    VKS_OP_NEGATE,
    VKS_OP_LESS, /* comparisons and logic are 1 or 0 */
    VKS_OP_LESS_EQUAL,
    VKS_OP_EQUAL,
    VKS_OP_NOT_EQUAL,
    VKS_OP_AND,
    VKS_OP_OR,
    VKS_OP_NOT,
    VKS_OP_CHOOSE, /* args[0] != 0 ? args[1] : args[2] */
    VKS_OP_MIN,
    VKS_OP_MAX,
    VKS_OP_ABS,
    VKS_OP_FLOOR,
    VKS_OP_SIGN,
    VKS_OP_SQRT,
    VKS_OP_EXP,
    VKS_OP_LOG,
    VKS_OP_SIN,
    VKS_OP_COS,
    VKS_OP_TANH,
    VKS_OP_SIGMOID,
    VKS_OP_POWER,
};

/* What the values of a node can be, so that none is infinite or subnormal. */
struct vks_bound {
    double max; /* the largest magnitude */
    double min; /* the smallest one other than 0 */
    int grid;   /* all are multiples of 2^grid */
};

/* What happens to an operand before its node is computed, a bit for each of the three. */
struct vks_guard {
    uint8_t clamp; /* to +-2^62 */
    uint8_t flush; /* to 0 below 2^-60 */
};

/* What the value of a node depends on, besides constants, the cell's place and the step. */
enum { VKS_USES_FIELD = 1, VKS_USES_IMAGE = 2, VKS_USES_RANDOM = 4 };

struct vks_node {
    enum vks_op op;
    bool constant; /* of numbers and parameters only: computed on the host */
    uint8_t uses;  /* VKS_USES_FIELD, ... */
    struct vks_guard guard;
    int8_t offset[3];
    uint32_t index;
    uint32_t args[3];
    uint32_t depth; /* the most operations from here to a leaf */
    double number;
    struct vks_bound bound;
};

/* The number of an op's operands. */
uint32_t vks_op_args(enum vks_op op);

/* A name that expressions may use. */
struct vks_formula_name {
    const char *name; /* the caller's */
    double low, high; /* the limits of its values */
};

struct vks_expressions {
    /* Set by the caller, and constant from then on: */
    uint32_t dimensions; /* 2 or 3 */
    struct vks_formula_name fields[VKS_FORMULA_ALL_FIELDS];
    size_t field_count; /* that expressions may name */
    size_t all_fields;
    bool has_ghosts; /* values of fields beyond the edges may be outside their limits */
    bool
        foreign; /* fields are those of other models, "model.field": values are limited when read */
    struct vks_formula_name images[VKS_FORMULA_IMAGES];
    size_t image_count;
    /* The first two are dt and dx, which are positive. */
    struct vks_formula_name parameters[VKS_FORMULA_PARAMETERS];
    size_t parameter_count;
    uint8_t maps[VKS_FORMULA_PARAMETERS]; /* 1 + the image that gives the parameter; 0: none */
    /* Named expressions, which the caller adds after it has parsed them. */
    struct {
        const char *name;
        uint32_t node;
    } lets[VKS_FORMULA_LETS];
    size_t let_count;
    /* The rest is private. */
    struct vks_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *table; /* of nodes by their hash */
    uint32_t randoms;
    enum vks_result result; /* of the first failure to add a node */
};

enum { VKS_PARAMETER_DT, VKS_PARAMETER_DX };

void vks_expressions_free(struct vks_expressions *expressions);

/* Parses an expression. `key` is what it is called in messages: "rates.u". VKS_ERROR_USAGE with the
 * column of what is wrong. */
enum vks_result vks_expression_parse(struct vks_expressions *expressions, const char *key,
                                     const char *text, uint32_t *node);

/* The node for an operation, which may be there already. Failures are kept in `result`, and are
 * those of the next vks_expression_parse(); the node is then 0. */
uint32_t vks_node_number(struct vks_expressions *expressions, double number);
uint32_t vks_node_leaf(struct vks_expressions *expressions, enum vks_op op, uint32_t index);
uint32_t vks_node_make(struct vks_expressions *expressions, enum vks_op op, uint32_t a, uint32_t b,
                       uint32_t c);
uint32_t vks_node_at(struct vks_expressions *expressions, uint32_t node, int x, int y, int z);

/* The same expression of other fields, those `fields` places after its own, and `steps` later. */
uint32_t vks_node_shift(struct vks_expressions *expressions, uint32_t node, uint32_t fields,
                        double steps);
/* The same expression with another node in place of the leaves of an op. */
uint32_t vks_node_replace(struct vks_expressions *expressions, uint32_t node, enum vks_op op,
                          uint32_t with);

/* Sets the node's bound and guard from its operands. */
void vks_node_bound(const struct vks_expressions *expressions, struct vks_node *node);

/* The values of all constant nodes, one element per node, 0 for the others: float64, within +-2^62;
 * functions are those of lib/formula.glsl. `parameters` has one value per parameter. */
void vks_node_values(const struct vks_expressions *expressions, const double *parameters,
                     double *values);

/* The operators as sums of neighbours: what `name`, one of those in `vks_operators`, does to its
 * arguments. */
struct vks_operator {
    const char *name;
    uint32_t args;
    uint32_t (*make)(struct vks_expressions *expressions, const uint32_t *args);
};
extern const struct vks_operator vks_operators[]; /* name NULL ends it */

#endif
