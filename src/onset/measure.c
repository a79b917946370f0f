/* SPDX-License-Identifier: MIT */
#include "onset/measure.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task.h"

#define PI 3.14159265358979323846

const unsigned vks_onset_times[VKS_ONSET_TIMES] = {5, 10, 20, 40};

/* Waves are added along two axes, of few modes at a time: together they must be small against the
 * noise, on which the gain depends. */
enum { AXES = 2, MAX_TOGETHER = 12, STREAM = 6 };
/* Of a wave, in standard deviations of the trail. */
static const double wave_amplitude = 0.06;

struct measurement {
    vks_simulation *simulation;
    const struct vks_onset_plan *plan;
    struct vks_onset_measured *measured;
    char turn_angle[64];    /* of the run: 0 during the spin-up */
    size_t cells;           /* of the field */
    float *trail, *changed; /* at the end of the spin-up; without and with waves */
    double *waves[AXES];    /* the sum of the waves along an axis */
    double complex *turns;  /* exp(-2 pi i x / W) for each x */
    double complex *start;  /* [axis][mode], of the trail without waves */
    double complex *plain;  /* [time][axis][mode], likewise, later */
    double *sums;           /* [mode][time][value, square] of responses, and at the end of each
                             * mode the products of the first two times */
    double *power[2];       /* per mode up to the last one: before and with the pattern */
    size_t samples;         /* that have been added to `sums` */
    double complex *line;   /* of the Fourier transform */
};

/* --- running --------------------------------------------------------------------------------- */

/* Runs in pieces that are short enough for Ctrl-C. */
static enum vks_result advance(const struct measurement *m, uint64_t steps)
{
    enum { PIECE = 10 };
    enum vks_result result = VKS_OK;
    for (uint64_t done = 0; done < steps && result == VKS_OK; done += PIECE) {
        const uint64_t left = steps - done;
        result = vks_interrupted() ? VKS_INTERRUPTED
                                   : vks_simulation_run(m->simulation, left < PIECE ? left : PIECE);
    }
    return result;
}

static enum vks_result read_trail(const struct measurement *m, float *trail)
{
    return vks_simulation_read(m->simulation, "trail", trail, m->cells * sizeof(*trail));
}

/* Starts with a seed and runs the spin-up, then reads the trail. */
static enum vks_result spin_up(const struct measurement *m, uint32_t seed)
{
    enum vks_result result = vks_simulation_set(m->simulation, "turn-angle", "0");
    if (result == VKS_OK) {
        result = vks_simulation_restart(m->simulation, seed);
    }
    if (result == VKS_OK) {
        result = advance(m, m->plan->spin_up);
    }
    if (result == VKS_OK) {
        result = vks_simulation_set(m->simulation, "turn-angle", m->turn_angle);
    }
    return result == VKS_OK ? read_trail(m, m->trail) : result;
}

/* --- sensors --------------------------------------------------------------------------------- */

/* What a sensor reads at a position, as the shaders do. */
static double sample(const struct measurement *m, uint32_t y, uint32_t x)
{
    const uint32_t width = m->plan->width, height = m->plan->height;
    const uint32_t row = vks_high(y, height), column = vks_high(x, width);
    const float *upper = m->trail + (size_t)row * width;
    if (!m->plan->model->bilinear) {
        return (double)upper[column];
    }
    const float *lower = m->trail + (size_t)(row + 1 == height ? 0 : row + 1) * width;
    const uint32_t next = column + 1 == width ? 0 : column + 1;
    const float part_y = (float)(y * height >> 8) * 0x1p-24F;
    const float part_x = (float)(x * width >> 8) * 0x1p-24F;
    const float top = upper[column] + part_x * (upper[next] - upper[column]);
    const float bottom = lower[column] + part_x * (lower[next] - lower[column]);
    return (double)(top + part_y * (bottom - top));
}

