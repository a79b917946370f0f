// SPDX-License-Identifier: MIT
// Diffusion over larger squares, second half: the row sums from top to bottom, then decay.
#include "lib/pass.glsl"
#include "physarum/cells.glsl"

VKS_FIELD(4, readonly, row_sums, float, sums);
VKS_FIELD(5, writeonly, trail_next, float, trails_next);
VKS_FIELD(6, writeonly, deposits_next, uint, counts_next);
VKS_FIELD(7, writeonly, spill_next, uint, spills_next);

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = enter_plane(gl_GlobalInvocationID.y, constants.height);
    if (x >= constants.width || y >= constants.height || plane >= planes) {
        return;
    }
    uint first = plane * constants.height;
    int radius = int(constants.radius);
    precise float sum = 0.0f;
    for (int offset = -radius; offset <= radius; offset++) {
        int at = int(y) + offset;
        bool outside = at < 0 || at >= int(constants.height);
        precise float d = 0.0f;
        if (!outside || boundary == PHYSARUM_PERIODIC) {
            uint line = outside ? wrap(at, constants.height) : uint(at);
            d = VKS_AT(sums, (first + line) * constants.width + x);
        }
        sum = offset == -radius ? d : sum + d;
    }
    spilling spilled = spilling_near(plane, y, x);
    uint line = first + y;
    uint index = line * constants.width + x;
    float d = deposited(y, x, spilled.now);
#ifdef PHYSARUM_GENERAL
    VKS_AT(trails_next, index) = diffused_in(y * constants.width + x, d, sum);
    eat_in(y, x);
#else
    VKS_AT(trails_next, index) = diffused(d, sum);
#endif
    if (counted && !bytes) {
        VKS_AT(counts_next, index) = 0u;
    } else if (counted && x % 4u == 0u) {
        VKS_AT(counts_next, line * ((constants.width + 3u) / 4u) + x / 4u) = 0u;
    }
    if (counted && spilled.before) {
        VKS_AT(spills_next, index) = 0u;
    }
}
