/* SPDX-License-Identifier: MIT */
#include "formula/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { VALUES = 1 << 16, SLOTS = 2 * VALUES, REACH = 100, LOADS = 2048 };

/* The number of the buffer of a leaf: fields, then images. */
static uint32_t buffer_of(const struct vks_expressions *expressions, uint32_t leaf)
{
    const struct vks_node *node = &expressions->nodes[leaf];
    return node->index + (node->op == VKS_OP_IMAGE ? (uint32_t)expressions->all_fields : 0);
}

static uint32_t all_buffers(const struct vks_expressions *expressions)
{
    return (uint32_t)(expressions->all_fields + expressions->image_count);
}

/* A node's value at a neighbour. */
struct place {
    uint32_t node;
    int8_t offset[3];
};

struct emitter {
    const struct vks_expressions *expressions;
    struct vks_formula_constants *constants;
    const struct vks_formula_ghosts *ghosts;
    bool is_ghost; /* emits a value beyond an edge: a field is `m`, offsets are relative to `o` */
    FILE *body;
    struct place *values; /* those that have a variable, v0, v1, ... */
    uint32_t *slots;      /* of their numbers plus 1, by hash */
    uint32_t value_count;
    struct place loads[LOADS]; /* values of fields, the function's arguments a0, a1, ... */
    uint32_t load_count;
    bool has_numbers;
    enum vks_result result;
};

static uint32_t hash_of(const struct place *place)
{
    uint32_t hash = place->node * 0x9e3779b1U;
    for (size_t i = 0; i < 3; i++) {
        hash = (hash ^ (uint8_t)place->offset[i]) * 0x85ebca6bU;
        hash ^= hash >> 13;
    }
    return hash;
}

static bool is_same(const struct place *a, const struct place *b)
{
    return a->node == b->node && memcmp(a->offset, b->offset, sizeof(a->offset)) == 0;
}

/* Where the value is or belongs in the table. */
static uint32_t slot_of(const struct emitter *e, const struct place *place)
{
    uint32_t at = hash_of(place) % SLOTS;
    while (e->slots[at] != 0 && !is_same(&e->values[e->slots[at] - 1], place)) {
        at = (at + 1) % SLOTS;
    }
    return at;
}

static uint32_t add_value(struct emitter *e, const struct place *place)
{
    if (e->value_count == VALUES) {
        e->result =
            vks_fail(VKS_ERROR_USAGE, "a step of the formulas has more than %d operations", VALUES);
        return 0;
    }
    e->values[e->value_count] = *place;
    e->slots[slot_of(e, place)] = ++e->value_count;
    return e->value_count - 1;
}

static uint32_t constant_of(struct emitter *e, uint32_t node)
{
    struct vks_formula_constants *c = e->constants;
    e->has_numbers = true;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->nodes[i] == node) {
            return i;
        }
    }
    if (c->count == VKS_FORMULA_CONSTANTS) {
        e->result = vks_fail(VKS_ERROR_USAGE, "the formulas have more than %d different constants",
                             VKS_FORMULA_CONSTANTS);
        return 0;
    }
    c->nodes[c->count] = node;
    return c->count++;
}

static uint32_t load_of(struct emitter *e, const struct place *place)
{
    for (uint32_t i = 0; i < e->load_count; i++) {
        if (is_same(&e->loads[i], place)) {
            return i;
        }
    }
    if (e->load_count == LOADS) {
        e->result =
            vks_fail(VKS_ERROR_USAGE, "a step of the formulas reads more than %d values", LOADS);
        return 0;
    }
    e->loads[e->load_count] = *place;
    return e->load_count++;
}

static bool move(struct emitter *e, struct place *place, const int8_t by[3])
{
    for (size_t i = 0; i < 3; i++) {
        const int offset = place->offset[i] + by[i];
        if (offset < -REACH || offset > REACH) {
            e->result =
                vks_fail(VKS_ERROR_USAGE, "the formulas reach further than %d cells", REACH);
            return false;
        }
        place->offset[i] = (int8_t)offset;
    }
    return true;
}

