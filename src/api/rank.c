/* SPDX-License-Identifier: MIT */
/* A simulation on several ranks: which rows each of them has. */
#include "api/rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "gpu/pipeline.h"
#include "ranks/slab.h"

enum { MAX_WHOLE = 6 }; /* fields */

/* Between two exchanges a rank also computes reach rows per step and side, so K steps cost about
 * c cells reach K more each, and an exchange costs F. The sum is least at K = sqrt(F / (c cells
 * reach)). On a GPU, F / c is about 2^26: 100 us, and 1.5 ps per cell. */
static uint32_t best_halo(uint64_t cells, uint32_t reach)
{
    const double steps = sqrt(0x1p26 / ((double)cells * reach));
    return steps < 1 ? reach : reach << (int)floor(log2(fmin(steps, 0x1p16)));
}

/* The rows along the slowest axis of a grid. */
static uint32_t rows_of(const uint64_t grid[3])
{
    return (uint32_t)(grid[0] > 1 ? grid[0] : grid[1]);
}

static enum vks_result choose_halo(const struct vks_declaration *whole, uint32_t count,
                                   uint64_t every, uint32_t *halo)
{
    const uint64_t *grid = whole->grid;
    const uint32_t rows = rows_of(grid), reach = whole->exchange.reach;
    const uint32_t least = vks_slab_first(rows, whole->exchange.grain, 1, count);
    if (whole->exchange.moves) {
        *halo = reach;
        return every <= 1
                   ? VKS_OK
                   : vks_fail_option(VKS_ERROR_USAGE, "exchange-every",
                                     "cannot be more than 1: %s move to other ranks in each step",
                                     whole->exchange.items);
    }
    if (every > 0) {
        *halo = every <= least / reach ? (uint32_t)every * reach : 0;
        return *halo > 0 ? VKS_OK
                         : vks_fail_option(VKS_ERROR_USAGE, "exchange-every",
                                           "%llu needs %llu rows of each neighbour, but %u ranks "
                                           "have %u",
                                           (unsigned long long)every,
                                           (unsigned long long)every * reach, count, least);
    }
    /* An eighth of the own rows at most, unless a step needs more. */
    const uint32_t best = best_halo(grid[0] * grid[1] * grid[2] / rows, reach);
    const uint32_t most = least / 8 / reach * reach;
    *halo = best < most ? best : most > reach ? most : reach;
    return VKS_OK;
}

/* The view of a whole field, whose values come from all ranks. `shape`: room for that of a plane.
 */
static struct vks_view_params params_of(const struct vks_settings *settings, unsigned planes,
                                        uint64_t shape[2])
{
    const struct vks_size size = settings->common.size;
    struct vks_view_params params =
        vks_view_of(settings, settings->common.view, planes & ~(unsigned)VKS_VIEW_BANDS, NULL);
    shape[0] = size.height;
    shape[1] = size.width;
    params.given = shape;
    return params;
}

/* Whether rank 0 draws the picture from all of its fields, and not from values of its rows: of a
 * volume, of points, and where it is larger than what it shows. */
static bool draws_whole(const struct vks_settings *settings)
{
    const struct vks_part *part = &settings->common.look.values.part;
    return settings->common.size.depth > 1 || !settings->common.view->field ||
           part->out_width > part->width || part->out_height > part->height;
}

/* --- scalars ---------------------------------------------------------------------------------- */

/* Whether ranks meet for a field. */
static bool is_met(const struct vks_declaration *frames, size_t index)
{
    bool met = false;
    for (size_t i = 0; i < frames->meeting_count; i++) {
        met = met || frames->meetings[i].highest == (int)index ||
              frames->meetings[i].summed == (int)index;
    }
    return met;
}

/* Whether all ranks have the same in a field of the steps or of frames: ranks meet for it, or it is
 * of the steps, has neither their rows nor their items, and frames only read it. */
static bool is_equal(const struct vks_declaration *steps, const struct vks_declaration *frames,
                     size_t index)
{
    const int source = vks_find_field(steps, frames->fields[index].name);
    const struct vks_field *own = source < 0 ? NULL : &steps->fields[source];
    return is_met(frames, index) || (own && !vks_is_split(steps, own) && !own->items &&
                                     (vks_field_access(frames, index) & ~(unsigned)VKS_READ) == 0);
}

