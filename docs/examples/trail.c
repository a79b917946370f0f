/* SPDX-License-Identifier: MIT */
/* trail FILE.pgm: 200 steps of Physarum through libvksim, the trail as a grey picture.
 * Build: cc trail.c $(pkg-config --cflags --libs vksim) -o trail */
#include <stdio.h>
#include <vksim/vksim.h>

enum { WIDTH = 320, HEIGHT = 240 };
static float trail[HEIGHT][WIDTH];

int main(int argc, char **argv)
{
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    const char *const options[] = {"agents=20000", "sensor-distance=9", NULL};
    enum vks_result result = vks_context_create(&VKS_CONTEXT_PARAMS(), &context);
    if (result == VKS_OK) {
        struct vks_simulation_params params = {.size = sizeof(params), .model = "physarum", .width = WIDTH,
                                               .height = HEIGHT, .seed = 5, .options = options};
        result = vks_simulation_create(context, &params, &simulation);
    }
    if (result == VKS_OK) {
        result = vks_simulation_run(simulation, 200);
    }
    if (result == VKS_OK) {
        result = vks_simulation_read(simulation, "trail", trail, sizeof(trail));
    }
    FILE *file = result == VKS_OK && argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (file) {
        fprintf(file, "P5 %d %d 255\n", WIDTH, HEIGHT);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            float grey = trail[i / WIDTH][i % WIDTH] * 12;
            fputc(grey < 255 ? (int)grey : 255, file);
        }
        result = fclose(file) == 0 ? VKS_OK : VKS_ERROR_FILE;
    }
    fprintf(stderr, "%s: %s\n", vks_result_text(result), vks_error_text());
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
    return file ? (int)result : 1;
}
