/* SPDX-License-Identifier: MIT */
#include "sim_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/internal.h"

enum { MAX_OPTIONS = 64 };

static unsigned reported, failed;
static unsigned long every = 1, offered; /* of the cases, one in that many runs */
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

bool sim_due(void)
{
    return offered++ % every == 0;
}

bool sim_runs_all(void)
{
    return every == 1;
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

int sim_test_main(int argc, char **argv, const char *model, void (*tests)(vks_context *context),
                  void (*few)(vks_context *context))
{
    const bool fast = few && argc > 1 && strcmp(argv[1], "--fast") == 0;
    if (argc > 2 && strcmp(argv[1], "--every") == 0) {
        every = strtoul(argv[2], NULL, 10);
    }
    if (every == 0) {
        printf("Bail out! --every takes a number over 0\n");
        return 1;
    }
    vks_context *context;
    struct vks_device_info device = {.size = sizeof(device)};
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-%s-XXXXXX", base && *base ? base : "/tmp",
             model);
    if (!mkdtemp(folder)) {
        printf("Bail out! no folder for temporary files\n");
        return 1;
    }
    if (vks_context_create(&VKS_CONTEXT_PARAMS(.no_disk_cache = true), &context) != VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        rmdir(folder);
        return 1;
    }
    vks_context_device(context, &device);
    printf("# on %s (%s)\n", device.name, device.driver);
    (fast ? few : tests)(context);
    vks_context_destroy(context);
    if (rmdir(folder) != 0) {
        report(false, "%s is not empty", folder);
    }
    printf("1..%u\n", reported);
    return failed != 0;
}

/* --- simulations by words --------------------------------------------------------------------- */

/* Splits the words in place and adds them to `options`. */
static size_t add_words(char *words, const char **options, size_t count)
{
    char *rest = words;
    for (char *word = strtok_r(rest, " ", &rest); word && count < MAX_OPTIONS;
         word = strtok_r(NULL, " ", &rest)) {
        options[count++] = word;
    }
    options[count] = NULL;
    return count;
}

vks_simulation *sim_open(vks_context *context, const struct sim_run *run)
{
    char *basis = strdup(run->basis), *own = strdup(run->options);
    const char *options[MAX_OPTIONS + 1];
    (void)add_words(own, options, add_words(basis, options, 0));
    const bool starts = strstr(run->options, "init="), seeds = strstr(run->options, "seed=");
    vks_simulation *simulation = NULL;
    (void)fine(vks_simulation_create(
        context,
        &VKS_SIMULATION_PARAMS(.model = run->model, .preset = run->preset, .width = run->width,
                               .height = run->height, .depth = run->depth ? run->depth : 1,
                               .seed = seeds ? 0 : run->seed, .init = starts ? NULL : run->start,
                               .watch = run->watch, .options = options),
        &simulation));
    free(own);
    free(basis);
    return simulation;
}

vks_simulation *sim_load(vks_context *context, const struct sim_run *run, const char *path)
{
    vks_simulation *simulation = NULL;
    (void)fine(vks_simulation_create(
        context, &VKS_SIMULATION_PARAMS(.model = run->model, .load_state = path), &simulation));
    return simulation;
}

bool sim_set(vks_simulation *simulation, const char *words)
{
    char *copy = strdup(words);
    char *rest = copy;
    bool good = copy != NULL;
    for (char *word = strtok_r(rest, " ", &rest); good && word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        good = fine(vks_simulation_set(simulation, word, value));
    }
    free(copy);
    return good;
}

/* The current picture, to be freed, or NULL. */
static uint8_t *draw(vks_simulation *simulation, size_t *size)
{
    uint32_t width, height;
    vks_simulation_picture_size(simulation, &width, &height);
    *size = (size_t)width * height * 3;
    uint8_t *rgb = malloc(*size);
    if (rgb && !fine(vks_simulation_render(simulation, rgb, *size))) {
        free(rgb);
        rgb = NULL;
    }
    return rgb;
}

/* Compares two pictures and frees them. */
static bool same_pictures(uint8_t *a, size_t size, uint8_t *b, size_t other_size)
{
    const bool same = a && b && size == other_size && memcmp(a, b, size) == 0;
    free(a);
    free(b);
    return same;
}

bool sim_refuses(vks_simulation *simulation, const char *word, bool of_file, const char *words)
{
    char digest[33], name[64] = "";
    size_t size, size_after;
    const char *value = strchr(word, '=');
    snprintf(name, sizeof(name), "%.*s", (int)(value - word), word);
    bool good = fine(vks_simulation_digest(simulation, digest));
    uint8_t *before = draw(simulation, &size);
    const enum vks_result result = vks_simulation_set(simulation, name, value + 1);
    if (result != (of_file ? VKS_ERROR_FILE : VKS_ERROR_USAGE) ||
        !strstr(vks_error_text(), words)) {
        printf("# %s: %d, '%s' does not say '%s'\n", word, (int)result, vks_error_text(), words);
        good = false;
    }
    uint8_t *after = draw(simulation, &size_after);
    if (!same_pictures(before, size, after, size_after)) {
        printf("# %s is refused and changes the picture\n", word);
        good = false;
    }
    return good && sim_has_digest(simulation, digest);
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
    if (!sim_due()) {
        return;
    }
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
    if (!sim_due()) {
        return;
    }
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

/* Another seed starts afresh, also twice; that of the file returns to its state. */
static bool restarts_from_file(vks_simulation *simulation, uint32_t seed, uint32_t steps,
                               const char *digest)
{
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        good = fine(vks_simulation_restart(simulation, seed + 1)) &&
               vks_simulation_steps(simulation) == 0;
    }
    return good && fine(vks_simulation_restart(simulation, seed)) &&
           vks_simulation_steps(simulation) == steps && sim_has_digest(simulation, digest);
}

