/* SPDX-License-Identifier: MIT */
/* The expressions of a model, parsed and emitted, for the names that images stand for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "formula/compound.h"

static enum vks_result parse(struct vks_formula_program *p, const char *where, const char *key,
                             const json_t *value, uint32_t *node)
{
    char name[256];
    char digits[64];
    snprintf(name, sizeof(name), "%s%s%s", where, where[0] ? "." : "", key);
    const char *text = json_is_number(value)
                           ? vks_format_real(json_number_value(value), digits, sizeof(digits))
                           : json_string_value(value);
    return text ? vks_expression_parse(&p->expressions, name, text, node)
                : vks_formula_wrong(name,
                                    value ? "is neither an expression nor a number" : "is missing");
}

/* --- names ----------------------------------------------------------------------------------- */

static enum vks_result add_let(struct vks_formula_program *p, const char *name, uint32_t node)
{
    struct vks_expressions *e = &p->expressions;
    if (e->let_count == VKS_FORMULA_LETS) {
        return vks_formula_wrong("let", "has more than 64 expressions");
    }
    e->lets[e->let_count].name = name;
    e->lets[e->let_count++].node = node;
    return VKS_OK;
}

/* Images that are given are read; the others are expressions. */
static enum vks_result read_images(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_expressions *e = &p->expressions;
    enum vks_result result = VKS_OK;
    for (uint32_t i = 0; i < f->image_count; i++) {
        if (p->images >> i & 1) {
            e->images[e->image_count++] = (struct vks_formula_name){f->images[i].name, 0, 1};
        }
    }
    for (uint32_t i = 0; i < e->parameter_count; i++) {
        if (p->maps >> i & 1) {
            struct vks_formula_name *map = &e->images[e->image_count++];
            *map = e->parameters[i];
            map->name = vks_formula_text(f, "%s.map", e->parameters[i].name);
            e->maps[i] = (uint8_t)e->image_count;
            result = map->name ? result : vks_fail_memory();
        }
    }
    for (uint32_t i = 0; i < f->image_count && result == VKS_OK; i++) {
        const json_t *value = f->images[i].value;
        uint32_t node = value ? 0 : vks_node_number(e, 0);
        if ((p->images >> i & 1) == 0) {
            result = value ? parse(p, "images", f->images[i].name, value, &node) : e->result;
            if (result == VKS_OK && e->nodes[node].uses & VKS_USES_FIELD) {
                result = vks_formula_wrong(f->images[i].name, "is an image and uses a field");
            }
            result = result == VKS_OK ? add_let(p, f->images[i].name, node) : result;
        }
    }
    return result;
}

static enum vks_result read_lets(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_expressions *e = &p->expressions;
    const json_t *lets = json_object_get(f->json, "let");
    const char *name;
    json_t *value;
    enum vks_result result = !lets || json_is_object(lets)
                                 ? VKS_OK
                                 : vks_formula_wrong("let", "is not an object of expressions");
    json_object_foreach((json_t *)(uintptr_t)lets, name, value)
    {
        uint32_t node = 0;
        if (result == VKS_OK) {
            result = vks_formula_check_name(f, e, name);
        }
        if (result == VKS_OK) {
            result = parse(p, "let", name, value, &node);
        }
        if (result == VKS_OK) {
            result = add_let(p, name, node);
        }
    }
    return result;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* An expression for each field from an object. */
static enum vks_result read_each(struct vks_formula *f, struct vks_formula_program *p,
                                 const json_t *object, const char *where, uint32_t *nodes)
{
    const char *known[VKS_FORMULA_FIELDS + 1] = {NULL};
    for (size_t i = 0; i < f->field_count; i++) {
        known[i] = f->names.fields[i].name;
    }
    enum vks_result result = json_is_object(object) ? vks_formula_check_keys(object, known, where)
                                                    : vks_formula_wrong(where, "is not an object");
    for (size_t i = 0; i < f->field_count && result == VKS_OK; i++) {
        result = parse(p, where, known[i], json_object_get(object, known[i]), &nodes[i]);
    }
    return result;
}

static enum vks_result read_rates(struct vks_formula *f, struct vks_formula_program *p)
{
    const json_t *rates = json_object_get(f->json, "rates");
    return read_each(f, p, rates ? rates : json_object_get(f->json, "next"),
                     rates ? "rates" : "next", p->rates);
}

/* Initial conditions see no fields. */
static enum vks_result read_start(struct vks_formula *f, struct vks_formula_program *p,
                                  struct vks_formula_stage *start)
{
    char where[128];
    uint32_t nodes[VKS_FORMULA_FIELDS] = {0};
    const json_t *object = json_object_get(json_object_get(f->json, "init"), start->name);
    snprintf(where, sizeof(where), "init.%s", start->name);
    const enum vks_result result = read_each(f, p, object, where, nodes);
    for (uint32_t i = 0; i < f->field_count && result == VKS_OK; i++) {
        start->pass.outputs[start->pass.output_count++] =
            (struct vks_formula_output){.field = i, .node = nodes[i]};
        if (p->expressions.nodes[nodes[i]].uses & VKS_USES_FIELD) {
            return vks_formula_wrong(where, "uses a field, which has no value yet");
        }
    }
    return result;
}

static enum vks_result read_starts(struct vks_formula *f, struct vks_formula_program *p)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < f->start_count && result == VKS_OK; i++) {
        p->starts[i].name = f->start_names[i];
        result = read_start(f, p, &p->starts[i]);
    }
    return result;
}

