// SPDX-License-Identifier: MIT
// Particles: the interaction of the nodes in a step, at fixed density, as records for the
// particles. Slopes are computed again for each face: to store and read them takes longer.
// GAS_GRAVITY: with gravity. docs/sims/gas.md.
#include "gas/node.glsl"
#include "gas/slope.glsl"

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, readonly, velocity_z, float, velocities_z);
VKS_FIELD(2, readonly, velocity_y, float, velocities_y);
VKS_FIELD(3, readonly, velocity_x, float, velocities_x);
VKS_FIELD(4, readonly, node_heat, float, node_heats);
VKS_FIELD(5, readonly, dispersion, float, dispersions);
layout(std430, set = 0, binding = 6) readonly buffer step_values
{
    float step_value[];
};
VKS_FIELD(7, readonly, predicted_pressure, float, predicted_pressures);
VKS_FIELD(8, readonly, node_pressure, float, pressures);
VKS_FIELD(10, writeonly, record, vec4, records);
layout(std430, set = 0, binding = 11) buffer status
{
    uint why;
};
VKS_FIELD(9, readonly, sound_speed, float, sound_speeds);
#ifdef GAS_GRAVITY
VKS_FIELD(12, readonly, acceleration_z, float, accelerations_z);
VKS_FIELD(13, readonly, acceleration_y, float, accelerations_y);
VKS_FIELD(14, readonly, acceleration_x, float, accelerations_x);
#endif

// A node at a face, along an axis.
struct Side {
    float r;
    float u, p;             // half a step later
    float slope_u, slope_p;
    float c;
    float t;
};

float heat_of(uint node)
{
    precise float mixed = step_value[STEP_REST] * VKS_AT(dispersions, node);
    precise float heat = VKS_AT(node_heats, node) + vks_flush(mixed);
    return heat;
}

// A node of a line along an axis.
struct Point {
    float r, p, u;
};

Point point_at(uint node, uint axis)
{
    return Point(VKS_AT(densities, node), VKS_AT(pressures, node),
                 axis == 0u   ? VKS_AT(velocities_z, node)
                 : axis == 1u ? VKS_AT(velocities_y, node)
                              : VKS_AT(velocities_x, node));
}

