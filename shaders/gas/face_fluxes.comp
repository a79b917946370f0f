// SPDX-License-Identifier: MIT
// Grid: the faces of a stage along one axis, of which gas/stage1_faces and gas/stage2_faces sum the
// changes of nodes. An invocation computes the faces below a run of nodes along the axis.
// docs/sims/gas-kernels.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "lib/pass.glsl"

layout(constant_id = 0) const uint axis = 0u; // z, y, x
layout(constant_id = 1) const uint run = 1u;

VKS_FIELD(0, readonly, density, float, from_density);
VKS_FIELD(1, readonly, velocity_z, float, from_velocity_z);
VKS_FIELD(2, readonly, velocity_y, float, from_velocity_y);
VKS_FIELD(3, readonly, velocity_x, float, from_velocity_x);
VKS_FIELD(4, readonly, pressure, float, from_pressure);
VKS_FIELD(5, readonly, energy, float, from_energy);
VKS_FIELD(6, writeonly, faces, float, face_words);
layout(std430, set = 0, binding = 21) readonly buffer step_values
{
    float step_value[];
};
layout(std430, set = 0, binding = 22) readonly buffer clockwork
{
    uint clock_words[];
};

#include "gas/line.glsl"

void main()
{
    uvec3 size = grid_size(), runs = size;
    uint along = 2u - axis; // among x, y, z
    runs[along] = (size[along] + run - 1u) / run;
    uvec3 cell = vks_cell(runs);
    if (step_value[STEP_DT] == 0.0f || !vks_inside(cell, runs)) {
        return;
    }
    cell[along] *= run;
    float vacuum = vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
    float share = step_value[STEP_SHARE + axis];
    float cap = step_value[STEP_CAP];
    uint nodes = size.x * size.y * size.z;
    uint stride = axis == 0u ? size.x * size.y : (axis == 1u ? size.x : 1u);
    uint end = min(cell[along] + run, size[along]);
    uint node = vks_index(cell, size);
    uvec4 line = line_of(node, cell, axis);
    // The face between nodes b and c is the one below c.
    Node b = node_at(line.y, axis, vacuum);
    Node c = node_at(node, axis, vacuum);
    Slopes slopes_b = slopes_of(node_at(line.x, axis, vacuum), b, c);
    vec2 energies = vec2(VKS_AT(from_energy, line.y), VKS_AT(from_energy, node));
    [[dont_unroll]] for (uint at = cell[along]; at < end; at++)
    {
        uint ahead = at + 1u < size[along] ? node + stride : node - at * stride;
        Node d = node_at(ahead, axis, vacuum);
        Slopes slopes_c = slopes_of(b, c, d);
        Face face = face_between(b, c, slopes_b, slopes_c, energies, vacuum, share, cap);
        VKS_AT(face_words, node) = face.f.x;
        VKS_AT(face_words, node + nodes) = face.f.y;
        VKS_AT(face_words, node + 2u * nodes) = face.f.z;
        VKS_AT(face_words, node + 3u * nodes) = face.f.w;
        VKS_AT(face_words, node + 4u * nodes) = face.e;
        VKS_AT(face_words, node + 5u * nodes) = face.internal;
        VKS_AT(face_words, node + 6u * nodes) = face.u;
        node = ahead;
        slopes_b = slopes_c;
        b = c;
        c = d;
        energies = vec2(energies.y, VKS_AT(from_energy, ahead));
    }
}
