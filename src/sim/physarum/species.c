/* SPDX-License-Identifier: MIT */
/* Several species of agents, each with a trail: docs/sims/physarum.md, "Species". */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/option.h"
#include "sim/physarum/physarum.h"

_Static_assert(sizeof(struct physarum_start_params) <= VKS_MAX_CONSTANTS,
               "fits the push constants");
_Static_assert(offsetof(struct physarum_point, trail_full) ==
                       (PHYSARUM_POINT_LISTS - 1) * sizeof(double) &&
                   offsetof(struct physarum_field, decay) ==
                       (PHYSARUM_FIELD_LISTS - 1) * sizeof(double),
               "the numbers that may be lists come first");

enum { MAX = PHYSARUM_MAX_SPECIES };

uint32_t vks_physarum_species(const struct physarum_settings *settings)
{
    return settings->species > 1 ? (uint32_t)settings->species : 1;
}

const char *vks_physarum_species_field(const struct physarum_settings *settings)
{
    return vks_physarum_species(settings) > 1 ? "species" : "heading";
}

/* Replaces numbers by the values of their lists. */
static void take_values(void *numbers, const struct vks_list *lists, size_t count, uint32_t species)
{
    for (size_t i = 0; i < count; i++) {
        if (species < lists[i].count) {
            memcpy((char *)numbers + i * sizeof(double), &lists[i].values[species], sizeof(double));
        }
    }
}

struct physarum_point vks_physarum_point(const struct physarum_point *point, uint32_t species)
{
    struct physarum_point own = *point;
    take_values(&own, point->lists, PHYSARUM_POINT_LISTS, species);
    return own;
}

struct physarum_field vks_physarum_field(const struct physarum_field *field, uint32_t species)
{
    struct physarum_field own = *field;
    take_values(&own, field->lists, PHYSARUM_FIELD_LISTS, species);
    return own;
}

/* --- texts ----------------------------------------------------------------------------------- */

static enum vks_result wrong_count(const char *option, size_t count, uint32_t species)
{
    return vks_fail_option(VKS_ERROR_USAGE, option, "has %zu value%s; species is %u", count,
                           count == 1 ? "" : "s", species);
}

/* Counts numbers from low to high, separated by commas, and stores the first ones, at most MAX. 0:
 * the text is something else. `end` is where it goes on. */
static size_t parse_numbers(const char *text, double low, double high, double numbers[MAX],
                            const char **end)
{
    size_t count = 0;
    for (;;) {
        const char *after;
        const double number = vks_parse_real(text, &after);
        if (after == text || !(number >= low && number <= high)) {
            return 0;
        }
        if (count < MAX) {
            numbers[count] = number;
        }
        count++;
        *end = after;
        if (*after != ',') {
            return count;
        }
        text = after + 1;
    }
}

static enum vks_result parse_shares(struct physarum_settings *settings)
{
    const char *text = settings->species_shares, *end = "";
    const uint32_t species = vks_physarum_species(settings);
    double sum = 0;
    for (uint32_t i = 0; i < MAX; i++) {
        settings->shares[i] = 1;
    }
    if (!vks_text_is_given(text)) {
        return VKS_OK;
    }
    const size_t count = parse_numbers(text, 0, 1e6, settings->shares, &end);
    if (count == 0 || *end) {
        return vks_fail_option(VKS_ERROR_USAGE, "species-shares",
                               "'%s' is not a list of numbers from 0 to 1e+06, such as 60,1", text);
    }
    for (uint32_t i = 0; i < species; i++) {
        sum += settings->shares[i];
    }
    return count != species ? wrong_count("species-shares", count, species)
           : sum > 0        ? VKS_OK
                            : vks_fail_option(VKS_ERROR_USAGE, "species-shares",
                                              "'%s' has no value above 0", text);
}

/* In the order of enum physarum_attractions. */
static const char *const attraction_names[] = {"ignore", "avoid",  "follow",
                                               "chase",  "random", NULL};

static enum vks_result parse_attraction(struct physarum_settings *settings)
{
    const char *text = vks_text_is_given(settings->attraction) ? settings->attraction : "avoid";
    const uint32_t species = vks_physarum_species(settings);
    settings->attractions = ATTRACTION_NUMBERS;
    for (uint32_t i = 0; attraction_names[i]; i++) {
        if (strcmp(text, attraction_names[i]) == 0) {
            settings->attractions = i;
            return VKS_OK;
        }
    }
    size_t rows = 0, columns = 0;
    for (const char *at = text, *end = text;; at = end + 1) {
        double row[MAX];
        columns = parse_numbers(at, -1, 1, row, &end);
        if (columns == 0 || (*end && *end != '/')) {
            char list[128], near[64];
            return vks_fail_option(VKS_ERROR_USAGE, "attraction",
                                   "'%s' is neither rows of numbers from -1 to 1, such as "
                                   "1,-0.5/-0.5,1, nor one of: %s%s",
                                   text, vks_join(attraction_names, list, sizeof(list)),
                                   vks_did_you_mean(text, attraction_names, near, sizeof(near)));
        }
        if (columns != species) {
            break;
        }
        if (rows < species) {
            memcpy(settings->matrix + rows * species, row, species * sizeof(*row));
        }
        rows++;
        if (!*end) {
            break;
        }
    }
    return columns != species ? vks_fail_option(VKS_ERROR_USAGE, "attraction",
                                                "row %zu has %zu value%s; species is %u", rows + 1,
                                                columns, columns == 1 ? "" : "s", species)
           : rows != species
               ? vks_fail_option(VKS_ERROR_USAGE, "attraction", "has %zu row%s; species is %u",
                                 rows, rows == 1 ? "" : "s", species)
               : VKS_OK;
}

