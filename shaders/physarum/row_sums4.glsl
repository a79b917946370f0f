// SPDX-License-Identifier: MIT
// row_sums.glsl for widths that are a multiple of 4.
#define COLUMNS 4
#define PHYSARUM_ROWS
#include "physarum/fours.glsl"

VKS_FIELD(9, writeonly, row_sums, vec4, sums);

#include "physarum/row_window.glsl"

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint y = enter_plane(gl_GlobalInvocationID.y, constants.height);
    bool inside = y < constants.height && plane < planes;
    uint start = gl_WorkGroupID.x * CELLS_OF_LANE * LANES;
    uint reach = (constants.radius + 3u) & ~3u; // beyond the workgroup's cells, on each side
    uint line = (plane * constants.height + y) * constants.width;
    if (inside) {
        for (uint n = lane; n < LANES + reach / 2u; n += LANES) {
            int at = int(start + 4u * n) - int(reach);
            bool outside = at < 0 || at >= int(constants.width);
            vec4 d = vec4(0.0f);
            if (!outside || boundary == PHYSARUM_PERIODIC) {
                uint x = outside ? wrap(at, constants.width) : uint(at);
                d = deposited_four((line + x) / 4u, spilling_near(plane, y, x).now);
            }
            values[place_of(4u * n)] = d.x;
            values[place_of(4u * n + 1u)] = d.y;
            values[place_of(4u * n + 2u)] = d.z;
            values[place_of(4u * n + 3u)] = d.w;
        }
    }
    barrier();
    uint x = start + 4u * lane;
    if (inside && x < constants.width) {
        first_value = 4u * lane + reach - constants.radius;
        float four[4] = window_sums();
        VKS_AT(sums, (line + x) / 4u) = vec4(four[0], four[1], four[2], four[3]);
    }
}