/* What ends the run; the statuses follow those of the fields. */
static enum vks_result read_stops(struct vks_formula *f, struct vks_formula_program *p)
{
    const char *message;
    json_t *value;
    enum vks_result result = VKS_OK;
    json_object_foreach(json_object_get(f->json, "stop"), message, value)
    {
        struct vks_formula_stop *stop = &p->stops[p->stop_count];
        if (result == VKS_OK) {
            result = parse(p, "stop", message, value, &stop->node);
            stop->status = f->field_count + (uint32_t)++p->stop_count;
        }
    }
    return result;
}

/* --- edges ----------------------------------------------------------------------------------- */

static const char *const side_names[] = {"left", "right", "top", "bottom", "front", "back", NULL};

/* An expression at an edge: of numbers, parameters, x, y, z and t, the first of which that are
 * across the edge are 0 or 1 there. */
static enum vks_result parse_edge(struct vks_formula_program *p, const char *where, const char *key,
                                  const json_t *value, uint32_t side, uint32_t *node)
{
    struct vks_expressions *e = &p->expressions;
    enum vks_result result = parse(p, where, key, value, node);
    if (result == VKS_OK && e->nodes[*node].uses) {
        return vks_formula_wrong(where, "is not an expression of parameters, x, y, z and t only");
    }
    if (result == VKS_OK) {
        *node = vks_node_replace(e, *node, (enum vks_op)(VKS_OP_X + side / 2),
                                 vks_node_number(e, side % 2));
        result = e->result;
    }
    p->edges_vary = p->edges_vary || (result == VKS_OK && !e->nodes[*node].constant);
    return result;
}

static uint32_t make(struct vks_formula_program *p, enum vks_op op, uint32_t a, uint32_t b)
{
    return vks_node_make(&p->expressions, op, a, b, 0);
}

/* The distance between a cell beyond an edge and its mirror image. */
static uint32_t beyond(struct vks_formula_program *p)
{
    return make(p, VKS_OP_MULTIPLY, vks_node_leaf(&p->expressions, VKS_OP_BEYOND, 0),
                vks_node_leaf(&p->expressions, VKS_OP_PARAMETER, VKS_PARAMETER_DX));
}

/* a u + b du/dn = c, where u is the mean of a cell and its mirror image, m, and du/dn their
 * difference over their distance h: (c - m (a / 2 - b / h)) / (a / 2 + b / h). */