Side side_of(uint node, Point before, Point here, Point after, float predicted_p, float c)
{
    Side side = Side(here.r, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    if (here.r == 0.0f) {
        return side;
    }
    side.c = c;
    side.p = predicted_p;
    if (before.r > 0.0f && after.r > 0.0f) {
        side.slope_u = slope(before.u, here.u, after.u);
        side.slope_p = slope(before.p, here.p, after.p);
    }
    precise float half_lambda = 0.5f * step_value[STEP_LAMBDA];
    float per_density = vks_reciprocal(here.r);
    precise float push = side.slope_p * per_density;
    push = half_lambda * vks_flush(push);
    precise float later = here.u - push;
    side.u = vks_flush(later);
    if (constants.conductivity > 0.0f) {
        precise float t = vks_flush(heat_of(node)) * per_density;
        side.t = vks_flush(t);
    }
    return side;
}

struct Face {
    float p, u, q;
};

float impedance(Side side, float closing)
{
    if (side.r == 0.0f) {
        return 0.0f;
    }
    precise float harder = constants.stiff * max(closing, 0.0f);
    precise float speed = side.c + harder;
    precise float z = side.r * speed;
    return vks_flush(z);
}

Face face_between(Side l, Side r)
{
    precise float half_l = 0.5f * l.slope_u;
    precise float u_l = l.u + half_l;
    u_l = vks_flush(u_l);
    precise float half_r = 0.5f * r.slope_u;
    precise float u_r = r.u - half_r;
    u_r = vks_flush(u_r);
    precise float rise_l = 0.5f * l.slope_p;
    precise float p_l = l.p + rise_l;
    p_l = max(0.0f, vks_flush(p_l));
    precise float rise_r = 0.5f * r.slope_p;
    precise float p_r = r.p - rise_r;
    p_r = max(0.0f, vks_flush(p_r));
    precise float closing = u_l - u_r;
    // Receding nodes do not collide: in a noisy, fast expansion the slopes cross.
    if (l.u <= r.u && closing > min(l.c, r.c)) {
        u_l = l.u;
        u_r = r.u;
        closing = u_l - u_r;
    }
    float z_l = impedance(l, closing);
    float z_r = impedance(r, closing);
    precise float sum = z_l + z_r;
    Face face = Face(0.0f, 0.0f, 0.0f);
    if (sum >= VKS_TINY) {
        float inverse = vks_reciprocal(sum);
        precise float crossed = z_r * p_l + z_l * p_r;
        precise float both = z_l * z_r;
        both = vks_flush(both) * closing;
        precise float p = crossed + both;
        p = p * inverse;
        face.p = vks_flush(max(0.0f, p));
        precise float carried = z_l * u_l + z_r * u_r;
        precise float push = p_l - p_r;
        precise float u = carried + push;
        u = u * inverse;
        face.u = vks_flush(u);
    }
    if (constants.conductivity > 0.0f && l.r > 0.0f && r.r > 0.0f) {
        precise float max_conductivity = step_value[STEP_CAP] * min(l.r, r.r);
        precise float q = l.t - r.t;
        q = min(constants.conductivity, vks_flush(max_conductivity)) * q;
        q = q * constants.per_h;
        face.q = vks_flush(q);
    }
    return face;
}

void write_record(uint node, vec3 velocity, vec3 change, vec3 shares)
{
    VKS_AT(records, RECORD_ROWS * node) = vec4(velocity, shares.x);
    VKS_AT(records, RECORD_ROWS * node + 1u) = vec4(change, shares.y);
    VKS_AT(records, RECORD_ROWS * node + 2u) = vec4(shares.z, 0.0f, 0.0f, 0.0f);
}

// How particles get a change of energy: energy per mass including the existing, lost share of the
// heat, and gained energy per mass.
vec3 shares_of(uint node, float r, float change)
{
    float heat = VKS_AT(node_heats, node);
    float rest = step_value[STEP_REST];
    float per_density = vks_reciprocal(r);
    float loss = change < 0.0f ? max(change, -heat) : 0.0f;
    precise float more = change - loss;
    more = change < -heat ? more : 0.0f;
    precise float dispersed = 0.0f;
    if (more < 0.0f && rest > 9.31322574615478515625e-10f) {
        dispersed = more * vks_reciprocal(rest);
        dispersed = vks_flush(dispersed);
    }
    precise float e = heat + VKS_AT(dispersions, node);
    precise float moved = change < 0.0f ? loss : change;
    moved = moved + dispersed;
    precise float all = e + moved;
    all = max(0.0f, all) * per_density;
    precise float share = 0.0f;
    if (loss < 0.0f && heat > 0.0f) {
        share = loss * vks_reciprocal(heat);
        share = max(-1.0f, vks_flush(share));
    }
    precise float gain = max(change, 0.0f) * per_density;
    return vec3(vks_flush(all), share, vks_flush(gain));
}

void main()
{
    uvec3 size = grid_size();
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint node = vks_index(cell, size);
    float r = VKS_AT(densities, node);
    if (r == 0.0f) {
        write_record(node, vec3(0.0f), vec3(0.0f), vec3(0.0f));
        return;
    }
    float lambda = step_value[STEP_LAMBDA];
    precise float k = lambda * vks_reciprocal(r);
    k = vks_flush(k);
    vec3 u = vec3(VKS_AT(velocities_z, node), VKS_AT(velocities_y, node),
                  VKS_AT(velocities_x, node));
    vec3 after = u;
    precise float work = 0.0f;
    for (uint axis = 0u; axis < 3u; axis++) {
        if (!is_active(axis)) {
            continue;
        }
        // All reads come first, because memory is slow.
        uvec4 line = line_of(node, cell, axis);
        Point a = point_at(line.x, axis);
        Point b = point_at(line.y, axis);
        Point c = point_at(node, axis);
        Point d = point_at(line.z, axis);
        Point e = point_at(line.w, axis);
        vec3 predicted =
            vec3(VKS_AT(predicted_pressures, line.y), VKS_AT(predicted_pressures, node),
                 VKS_AT(predicted_pressures, line.z));
        vec3 sound = vec3(VKS_AT(sound_speeds, line.y), VKS_AT(sound_speeds, node),
                          VKS_AT(sound_speeds, line.z));
        Side own = side_of(node, b, c, d, predicted.y, sound.y);
        Face lower = face_between(side_of(line.y, a, b, c, predicted.x, sound.x), own);
        Face upper = face_between(own, side_of(line.z, c, d, e, predicted.z, sound.z));
        precise float push = upper.p - lower.p;
        push = k * push;
        precise float pushed = u[axis] - push;
        after[axis] = pushed;
        precise float half_push = 0.5f * push;
        precise float middle = u[axis] - half_push;
        precise float above = upper.u - middle;
        above = upper.p * above;
        precise float below = lower.u - middle;
        below = lower.p * below;
        precise float part = above - below;
        precise float flow = upper.q - lower.q;
        part = part + flow;
        work = work + part;
    }
    work = lambda * work;
    precise float change = 0.0f - work;
    change = vks_flush(change);
    precise float max_loss = step_value[STEP_REST] * VKS_AT(dispersions, node);
    max_loss = VKS_AT(node_heats, node) + vks_flush(max_loss);
    max_loss = 1.0000152587890625f * max_loss;
    if (change < -max_loss) {
        atomicMax(why, STATUS_DRAINED);
    }
#ifdef GAS_GRAVITY
    precise vec3 kick = vec3(VKS_AT(accelerations_z, node), VKS_AT(accelerations_y, node),
                             VKS_AT(accelerations_x, node)) *
                        step_value[STEP_HALF];
    kick = after + kick;
    after = kick;
#endif
    after = flush(after);
    precise vec3 moved = after - u;
    write_record(node, after, flush(moved), shares_of(node, r, change));
}
