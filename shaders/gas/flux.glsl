// SPDX-License-Identifier: MIT
// The flux through the face between two nodes along an axis: slopes, HLLC, vacuum, positivity.
// Velocities are (normal, and the two others). docs/sims/gas.md.
#ifndef VKS_GAS_FLUX_GLSL
#define VKS_GAS_FLUX_GLSL

#include "gas/node.glsl"
#include "gas/slope.glsl"

struct Node {
    float r; // density; 0: the node is empty, and so are the others
    vec3 u;
    float p;
};

struct Flux {
    vec4 f; // of density and momentum
    float e;
    float u; // velocity of the face
};

// A state and the terms of its flux.
struct Side {
    vec4 q; // density and momentum
    float e;
    vec4 f;
    float fe;
    float inverse; // 1 / density
    float c;
};

vec4 flush(vec4 v)
{
    return vec4(vks_flush(v.x), vks_flush(v.y), vks_flush(v.z), vks_flush(v.w));
}

Side side_of(Node w)
{
    Side side = Side(vec4(0.0f), 0.0f, vec4(0.0f), 0.0f, 0.0f, 0.0f);
    if (w.r == 0.0f) {
        return side;
    }
    precise float heat = w.p * constants.inverse_g1;
    precise float half_r = 0.5f * w.r;
    half_r = vks_flush(half_r);
    precise float motion = half_r * square(w.u);
    precise float e = heat + motion;
    side.e = vks_flush(e);
    precise vec3 m = w.u * w.r;
    m = flush(m);
    side.q = vec4(w.r, m);
    precise vec3 carried = w.u * m.x;
    precise float push = carried.x + w.p;
    side.f = vec4(m.x, push, carried.y, carried.z);
    precise float work = side.e + w.p;
    work = work * w.u.x;
    side.fe = work;
    side.inverse = vks_reciprocal(w.r);
    side.c = sound_from(side.inverse, w.p);
    return side;
}

// Slopes of a node along the axis; none where it or a neighbour is empty.
struct Slopes {
    bool exist;
    float r;
    vec3 u;
    float p;
};

Slopes slopes_of(Node before, Node here, Node after)
{
    if (before.r == 0.0f || here.r == 0.0f || after.r == 0.0f) {
        return Slopes(false, 0.0f, vec3(0.0f), 0.0f);
    }
    return Slopes(true, slope(before.r, here.r, after.r),
                  vec3(slope(before.u.x, here.u.x, after.u.x),
                       slope(before.u.y, here.u.y, after.u.y),
                       slope(before.u.z, here.u.z, after.u.z)),
                  slope(before.p, here.p, after.p));
}

// The state at a node's face, `offset` 0.5 or -0.5 of a slope from it.
Node at_face(Node here, Slopes slopes, float offset, float vacuum)
{
    if (!slopes.exist) {
        return here;
    }
    precise float r = here.r + offset * slopes.r;
    precise float n = here.u.x + offset * slopes.u.x;
    precise float t = here.u.y + offset * slopes.u.y;
    precise float s = here.u.z + offset * slopes.u.z;
    precise float p = here.p + offset * slopes.p;
    Node face = Node(vks_flush(r), vec3(vks_flush(n), vks_flush(t), vks_flush(s)), vks_flush(p));
    if (!(face.r > vacuum) || face.p < 0.0f) {
        return here;
    }
    return face;
}

Flux rusanov(Node l, Node r, Side a, Side b)
{
    precise float left = abs(l.u.x) + a.c;
    precise float right = abs(r.u.x) + b.c;
    precise float damped = 0.5f * max(left, right);
    precise vec4 f = a.f + b.f;
    f = f * 0.5f;
    precise vec4 jump = b.q - a.q;
    jump = jump * damped;
    f = f - jump;
    precise float e = a.fe + b.fe;
    e = 0.5f * e;
    precise float rise = b.e - a.e;
    rise = damped * rise;
    e = e - rise;
    precise float u = l.u.x + r.u.x;
    u = 0.5f * u;
    return Flux(f, e, u);
}

bool is_small(float x, float scale)
{
    return abs(x) < max(VKS_TINY, scale);
}

