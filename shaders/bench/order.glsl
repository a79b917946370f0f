// SPDX-License-Identifier: MIT
// Minimum and maximum of floats by operations on integers. `ordered` maps the bits of a float to a
// number that is larger where the float is larger; -0 comes before 0. The two words of an extreme
// are both maxima: x of the complement, which the smallest float has the largest of, and y of the
// number. Both are 0 where there is no number yet. NaN is not a number and changes nothing.
#ifndef VKS_BENCH_ORDER_GLSL
#define VKS_BENCH_ORDER_GLSL

uint ordered(uint bits)
{
    return bits ^ ((bits >> 31) != 0u ? 0xffffffffu : 0x80000000u);
}

uvec2 extremes_of(uint bits)
{
    bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    uint number = ordered(bits);
    return is_nan ? uvec2(0u) : uvec2(~number, number);
}

// Of the first `count` of four floats, at least one.
uvec2 extremes_of_four(uvec4 bits, uint count)
{
    bits = mix(uvec4(bits.x), bits, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count)));
    return max(max(extremes_of(bits.x), extremes_of(bits.y)),
               max(extremes_of(bits.z), extremes_of(bits.w)));
}

#endif
