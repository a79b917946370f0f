// SPDX-License-Identifier: MIT
// Sums over the sides of squares of more than 3 cells: of four neighbours at once, which read most
// values together. Each sum is from its first value to its last, as docs/sims/physarum.md has it.
// Who includes this defines SUMMED, the type of values, and value_at(n), n up to 2 radius + 3.
#ifndef VKS_PHYSARUM_WINDOW_SUMS_GLSL
#define VKS_PHYSARUM_WINDOW_SUMS_GLSL

// The sums of values n to n + 2 radius, for n from 0 to 3; the radius is at least 2.
SUMMED[4] window_sums()
{
    uint end = 2u * constants.radius;
    SUMMED v = value_at(0u);
    precise SUMMED a = v;
    v = value_at(1u);
    precise SUMMED b = v;
    a = a + v;
    v = value_at(2u);
    precise SUMMED c = v;
    a = a + v;
    b = b + v;
    v = value_at(3u);
    precise SUMMED d = v;
    a = a + v;
    b = b + v;
    c = c + v;
    for (uint n = 4u; n <= end; n++) {
        v = value_at(n);
        a = a + v;
        b = b + v;
        c = c + v;
        d = d + v;
    }
    v = value_at(end + 1u);
    b = b + v;
    c = c + v;
    d = d + v;
    v = value_at(end + 2u);
    c = c + v;
    d = d + v;
    v = value_at(end + 3u);
    d = d + v;
    return SUMMED[4](a, b, c, d);
}
#endif
