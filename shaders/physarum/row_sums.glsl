// SPDX-License-Identifier: MIT
// Diffusion over larger squares, first half: the sum of each row of the square, left to right. A
// workgroup has D of its cells and of those beside them in shared memory.
#include "lib/pass.glsl"
#include "physarum/cells.glsl"

VKS_FIELD(4, writeonly, row_sums, float, sums);

#include "physarum/row_window.glsl"

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint y = enter_plane(gl_GlobalInvocationID.y, constants.height);
    bool inside = y < constants.height && plane < planes;
    uint start = gl_WorkGroupID.x * CELLS_OF_LANE * LANES;
    uint radius = constants.radius;
    if (inside) {
        for (uint n = lane; n < CELLS_OF_LANE * LANES + 2u * radius; n += LANES) {
            int at = int(start + n) - int(radius);
            bool outside = at < 0 || at >= int(constants.width);
            float d = 0.0f;
            if (!outside || boundary == PHYSARUM_PERIODIC) {
                uint x = outside ? wrap(at, constants.width) : uint(at);
                d = deposited(y, x, spilling_near(plane, y, x).now);
            }
            values[place_of(n)] = d;
        }
    }
    barrier();
    uint x = start + CELLS_OF_LANE * lane;
    if (inside && x < constants.width) {
        first_value = CELLS_OF_LANE * lane;
        float four[4] = window_sums();
        uint index = (plane * constants.height + y) * constants.width + x;
        for (uint k = 0u; k < min(CELLS_OF_LANE, constants.width - x); k++) {
            VKS_AT(sums, index + k) = four[k];
        }
    }
}