/* Whether a field of frames is computed from what all ranks have alike. */
static bool is_combined(const struct vks_declaration *steps, const struct vks_declaration *frames,
                        size_t index)
{
    bool combined = true;
    for (size_t i = 0; i < frames->pass_count; i++) {
        const struct vks_pass *pass = &frames->passes[i];
        for (size_t k = 0; vks_pass_uses(pass, index) && k < pass->use_count; k++) {
            const size_t used = pass->uses[k].index;
            combined = combined && (used == index || is_equal(steps, frames, used));
        }
    }
    return combined || is_met(frames, index);
}

/* A scalar of frames, not of the steps. */
static bool is_frames(const struct vks_field *field)
{
    return field->watched && !field->bound;
}

/* Whether frames of slabs have the scalars of the whole: of a model whose own passes compute them
 * from the state, rank 0 needs that. */
static bool are_combined(const struct vks_settings *settings, const struct vks_declaration *steps)
{
    const struct vks_config config = vks_settings_config(settings);
    struct vks_declaration frames = {0};
    bool combined = true;
    vks_declare_frame(settings->model, &config, steps, &frames);
    for (size_t i = 0; i < frames.field_count; i++) {
        combined = combined && (!is_frames(&frames.fields[i]) || is_combined(steps, &frames, i));
    }
    vks_declaration_free(&frames);
    return combined;
}

/* Declares the fields of frames that hold scalars, which rank 0 gets from its frames of its slab.
 */
static void declare_scalars(const struct vks_settings *settings,
                            const struct vks_declaration *steps,
                            struct vks_declaration *declaration)
{
    const struct vks_config config = vks_settings_config(settings);
    struct vks_declaration frames = {0};
    vks_declare_frame(settings->model, &config, steps, &frames);
    vks_declaration_fail(declaration, frames.result);
    for (size_t i = 0; i < frames.field_count; i++) {
        if (is_frames(&frames.fields[i])) {
            const struct vks_field *field = &frames.fields[i];
            VKS_FIELD(declaration, .name = field->name, .element = field->element,
                      .rank = field->rank, .shape = {field->shape[0]}, .watched = field->watched);
        }
    }
    vks_declaration_free(&frames);
}

/* Puts them in rank 0's picture. */
static enum vks_result collect_scalars(vks_simulation *simulation)
{
    const struct vks_declaration *frames = vks_graph_declaration(simulation->values[0]);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < frames->field_count && result == VKS_OK; i++) {
        const struct vks_field *field = &frames->fields[i];
        void *data = is_frames(field) ? malloc(vks_field_bytes(field)) : NULL;
        if (is_frames(field)) {
            result = data ? vks_graph_download_to(simulation->values[0], field->name, data)
                          : vks_fail_memory();
        }
        if (data && result == VKS_OK) {
            result = vks_graph_upload(simulation->picture, field->name, data);
        }
        free(data);
    }
    return result;
}

/* Whether rank 0 makes frames of the state of all ranks, as one rank does. Others are faster. */
static bool draws_state(const struct vks_settings *settings, const struct vks_declaration *steps,
                        unsigned planes)
{
    return settings->common.look.values.mix.planes > 1 || vks_has_plane(planes, VKS_PLANE_CELLS) ||
           vks_has_plane(planes, VKS_PLANE_ITEMS) ||
           (settings->watch && !are_combined(settings, steps));
}

/* An item has one place in the rows and halos of a rank, also of the last, which has the most. */
static enum vks_result check_overlap(const struct vks_declaration *whole, uint32_t count,
                                     const struct vks_slab *slab)
{
    const uint32_t rows =
        slab->whole - vks_slab_first(slab->whole, whole->exchange.grain, count - 1, count);
    const uint32_t halo = vks_slab_halo(slab);
    return rows + 2 * (uint64_t)halo <= slab->whole
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "the halos of %u ranks overlap: they have %u rows on each side of up to "
                          "%u",
                          count, halo, rows);
}