static enum vks_result parse_robin(struct vks_formula_program *p, const char *where,
                                   const json_t *list, uint32_t side, uint32_t m, int64_t *ghost)
{
    uint32_t numbers[3];
    enum vks_result result =
        json_array_size(list) == 3
            ? VKS_OK
            : vks_formula_wrong(where, "has a 'robin' that is not a list of three expressions");
    for (size_t i = 0; i < 3 && result == VKS_OK; i++) {
        result = parse_edge(p, where, "robin", json_array_get(list, i), side, &numbers[i]);
    }
    if (result == VKS_OK) {
        const uint32_t a =
            make(p, VKS_OP_MULTIPLY, vks_node_number(&p->expressions, 0.5), numbers[0]);
        const uint32_t b = make(p, VKS_OP_DIVIDE, numbers[1], beyond(p));
        const uint32_t inner = make(p, VKS_OP_MULTIPLY, m, make(p, VKS_OP_SUBTRACT, a, b));
        *ghost = make(p, VKS_OP_DIVIDE, make(p, VKS_OP_SUBTRACT, numbers[2], inner),
                      make(p, VKS_OP_ADD, a, b));
    }
    return result;
}

/* One side of a field: {"value": E}, {"slope": E} or {"robin": [A, B, C]}. */
static enum vks_result parse_side(struct vks_formula_program *p, const char *where,
                                  const json_t *object, uint32_t side, uint32_t m, int64_t *ghost)
{
    const json_t *value = json_object_get(object, "value");
    const json_t *slope = json_object_get(object, "slope");
    const json_t *robin = json_object_get(object, "robin");
    uint32_t node = 0;
    enum vks_result result = VKS_OK;
    if (json_object_size(object) != 1 || (!value && !slope && !robin)) {
        return vks_formula_wrong(where, "is none of \"periodic\", \"no-flux\", {\"value\": E}, "
                                        "{\"slope\": E} and {\"robin\": [A, B, C]}");
    }
    if (robin) {
        return parse_robin(p, where, robin, side, m, ghost);
    }
    result = parse_edge(p, where, value ? "value" : "slope", value ? value : slope, side, &node);
    if (result == VKS_OK) {
        const uint32_t two = vks_node_number(&p->expressions, 2);
        *ghost = value ? make(p, VKS_OP_SUBTRACT, make(p, VKS_OP_MULTIPLY, two, node), m)
                       : make(p, VKS_OP_ADD, m, make(p, VKS_OP_MULTIPLY, node, beyond(p)));
    }
    return result;
}

/* The edges of a field, and which of its axes are periodic. */
static enum vks_result read_edges(struct vks_formula *f, struct vks_formula_program *p,
                                  uint32_t field, uint32_t *periodic)
{
    char where[128];
    const uint32_t sides = 2 * f->names.dimensions;
    const json_t *fields = json_object_get(f->json, "fields");
    const json_t *own =
        json_object_get(json_object_get(fields, f->names.fields[field].name), "boundary");
    const json_t *edges = own ? own : json_object_get(f->json, "boundary");
    const uint32_t m = vks_node_leaf(&p->expressions, VKS_OP_FIELD, field);
    const char *known[VKS_FORMULA_SIDES + 1] = {NULL};
    enum vks_result result = VKS_OK;
    uint32_t periodic_sides = 0;
    memcpy(known, side_names, sides * sizeof(*known));
    if (json_is_object(edges)) {
        result = vks_formula_check_keys(edges, known, "boundary");
    }
    for (uint32_t side = 0; side < sides && result == VKS_OK; side++) {
        const json_t *edge = json_is_object(edges) ? json_object_get(edges, known[side]) : edges;
        const char *word = edge                    ? json_string_value(edge)
                           : json_is_object(edges) ? "no-flux"
                                                   : "periodic";
        snprintf(where, sizeof(where), "%s%sboundary.%s", own ? f->names.fields[field].name : "",
                 own ? "." : "", known[side]);
        if (word && strcmp(word, "periodic") == 0) {
            periodic_sides |= 1U << side;
        } else if (!word || strcmp(word, "no-flux") != 0) {
            result = parse_side(p, where, edge, side, m, &p->ghosts.nodes[field][side]);
        }
    }
    for (uint32_t axis = 0; axis < f->names.dimensions && result == VKS_OK; axis++) {
        const uint32_t both = periodic_sides >> 2 * axis & 3;
        *periodic |= both == 3 ? 1U << axis : 0;
        if (both == 1 || both == 2) {
            result = vks_formula_wrong(known[2 * axis + (both == 1 ? 1 : 0)],
                                       "is not periodic, but the opposite side is");
        }
    }
    return result;
}

