/* SPDX-License-Identifier: MIT */
/* What surrounds agents besides trails: walls, food, and maps of images that scale options:
 * docs/sims/physarum.md, "Walls", "Food", "Maps". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "graph/declare.h"
#include "sim/physarum/physarum.h"

/* Of a maze, and cells from a passage to the next. */
enum { AUTO_PASSAGES = 0, MAX_PASSAGES = 1024, MIN_PITCH = 4, USUAL_PITCH = 42 };

/* --- walls and food: texts ------------------------------------------------------------------- */

/* The values that name no file: in the order of enum physarum_walls, and of enum physarum_food.
 * `given`: by a state file. */
static const char *const wall_names[] = {"none", "frame", "disc", "given", NULL};
static const char *const food_names[] = {"none", "given", NULL};

static bool find_name(const char *text, const char *const *names, uint32_t *index)
{
    for (uint32_t i = 0; names[i]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* "maze" or "maze:PASSAGES". */
static bool parse_maze(const char *text, uint32_t *passages)
{
    static const char name[] = "maze";
    const size_t length = strlen(name);
    const char *end = text + length;
    double count = AUTO_PASSAGES;
    if (strncmp(text, name, length) != 0 || (*end && *end != ':')) {
        return false;
    }
    if (*end == ':') {
        const char *number = end + 1;
        count = vks_parse_real(number, &end);
        if (end == number) {
            return false;
        }
    }
    const double min = end == text + length ? AUTO_PASSAGES : 1;
    if (*end || !(count >= min && count <= MAX_PASSAGES) || count != floor(count)) {
        return false;
    }
    *passages = (uint32_t)count;
    return true;
}

static enum vks_result parse_walls(struct physarum_settings *settings)
{
    const char *text = vks_text_is_given(settings->walls) ? settings->walls : "none";
    char near[64];
    if (find_name(text, wall_names, &settings->walls_kind)) {
        return VKS_OK;
    }
    if (parse_maze(text, &settings->passages)) {
        settings->walls_kind = PHYSARUM_MAZE;
        return VKS_OK;
    }
    settings->walls_kind = PHYSARUM_IMAGE_WALLS;
    return vks_image_file(text)
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "walls",
                                 "'%s' is not one of: none, frame, disc, maze, maze:PASSAGES (1 to "
                                 "%d), image:FILE%s",
                                 text, MAX_PASSAGES,
                                 vks_did_you_mean(text, wall_names, near, sizeof(near)));
}

/* The next place, as fractions of width and height, of text such as "0.2,0.5/0.8,0.5". NULL: there
 * is none here. */
static const char *parse_place(const char *text, double *x, double *y)
{
    const char *end;
    *x = vks_parse_real(text, &end);
    if (end == text || *end != ',' || !(*x >= 0 && *x <= 1)) {
        return NULL;
    }
    text = end + 1;
    *y = vks_parse_real(text, &end);
    return end != text && *y >= 0 && *y <= 1 ? end : NULL;
}

static enum vks_result parse_food(struct physarum_settings *settings)
{
    enum { MAX_POINTS = 4096 };
    const char *text = vks_text_is_given(settings->food) ? settings->food : "none";
    char near[64];
    size_t count = 0;
    if (find_name(text, food_names, &settings->food_kind)) {
        return VKS_OK;
    }
    if (vks_image_file(text)) {
        settings->food_kind = PHYSARUM_IMAGE_FOOD;
        return VKS_OK;
    }
    if (!vks_points_of(text)) {
        return vks_fail_option(VKS_ERROR_USAGE, "food",
                               "'%s' is not one of: none, image:FILE, points:X,Y[/X,Y...]%s", text,
                               vks_did_you_mean(text, food_names, near, sizeof(near)));
    }
    settings->food_kind = PHYSARUM_POINTS_OF_FOOD;
    for (const char *at = vks_points_of(text); at;) {
        double x, y;
        const char *end = parse_place(at, &x, &y);
        if (!end || (*end && *end != '/')) {
            return vks_fail_option(VKS_ERROR_USAGE, "food",
                                   "'%s': point %zu is not X,Y, a place of 0 to 1 along both sides",
                                   text, count + 1);
        }
        count++;
        at = *end ? end + 1 : NULL;
    }
    return count <= MAX_POINTS
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "food", "has %zu points; at most %d are possible",
                                 count, MAX_POINTS);
}