enum vks_result vks_rank_slab(const struct vks_settings *settings, uint32_t index, uint32_t count,
                              uint64_t every, bool pictures, struct vks_slab *slab)
{
    struct vks_declaration whole = {0};
    struct vks_config config = vks_settings_config(settings);
    uint32_t halo;
    vks_declare_steps(settings, &whole);
    enum vks_result result = whole.result;
    config.slab.count = count;
    if (result == VKS_OK && settings->model->check) {
        result = settings->model->check(&config);
    }
    if (result == VKS_OK && whole.exchange.reach == 0) {
        result =
            vks_fail(VKS_ERROR_USAGE, "%s does not run on several ranks", settings->model->name);
    }
    if (result == VKS_OK) {
        result = choose_halo(&whole, count, every, &halo);
    }
    if (result == VKS_OK && pictures && !draws_whole(settings)) {
        const uint32_t reach = vks_view_reach(&settings->common.look, whole.grid + 1);
        halo = halo > reach ? halo : reach;
    }
    if (result == VKS_OK) {
        result = vks_slab_of(rows_of(whole.grid), whole.exchange.grain, halo, whole.exchange.closed,
                             index, count, slab);
    }
    if (result == VKS_OK && whole.exchange.items && !whole.exchange.moves) {
        result = check_overlap(&whole, count, slab);
    }
    if (result == VKS_OK && settings->model->check) { /* of its part of the grid */
        config.slab = *slab;
        result = settings->model->check(&config);
    }
    vks_declaration_free(&whole);
    return result;
}

bool vks_ranks_pay(const struct vks_settings *settings, uint32_t count, uint64_t every)
{
    /* Halos of a sixteenth of the own rows cost an eighth of their time, and exchanges as much.
     * Where ranks exchange in each step, that takes as long as to compute 4 million items. */
    const uint64_t items_per_rank = 4 << 20;
    struct vks_declaration whole = {0};
    struct vks_slab slab;
    const bool runs = vks_rank_slab(settings, 0, count, every, settings->pictures, &slab) == VKS_OK;
    vks_declare_steps(settings, &whole);
    const uint64_t *grid = whole.grid;
    const uint32_t rows = rows_of(grid), reach = whole.exchange.reach;
    bool pays = runs && whole.result == VKS_OK;
    if (pays && whole.exchange.moves) {
        pays = vks_find_items(&whole, whole.exchange.items)->count / count >= items_per_rank;
    } else if (pays) {
        pays = best_halo(grid[0] * grid[1] * grid[2] / rows, reach) <= rows / count / 16;
    }
    vks_declaration_free(&whole);
    return pays;
}

enum vks_result vks_rank_load(const struct vks_settings *settings, struct vks_rank_load *load)
{
    const struct vks_slab *slab = &settings->slab;
    struct vks_declaration steps = {0};
    vks_declare_steps(settings, &steps);
    const enum vks_result result = steps.result;
    if (result == VKS_OK) {
        const uint32_t halo = vks_slab_halo(slab);
        /* A rank in the middle has two neighbours. */
        const uint32_t halos = steps.exchange.closed && slab->count == 2 ? halo : 2 * halo;
        const bool within = steps.exchange.moves || steps.meeting_count > 0;
        *load = (struct vks_rank_load){
            .steps = within ? 0 : halo / steps.exchange.reach,
            .bytes = halos * vks_exchange_row_bytes(&steps),
            .rows = (double)halos / slab->rows,
        };
    }
    vks_declaration_free(&steps);
    return result;
}

enum vks_result vks_rank_fail(const vks_simulation *simulation, const char *what)
{
    return simulation->settings.slab.count > 1
               ? vks_fail(VKS_ERROR_USAGE, "%s is not possible on several ranks", what)
               : VKS_OK;
}

static enum vks_result make_room(void *user, uint32_t crowding)
{
    vks_simulation *simulation = user;
    const uint32_t before = simulation->settings.slab.crowding;
    simulation->settings.slab.crowding = crowding;
    vks_message(VKS_LOG_VERBOSE, "room for %u times as many items as there are on average",
                crowding);
    const enum vks_result result = vks_simulation_update(simulation);
    if (result != VKS_OK) {
        simulation->settings.slab.crowding = before;
    }
    return result == VKS_OK ? vks_simulation_fill(simulation, true) : result;
}

