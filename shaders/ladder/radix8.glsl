// SPDX-License-Identifier: MIT
// Places of the items of a tile in the order of a digit of 8 bits, by votes of subgroups.
#ifndef VKS_LADDER_RADIX8_GLSL
#define VKS_LADDER_RADIX8_GLSL

// Numbers of items per subgroup and digit, then the items themselves.
const uint rank_words = 256u * subgroups, stage_words = items * lanes;
shared uint stage[rank_words > stage_words ? rank_words : stage_words];
shared uint sums[subgroups];
shared uint bases[256]; // what turns a place in the tile into one in the result, per digit

// The lanes of the subgroup with the same digit.
uvec4 find_equal(uint digit)
{
    uvec4 equal = subgroupBallot(true);
    [[unroll]] for (uint bit = 0u; bit < 8u; bit++) {
        bool is_set = (digit >> bit & 1u) != 0u;
        uvec4 votes = subgroupBallot(is_set);
        equal &= is_set ? votes : ~votes;
    }
    return equal;
}

// The number of earlier items of this subgroup with that digit.
uint rank_item(uint digit)
{
    uint at = 256u * gl_SubgroupID + digit;
    uvec4 equal = find_equal(digit);
    uint before = SHARED_LOAD(stage, at);
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    uint rank = subgroupBallotExclusiveBitCount(equal);
    if (rank == 0u) {
        SHARED_STORE(stage, at, before + subgroupBallotBitCount(equal));
    }
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    return before + rank;
}

// Makes places in the tile of the numbers of items per subgroup and digit: in the order of digits,
// then of subgroups. Each lane has the digits of a range.
void place_digits(uint lane, uint tile)
{
    uint range = max(256u / lanes, 1u), from = lane * range, to = min(from + range, 256u);
    uint sum = 0u;
    for (uint digit = from; digit < to; digit++) {
        for (uint at = digit; at < 256u * gl_NumSubgroups; at += 256u) {
            uint count = SHARED_LOAD(stage, at);
            SHARED_STORE(stage, at, sum);
            sum += count;
        }
    }
    uint before = subgroupExclusiveAdd(sum);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) {
        SHARED_STORE(sums, gl_SubgroupID, before + sum);
    }
    BARRIER();
    for (uint i = 0u; i < gl_SubgroupID; i++) {
        before += SHARED_LOAD(sums, i);
    }
    for (uint digit = from; digit < to; digit++) {
        for (uint at = digit; at < 256u * gl_NumSubgroups; at += 256u) {
            SHARED_STORE(stage, at, SHARED_LOAD(stage, at) + before);
        }
        uint first = LOAD(start, digit * constants.tiles + tile);
        SHARED_STORE(bases, digit, first - SHARED_LOAD(stage, digit));
    }
    BARRIER();
}

// The places of the lane's items in the tile; the order of equal digits is kept.
void place_items(uint own[items], uint lane, uint tile, out uint place[items])
{
    for (uint i = lane; i < 256u * subgroups; i += lanes) {
        SHARED_STORE(stage, i, 0u);
    }
    BARRIER();
    [[unroll]] for (uint i = 0u; i < items; i++) {
        place[i] = rank_item(own[i] >> constants.shift & 255u);
    }
    BARRIER();
    place_digits(lane, tile);
    [[unroll]] for (uint i = 0u; i < items; i++) {
        uint digit = own[i] >> constants.shift & 255u;
        place[i] += SHARED_LOAD(stage, 256u * gl_SubgroupID + digit);
    }
    BARRIER(); // the items follow
}

#endif