/* --- maps: texts ----------------------------------------------------------------------------- */

static const char *const map_options[PHYSARUM_MAPS + 1] = {
    "sensor-distance", "sensor-angle", "turn-angle", "step-size", "jitter",
    "deposit",         "diffuse",      "decay",      NULL};

/* Their fields. */
static const char *const map_fields[PHYSARUM_MAPS] = {
    "map_sensor_distance", "map_sensor_angle", "map_turn_angle", "map_step_size",
    "map_jitter",          "map_deposit",      "map_diffuse",    "map_decay"};

static enum vks_result bad_map(const char *text, size_t length)
{
    return vks_fail_option(VKS_ERROR_USAGE, "maps",
                           "'%.*s' is not OPTION=FILE:LOW:HIGH, with factors of 0 to 16",
                           (int)length, text);
}

/* One map of the list, OPTION=FILE:LOW:HIGH. */
static enum vks_result parse_map(struct physarum_settings *settings, const char *text,
                                 size_t length)
{
    enum { MAX_NAME = 32 };
    const double max = 16;
    size_t file_length = 0;
    const char *file = vks_map_file(text, length, &file_length);
    char name[MAX_NAME], list[256], near[64];
    uint32_t index;
    if (!file || file - 1 - text >= MAX_NAME) {
        return bad_map(text, length);
    }
    snprintf(name, sizeof(name), "%.*s", (int)(file - 1 - text), text);
    if (!find_name(name, map_options, &index)) {
        return vks_fail_option(VKS_ERROR_USAGE, "maps", "'%s' is not one of: %s%s", name,
                               vks_join(map_options, list, sizeof(list)),
                               vks_did_you_mean(name, map_options, near, sizeof(near)));
    }
    struct physarum_map *map = &settings->map[index];
    if (map->length > 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "maps", "has two of %s", name);
    }
    *map = (struct physarum_map){.file = (size_t)(file - settings->maps), .length = file_length};
    const char *after = vks_parse_span(file + file_length + 1, &map->low, &map->high);
    return after == text + length && map->low >= 0 && map->low <= max && map->high >= 0 &&
                   map->high <= max
               ? VKS_OK
               : bad_map(text, length);
}

static enum vks_result parse_maps(struct physarum_settings *settings)
{
    enum vks_result result = VKS_OK;
    const char *at = vks_text_is_given(settings->maps) ? settings->maps : NULL;
    at = at && strcmp(at, "none") == 0 ? NULL : at;
    while (at && result == VKS_OK) {
        const size_t length = strcspn(at, ",");
        result = parse_map(settings, at, length);
        at = at[length] ? at + length + 1 : NULL;
    }
    return result;
}

enum vks_result vks_physarum_parse_surroundings(struct physarum_settings *settings)
{
    enum vks_result result = parse_walls(settings);
    result = result == VKS_OK ? parse_food(settings) : result;
    return result == VKS_OK ? parse_maps(settings) : result;
}

/* --- what there is --------------------------------------------------------------------------- */

bool vks_physarum_has_walls(const struct physarum_settings *settings)
{
    return settings->walls_kind != PHYSARUM_NO_WALLS;
}

bool vks_physarum_has_food(const struct physarum_settings *settings)
{
    return settings->food_kind != PHYSARUM_NO_FOOD;
}

