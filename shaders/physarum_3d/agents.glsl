// SPDX-License-Identifier: MIT
// An agent's step: sense, choose, move, deposit. docs/sims/physarum-3d.md, "Agents".
// PHYSARUM_3D_SORTED: the agents are stored in the core's order.
#include "physarum_3d/place.glsl"

VKS_CLOCK;

layout(constant_id = 0) const bool spreads = true;    // sensors are at random distances
layout(constant_id = 1) const bool restarts = false;  // agents have a lifetime

VKS_FIELD(0, readonly, trail, float, trails);
VKS_FIELD(1, , deposits, uint, counts);
VKS_FIELD(2, , z, uint, zs);
VKS_FIELD(3, , y, uint, ys);
VKS_FIELD(4, , x, uint, xs);
VKS_FIELD(5, , dz, float, dzs);
VKS_FIELD(6, , dy, float, dys);
VKS_FIELD(7, , dx, float, dxs);
#ifdef PHYSARUM_3D_SORTED
VKS_FIELD(8, readonly, agents_number, uint, numbers);
#endif

uint index_of(uvec3 place)
{
    uvec3 cell = cell_of(place);
    return (cell.x * constants.height + cell.y) * constants.width + cell.z;
}

uvec3 displacement(vec3 direction, vec3 length)
{
    return uvec3(vks_displacement(direction.x, length.x), vks_displacement(direction.y, length.y),
                 vks_displacement(direction.z, length.z));
}

// The trail there, clipped to where its power is defined.
float reading(uvec3 place)
{
    return min(VKS_AT(trails, index_of(place)), PHYSARUM_3D_MAX_READING);
}

// A unit vector perpendicular to `d`, at a binary angle around it.
vec3 perpendicular(vec3 d, uint azimuth)
{
    precise float g = d.x < 0.0f ? -1.0f : 1.0f;
    precise float sum = g + d.x;
    precise float a = 0.0f - vks_reciprocal(sum);
    precise float b = (d.z * d.y) * a;
    precise float zz = 0.0f - g * d.z;
    precise float zy = g * b;
    precise float zx = 1.0f + g * ((d.z * d.z) * a);
    precise float yz = 0.0f - d.y;
    precise float yy = g + (d.y * d.y) * a;
    vec2 sc = vks_sincos(azimuth);
    precise vec3 e = sc.y * vec3(zz, zy, zx) + sc.x * vec3(yz, yy, b);
    return e;
}

// Four bytes added: close to a normal distribution around 510.
int bell(uint word)
{
    return int((word & 255u) + ((word >> 8) & 255u) + ((word >> 16) & 255u) + (word >> 24)) - 510;
}

// A random factor of the sensor distance, with mean 1: the length of a vector of three such sums.
float stretch_of(uvec4 q)
{
    int z = bell(q.x), y = bell(q.y), x = bell(q.z);
    precise float stretch = vks_sqrt(float(z * z + y * y + x * x)) * constants.per_mean;
    return stretch;
}

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
#ifdef PHYSARUM_3D_SORTED
    uint number = VKS_AT(numbers, i);
#else
    uint number = i;
#endif
    uint step = first_step + step_in_batch;
    uvec3 place = uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i));
    precise vec3 d = vec3(VKS_AT(dzs, i), VKS_AT(dys, i), VKS_AT(dxs, i));
    uvec4 r = vks_random(constants.seed, number, step, 2u);

    precise vec3 far = vec3(constants.sensor_z, constants.sensor_y, constants.sensor_x);
    if (spreads) {
        far = far * stretch_of(vks_random(constants.seed, number, step, 3u));
    }
    precise vec3 e = perpendicular(d, r.x);
    precise vec3 side = constants.sensor_cosine * d + constants.sensor_sine * e;
    float front = reading(place + displacement(d, far));
    float beside = reading(place + displacement(side, far));

    precise float weight = vks_pow(front, constants.sharpness);
    precise float other = vks_pow(beside, constants.sharpness);
    precise float share = float(r.y >> 8) * 5.9604644775390625e-8f;
    precise float drawn = share * (weight + other);
    if (drawn < other) {
        d = constants.turn_cosine * d + constants.turn_sine * e;
        // One step of Newton's iteration keeps the length at 1.
        precise float square = (d.x * d.x + d.y * d.y) + d.z * d.z;
        precise float scale = 1.5f - 0.5f * square;
        d = d * scale;
        d = vec3(vks_flush(d.x), vks_flush(d.y), vks_flush(d.z));
        VKS_AT(dzs, i) = d.x;
        VKS_AT(dys, i) = d.y;
        VKS_AT(dxs, i) = d.z;
    }

    place += displacement(d, vec3(constants.move_z, constants.move_y, constants.move_x));
    atomicAdd(VKS_AT(counts, index_of(place)), 1u);
    if (restarts) {
        uvec4 q = vks_random(constants.seed, number, step, 4u);
        if (q.w <= constants.restarts) {
            place = first_of_cell(q.xyz);
        }
    }
    VKS_AT(zs, i) = place.x;
    VKS_AT(ys, i) = place.y;
    VKS_AT(xs, i) = place.z;
}