static uint32_t emit_value(struct emitter *e, struct place place);

/* A float32 as GLSL reads it back to the same bits. Returns `text`. */
static const char *literal(char *text, size_t size, double number)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%.9g", (double)(float)number);
    snprintf(text, size, "%s%sf", digits, strpbrk(digits, ".e") ? "" : ".0");
    return text;
}

/* An operand's text: of a constant, or of the variable of a value that has been emitted. */
static void operand(struct emitter *e, char *text, size_t size, const struct place *place,
                    bool clamp, bool flush)
{
    const struct vks_node *node = &e->expressions->nodes[place->node];
    const char *head = clamp && flush ? "vks_flush(vks_clamped("
                       : clamp        ? "vks_clamped("
                       : flush        ? "vks_flush("
                                      : "";
    const char *tail = clamp && flush ? "))" : clamp || flush ? ")" : "";
    if (node->op == VKS_OP_NUMBER) {
        char digits[32];
        snprintf(text, size, "%s%s%s", head, literal(digits, sizeof(digits), node->number), tail);
    } else if (node->constant) {
        const uint32_t number = constant_of(e, place->node);
        snprintf(text, size, "%sk[%u].%c%s", head, number / 4, "xyzw"[number % 4], tail);
    } else {
        snprintf(text, size, "%sv%u%s", head, emit_value(e, *place), tail);
    }
}

/* The GLSL of operations; A, B and C stand for the operands. */
static const char *const forms[] = {
    [VKS_OP_ADD] = "A + B",
    [VKS_OP_SUBTRACT] = "A - B",
    [VKS_OP_MULTIPLY] = "A * B",
    [VKS_OP_DIVIDE] = "A * vks_formula_reciprocal(B)",
    [VKS_OP_NEGATE] = "-A",
    [VKS_OP_LESS] = "A < B ? 1.0f : 0.0f",
    [VKS_OP_LESS_EQUAL] = "A <= B ? 1.0f : 0.0f",
    [VKS_OP_EQUAL] = "A == B ? 1.0f : 0.0f",
    [VKS_OP_NOT_EQUAL] = "A != B ? 1.0f : 0.0f",
    [VKS_OP_AND] = "A != 0.0f && B != 0.0f ? 1.0f : 0.0f",
    [VKS_OP_OR] = "A != 0.0f || B != 0.0f ? 1.0f : 0.0f",
    [VKS_OP_NOT] = "A == 0.0f ? 1.0f : 0.0f",
    [VKS_OP_CHOOSE] = "A != 0.0f ? B : C",
    [VKS_OP_MIN] = "B < A ? B : A",
    [VKS_OP_MAX] = "B > A ? B : A",
    [VKS_OP_ABS] = "abs(A)",
    [VKS_OP_FLOOR] = "floor(A)",
    [VKS_OP_SIGN] = "A > 0.0f ? 1.0f : (A < 0.0f ? -1.0f : 0.0f)",
    [VKS_OP_SQRT] = "vks_formula_sqrt(A)",
    [VKS_OP_EXP] = "vks_formula_exp(A)",
    [VKS_OP_LOG] = "vks_formula_log(A)",
    [VKS_OP_SIN] = "vks_formula_sin(A)",
    [VKS_OP_COS] = "vks_formula_cos(A)",
    [VKS_OP_TANH] = "vks_formula_tanh(A)",
    [VKS_OP_SIGMOID] = "vks_formula_sigmoid(A)",
    [VKS_OP_POWER] = "vks_formula_power(A, B)",
};

