/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <math.h>

#include "../numbers.h"
#include "api/settings.h"
#include "base/memory.h"
#include "sim/registry.h"

size_t fuzz_below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_word(state) % limit) : 0;
}

static size_t model_count(void)
{
    size_t count = 0;
    while (vks_model_at(count)) {
        count++;
    }
    return count;
}

static const struct vks_model *any_model(uint64_t *state)
{
    return vks_model_at(fuzz_below(state, model_count()));
}

const struct vks_option *fuzz_option(uint64_t *state)
{
    const struct vks_option_table tables[] = {
        any_model(state)->options,
        vks_common_options,
        fuzz_options ? *fuzz_options : vks_common_options,
    };
    const struct vks_option_table *table = &tables[fuzz_below(state, VKS_COUNT(tables))];
    return &table->options[fuzz_below(state, table->count)];
}

static const char *any_of(const char *const *list, uint64_t *state)
{
    size_t count = 0;
    while (list[count]) {
        count++;
    }
    return count ? list[fuzz_below(state, count)] : "";
}

/* A name of something of a simulation. */
static const char *any_name(const struct vks_model *model, uint64_t *state)
{
    const struct vks_preset *presets = vks_model_presets(model);
    size_t count = 0;
    while (presets[count].name) {
        count++;
    }
    const char *const names[] = {
        model->name,
        count ? presets[fuzz_below(state, count)].name : "default",
        any_of(vks_model_starts(model), state),
        fuzz_option(state)->name,
    };
    return names[fuzz_below(state, VKS_COUNT(names))];
}

const char *fuzz_text(const struct vks_option *option, uint64_t *state)
{
    static const char *const edges[] = {
        "",           "0",           "-1",    "1e999",       "nan",          "inf",
        "none",       "true",        "0.5",   "1x1",         "2x2x2",        "0x0",
        "8x0",        "1,2,3,4,5",   "1;2;3", "1:2",         "1..9",         "0..1:3",
        "#ff0000",    "a=b",         "%d",    "%s%n",        "out_%05d.png", "a.mp4",
        "a.npy",      "a.csv",       "-",     "--help",      "\xff",         "\xc3\xa9",
        "4294967296", "16384x16384", "i.png", "s.json",      "z.npz",        "f.json",
        "m.csv",      "p.csv",       "c",     "image:i.png",
    };
    switch (fuzz_below(state, 4)) {
    case 0:
        return option->choices ? any_of(option->choices, state) : any_name(any_model(state), state);
    case 1:
        return option->default_text ? option->default_text : "";
    case 2:
        return any_name(any_model(state), state);
    default:
        return edges[fuzz_below(state, VKS_COUNT(edges))];
    }
}

double fuzz_number(const struct vks_option *option, uint64_t *state)
{
    static const double edges[] = {
        0,      -0.0,  1,     -1,     0.5,  2,        3,    255,  256,     65535,  65536, 0x1p31,
        0x1p32, 1e-40, 1e300, 0x1p53, 1e-7, 16777217, 1e15, 1e18, -0x1p31, -1e300, 4096,  1e6,
    };
    switch (fuzz_below(state, 6)) {
    case 0:
        return option->min;
    case 1:
        return option->max;
    case 2:
        return option->max + 1;
    case 3:
        return nextafter(option->min, -HUGE_VAL);
    default:
        return edges[fuzz_below(state, VKS_COUNT(edges))];
    }
}