/* A digest of what must be the same on all ranks: the version, the options and the shaders. */
static enum vks_result digest_run(const vks_simulation *simulation, uint64_t *out)
{
    json_t *options = json_object();
    char *text = NULL, hex[33] = "";
    struct vks_digest *digest = vks_digest_create();
    enum vks_result result = options && digest
                                 ? vks_settings_to_json(&simulation->settings, options)
                                 : vks_fail_memory();
    if (result == VKS_OK) {
        text = json_dumps(options, JSON_COMPACT | JSON_SORT_KEYS);
        result = text ? VKS_OK : vks_fail_memory();
    }
    if (result == VKS_OK) {
        vks_digest_update(digest, VKS_VERSION, sizeof(VKS_VERSION));
        vks_digest_update(digest, text, strlen(text));
        for (size_t i = 0; i < vks_shader_count; i++) {
            const struct vks_shader *shader = &vks_shaders[i];
            vks_digest_update(digest, shader->words, shader->count * sizeof(*shader->words));
        }
        vks_digest_hex(digest, hex);
        hex[16] = '\0';
        *out = strtoull(hex, NULL, 16);
    }
    vks_digest_destroy(digest);
    free(text);
    json_decref(options);
    return result;
}

/* Fails on all ranks if one of them computes another run than rank 0. */
static enum vks_result compare_runs(const vks_simulation *simulation)
{
    const struct vks_transport *transport = &simulation->context->ranks;
    const uint32_t index = simulation->settings.slab.index;
    uint64_t own = 0;
    enum vks_result result = digest_run(simulation, &own);
    uint64_t first = index == 0 ? own : 0, other = 0;
    if (result == VKS_OK) {
        result = transport->combine(transport->user, VKS_HIGHEST, &first, 1);
    }
    if (result == VKS_OK) {
        other = own == first ? 0 : index;
        result = transport->combine(transport->user, VKS_HIGHEST, &other, 1);
    }
    return result == VKS_OK && other > 0
               ? vks_fail(VKS_ERROR_USAGE,
                          "rank %u computes another run than rank 0: its version of vksim, its "
                          "options or its shaders differ",
                          (unsigned)other)
               : result;
}

enum vks_result vks_rank_join(vks_simulation *simulation)
{
    const struct vks_transport *transport = &simulation->context->ranks;
    uint64_t planes = simulation->settings.slab.index == 0 ? simulation->planes : 0;
    enum vks_result result = compare_runs(simulation);
    if (result == VKS_OK) {
        result = vks_graph_join(simulation->graph, &simulation->context->ranks);
    }
    if (result == VKS_OK) {
        vks_graph_on_crowding(simulation->graph, &(struct vks_more_room){make_room, simulation});
        result = transport->combine(transport->user, VKS_HIGHEST, &planes, 1);
        simulation->planes = (unsigned)planes; /* only rank 0 has outputs, which need them */
    }
    return result;
}

enum vks_result vks_rank_agree(const vks_simulation *simulation, enum vks_result result)
{
    const struct vks_transport *transport = &simulation->context->ranks;
    uint64_t worst = (uint64_t)result;
    if (simulation->settings.slab.count < 2) {
        return result;
    }
    transport->set_patience(transport->user, INFINITY);
    const enum vks_result agreed = transport->combine(transport->user, VKS_HIGHEST, &worst, 1);
    transport->set_patience(transport->user, simulation->context->patience);
    return agreed != VKS_OK   ? agreed
           : result != VKS_OK ? result
           : worst > 0        ? vks_fail((enum vks_result)worst, "another rank has failed at it")
                              : VKS_OK;
}

