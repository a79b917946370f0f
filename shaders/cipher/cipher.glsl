// SPDX-License-Identifier: MIT
// Common to the cipher passes: constants and random numbers that depend on the key.
#ifndef VKS_CIPHER_GLSL
#define VKS_CIPHER_GLSL
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "cipher/params.h"

VKS_CONSTANTS(cipher_params);

// Four random words. All bits of the key enter each of them.
uvec4 keyed(uint item, uint step, uint stream)
{
    uvec4 a = vks_random(constants.key_x, item, step, constants.key_y);
    return vks_random(a.x ^ constants.key_z, a.y, a.z ^ stream, a.w ^ constants.key_w);
}
#endif
