/* SPDX-License-Identifier: MIT */
/* The passes of a step, by scheme. Stages between them are fields of their own, after the model's:
 * "u.1", "u.2", ... */
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

/* The rate of a field at a stage, from the fields `stage` x field_count places further. */
static uint32_t rate_at(struct vks_formula *f, uint32_t index, uint32_t stage, double time)
{
    return stage == 0
               ? f->rates[index]
               : vks_node_shift(&f->expressions, f->rates[index], stage * f->field_count, time);
}

static struct vks_formula_stage *add_pass(struct vks_formula *f, const char *name)
{
    struct vks_formula_stage *stage = &f->steps[f->step_count++];
    stage->name = name;
    return stage;
}

static void add_output(struct vks_formula_stage *stage, uint32_t index, uint32_t node, bool next)
{
    stage->pass.outputs[stage->pass.output_count++] =
        (struct vks_formula_output){.field = index, .node = node, .next = next};
}

/* Declares the fields of so many stages. */
static void add_stages(struct vks_formula *f, uint32_t stages)
{
    struct vks_expressions *e = &f->expressions;
    for (uint32_t stage = 1; stage <= stages; stage++) {
        for (uint32_t i = 0; i < f->field_count; i++) {
            struct vks_formula_name *name = &e->fields[stage * f->field_count + i];
            *name = e->fields[i];
            name->name = vks_formula_text(f, "%s.%u", e->fields[i].name, stage);
            if (!name->name) {
                e->result = vks_fail_memory();
            }
        }
    }
    e->all_fields = (stages + 1) * f->field_count;
}

/* A pass that makes the fields of a stage: u + share dt f(the stage before it, `time` later). */
static void add_stage(struct vks_formula *f, const char *name, uint32_t stage, double share,
                      double time)
{
    struct vks_formula_stage *pass = add_pass(f, name);
    for (uint32_t i = 0; i < f->field_count; i++) {
        const uint32_t rate = rate_at(f, i, stage - 1, time);
        add_output(pass, stage * f->field_count + i,
                   advanced(&f->expressions, field(&f->expressions, i), share, rate), false);
    }
}

static void make_heun(struct vks_formula *f)
{
    struct vks_expressions *e = &f->expressions;
    add_stages(f, 1);
    add_stage(f, "step 1", 1, 1, 0);
    struct vks_formula_stage *pass = add_pass(f, "step 2");
    for (uint32_t i = 0; i < f->field_count; i++) {
        const uint32_t sum = add(e, rate_at(f, i, 0, 0), rate_at(f, i, 1, 1));
        add_output(pass, i, advanced(e, field(e, i), 0.5, sum), true);
    }
}

/* u + (a - u + 2 (b - u) + c - u) / 3 + dt f(c) / 6, in which a, b and c are the stages: the
 * classical method without storing the rates. */
static void make_rk4(struct vks_formula *f)
{
    struct vks_expressions *e = &f->expressions;
    const uint32_t n = f->field_count;
    add_stages(f, 3);
    add_stage(f, "step 1", 1, 0.5, 0);
    add_stage(f, "step 2", 2, 0.5, 0.5);
    add_stage(f, "step 3", 3, 1, 0.5);
    struct vks_formula_stage *pass = add_pass(f, "step 4");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rises[3];
        for (uint32_t stage = 0; stage < 3; stage++) {
            rises[stage] =
                vks_node_make(e, VKS_OP_SUBTRACT, field(e, (stage + 1) * n + i), field(e, i), 0);
        }
        const uint32_t sum = add(e, add(e, rises[0], times(e, 2, rises[1])), rises[2]);
        const uint32_t middle = add(e, field(e, i), times(e, 1.0 / 3, sum));
        add_output(pass, i, advanced(e, middle, 1.0 / 6, rate_at(f, i, 3, 1)), true);
    }
}

/* Fields in their order; later ones see the new values of earlier ones. */
static void make_symplectic(struct vks_formula *f)
{
    struct vks_expressions *e = &f->expressions;
    for (uint32_t i = 0; i < f->field_count; i++) {
        const char *name = vks_formula_text(f, "step of %s", e->fields[i].name);
        add_output(add_pass(f, name ? name : "step"), i, advanced(e, field(e, i), 1, f->rates[i]),
                   true);
    }
}

enum vks_result vks_formula_make_steps(struct vks_formula *formula)
{
    struct vks_expressions *e = &formula->expressions;
    e->all_fields = formula->field_count;
    if (formula->scheme == VKS_SCHEME_HEUN) {
        make_heun(formula);
    } else if (formula->scheme == VKS_SCHEME_RK4) {
        make_rk4(formula);
    } else if (formula->scheme == VKS_SCHEME_SYMPLECTIC) {
        make_symplectic(formula);
    } else {
        struct vks_formula_stage *pass = add_pass(formula, "step");
        for (uint32_t i = 0; i < formula->field_count; i++) {
            const uint32_t rate = formula->rates[i];
            add_output(pass, i,
                       formula->scheme == VKS_SCHEME_MAP ? rate : advanced(e, field(e, i), 1, rate),
                       true);
        }
    }
    return e->result;
}
