/* SPDX-License-Identifier: MIT */
/* The reversible mould on a device: recorded digests, both ways, wrong keys, saving and loading.
 * TAP on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cipher_cases.h"
#include "sim_test.h"

#define PHOTO "image:src/selftest/cipher.png"

static struct sim_run run_of(const struct cipher_case *row)
{
    return (struct sim_run){.name = row->name,
                            .model = "cipher",
                            .basis = "",
                            .width = row->width,
                            .height = row->height,
                            .seed = 7, /* without effect */
                            .start = row->start,
                            .options = row->options};
}

/* The key among the words; "key=" if there is none. */
static const char *key_of(const char *words)
{
    const char *key = strstr(words, "key=");
    return key ? key : "key=";
}

/* Steps that have been saved, backward, with that key. */
static vks_simulation *open_back(vks_context *context, const char *path, const char *key)
{
    const char *const options[] = {"reverse=true", key, NULL};
    vks_simulation *simulation = NULL;
    (void)fine(vks_simulation_create(
        context, &VKS_SIMULATION_PARAMS(.model = "cipher", .load_state = path, .options = options),
        &simulation));
    return simulation;
}

/* 200 steps and back in batches of other sizes, by way of a state file, restore every bit; further
 * steps change nothing. */
static void test_back(vks_context *context, const struct cipher_case *row)
{
    if (!sim_due()) {
        return;
    }
    char *path = vks_format("%s", in_folder("locked.npz"));
    char first[33] = "", last[33];
    const struct sim_run run = run_of(row);
    vks_simulation *simulation = sim_open(context, &run), *back = NULL;
    bool good = simulation && path && fine(vks_simulation_digest(simulation, first)) &&
                fine(vks_simulation_run(simulation, cipher_moments[CIPHER_MOMENTS - 1])) &&
                fine(vks_simulation_save(simulation, path, true));
    for (size_t i = CIPHER_MOMENTS - 1; good && i < CIPHER_MOMENTS; i--) {
        const uint32_t before = i > 0 ? cipher_moments[i - 1] : 0;
        back = back ? back : open_back(context, path, key_of(row->options));
        good = back && fine(vks_simulation_run(back, cipher_moments[i] - before)) &&
               fine(vks_simulation_digest(back, last)) &&
               sim_has_digest(back, i > 0 ? row->digests[i - 1] : first);
    }
    good = good && fine(vks_simulation_run(back, 3)) && fine(vks_simulation_wait(back)) &&
           sim_has_digest(back, first);
    vks_simulation_destroy(back);
    vks_simulation_destroy(simulation);
    remove(in_folder("locked.npz"));
    free(path);
    report(good, "%s: back to moment 0", row->name);
}

/* Both ways with a picture: it is the image, pixel by pixel; with another key it is not, and the
 * run stops. */
