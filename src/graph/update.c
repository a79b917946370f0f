/* SPDX-License-Identifier: MIT */
/* Live updates: new push constants make recorded batches stale, new specialization constants and
 * workgroups replace a pipeline, anything else needs a new graph or, in a bound one, new
 * buffers. */
#include "graph/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"

/* --- comparing ------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Units must be equal, too: values in the old unit may still arrive. */
static bool same_scalars(const struct vks_scalar *a, const struct vks_scalar *b)
{
    while (a && b && a->name && b->name && strcmp(a->name, b->name) == 0 && a->unit == b->unit &&
           !a->failures == !b->failures) {
        a++;
        b++;
    }
    return a == b || (a && b && !a->name && !b->name);
}

bool vks_is_same_field(const struct vks_field *a, const struct vks_field *b)
{
    return strcmp(a->name, b->name) == 0 && a->element == b->element && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) == 0 &&
           a->persistent == b->persistent && a->ping_pong == b->ping_pong && a->bound == b->bound &&
           same_text(a->carries, b->carries) && same_text(a->items, b->items) &&
           same_scalars(a->watched, b->watched);
}

static bool same_uses(const struct vks_pass *a, const struct vks_pass *b)
{
    bool same = a->use_count == b->use_count;
    for (size_t i = 0; same && i < a->use_count; i++) {
        same = a->uses[i].index == b->uses[i].index && a->uses[i].access == b->uses[i].access &&
               same_text(a->uses[i].as, b->uses[i].as);
    }
    return same;
}

/* True if the passes have the same place in the schedule and the same buffers. */
static bool same_constants(const struct vks_pass *a, const struct vks_pass *b)
{
    return a->constants_size == b->constants_size &&
           (a->constants_size == 0 || memcmp(a->constants, b->constants, a->constants_size) == 0);
}

static bool same_role(const struct vks_pass *a, const struct vks_pass *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->shader, b->shader) == 0 &&
           a->feature == b->feature && same_text(a->without, b->without) && a->when == b->when &&
           a->every == b->every && a->steps_per_dispatch == b->steps_per_dispatch &&
           same_text(a->joins[0], b->joins[0]) && same_text(a->joins[1], b->joins[1]) &&
           same_uses(a, b) && a->fixed == b->fixed && (!a->fixed || same_constants(a, b));
}

static bool same_pipeline(const struct vks_pass *a, const struct vks_pass *b)
{
    const struct vks_specialization *x = a->specializations, *y = b->specializations;
    while (x->name && y->name && strcmp(x->name, y->name) == 0 && x->value == y->value) {
        x++;
        y++;
    }
    return !x->name && !y->name && memcmp(a->items, b->items, sizeof(a->items)) == 0 &&
           memcmp(a->group, b->group, sizeof(a->group)) == 0 &&
           memcmp(a->per_group, b->per_group, sizeof(a->per_group)) == 0 &&
           a->subgroup == b->subgroup && a->shared_bytes == b->shared_bytes;
}

static enum vks_result fail_structure(const char *what, const char *kind, const char *name)
{
    return vks_fail(VKS_ERROR_USAGE, "it %s the %s '%s', which needs a new simulation", what, kind,
                    name);
}

/* Fails if `a` has a field or pass that `b` lacks; `what` is the message's verb. */
static enum vks_result check_names(const struct vks_declaration *a, const struct vks_declaration *b,
                                   const char *what)
{
    for (size_t i = 0; i < a->field_count; i++) {
        if (vks_find_field(b, a->fields[i].name) < 0) {
            return fail_structure(what, "field", a->fields[i].name);
        }
    }
    for (size_t i = 0; i < a->pass_count; i++) {
        if (vks_find_pass(b, a->passes[i].name) < 0) {
            return fail_structure(what, "pass", a->passes[i].name);
        }
    }
    return VKS_OK;
}

static bool same_meetings(const struct vks_declaration *a, const struct vks_declaration *b)
{
    bool same = a->meeting_count == b->meeting_count;
    for (size_t i = 0; same && i < a->meeting_count; i++) {
        const struct vks_declared_meeting *x = &a->meetings[i], *y = &b->meetings[i];
        same = x->when == y->when && x->place == y->place && x->halo_count == y->halo_count &&
               memcmp(x->halos, y->halos, x->halo_count * sizeof(*x->halos)) == 0 &&
               x->sent == y->sent && x->received == y->received && x->highest == y->highest &&
               x->summed == y->summed && x->sums == y->sums && x->part == y->part &&
               x->whole == y->whole;
    }
    return same;
}

/* Fails if the fields differ, the roles of passes, or where ranks meet. */
static enum vks_result check_structure(const struct vks_declaration *old,
                                       const struct vks_declaration *new)
{
    enum vks_result result = check_names(new, old, "adds");
    if (result == VKS_OK) {
        result = check_names(old, new, "removes");
    }
    for (size_t i = 0; result == VKS_OK && i < old->field_count; i++) {
        if (!vks_is_same_field(&old->fields[i], &new->fields[i])) {
            result = fail_structure("changes", "field", old->fields[i].name);
        }
    }
    for (size_t i = 0; result == VKS_OK && i < old->pass_count; i++) {
        if (!same_role(&old->passes[i], &new->passes[i])) {
            result = fail_structure("changes", "pass", old->passes[i].name);
        }
    }
    return result == VKS_OK && !same_meetings(old, new)
               ? vks_fail(VKS_ERROR_USAGE, "it changes where ranks meet")
               : result;
}

