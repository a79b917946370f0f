// SPDX-License-Identifier: MIT
// Common to the passes of an exchange of items between ranks. In messages all words of an item
// follow each other, those of its place first. MIGRATE_WORD_PLACE: a place is one word, and there
// are more fields.
#ifndef VKS_CORE_MIGRATE_GLSL
#define VKS_CORE_MIGRATE_GLSL

#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "core/migrate.h"

layout(constant_id = 0) const uint fields = 4u; // of one word; other bindings repeat the first

VKS_CONSTANTS(migrate_params);

#ifdef MIGRATE_WORD_PLACE
#define PLACE uint
#define PLACE_WORDS 1u
#else
#define PLACE uvec2
#define PLACE_WORDS 2u
#endif

// The row of a place among the own ones; others are larger than all of these.
uint own_row(uint place)
{
    return vks_high(place, constants.side) - constants.first;
}

uint own_row(uvec2 place)
{
    return own_row(place.x);
}
#endif