/* Means first, then products of deviations: the trail may be large against its variations. */
static void covary(const struct measurement *m, const uint32_t *position, const uint32_t *heading)
{
    const struct vks_onset_model *model = m->plan->model;
    const float length_y = vks_flush((float)(model->sensor_distance / m->plan->height));
    const float length_x = vks_flush((float)(model->sensor_distance / m->plan->width));
    const uint32_t angle = (uint32_t)(int64_t)llround(model->sensor_angle / (2 * PI) * 0x1p32);
    const uint64_t agents = m->plan->agents;
    const vks_vec2 turn = vks_sincos(angle);
    double mean[VKS_ONSET_SENSORS] = {0}, sums[VKS_ONSET_SENSORS][VKS_ONSET_SENSORS] = {{0}};
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < agents; i++) {
            double read[VKS_ONSET_SENSORS];
            const vks_vec2 way = vks_sincos(heading[i]);
            const vks_vec2 ways[VKS_ONSET_SENSORS] = {
                [VKS_ONSET_FRONT] = way,
                [VKS_ONSET_LEFT] = {way.x * turn.y + way.y * turn.x,
                                    way.y * turn.y - way.x * turn.x},
                [VKS_ONSET_RIGHT] = {way.x * turn.y - way.y * turn.x,
                                     way.y * turn.y + way.x * turn.x},
            };
            for (int s = 0; s < VKS_ONSET_SENSORS; s++) {
                read[s] = sample(m, position[2 * i] + vks_displacement(ways[s].x, length_y),
                                 position[2 * i + 1] + vks_displacement(ways[s].y, length_x));
            }
            for (int s = 0; s < VKS_ONSET_SENSORS; s++) {
                mean[s] += pass == 0 ? read[s] / (double)agents : 0;
                for (int t = 0; t < VKS_ONSET_SENSORS && pass == 1; t++) {
                    sums[s][t] += (read[s] - mean[s]) * (read[t] - mean[t]);
                }
            }
        }
    }
    for (int s = 0; s < VKS_ONSET_SENSORS; s++) {
        for (int t = 0; t < VKS_ONSET_SENSORS; t++) {
            m->measured->covariance[s][t] = sums[s][t] / (double)(agents > 1 ? agents - 1 : 1);
        }
    }
}

static enum vks_result read_sensors(const struct measurement *m)
{
    const uint64_t agents = m->plan->agents;
    uint32_t *position = malloc(agents * 2 * sizeof(*position));
    uint32_t *heading = malloc(agents * sizeof(*heading));
    enum vks_result result = position && heading ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_simulation_read(m->simulation, "position", position,
                                     agents * 2 * sizeof(*position));
    }
    if (result == VKS_OK) {
        result = vks_simulation_read(m->simulation, "heading", heading, agents * sizeof(*heading));
    }
    if (result == VKS_OK) {
        covary(m, position, heading);
    }
    free(position);
    free(heading);
    if (result != VKS_OK) {
        return result;
    }
    double copy[VKS_ONSET_SENSORS][VKS_ONSET_SENSORS];
    memcpy(copy, m->measured->covariance, sizeof(copy));
    return vks_onset_gains_of(copy, &m->measured->gains)
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "two sensors of every agent read the same trail, so agents do not turn; "
                          "more agents, or a larger sensor-distance, make them differ");
}

/* --- waves ----------------------------------------------------------------------------------- */

/* The amplitudes of the trail's waves along both axes, of every mode: `amplitudes` is [axis][mode].
 */
static void project(const struct measurement *m, const float *trail, double complex *amplitudes)
{
    const uint32_t side = m->plan->width;
    double *sums = m->waves[0], *rows = m->waves[1]; /* not in use now */
    memset(sums, 0, side * sizeof(*sums));
    memset(rows, 0, side * sizeof(*rows));
    for (size_t y = 0; y < side; y++) {
        for (size_t x = 0; x < side; x++) {
            sums[x] += (double)trail[y * side + x];
            rows[y] += (double)trail[y * side + x];
        }
    }
    for (size_t i = 0; i < m->plan->mode_count; i++) {
        double complex along_x = 0, along_y = 0;
        for (uint64_t x = 0; x < side; x++) {
            const double complex turn = m->turns[m->plan->modes[i] * x % side];
            along_x += sums[x] * turn;
            along_y += rows[x] * turn;
        }
        amplitudes[i] = along_x;
        amplitudes[m->plan->mode_count + i] = along_y;
    }
}

