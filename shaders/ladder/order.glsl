// SPDX-License-Identifier: MIT
// Minimum and maximum of floats by operations on integers. The bits of a float, those of a negative
// one reversed below the sign, are an integer that is larger where the float is larger; -0 comes
// before 0. Positive and negative NaN are beyond the infinities, so that adding a constant makes
// them wrap around to the smallest numbers. Both words of an extreme are maxima, x of the
// descending order: 0xffffffff for -infinity in x and for infinity in y, at least 0x00fffffe for
// any number, less for NaN, which so changes nothing, and 0 where there is nothing yet.
#ifndef VKS_LADDER_ORDER_GLSL
#define VKS_LADDER_ORDER_GLSL

uvec2 extremes_of(uint bits)
{
    uint number = bits ^ (uint(int(bits) >> 31) & 0x7fffffffu);
    return uvec2(0x807ffffeu - number, number + 0x807fffffu);
}

// Of the first `count` of four floats, at least one.
uvec2 extremes_of_four(uvec4 bits, uint count)
{
    bits = mix(uvec4(bits.x), bits, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count)));
    return max(max(extremes_of(bits.x), extremes_of(bits.y)),
               max(extremes_of(bits.z), extremes_of(bits.w)));
}

#endif