/* A leaf that depends on the cell or the step. */
static void put_leaf(struct emitter *e, const struct place *place)
{
    const struct vks_node *node = &e->expressions->nodes[place->node];
    static const char axes[] = "xyz";
    const int *o = (const int[]){place->offset[0], place->offset[1], place->offset[2]};
    switch (node->op) {
    case VKS_OP_FIELD:
    case VKS_OP_IMAGE:
        if (e->is_ghost) {
            fputs("m", e->body);
        } else {
            fprintf(e->body, "a%u", load_of(e, place));
        }
        break;
    case VKS_OP_X:
    case VKS_OP_Y:
    case VKS_OP_Z:
        fprintf(e->body, "vks_centre_%c(", axes[node->op - VKS_OP_X]);
        if (e->is_ghost) {
            fprintf(e->body, "o.%c + ", axes[node->op - VKS_OP_X]);
        }
        fprintf(e->body, "%d)", o[node->op - VKS_OP_X]);
        break;
    case VKS_OP_BEYOND:
        fputs("beyond", e->body);
        break;
    case VKS_OP_STEP:
        fprintf(e->body, "float(first_step + step_in_batch)");
        break;
    default: /* random numbers */
        fprintf(e->body, "vks_%s(%u, ivec3(%d, %d, %d))",
                node->op == VKS_OP_RANDOM ? "uniform" : "normal", node->index, o[0], o[1], o[2]);
    }
}

/* "precise float v3 = v1 + v2;", with the texts of the operands. */
static void put_value(struct emitter *e, const struct place *place, char args[3][80])
{
    const enum vks_op op = e->expressions->nodes[place->node].op;
    fprintf(e->body, "    precise float v%u = ", add_value(e, place));
    if (vks_op_args(op) == 0) {
        put_leaf(e, place);
    }
    for (const char *at = vks_op_args(op) > 0 ? forms[op] : ""; *at; at++) {
        const bool stands = *at >= 'A' && *at <= 'C';
        fprintf(e->body, stands ? "%s" : "%.1s", stands ? args[*at - 'A'] : at);
    }
    fputs(";\n", e->body);
}

/* Emits the variable of a value unless it exists. Returns its number. */
static uint32_t emit_value(struct emitter *e, struct place place)
{
    const struct vks_node *node = &e->expressions->nodes[place.node];
    char args[3][80];
    while (node->op == VKS_OP_AT) {
        if (e->result != VKS_OK || !move(e, &place, node->offset)) {
            return 0;
        }
        place.node = node->args[0];
        node = &e->expressions->nodes[place.node];
    }
    const uint32_t known = e->slots[slot_of(e, &place)];
    if (known != 0) {
        return known - 1;
    }
    for (uint32_t i = 0; i < vks_op_args(node->op); i++) {
        struct place arg = place;
        arg.node = node->args[i];
        operand(e, args[i], sizeof(args[i]), &arg, node->guard.clamp >> i & 1,
                node->guard.flush >> i & 1);
    }
    if (e->result == VKS_OK) {
        put_value(e, &place, args);
    }
    return e->value_count - 1;
}

/* --- values beyond the edges ----------------------------------------------------------------- */

static bool has_ghosts(const struct emitter *e, uint32_t field)
{
    bool found = false;
    for (size_t side = 0;
         e->ghosts && field < e->expressions->all_fields && side < VKS_FORMULA_SIDES; side++) {
        found = found || e->ghosts->nodes[field][side] != VKS_FORMULA_MIRRORED;
    }
    return found;
}

/* Emits `m`, which is the value at the mirrored cell, as that beyond one side. */
static void put_side(struct emitter *e, uint32_t node, size_t side)
{
    const char axis = "xyz"[side / 2];
    const struct place place = {.node = node};
    char text[80];
    e->value_count = 0;
    memset(e->slots, 0, SLOTS * sizeof(*e->slots));
    if (side % 2 == 0) {
        fprintf(e->body, "    if (at.%c < 0) {\n    float beyond = float(-1 - 2 * at.%c);\n", axis,
                axis);
    } else {
        fprintf(e->body,
                "    if (at.%c >= size.%c) {\n"
                "    float beyond = float(2 * (at.%c - size.%c) + 1);\n",
                axis, axis, axis, axis);
    }
    operand(e, text, sizeof(text), &place, false, false);
    fprintf(e->body, "    m = vks_limited(%s);\n    }\n", text);
}

/* Emits a function per field that is read and has such values: vks_ghost3(m, o) is the value of f3
 * at an offset from the cell. Edges along x are the last, so that corners are theirs. */