static enum vks_result read_boundary(struct vks_formula *f, struct vks_formula_program *p)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_FORMULA_ALL_FIELDS; i++) {
        for (size_t side = 0; side < VKS_FORMULA_SIDES; side++) {
            p->ghosts.nodes[i][side] = VKS_FORMULA_MIRRORED;
        }
    }
    for (uint32_t i = 0; i < f->field_count && f->by_side && result == VKS_OK; i++) {
        uint32_t periodic = 0;
        result = read_edges(f, p, i, &periodic);
        if (result == VKS_OK && i > 0 && periodic != f->periodic_axes) {
            result = vks_formula_wrong(f->names.fields[i].name,
                                       "has edges that are periodic where those of another field "
                                       "are not, or the reverse");
        }
        f->periodic_axes = periodic;
    }
    return result;
}

/* --- the limit of the time step -------------------------------------------------------------- */

static uint32_t operate(struct vks_formula_program *p, const char *name, uint32_t node)
{
    const struct vks_operator *operator= vks_operators;
    while (strcmp(operator->name, name) != 0) {
        operator++;
    }
    return operator->make(&p->expressions, &node);
}

/* Records the term if it is a constant times the operator. */
static bool take_term(struct vks_formula_program *p, uint32_t term, uint32_t operated,
                      struct vks_formula_term *found)
{
    const struct vks_node *node = &p->expressions.nodes[term];
    const bool product = node->op == VKS_OP_MULTIPLY, quotient = node->op == VKS_OP_DIVIDE;
    found->node = UINT32_MAX;
    if (term == operated) {
        return true;
    }
    for (uint32_t i = 0; i < 2 && (product || (quotient && i == 0)); i++) {
        if (node->args[i] == operated && p->expressions.nodes[node->args[1 - i]].constant) {
            found->node = node->args[1 - i];
            found->divides = quotient;
            return true;
        }
    }
    return false;
}

/* Looks for such terms in the sum that is a field's rate. */
static enum vks_result find_terms(struct vks_formula_program *p, uint32_t field,
                                  enum vks_formula_operation operation)
{
    enum { ADDED = 1, SUBTRACTED = 2 };
    static const char *const names[VKS_TERMS] = {"lap", "bilap", "dx", "dy", "dz"};
    const struct vks_expressions *e = &p->expressions;
    const uint32_t u = vks_node_leaf(&p->expressions, VKS_OP_FIELD, field);
    const uint32_t operated = operate(p, names[operation], u), root = p->rates[field];
    struct vks_formula_term found = {.field = field, .operation = operation};
    unsigned char *terms = e->result == VKS_OK ? calloc((size_t)root + 1, 1) : NULL;
    if (!terms) {
        return e->result == VKS_OK ? vks_fail_memory() : e->result;
    }
    terms[root] = ADDED;
    for (uint32_t i = root + 1; i-- > 0 && p->term_count < VKS_FORMULA_TERMS;) {
        const struct vks_node *node = &e->nodes[i];
        const unsigned char reverse = terms[i] == ADDED ? SUBTRACTED : ADDED;
        if (terms[i] && take_term(p, i, operated, &found)) {
            found.negative = terms[i] == SUBTRACTED;
            p->terms[p->term_count++] = found;
        } else if (terms[i] && (node->op == VKS_OP_ADD || node->op == VKS_OP_SUBTRACT)) {
            terms[node->args[0]] = terms[i];
            terms[node->args[1]] = node->op == VKS_OP_ADD ? terms[i] : reverse;
        } else if (terms[i] && node->op == VKS_OP_NEGATE) {
            terms[node->args[0]] = reverse;
        }
    }
    free(terms);
    return VKS_OK;
}

static enum vks_result find_all_terms(struct vks_formula *f, struct vks_formula_program *p)
{
    const enum vks_formula_operation end = f->scheme == VKS_SCHEME_MAP     ? VKS_TERM_LAP
                                           : f->scheme != VKS_SCHEME_EULER ? VKS_TERM_DX
                                           : f->model.volumes              ? VKS_TERMS
                                                                           : VKS_TERM_DZ;
    enum vks_result result = VKS_OK;
    for (uint32_t i = 0; i < f->field_count; i++) {
        for (uint32_t operation = 0; operation < end && result == VKS_OK; operation++) {
            result = find_terms(p, i, (enum vks_formula_operation)operation);
        }
    }
    return result;
}

