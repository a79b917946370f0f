/* SPDX-License-Identifier: MIT */
/* The passes of a step, by scheme. Stages between them are fields of their own, after the model's:
 * "u.1", "u.2", ... */
#include <string.h>

#include "base/error.h"
#include "formula/private.h"

static uint32_t field(struct vks_expressions *e, uint32_t index)
{
    return vks_node_leaf(e, VKS_OP_FIELD, index);
}

static uint32_t add(struct vks_expressions *e, uint32_t a, uint32_t b)
{
    return vks_node_make(e, VKS_OP_ADD, a, b, 0);
}

static uint32_t times(struct vks_expressions *e, double factor, uint32_t a)
{
    return vks_node_make(e, VKS_OP_MULTIPLY, vks_node_number(e, factor), a, 0);
}

/* `share` of dt. */
static uint32_t step_of(struct vks_expressions *e, double share)
{
    const uint32_t dt = vks_node_leaf(e, VKS_OP_PARAMETER, VKS_PARAMETER_DT);
    return share == 1 ? dt : times(e, share, dt);
}

/* u + share dt rate */
static uint32_t advanced(struct vks_expressions *e, uint32_t u, double share, uint32_t rate)
{
    return add(e, u, vks_node_make(e, VKS_OP_MULTIPLY, step_of(e, share), rate, 0));
}

/* The times of the stages, in steps; the first are the model's fields. */
static const double *times_of(enum vks_formula_scheme scheme)
{
    static const double heun[] = {0, 1}, rk4[] = {0, 0.5, 0.5, 1};
    return scheme == VKS_SCHEME_RK4 ? rk4 : heun;
}

uint32_t vks_formula_stages(enum vks_formula_scheme scheme)
{
    return scheme == VKS_SCHEME_RK4 ? 4 : scheme == VKS_SCHEME_HEUN ? 2 : 1;
}

/* An expression of the fields of a stage, at its time. */
static uint32_t at_stage(struct vks_formula *f, struct vks_formula_program *p, uint32_t node,
                         uint32_t stage)
{
    return stage == 0 ? node
                      : vks_node_shift(&p->expressions, node, stage * f->field_count,
                                       times_of(f->scheme)[stage]);
}

static struct vks_formula_stage *add_pass(struct vks_formula_program *p, const char *name)
{
    struct vks_formula_stage *stage = &p->steps[p->step_count++];
    stage->name = name;
    return stage;
}

static void add_output(struct vks_formula_stage *stage, uint32_t index, uint32_t node, bool next)
{
    stage->pass.outputs[stage->pass.output_count++] =
        (struct vks_formula_output){.field = index, .node = node, .next = next};
}

/* Declares the fields of the stages after the first, and what is beyond their edges. */
static void add_stages(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_expressions *e = &p->expressions;
    for (uint32_t stage = 1; stage < vks_formula_stages(f->scheme); stage++) {
        for (uint32_t i = 0; i < f->field_count; i++) {
            const uint32_t at = stage * f->field_count + i;
            e->fields[at] = e->fields[i];
            e->fields[at].name = vks_formula_text(f, "%s.%u", e->fields[i].name, stage);
            if (!e->fields[at].name) {
                e->result = vks_fail_memory();
            }
            for (uint32_t side = 0; side < VKS_FORMULA_SIDES; side++) {
                const int64_t node = p->ghosts.nodes[i][side];
                p->ghosts.nodes[at][side] =
                    node == VKS_FORMULA_MIRRORED ? node : at_stage(f, p, (uint32_t)node, stage);
            }
        }
    }
}

/* Adds the pass of the next output, unless the last one takes it: a pass has all fields of a stage
 * and `each` further buffers for an output, and some devices take only FLOOR. */
static struct vks_formula_stage *pass_for(struct vks_formula *f, struct vks_formula_program *p,
                                          const char *name, uint32_t index, uint32_t each)
{
    enum { FLOOR = 24, OTHERS = 3 }; /* numbers, status, clock */
    const uint32_t outputs = (FLOOR - OTHERS - f->field_count) / each;
    if (index == 0) {
        return add_pass(p, name);
    }
    if (index % outputs == 0) {
        const char *part = vks_formula_text(f, "%s, part %u", name, index / outputs + 1);
        return add_pass(p, part ? part : name);
    }
    return &p->steps[p->step_count - 1];
}

