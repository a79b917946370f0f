// SPDX-License-Identifier: MIT
// Grid: one stage of a step. Stage one computes the fields `mid_` from the state, stage two the
// state from those. An invocation computes a node, or a run of nodes along the first active axis.
// GAS_FACES: the faces along the other axes are in memory. docs/sims/gas.md.
#include "gas/flux.glsl"

// Nodes of an invocation along an axis: faces inside the run are computed once.
layout(constant_id = 0) const uint run = 1u;
layout(constant_id = 1) const uint along = 0u; // z, y, x

#define GAS_READ(number, name, array) VKS_FIELD(number, readonly, name, float, array)

#ifdef GAS_SECOND
GAS_READ(0, mid_density, from_density);
GAS_READ(1, mid_momentum_z, from_momentum_z);
GAS_READ(2, mid_momentum_y, from_momentum_y);
GAS_READ(3, mid_momentum_x, from_momentum_x);
GAS_READ(4, mid_energy, from_energy);
GAS_READ(5, mid_internal, from_internal);
GAS_READ(6, mid_velocity_z, from_velocity_z);
GAS_READ(7, mid_velocity_y, from_velocity_y);
GAS_READ(8, mid_velocity_x, from_velocity_x);
GAS_READ(9, mid_pressure, from_pressure);
VKS_FIELD(10, , density, float, to_density);
VKS_FIELD(11, , momentum_z, float, to_momentum_z);
VKS_FIELD(12, , momentum_y, float, to_momentum_y);
VKS_FIELD(13, , momentum_x, float, to_momentum_x);
VKS_FIELD(14, , energy, float, to_energy);
VKS_FIELD(16, , internal, float, to_internal);
layout(std430, set = 0, binding = 17) buffer status
{
    uint why;
};
#else
GAS_READ(0, density, from_density);
GAS_READ(1, momentum_z, from_momentum_z);
GAS_READ(2, momentum_y, from_momentum_y);
GAS_READ(3, momentum_x, from_momentum_x);
GAS_READ(4, energy, from_energy);
GAS_READ(5, internal, from_internal);
GAS_READ(6, velocity_z, from_velocity_z);
GAS_READ(7, velocity_y, from_velocity_y);
GAS_READ(8, velocity_x, from_velocity_x);
GAS_READ(9, pressure, from_pressure);
VKS_FIELD(10, writeonly, mid_density, float, to_density);
VKS_FIELD(11, writeonly, mid_momentum_z, float, to_momentum_z);
VKS_FIELD(12, writeonly, mid_momentum_y, float, to_momentum_y);
VKS_FIELD(13, writeonly, mid_momentum_x, float, to_momentum_x);
VKS_FIELD(14, writeonly, mid_energy, float, to_energy);
VKS_FIELD(16, writeonly, mid_internal, float, to_internal);
VKS_FIELD(17, writeonly, mid_velocity_z, float, to_velocity_z);
VKS_FIELD(18, writeonly, mid_velocity_y, float, to_velocity_y);
VKS_FIELD(19, writeonly, mid_velocity_x, float, to_velocity_x);
VKS_FIELD(20, writeonly, mid_pressure, float, to_pressure);
#endif
layout(std430, set = 0, binding = 21) readonly buffer step_values
{
    float step_value[];
};
layout(std430, set = 0, binding = 22) readonly buffer clockwork
{
    uint clock_words[];
};

#ifdef GAS_FACES
GAS_READ(23, faces_y, faces_y_words);
GAS_READ(24, faces_x, faces_x_words);
#endif
#include "gas/line.glsl"

// (normal, other, other) along an axis to (z, y, x).
vec3 unturned(vec3 v, uint axis)
{
    return axis == 0u ? v : (axis == 1u ? v.yxz : v.yzx);
}

// The change of a cell: sums over its faces.
struct Change {
    vec4 q; // of density and momentum
    float e;
    float internal;
    float widening;
    float highest; // energy of the cell and its neighbours
};

