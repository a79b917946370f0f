/* SPDX-License-Identifier: MIT */
#include "sim_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPTIONS = 64 };

static unsigned reported, failed;
static char folder[256];

void report(bool good, const char *format, ...)
{
    va_list arguments;
    printf("%s %u - ", good ? "ok" : "not ok", ++reported);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    failed += !good;
}

bool fine(enum vks_result result)
{
    if (result != VKS_OK) {
        printf("# %s\n", vks_error_text());
    }
    return result == VKS_OK;
}

const char *in_folder(const char *name)
{
    static char path[320];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

int sim_test_main(const char *model, void (*tests)(vks_context *context))
{
    vks_context *context;
    struct vks_device_info device;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-%s-XXXXXX", base && *base ? base : "/tmp",
             model);
    if (!mkdtemp(folder)) {
        printf("Bail out! no folder for temporary files\n");
        return 1;
    }
    if (vks_context_create(&(struct vks_context_params){.no_disk_cache = true}, &context) !=
        VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        rmdir(folder);
        return 1;
    }
    vks_context_device(context, &device);
    printf("# on %s (%s)\n", device.name, device.driver);
    tests(context);
    vks_context_destroy(context);
    if (rmdir(folder) != 0) {
        report(false, "%s is not empty", folder);
    }
    printf("1..%u\n", reported);
    return failed != 0;
}

/* --- simulations by words --------------------------------------------------------------------- */

/* Adds the words, which it cuts apart, to `options`. */
static size_t add_words(char *words, const char **options, size_t count)
{
    char *rest = words;
    for (char *word = strtok_r(rest, " ", &rest); word && count < MOST_OPTIONS;
         word = strtok_r(NULL, " ", &rest)) {
        options[count++] = word;
    }
    options[count] = NULL;
    return count;
}

vks_simulation *sim_open(vks_context *context, const struct sim_run *run)
{
    char *basis = strdup(run->basis), *own = strdup(run->options);
    const char *options[MOST_OPTIONS + 1];
    (void)add_words(own, options, add_words(basis, options, 0));
    vks_simulation *simulation = NULL;
    (void)fine(vks_simulation_create(context,
                                     &(struct vks_simulation_params){.model = run->model,
                                                                     .preset = run->preset,
                                                                     .width = run->width,
                                                                     .height = run->height,
                                                                     .seed = run->seed,
                                                                     .init = run->start,
                                                                     .options = options},
                                     &simulation));
    free(own);
    free(basis);
    return simulation;
}

vks_simulation *sim_load(vks_context *context, const struct sim_run *run, const char *path)
{
    vks_simulation *simulation = NULL;
    (void)fine(vks_simulation_create(
        context, &(struct vks_simulation_params){.model = run->model, .load_state = path},
        &simulation));
    return simulation;
}

bool sim_has_digest(vks_simulation *simulation, const char *expected)
{
    char hex[33];
    if (!fine(vks_simulation_digest(simulation, hex))) {
        return false;
    }
    if (strcmp(hex, expected) != 0) {
        printf("# after %llu steps: %s, recorded %s\n",
               (unsigned long long)vks_simulation_steps(simulation), hex, expected);
        return false;
    }
    return true;
}

/* --- laws ------------------------------------------------------------------------------------- */

void sim_test_moments(vks_context *context, const struct sim_run *run, const uint32_t *moments,
                      const char *const *digests, size_t count)
{
    vks_simulation *simulation = sim_open(context, run);
    bool same = simulation != NULL;
    uint32_t done = 0;
    for (size_t i = 0; same && i < count; i++) {
        same = fine(vks_simulation_run(simulation, moments[i] - done)) &&
               vks_simulation_steps(simulation) == moments[i] &&
               sim_has_digest(simulation, digests[i]);
        done = moments[i];
    }
    vks_simulation_destroy(simulation);
    report(same, "%s", run->name);
}