static bool same_source(const struct vks_field *a, const struct vks_field *b)
{
    return same_text(a->made_from, b->made_from) && same_text(a->image, b->image) &&
           a->image_fit == b->image_fit;
}

static bool is_of_start(enum vks_when when)
{
    return when == VKS_AT_START || when == VKS_WHEN_READY;
}

/* Whether passes that run later than at the start use the field. */
static bool is_used_later(const struct vks_declaration *declaration, size_t field)
{
    bool used = false;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        for (size_t j = 0; !is_of_start(pass->when) && j < pass->use_count; j++) {
            used = used || (size_t)pass->uses[j].index == field;
        }
    }
    return used;
}

enum vks_difference vks_declaration_compare(const struct vks_declaration *old,
                                            const struct vks_declaration *new)
{
    enum vks_difference difference = VKS_EQUAL;
    if (check_structure(old, new) != VKS_OK) {
        return VKS_DIFFERS_IN_STRUCTURE;
    }
    for (size_t i = 0; i < new->pass_count; i++) {
        const struct vks_pass *a = &old->passes[i], *b = &new->passes[i];
        const enum vks_difference here =
            is_of_start(b->when) ? VKS_DIFFERS_AT_START : VKS_DIFFERS_LIVE;
        if (here > difference && !(same_constants(a, b) && same_pipeline(a, b))) {
            difference = here;
        }
    }
    for (size_t i = 0; i < new->field_count; i++) {
        const bool of_start = new->fields[i].persistent || !is_used_later(new, i);
        const enum vks_difference here = of_start ? VKS_DIFFERS_AT_START : VKS_DIFFERS_LIVE;
        if (here > difference && !same_source(&old->fields[i], &new->fields[i])) {
            difference = here;
        }
    }
    return difference;
}

/* Marks the fields (of the view, of maps) whose source has changed. True if one has lost its source
 * and must be computed by passes. */
static bool mark_unfilled(struct vks_graph *graph, const struct vks_declaration *new)
{
    bool lost = false;
    for (size_t i = 0; i < new->field_count; i++) {
        const struct vks_field *a = &graph->declaration.fields[i], *b = &new->fields[i];
        if (!b->persistent && b->made_from && !same_source(a, b)) {
            graph->unfilled[i] = true;
        }
        lost = lost || (!b->persistent && a->made_from && !b->made_from);
    }
    return lost;
}

/* --- replacing ------------------------------------------------------------------------------- */

/* The new pipeline of a pass. */
struct replacement {
    struct vks_pipeline pipeline;
    uint64_t range;
    uint32_t groups[3];
    bool ready;
};

/* Builds the new pipeline of a pass. */
static enum vks_result make_pipeline(struct vks_graph *graph, const struct vks_declaration *new,
                                     size_t index, struct replacement *replacement)
{
    const struct vks_pass *pass = &new->passes[index];
    replacement->ready = true;
    replacement->range = vks_pass_range(graph->gpu, new, pass);
    const enum vks_result result = vks_create_pass_pipeline(
        graph->gpu, new, pass, replacement->range, VKS_BUILD_WHOLE, &replacement->pipeline);
    return result == VKS_OK ? vks_size_dispatch(graph->gpu, pass, replacement->groups) : result;
}

/* Builds the pipelines that differ, *count in number. */
static enum vks_result make_pipelines(struct vks_graph *graph, const struct vks_declaration *new,
                                      struct replacement *replacements, size_t *count)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < new->pass_count; i++) {
        if (!same_pipeline(&graph->declaration.passes[i], &new->passes[i])) {
            result = make_pipeline(graph, new, i, &replacements[i]);
            (*count)++;
        }
    }
    return result;
}

static void use_pipeline(struct vks_graph *graph, size_t index, struct replacement *replacement)
{
    struct vks_pass_state *state = &graph->passes[index];
    const struct vks_pipeline old = state->pipeline;
    state->pipeline = replacement->pipeline;
    replacement->pipeline = old; /* destroyed with the rest */
    vks_pipeline_destroy(graph->gpu, &state->sliced);
    state->sliced = (struct vks_pipeline){0};
    state->range = replacement->range;
    memcpy(state->groups, replacement->groups, sizeof(state->groups));
}

/* True if a pass with that `when` differs. */
static bool changes(const struct vks_declaration *old, const struct vks_declaration *new,
                    enum vks_when when)
{
    bool differs = false;
    for (size_t i = 0; i < old->pass_count; i++) {
        differs = differs || (old->passes[i].when == when &&
                              (!same_constants(&old->passes[i], &new->passes[i]) ||
                               !same_pipeline(&old->passes[i], &new->passes[i])));
    }
    return differs;
}