/* Adds waves of every `stride`-th mode from `first` on to the trail of the spin-up. */
static void add_waves(const struct measurement *m, uint32_t seed, size_t first, size_t stride)
{
    const uint32_t side = m->plan->width;
    double mean = 0, square = 0;
    for (size_t i = 0; i < m->cells; i++) {
        mean += (double)m->trail[i] / (double)m->cells;
    }
    for (size_t i = 0; i < m->cells; i++) {
        const double deviation = (double)m->trail[i] - mean;
        square += deviation * deviation / (double)m->cells;
    }
    for (uint32_t axis = 0; axis < AXES; axis++) {
        memset(m->waves[axis], 0, side * sizeof(*m->waves[axis]));
        for (size_t i = first; i < m->plan->mode_count; i += stride) {
            const uint32_t mode = m->plan->modes[i];
            const double phase =
                2 * PI * 0x1p-32 * (double)vks_random(seed, 2 * mode + axis, 0, STREAM).x;
            for (uint32_t x = 0; x < side; x++) {
                m->waves[axis][x] += cos(2 * PI * mode * x / side + phase);
            }
        }
    }
    const double amplitude = wave_amplitude * sqrt(square);
    for (size_t y = 0; y < side; y++) {
        for (size_t x = 0; x < side; x++) {
            const double wave = amplitude * (m->waves[0][x] + m->waves[1][y]);
            m->changed[y * side + x] =
                vks_flush((float)fmax((double)m->trail[y * side + x] + wave, 0));
        }
    }
}

/* --- spectra --------------------------------------------------------------------------------- */

/* Adds the power of the trail at each wave number, in all directions, to `power`: mode q has the
 * wave numbers that round to q. */
static enum vks_result add_power(const struct measurement *m, const float *trail, double *power)
{
    const uint64_t side = m->plan->width;
    const uint32_t last = m->plan->modes[m->plan->mode_count - 1];
    for (uint64_t column = 0; column <= last; column++) {
        if (vks_interrupted()) {
            return VKS_INTERRUPTED;
        }
        for (uint64_t y = 0; y < side; y++) {
            m->line[y] = 0;
            for (uint64_t x = 0, at = 0; x < side; x++) {
                m->line[y] += (double)trail[y * side + x] * m->turns[at];
                at = at + column < side ? at + column : at + column - side;
            }
        }
        for (int64_t row = -(int64_t)last; row <= (int64_t)last; row++) {
            const uint64_t turn = (uint64_t)(row < 0 ? row + (int64_t)side : row);
            const double mode = round(sqrt((double)(column * column) + (double)(row * row)));
            double complex sum = 0;
            for (uint64_t y = 0, at = 0; y < side; y++) {
                sum += m->line[y] * m->turns[at];
                at = at + turn < side ? at + turn : at + turn - side;
            }
            if (mode >= 1 && mode <= last) { /* columns on the left mirror those on the right */
                power[(size_t)mode] +=
                    (column > 0 ? 2 : 1) * (creal(sum) * creal(sum) + cimag(sum) * cimag(sum));
            }
        }
    }
    return VKS_OK;
}

/* The mode whose power has grown most. */
static void find_pattern(const struct measurement *m)
{
    const uint32_t first = m->plan->modes[0], last = m->plan->modes[m->plan->mode_count - 1];
    for (uint32_t mode = first; mode <= last; mode++) {
        const double growth = m->power[1][mode] / m->power[0][mode];
        if (growth > m->measured->pattern_growth) { /* false for NaN */
            m->measured->pattern = mode;
            m->measured->pattern_growth = growth;
        }
    }
}

/* --- responses ------------------------------------------------------------------------------- */

static void add_sample(const struct measurement *m, size_t mode, size_t kind, double value)
{
    double *sums = m->sums + (mode * (VKS_ONSET_TIMES + 1) + kind) * 2;
    sums[0] += value;
    sums[1] += value * value;
}

