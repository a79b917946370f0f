// SPDX-License-Identifier: MIT
// Adds up six fields that switch buffers at different intervals: the pass needs a descriptor set
// for each combination of their buffers.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(std430, set = 0, binding = 0) readonly buffer a
{
    uint as[];
};
layout(std430, set = 0, binding = 1) readonly buffer b
{
    uint bs[];
};
layout(std430, set = 0, binding = 2) readonly buffer c
{
    uint cs[];
};
layout(std430, set = 0, binding = 3) readonly buffer d
{
    uint ds[];
};
layout(std430, set = 0, binding = 4) readonly buffer e
{
    uint es[];
};
layout(std430, set = 0, binding = 5) readonly buffer f
{
    uint fs[];
};
layout(std430, set = 0, binding = 6) buffer total
{
    uint totals[];
};

void main()
{
    if (vks_item() == 0u) {
        totals[0] = totals[0] * 3u + as[0] + bs[0] + cs[0] + ds[0] + es[0] + fs[0];
    }
}