Change through(Change change, Face lower, Face upper, uint axis)
{
    precise vec4 f = upper.f - lower.f;
    precise vec4 q = change.q + vec4(f.x, unturned(f.yzw, axis));
    precise float e = upper.e - lower.e;
    e = change.e + e;
    precise float internal = upper.internal - lower.internal;
    internal = change.internal + internal;
    precise float wider = upper.u - lower.u;
    wider = change.widening + wider;
    return Change(q, e, internal, wider, change.highest);
}

#ifdef GAS_FACES
// The face below a node; the words of all follow each other.
#define GAS_FACE(array, node, nodes)                                                               \
    Face(vec4(VKS_AT(array, node), VKS_AT(array, node + nodes), VKS_AT(array, node + 2u * nodes),  \
              VKS_AT(array, node + 3u * nodes)),                                                   \
         VKS_AT(array, node + 4u * nodes), VKS_AT(array, node + 5u * nodes),                       \
         VKS_AT(array, node + 6u * nodes))

Face face_below(uint node, uint axis)
{
    uint nodes = constants.width * constants.height * constants.depth;
    if (axis == 1u) {
        return GAS_FACE(faces_y_words, node, nodes);
    }
    return GAS_FACE(faces_x_words, node, nodes);
}

Change across(Change change, uvec3 cell, uint axis, float vacuum)
{
    uvec2 near = neighbours_of(cell, axis);
#ifdef GAS_SECOND
    change.highest =
        max(change.highest, max(VKS_AT(from_energy, near.x), VKS_AT(from_energy, near.y)));
#endif
    return through(change, face_below(vks_index(cell, grid_size()), axis),
                   face_below(near.y, axis), axis);
}
#else
// Adds the fluxes through both faces along an axis.
Change across(Change change, uvec3 cell, uint axis, float vacuum)
{
    uint node = vks_index(cell, grid_size());
    uvec4 line = line_of(node, cell, axis);
    Node a = node_at(line.x, axis, vacuum);
    Node b = node_at(line.y, axis, vacuum);
    Node c = node_at(node, axis, vacuum);
    Node d = node_at(line.z, axis, vacuum);
    Node e = node_at(line.w, axis, vacuum);
    float energy = VKS_AT(from_energy, node);
    vec2 energies = vec2(VKS_AT(from_energy, line.y), VKS_AT(from_energy, line.z));
    change.highest = max(change.highest, max(energies.x, energies.y));
    float share = step_value[STEP_SHARE + axis];
    float cap = step_value[STEP_CAP];
    Slopes own = slopes_of(b, c, d);
    Face lower = face_between(b, c, slopes_of(a, b, c), own, vec2(energies.x, energy), vacuum,
                              share, cap);
    Face upper = face_between(c, d, own, slopes_of(c, d, e), vec2(energy, energies.y), vacuum,
                              share, cap);
    return through(change, lower, upper, axis);
}

#endif

void update(uvec3 cell, Change change, float vacuum)
{
    uint node = vks_index(cell, grid_size());
    float lambda = step_value[STEP_LAMBDA];
    float energy = VKS_AT(from_energy, node);
    float r = VKS_AT(from_density, node);
    vec3 m = vec3(VKS_AT(from_momentum_z, node), VKS_AT(from_momentum_y, node),
                  VKS_AT(from_momentum_x, node));
    bool has_gas = r > vacuum;
    float p = has_gas ? VKS_AT(from_pressure, node) : 0.0f;
    precise float heat = VKS_AT(from_internal, node);
#ifdef GAS_SECOND
    vec3 u = has_gas ? velocity_of(r, m) : vec3(0.0f);
    heat = synchronised(thermal_of(m, u, energy), heat, change.highest);
#endif
    precise vec4 moved = change.q * lambda;
    precise vec4 q = vec4(r, m) - moved;
    precise float e = lambda * change.e;
    e = energy - e;
    precise float work = p * change.widening;
    work = change.internal + work;
    work = lambda * work;
    heat = heat - work;
#ifdef GAS_SECOND
    vec4 old = vec4(VKS_AT(to_density, node), VKS_AT(to_momentum_z, node),
                    VKS_AT(to_momentum_y, node), VKS_AT(to_momentum_x, node));
    precise vec4 halved = old * 0.5f;
    q = q * 0.5f;
    q = halved + q;
    precise float half_e = 0.5f * VKS_AT(to_energy, node);
    e = 0.5f * e;
    e = half_e + e;
    precise float half_heat = 0.5f * VKS_AT(to_internal, node);
    heat = 0.5f * heat;
    heat = half_heat + heat;
#endif
    q = flush(q);
    e = vks_flush(e);
    VKS_AT(to_density, node) = q.x;
    VKS_AT(to_momentum_z, node) = q.y;
    VKS_AT(to_momentum_y, node) = q.z;
    VKS_AT(to_momentum_x, node) = q.w;
    VKS_AT(to_energy, node) = e;
    heat = vks_flush(heat);
    VKS_AT(to_internal, node) = heat;
#ifdef GAS_SECOND
    if ((q.x < 0.0f || e < 0.0f) && is_own(cell)) {
        atomicMax(why, STATUS_NEGATIVE);
    }
#else
    bool has = q.x > vacuum;
    vec3 velocity = has ? velocity_of(q.x, q.yzw) : vec3(0.0f);
    float thermal = thermal_of(q.yzw, velocity, e);
    VKS_AT(to_velocity_z, node) = velocity.x;
    VKS_AT(to_velocity_y, node) = velocity.y;
    VKS_AT(to_velocity_x, node) = velocity.z;
    VKS_AT(to_pressure, node) = has ? pressure_of(thermal, e, heat) : 0.0f;
#endif
}

