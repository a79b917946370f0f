/* SPDX-License-Identifier: MIT */
/* --perturb: the small change that makes a twin. */
#ifndef VKS_RUNS_PERTURB_H
#define VKS_RUNS_PERTURB_H

#include "api/simulation.h"

enum vks_perturbed {
    VKS_PERTURBED_ANGLE,  /* of one item */
    VKS_PERTURBED_ANGLES, /* of all, either way: the highest bit of random(seed, item, 0, 7).x */
    VKS_PERTURBED_PLACE,  /* of one item, along x */
    VKS_PERTURBED_VALUE,  /* of one element, relative */
    VKS_PERTURBED_VALUES, /* of all */
};

struct vks_perturbation {
    enum vks_perturbed what;
    char field[64];
    uint32_t units; /* of angles and places: 2^-32 turns or sides */
    double amount;  /* as given: turns, cells, or relative */
};

/* Parses WHAT:AMOUNT for a simulation with these finished settings, for which vks_twins_check()
 * holds. WHAT: an angle of its state ("heading"), all of them ("headings"), a place ("position"), a
 * field of floats ("trail") or all of it ("all-trail"). NULL for `text`: 1e-3 turns of all angles
 * or, without angles, 1e-3 of the whole main field. Errors name --perturb. */
enum vks_result vks_perturbation_parse(struct vks_perturbation *perturbation,
                                       const struct vks_settings *settings, const char *text);
/* As text: what vks_perturbation_parse() reads. */
void vks_perturbation_text(const struct vks_perturbation *perturbation, char text[96]);

/* Perturbs the simulation, in item or element number `item` if not in all. Waits. VKS_ERROR_USAGE
 * if the changed values are not valid. */
enum vks_result vks_perturb(vks_simulation *simulation, const struct vks_perturbation *perturbation,
                            uint64_t item);

#endif