static const char *const colours[MAX] = {"#ff5040", "#3ca0ff", "#78e65a", "#ffd246",
                                         "#c864ff", "#40e0d0", "#ff8c28", "#f0f0f0"};

static enum vks_result parse_colours(struct physarum_settings *settings)
{
    const char *text = settings->species_colors;
    const uint32_t species = vks_physarum_species(settings);
    size_t count = 0;
    for (uint32_t i = 0; i < MAX; i++) {
        snprintf(settings->colours[i], sizeof(settings->colours[i]), "%s", colours[i]);
    }
    if (!vks_text_is_given(text)) {
        return VKS_OK;
    }
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof(settings->colours[0])) {
            return vks_fail_option(VKS_ERROR_USAGE, "species-colors",
                                   "'%s' is not a list of colours such as #ff8000, or of names of "
                                   "colour maps, separated by commas",
                                   text);
        }
        if (count < MAX) {
            memcpy(settings->colours[count], at, length);
            settings->colours[count][length] = '\0';
        }
        count++;
        at += length;
        if (!*at) {
            break;
        }
    }
    return count == species ? VKS_OK : wrong_count("species-colors", count, species);
}

enum vks_result vks_physarum_parse_species(struct physarum_settings *settings)
{
    enum vks_result result = parse_shares(settings);
    result = result == VKS_OK ? parse_attraction(settings) : result;
    return result == VKS_OK ? parse_colours(settings) : result;
}

/* --- checks ---------------------------------------------------------------------------------- */

/* Lists have a value for each species. */
static enum vks_result check_lists(const void *structure, uint32_t species)
{
    for (size_t i = 0; i < vks_physarum_options.count; i++) {
        const struct vks_option *row = &vks_physarum_options.options[i];
        const struct vks_list *list = vks_option_list(row, structure);
        if (list && list->count != species) {
            return wrong_count(row->name, list->count, species);
        }
    }
    return VKS_OK;
}

enum vks_result vks_physarum_check_species(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t species = vks_physarum_species(s);
    enum vks_result result = check_lists(s, species);
    if (result == VKS_OK && vks_text_is_given(s->blend_to)) {
        struct physarum_settings second = *s;
        second.point = s->second;
        result = check_lists(&second, species);
        result = result == VKS_OK ? VKS_OK
                                  : vks_fail_option(VKS_ERROR_USAGE, "blend-to", "'%s': %s",
                                                    s->blend_to, vks_error_text());
    }
    if (result != VKS_OK) {
        return result;
    }
    if (s->species_start == PHYSARUM_WEDGES && species > 1 &&
        (config->image || (config->start != PHYSARUM_DISC && config->start != PHYSARUM_RING))) {
        return vks_fail_option(VKS_ERROR_USAGE, "species-start", "wedges needs init disc or ring");
    }
    if (s->species_view > species) {
        return vks_fail_option(VKS_ERROR_USAGE, "species-view", "is %llu; species is %u",
                               (unsigned long long)s->species_view, species);
    }
    if ((uint64_t)config->width * config->height > UINT32_MAX / species) {
        return vks_fail_option(VKS_ERROR_USAGE, "species",
                               "is %u; the trails of a field of %ux%u must have fewer than 2^32 "
                               "cells in total",
                               species, config->width, config->height);
    }
    return VKS_OK;
}

/* --- what the shaders need ------------------------------------------------------------------- */

double vks_physarum_attraction(const struct vks_config *config, uint32_t species, uint32_t other)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t count = vks_physarum_species(s);
    if (s->attractions == ATTRACTION_NUMBERS) {
        return round(s->matrix[species * count + other] * 1024) / 1024;
    }
    if (species == other) {
        return 1;
    }
    switch (s->attractions) {
    case ATTRACTION_AVOID:
        return -0.5;
    case ATTRACTION_FOLLOW:
        return 0.5;
    case ATTRACTION_CHASE: /* of two, the second has no next one */
        if (other == (species + 1) % count && (count > 2 || species == 0)) {
            return 0.5;
        }
        return other == (species + count - 1) % count ? -0.5 : 0;
    case ATTRACTION_RANDOM: {
        const uint32_t word = vks_random(config->seed, MAX * species + other, 0, 5).x;
        return ((double)vks_high(word, 2049) - 1024) / 1024;
    }
    default:
        return 0;
    }
}