// 2^-40 of the faster of two waves.
float small_for(float slow, float fast)
{
    precise float scale = 9.094947e-13f * max(abs(slow), abs(fast));
    return vks_flush(scale);
}

// Gas to the left or right of an empty node. `fails` is set if the wave speeds nearly coincide.
Flux into_vacuum(Node l, Node r, Side a, Side b, out bool fails)
{
    fails = false;
    bool on_left = l.r > 0.0f;
    float u = on_left ? l.u.x : r.u.x;
    float c = on_left ? a.c : b.c;
    precise float twice = 2.0f * constants.inverse_g1;
    precise float reach = c * twice;
    precise float slow = on_left ? u - c : u - reach;
    precise float fast = on_left ? u + reach : u + c;
    if (on_left ? slow >= 0.0f : fast <= 0.0f) {
        return on_left ? Flux(a.f, a.fe, u) : Flux(b.f, b.fe, u);
    }
    if (on_left ? fast <= 0.0f : slow >= 0.0f) {
        return Flux(vec4(0.0f), 0.0f, 0.0f);
    }
    precise float width = fast - slow;
    fails = is_small(width, small_for(slow, fast));
    float inverse = vks_reciprocal(width);
    precise float product = slow * fast;
    precise vec4 f;
    precise float e;
    precise float front;
    precise float drift = c * constants.inverse_gamma;
    if (on_left) {
        f = a.f * fast;
        precise vec4 lost = (vec4(0.0f) - a.q) * product;
        f = f + lost;
        e = a.fe * fast;
        precise float energy = (0.0f - a.e) * product;
        e = e + energy;
        front = u + drift;
    } else {
        precise float back = 0.0f - slow;
        f = b.f * back;
        precise vec4 gained = b.q * product;
        f = f + gained;
        e = b.fe * back;
        precise float energy = b.e * product;
        e = e + energy;
        front = u - drift;
    }
    f = f * inverse;
    e = e * inverse;
    return Flux(f, e, front);
}

Flux hllc(Node l, Node r, Side a, Side b, out bool fails)
{
    fails = false;
    float root_l = vks_sqrt(l.r);
    float root_r = vks_sqrt(r.r);
    precise float roots = root_l + root_r;
    float inverse = vks_reciprocal(roots);
    precise float h_l = a.e + l.p;
    h_l = h_l * a.inverse;
    precise float h_r = b.e + r.p;
    h_r = h_r * b.inverse;
    precise vec3 parts_l = l.u * root_l;
    precise vec3 parts_r = r.u * root_r;
    precise vec3 u = parts_l + parts_r;
    u = u * inverse;
    precise float enthalpy = root_l * h_l + root_r * h_r;
    enthalpy = enthalpy * inverse;
    precise float motion = 0.5f * square(u);
    precise float rest = enthalpy - motion;
    rest = constants.g1 * rest;
    float c = vks_sqrt(vks_flush(max(0.0f, rest)));
    precise float slow_l = l.u.x - a.c;
    precise float slow = u.x - c;
    slow = min(slow_l, slow);
    precise float fast_r = r.u.x + b.c;
    precise float fast = u.x + c;
    fast = max(fast_r, fast);
    if (slow >= 0.0f) {
        return Flux(a.f, a.fe, l.u.x);
    }
    if (fast <= 0.0f) {
        return Flux(b.f, b.fe, r.u.x);
    }
    precise float mass_l = slow - l.u.x;
    mass_l = l.r * mass_l;
    mass_l = vks_flush(mass_l);
    precise float mass_r = fast - r.u.x;
    mass_r = r.r * mass_r;
    mass_r = vks_flush(mass_r);
    precise float masses = mass_l - mass_r;
    float scale = small_for(slow, fast);
    precise float scale_of_mass = scale * max(l.r, r.r);
    fails = is_small(masses, vks_flush(scale_of_mass));
    precise float push = r.p - l.p;
    precise float carried = mass_l * l.u.x - mass_r * r.u.x;
    precise float middle = push + carried;
    middle = middle * vks_reciprocal(masses);
    middle = vks_flush(middle);
    bool left = middle >= 0.0f;
    float wave = left ? slow : fast;
    precise float width = wave - middle;
    fails = fails || is_small(width, scale);
    float per_width = vks_reciprocal(width);
    vec4 q = left ? a.q : b.q;
    vec4 f = left ? a.f : b.f;
    float e = left ? a.e : b.e;
    float fe = left ? a.fe : b.fe;
    vec3 own = left ? l.u : r.u;
    float p = left ? l.p : r.p;
    precise float star = (left ? mass_l : mass_r) * per_width;
    star = vks_flush(star);
    precise float ahead = middle - own.x;
    precise vec4 star_q = vec4(1.0f, middle, own.y, own.z) * star;
    star_q = flush(star_q);
    precise float specific = e * (left ? a.inverse : b.inverse);
    precise float lifted = ahead * middle;
    specific = specific + lifted;
    precise float pressed = ahead * per_width;
    pressed = vks_flush(pressed);
    pressed = pressed * p;
    precise float star_e = star * specific;
    star_e = star_e + pressed;
    precise vec4 jump = star_q - q;
    jump = jump * wave;
    precise vec4 flux = f + jump;
    precise float rise = star_e - e;
    rise = wave * rise;
    precise float flux_e = fe + rise;
    return Flux(flux, flux_e, middle);
}