void sim_test_pieces(vks_context *context, const struct sim_run *run, const uint32_t *pieces,
                     bool draw, const char *digest)
{
    vks_simulation *simulation = sim_open(context, run);
    bool good = simulation != NULL;
    const size_t size = (size_t)run->width * run->height * 3;
    uint8_t *rgb = malloc(size);
    uint32_t total = 0;
    for (size_t i = 0; good && pieces[i]; i++) {
        good = fine(vks_simulation_run(simulation, pieces[i]));
        total += pieces[i];
        if (good && draw) {
            good = fine(vks_simulation_render(simulation, rgb, size));
        }
    }
    good = good && fine(vks_simulation_run(simulation, 0)) &&
           vks_simulation_steps(simulation) == total && sim_has_digest(simulation, digest);
    free(rgb);
    vks_simulation_destroy(simulation);
    report(good, "%s in pieces of %u, %u ...%s", run->name, pieces[0], pieces[1],
           draw ? " with frames between" : "");
}

static bool same_files(const char *one, const char *other)
{
    char path[320];
    snprintf(path, sizeof(path), "%s", in_folder(one));
    FILE *a = fopen(path, "rb"), *b = fopen(in_folder(other), "rb");
    int x = 0, y = 0;
    size_t size = 0;
    while (a && b && x == y && x != EOF) {
        x = fgetc(a);
        y = fgetc(b);
        size++;
    }
    bool same = a && b && x == y && size > 100;
    if (a) {
        fclose(a);
    }
    if (b) {
        fclose(b);
    }
    return same;
}

void sim_test_save_and_load(vks_context *context, const struct sim_run *run, uint32_t steps,
                            const char *digest, uint32_t more, const char *last)
{
    vks_simulation *first = sim_open(context, run), *second = NULL;
    bool good = first && fine(vks_simulation_run(first, steps)) &&
                fine(vks_simulation_save(first, in_folder("a.npz")));
    if (good) {
        second = sim_load(context, run, in_folder("a.npz"));
    }
    good = good && second && vks_simulation_steps(second) == steps &&
           sim_has_digest(second, digest) && fine(vks_simulation_save(second, in_folder("b.npz")));
    if (good && !same_files("a.npz", "b.npz")) {
        printf("# a state that is loaded and saved is another file\n");
        good = false;
    }
    good = good && fine(vks_simulation_run(second, more)) &&
           vks_simulation_steps(second) == steps + more && sim_has_digest(second, last) &&
           /* and the first was not disturbed by being saved */
           fine(vks_simulation_run(first, more)) && sim_has_digest(first, last);
    vks_simulation_destroy(second);
    vks_simulation_destroy(first);
    unlink(in_folder("a.npz"));
    unlink(in_folder("b.npz"));
    report(good, "%s saved and loaded", run->name);
}

void sim_test_restart(vks_context *context, const struct sim_run *run, uint32_t steps,
                      const char *digest)
{
    vks_simulation *simulation = sim_open(context, run);
    bool good = simulation && fine(vks_simulation_run(simulation, 123)) &&
                fine(vks_simulation_restart(simulation, run->seed)) &&
                vks_simulation_steps(simulation) == 0 &&
                fine(vks_simulation_run(simulation, steps)) && sim_has_digest(simulation, digest);
    report(good, "%s: a restart with the same seed", run->name);

    char other[33], fresh[33];
    struct sim_run seeded = *run;
    seeded.seed = 4242;
    good = good && fine(vks_simulation_restart(simulation, seeded.seed)) &&
           fine(vks_simulation_run(simulation, steps)) &&
           fine(vks_simulation_digest(simulation, other)) && strcmp(other, digest) != 0;
    vks_simulation_destroy(simulation);
    simulation = sim_open(context, &seeded);
    good = good && simulation && fine(vks_simulation_run(simulation, steps)) &&
           fine(vks_simulation_digest(simulation, fresh)) && strcmp(fresh, other) == 0;
    vks_simulation_destroy(simulation);
    report(good, "%s: a restart with another seed", run->name);
}
