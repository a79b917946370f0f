// SPDX-License-Identifier: MIT
// Places of the items of a tile in the order of a digit of 4 bits.
#ifndef VKS_LADDER_RADIX4_GLSL
#define VKS_LADDER_RADIX4_GLSL

#define ITEMS (SORT_TILE / 256u) // per lane
#define PLACE(index) ((index) + ((index) >> 5)) // no two lanes in a bank at strides of 8 and 16

shared uint stage[PLACE(SORT_TILE)];
shared uint counter[PLACE(16u * 256u)]; // per digit and lane
shared uint sums[2u * 256u];

// Exclusive prefix sums of all counters: 16 neighbours per lane, then the lanes' sums.
void scan_counters()
{
    uint lane = gl_LocalInvocationID.x;
    uint own = 0u;
    for (uint i = 0u; i < 16u; i++) {
        own += SHARED_LOAD(counter, PLACE(lane * 16u + i));
    }
    uint upto = own, half_at = 0u;
    SHARED_STORE(sums, lane, upto);
    BARRIER();
    for (uint reach = 1u; reach < 256u; reach *= 2u) {
        upto += lane >= reach ? SHARED_LOAD(sums, half_at + lane - reach) : 0u;
        half_at = 256u - half_at;
        SHARED_STORE(sums, half_at + lane, upto);
        BARRIER();
    }
    uint before = upto - own;
    for (uint i = 0u; i < 16u; i++) {
        uint count = SHARED_LOAD(counter, PLACE(lane * 16u + i));
        SHARED_STORE(counter, PLACE(lane * 16u + i), before);
        before += count;
    }
    BARRIER();
}

// Of neighbouring items; the order of equal digits is kept.
void place_items(uint own[ITEMS], uint shift, out uint place[ITEMS])
{
    uint lane = gl_LocalInvocationID.x;
    for (uint digit = 0u; digit < 16u; digit++) {
        SHARED_STORE(counter, PLACE(digit * 256u + lane), 0u);
    }
    for (uint i = 0u; i < ITEMS; i++) {
        uint at = PLACE((own[i] >> shift & 15u) * 256u + lane);
        place[i] = SHARED_LOAD(counter, at);
        SHARED_STORE(counter, at, place[i] + 1u);
    }
    BARRIER();
    scan_counters();
    for (uint i = 0u; i < ITEMS; i++) {
        place[i] += SHARED_LOAD(counter, PLACE((own[i] >> shift & 15u) * 256u + lane));
    }
}

uint first_of_digit(uint digit)
{
    return SHARED_LOAD(counter, PLACE(digit * 256u));
}

#endif
