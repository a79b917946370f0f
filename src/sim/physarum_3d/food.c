/* SPDX-License-Identifier: MIT */
/* Food of Physarum in a volume: data points from a file, and the trace at them.
 * docs/sims/physarum-3d.md, "Food". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/task.h"
#include "sim/physarum_3d/physarum_3d.h"

static const double max_food = 0x1p40; /* of a cell */

/* --- options --------------------------------------------------------------------------------- */

const char *vks_physarum_3d_points(const struct physarum_3d_settings *settings)
{
    return settings->food ? vks_points_of(settings->food) : NULL;
}

bool vks_physarum_3d_has_points(const struct vks_config *config)
{
    return vks_physarum_3d_points(config->settings) != NULL;
}

/* Parses "X0,Y0,Z0,X1,Y1,Z1". */
static bool parse_box(const char *text, struct physarum_3d_box *box)
{
    double corners[6];
    const char *at = text;
    for (size_t i = 0; i < VKS_COUNT(corners); i++) {
        const char *end;
        corners[i] = vks_parse_real(at, &end);
        if (end == at || *end != (i + 1 < VKS_COUNT(corners) ? ',' : '\0') ||
            !(fabs(corners[i]) <= 1e150)) {
            return false;
        }
        at = end + 1;
    }
    memcpy(box->low, corners, sizeof(box->low));
    memcpy(box->high, corners + 3, sizeof(box->high));
    return true;
}

enum vks_result vks_physarum_3d_parse(const struct vks_model *model, void *settings)
{
    (void)model;
    struct physarum_3d_settings *s = settings;
    const char *points = vks_physarum_3d_points(s);
    const char *food = vks_text_is_given(s->food) ? s->food : "none";
    if (!points && strcmp(food, "none") != 0 && strcmp(food, "given") != 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "food",
                               "'%s' is not one of: none, points:FILE.csv, points:FILE.npy", food);
    }
    s->has_food = strcmp(food, "none") != 0;
    s->has_box = vks_text_is_given(s->points_box) && strcmp(s->points_box, "auto") != 0;
    if (!s->has_box) {
        return VKS_OK;
    }
    bool good = parse_box(s->points_box, &s->box);
    for (size_t axis = 0; good && axis < 3; axis++) {
        good = s->box.low[axis] < s->box.high[axis];
    }
    return good ? VKS_OK
                : vks_fail_option(VKS_ERROR_USAGE, "points-box",
                                  "'%s' is not X0,Y0,Z0,X1,Y1,Z1 with X0 < X1, Y0 < Y1 and Z0 < Z1",
                                  s->points_box);
}

/* --- points in cells ------------------------------------------------------------------------- */

/* How points become cells, along x, y and z. */
struct map {
    struct physarum_3d_box box;
    double scale;    /* cells per length */
    double start[3]; /* of the box, in cells */
    uint32_t sides[3];
};

/* What the first reading of the points finds. */
struct survey {
    const struct vks_config *config;
    struct physarum_3d_box bounds;
    uint64_t points;
};

static const char *path_of(const struct vks_config *config)
{
    return vks_physarum_3d_points(config->settings);
}

static enum vks_result fail_row(const struct vks_config *config, uint64_t number, const char *what)
{
    return vks_fail(VKS_ERROR_FILE, "'%s': row %llu: %s", path_of(config),
                    (unsigned long long)number, what);
}

static enum vks_result survey_row(void *user, uint64_t number, const double *values, uint32_t count)
{
    const uint64_t max_points = UINT64_C(1) << 28;
    struct survey *survey = user;
    if (number > max_points) {
        return fail_row(survey->config, number, "there are more than 2^28 points");
    }
    if (count > 3 && values[3] < 0) {
        return fail_row(survey->config, number, "its weight is below 0");
    }
    for (size_t axis = 0; axis < 3; axis++) {
        if (!(fabs(values[axis]) <= 1e150)) {
            return fail_row(survey->config, number, "a coordinate is beyond 1e150");
        }
        survey->bounds.low[axis] = fmin(survey->bounds.low[axis], values[axis]);
        survey->bounds.high[axis] = fmax(survey->bounds.high[axis], values[axis]);
    }
    survey->points++;
    return VKS_OK;
}

/* The box of the points, with a margin. */
static enum vks_result box_around(const struct survey *survey, struct physarum_3d_box *box)
{
    static const char *const names[] = {"x", "y", "z"};
    const struct physarum_3d_settings *s = survey->config->settings;
    double longest = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        longest = fmax(longest, survey->bounds.high[axis] - survey->bounds.low[axis]);
    }
    for (size_t axis = 0; axis < 3; axis++) {
        box->low[axis] = survey->bounds.low[axis] - s->points_margin * longest;
        box->high[axis] = survey->bounds.high[axis] + s->points_margin * longest;
        if (!(box->high[axis] - box->low[axis] > 0)) {
            return vks_fail_file(
                vks_fail(VKS_ERROR_FILE,
                         "'%s': the box of the points has no extent along %s; set points-box%s",
                         path_of(survey->config), names[axis],
                         longest > 0 ? ", or a points-margin over 0" : ""),
                path_of(survey->config));
        }
    }
    return VKS_OK;
}

