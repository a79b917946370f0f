/* SPDX-License-Identifier: MIT */
/* Measures how perturbations grow: twins that run freely, and twins that are contracted whenever
 * they are too far apart (docs/sensitivity.md). */
#ifndef VKS_RUNS_SENSITIVITY_H
#define VKS_RUNS_SENSITIVITY_H

#include "api/simulation.h"
#include "report/sensitivity.h"
#include "runs/perturb.h"

/* Twins on a device. */
struct vks_pair;

/* Makes both from finished settings (vks_twins_settle()). */
enum vks_result vks_pair_create(vks_context *context, const struct vks_settings *settings,
                                uint32_t shrink, struct vks_pair **pair);
void vks_pair_destroy(struct vks_pair *pair); /* NULL is fine */
struct vks_twins *vks_pair_twins(const struct vks_pair *pair);
vks_simulation *vks_pair_own(const struct vks_pair *pair);
vks_simulation *vks_pair_other(const struct vks_pair *pair);

/* Starts both with this seed and runs them for the steps of the spin-up. */
enum vks_result vks_pair_spin_up(struct vks_pair *pair, uint32_t seed, uint64_t steps);
/* Goes back to the end of the spin-up and perturbs the other one. */
enum vks_result vks_pair_perturb(struct vks_pair *pair, const struct vks_perturbation *perturbation,
                                 uint64_t item);

/* Measures the seed after the spin-up, with the numbers of `sensitivity`; its `names` and the like
 * are set. `has_free`: also the free twin. */
enum vks_result vks_pair_measure(struct vks_pair *pair, const struct vks_sensitivity *sensitivity,
                                 const struct vks_perturbation *perturbation, uint64_t item,
                                 bool has_free, struct vks_sensitivity_seed *seed);

#endif