/* A pass that makes the fields of a stage: u + share dt f(the stage before it). */
static void add_stage(struct vks_formula *f, struct vks_formula_program *p, const char *name,
                      uint32_t stage, double share)
{
    struct vks_expressions *e = &p->expressions;
    for (uint32_t i = 0; i < f->field_count; i++) {
        struct vks_formula_stage *pass = pass_for(f, p, name, i, stage == 1 ? 1 : 2);
        const uint32_t rate = at_stage(f, p, p->rates[i], stage - 1);
        add_output(pass, stage * f->field_count + i, advanced(e, field(e, i), share, rate), false);
    }
}

static void make_heun(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_expressions *e = &p->expressions;
    add_stage(f, p, "step 1", 1, 1);
    struct vks_formula_stage *pass = add_pass(p, "step 2");
    for (uint32_t i = 0; i < f->field_count; i++) {
        const uint32_t sum = add(e, p->rates[i], at_stage(f, p, p->rates[i], 1));
        add_output(pass, i, advanced(e, field(e, i), 0.5, sum), true);
    }
}

/* u + (a - u + 2 (b - u) + c - u) / 3 + dt f(c) / 6, in which a, b and c are the stages: the
 * classical method without storing the rates. */
static void make_rk4(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_expressions *e = &p->expressions;
    const uint32_t n = f->field_count;
    add_stage(f, p, "step 1", 1, 0.5);
    add_stage(f, p, "step 2", 2, 0.5);
    add_stage(f, p, "step 3", 3, 1);
    for (uint32_t i = 0; i < n; i++) {
        struct vks_formula_stage *pass = pass_for(f, p, "step 4", i, 4);
        uint32_t rises[3];
        for (uint32_t stage = 0; stage < 3; stage++) {
            rises[stage] =
                vks_node_make(e, VKS_OP_SUBTRACT, field(e, (stage + 1) * n + i), field(e, i), 0);
        }
        const uint32_t sum = add(e, add(e, rises[0], times(e, 2, rises[1])), rises[2]);
        const uint32_t middle = add(e, field(e, i), times(e, 1.0 / 3, sum));
        add_output(pass, i, advanced(e, middle, 1.0 / 6, at_stage(f, p, p->rates[i], 3)), true);
    }
}

/* Fields in their order; later ones see the new values of earlier ones. */
static void make_symplectic(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_expressions *e = &p->expressions;
    for (uint32_t i = 0; i < f->field_count; i++) {
        const char *name = vks_formula_text(f, "step of %s", e->fields[i].name);
        add_output(add_pass(p, name ? name : "step"), i, advanced(e, field(e, i), 1, p->rates[i]),
                   true);
    }
}

static void make_one(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_expressions *e = &p->expressions;
    struct vks_formula_stage *pass = add_pass(p, "step");
    for (uint32_t i = 0; i < f->field_count; i++) {
        const uint32_t rate = p->rates[i];
        add_output(pass, i, f->scheme == VKS_SCHEME_MAP ? rate : advanced(e, field(e, i), 1, rate),
                   true);
    }
}

enum vks_result vks_formula_make_steps(struct vks_formula *formula,
                                       struct vks_formula_program *program)
{
    add_stages(formula, program);
    if (formula->scheme == VKS_SCHEME_HEUN) {
        make_heun(formula, program);
    } else if (formula->scheme == VKS_SCHEME_RK4) {
        make_rk4(formula, program);
    } else if (formula->scheme == VKS_SCHEME_SYMPLECTIC) {
        make_symplectic(formula, program);
    } else {
        make_one(formula, program);
    }
    struct vks_formula_pass *first = &program->steps[0].pass;
    memcpy(first->stops, program->stops, sizeof(first->stops));
    first->stop_count = program->stop_count;
    return program->expressions.result;
}
