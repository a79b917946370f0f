// SPDX-License-Identifier: MIT
// Moves the elements of a field to their slots; ELEMENT is their type.
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(items_params);

layout(std430, set = 0, binding = 0) readonly buffer slots
{
    uint slot[];
};
layout(std430, set = 0, binding = 1) readonly buffer items
{
    ELEMENT from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer items_next
{
    ELEMENT to[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        to[slot[i]] = from[i];
    }
}
