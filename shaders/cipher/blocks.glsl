// SPDX-License-Identifier: MIT
// The trail's part of a step, one invocation per block of 2 x 2 cells: docs/sims/cipher.md,
// "A step". CIPHER_BACK: of a step backward.
#include "cipher/cipher.glsl"

VKS_FIELD(0, , trail, uint, trails);
VKS_FIELD(1, , reservoir, uint, reservoirs);
VKS_FIELD(2, , counts, uint, agents_in);
VKS_FIELD(3, readonly, moment, uint, moments);
#ifndef CIPHER_BACK
VKS_FIELD(4, writeonly, moment_next, uint, moments_next);
#endif

// floor(v q / 2^16) modulo 2^32 of a signed v and q up to 2^16.
uint scaled(uint v, uint q)
{
    uint high, low;
    umulExtended(v, q, high, low);
    high -= v >> 31 == 1u ? q : 0u;
    return (high << 16) | (low >> 16);
}

// v + scaled(w, q), or v - scaled(w, q).
uint sheared(uint v, uint w, uint q, bool minus)
{
    uint s = scaled(w, q);
    return minus ? v - s : v + s;
}

// Turns the cells 0 1 / 2 3 clockwise.
uvec4 turned(uvec4 cells, uint quarters)
{
    uvec4 one = quarters == 1u ? cells.zxwy : quarters == 2u ? cells.wzyx : cells.ywxz;
    return quarters == 0u ? cells : one;
}

void main()
{
    uvec2 block = gl_GlobalInvocationID.xy;
    uvec2 size = uvec2(constants.width, constants.height);
    if (block.x >= size.x / 2u || block.y >= size.y / 2u) {
        return;
    }
    uint moment = VKS_AT(moments, 0u);
#ifdef CIPHER_BACK
    if (moment == 0u) {
        return;
    }
    moment--;
#else
    if (block.x == 0u && block.y == 0u) {
        VKS_AT(moments_next, 0u) = moment + 1u;
    }
#endif
    // Rows and columns of the block's cells, and of those of the reservoir that go with them.
    uvec2 first = 2u * block + (moment & 1u);
    uvec2 second = uvec2(first.x + 1u == size.x ? 0u : first.x + 1u,
                         first.y + 1u == size.y ? 0u : first.y + 1u);
    uint plane = moment % constants.reservoirs;
    uvec4 r = keyed(plane, moment, 3u);
    uvec2 offset = uvec2(vks_high(r.y, size.x), vks_high(r.x, size.y));
    bool reversed = r.z >> 31 == 1u;
    uvec2 first_there = first + offset, second_there = second + offset; // sides are up to 2^16
    first_there -= uvec2(first_there.x >= size.x ? size.x : 0u,
                         first_there.y >= size.y ? size.y : 0u);
    second_there -= uvec2(second_there.x >= size.x ? size.x : 0u,
                          second_there.y >= size.y ? size.y : 0u);
    uvec4 here = uvec4(first.y, first.y, second.y, second.y) * size.x +
                 uvec4(first.x, second.x, first.x, second.x);
    uvec4 there = uvec4(first_there.y, first_there.y, second_there.y, second_there.y) * size.x +
                  uvec4(first_there.x, second_there.x, first_there.x, second_there.x);
    there += plane * size.x * size.y;
    // The quarter turns.
    r = keyed(block.y * (size.x / 2u) + block.x, moment, 4u);
    uint quarters = r.x < constants.turning ? 1u + vks_high(r.y, 3u) : 0u;

    uvec4 values;
    for (uint c = 0u; c < 4u; c++) {
        values[c] = VKS_AT(trails, here[c]);
    }
#ifdef CIPHER_BACK
    values = turned(values, (4u - quarters) & 3u);
#endif
    for (uint c = 0u; c < 4u; c++) {
        uint t = values[c];
        uint m = VKS_AT(reservoirs, there[c]);
        uint gain = VKS_AT(agents_in, here[c]) * constants.deposit - constants.even;
        VKS_AT(agents_in, here[c]) = 0u;
#ifdef CIPHER_BACK
        t = sheared(t, m, constants.shear_trail, reversed);
        m = sheared(m, t, constants.shear_reservoir, !reversed);
        t = sheared(t, m, constants.shear_trail, reversed) - gain;
#else
        t = sheared(t + gain, m, constants.shear_trail, !reversed);
        m = sheared(m, t, constants.shear_reservoir, reversed);
        t = sheared(t, m, constants.shear_trail, !reversed);
#endif
        VKS_AT(reservoirs, there[c]) = m;
        values[c] = t;
    }
#ifndef CIPHER_BACK
    values = turned(values, quarters);
#endif
    for (uint c = 0u; c < 4u; c++) {
        VKS_AT(trails, here[c]) = values[c];
    }
}
