// SPDX-License-Identifier: MIT
// Grid: the nodes along an axis, as the faces of a stage read them. The shader first declares the
// fields from_density, from_velocity_z, from_velocity_y, from_velocity_x and from_pressure.
#ifndef VKS_GAS_LINE_GLSL
#define VKS_GAS_LINE_GLSL

#include "gas/flux.glsl"

// (z, y, x) to (normal, other, other) along an axis.
vec3 turned(vec3 v, uint axis)
{
    return axis == 0u ? v : (axis == 1u ? v.yxz : v.zxy);
}

// A node as seen along an axis.
Node node_at(uint node, uint axis, float vacuum)
{
    float r = VKS_AT(from_density, node);
    if (!(r > vacuum)) {
        return Node(0.0f, vec3(0.0f), 0.0f);
    }
    float z = VKS_AT(from_velocity_z, node);
    float y = VKS_AT(from_velocity_y, node);
    float x = VKS_AT(from_velocity_x, node);
    return Node(r, turned(vec3(z, y, x), axis), VKS_AT(from_pressure, node));
}
#endif