enum vks_result vks_simulation_agree(const vks_simulation *simulation, uint64_t *value)
{
    const struct vks_transport *transport = &simulation->context->ranks;
    return simulation->settings.slab.count > 1
               ? transport->combine(transport->user, VKS_HIGHEST, value, 1)
               : VKS_OK;
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Names of the fields of which rank 0 has all. */
struct whole {
    const char *names[MAX_WHOLE];
    size_t count;
};

static void add_names(struct whole *whole, const char *const *names, size_t count)
{
    for (size_t i = 0; names && i < count; i++) {
        if (names[i]) {
            whole->names[whole->count++] = names[i];
        }
    }
}

static struct whole list_whole(const struct vks_view_params *params)
{
    const char *const cells[] = {params->displayed, params->fallback};
    struct whole whole = {0};
    add_names(&whole, params->points ? params->points : cells, params->points ? 3 : 2);
    add_names(&whole, params->tint, 3);
    return whole;
}

static const char *whole_name(struct vks_declaration *declaration, const char *name)
{
    return name ? vks_declaration_name(declaration, "whole.%s", name) : NULL;
}

/* A field of the steps or of their frames, as it is of all ranks. */
static struct vks_field whole_field(const struct vks_declaration *steps,
                                    const struct vks_field *field)
{
    const int index = vks_find_field(steps, field->name);
    struct vks_field whole = index < 0 ? *field : vks_whole_field(steps, &steps->fields[index]);
    if (index < 0 && field->rank > 1) {
        whole.shape[vks_row_axis(steps, field)] = steps->slab.whole;
    }
    return whole;
}

/* Declares all of a field of the steps or their frames. */
static void declare_whole_field(const struct vks_declaration *steps,
                                const struct vks_declaration *frames, const char *name,
                                struct vks_declaration *declaration)
{
    const int index = vks_find_field(frames, name);
    if (index < 0) {
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_USAGE,
                                                   "several ranks cannot draw '%s', which they do "
                                                   "not have",
                                                   name));
        return;
    }
    const struct vks_field field = whole_field(steps, &frames->fields[index]);
    VKS_FIELD(declaration, .name = whole_name(declaration, name), .element = field.element,
              .rank = field.rank, .shape = {field.shape[0], field.shape[1], field.shape[2]});
}

static const char *const *whole_names(struct vks_declaration *declaration, const char *const *names)
{
    const char *whole[3] = {NULL};
    for (size_t i = 0; names && i < VKS_COUNT(whole); i++) {
        whole[i] = whole_name(declaration, names[i]);
    }
    return names ? vks_declaration_copy(declaration, whole, sizeof(whole)) : NULL;
}

/* The picture of fields that are those of all ranks. */
static void declare_whole(const struct vks_settings *settings, unsigned planes,
                          const struct vks_declaration *steps, struct vks_declaration *declaration)
{
    const struct vks_size size = settings->common.size;
    const struct vks_config config = vks_settings_config(settings);
    struct vks_view_params params =
        vks_view_of(settings, settings->common.view, planes & ~(unsigned)VKS_VIEW_BANDS, NULL);
    const struct whole whole = list_whole(&params);
    struct vks_declaration frames = {0};
    vks_declare_frame(settings->model, &config, steps, &frames);
    vks_declaration_fail(declaration, frames.result);
    vks_declaration_grid(declaration, size.depth, size.height, size.width);
    for (size_t i = 0; i < whole.count && declaration->result == VKS_OK; i++) {
        const bool of_items = params.points != NULL;
        declare_whole_field(steps, of_items ? steps : &frames, whole.names[i], declaration);
    }
    params.displayed = whole_name(declaration, params.displayed);
    params.fallback = whole_name(declaration, params.fallback);
    params.points = whole_names(declaration, params.points);
    params.tint = whole_names(declaration, params.tint);
    vks_declare_view(declaration, &params);
    vks_declaration_free(&frames);
}

/* The frames of one rank, with the state that they use as fields of their own. */
static void declare_state(const struct vks_settings *settings, unsigned planes,
                          struct vks_declaration *declaration)
{
    struct vks_declaration steps = {0};
    struct vks_settings *one = vks_declaration_copy(declaration, settings, sizeof(*settings));
    if (one) {
        one->slab = (struct vks_slab){0};
        vks_declare_steps(one, &steps);
        vks_declare_picture(one, planes & ~(unsigned)VKS_VIEW_BANDS, NULL, &steps, declaration);
        vks_declaration_unbind(declaration);
    }
    vks_declaration_free(&steps);
}

/* Whether frames get a field of the steps from these: one that they only read, or that is part of
 * the state. The others are scratch memory. */
static bool is_given(const struct vks_declaration *steps, const struct vks_declaration *frames,
                     size_t index)
{
    const int source = vks_find_field(steps, frames->fields[index].name);
    const bool written = (vks_field_access(frames, index) & ~(unsigned)VKS_READ) != 0;
    return source >= 0 && !frames->fields[index].bound &&
           (!written || steps->fields[source].persistent);
}

