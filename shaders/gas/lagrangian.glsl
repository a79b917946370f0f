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
VKS_FIELD(9, readonly, sound_speed, float, sound_speeds);
VKS_FIELD(11, readonly, mixing_speed, float, mixing_speeds);
#ifdef GAS_GRAVITY
VKS_FIELD(12, readonly, acceleration_z, float, accelerations_z);
VKS_FIELD(13, readonly, acceleration_y, float, accelerations_y);
VKS_FIELD(14, readonly, acceleration_x, float, accelerations_x);
#endif

// A node at a face, along an axis.
struct Side {
    float r, u0, p0;        // at the start of the step
    float u, p;             // half a step later
    float slope_u, slope_p;
    float c;
    float t;
    float push;             // half of lambda / r
};

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

Side side_of(Point before, Point here, Point after, float predicted_p, float c)
{
    Side side = Side(here.r, here.u, here.p, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    if (here.r == 0.0f) {
        return side;
    }
    side.c = c;
    side.p = predicted_p;
    if (before.r > 0.0f && after.r > 0.0f) {
        side.slope_u = velocity_slope(before.u, here.u, after.u, small_of(c));
        side.slope_p = slope(before.p, here.p, after.p);
    }
    precise float half_lambda = 0.5f * step_value[STEP_LAMBDA];
    float per_density = vks_reciprocal(here.r);
    precise float push = side.slope_p * per_density;
    push = half_lambda * vks_flush(push);
    precise float later = here.u - push;
    side.u = vks_flush(later);
    if (constants.conductivity > 0.0f) {
        precise float t = here.p * constants.inverse_g1;
        t = vks_flush(t) * per_density;
        side.t = vks_flush(t);
    }
    precise float lag = step_value[STEP_LAMBDA] * per_density;
    lag = 0.5f * vks_flush(lag);
    side.push = lag;
    return side;
}

struct Face {
    float p, u, q;
};

// The share of a node's energy that each of its faces may take: (1 - 2^-10) per face.
float face_share()
{
    uint axes = (is_active(0u) ? 1u : 0u) + (is_active(1u) ? 1u : 0u) + (is_active(2u) ? 1u : 0u);
    return axes == 3u ? 0.16650390625f : axes == 2u ? 0.249755859375f : 0.49951171875f;
}

// The share of a face's pressure and heat flux that costs a node on one of its sides no more than
// the face's share of the node's energy. `away`: of the face's velocity, from the node.
float affordable(Side side, float away, float p, float q)
{
    precise float work = side.push * p;
    work = away + work;
    work = p * work;
    work = work + q;
    precise float loss = step_value[STEP_LAMBDA] * work;
    precise float most = side.p0 * constants.inverse_g1;
    most = vks_flush(most) * face_share();
    most = vks_flush(most);
    if (side.r == 0.0f || loss <= most) {
        return 1.0f;
    }
    return loss < 1152921504606846976.0f ? shrunk(most, loss) : 0.0f;
}

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
    precise float from_left = face.u - l.u0;
    precise float from_right = r.u0 - face.u;
    precise float theta = min(affordable(l, from_left, face.p, face.q),
                              affordable(r, from_right, face.p, -face.q));
    if (theta < 1.0f) {
        precise float p = theta * face.p;
        face.p = vks_flush(p);
        precise float q = theta * face.q;
        face.q = vks_flush(q);
    }
    return face;
}

void write_record(uint node, vec3 velocity, vec3 change, float share, vec2 heat)
{
    VKS_AT(records, RECORD_ROWS * node) = vec4(velocity, share);
    VKS_AT(records, RECORD_ROWS * node + 1u) = vec4(change, heat.x);
    VKS_AT(records, RECORD_ROWS * node + 2u) = vec4(heat.y, 0.0f, 0.0f, 0.0f);
}

// How particles get a node's change of energy and what they lose by mixing: the change of their
// heat in proportion to it, and energy per mass.
vec2 shares_of(uint node, float r, float share, float change)
{
    float heat = VKS_AT(node_heats, node);
    float per_density = vks_reciprocal(r);
    precise float keep = 1.0f - share;
    precise float mixed = 2.0f - share;
    mixed = share * mixed;
    mixed = mixed * VKS_AT(dispersions, node);
    precise float total = change + vks_flush(mixed);
    precise float loss = 0.0f;
    if (total < 0.0f && heat > 0.0f) {
        loss = total * vks_reciprocal(heat);
        loss = max(-1.0f, vks_flush(loss));
    }
    precise float gain = max(total, 0.0f) * per_density;
    precise float mean = heat + total;
    mean = max(0.0f, mean) * per_density;
    precise float own = keep * loss;
    own = own - share;
    precise float kept = keep * vks_flush(gain);
    precise float taken = share * vks_flush(mean);
    precise float gained = kept + taken;
    return vec2(max(-1.0f, own), vks_flush(gained));
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
        write_record(node, vec3(0.0f), vec3(0.0f), 0.0f, vec2(0.0f));
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
        Side own = side_of(b, c, d, predicted.y, sound.y);
        Face lower = face_between(side_of(a, b, c, predicted.x, sound.x), own);
        Face upper = face_between(own, side_of(c, d, e, predicted.z, sound.z));
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
    float share = mixed_share(step_value[STEP_MIXING], VKS_AT(mixing_speeds, node));
#ifdef GAS_GRAVITY
    precise vec3 kick = vec3(VKS_AT(accelerations_z, node), VKS_AT(accelerations_y, node),
                             VKS_AT(accelerations_x, node)) *
                        step_value[STEP_HALF];
    kick = after + kick;
    after = kick;
#endif
    after = flush(after);
    precise vec3 moved = after - u;
    write_record(node, after, flush(moved), share, shares_of(node, r, share, change));
}
