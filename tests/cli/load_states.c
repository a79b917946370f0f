/* SPDX-License-Identifier: MIT */
/* load_states START FILE...: loads state files into one simulation, which continues from START, and
 * prints a line per file: the number of the result and, for a failure, the sentence. */
#include <stdio.h>

#include <vksim/vksim.h>

static int say(enum vks_result result)
{
    printf("%d %s\n", (int)result, result == VKS_OK ? "" : vks_error_text());
    return 1;
}

int main(int argc, char **argv)
{
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    enum vks_result result = vks_context_create(&VKS_CONTEXT_PARAMS(), &context);
    if (result == VKS_OK && argc > 1) {
        result = vks_simulation_create(
            context, &VKS_SIMULATION_PARAMS(.model = "gas", .load_state = argv[1]), &simulation);
    }
    if (!simulation) {
        vks_context_destroy(context);
        return say(result);
    }
    for (int i = 2; i < argc; i++) {
        say(vks_simulation_load(simulation, argv[i]));
    }
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
    return 0;
}