bool vks_physarum_has_food_trail(const struct physarum_settings *settings)
{
    return vks_physarum_has_food(settings) && vks_physarum_species(settings) > 1;
}

uint32_t vks_physarum_maps(const struct physarum_settings *settings)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < PHYSARUM_MAPS; i++) {
        bits |= settings->map[i].length > 0 ? 1u << i : 0;
    }
    return bits;
}

double vks_physarum_max_factor(const struct physarum_settings *settings, uint32_t map)
{
    const struct physarum_map *row = &settings->map[map];
    return row->length > 0 ? (double)(float)fmax(row->low, row->high) : 1;
}

const char *vks_physarum_map_field(const struct physarum_settings *settings, uint32_t map)
{
    return settings->map[map].length > 0 ? map_fields[map] : "blend_shares";
}

static uint32_t shorter_side(const struct vks_config *config)
{
    return config->width < config->height ? config->width : config->height;
}

/* Passages of a maze along the shorter side. */
static uint32_t passages_of(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t usual = shorter_side(config) / USUAL_PITCH;
    return s->passages != AUTO_PASSAGES ? s->passages : usual > 1 ? usual : 1;
}

enum vks_result vks_physarum_check_surroundings(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    if (vks_physarum_has_walls(s) && s->diffuse_size > 3) {
        return vks_fail_option(VKS_ERROR_USAGE, "walls", "needs diffuse-size 1 or 3");
    }
    const uint32_t passages = passages_of(config);
    if (s->walls_kind == PHYSARUM_MAZE && passages > shorter_side(config) / MIN_PITCH) {
        return vks_fail_option(VKS_ERROR_USAGE, "walls",
                               "a maze of %u passage%s needs at least %u cells along both sides",
                               passages, passages == 1 ? "" : "s", passages * MIN_PITCH);
    }
    if (s->walls_kind == PHYSARUM_FRAME && (config->width < 3 || config->height < 3)) {
        return vks_fail_option(VKS_ERROR_USAGE, "walls",
                               "frame needs a field of 3x3 cells or more");
    }
    return VKS_OK;
}

/* For a start from nothing with the value of a state. */
static enum vks_result fail_given(const char *option)
{
    return vks_fail_option(VKS_ERROR_USAGE, option,
                           "given is the value of states that hold it; a new start needs another");
}

const char *vks_physarum_warning(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const struct physarum_point widest = vks_physarum_widest(s);
    return vks_physarum_has_walls(s) && widest.step_size.base > PHYSARUM_MAX_SUBSTEPS
               ? "agents can jump over walls: steps of more than 16 cells meet only those at every "
                 "sixteenth of their way"
               : NULL;
}

/* --- walls ----------------------------------------------------------------------------------- */

struct walls {
    uint32_t kind, width, height;
    uint32_t passages, seed; /* of a maze */
    float level;
    char *image;
};

static bool is_wall(const struct walls *walls, const float *brightness, uint32_t row,
                    uint32_t column)
{
    const int64_t width = walls->width, height = walls->height;
    const int64_t shorter = width < height ? width : height;
    const int64_t down = 2 * (int64_t)row + 1 - height, right = 2 * (int64_t)column + 1 - width;
    switch (walls->kind) {
    case PHYSARUM_FRAME:
        return row == 0 || column == 0 || row == height - 1 || column == width - 1;
    case PHYSARUM_DISC_WALLS:
        return down * down + right * right > shorter * shorter;
    default:
        return brightness && brightness[row * (size_t)width + column] < walls->level;
    }
}