/* Reads all points once, checks them and finds how they become cells. */
static enum vks_result map_points(const struct vks_config *config, struct map *map,
                                  uint64_t *points)
{
    const struct physarum_3d_settings *s = config->settings;
    struct survey survey = {
        .config = config,
        .bounds = {.low = {INFINITY, INFINITY, INFINITY},
                   .high = {-INFINITY, -INFINITY, -INFINITY}},
    };
    enum vks_result result = config->read_table(path_of(config), 3, 4, survey_row, &survey);
    if (result == VKS_OK && survey.points == 0) {
        result = vks_fail_file(vks_fail(VKS_ERROR_FILE, "'%s' contains no points", path_of(config)),
                               path_of(config));
    }
    *map = (struct map){
        .box = s->box, .scale = INFINITY, .sides = {config->width, config->height, config->depth}};
    *points = survey.points;
    if (result == VKS_OK && !s->has_box) {
        result = box_around(&survey, &map->box);
    }
    for (size_t axis = 0; axis < 3; axis++) {
        map->scale =
            fmin(map->scale, map->sides[axis] / (map->box.high[axis] - map->box.low[axis]));
    }
    for (size_t axis = 0; axis < 3; axis++) {
        const double extent = map->box.high[axis] - map->box.low[axis];
        map->start[axis] = 0.5 * (map->sides[axis] - extent * map->scale);
    }
    return result;
}

/* The cell of a point; false if it is outside the volume. What is inside the box is never outside,
 * although a point on its edge may be, by a rounding error. */
static bool cell_of(const struct map *map, const double *point, uint64_t *cell)
{
    uint64_t at[3];
    for (size_t axis = 0; axis < 3; axis++) {
        const double side = map->sides[axis];
        const double low = map->box.low[axis], high = map->box.high[axis];
        double place = (point[axis] - low) * map->scale + map->start[axis];
        if (point[axis] >= low && point[axis] <= high) {
            place = fmin(fmax(place, 0), side - 0.5);
        }
        if (!(place >= 0 && place < side)) {
            return false;
        }
        at[axis] = (uint64_t)place;
    }
    *cell = (at[2] * map->sides[1] + at[1]) * map->sides[0] + at[0];
    return true;
}

/* --- food ------------------------------------------------------------------------------------ */

/* The second reading. */
struct feeding {
    const struct vks_config *config;
    struct map map;
    uint64_t *sums; /* of each cell, in 2^-20; NULL: points are only checked and counted */
    uint64_t inside;
};

static enum vks_result feed_row(void *user, uint64_t number, const double *values, uint32_t count)
{
    const double unit = 0x1p20;
    struct feeding *feeding = user;
    const struct physarum_3d_settings *s = feeding->config->settings;
    const double food = (count > 3 ? values[3] : 1) * s->food_strength;
    uint64_t cell;
    if (!cell_of(&feeding->map, values, &cell)) {
        return VKS_OK;
    }
    if (!(food <= max_food)) {
        return fail_row(feeding->config, number,
                        "its weight times food-strength is over 2^40; choose less");
    }
    feeding->inside++;
    if (feeding->sums) {
        feeding->sums[cell] += (uint64_t)floor(food * unit + 0.5);
        if (feeding->sums[cell] > (uint64_t)(max_food * unit)) {
            return fail_row(feeding->config, number,
                            "the food of its cell is over 2^40; choose less food-strength");
        }
    }
    return VKS_OK;
}

/* Reads the points, into `sums` unless it is NULL. */
static enum vks_result read_points(const struct vks_config *config, uint64_t *sums)
{
    struct feeding feeding = {.config = config, .sums = sums};
    uint64_t points = 0;
    enum vks_result result = map_points(config, &feeding.map, &points);
    if (result == VKS_OK) {
        result = config->read_table(path_of(config), 3, 4, feed_row, &feeding);
    }
    if (result == VKS_OK && feeding.inside == 0) {
        result = vks_fail_option(VKS_ERROR_USAGE, "points-box",
                                 "none of the %llu points of '%s' is inside",
                                 (unsigned long long)points, path_of(config));
    }
    if (result == VKS_OK && sums && feeding.inside < points) {
        vks_message(VKS_LOG_INFO, "%llu of %llu points are outside the volume and left out",
                    (unsigned long long)(points - feeding.inside), (unsigned long long)points);
    }
    return result;
}

enum vks_result vks_physarum_3d_check_files(const struct vks_config *config)
{
    return path_of(config) ? read_points(config, NULL) : VKS_OK;
}