static void drop_batches(struct vks_graph *graph)
{
    for (size_t i = 0; i < graph->batch_count; i++) {
        graph->batches[i]->stale = graph->batches[i]->stale || graph->batches[i]->steps > 0;
    }
}

/* Runs the AT_CHANGE passes; the host refills the fields that they use. */
static enum vks_result make_tables(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        for (size_t j = 0; pass->when == VKS_AT_CHANGE && j < pass->use_count; j++) {
            graph->unfilled[pass->uses[j].index] = true;
        }
    }
    enum vks_result result = vks_fill_tables(graph, NULL);
    if (result != VKS_OK) {
        return result;
    }
    return vks_run_once(graph, VKS_AT_CHANGE, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
}

enum vks_result vks_graph_update(struct vks_graph *graph, struct vks_declaration *declaration)
{
    struct vks_declaration *old = &graph->declaration;
    size_t changed = 0;
    bool tables = false; /* must be recomputed */
    enum vks_result result = declaration->result;
    if (result == VKS_OK && graph->exchanger && !vks_exchange_is_same(old, declaration)) {
        return vks_fail(VKS_ERROR_USAGE, "other ranks have other halos; it needs a new simulation");
    }
    const bool rebind = graph->from && graph->from_grown != graph->from->grown;
    if (result == VKS_OK &&
        (rebind || vks_declaration_compare(old, declaration) == VKS_DIFFERS_IN_STRUCTURE)) {
        return graph->from ? vks_graph_rebuild(graph, declaration)
               : graph->exchanger && declaration->slab.crowding > old->slab.crowding
                   ? vks_graph_grow(graph, declaration)
                   : VKS_ERROR_USAGE;
    }
    if (result != VKS_OK) {
        return result;
    }
    struct replacement *replacements = calloc(old->pass_count + 1, sizeof(*replacements));
    result = replacements ? make_pipelines(graph, declaration, replacements, &changed)
                          : vks_fail_memory();
    if (result == VKS_OK) {
        if (changes(old, declaration, VKS_EACH_STEP)) {
            drop_batches(graph);
        }
        tables = changes(old, declaration, VKS_AT_CHANGE);
        for (size_t i = 0; i < old->pass_count; i++) {
            if (replacements[i].ready) {
                use_pipeline(graph, i, &replacements[i]);
            }
        }
        if (changed > 0) {
            vks_message(VKS_LOG_VERBOSE, "%zu pipelines replaced", changed);
        }
        tables = mark_unfilled(graph, declaration) || tables;
        vks_declaration_free(old);
        *old = *declaration;
        *declaration = (struct vks_declaration){0};
    }
    for (size_t i = 0; replacements && i < graph->declaration.pass_count; i++) {
        vks_pipeline_destroy(graph->gpu, &replacements[i].pipeline);
    }
    free(replacements);
    return tables ? make_tables(graph) : result;
}

/* --- other shaders --------------------------------------------------------------------------- */

/* Whether another shader is to be used than the one that a pipeline was built of. */
static bool is_replaced(const struct vks_pipeline *pipeline, const struct vks_shader *now)
{
    return now && now != pipeline->shader && now->wide != pipeline->shader;
}

/* The same for `advance`, the last pass of each batch, which is not declared. */
static enum vks_result make_advance(struct vks_graph *graph, struct replacement *advance)
{
    if (graph->from || !is_replaced(&graph->advance, vks_shader_find(vks_advance_params.shader))) {
        return VKS_OK;
    }
    advance->ready = true;
    return vks_pipeline_create(graph->gpu, &advance->pipeline, &vks_advance_params);
}

/* Puts those that are ready in place. True if tables must be computed again. */
static bool use_reloaded(struct vks_graph *graph, struct replacement *replacements)
{
    const size_t count = graph->declaration.pass_count;
    bool tables = false;
    for (size_t i = 0; i < count; i++) {
        const enum vks_when when = graph->declaration.passes[i].when;
        if (replacements[i].ready) {
            tables = tables || when == VKS_AT_CHANGE;
            use_pipeline(graph, i, &replacements[i]);
            drop_batches(graph);
        }
    }
    if (replacements[count].ready) {
        const struct vks_pipeline old = graph->advance;
        graph->advance = replacements[count].pipeline;
        replacements[count].pipeline = old;
        drop_batches(graph);
    }
    return tables;
}

enum vks_result vks_graph_reload(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const size_t count = declaration->pass_count;
    struct replacement *replacements = calloc(count + 1, sizeof(*replacements));
    enum vks_result result = replacements ? VKS_OK : vks_fail_memory();
    bool tables = false;
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        if (is_replaced(&graph->passes[i].pipeline,
                        vks_pass_shader(graph->gpu, &declaration->passes[i]))) {
            result = make_pipeline(graph, declaration, i, &replacements[i]);
        }
    }
    if (result == VKS_OK) {
        result = make_advance(graph, &replacements[count]);
    }
    if (result == VKS_OK) {
        tables = use_reloaded(graph, replacements);
    }
    for (size_t i = 0; replacements && i <= count; i++) {
        vks_pipeline_destroy(graph->gpu, &replacements[i].pipeline);
    }
    free(replacements);
    return tables ? make_tables(graph) : result;
}