/* Fails if no cell is open. */
static enum vks_result check_walls(const void *user, const struct vks_field *field,
                                   const void *data)
{
    const struct walls *walls = user;
    const uint32_t *words = data, tail = walls->width % 32 ? UINT32_MAX << walls->width % 32 : 0;
    const uint64_t count = field->shape[1];
    for (uint64_t i = 0; i < walls->height * count; i++) {
        if ((words[i] | (i % count + 1 == count ? tail : 0)) != UINT32_MAX) {
            return VKS_OK;
        }
    }
    return walls->image ? vks_fail(VKS_ERROR_FILE,
                                   "walls: no cell of '%s' is open; walls-level %g is above the "
                                   "brightness of all",
                                   walls->image, (double)walls->level)
                        : vks_fail(VKS_ERROR_FILE, "'walls' has no cell that is open");
}

static enum vks_result fill_walls(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    const struct walls *walls = user;
    uint32_t *words = out;
    if (source->array) {
        return vks_fail(VKS_ERROR_FILE, "'%s' has elements of the wrong type; it needs %s",
                        field->name, vks_element_info(field->element)->name);
    }
    if (walls->kind == PHYSARUM_GIVEN_WALLS) {
        return fail_given("walls");
    }
    if (walls->kind == PHYSARUM_MAZE) {
        return vks_physarum_fill_maze(walls->width, walls->height, walls->passages, walls->seed,
                                      words);
    }
    for (uint32_t row = 0; row < walls->height; row++) {
        for (uint32_t column = 0; column < walls->width; column++) {
            if (is_wall(walls, source->brightness, row, column)) {
                words[row * field->shape[1] + column / 32] |= 1u << column % 32;
            }
        }
    }
    return check_walls(user, field, words);
}

static void declare_walls(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const bool is_image = s->walls_kind == PHYSARUM_IMAGE_WALLS;
    const bool is_maze = s->walls_kind == PHYSARUM_MAZE;
    const char *image =
        is_image ? vks_declaration_name(declaration, "%s", vks_image_file(s->walls)) : NULL;
    const struct walls walls = {.kind = s->walls_kind,
                                .width = config->width,
                                .height = config->height,
                                .passages = passages_of(config),
                                .seed = config->seed,
                                .level = vks_real(s->walls_level),
                                .image = (char *)(uintptr_t)image};
    VKS_FIELD(declaration, .name = "walls",
              .help = "1 in cells that agents and trail cannot enter: a bit per cell, 32 to a word",
              .element = VKS_U32, .rank = 2,
              .shape = {config->height, ((uint64_t)config->width + 31) / 32},
              .mask_width = config->width, .whole = true, .persistent = true,
              .distance = VKS_DISTANCE_EQUAL, .fill = fill_walls, .check = check_walls,
              .user = vks_declaration_copy(declaration, &walls, sizeof(walls)), .image = image,
              .made_from = s->walls_kind == PHYSARUM_GIVEN_WALLS
                               ? NULL
                               : vks_declaration_name(declaration, "%s %g %u", s->walls,
                                                      is_image ? s->walls_level : 0,
                                                      is_maze ? config->seed : 0));
}

void vks_physarum_mask(const struct vks_config *config, struct vks_mask *mask)
{
    const struct physarum_settings *s = config->settings;
    *mask = (struct vks_mask){.field = vks_physarum_has_walls(s) ? "walls" : NULL,
                              .colour = s->wall_color,
                              .option = "wall-color"};
}

/* --- food ------------------------------------------------------------------------------------ */

struct food {
    uint32_t width, height;
    float strength;
    double radius;
    const char *points; /* NULL: an image's or an array's */
    bool is_given;      /* by a state */
};

/* Adds a disc of food, or at least the cell that contains its centre. */
static void add_disc(const struct food *food, double x, double y, float *cells)
{
    const double column = x * food->width, row = y * food->height, radius = food->radius;
    const double right = food->width - 1.0, bottom = food->height - 1.0;
    const double x0 = fmax(floor(column - radius - 1), 0), x1 = fmin(column + radius + 1, right);
    const double y0 = fmax(floor(row - radius - 1), 0), y1 = fmin(row + radius + 1, bottom);
    for (double i = y0; i <= y1; i++) {
        for (double j = x0; j <= x1; j++) {
            const double dx = 2 * j + 1 - 2 * column, dy = 2 * i + 1 - 2 * row;
            if (dx * dx + dy * dy <= 4 * radius * radius) {
                cells[(size_t)i * food->width + (size_t)j] = food->strength;
            }
        }
    }
    cells[(size_t)fmin(floor(row), bottom) * food->width + (size_t)fmin(floor(column), right)] =
        food->strength;
}

