// SPDX-License-Identifier: MIT
// Diffusion over larger squares, first half: the sum of each row of the square, left to right.
#include "lib/pass.glsl"
#include "physarum/cells.glsl"

VKS_FIELD(4, writeonly, row_sums, float, sums);

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = enter_plane(gl_GlobalInvocationID.y, constants.height);
    if (x >= constants.width || y >= constants.height || plane >= planes) {
        return;
    }
    bool spilled = spilling_near(plane, y, x).now;
    int radius = int(constants.radius);
    precise float sum = 0.0f;
    for (int offset = -radius; offset <= radius; offset++) {
        int at = int(x) + offset;
        bool outside = at < 0 || at >= int(constants.width);
        precise float d = 0.0f;
        if (!outside || boundary == PHYSARUM_PERIODIC) {
            d = deposited(y, outside ? wrap(at, constants.width) : uint(at), spilled);
        }
        sum = offset == -radius ? d : sum + d;
    }
    VKS_AT(sums, (plane * constants.height + y) * constants.width + x) = sum;
}