// --- positivity ---------------------------------------------------------------------------------

struct Share {
    vec4 q;
    float e;
};

// The rest of a node's share for a face: `k` is below 0 for the left node.
Share share_of(vec4 q, float e, Flux flux, float k)
{
    precise vec4 moved = flux.f * k;
    precise vec4 rest = q + moved;
    precise float work = flux.e * k;
    precise float rest_e = e + work;
    return Share(rest, rest_e);
}

float half_square(Share share)
{
    precise float half_sum = 0.5f * square(share.q.yzw);
    return vks_flush(half_sum);
}

bool is_good(Share share, float bottom)
{
    precise float energy = 1.001f * share.e;
    energy = vks_flush(energy) * share.q.x;
    return share.q.x >= bottom && energy >= half_square(share);
}

// Approximately the internal energy.
float excess(Share share)
{
    precise float motion = half_square(share);
    motion = motion * (share.q.x >= VKS_TINY ? vks_reciprocal(share.q.x) : 1.1529215e18f);
    precise float rest = 1.001f * share.e;
    rest = rest - motion;
    return rest;
}

float by_density(Share share, Share safe, float bottom)
{
    if (share.q.x >= bottom) {
        return 1.0f;
    }
    precise float above = safe.q.x - bottom;
    precise float deficit = safe.q.x - share.q.x;
    return safe.q.x > bottom ? shrunk(above, deficit) : 0.0f;
}

float by_energy(Share share, Share safe)
{
    float rest = excess(share);
    if (rest >= 0.0f) {
        return 1.0f;
    }
    float spare = excess(safe);
    precise float deficit = spare - rest;
    return spare > 0.0f ? shrunk(spare, deficit) : 0.0f;
}

Flux between(Flux low, Flux flux, float theta)
{
    precise vec4 f = flux.f - low.f;
    f = f * theta;
    f = low.f + f;
    precise float e = flux.e - low.e;
    e = theta * e;
    e = low.e + e;
    return Flux(f, e, flux.u);
}

// The initial shares of two nodes at a face; all 0 for an empty node.
struct Stakes {
    Share left, right;
    float bottom_left, bottom_right;
    float k;
};

Share stake_of(Node w, float energy)
{
    precise vec3 m = w.u * w.r;
    return Share(vec4(w.r, flush(m)), w.r == 0.0f ? 0.0f : energy);
}

float bottom_of(Node w)
{
    precise float bottom = 1.52587890625e-5f * w.r;
    return vks_flush(bottom);
}

Share left_share(Stakes stakes, Flux flux)
{
    return share_of(stakes.left.q, stakes.left.e, flux, -stakes.k);
}

Share right_share(Stakes stakes, Flux flux)
{
    return share_of(stakes.right.q, stakes.right.e, flux, stakes.k);
}

bool both_good(Stakes stakes, Flux flux)
{
    return is_good(left_share(stakes, flux), stakes.bottom_left) &&
           is_good(right_share(stakes, flux), stakes.bottom_right);
}

