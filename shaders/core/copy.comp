// SPDX-License-Identifier: MIT
// Copies words from one buffer to another, 16 bytes per invocation: neighbouring lanes access
// neighbouring memory, and there are as many lanes as it takes. What is left over after the last 16
// bytes takes an invocation per word.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(push_constant, std430) uniform vks_push
{
    uint words;
};
layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 0) readonly buffer source_words
{
    uint from_words[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uvec4 to[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result_words
{
    uint to_words[];
};

void main()
{
    uint item = vks_item();
    uint fours = words / 4u;
    uint word = 3u * fours + item; // the first after the fours is word 4 * fours
    if (item < fours) {
        to[item] = from[item];
    } else if (word < words) {
        to_words[word] = from_words[word];
    }
}