static void put_ghosts(struct emitter *e, const struct vks_formula_pass *pass)
{
    e->is_ghost = true;
    for (uint32_t field = 0; field < e->expressions->all_fields; field++) {
        if ((pass->reads >> field & 1) == 0 || !has_ghosts(e, field)) {
            continue;
        }
        fprintf(e->body,
                "float vks_ghost%u(float m, ivec3 o)\n{\n"
                "    ivec3 at = vks_here + o;\n"
                "    ivec3 size = ivec3(constants.width, constants.height, constants.depth);\n"
                "    if (!vks_at_edge) {\n        return m;\n    }\n",
                field);
        for (size_t side = VKS_FORMULA_SIDES; side-- > 0 && e->result == VKS_OK;) {
            if (e->ghosts->nodes[field][side] != VKS_FORMULA_MIRRORED) {
                put_side(e, (uint32_t)e->ghosts->nodes[field][side], side);
            }
        }
        fputs("    return m;\n}\n\n", e->body);
    }
    e->is_ghost = false;
}

/* --- the shader around it -------------------------------------------------------------------- */

static const char head[] = "// A pass of a formula model, generated by vksim: docs/formulas.md.\n"
                           "#version 460\n"
                           "#include \"lib/cells.glsl\"\n"
                           "\n";

/* The binding after this one; 15 is the clock's. */
static uint32_t next_binding(uint32_t binding)
{
    return binding == 14 ? 16 : binding + 1;
}

static void put_buffers(const struct emitter *e, const struct vks_formula_pass *pass, FILE *out)
{
    uint32_t binding = 0;
    for (uint32_t i = 0; i < all_buffers(e->expressions); i++) {
        if ((pass->reads >> i & 1) != 0) {
            fprintf(out, "VKS_FIELD(%u, readonly, f%u, float, f%us);\n", binding, i, i);
            fprintf(out, "VKS_FIELD(%u, readonly, f%u_fours, vec4, f%u_quads);\n", binding, i, i);
            binding = next_binding(binding);
        }
    }
    for (size_t i = 0; i < pass->output_count; i++) {
        const uint32_t field = pass->outputs[i].field;
        const char *next = pass->outputs[i].next ? "_next" : "";
        fprintf(out, "VKS_FIELD(%u, writeonly, f%u%s, %s, f%u_out);\n", binding, field, next,
                pass->lanes == 4 ? "vec4" : "float", field);
        binding = next_binding(binding);
    }
    if (pass->has_numbers) {
        fprintf(out,
                "layout(std430, set = 0, binding = %u) readonly buffer numbers\n"
                "{\n    vec4 k[];\n};\n",
                binding);
        binding = next_binding(binding);
    }
    fprintf(out,
            "layout(std430, set = 0, binding = %u) buffer status_word\n"
            "{\n    uint status[];\n};\n\n",
            binding);
}

/* The function of one cell: from the values of fields to those of the outputs. */
static void put_function(const struct emitter *e, const struct vks_formula_pass *pass,
                         const char *body, FILE *out)
{
    fputs("void vks_formula(", out);
    for (uint32_t i = 0; i < e->load_count; i++) {
        fprintf(out, "float a%u, ", i);
    }
    for (size_t i = 0; i < pass->output_count; i++) {
        fprintf(out, "out float o%zu%s", i, i + 1 < pass->output_count ? ", " : ")\n{\n");
    }
    fputs(body, out);
    for (size_t i = 0; i < pass->output_count; i++) {
        const uint32_t field = pass->outputs[i].field;
        const struct vks_formula_name *name = &e->expressions->fields[field];
        char low[32], high[32];
        fprintf(out, "    o%zu = vks_stored(r%zu, %s, %s, %uu);\n", i, i,
                literal(low, sizeof(low), name->low), literal(high, sizeof(high), name->high),
                (uint32_t)(field % e->expressions->field_count) +
                    1); /* also of the stages of a step */
    }
    for (size_t i = 0; i < pass->stop_count; i++) {
        fprintf(out, "    vks_escaped = s%zu != 0.0f ? %uu : vks_escaped;\n", i,
                pass->stops[i].status);
    }
    fputs("}\n\n", out);
}

