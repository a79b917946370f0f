// SPDX-License-Identifier: MIT
// Fills an input of the ladder's kernels with float32 or float16.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/element.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(input_params);

layout(std430, set = 0, binding = 0) writeonly buffer source
{
    ELEMENT to[];
};

#ifdef FLOAT16
const float largest = 65504.0;
#else
const float largest = 3.40282347e38;
#endif

void main()
{
    uint item = vks_item();
    if (item >= constants.count) {
        return;
    }
    uint word = RUNG_WORD(item, constants.addend) >> constants.shift;
    float value = (float(word) - constants.offset) * constants.scale;
    if (constants.specials != 0u && RUNG_IS_SPECIAL(item)) {
        uint special = RUNG_SPECIAL(item);
        value = special == 3u ? largest
                : uintBitsToFloat(special == 0u   ? 0x7fc00000u
                                  : special == 1u ? 0x7f800000u
                                                  : 0xff800000u);
    }
    to[item] = ELEMENT(item % constants.pitch < constants.columns ? value : 0.0);
}
