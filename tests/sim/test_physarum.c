/* SPDX-License-Identifier: MIT */
/* Physarum on a device: the digests of physarum_cases.def after 1, 2, 50 and 500 steps, which the
 * C reference recorded. TAP on standard output; the device is the Vulkan loader's best. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "physarum_cases.h"
#include "simulation.h"

/* A simulation for a row, through the public interface. */
static vks_simulation *open_case(vks_context *context, const struct physarum_case *row)
{
    char *words = strdup(row->options);
    const char *options[32];
    size_t count = 0;
    char *rest = words;
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        options[count++] = word;
    }
    options[count] = NULL;
    vks_simulation *simulation = NULL;
    if (vks_simulation_create(context,
                              &(struct vks_simulation_params){.model = "physarum",
                                                              .preset = "plain",
                                                              .width = row->width,
                                                              .height = row->height,
                                                              .seed = row->seed,
                                                              .init = row->start,
                                                              .options = options},
                              &simulation) != VKS_OK) {
        printf("# %s: %s\n", row->name, vks_error_text());
    }
    free(words);
    return simulation;
}

/* True if the state after each moment has the recorded digest. */
static bool matches(vks_context *context, const struct physarum_case *row)
{
    vks_simulation *simulation = open_case(context, row);
    bool same = simulation != NULL;
    uint32_t done = 0;
    for (size_t i = 0; same && i < PHYSARUM_MOMENTS; i++) {
        char hex[33];
        if (vks_simulation_run(simulation, physarum_moments[i] - done) != VKS_OK ||
            vks_simulation_digest(simulation, hex) != VKS_OK) {
            printf("# %s: %s\n", row->name, vks_error_text());
            same = false;
        } else if (strcmp(hex, row->digests[i]) != 0) {
            printf("# %s after %u steps: %s, recorded %s\n", row->name, physarum_moments[i], hex,
                   row->digests[i]);
            same = false;
        }
        done = physarum_moments[i];
    }
    vks_simulation_destroy(simulation);
    return same;
}

int main(void)
{
    vks_context *context;
    size_t failed = 0;
    struct vks_device_info device;
    if (vks_context_create(&(struct vks_context_params){.no_disk_cache = true}, &context) !=
        VKS_OK) {
        printf("1..1\nnot ok 1 - %s\n", vks_error_text());
        return 1;
    }
    vks_context_device(context, &device);
    printf("# on %s (%s)\n1..%zu\n", device.name, device.driver, physarum_case_count);
    for (size_t i = 0; i < physarum_case_count; i++) {
        bool same = matches(context, &physarum_cases[i]);
        failed += !same;
        printf("%s %zu - %s\n", same ? "ok" : "not ok", i + 1, physarum_cases[i].name);
        fflush(stdout);
    }
    vks_context_destroy(context);
    return failed != 0;
}
