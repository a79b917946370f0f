// SPDX-License-Identifier: MIT
// What pictures show of the trail. CIPHER_LEVELS: grey levels, 0 to 255.
#include "cipher/cipher.glsl"

VKS_FIELD(0, readonly, trail, uint, trails);
#ifdef CIPHER_LEVELS
VKS_FIELD(1, writeonly, grey_level, float, shown);
#else
VKS_FIELD(1, writeonly, trail_value, float, shown);
#endif

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= constants.width || at.y >= constants.height) {
        return;
    }
    uint i = at.y * constants.width + at.x;
    int value = int(VKS_AT(trails, i));
#ifdef CIPHER_LEVELS
    precise float level = float(clamp((value >> 16) + 128, 0, 255));
#else
    precise float level = float(value) * 1.52587890625e-5f; // 2^-16
#endif
    VKS_AT(shown, i) = level;
}