/* The run without waves: their amplitudes, and the power of the pattern. */
static enum vks_result run_plain(const struct measurement *m)
{
    const size_t count = m->plan->mode_count;
    unsigned done = 0;
    project(m, m->trail, m->start);
    enum vks_result result = add_power(m, m->trail, m->power[0]);
    for (size_t t = 0; t < VKS_ONSET_TIMES && result == VKS_OK; t++) {
        const unsigned time = vks_onset_times[t];
        if (done < VKS_ONSET_PATTERN && time > VKS_ONSET_PATTERN) {
            result = advance(m, VKS_ONSET_PATTERN - done);
            done = VKS_ONSET_PATTERN;
            if (result == VKS_OK) {
                result = read_trail(m, m->changed);
            }
            if (result == VKS_OK) {
                result = add_power(m, m->changed, m->power[1]);
            }
        }
        if (result == VKS_OK) {
            result = advance(m, time - done);
            done = time;
        }
        if (result == VKS_OK) {
            result = read_trail(m, m->changed);
        }
        if (result == VKS_OK) {
            project(m, m->changed, m->plain + t * AXES * count);
        }
    }
    return result;
}

/* A twin with waves of some modes: what becomes of them. */
static enum vks_result run_twin(const struct measurement *m, uint32_t seed, size_t first,
                                size_t stride)
{
    const size_t count = m->plan->mode_count;
    double complex *begin = malloc(AXES * count * sizeof(*begin));
    double complex *now = malloc(AXES * count * sizeof(*now));
    double complex *kept = calloc(AXES * count * VKS_ONSET_TIMES, sizeof(*kept));
    enum vks_result result = begin && now && kept ? VKS_OK : vks_fail_memory();
    unsigned done = 0;
    if (result == VKS_OK) {
        add_waves(m, seed, first, stride);
        project(m, m->changed, begin);
        result = vks_simulation_write(m->simulation, "trail", m->changed,
                                      m->cells * sizeof(*m->changed));
    }
    for (size_t t = 0; t < VKS_ONSET_TIMES && result == VKS_OK; t++) {
        result = advance(m, vks_onset_times[t] - done);
        done = vks_onset_times[t];
        if (result == VKS_OK) {
            result = read_trail(m, m->changed);
        }
        if (result == VKS_OK) {
            project(m, m->changed, now);
            for (size_t i = 0; i < AXES * count; i++) {
                kept[i * VKS_ONSET_TIMES + t] =
                    (now[i] - m->plain[t * AXES * count + i]) / (begin[i] - m->start[i]);
            }
        }
    }
    for (size_t i = first; i < count && result == VKS_OK; i += stride) {
        for (size_t axis = 0; axis < AXES; axis++) {
            const double complex *r = kept + (axis * count + i) * VKS_ONSET_TIMES;
            for (size_t t = 0; t < VKS_ONSET_TIMES; t++) {
                add_sample(m, i, t, creal(r[t]));
            }
            add_sample(m, i, VKS_ONSET_TIMES, creal(r[0]) * creal(r[1])); /* their covariance */
        }
    }
    free(begin);
    free(now);
    free(kept);
    return result;
}

static enum vks_result measure_seed(struct measurement *m, uint32_t seed)
{
    const size_t groups = (m->plan->mode_count + MAX_TOGETHER - 1) / MAX_TOGETHER;
    vks_snapshot *snapshot = NULL;
    enum vks_result result = vks_simulation_snapshot(m->simulation, VKS_SNAPSHOT_DEVICE, &snapshot);
    if (result == VKS_OK) {
        result = run_plain(m);
    }
    for (size_t group = 0; group < groups && result == VKS_OK; group++) {
        result = vks_simulation_restore(m->simulation, snapshot);
        if (result == VKS_OK) {
            result = run_twin(m, seed, group, groups);
        }
    }
    vks_snapshot_release(snapshot);
    m->samples += AXES;
    return result;
}

/* Means and their errors. The error of a rate, ln(b / a) / steps, takes into account that both
 * amplitudes are of the same runs. */
static void summarise(const struct measurement *m)
{
    const double n = (double)m->samples;
    for (size_t i = 0; i < m->plan->mode_count; i++) {
        const double *sums = m->sums + i * (VKS_ONSET_TIMES + 1) * 2;
        struct vks_onset_mean *response = m->measured->responses[i];
        for (size_t t = 0; t < VKS_ONSET_TIMES; t++) {
            const double mean = sums[2 * t] / n;
            const double variance = fmax(sums[2 * t + 1] / n - mean * mean, 0) * n / (n - 1);
            response[t] = (struct vks_onset_mean){mean, sqrt(variance / n)};
        }
        const double a = response[0].value, b = response[1].value;
        const double together = (sums[2 * (size_t)VKS_ONSET_TIMES] / n - a * b) / (n - 1);
        const double first = response[0].error / a, second = response[1].error / b;
        const double steps = vks_onset_times[1] - vks_onset_times[0];
        const double variance = first * first + second * second - 2 * together / (a * b);
        const bool grows = a > 0 && b > 0;
        m->measured->rates[i] = (struct vks_onset_mean){
            grows ? log(b / a) / steps : (double)NAN,
            grows ? sqrt(fmax(variance, 0)) / steps : (double)NAN,
        };
    }
    find_pattern(m);
}

