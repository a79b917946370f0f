/* SPDX-License-Identifier: MIT */
/* What the first step costs against the hundredth: each step submitted and waited for by itself,
 * wall time. Arguments: WIDTH HEIGHT AGENTS. */
#include <stdio.h>
#include <stdlib.h>

#include <vksim/vksim.h>

#include "base/clock.h"

enum { STEPS = 200 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    char agents[64];
    double seconds[STEPS], sorted[STEPS];
    if (argc != 4) {
        fprintf(stderr, "usage: first_step WIDTH HEIGHT AGENTS\n");
        return 2;
    }
    snprintf(agents, sizeof(agents), "agents=%s", argv[3]);
    const char *options[] = {agents, NULL};
    bool fine = vks_context_create(&VKS_CONTEXT_PARAMS(), &context) == VKS_OK &&
                vks_simulation_create(
                    context,
                    &VKS_SIMULATION_PARAMS(.preset = "plain", .width = (uint32_t)atoi(argv[1]),
                                           .height = (uint32_t)atoi(argv[2]), .options = options),
                    &simulation) == VKS_OK &&
                vks_simulation_wait(simulation) == VKS_OK;
    for (int i = 0; fine && i < STEPS; i++) {
        double begin = vks_seconds();
        fine = vks_simulation_run(simulation, 1) == VKS_OK &&
               vks_simulation_wait(simulation) == VKS_OK;
        seconds[i] = sorted[i] = vks_seconds() - begin;
    }
    if (fine) {
        qsort(sorted, STEPS, sizeof(sorted[0]), compare);
        printf("%sx%s, %s agents, us by wall clock: step 1 %.1f, step 2 %.1f, step 100 %.1f, "
               "median %.1f\n",
               argv[1], argv[2], argv[3], 1e6 * seconds[0], 1e6 * seconds[1], 1e6 * seconds[99],
               1e6 * sorted[STEPS / 2]);
    } else {
        fprintf(stderr, "first_step: %s\n", vks_error_text());
    }
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
    return fine ? 0 : 1;
}
