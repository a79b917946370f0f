// SPDX-License-Identifier: MIT
// Grid: one stage of a step. Stage one goes from the state to the fields `mid_`, stage two from those
// back to the state. docs/sims/gas.md.
#include "gas/flux.glsl"

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
layout(std430, set = 0, binding = 21) readonly buffer moment
{
    float moments[];
};
layout(std430, set = 0, binding = 22) readonly buffer clockwork
{
    uint clock_words[];
};

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
    vec3 u = axis == 0u ? vec3(z, y, x) : (axis == 1u ? vec3(y, z, x) : vec3(x, z, y));
    return Node(r, u, VKS_AT(from_pressure, node));
}

// (normal, other, other) along an axis to (z, y, x).
vec3 unturned(vec3 v, uint axis)
{
    return axis == 0u ? v : (axis == 1u ? v.yxz : v.yzx);
}

void main()
{
    uvec3 size = grid_size();
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint node = vks_index(cell, size);
    float vacuum = vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
    float cap = moments[MOMENT_CAP];
    float lambda = moments[MOMENT_LAMBDA];
    float energy = VKS_AT(from_energy, node);
    float highest = energy;
    precise vec4 change = vec4(0.0f); // of density and momentum
    precise float change_e = 0.0f;
    precise float change_internal = 0.0f;
    precise float widening = 0.0f;
    for (uint axis = 0u; axis < 3u; axis++) {
        if (!is_active(axis)) {
            continue;
        }
        float share = moments[MOMENT_SHARE + axis];
        uvec2 near = beside(cell, axis);
        uint at = axis == 0u ? cell.z : (axis == 1u ? cell.y : cell.x);
        uvec3 back = cell;
        uvec3 ahead = cell;
        uint side = axis == 0u ? size.z : (axis == 1u ? size.y : size.x);
        uint back_at = vks_before(vks_before(at, side), side);
        uint ahead_at = vks_after(vks_after(at, side), side);
        if (axis == 0u) {
            back.z = back_at;
            ahead.z = ahead_at;
        } else if (axis == 1u) {
            back.y = back_at;
            ahead.y = ahead_at;
        } else {
            back.x = back_at;
            ahead.x = ahead_at;
        }
        Node w[5];
        w[0] = node_at(vks_index(back, size), axis, vacuum);
        w[1] = node_at(near.x, axis, vacuum);
        w[2] = node_at(node, axis, vacuum);
        w[3] = node_at(near.y, axis, vacuum);
        w[4] = node_at(vks_index(ahead, size), axis, vacuum);
        vec2 energies = vec2(VKS_AT(from_energy, near.x), VKS_AT(from_energy, near.y));
        highest = max(highest, max(energies.x, energies.y));
        Face lower = face_between(w[0], w[1], w[2], w[3], vec2(energies.x, energy), vacuum, share, cap);
        Face upper = face_between(w[1], w[2], w[3], w[4], vec2(energy, energies.y), vacuum, share, cap);
        precise vec4 f = upper.f - lower.f;
        change = change + vec4(f.x, unturned(f.yzw, axis));
        precise float e = upper.e - lower.e;
        change_e = change_e + e;
        precise float internal = upper.internal - lower.internal;
        change_internal = change_internal + internal;
        precise float wider = upper.u - lower.u;
        widening = widening + wider;
    }
    float r = VKS_AT(from_density, node);
    vec3 m = vec3(VKS_AT(from_momentum_z, node), VKS_AT(from_momentum_y, node),
                  VKS_AT(from_momentum_x, node));
    bool has_gas = r > vacuum;
    float p = has_gas ? VKS_AT(from_pressure, node) : 0.0f;
    precise float heat = VKS_AT(from_internal, node);
#ifdef GAS_SECOND
    vec3 u = has_gas ? velocity_of(r, m) : vec3(0.0f);
    heat = synchronised(thermal_of(m, u, energy), heat, highest);
#endif
    precise vec4 q = vec4(r, m);
    change = change * lambda;
    q = q - change;
    change_e = lambda * change_e;
    precise float e = energy - change_e;
    precise float work = p * widening;
    change_internal = change_internal + work;
    change_internal = lambda * change_internal;
    heat = heat - change_internal;
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
    if (q.x < 0.0f || e < 0.0f) {
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