struct Mixture {
    Flux flux;
    float heat; // by conduction
};

// Mixes a flux with a lower-order one as far as the shares of both nodes require.
Mixture mixed(Stakes stakes, Flux low, Flux flux, float heat)
{
    Share low_left = left_share(stakes, low);
    Share low_right = right_share(stakes, low);
    float theta = min(by_density(left_share(stakes, flux), low_left, stakes.bottom_left),
                      by_density(right_share(stakes, flux), low_right, stakes.bottom_right));
    Flux blend = between(low, flux, theta);
    float further = min(by_energy(left_share(stakes, blend), low_left),
                        by_energy(right_share(stakes, blend), low_right));
    Mixture mixture = Mixture(between(low, blend, further), 0.0f);
    precise float u = flux.u - low.u;
    u = theta * u;
    u = further * u;
    u = low.u + u;
    precise float flow = theta * heat;
    flow = further * flow;
    mixture.flux.u = u;
    mixture.heat = flow;
    return mixture;
}

// Mixes the flux, including the heat, with the Rusanov flux between the nodes as far as required,
// and that one with zero flux.
Mixture positive(Flux flux, float heat, Node l, Node r, vec2 energies, float k)
{
    Stakes stakes =
        Stakes(stake_of(l, energies.x), stake_of(r, energies.y), bottom_of(l), bottom_of(r), k);
    if (both_good(stakes, flux)) {
        return Mixture(flux, heat);
    }
    Flux low = rusanov(l, r, side_of(l), side_of(r));
    if (!both_good(stakes, low)) {
        low = mixed(stakes, Flux(vec4(0.0f), 0.0f, 0.0f), low, 0.0f).flux;
    }
    return mixed(stakes, low, flux, heat);
}

// --- the face -----------------------------------------------------------------------------------

struct Face {
    vec4 f;
    float e;
    float internal;
    float u;
};

// Heat per mass, from the pressure and 1 / density.
float specific_of(float p, float inverse)
{
    precise float heat = p * constants.inverse_g1;
    heat = vks_flush(heat);
    precise float specific = heat * inverse;
    return vks_flush(specific);
}

// The flux between neighbouring nodes b and c along an axis; `energy` of both. `k` is the axis's
// share, `cap` the limit of conduction.
Face face_between(Node b, Node c, Slopes slopes_b, Slopes slopes_c, vec2 energy, float vacuum,
                  float k, float cap)
{
    if (b.r == 0.0f && c.r == 0.0f) {
        return Face(vec4(0.0f), 0.0f, 0.0f, 0.0f);
    }
    Node l = at_face(b, slopes_b, 0.5f, vacuum);
    Node r = at_face(c, slopes_c, -0.5f, vacuum);
    Side left = side_of(l);
    Side right = side_of(r);
    Flux flux;
    bool fails;
    if (l.r == 0.0f || r.r == 0.0f) {
        flux = into_vacuum(l, r, left, right, fails);
    } else {
        flux = hllc(l, r, left, right, fails);
    }
    if (fails) {
        flux = rusanov(l, r, left, right);
    }
    precise float heat = 0.0f;
    if (constants.conductivity > 0.0f && b.r > 0.0f && c.r > 0.0f) {
        precise float max_conductivity = cap * min(b.r, c.r);
        heat = specific_of(c.p, vks_reciprocal(c.r)) - specific_of(b.p, vks_reciprocal(b.r));
        heat = min(constants.conductivity, vks_flush(max_conductivity)) * heat;
        heat = heat * constants.per_h;
        heat = vks_flush(heat);
        precise float rest = flux.e - heat;
        flux.e = rest;
    }
    Mixture mixture = positive(flux, heat, b, c, energy, k);
    vec4 f = flush(mixture.flux.f);
    bool from_left = f.x >= 0.0f;
    precise float internal =
        f.x * specific_of(from_left ? l.p : r.p, from_left ? left.inverse : right.inverse);
    internal = vks_flush(internal);
    internal = internal - mixture.heat;
    return Face(f, vks_flush(mixture.flux.e), vks_flush(internal), vks_flush(mixture.flux.u));
}
#endif
