// SPDX-License-Identifier: MIT
// Bloom: blurs the blocks of the glow along one axis, in integers, with edges repeated.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"

layout(constant_id = 2) const uint axis = BLUR_ACROSS;

VKS_CONSTANTS(blur_params);

layout(std430, set = 0, binding = 0) readonly buffer glow_from
{
    uvec2 blocks[];
};
layout(std430, set = 0, binding = 1) readonly buffer kernel
{
    uint weights[]; // of the middle, then outwards; both sides sum to 65536
};
layout(std430, set = 0, binding = 2) writeonly buffer glow_to
{
    uvec2 blurred[];
};

uvec3 block(int x, int y)
{
    uint column = uint(clamp(x, 0, int(constants.width) - 1));
    uint row = uint(clamp(y, 0, int(constants.height) - 1));
    uvec2 word = blocks[row * constants.width + column];
    return uvec3(word.x & 0xffffu, word.x >> 16, word.y);
}

void main()
{
    int x = int(gl_GlobalInvocationID.x);
    int y = int(gl_GlobalInvocationID.y);
    if (x >= int(constants.width) || y >= int(constants.height)) {
        return;
    }
    uvec3 sum = weights[0] * block(x, y) + 32768u;
    for (int i = 1; i <= int(constants.radius); i++) {
        uvec3 pair = axis == BLUR_ACROSS ? block(x - i, y) + block(x + i, y)
                                         : block(x, y - i) + block(x, y + i);
        sum += weights[i] * pair;
    }
    sum >>= 16;
    blurred[uint(y) * constants.width + uint(x)] = uvec2(sum.r | (sum.g << 16), sum.b);
}