/* Notes the fields of the state that rank 0 collects for each frame, if it does. */
static enum vks_result note_state(vks_simulation *simulation)
{
    const struct vks_declaration *steps = vks_graph_declaration(simulation->graph);
    struct vks_declaration frames = {0};
    free(simulation->collected);
    simulation->collected = NULL;
    simulation->collected_count = 0;
    if (!draws_state(&simulation->settings, steps, simulation->planes)) {
        return VKS_OK;
    }
    declare_state(&simulation->settings, simulation->planes, &frames);
    simulation->collected = calloc(frames.field_count + 1, sizeof(*simulation->collected));
    enum vks_result result = simulation->collected ? frames.result : vks_fail_memory();
    for (size_t i = 0; i < frames.field_count && result == VKS_OK; i++) {
        if (is_given(steps, &frames, i)) {
            simulation->collected[simulation->collected_count++] =
                (uint32_t)vks_find_field(steps, frames.fields[i].name);
        }
    }
    vks_declaration_free(&frames);
    return result;
}

void vks_declare_rank_picture(const struct vks_settings *settings, unsigned planes,
                              const struct vks_declaration *steps,
                              struct vks_declaration *declaration)
{
    if (settings->slab.index > 0) {
        return;
    }
    if (draws_state(settings, steps, planes)) {
        declare_state(settings, planes, declaration);
        return;
    }
    if (settings->pictures || settings->watch) {
        vks_declaration_bind(declaration, steps);
    }
    if (settings->watch) {
        declare_scalars(settings, steps, declaration);
    }
    if (settings->pictures && draws_whole(settings)) {
        declare_whole(settings, planes, steps, declaration);
    } else if (settings->pictures) {
        uint64_t shape[2];
        const struct vks_view_params params = params_of(settings, planes, shape);
        vks_declare_view(declaration, &params);
    }
}

/* The picture's rows of rank `index`; that of rank `count` is the end. */
static uint32_t first_of(const vks_simulation *simulation, const uint64_t shape[2], uint32_t index)
{
    const struct vks_slab *slab = &simulation->settings.slab;
    const struct vks_look *look = &simulation->settings.common.look;
    const uint32_t grain = vks_graph_declaration(simulation->graph)->exchange.grain;
    return index == 0 ? 0
           : index == slab->count
               ? look->values.part.out_height
               : vks_view_row_at(look, shape,
                                 vks_slab_first(slab->whole, grain, index, slab->count));
}

/* Whether ranks draw the values of the view's field, or of its fallback; with the first are the
 * scalars. */
static bool needs_values(const vks_simulation *simulation, size_t which)
{
    uint64_t shape[2];
    const struct vks_settings *settings = &simulation->settings;
    return settings->slab.count > 1 && !simulation->collected &&
           (which == 0 ? settings->pictures || settings->watch
                       : settings->pictures && !draws_whole(settings) &&
                             params_of(settings, 0, shape).fallback);
}

/* Whether the halos of a field are exact after an exchange. */
static bool is_exchanged(const struct vks_declaration *steps, const char *name)
{
    const int index = vks_find_field(steps, name);
    bool found = false;
    for (size_t i = 0; i < steps->exchange.count; i++) {
        found = found || (int)steps->exchange.fields[i] == index;
    }
    return found;
}

static void declare_values(const vks_simulation *simulation, size_t which,
                           struct vks_declaration *declaration)
{
    const struct vks_settings *settings = &simulation->settings;
    const struct vks_slab *slab = &settings->slab;
    uint64_t shape[2];
    struct vks_view_params params = params_of(settings, 0, shape);
    params.displayed = which == 0 ? params.displayed : params.fallback;
    params.fallback = NULL;
    struct vks_config config = vks_settings_config(settings);
    config.watch = config.watch && which == 0;
    const struct vks_declaration *steps = vks_graph_declaration(simulation->graph);
    vks_declare_frame(settings->model, &config, steps, declaration);
    declaration->slab = (struct vks_slab){0}; /* what follows is whole */
    if (!settings->pictures || draws_whole(settings)) {
        return;
    }
    if (!is_exchanged(steps, params.displayed)) {
        vks_declare_meeting(declaration, &(struct vks_meeting){.when = VKS_EACH_FRAME,
                                                               .slab = slab,
                                                               .halos = (const char *const[]){
                                                                   params.displayed, NULL}});
    }
    vks_declare_values(declaration, &params, slab, first_of(simulation, shape, slab->index),
                       first_of(simulation, shape, slab->index + 1));
}

