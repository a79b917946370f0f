/* SPDX-License-Identifier: MIT */
/* The fields that both methods share: time, limits of dt and status. docs/sims/gas.md. */
#include <math.h>

#include "base/error.h"
#include "base/exact.h"
#include "sim/gas/gas.h"

static float float_of(uint32_t bits)
{
    const union {
        uint32_t bits;
        float value;
    } same = {bits};
    return same.value;
}

/* Exponent of the finest unit for which a total of `a` is at most 2^61 units. */
static int32_t unit_for(float a)
{
    int exponent;
    const bool is_power = frexpf(a, &exponent) == 0.5f; /* a is the fraction x 2^exponent */
    const int32_t finest = (is_power ? 61 : 60) - (exponent - 1);
    return finest < 126 ? finest : 126;
}

/* True if the clockwork has valid units for particles in this box. */
static bool has_units(const struct vks_config *config, const uint32_t *words)
{
    enum { MIN_EXPONENT = -84, MAX_EXPONENT = 126 }; /* vks_top_scale() */
    const float per_h3 = vks_gas_params(config).per_h3, total = float_of(words[CLOCK_TOTAL]);
    if (!(isfinite(total) && total >= 0x1p-60f)) {
        return false;
    }
    const float volume_mean = total * per_h3;
    const float mean = vks_flush(volume_mean * vks_real(1 / vks_gas_nodes(config)));
    const int32_t energy = (int32_t)words[CLOCK_ENERGY_UNIT];
    const int32_t momentum = (int32_t)words[CLOCK_MOMENTUM_UNIT];
    const double units = ldexp((double)words[CLOCK_ENERGY + 1], 32) + (double)words[CLOCK_ENERGY];
    return float_of(words[CLOCK_MEAN]) == (mean > 0x1p-60f ? mean : 0x1p-60f) &&
           (int32_t)words[CLOCK_MASS_UNIT] == unit_for(total) && energy <= MAX_EXPONENT &&
           energy >= MIN_EXPONENT && momentum <= MAX_EXPONENT && momentum >= MIN_EXPONENT &&
           ldexp(units, -energy) <= 0x1p122 && words[CLOCK_ENERGY + 1] >> 31 == 0;
}

/* Checks a loaded clockwork, so that the values derived from it stay in the range of float32. */
static enum vks_result check_clock(const void *user, const struct vks_field *field,
                                   const void *data)
{
    const struct vks_config *config = user;
    const struct gas_settings *s = config->settings;
    const uint32_t *words = data;
    const float dt = float_of(words[CLOCK_DT]), mean = float_of(words[CLOCK_MEAN]);
    if (!(isfinite(dt) && dt >= 0 && dt <= 1024) || signbit(dt)) {
        return vks_fail(VKS_ERROR_FILE, "'%s': word %d, the last dt, is %g; it must be 0 to 1024",
                        field->name, CLOCK_DT, (double)dt);
    }
    if (words[CLOCK_MEAN] == 0) {
        return VKS_OK; /* will be measured */
    }
    if (!(isfinite(mean) && mean >= 0x1p-60f)) {
        return vks_fail(VKS_ERROR_FILE,
                        "'%s': word %d, the mean density, is %g; it must be 0, to be measured, or "
                        "at least 2^-60",
                        field->name, CLOCK_MEAN, (double)mean);
    }
    return s->method == GAS_GRID || has_units(config, words)
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE,
                          "'%s': words %d to %d are not the units of particles in a box of this "
                          "size; leave '%s' out, or set word %d to 0, to have them measured",
                          field->name, CLOCK_MEAN, CLOCK_ENERGY + 1, field->name, CLOCK_MEAN);
}

uint64_t vks_gas_end(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    return s->end_time > 0 ? (uint64_t)llround(s->end_time / VKS_TIME_UNIT) : UINT64_MAX;
}

static enum vks_result fill_end(const void *user, const struct vks_field *field,
                                const struct vks_source *source, void *out)
{
    const uint64_t end = vks_gas_end(user);
    uint32_t *words = out;
    (void)field;
    (void)source;
    words[0] = (uint32_t)end;
    words[1] = (uint32_t)(end >> 32);
    return VKS_OK;
}

void vks_gas_declare_clock(const struct vks_config *config, struct vks_declaration *declaration)
{
    static const char *const failures[] = {
        "the gas has reached a density or an energy below 0; choose a lower cfl",
        "the time step has become 0: the gas moves or falls too fast for the unit of time, 2^-40",
        NULL,
    };
    VKS_FIELD(declaration, .name = "clockwork", .help = "time, last dt, units: docs/sims/gas.md",
              .element = VKS_U32, .rank = 1, .shape = {CLOCK_WORDS}, .persistent = true,
              .check = check_clock, .user = config);
    VKS_FIELD(declaration, .name = "limits", .element = VKS_U32, .rank = 1, .shape = {LIMIT_COUNT});
    VKS_FIELD(declaration, .name = "step_values", .element = VKS_F32, .rank = 1,
              .shape = {STEP_COUNT});
    VKS_FIELD(declaration, .name = "status", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"status", .failures = failures}));
    VKS_FIELD(declaration, .name = "time", .element = VKS_U32X2, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"time", .unit = VKS_TIME_UNIT}));
    /* Not a constant: the end may move with every frame, and recorded batches remain valid. */
    VKS_FIELD(declaration, .name = "end_time", .element = VKS_U32X2, .rank = 1, .shape = {1},
              .fill = fill_end, .user = config,
              .made_from = vks_declaration_name(declaration, "%llu",
                                                (unsigned long long)vks_gas_end(config)));
    VKS_FIELD(declaration, .name = "dt", .element = VKS_F32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"dt"}));
}
