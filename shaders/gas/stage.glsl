// SPDX-License-Identifier: MIT
// Grid: one stage of a step. Stage one computes the fields `mid_` from the state, stage two the
// state from those. GAS_BLOCKS: a workgroup computes a block of nodes, which share their faces;
// else an invocation computes a node or, in a plane, a run of nodes. docs/sims/gas.md.
#ifdef GAS_BLOCKS
#include "gas/tile_node.glsl"
#endif
#include "gas/flux.glsl"

#ifndef GAS_BLOCKS
// Cells along y per invocation: faces inside the run are computed once.
layout(constant_id = 0) const uint run = 1u;
#endif

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

#ifdef GAS_BLOCKS
shared vec4 faces_f[face_slots];
shared float faces_e[face_slots];
shared float faces_internal[face_slots];
shared float faces_u[face_slots];

void put_face(uint slot, uvec3 cell, uint axis)
{
    float vacuum = vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
    uint node = vks_index(cell, grid_size());
    uvec4 line = line_of(node, cell, axis);
    Node a = node_at(line.x, axis, vacuum);
    Node b = node_at(line.y, axis, vacuum);
    Node c = node_at(node, axis, vacuum);
    Node d = node_at(line.z, axis, vacuum);
    vec2 energies = vec2(VKS_AT(from_energy, line.y), VKS_AT(from_energy, node));
    Face face = face_between(b, c, slopes_of(a, b, c), slopes_of(b, c, d), energies, vacuum,
                             step_value[STEP_SHARE + axis], step_value[STEP_CAP]);
    faces_f[slot] = face.f;
    faces_e[slot] = face.e;
    faces_internal[slot] = face.internal;
    faces_u[slot] = face.u;
}

Face face_at(uint slot)
{
    return Face(faces_f[slot], faces_e[slot], faces_internal[slot], faces_u[slot]);
}
#include "gas/faces.glsl"
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

#ifdef GAS_BLOCKS
void main()
{
    if (step_value[STEP_DT] == 0.0f) {
        return;
    }
    uvec3 size = grid_size();
    uint t = gl_LocalInvocationID.x;
    TileNode here = tile_node_at(t);
    put_faces(here, t);
    if (!here.inside) {
        return;
    }
    float vacuum = vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
    Change change =
        Change(vec4(0.0f), 0.0f, 0.0f, 0.0f, VKS_AT(from_energy, vks_index(here.cell, size)));
    for (uint axis = 0u; axis < 3u; axis++) {
        if (is_active(axis)) {
#ifdef GAS_SECOND
            uvec2 near = neighbours_of(here.cell, axis);
            change.highest = max(change.highest,
                                 max(VKS_AT(from_energy, near.x), VKS_AT(from_energy, near.y)));
#endif
            change = through(change, face_at(face_slot(here.at, axis)),
                             face_at(face_above(here.at, axis)), axis);
        }
    }
    update(here.cell, change, vacuum);
}
#else
void go_along_y(uvec3 cell, float vacuum)
{
    uvec3 size = grid_size();
    uint cells = min(run, size.y - cell.y);
    uvec3 before = stepped(cell, 1u, false);
    uvec3 ahead = stepped(cell, 1u, true);
    float share = step_value[STEP_SHARE + 1u];
    float cap = step_value[STEP_CAP];
    // The face between nodes b and c is the upper one of b and the lower one of c.
    Node b = node_at(vks_index(before, size), 1u, vacuum);
    Node c = node_at(vks_index(cell, size), 1u, vacuum);
    Slopes slopes_b =
        slopes_of(node_at(vks_index(stepped(before, 1u, false), size), 1u, vacuum), b, c);
    vec3 energies = vec3(0.0f, VKS_AT(from_energy, vks_index(before, size)),
                         VKS_AT(from_energy, vks_index(cell, size)));
    Face lower = Face(vec4(0.0f), 0.0f, 0.0f, 0.0f);
    for (uint i = 0u; i <= cells; i++) {
        uint beyond = vks_index(ahead, size);
        Node d = node_at(beyond, 1u, vacuum);
        Slopes slopes_c = slopes_of(b, c, d);
        Face upper = face_between(b, c, slopes_b, slopes_c, energies.yz, vacuum, share, cap);
        if (i > 0u) {
            float highest = max(energies.y, max(energies.x, energies.z));
            Change change =
                through(Change(vec4(0.0f), 0.0f, 0.0f, 0.0f, highest), lower, upper, 1u);
            if (is_active(2u)) {
                change = across(change, cell, 2u, vacuum);
            }
            update(cell, change, vacuum);
            cell = stepped(cell, 1u, true);
        }
        lower = upper;
        slopes_b = slopes_c;
        b = c;
        c = d;
        energies = vec3(energies.yz, VKS_AT(from_energy, beyond));
        ahead = stepped(ahead, 1u, true);
    }
}

void main()
{
    if (step_value[STEP_DT] == 0.0f) {
        return;
    }
    uvec3 size = grid_size();
    uvec3 runs = uvec3(size.x, (size.y + run - 1u) / run, size.z);
    uvec3 cell = vks_cell(runs);
    if (!vks_inside(cell, runs)) {
        return;
    }
    cell.y *= run;
    float vacuum = vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
    if (run > 1u) {
        go_along_y(cell, vacuum);
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
#endif