/* Halos that are too narrow for the picture were chosen for another one. */
static enum vks_result check_reach(const vks_simulation *simulation)
{
    const struct vks_slab *slab = &simulation->settings.slab;
    const struct vks_size size = simulation->settings.common.size;
    const uint64_t shape[] = {size.height, size.width};
    return !simulation->settings.pictures || draws_whole(&simulation->settings) ||
                   vks_view_reach(&simulation->settings.common.look, shape) <= vks_slab_halo(slab)
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "such a small picture reads more rows of other ranks "
                                           "than a rank has; start with it");
}

static enum vks_result update_values(vks_simulation *simulation, size_t which)
{
    struct vks_declaration declaration = {0};
    struct vks_graph **graph = &simulation->values[which];
    enum vks_result result = check_reach(simulation);
    if (result == VKS_OK) {
        declare_values(simulation, which, &declaration);
        result = declaration.result;
    }
    if (result == VKS_OK && *graph) {
        result = vks_graph_update(*graph, &declaration);
    } else if (result == VKS_OK) {
        result = vks_graph_create_bound(simulation->graph, &declaration, graph);
        result = result == VKS_OK ? vks_graph_start(*graph, 0, false) : result;
    }
    vks_declaration_free(&declaration);
    return result;
}

enum vks_result vks_rank_update_values(vks_simulation *simulation)
{
    enum vks_result result = simulation->settings.slab.count > 1 ? note_state(simulation) : VKS_OK;
    for (size_t i = 0; i < VKS_COUNT(simulation->values) && result == VKS_OK; i++) {
        result = needs_values(simulation, i) ? update_values(simulation, i) : VKS_OK;
    }
    return result;
}

/* Takes the values from all ranks to `whole`, in rank 0. */
static enum vks_result gather(vks_simulation *simulation, struct vks_graph *values,
                              const uint64_t shape[2], float *whole)
{
    const struct vks_slab *slab = &simulation->settings.slab;
    const struct vks_transport *transport = &simulation->context->ranks;
    const uint64_t width = simulation->settings.common.look.values.part.out_width;
    enum vks_result result = VKS_OK;
    for (uint32_t rank = 0; rank < slab->count && result == VKS_OK; rank++) {
        const uint64_t first = first_of(simulation, shape, rank);
        const uint64_t rows = first_of(simulation, shape, rank + 1) - first;
        float *at = whole + (slab->index == 0 ? first * width : 0);
        if (rank == slab->index && rows > 0) {
            result = vks_graph_download_to(values, "values", at);
        }
        if (rank > 0 && result == VKS_OK) {
            result = transport->hand(transport->user, rank, at, rows * width * sizeof(*at));
        }
    }
    return result;
}

static enum vks_result collect(vks_simulation *simulation, size_t which, float *whole)
{
    static const char *const names[] = {"values", "values_fallback"};
    const struct vks_size size = simulation->settings.common.size;
    const uint64_t shape[] = {size.height, size.width};
    enum vks_result result = gather(simulation, simulation->values[which], shape, whole);
    return result == VKS_OK && simulation->settings.slab.index == 0
               ? vks_graph_upload(simulation->picture, names[which], whole)
               : result;
}

/* A field of all ranks, and its name in rank 0's picture. */
struct taken {
    const char *name, *whole;
    struct vks_graph *values; /* that has its rows; NULL: the graph of steps has it */
};

