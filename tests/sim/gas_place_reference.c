/* SPDX-License-Identifier: MIT */
#include "gas_place_reference.h"

#include "../numbers.h"
#include "base/exact.h"

enum { Z, Y, X };

uint64_t gas_fixed(float amount, float scale)
{
    vks_uvec2 words = vks_fixed(amount, scale);
    return (uint64_t)words.y << 32 | words.x;
}

float gas_from_fixed(uint64_t sum, float unit)
{
    return vks_from_fixed((vks_uvec2){(uint32_t)sum, (uint32_t)(sum >> 32)}, unit);
}

int32_t gas_exponent_of(float a)
{
    return a == 0.0f ? -60 : (int32_t)(bits_of(a) >> 23) - 127;
}

struct gas_place gas_place_of(const uint32_t side[3], const uint32_t position[3])
{
    uint64_t node[3][2]; /* lower and upper, as a share of the index */
    float weight[3][2];
    struct gas_place place = {0};
    const uint64_t stride[3] = {(uint64_t)side[Y] * side[X], side[X], 1};
    for (int axis = 0; axis < 3; axis++) {
        uint32_t b = vks_high(position[axis], side[axis]);
        float f = (float)((position[axis] * side[axis]) >> 8) * 0x1p-24f;
        f = side[axis] > 1 ? f : 0.0f;
        node[axis][0] = b * stride[axis];
        node[axis][1] = (b + 1 < side[axis] ? b + 1 : 0) * stride[axis];
        weight[axis][0] = 1.0f - f;
        weight[axis][1] = f;
        place.nearest = 2 * place.nearest + (f >= 0.5f ? 1 : 0);
    }
    for (unsigned corner = 0; corner < 8; corner++) {
        unsigned a = corner >> 2;
        unsigned b = corner >> 1 & 1;
        unsigned c = corner & 1;
        place.node[corner] = node[Z][a] + node[Y][b] + node[X][c];
        place.weight[corner] = vks_flush((weight[Z][a] * weight[Y][b]) * weight[X][c]);
    }
    return place;
}

void gas_place_add(uint64_t *sums, const struct gas_place *place, float amount, float scale)
{
    uint64_t rest = gas_fixed(amount, scale);
    for (unsigned corner = 0; corner < 8; corner++) {
        if (corner != place->nearest) {
            uint64_t share = gas_fixed(amount * place->weight[corner], scale);
            sums[place->node[corner]] += share;
            rest -= share;
        }
    }
    sums[place->node[place->nearest]] += rest;
}