/* A value of a field that an invocation reads. */
struct cell {
    uint32_t field;
    int z, y, x;
};

static int compare_cells(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    const int by_field = (a->field > b->field) - (a->field < b->field);
    const int by_z = (a->z > b->z) - (a->z < b->z), by_y = (a->y > b->y) - (a->y < b->y);
    const int by_x = (a->x > b->x) - (a->x < b->x);
    return by_z != 0 ? by_z : by_y != 0 ? by_y : by_field != 0 ? by_field : by_x;
}

/* That of a load, for one of the invocation's cells. */
static struct cell cell_of(const struct emitter *e, uint32_t load, uint32_t row, uint32_t lane)
{
    const struct place *place = &e->loads[load];
    return (struct cell){buffer_of(e->expressions, place->node), place->offset[2],
                         place->offset[1] + (int)row, place->offset[0] + (int)lane};
}

/* "m1" for -1. */
static void put_offset(FILE *out, int offset)
{
    fprintf(out, "%s%d", offset < 0 ? "m" : "", abs(offset));
}

static void put_row_name(FILE *out, const char *letter, const struct cell *cell)
{
    fputs(letter, out);
    put_offset(out, cell->y);
    fputc('_', out);
    put_offset(out, cell->z);
}

static bool is_inside(const struct cell *cell, uint32_t lanes)
{
    return lanes == 4 && cell->x >= 0 && cell->x < 4;
}

/* The value of a cell: "row0_0_f1.y" inside the invocation's own four, else "c0_0_f1_m1". */
static void put_cell_name(FILE *out, const struct cell *cell, uint32_t lanes)
{
    const bool inside = is_inside(cell, lanes);
    put_row_name(out, inside ? "row" : "c", cell);
    fprintf(out, "_f%u", cell->field);
    if (inside) {
        fprintf(out, ".%c", "xyzw"[cell->x]);
    } else {
        fputc('_', out);
        put_offset(out, cell->x);
    }
}

/* Reads a cell's value, or the four of which it is one. `last`: the cell before it in the order; a
 * zeroed list begins with NULL. */
static void put_load(FILE *out, const struct cell *cell, const struct cell *last, uint32_t lanes)
{
    const bool new_row = !last || last->y != cell->y || last->z != cell->z;
    const bool inside = is_inside(cell, lanes);
    if (new_row) {
        put_row_name(out, "    uint line", cell);
        fprintf(out, " = vks_line(%d, %d);\n", cell->y, cell->z);
    }
    if (inside && !new_row && last->field == cell->field && is_inside(last, lanes)) {
        return;
    }
    put_row_name(out, inside ? "    vec4 row" : "    float c", cell);
    fprintf(out, "_f%u", cell->field);
    if (!inside) {
        fputc('_', out);
        put_offset(out, cell->x);
    }
    fprintf(out, " = VKS_AT(f%u%s, (", cell->field, inside ? "_quads" : "s");
    put_row_name(out, "line", cell);
    if (inside) {
        fputs(" + uint(vks_here.x)) / 4u);\n", out);
    } else {
        fprintf(out, " + vks_column(%d)));\n", cell->x);
    }
}

static bool put_loads(struct emitter *e, const struct vks_formula_pass *pass, FILE *out)
{
    const size_t own = (size_t)pass->rows * pass->lanes, count = e->load_count * own;
    struct cell *cells = calloc(count + 1, sizeof(*cells));
    if (!cells) {
        e->result = vks_fail_memory();
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        cells[i] = cell_of(e, (uint32_t)(i / own), (uint32_t)(i % own / pass->lanes),
                           (uint32_t)(i % pass->lanes));
    }
    qsort(cells, count, sizeof(*cells), compare_cells);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_cells(&cells[i - 1], &cells[i]) != 0) {
            put_load(out, &cells[i], i > 0 ? &cells[i - 1] : NULL, pass->lanes);
        }
    }
    free(cells);
    return true;
}