static enum vks_result collect_field(vks_simulation *simulation, const struct taken *taken)
{
    const bool draws = simulation->settings.slab.index == 0;
    const struct vks_declaration *declaration = vks_graph_declaration(simulation->picture);
    const struct vks_declaration *owner =
        vks_graph_declaration(taken->values ? taken->values : simulation->graph);
    void *data = NULL;
    enum vks_result result = VKS_OK;
    if (draws) {
        const int index = vks_find_field(declaration, taken->whole);
        const int source = vks_find_field(owner, taken->name);
        const uint64_t bytes = index < 0 ? 0 : vks_field_bytes(&declaration->fields[index]);
        const struct vks_field whole =
            source < 0
                ? (struct vks_field){0}
                : whole_field(vks_graph_declaration(simulation->graph), &owner->fields[source]);
        if (index < 0 || source < 0 || vks_field_bytes(&whole) != bytes) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "'%s' of all ranks has another size than that of "
                            "the picture",
                            taken->name);
        }
        data = malloc(bytes);
        result = data ? VKS_OK : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = taken->values ? vks_graph_download_rows(taken->values, taken->name, data)
                               : vks_graph_download_to(simulation->graph, taken->name, data);
    }
    if (result == VKS_OK && draws) {
        result = vks_graph_upload(simulation->picture, taken->whole, data);
    }
    free(data);
    return result;
}

static enum vks_result collect_state(vks_simulation *simulation)
{
    /* Ranks may get more room, and other declarations, before the fields are read. */
    enum vks_result result = vks_graph_refresh(simulation->graph, 1);
    result = result == VKS_OK ? vks_graph_begin_reading(simulation->graph) : result;
    const struct vks_declaration *steps = vks_graph_declaration(simulation->graph);
    for (size_t i = 0; i < simulation->collected_count && result == VKS_OK; i++) {
        const char *name = steps->fields[simulation->collected[i]].name;
        result = collect_field(simulation, &(struct taken){name, name, NULL});
    }
    vks_graph_end_reading(simulation->graph);
    return result;
}

static enum vks_result collect_whole(vks_simulation *simulation)
{
    const struct vks_settings *settings = &simulation->settings;
    const struct vks_view_params params = vks_view_of(settings, settings->common.view, 0, NULL);
    const struct whole whole = list_whole(&params);
    enum vks_result result = params.points ? vks_graph_begin_reading(simulation->graph) : VKS_OK;
    for (size_t i = 0; i < whole.count && result == VKS_OK; i++) {
        char name[256];
        snprintf(name, sizeof(name), "whole.%s", whole.names[i]);
        result = collect_field(
            simulation,
            &(struct taken){whole.names[i], name, params.points ? NULL : simulation->values[0]});
    }
    vks_graph_end_reading(simulation->graph);
    return result;
}

/* The values of the picture's pixels. */
static enum vks_result collect_values(vks_simulation *simulation)
{
    const struct vks_look *look = &simulation->settings.common.look;
    const uint64_t pixels = (uint64_t)look->values.part.out_width * look->values.part.out_height;
    float *whole = malloc(pixels * sizeof(*whole));
    enum vks_result result = whole ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < VKS_COUNT(simulation->values) && result == VKS_OK; i++) {
        result = needs_values(simulation, i) ? collect(simulation, i, whole) : VKS_OK;
    }
    free(whole);
    return result;
}

/* All ranks draw what they have. */
static enum vks_result draw_values(vks_simulation *simulation)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_COUNT(simulation->values) && result == VKS_OK; i++) {
        uint64_t value;
        result = needs_values(simulation, i)
                     ? vks_graph_frame(simulation->values[i], NULL, NULL, VK_NULL_HANDLE,
                                       VK_NULL_HANDLE, &value)
                     : VKS_OK;
    }
    return result;
}

enum vks_result vks_simulation_collect(vks_simulation *simulation)
{
    const struct vks_settings *settings = &simulation->settings;
    const struct vks_size size = settings->common.size;
    const uint64_t shape[] = {size.height, size.width};
    const bool whole = !settings->pictures || draws_whole(settings);
    if (simulation->collected) {
        return vks_graph_end_together(simulation->graph, collect_state(simulation));
    }
    if (!needs_values(simulation, 0)) {
        return vks_rank_fail(simulation, "a picture");
    }
    enum vks_result result = vks_graph_refresh(
        simulation->graph, whole ? 1 : vks_view_reach(&settings->common.look, shape));
    if (result == VKS_OK) {
        result = draw_values(simulation);
    }
    if (result == VKS_OK && settings->watch && settings->slab.index == 0) {
        result = collect_scalars(simulation);
    }
    if (result == VKS_OK && settings->pictures) {
        result = whole ? collect_whole(simulation) : collect_values(simulation);
    }
    return vks_graph_end_together(simulation->graph, result);
}