static enum vks_result fill_food(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    const struct food *food = user;
    float *cells = out;
    (void)field;
    if (food->is_given) {
        return fail_given("food");
    }
    for (uint64_t i = 0; source->brightness && i < source->count; i++) {
        cells[i] = vks_flush(source->brightness[i] * food->strength);
    }
    for (const char *at = food->points; at;) {
        double x, y;
        at = parse_place(at, &x, &y);
        add_disc(food, x, y, cells);
        at = at && *at ? at + 1 : NULL;
    }
    return VKS_OK;
}

static void declare_food(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const bool is_points = s->food_kind == PHYSARUM_POINTS_OF_FOOD;
    const struct food food = {
        .width = config->width,
        .height = config->height,
        .strength = vks_real(s->food_strength),
        .radius = s->food_radius,
        .is_given = s->food_kind == PHYSARUM_GIVEN_FOOD,
        .points =
            is_points ? vks_declaration_name(declaration, "%s", vks_points_of(s->food)) : NULL,
    };
    VKS_FIELD(declaration, .name = "food", .help = "food that is left: trail that it adds per step",
              .element = VKS_F32, .persistent = true, .ping_pong = true,
              .distance = VKS_DISTANCE_SUM, .fill = fill_food, .range = {0, VKS_LARGEST_AMOUNT},
              .user = vks_declaration_copy(declaration, &food, sizeof(food)),
              .image = s->food_kind == PHYSARUM_IMAGE_FOOD
                           ? vks_declaration_name(declaration, "%s", vks_image_file(s->food))
                           : NULL,
              .made_from =
                  s->food_kind == PHYSARUM_GIVEN_FOOD
                      ? NULL
                      : vks_declaration_name(declaration, "%s %g %g", s->food, s->food_strength,
                                             is_points ? s->food_radius : 0));
    if (vks_physarum_has_food_trail(s)) {
        VKS_FIELD(declaration, .name = "food_trail", .help = "trail of food, at least 0",
                  .element = VKS_F32, .persistent = true, .ping_pong = true,
                  .distance = VKS_DISTANCE_SUM, .range = {0, VKS_LARGEST_AMOUNT});
    }
}

/* --- maps ------------------------------------------------------------------------------------ */

static enum vks_result fill_map(const void *user, const struct vks_field *field,
                                const struct vks_source *source, void *out)
{
    const struct physarum_map *map = user;
    float *factors = out;
    (void)field;
    for (uint64_t i = 0; i < source->count; i++) {
        factors[i] = vks_real(map->low + (map->high - map->low) * (double)source->brightness[i]);
    }
    return VKS_OK;
}

static void declare_maps(const struct physarum_settings *s, struct vks_declaration *declaration)
{
    for (uint32_t i = 0; i < PHYSARUM_MAPS; i++) {
        const struct physarum_map *map = &s->map[i];
        if (map->length > 0) {
            const char *file =
                vks_declaration_name(declaration, "%.*s", (int)map->length, s->maps + map->file);
            VKS_FIELD(declaration, .name = map_fields[i], .element = VKS_F32, .fill = fill_map,
                      .user = vks_declaration_copy(declaration, map, sizeof(*map)), .image = file,
                      .made_from = vks_declaration_name(declaration, "%s %.9g %.9g", file, map->low,
                                                        map->high));
        }
    }
}

/* --- blocks near walls ----------------------------------------------------------------------- */