static void test_picture(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    enum { WIDTH = 48, HEIGHT = 40, STEPS = 60 };
    static const struct cipher_case row = {
        "picture", WIDTH, HEIGHT, PHOTO, "agents=500 reservoirs=4 registers=9 key=photo", {NULL}};
    static uint8_t first[WIDTH * HEIGHT * 3], rgb[WIDTH * HEIGHT * 3];
    char *path = vks_format("%s", in_folder("locked.npz"));
    const struct sim_run run = run_of(&row);
    vks_simulation *simulation = sim_open(context, &run), *back = NULL, *wrong = NULL;
    struct cipher_state *reference = cipher_begin(WIDTH, HEIGHT, PHOTO, row.options);
    bool good = simulation && reference && path &&
                fine(vks_simulation_render(simulation, first, sizeof(first)));
    for (size_t i = 0; good && i < sizeof(first); i++) {
        good = first[i] == reference->trail[i / 3] / 65536 + 128;
    }
    report(good, "the first picture is the image");
    good = good && fine(vks_simulation_run(simulation, STEPS)) &&
           fine(vks_simulation_save(simulation, path, true)) &&
           fine(vks_simulation_render(simulation, rgb, sizeof(rgb))) &&
           memcmp(rgb, first, sizeof(rgb)) != 0 &&
           (back = open_back(context, path, "key=photo")) != NULL &&
           fine(vks_simulation_run(back, STEPS)) && fine(vks_simulation_wait(back)) &&
           fine(vks_simulation_render(back, rgb, sizeof(rgb))) &&
           memcmp(rgb, first, sizeof(rgb)) == 0;
    report(good, "the restored picture is the image");
    wrong = good ? open_back(context, path, "key=phot") : NULL;
    /* The picture of the moment before the last, of which no word says that it is wrong. */
    good = wrong && fine(vks_simulation_run(wrong, STEPS - 1)) &&
           fine(vks_simulation_render(wrong, rgb, sizeof(rgb)));
    size_t differ = 0;
    for (size_t i = 0; good && i < sizeof(rgb); i += 3) {
        differ += rgb[i] != first[i];
    }
    if (good && differ < 0.99 * WIDTH * HEIGHT) {
        printf("# with another key %zu of %d pixels differ\n", differ, WIDTH * HEIGHT);
        good = false;
    }
    good = good && vks_simulation_run(wrong, 1) == VKS_OK &&
           vks_simulation_wait(wrong) == VKS_ERROR_STOPPED &&
           strstr(vks_error_text(), "the picture was not restored");
    report(good, "with another key it is noise, and the run stops");
    cipher_free(reference);
    vks_simulation_destroy(wrong);
    vks_simulation_destroy(back);
    vks_simulation_destroy(simulation);
    remove(in_folder("locked.npz"));
    free(path);
}

/* Options cannot change, and messages and values do not show the key. */
static void test_fixed(vks_context *context)
{
    static const char *const words[] = {
        "agents=9",    "sensor-distance=3", "sensor-angle=3", "turn-angle=3", "step-size=3",
        "jitter=3",    "deposit=3",         "diffuse=0.5",    "decay=0.1",    "reservoirs=3",
        "registers=3", "key=swordfish",     "reverse=true",
    };
    if (!sim_due()) {
        return;
    }
    const struct cipher_case row = {"", 32, 24, PHOTO, "agents=40 key=opensesame", {NULL}};
    const struct sim_run run = run_of(&row);
    vks_simulation *simulation = sim_open(context, &run);
    bool good = simulation && fine(vks_simulation_run(simulation, 3));
    for (size_t i = 0; good && i < sizeof(words) / sizeof(words[0]); i++) {
        good = sim_refuses(simulation, words[i], false, "new simulation") &&
               !strstr(vks_error_text(), "swordfish");
    }
    char text[64] = "";
    good = good && fine(vks_simulation_get(simulation, "key", text, sizeof(text))) && !text[0] &&
           fine(vks_simulation_run(simulation, 2));
    vks_simulation_destroy(simulation);
    report(good, "no option changes during a run, and no message shows a key");
}

static void test_cases(vks_context *context)
{
    for (size_t i = 0; i < cipher_case_count; i++) {
        const struct cipher_case *row = &cipher_cases[i];
        const struct sim_run run = run_of(row);
        sim_test_moments(context, &run, cipher_moments, row->digests, CIPHER_MOMENTS);
        test_back(context, row);
    }
}

static const uint32_t pieces[] = {1, 1, 7, 1, 0};

static void tests(vks_context *context)
{
    test_cases(context);
    for (size_t i = 0; i < cipher_case_count; i++) {
        const struct cipher_case *row = &cipher_cases[i];
        const struct sim_run run = run_of(row);
        if (strcmp(row->name, "ends") == 0) { /* without a key, which a state does not have */
            sim_test_pieces(context, &run, pieces, true, row->digests[2]);
            sim_test_save_and_load(context, &run, 2, row->digests[1], 8, row->digests[2]);
            sim_test_changed_look(context, &run, "view=trail", 9);
        }
    }
    test_picture(context);
    test_fixed(context);
}

static void few(vks_context *context)
{
    const struct sim_run run = run_of(&cipher_cases[0]);
    sim_test_moments(context, &run, cipher_moments, cipher_cases[0].digests, CIPHER_MOMENTS);
    test_back(context, &cipher_cases[0]);
    test_picture(context);
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "cipher", tests, few);
}
