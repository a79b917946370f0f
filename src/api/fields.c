/* SPDX-License-Identifier: MIT */
/* What a simulation has: its state, scalars and timings. */
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "api/rank.h"

static const struct vks_field *persistent_field(const vks_simulation *simulation, size_t index)
{
    if (simulation->dead) {
        return NULL;
    }
    const struct vks_declaration *declaration = vks_graph_declaration(simulation->graph);
    for (size_t i = 0; i < declaration->field_count; i++) {
        if (declaration->fields[i].persistent && index-- == 0) {
            return &declaration->fields[i];
        }
    }
    return NULL;
}

bool vks_simulation_field(const vks_simulation *simulation, size_t index,
                          struct vks_field_info *info)
{
    const struct vks_field *field = simulation && info ? persistent_field(simulation, index) : NULL;
    if (!field) {
        return false;
    }
    const struct vks_field whole = vks_whole_field(vks_graph_declaration(simulation->graph), field);
    struct vks_field_info known = {
        .name = field->name,
        .help = field->help,
        .element = field->element,
        .bytes = vks_field_bytes(&whole),
    };
    known.rank = vks_array_shape(&whole, known.extent);
    return vks_give_sized(info, &known, sizeof(known)) == VKS_OK;
}

enum vks_result vks_simulation_find_field(const vks_simulation *simulation, const char *name,
                                          const struct vks_field **out)
{
    const enum vks_result alive = vks_simulation_alive(simulation);
    if (alive != VKS_OK) {
        return alive;
    }
    const struct vks_field *field;
    for (size_t i = 0; (field = persistent_field(simulation, i)) != NULL; i++) {
        if (strcmp(field->name, name) == 0) {
            *out = field;
            return VKS_OK;
        }
    }
    return vks_fail(VKS_ERROR_USAGE, "%s has no field '%s'", simulation->settings.model->name,
                    name);
}

/* `what` has the shape of the field, or of a part of it. */
static enum vks_result check_size(const char *what, const struct vks_field *field, size_t size)
{
    const uint64_t bytes = vks_field_bytes(field);
    return bytes == size ? VKS_OK
                         : vks_fail(VKS_ERROR_USAGE, "%s '%s' has %llu bytes, not %zu", what,
                                    field->name, (unsigned long long)bytes, size);
}

static enum vks_result find_sized(const vks_simulation *simulation, const char *name, size_t size,
                                  const struct vks_field **field)
{
    const enum vks_result result = vks_simulation_find_field(simulation, name, field);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_field whole =
        vks_whole_field(vks_graph_declaration(simulation->graph), *field);
    return check_size("field", &whole, size);
}

enum vks_result vks_simulation_read(vks_simulation *simulation, const char *name, void *data,
                                    size_t size)
{
    const bool takes_part = simulation && simulation->settings.slab.index > 0;
    if (!simulation || !name || (!data && !takes_part)) {
        return vks_fail_null(__func__);
    }
    const struct vks_field *field;
    enum vks_result result = find_sized(simulation, name, size, &field);
    return result == VKS_OK ? vks_graph_download_to(simulation->graph, name, data) : result;
}

void vks_simulation_part(const vks_simulation *simulation, uint32_t *first, uint32_t *rows)
{
    struct vks_config config = {0};
    if (simulation) {
        config = vks_settings_config(&simulation->settings);
    }
    const uint32_t all = config.depth > 1 ? config.depth : config.height;
    *first = config.slab.first;
    *rows = config.slab.count > 1 ? config.slab.rows : all;
}

enum vks_result vks_simulation_read_part(vks_simulation *simulation, const char *name, void *data,
                                         size_t size)
{
    if (!simulation || !name || !data) {
        return vks_fail_null(__func__);
    }
    const struct vks_field *field;
    enum vks_result result = vks_simulation_find_field(simulation, name, &field);
    if (result != VKS_OK || simulation->settings.slab.count < 2) {
        return result == VKS_OK ? vks_simulation_read(simulation, name, data, size) : result;
    }
    const struct vks_declaration *declaration = vks_graph_declaration(simulation->graph);
    if (!vks_is_split(declaration, field)) {
        return vks_fail(VKS_ERROR_USAGE, "field '%s' has no rows", name);
    }
    struct vks_field part = *field;
    part.shape[vks_row_axis(declaration, field)] = simulation->settings.slab.rows;
    result = check_size("the rank's part of", &part, size);
    return result == VKS_OK ? vks_graph_download_own(simulation->graph, name, data) : result;
}