/* From the points, or an array of the user. */
static enum vks_result fill_food(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const uint64_t cells = (uint64_t)config->width * config->height * config->depth;
    float *food = out;
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(value >= 0 && value <= max_food)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be 0 to 2^40",
                            field->name, (unsigned long long)(source->first + i), value);
        }
        food[i] = vks_real(value);
    }
    if (source->array) {
        return VKS_OK;
    }
    uint64_t *sums = calloc(cells, sizeof(*sums));
    const enum vks_result result = sums ? read_points(config, sums) : vks_fail_memory();
    for (uint64_t i = 0; result == VKS_OK && i < cells; i++) {
        food[i] = vks_real((double)sums[i] * 0x1p-20);
    }
    free(sums);
    return result;
}

void vks_physarum_3d_declare_food(const struct vks_config *config,
                                  struct vks_declaration *declaration)
{
    const struct physarum_3d_settings *s = config->settings;
    if (!s->has_food) {
        return;
    }
    const char *points = path_of(config);
    const char *made_from =
        points ? vks_declaration_name(declaration, "%s by %a in %s, %a", points, s->food_strength,
                                      s->has_box ? s->points_box : "auto", s->points_margin)
               : NULL;
    VKS_FIELD(declaration, .name = "food", .help = "trail that is added per step, at least 0",
              .element = VKS_F32, .persistent = true, .fill = fill_food, .user = config,
              .made_from = made_from);
}

/* --- the trace at the points ----------------------------------------------------------------- */

/* The value below which that share of the values, all at least 0, are: whose bits are in the order
 * of the values. */
static float quantile(const float *values, uint64_t count, double share, uint64_t *histogram)
{
    enum { HALF = 16, BINS = 1 << HALF };
    const uint32_t *bits = (const uint32_t *)(const void *)values;
    uint64_t rank = (uint64_t)(share * (double)(count - 1));
    uint32_t found = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        memset(histogram, 0, BINS * sizeof(*histogram));
        for (uint64_t i = 0; i < count; i++) {
            if (pass == 0 || bits[i] >> HALF == found) {
                histogram[pass == 0 ? bits[i] >> HALF : bits[i] & (BINS - 1)]++;
            }
        }
        uint32_t bin = 0;
        while (rank >= histogram[bin]) {
            rank -= histogram[bin++];
        }
        found = found << HALF | bin;
    }
    const union {
        uint32_t bits;
        float value;
    } same = {found};
    return same.value;
}

/* Quantiles of the overdensity, the trace in units of its mean. */
static enum vks_result report_quantiles(const float *trace, uint64_t cells)
{
    static const double shares[] = {0.5, 0.9, 0.99, 0.999, 1};
    uint64_t *histogram = malloc(65536 * sizeof(*histogram));
    double sum = 0, found[VKS_COUNT(shares)] = {0};
    if (!histogram) {
        return vks_fail_memory();
    }
    for (uint64_t i = 0; i < cells; i++) {
        sum += (double)trace[i];
    }
    const double mean = sum / (double)cells;
    for (size_t i = 0; mean > 0 && i < VKS_COUNT(shares); i++) {
        found[i] = (double)quantile(trace, cells, shares[i], histogram) / mean;
    }
    free(histogram);
    vks_message(VKS_LOG_INFO,
                "overdensity of the trace, in units of its mean: median %.3g, 90 %% of the cells "
                "below %.3g, 99 %% below %.3g, 99.9 %% below %.3g, max %.3g",
                found[0], found[1], found[2], found[3], found[4]);
    return VKS_OK;
}

struct tabulating {
    struct map map;
    const float *trace;
    FILE *out;
};

static enum vks_result print_row(void *user, uint64_t number, const double *values, uint32_t count)
{
    const struct tabulating *table = user;
    char text[40];
    uint64_t cell;
    fprintf(table->out, "%llu", (unsigned long long)number);
    for (uint32_t i = 0; i < 4; i++) {
        fprintf(table->out, ",%s", vks_format_real(i < count ? values[i] : 1, text, sizeof(text)));
    }
    const bool inside = cell_of(&table->map, values, &cell);
    fprintf(table->out, ",%s\n",
            inside ? vks_format_real((double)table->trace[cell], text, sizeof(text)) : "");
    return VKS_OK;
}

enum vks_result vks_physarum_3d_tabulate(const struct vks_config *config, vks_read_fn *read,
                                         void *user, FILE *out)
{
    const uint64_t cells = (uint64_t)config->width * config->height * config->depth;
    float *trace = malloc(cells * sizeof(*trace));
    struct tabulating table = {.trace = trace, .out = out};
    uint64_t points;
    enum vks_result result =
        trace ? read(user, "trace", trace, cells * sizeof(*trace)) : vks_fail_memory();
    if (result == VKS_OK) {
        result = map_points(config, &table.map, &points);
    }
    if (result == VKS_OK) {
        fputs("row,x,y,z,weight,trace\n", out);
        result = config->read_table(path_of(config), 3, 4, print_row, &table);
    }
    if (result == VKS_OK) {
        result = report_quantiles(trace, cells);
    }
    free(trace);
    return result;
}
