// SPDX-License-Identifier: MIT
// Sums over the sides of squares of more than 3 cells: of four neighbouring cells at once, which
// read most values together. Each sum is from its first value to its last, as
// docs/sims/physarum.md has it. Who includes this defines value_at(n), 0 to 2 radius + 3.
#ifndef VKS_PHYSARUM_WINDOW_SUMS_GLSL
#define VKS_PHYSARUM_WINDOW_SUMS_GLSL

// The sums of values n to n + 2 radius, for n from 0 to 3; the radius is at least 2.
vec4 window_sums()
{
    uint end = 2u * constants.radius;
    vec4 first = vec4(value_at(0u), value_at(1u), value_at(2u), value_at(3u));
    precise float a = first.x + first.y;
    precise float b = first.y + first.z;
    precise float c = first.z + first.w;
    a = a + first.z;
    b = b + first.w;
    a = a + first.w;
    precise vec4 sums = vec4(a, b, c, first.w);
    for (uint n = 4u; n <= end; n++) {
        sums = sums + vec4(value_at(n));
    }
    vec3 last = vec3(value_at(end + 1u), value_at(end + 2u), value_at(end + 3u));
    sums.yzw = sums.yzw + vec3(last.x);
    sums.zw = sums.zw + vec2(last.y);
    sums.w = sums.w + last.z;
    return sums;
}
#endif