enum vks_result vks_simulation_write(vks_simulation *simulation, const char *name, const void *data,
                                     size_t size)
{
    if (!simulation || !name || !data) {
        return vks_fail_null(__func__);
    }
    const struct vks_field *field;
    enum vks_result result = find_sized(simulation, name, size, &field);
    simulation->drawn = false;
    if (result == VKS_OK) {
        result = vks_state_field_load(simulation->graph, field, data);
    }
    return result == VKS_OK ? vks_graph_ready(simulation->graph) : result;
}

enum vks_result vks_simulation_map(vks_simulation *simulation, const char *name,
                                   struct vks_mapped *mapped)
{
    if (!simulation || !name || !mapped) {
        return vks_fail_null(__func__);
    }
    const struct vks_field *field;
    struct vks_mapped known = {0};
    enum vks_result result = vks_simulation_find_field(simulation, name, &field);
    if (result == VKS_OK) {
        result = vks_rank_fail(simulation, "vks_simulation_map()");
    }
    if (result == VKS_OK) {
        known.bytes = vks_field_bytes(field);
        result = vks_graph_map(simulation->graph, name, &known.data);
    }
    return result == VKS_OK ? vks_give_sized(mapped, &known, sizeof(known)) : result;
}

static enum vks_result digest_piece(void *user, const void *bytes, size_t size)
{
    vks_digest_update(user, bytes, size);
    return VKS_OK;
}

enum vks_result vks_simulation_digest(vks_simulation *simulation, char hex[33])
{
    if (!simulation || !hex) {
        return vks_fail_null(__func__);
    }
    const enum vks_result alive = vks_simulation_alive(simulation);
    if (alive != VKS_OK) {
        return alive;
    }
    struct vks_digest *digest = vks_digest_create();
    const struct vks_state_sink sink = {.user = digest, .bytes = digest_piece};
    const enum vks_result result =
        digest ? vks_graph_read_state(simulation->graph, &sink) : vks_fail_memory();
    if (result == VKS_OK && simulation->settings.slab.index > 0) {
        hex[0] = '\0'; /* rank 0 has it */
    } else if (result == VKS_OK) {
        vks_digest_hex(digest, hex);
    }
    vks_digest_destroy(digest);
    return result;
}

size_t vks_simulation_graphs(const vks_simulation *simulation,
                             struct vks_graph *graphs[VKS_MAX_GRAPHS])
{
    size_t count = 0;
    graphs[count++] = simulation->graph;
    graphs[count++] = simulation->picture;
    for (size_t i = 0; i < VKS_COUNT(simulation->values); i++) {
        if (simulation->values[i]) {
            graphs[count++] = simulation->values[i];
        }
    }
    for (size_t i = 0; i < VKS_MAX_BRUSHES; i++) {
        if (simulation->brushes[i]) {
            graphs[count++] = simulation->brushes[i];
        }
    }
    return count;
}

bool vks_simulation_timing(vks_simulation *simulation, size_t index, struct vks_pass_timing *timing)
{
    struct vks_graph *graphs[VKS_MAX_GRAPHS];
    struct vks_pass_timing known;
    if (!timing || vks_simulation_wait(simulation) != VKS_OK) {
        return false;
    }
    const size_t count = vks_simulation_graphs(simulation, graphs);
    return vks_graphs_timing(graphs, count, index, &known) &&
           vks_give_sized(timing, &known, sizeof(known)) == VKS_OK;
}

bool vks_simulation_watched(vks_simulation *simulation, size_t index, struct vks_watched *watched)
{
    const struct vks_scalar *scalar = simulation && watched && !simulation->dead
                                          ? vks_graph_scalar(simulation->picture, index)
                                          : NULL;
    struct vks_row row;
    if (!scalar) {
        return false;
    }
    struct vks_watched known = {.name = scalar->name};
    if (vks_graph_watched(simulation->picture, &row)) {
        known.value = row.values[index];
        known.step = row.step;
        known.known = true;
    }
    return vks_give_sized(watched, &known, sizeof(known)) == VKS_OK;
}

enum vks_result vks_simulation_save(vks_simulation *simulation, const char *path, bool overwrite)
{
    if (!simulation || !path) {
        return vks_fail_null(__func__);
    }
    return vks_simulation_save_run(simulation, path, overwrite, NULL);
}

enum vks_result vks_simulation_save_run(vks_simulation *simulation, const char *path,
                                        bool overwrite, json_t *run)
{
    /* A failed one is not saved. */
    const enum vks_result result = vks_rank_agree(simulation, vks_simulation_wait(simulation));
    return result == VKS_OK
               ? vks_rank_agree(simulation,
                                vks_state_file_save(path, overwrite, &simulation->settings,
                                                    simulation->graph, NULL, run))
               : result;
}