/* Computes one of the invocation's cells. */
static void put_call(const struct emitter *e, const struct vks_formula_pass *pass, uint32_t row,
                     uint32_t lane, FILE *out)
{
    fputs("    vks_formula(", out);
    for (uint32_t i = 0; i < e->load_count; i++) {
        const struct cell cell = cell_of(e, i, row, lane);
        const int8_t *o = e->loads[i].offset;
        const bool ghost = (o[0] || o[1] || o[2]) && has_ghosts(e, cell.field);
        if (ghost) {
            fprintf(out, "vks_ghost%u(", cell.field);
        } else if (e->expressions->foreign) {
            fputs("vks_limited(", out);
        }
        put_cell_name(out, &cell, pass->lanes);
        if (ghost) {
            fprintf(out, ", ivec3(%d, %d, %d)", o[0], o[1], o[2]);
        }
        fputs(ghost || e->expressions->foreign ? ")" : "", out);
        fputs(", ", out);
    }
    for (size_t i = 0; i < pass->output_count; i++) {
        fprintf(out, "n%zu_%u", i, row);
        if (pass->lanes == 4) {
            fprintf(out, ".%c", "xyzw"[lane]);
        }
        fputs(i + 1 < pass->output_count ? ", " : ");\n", out);
    }
}

/* How far from its own cell the pass reads along an axis. */
static int reach_along(const struct emitter *e, size_t axis)
{
    int reach = 0;
    for (uint32_t i = 0; i < e->load_count; i++) {
        const int offset = abs(e->loads[i].offset[axis]);
        reach = offset > reach ? offset : reach;
    }
    return reach;
}

/* Whether a value that the invocation reads may be beyond an edge. */
static void put_edge_test(const struct emitter *e, const struct vks_formula_pass *pass, FILE *out)
{
    fprintf(
        out,
        "    ivec3 reach = ivec3(%d, %d, %d);\n"
        "    ivec3 last = vks_here + reach + ivec3(%u, %u, 0);\n"
        "    vks_at_edge = (constants.edges & 8u) != 0u &&\n"
        "                  (any(lessThan(vks_here, reach)) ||\n"
        "                   last.x >= int(constants.width) || last.y >= int(constants.height) ||\n"
        "                   last.z >= int(constants.depth));\n",
        reach_along(e, 0), reach_along(e, 1), reach_along(e, 2), pass->lanes - 1, pass->rows - 1);
}

/* Computes and writes one of the invocation's rows. */
static void put_row(const struct emitter *e, const struct vks_formula_pass *pass, uint32_t row,
                    FILE *out)
{
    const char *type = pass->lanes == 4 ? "vec4" : "float";
    for (size_t i = 0; i < pass->output_count; i++) {
        fprintf(out, "    %s n%zu_%u;\n", type, i, row);
    }
    fprintf(out, "    uint at%u = (vks_line(0, 0) + uint(vks_here.x)) / %uu;\n", row, pass->lanes);
    for (uint32_t lane = 0; lane < pass->lanes; lane++) {
        put_call(e, pass, row, lane, out);
        fputs(lane + 1 < pass->lanes ? "    vks_here.x++;\n" : "", out);
    }
    for (size_t i = 0; i < pass->output_count; i++) {
        fprintf(out, "    VKS_AT(f%u_out, at%u) = n%zu_%u;\n", pass->outputs[i].field, row, i, row);
    }
}