void sim_test_save_and_load(vks_context *context, const struct sim_run *run, uint32_t steps,
                            const char *digest, uint32_t more, const char *last)
{
    if (!sim_due()) {
        return;
    }
    vks_simulation *first = sim_open(context, run), *second = NULL;
    bool good = first && fine(vks_simulation_run(first, steps)) &&
                fine(vks_simulation_save(first, in_folder("a.npz"), true));
    if (good) {
        second = sim_load(context, run, in_folder("a.npz"));
    }
    good = good && second && vks_simulation_steps(second) == steps &&
           sim_has_digest(second, digest) &&
           fine(vks_simulation_save(second, in_folder("b.npz"), true));
    if (good && !same_files("a.npz", "b.npz")) {
        printf("# a state that is loaded and saved is another file\n");
        good = false;
    }
    good = good && fine(vks_simulation_run(second, more)) &&
           vks_simulation_steps(second) == steps + more && sim_has_digest(second, last) &&
           /* and saving has not changed the first */
           fine(vks_simulation_run(first, more)) && sim_has_digest(first, last);
    good = good && restarts_from_file(second, run->seed, steps, digest);
    vks_simulation_destroy(second);
    vks_simulation_destroy(first);
    unlink(in_folder("a.npz"));
    unlink(in_folder("b.npz"));
    report(good, "%s saved and loaded", run->name);
}

void sim_test_restart(vks_context *context, const struct sim_run *run, uint32_t steps,
                      const char *digest)
{
    if (!sim_due()) {
        return;
    }
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

/* --- changes ---------------------------------------------------------------------------------- */

/* The run with more words after its own. */
static vks_simulation *open_with(vks_context *context, const struct sim_run *run, const char *words)
{
    char options[1024];
    struct sim_run changed = *run;
    snprintf(options, sizeof(options), "%s %s", run->options, words);
    changed.options = options;
    return sim_open(context, &changed);
}

static bool same_digests(vks_simulation *one, vks_simulation *other)
{
    char digest[33];
    return fine(vks_simulation_digest(other, digest)) && sim_has_digest(one, digest);
}

/* The number of passes with pipelines other than `before`, which is updated. */
static size_t count_new(const vks_simulation *simulation, VkPipeline *before, size_t max)
{
    const struct vks_graph *graph = vks_simulation_graph(simulation);
    size_t count = 0;
    for (size_t i = 0; i < graph->declaration.pass_count && i < max; i++) {
        const VkPipeline now = graph->passes[i].pipeline.pipeline;
        count += now != before[i];
        before[i] = now;
    }
    return count;
}

void sim_test_changed_restart(vks_context *context, const struct sim_run *run, const char *change,
                              uint32_t steps)
{
    if (!sim_due()) {
        return;
    }
    enum { MAX_PASSES = 64 };
    VkPipeline pipelines[MAX_PASSES] = {VK_NULL_HANDLE};
    size_t size, fresh_size;
    vks_simulation *simulation = sim_open(context, run);
    vks_simulation *fresh = open_with(context, run, change);
    bool good = simulation && fresh && fine(vks_simulation_run(simulation, 37)) &&
                sim_set(simulation, change) && fine(vks_simulation_run(simulation, 5)) &&
                count_new(simulation, pipelines, MAX_PASSES) > 1 &&
                fine(vks_simulation_restart(simulation, run->seed)) &&
                fine(vks_simulation_run(simulation, steps)) &&
                fine(vks_simulation_run(fresh, steps)) && same_digests(simulation, fresh);
    if (good) {
        uint8_t *picture = draw(simulation, &size), *expected = draw(fresh, &fresh_size);
        good = same_pictures(picture, size, expected, fresh_size);
    }
    good = good && fine(vks_simulation_restart(simulation, run->seed + 1)) &&
           fine(vks_simulation_restart(fresh, run->seed + 1)) &&
           fine(vks_simulation_run(simulation, steps)) && fine(vks_simulation_run(fresh, steps)) &&
           same_digests(simulation, fresh);
    const size_t built = good ? count_new(simulation, pipelines, MAX_PASSES) : 0;
    if (built > 0) {
        printf("# two restarts have built %zu pipelines\n", built);
    }
    vks_simulation_destroy(fresh);
    vks_simulation_destroy(simulation);
    report(good && built == 0, "%s: a restart after '%s' is a run with it", run->name, change);
}

void sim_test_changed_look(vks_context *context, const struct sim_run *run, const char *change,
                           uint32_t steps)
{
    if (!sim_due()) {
        return;
    }
    char digest[33];
    size_t size, other_size;
    vks_simulation *simulation = sim_open(context, run);
    vks_simulation *fresh = open_with(context, run, change);
    bool good = simulation && fresh && fine(vks_simulation_run(simulation, steps)) &&
                fine(vks_simulation_digest(simulation, digest));
    if (good) {
        uint8_t *before = draw(simulation, &size);
        good = sim_set(simulation, change);
        uint8_t *after = draw(simulation, &other_size);
        good = good && !same_pictures(before, size, after, other_size);
    }
    if (good) {
        uint8_t *after = draw(simulation, &size);
        good = fine(vks_simulation_run(fresh, steps));
        uint8_t *expected = draw(fresh, &other_size);
        good = same_pictures(after, size, expected, other_size) && good &&
               sim_has_digest(simulation, digest) && sim_has_digest(fresh, digest) &&
               fine(vks_simulation_run(simulation, 3)) && fine(vks_simulation_run(fresh, 3)) &&
               same_digests(simulation, fresh);
    }
    vks_simulation_destroy(fresh);
    vks_simulation_destroy(simulation);
    report(good, "%s: '%s' changes the picture alone", run->name, change);
}