/* Words of a table with a bit per block of the rank's rows. */
static uint64_t block_words(const struct vks_config *config)
{
    const struct vks_config local = vks_physarum_local(config);
    const uint64_t rows = (local.height + PHYSARUM_BLOCK - 1) / PHYSARUM_BLOCK;
    const uint64_t columns = (local.width + PHYSARUM_BLOCK - 1) / PHYSARUM_BLOCK;
    return (rows * columns + 31) / 32;
}

/* The largest distance, in cells, between an agent and a wall that it senses or meets in a step. */
static uint32_t reach_of(const struct physarum_settings *settings)
{
    const struct physarum_point point = vks_physarum_widest(settings);
    const double margin = 1.001; /* for roundings in shaders */
    const double reach = fmax(point.sensor_distance.base, point.step_size.base) * margin;
    return (uint32_t)fmin(ceil(reach) + 1, PHYSARUM_MAX_REACH);
}

/* --- declarations ---------------------------------------------------------------------------- */

void vks_physarum_declare_surroundings(const struct vks_config *config,
                                       struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    if (vks_physarum_has_walls(s)) {
        declare_walls(config, declaration);
        VKS_FIELD(declaration, .name = "open_cell", .element = VKS_U32X2, .rank = 1, .shape = {1});
        VKS_FIELD(declaration, .name = "wall_blocks", .element = VKS_U32, .rank = 1,
                  .shape = {2 * block_words(config)});
    }
    if (vks_physarum_has_food(s)) {
        declare_food(config, declaration);
    }
    declare_maps(s, declaration);
}

void vks_physarum_declare_opening(const struct vks_config *config,
                                  const struct physarum_params *params,
                                  struct vks_declaration *declaration)
{
    enum { LANES = 256 };
    const struct physarum_settings *s = config->settings;
    const double cells = (double)params->width * params->height;
    const bool sorted = vks_find_field(declaration, "agents_number") >= 0;
    if (!vks_physarum_has_walls(s)) {
        return;
    }
    VKS_PASS(declaration, .name = "open cell", .shader = "physarum/open_cell",
             .when = VKS_WHEN_READY,
             .uses = VKS_USES({"walls", VKS_READ}, {"open_cell", VKS_WRITE}), VKS_PUSH(*params),
             .items = {LANES}, .group = {LANES, 1});
    /* For the walls of the start, and for another reach. */
    for (int i = 0; i < 2; i++) {
        VKS_PASS(declaration, .name = i == 0 ? "wall blocks" : "wall blocks of a change",
                 .shader = "physarum/wall_blocks", .when = i == 0 ? VKS_WHEN_READY : VKS_AT_CHANGE,
                 .uses = VKS_USES({"walls", VKS_READ}, {"wall_blocks", VKS_WRITE}),
                 .specializations = VKS_SPECIALIZATIONS({"reach", reach_of(s)}), VKS_PUSH(*params),
                 .items = {block_words(config)});
    }
    VKS_PASS(declaration, .name = "relocate", .shader = "physarum/relocate", .when = VKS_WHEN_READY,
             .uses = VKS_USES({"walls", VKS_READ}, {"open_cell", VKS_READ},
                              {"position", VKS_READ_WRITE}, {"heading", VKS_READ_WRITE},
                              {sorted ? "agents_number" : "walls", VKS_READ, "agents_number"}),
             .specializations = VKS_SPECIALIZATIONS({"sorted", sorted}), VKS_PUSH(*params),
             .items = {params->agents}, .bytes = 24 * (double)params->agents);
    VKS_PASS(declaration, .name = "clear walls", .shader = "physarum/clear_walls",
             .when = VKS_WHEN_READY,
             .uses = VKS_USES({"walls", VKS_READ}, {"trail", VKS_READ_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"planes", vks_physarum_species(s)}),
             VKS_PUSH(*params), .items = {params->width, params->height},
             .bytes = 8 * cells * vks_physarum_species(s));
}