void go_along(uvec3 cell, float vacuum)
{
    uvec3 size = grid_size();
    uint at = cell[2u - along], side = size[2u - along];
    uint stride = along == 0u ? size.x * size.y : (along == 1u ? size.x : 1u);
    uint end = min(at + run, side);
    uint node = vks_index(cell, size);
    uvec4 line = line_of(node, cell, along);
    float share = step_value[STEP_SHARE + along];
    float cap = step_value[STEP_CAP];
    // The face between nodes b and c is the upper one of b and the lower one of c.
    Node b = node_at(line.y, along, vacuum);
    Node c = node_at(node, along, vacuum);
    Slopes slopes_b = slopes_of(node_at(line.x, along, vacuum), b, c);
    vec3 energies = vec3(0.0f, VKS_AT(from_energy, line.y), VKS_AT(from_energy, node));
    Face lower = Face(vec4(0.0f), 0.0f, 0.0f, 0.0f);
    [[dont_unroll]] for (bool first = true; at <= end; first = false)
    {
        uint ahead = node + stride - (at + 1u == side ? side * stride : 0u);
        Node d = node_at(ahead, along, vacuum);
        Slopes slopes_c = slopes_of(b, c, d);
        Face upper = face_between(b, c, slopes_b, slopes_c, energies.yz, vacuum, share, cap);
        if (!first) {
            float highest = max(energies.y, max(energies.x, energies.z));
            Change change =
                through(Change(vec4(0.0f), 0.0f, 0.0f, 0.0f, highest), lower, upper, along);
            for (uint axis = along + 1u; axis < 3u; axis++) {
                if (is_active(axis)) {
                    change = across(change, cell, axis, vacuum);
                }
            }
            update(cell, change, vacuum);
            cell[2u - along]++;
        }
        lower = upper;
        slopes_b = slopes_c;
        b = c;
        c = d;
        node = ahead;
        energies = vec3(energies.yz, VKS_AT(from_energy, ahead));
        at++;
    }
}

void main()
{
    if (step_value[STEP_DT] == 0.0f) {
        return;
    }
    uvec3 size = grid_size(), runs = size;
    runs[2u - along] = (size[2u - along] + run - 1u) / run;
    uvec3 cell = vks_cell(runs);
    if (!vks_inside(cell, runs)) {
        return;
    }
    cell[2u - along] *= run;
    float vacuum = vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
    if (run > 1u) {
        go_along(cell, vacuum);
        return;
    }
    Change change =
        Change(vec4(0.0f), 0.0f, 0.0f, 0.0f, VKS_AT(from_energy, vks_index(cell, size)));
    [[dont_unroll]] for (uint axis = 0u; axis < 3u; axis++)
    {
        if (is_active(axis)) {
            change = across(change, cell, axis, vacuum);
        }
    }
    update(cell, change, vacuum);
}