/* --- waves ----------------------------------------------------------------------------------- */

/* Whether two fields are an equation of second order in time: the rate of one depends only on the
 * other, whose rate depends on it. `reads` has the fields that each rate depends on, as bits. */
static bool is_second_order(const uint8_t *reads, uint32_t count)
{
    bool found = false;
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < count; b++) {
            found = found || (a != b && reads[a] == 1U << b && (reads[b] >> a & 1));
        }
    }
    return found;
}

/* Where euler is the wrong scheme, the messages of fields say so. */
static enum vks_result advise(struct vks_formula *f, struct vks_formula_program *p)
{
    const struct vks_expressions *e = &p->expressions;
    uint8_t rates[VKS_FORMULA_FIELDS];
    if (f->scheme != VKS_SCHEME_EULER || f->programs) { /* the first has done it */
        return VKS_OK;
    }
    uint8_t *reads = calloc(e->node_count, 1);
    enum vks_result result = reads ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; reads && i < e->node_count; i++) {
        const struct vks_node *node = &e->nodes[i];
        reads[i] = node->op == VKS_OP_FIELD ? (uint8_t)(1U << node->index) : 0;
        for (uint32_t arg = 0; arg < vks_op_args(node->op); arg++) {
            reads[i] |= reads[node->args[arg]];
        }
    }
    for (uint32_t i = 0; reads && i < f->field_count; i++) {
        rates[i] = reads[p->rates[i]];
    }
    const bool waves = reads && is_second_order(rates, f->field_count);
    for (uint32_t i = 0; i < f->field_count && waves; i++) {
        f->failures[i] = vks_formula_text(
            f, "%s, or the scheme symplectic or rk4: waves grow in euler", f->failures[i]);
        result = f->failures[i] ? result : vks_fail_memory();
    }
    free(reads);
    return result;
}

/* --- the whole ------------------------------------------------------------------------------- */

static enum vks_result emit_stage(struct vks_formula *f, struct vks_formula_program *p,
                                  struct vks_formula_stage *stage)
{
    for (size_t fours = 0; fours < (p->edges_vary ? 1 : 2); fours++) {
        stage->pass.lanes = fours ? 4 : 1;
        stage->shaders[fours] = vks_formula_emit(&p->expressions, f->by_side ? &p->ghosts : NULL,
                                                 &stage->pass, &p->constants);
        if (!stage->shaders[fours]) {
            return vks_error_last()->result;
        }
    }
    return VKS_OK;
}

static enum vks_result emit_all(struct vks_formula *f, struct vks_formula_program *p)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < p->step_count && result == VKS_OK; i++) {
        result = emit_stage(f, p, &p->steps[i]);
    }
    for (size_t i = 0; i < f->start_count && result == VKS_OK; i++) {
        result = emit_stage(f, p, &p->starts[i]);
    }
    return result;
}

enum vks_result vks_formula_make(struct vks_formula *formula, struct vks_formula_program *program)
{
    enum vks_result (*const parts[])(struct vks_formula *, struct vks_formula_program *) = {
        read_images,   read_lets,      read_rates,
        advise,        read_starts,    read_stops,
        read_boundary, find_all_terms, vks_formula_make_steps,
        emit_all};
    enum vks_result (*const of_compound[])(struct vks_formula *, struct vks_formula_program *) = {
        read_lets, vks_compound_make_steps, emit_all};
    const bool is_compound = formula->compound != NULL;
    const size_t count = is_compound ? VKS_COUNT(of_compound) : VKS_COUNT(parts);
    enum vks_result result = VKS_OK;
    program->expressions = formula->names;
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = (is_compound ? of_compound : parts)[i](formula, program);
    }
    return result;
}

void vks_formula_program_free(struct vks_formula_program *program)
{
    for (size_t fours = 0; fours < 2; fours++) {
        for (size_t i = 0; i < VKS_FORMULA_STAGES; i++) {
            free(program->steps[i].shaders[fours]);
        }
        for (size_t i = 0; i < VKS_FORMULA_STARTS; i++) {
            free(program->starts[i].shaders[fours]);
        }
    }
    vks_expressions_free(&program->expressions);
    free(program);
}
