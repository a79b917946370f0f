/* SPDX-License-Identifier: MIT */
/* Twins: two simulations of the same settings, seed and step, one of which was perturbed. What lies
 * between them is measured and contracted on the device. Each field says by its `distance` what is
 * compared (graph/declare.h). */
#ifndef VKS_API_TWINS_H
#define VKS_API_TWINS_H

#include "api/simulation.h"

struct vks_twins;

/* VKS_ERROR_USAGE, with what is missing, if the simulation cannot have twins with these settings:
 * every field of the state needs a metric. Needs no device. */
enum vks_result vks_twins_check(const struct vks_settings *settings);

/* Items of twins are compared by their place in memory: the same number is at the same place only
 * where items keep the order of their numbers, because the order of sorted items with equal keys is
 * unspecified. So twins run in a variant that does not sort, which produces identical bytes. Sets
 * --variant to one if it is auto and the settings have items, and finishes the settings again;
 * VKS_ERROR_USAGE if the requested one sorts. */
enum vks_result vks_twins_settle(const struct vks_gpu *gpu, struct vks_settings *settings);

/* Makes twins of two simulations of one context, which must outlive them. `other` is the one that
 * contractions change, to 2^-shift of its distance, shift from 1 to 31. */
enum vks_result vks_twins_create(vks_simulation *own, vks_simulation *other, uint32_t shift,
                                 struct vks_twins **twins);
void vks_twins_destroy(struct vks_twins *twins); /* NULL is fine */

/* The quantities, in this order:
 * - with items: how many differ in a place or an angle, named as the items; how many of them are in
 *   different cells ("apart");
 * - of each place: the sums over items of the distance along y and x, in 2^-32 sides (NAME_y,
 *   NAME_x); of each angle, in 2^-32 turns (NAME);
 * - of each field of floats: the sum over elements of |difference| x 2^20, each rounded to an
 *   integer, ties to even (NAME), and of |value| x 2^20 of `own` (NAME_total).
 * All are integers. As doubles they are exact below 2^53: of 4 million items, whatever their
 * distances; beyond, they are rounded, identically on every device. */
size_t vks_twins_count(const struct vks_twins *twins);
const char *vks_twins_name(const struct vks_twins *twins, size_t quantity); /* NULL past the last */
/* The quantity that is the distance of the twins; the one after it is its total. */
size_t vks_twins_main(const struct vks_twins *twins);

/* Measures all quantities after the steps submitted so far, and waits for them. `values` has room
 * for vks_twins_count() numbers. */
enum vks_result vks_twins_measure(struct vks_twins *twins, double *values);
/* Submits the contraction of `other`: integers keep (b - a) / 2^shift, truncated toward 0, floats
 * a + (b - a) 2^-shift, flushed; words without a distance become equal. Does not wait. */
enum vks_result vks_twins_contract(struct vks_twins *twins);

#endif
