// SPDX-License-Identifier: MIT
// Moves the elements of up to eight fields of words to their slots in a sort. CLEARS: also
// clears the counts for the next one.
#include "core/place.glsl"

layout(constant_id = 0) const uint fields = 8u; // other bindings repeat the first

#define PAIR(number, in_binding, out_binding)                                                      \
    VKS_FIELD(in_binding, readonly, items_##number, uint, from_##number);                          \
    VKS_FIELD(out_binding, writeonly, items_##number##_next, uint, to_##number)
PAIR(0, 1, 2);
PAIR(1, 3, 4);
PAIR(2, 5, 6);
PAIR(3, 7, 8);
PAIR(4, 9, 10);
PAIR(5, 11, 12);
PAIR(6, 13, 14);
PAIR(7, 16, 17);
#ifdef CLEARS
layout(std430, set = 0, binding = 20) writeonly buffer counts
{
    uint counted[];
};
#endif

#define MOVE(number)                                                                               \
    if (fields > number) {                                                                         \
        VKS_AT(to_##number, at) = VKS_AT(from_##number, i);                                        \
    }

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    uint at;
    if (find_slot(i, at)) {
        MOVE(0)
        MOVE(1)
        MOVE(2)
        MOVE(3)
        MOVE(4)
        MOVE(5)
        MOVE(6)
        MOVE(7)
    }
#ifdef CLEARS
    for (uint bin = i; bin < constants.bins; bin += constants.count) {
        counted[bin] = 0u;
    }
#endif
}