/* --- all of it ------------------------------------------------------------------------------- */

static enum vks_result allocate(struct measurement *m)
{
    const struct vks_onset_plan *plan = m->plan;
    const size_t modes = plan->mode_count, last = plan->modes[modes - 1], side = plan->width;
    m->trail = malloc(m->cells * sizeof(*m->trail));
    if (plan->seeds == 0) {
        return m->trail ? VKS_OK : vks_fail_memory();
    }
    m->changed = malloc(m->cells * sizeof(*m->changed));
    m->waves[0] = malloc(side * sizeof(double));
    m->waves[1] = malloc(side * sizeof(double));
    m->turns = malloc(side * sizeof(*m->turns));
    m->line = malloc(side * sizeof(*m->line));
    m->start = calloc(AXES * modes, sizeof(*m->start));
    m->plain = calloc(AXES * modes * VKS_ONSET_TIMES, sizeof(*m->plain));
    m->sums = calloc(modes * (VKS_ONSET_TIMES + 1) * 2, sizeof(*m->sums));
    m->power[0] = calloc(last + 1, sizeof(double));
    m->power[1] = calloc(last + 1, sizeof(double));
    m->measured->responses = calloc(modes, sizeof(*m->measured->responses));
    m->measured->rates = calloc(modes, sizeof(*m->measured->rates));
    if (!m->trail || !m->changed || !m->waves[0] || !m->waves[1] || !m->turns || !m->line ||
        !m->start || !m->plain || !m->sums || !m->power[0] || !m->power[1] ||
        !m->measured->responses || !m->measured->rates) {
        return vks_fail_memory();
    }
    for (size_t x = 0; x < side; x++) {
        m->turns[x] = cexp(-2 * PI * I * (double)x / (double)side);
    }
    return VKS_OK;
}

static void free_measurement(struct measurement *m)
{
    free(m->trail);
    free(m->changed);
    free(m->waves[0]);
    free(m->waves[1]);
    free(m->turns);
    free(m->line);
    free(m->start);
    free(m->plain);
    free(m->sums);
    free(m->power[0]);
    free(m->power[1]);
}

enum vks_result vks_onset_measure(vks_simulation *simulation, const struct vks_onset_plan *plan,
                                  struct vks_onset_measured *measured)
{
    struct measurement m = {.simulation = simulation,
                            .plan = plan,
                            .measured = measured,
                            .cells = (size_t)plan->width * plan->height};
    *measured = (struct vks_onset_measured){.pattern = 0};
    enum vks_result result =
        vks_simulation_get(simulation, "turn-angle", m.turn_angle, sizeof(m.turn_angle));
    if (result == VKS_OK) {
        result = allocate(&m);
    }
    for (uint32_t i = 0; i < (plan->seeds ? plan->seeds : 1) && result == VKS_OK; i++) {
        const uint32_t seed = plan->seed + i;
        vks_message(VKS_LOG_INFO, "seed %" PRIu32 ": %" PRIu64 " steps without steering%s", seed,
                    plan->spin_up, plan->seeds ? ", then twins with waves" : "");
        result = spin_up(&m, seed);
        if (result == VKS_OK && i == 0) {
            result = read_sensors(&m);
        }
        if (result == VKS_OK && plan->seeds) {
            result = measure_seed(&m, seed);
        }
    }
    if (result == VKS_OK && plan->seeds) {
        summarise(&m);
    }
    free_measurement(&m);
    return result;
}

void vks_onset_measured_free(struct vks_onset_measured *measured)
{
    free(measured->responses);
    free(measured->rates);
    *measured = (struct vks_onset_measured){.pattern = 0};
}