static void put_main(struct emitter *e, const struct vks_formula_pass *pass, FILE *out)
{
    const bool pairs = pass->rows == 2;
    fprintf(out,
            "void main()\n{\n"
            "    uint row = vks_row();\n"
            "    uint rows = %s;\n"
            "    vks_here = ivec3(gl_GlobalInvocationID.x * %uu, row %% rows%s, row / rows);\n"
            "    if (vks_here.x >= int(constants.width) || vks_here.z >= int(constants.depth)) {\n"
            "        return;\n    }\n",
            pairs ? "(constants.height + 1u) / 2u" : "constants.height", pass->lanes,
            pairs ? " * 2u" : "");
    if (e->ghosts) {
        put_edge_test(e, pass, out);
    }
    if (!put_loads(e, pass, out)) {
        return;
    }
    put_row(e, pass, 0, out);
    if (pairs) {
        fprintf(out,
                "    vks_here += ivec3(-%u, 1, 0);\n"
                "    if (vks_here.y < int(constants.height)) {\n",
                pass->lanes - 1);
        put_row(e, pass, 1, out);
        fputs("    }\n", out);
    }
    fputs("    if (vks_escaped != 0u) {\n        atomicMax(status[0], vks_escaped);\n    }\n}\n",
          out);
}

/* Emits the body of the function. */
static void put_body(struct emitter *e, const struct vks_formula_pass *pass)
{
    for (size_t i = 0; i < pass->output_count && e->result == VKS_OK; i++) {
        const struct place place = {.node = pass->outputs[i].node};
        char text[80];
        operand(e, text, sizeof(text), &place, false, false);
        fprintf(e->body, "    precise float r%zu = %s;\n", i, text);
    }
    for (size_t i = 0; i < pass->stop_count && e->result == VKS_OK; i++) {
        const struct place place = {.node = pass->stops[i].node};
        char text[80];
        operand(e, text, sizeof(text), &place, false, false);
        fprintf(e->body, "    precise float s%zu = %s;\n", i, text);
    }
}

/* Writes a part of the shader into a text, to be freed; NULL on failure. */
static char *emit_part(struct emitter *e, const struct vks_formula_pass *pass,
                       void (*put)(struct emitter *e, const struct vks_formula_pass *pass))
{
    char *text = NULL;
    size_t size = 0;
    e->body = open_memstream(&text, &size);
    if (!e->body) {
        e->result = vks_fail_memory();
        return NULL;
    }
    put(e, pass);
    if (fclose(e->body) != 0 && e->result == VKS_OK) {
        e->result = vks_fail_memory();
    }
    return text;
}

static char *emit(struct emitter *e, struct vks_formula_pass *pass)
{
    char *text = NULL;
    size_t size = 0;
    char *body = emit_part(e, pass, put_body);
    for (uint32_t i = 0; i < e->load_count; i++) {
        pass->reads |= (uint64_t)1 << buffer_of(e->expressions, e->loads[i].node);
    }
    char *ghosts = e->ghosts && e->result == VKS_OK ? emit_part(e, pass, put_ghosts) : NULL;
    pass->has_numbers = e->has_numbers;
    pass->rows = pass->lanes == 4 && reach_along(e, 1) > 1 ? 2 : 1; /* which share what they read */
    FILE *out = e->result == VKS_OK ? open_memstream(&text, &size) : NULL;
    if (out) {
        fputs(head, out);
        put_buffers(e, pass, out);
        fputs(ghosts ? ghosts : "", out);
        put_function(e, pass, body, out);
        put_main(e, pass, out);
        if (fclose(out) != 0 || e->result != VKS_OK) {
            free(text);
            text = NULL;
        }
    }
    free(body);
    free(ghosts);
    return text;
}

char *vks_formula_emit(const struct vks_expressions *expressions,
                       const struct vks_formula_ghosts *ghosts, struct vks_formula_pass *pass,
                       struct vks_formula_constants *constants)
{
    struct emitter *e = calloc(1, sizeof(*e));
    char *text = NULL;
    if (e) {
        *e = (struct emitter){.expressions = expressions, .constants = constants, .ghosts = ghosts};
        e->values = calloc(VALUES, sizeof(*e->values));
        e->slots = calloc(SLOTS, sizeof(*e->slots));
    }
    pass->reads = 0;
    if (e && e->values && e->slots) {
        text = emit(e, pass);
    }
    if (!text && (!e || e->result == VKS_OK)) {
        vks_fail_memory();
    }
    if (e) {
        free(e->values);
        free(e->slots);
    }
    free(e);
    return text;
}
