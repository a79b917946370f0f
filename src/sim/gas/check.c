/* SPDX-License-Identifier: MIT */
/* Parses the text options of the gas, and checks its options against each other and the size of the
 * box. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "sim/gas/gas.h"

enum vks_result vks_gas_parse(const struct vks_model *model, void *settings)
{
    (void)model;
    struct gas_settings *s = settings;
    const char *text = s->frequency ? s->frequency : "";
    double low, high;
    const char *end = vks_parse_span(text, &low, &high);
    if (!end) {
        low = high = vks_parse_real(text, &end);
    }
    if (end == text || *end != '\0' || !(low >= 0 && low <= high && high <= 1e6)) {
        return vks_fail_option(VKS_ERROR_USAGE, "frequency",
                               "'%s' is not LOW:HIGH with 0 <= LOW <= HIGH <= 1e6, or one such "
                               "number",
                               text);
    }
    s->lowest_frequency = low;
    s->highest_frequency = high;
    return VKS_OK;
}

/* Shorter ones could be less than a unit of time. */
static enum vks_result check_end(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    return s->end_time > 0 && s->end_time < 1e-9
               ? vks_fail_option(VKS_ERROR_USAGE, "end-time",
                                 "%g is too early: choose 0, or 1e-9 to 8192", s->end_time)
               : VKS_OK;
}

/* Gravity is solved by FFTs of powers of two. */
static enum vks_result check_gravity(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    static const char *const names[] = {"depth", "height", "width"};
    enum { MAX_SIDE = 2048 };
    uint32_t sides[3];
    if (s->gravity <= 0) {
        return VKS_OK;
    }
    vks_gas_sides(config, sides);
    for (size_t axis = 0; axis < 3; axis++) {
        uint32_t lower = 1;
        while (2 * lower <= sides[axis] && lower < MAX_SIDE) {
            lower *= 2;
        }
        if (sides[axis] == lower) {
            continue;
        }
        return lower == MAX_SIDE
                   ? vks_fail_option(VKS_ERROR_USAGE, "gravity",
                                     "needs sides that are powers of two up to %d; the %s of "
                                     "%u is longer",
                                     MAX_SIDE, names[axis], sides[axis])
                   : vks_fail_option(VKS_ERROR_USAGE, "gravity",
                                     "needs sides that are powers of two; the %s of %u is not: "
                                     "choose %u or %u, or gravity 0",
                                     names[axis], sides[axis], lower, 2 * lower);
    }
    return VKS_OK;
}

static enum vks_result check_oscillators(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const bool tracers = s->method == GAS_PARTICLES || s->particles > 0;
    if (s->boltzmann > 0 && s->boltzmann < 1e-6) {
        return vks_fail_option(VKS_ERROR_USAGE, "boltzmann",
                               "%g is too low: choose 0, or 1e-6 to 1e6", s->boltzmann);
    }
    if (s->exchange_time > 0 && s->exchange_time < 1e-9) {
        return vks_fail_option(VKS_ERROR_USAGE, "exchange-time",
                               "%g is too short: choose 0, or 1e-9 to %g", s->exchange_time,
                               GAS_LARGEST);
    }
    if (s->exchange_time > 0 && !(s->boltzmann > 0)) {
        return vks_fail_option(VKS_ERROR_USAGE, "exchange-time",
                               "has no effect without oscillators: set "
                               "boltzmann, such as 1");
    }
    if (vks_gas_exchanges(config) && !tracers) {
        return vks_fail(VKS_ERROR_USAGE, "with method grid oscillators belong to tracers: set "
                                         "particles, or boltzmann 0");
    }
    return VKS_OK;
}

/* The heat of an explosion has the limit of all inputs. */
static enum vks_result check_blast(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const struct gas_start_params start = vks_gas_start_params(config);
    return config->start != GAS_BLAST || (double)start.peak <= GAS_LARGEST
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "energy",
                                 "%g within radius %g is %g per volume, and the limit is "
                                 "2^30: choose a larger radius or less energy",
                                 s->energy, (double)start.radius, (double)start.peak);
}

static enum vks_result check_variant(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const struct vks_variant *variant = &config->variant;
    const bool of_grid = variant->numbers[GAS_KIND] >= GAS_FACES;
    if (variant->name[0] && of_grid != (s->method == GAS_GRID)) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant", "%s needs method %s", variant->name,
                               of_grid ? "grid" : "particles");
    }
    if (variant->numbers[GAS_KIND] == GAS_FACES && !vks_gas_fits_faces(config)) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant",
                               "%s needs two axes, and at most %u nodes: choose runs-1",
                               variant->name, UINT32_MAX / FACE_WORDS);
    }
    if (variant->numbers[GAS_KIND] == GAS_SORTED && !vks_gas_fits_tiles(config)) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant",
                               "%s: the box has too many nodes, %.0f, to sort particles",
                               variant->name, vks_gas_nodes(config));
    }
    return VKS_OK;
}

static enum vks_result check_sizes(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const double nodes = vks_gas_nodes(config);
    if ((double)vks_gas_count(config) > GAS_MAX_PARTICLES) {
        return vks_fail(VKS_ERROR_USAGE,
                        "one particle per node is too many for %.0f nodes: set particles, at "
                        "most %.0f",
                        nodes, GAS_MAX_PARTICLES);
    }
    if (s->method == GAS_PARTICLES && nodes * (double)RECORD_ROWS > UINT32_MAX) {
        return vks_fail_option(VKS_ERROR_USAGE, "method",
                               "particles takes at most %u nodes, and the box has %.0f",
                               UINT32_MAX / RECORD_ROWS, nodes);
    }
    return VKS_OK;
}

enum vks_result vks_gas_check(const struct vks_config *config)
{
    static enum vks_result (*const checks[])(const struct vks_config *config) = {
        vks_gas_check_view, check_blast, check_end,     check_oscillators,
        check_gravity,      check_sizes, check_variant, vks_gas_check_ranks,
    };
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < VKS_COUNT(checks); i++) {
        result = checks[i](config);
    }
    return result;
}