double vks_physarum_food_attraction(const struct physarum_settings *settings, uint32_t species)
{
    double attraction = settings->of_food.attraction;
    take_values(&attraction, settings->of_food.lists, 1, species);
    return round(attraction * 1024) / 1024;
}

void vks_physarum_set_shares(const struct vks_config *config, struct physarum_start_params *params)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t species = vks_physarum_species(s);
    double all = 0, before = 0;
    for (uint32_t i = 0; i < species; i++) {
        all += s->shares[i];
    }
    for (uint32_t i = 0; i + 1 < species; i++) {
        before += s->shares[i];
        const double key = floor(0x1p32 * (before / all));
        if (key < 0x1p32) { /* those that no key reaches are the last */
            params->first_key[params->bounds++] = (uint32_t)key;
        }
    }
}

/* Species of an array of any integers below their number. */
static enum vks_result fill_species(const void *user, const struct vks_field *field,
                                    const struct vks_source *source, void *out)
{
    const uint32_t species = *(const uint32_t *)user;
    uint32_t *words = out;
    (void)field;
    for (uint64_t i = 0; i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(value >= 0 && value < species && value == floor(value))) {
            return vks_fail(VKS_ERROR_FILE, "'species': element %llu is %g; it must be 0 to %u",
                            (unsigned long long)(source->first + i), value, species - 1);
        }
        words[i] = (uint32_t)value;
    }
    return VKS_OK;
}

/* Words of the state: the species and its exposure. */
static enum vks_result check_words(const void *user, const struct vks_field *field,
                                   const void *data)
{
    const uint32_t species = *(const uint32_t *)user, *words = data;
    for (uint64_t i = 0; i < vks_field_count(field); i++) {
        if ((words[i] & 255) >= species) {
            return vks_fail(VKS_ERROR_FILE,
                            "'species': element %llu is of species %u; it must be 0 to %u",
                            (unsigned long long)i, words[i] & 255, species - 1);
        }
    }
    return VKS_OK;
}

void vks_physarum_declare_species(const struct vks_config *config,
                                  struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t species = vks_physarum_species(s);
    if (species > 1) {
        VKS_FIELD(declaration, .name = "species",
                  .help = "species of an agent, in bits 0 to 7, and for how many steps it has been "
                          "exposed to another",
                  .fill = fill_species, .integers = true, .check = check_words,
                  .user = vks_declaration_copy(declaration, &species, sizeof(species)),
                  .element = VKS_U32, .rank = 1, .shape = {vks_items_room(declaration, "agents")},
                  .persistent = true, .items = "agents", .distance = VKS_DISTANCE_EQUAL);
    }
}

void vks_physarum_declare_populations(const struct vks_config *config,
                                      const struct physarum_params *params,
                                      struct vks_declaration *declaration)
{
    static const char *const names[MAX] = {"agents_1", "agents_2", "agents_3", "agents_4",
                                           "agents_5", "agents_6", "agents_7", "agents_8"};
    const uint32_t species = vks_physarum_species(config->settings);
    struct vks_scalar scalars[MAX + 1] = {0};
    if (species == 1) {
        return;
    }
    for (uint32_t i = 0; i < species; i++) {
        scalars[i].name = names[i];
    }
    VKS_FIELD(declaration, .name = "populations", .element = VKS_U32, .rank = 1, .shape = {species},
              .watched = scalars);
    for (uint32_t clears = 2; clears-- > 0;) {
        const uint64_t items = clears ? species : params->agents;
        VKS_PASS(declaration, .name = clears ? "clear populations" : "populations",
                 .shader = "physarum/populations", .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({"species", VKS_READ}, {"populations", VKS_ATOMIC | VKS_WRITE}),
                 .specializations = VKS_SPECIALIZATIONS({"clears", clears}, {"kinds", species}),
                 VKS_PUSH(*params), .items = {items}, .group = {clears ? MAX : 256, 1},
                 .bytes = 4 * (double)items);
    }
}

void vks_physarum_mix(const struct vks_config *config, struct vks_mix *mix)
{
    const struct physarum_settings *s = config->settings;
    if (config->view == PHYSARUM_VIEW_HEADINGS) { /* right, down to the left, up to the left */
        *mix = (struct vks_mix){.planes = 3,
                                .colours = {"#ff4a3c", "#3cd46a", "#4678ff"},
                                .names = {"right", "down left", "up left"},
                                .option = "view"};
    }
    if (config->view != PHYSARUM_VIEW_TRAIL) {
        return;
    }
    *mix = (struct vks_mix){.planes = vks_physarum_species(s),
                            .only = (uint32_t)s->species_view,
                            .strongest = s->species_mix == 1,
                            .option = "species-colors"};
    for (uint32_t i = 0; i < mix->planes; i++) {
        mix->colours[i] = s->colours[i];
    }
}
