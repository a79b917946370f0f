// SPDX-License-Identifier: MIT
// Applies strokes to particles: docs/sims/gas.md, "Brushes".
#version 460
#extension GL_GOOGLE_include_directive : require
#define VKS_STROKES 7
#include "gas/brush.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, , vz, float, vzs);
VKS_FIELD(4, , vy, float, vys);
VKS_FIELD(5, , vx, float, vxs);
VKS_FIELD(6, , heat, float, heats);

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    uvec3 units = grid_size() << STROKE_UNIT_BITS;
    ivec3 place = ivec3(vks_high(VKS_AT(xs, i), units.x), vks_high(VKS_AT(ys, i), units.y),
                        vks_high(VKS_AT(zs, i), units.z));
    vec3 v = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
    float heat = VKS_AT(heats, i);
    for (uint k = 0u; k < vks_stroke_count(); k++) {
        float weight = vks_stroke_weight(k, place);
        if (weight > 0.0f && kind == GAS_BRUSH_HEAT) {
            heat = heated(heat, hot, k, weight);
        } else if (weight > 0.0f && has_direction(k)) {
            v = pushed(v, 1.0f, k, weight);
        }
    }
    VKS_AT(vzs, i) = v.x;
    VKS_AT(vys, i) = v.y;
    VKS_AT(vxs, i) = v.z;
    VKS_AT(heats, i) = heat;
}
