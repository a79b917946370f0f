/* SPDX-License-Identifier: MIT */
/* means: Gray-Scott through libvksim; the means of u and v every 100 steps, and another feed from
 * step 500 on. Build: cc means.c $(pkg-config --cflags --libs vksim) -o means */
#include <stdio.h>
#include <vksim/vksim.h>

/* Computes the scalars of the state as it is, and prints them. */
static enum vks_result print_means(vks_simulation *simulation)
{
    struct vks_watched watched = {.size = sizeof(watched)};
    enum vks_result result = vks_simulation_draw(simulation);
    if (result == VKS_OK) {
        result = vks_simulation_wait(simulation); /* only to have the values now */
    }
    for (size_t i = 0; result == VKS_OK && vks_simulation_watched(simulation, i, &watched); i++) {
        if (i == 0) {
            printf("step %4llu", (unsigned long long)watched.step);
        }
        printf("  %s %.6f", watched.name, watched.value);
    }
    printf("\n");
    return result;
}

int main(void)
{
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    enum vks_result result = vks_context_create(&VKS_CONTEXT_PARAMS(), &context);
    if (result == VKS_OK) {
        struct vks_simulation_params params = {.size = sizeof(params), .model = "gray-scott", .width = 128, .height = 128,
                                               .watch = true};
        result = vks_simulation_create(context, &params, &simulation);
    }
    for (int i = 0; result == VKS_OK && i < 10; i++) {
        if (i == 5) {
            result = vks_simulation_set(simulation, "feed", "0.05");
        }
        if (result == VKS_OK) {
            result = vks_simulation_run(simulation, 100);
        }
        if (result == VKS_OK) {
            result = print_means(simulation);
        }
    }
    fprintf(stderr, "%s: %s\n", vks_result_text(result), vks_error_text());
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
    return (int)result;
}
