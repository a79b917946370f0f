/* SPDX-License-Identifier: MIT */
/* Runs on several ranks leave the bytes of one rank. Ranks are processes, each with a device: of
 * those that VKSIM_TEST_DEVICES lists ("0,1"), in turn, or the default. Their halos are garbage
 * before each first exchange. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "gpu_test.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/internal.h"
#include "base/memory.h"
#include "ranks/local.h"
#include "ranks/slab.h"
#include "share.h"
#include "sim/registry.h"

enum { MAX_OPTIONS = 8, MAX_RANKS = 4, STEPS = 50, ROWS = 1 << 15 };

/* A run, and how it is cut. */
struct run_case {
    const char *model;
    const char *options[MAX_OPTIONS]; /* names and values */
    uint32_t width, height, grain;
    bool closed;
    const char *fields[3];
};

static const struct run_case cases[] = {
    {"gray-scott", {"variant", "plain"}, 24, 64, 4, false, {"u", "v"}},
    {"gray-scott", {"variant", "plain", "init", "noise"}, 23, 61, 1, false, {"u", "v"}},
    {"gray-scott", {"variant", "plain", "boundary", "no-flux"}, 32, 77, 4, true, {"u", "v"}},
    {"gray-scott", {"stencil", "nine-point", "start-noise", "0.1"}, 20, 65, 4, false, {"u", "v"}},
    {"gray-scott", {"precision", "float16", "boundary", "no-flux"}, 30, 67, 1, true, {"u", "v"}},
    {"gray-scott", {"variant", "tile-2-4x4", "init", "ring"}, 40, 70, 4, false, {"u", "v"}},
    {"gray-scott", {"variant", "quad-3-5x8", "boundary", "no-flux"}, 40, 71, 4, true, {"u", "v"}},
    {"gray-scott", {"variant", "march-4-64x4", "init", "noise"}, 48, 69, 4, false, {"u", "v"}},
    {"gray-scott",
     {"preset", "parameter-map", "boundary", "periodic"},
     32,
     66,
     4,
     false,
     {"u", "v"}},
};

/* --- one rank --------------------------------------------------------------------------------- */

/* What a rank leaves, in memory that it shares with the test. */
struct outcome {
    char why[512]; /* it failed */
    uint64_t trades;
    char fields[2][ROWS]; /* the own rows */
};

struct rank {
    const struct run_case *run;
    const char *ranks; /* their name */
    const char *icd;   /* the driver; NULL: the test's */
    const char *what;  /* becomes of rank 1 */
    double patience;
    struct vks_slab slab;
    bool imports; /* the device may import the memory of messages */
    struct outcome *outcome;
};

/* A transport that counts. */
struct counting {
    struct vks_transport inner;
    uint64_t trades;
};

static enum vks_result count_open(void *user, struct vks_mail *mail)
{
    struct counting *counting = user;
    return counting->inner.open(counting->inner.user, mail);
}

static enum vks_result count_trade(void *user, const struct vks_mail *mail, uint32_t turn)
{
    struct counting *counting = user;
    counting->trades++;
    return counting->inner.trade(counting->inner.user, mail, turn);
}

#define TRY(call)                                                                            \
    do {                                                                                     \
        if ((call) != VKS_OK) {                                                              \
            snprintf(outcome->why, sizeof(outcome->why), "%s: %s", #call, vks_error_text()); \
            goto finish;                                                                     \
        }                                                                                    \
    } while (0)

static enum vks_result set_all(const struct run_case *run, struct vks_settings *settings)
{
    char size[32];
    snprintf(size, sizeof(size), "%ux%u", run->width, run->height);
    enum vks_result result = vks_settings_set(settings, "size", size);
    for (size_t i = 0; i < MAX_OPTIONS && run->options[i] && result == VKS_OK; i += 2) {
        result = strcmp(run->options[i], "preset") == 0
                     ? vks_settings_preset(settings, run->options[i + 1])
                     : vks_settings_set(settings, run->options[i], run->options[i + 1]);
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

static size_t row_bytes(const struct vks_graph *graph, const char *name)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    const struct vks_field *field = &declaration->fields[vks_find_field(declaration, name)];
    return (size_t)(vks_field_bytes(field) / field->shape[0]);
}

/* Spoils the halos, which the first exchange has to replace. */
static enum vks_result spoil(struct vks_graph *graph, const struct vks_slab *slab, const char *name)
{
    const size_t row = row_bytes(graph, name);
    const size_t rows = slab->before + slab->rows + slab->after;
    char *data = malloc(row * rows);
    enum vks_result result = data ? vks_graph_download_to(graph, name, data) : VKS_ERROR_MEMORY;
    if (result == VKS_OK) {
        memset(data, 0x7e, row * slab->before);
        memset(data + row * (slab->before + slab->rows), 0x7e, row * slab->after);
        result = vks_graph_upload(graph, name, data);
    }
    free(data);
    return result;
}

/* The own rows of a field. */
static enum vks_result keep(struct vks_graph *graph, const struct rank *rank, const char *name,
                            char rows[ROWS])
{
    const struct vks_slab *slab = &rank->slab;
    const uint32_t length = vks_slab_length(slab, rank->run->height);
    const size_t row = row_bytes(graph, name);
    char *data = malloc(row * length);
    const uint32_t own = slab->count > 1 ? slab->rows : length;
    enum vks_result result = data ? vks_graph_download_to(graph, name, data) : VKS_ERROR_MEMORY;
    if (row * own > ROWS) {
        result = vks_fail(VKS_ERROR_INTERNAL, "'%s' has too many rows for the test", name);
    }
    if (result == VKS_OK) {
        memcpy(rows, data + row * slab->before, row * own);
    }
    free(data);
    return result;
}

/* The device of a rank: an index, or NULL. */
static const char *device_of(uint32_t index, char text[16])
{
    const char *devices = getenv("VKSIM_TEST_DEVICES");
    uint32_t count = 1;
    for (const char *at = devices; at && *at; at++) {
        count += *at == ',';
    }
    for (uint32_t i = index % count; devices && i > 0; i--) {
        devices = strchr(devices, ',') + 1;
    }
    return devices && snprintf(text, 16, "%.*s", (int)strcspn(devices, ","), devices) > 0 ? text
                                                                                          : NULL;
}

/* Runs the steps on a rank, in two pieces. */
static void run_rank(const struct rank *rank)
{
    struct outcome *outcome = rank->outcome;
    char device_text[16];
    const struct vks_gpu_params params = {
        .device = device_of(rank->slab.index, device_text),
        .without = rank->imports ? 0 : 1U << VKS_FEATURE_IMPORTED_MEMORY,
    };
    struct counting counting = {0};
    struct vks_transport transport = {count_open, count_trade, &counting};
    struct vks_gpu device = {0};
    struct vks_settings settings = {0};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    if (rank->slab.count > 1) {
        TRY(vks_local_join(rank->ranks, rank->slab.index, rank->slab.count, 60, &counting.inner));
    }
    TRY(vks_gpu_open(&device, &params));
    TRY(vks_settings_init(&settings, vks_model_find(rank->run->model)));
    TRY(set_all(rank->run, &settings));
    struct vks_config config = vks_settings_config(&settings);
    config.limits = vks_graph_limits(&device);
    config.slab = rank->slab;
    vks_declare_model(settings.model, &config, &declaration);
    TRY(vks_graph_create(&device, &declaration, &graph));
    if (rank->slab.count > 1) {
        TRY(vks_graph_join(graph, &transport));
    }
    TRY(vks_graph_start(graph, 0, true));
    for (size_t i = 0; rank->run->fields[i] && rank->slab.count > 1; i++) {
        TRY(spoil(graph, &rank->slab, rank->run->fields[i]));
    }
    TRY(vks_graph_run(graph, STEPS / 3));
    TRY(vks_graph_run(graph, STEPS - STEPS / 3));
    for (size_t i = 0; rank->run->fields[i]; i++) {
        TRY(keep(graph, rank, rank->run->fields[i], outcome->fields[i]));
    }
finish:
    outcome->trades = counting.trades;
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    vks_settings_free(&settings);
    vks_gpu_close(&device);
    vks_local_leave(&counting.inner, outcome->why[0] ? outcome->why : NULL);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* A name that no other ranks of this machine have. */
static const char *new_name(void)
{
    static char name[48];
    static unsigned count;
    snprintf(name, sizeof(name), "test-%ld-%u", (long)getpid(), count++);
    return name;
}

static void *share_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

/* Runs a function in a process of its own, in which no device has been opened. */
static pid_t start(void (*function)(const struct rank *rank), const struct rank *rank)
{
    fflush(NULL);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        if (rank->icd) {
            (void)setenv("VK_ICD_FILENAMES", rank->icd, 1);
            (void)setenv("VK_DRIVER_FILES", rank->icd, 1);
        }
        function(rank);
        fflush(NULL);
        _exit(0);
    }
    return process;
}

/* Its exit status, or the signal that ended it times -1. */
static int ended(pid_t process)
{
    int status;
    while (waitpid(process, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* How the grid of a run is cut. */
struct cut {
    uint32_t ranks, halo;
    bool mixed;   /* every other rank uses the other driver */
    bool imports; /* devices read and write the memory of messages */
};

static const struct cut cuts[] = {
    {2, 1, false, true}, {2, 8, false, false}, {3, 3, true, true},
    {4, 5, false, true}, {4, 14, true, false},
};

/* The driver that the test does not run on; NULL: none is known. */
static const char *other_driver(void)
{
    const char *own = getenv("VK_DRIVER_FILES");
    const char *lavapipe = getenv("VKSIM_TEST_LAVAPIPE_ICD");
    const char *swiftshader = getenv("VKSIM_TEST_SWIFTSHADER_ICD");
    if (!own || !lavapipe || !swiftshader) {
        return NULL;
    }
    return strcmp(own, lavapipe) == 0      ? swiftshader
           : strcmp(own, swiftshader) == 0 ? lavapipe
                                           : NULL;
}

static void run_ranks(const struct run_case *run, const struct cut *cut, struct outcome *outcomes)
{
    pid_t processes[MAX_RANKS];
    const char *name = new_name();
    memset(outcomes, 0, cut->ranks * sizeof(*outcomes));
    for (uint32_t i = 0; i < cut->ranks; i++) {
        struct rank rank = {.run = run,
                            .ranks = name,
                            .icd = cut->mixed && i % 2 == 1 ? other_driver() : NULL,
                            .imports = cut->imports,
                            .outcome = &outcomes[i]};
        ASSERT_FINE(vks_slab_of(run->height, run->grain, cut->halo, run->closed, i, cut->ranks,
                                &rank.slab));
        processes[i] = start(run_rank, &rank);
    }
    for (uint32_t i = 0; i < cut->ranks; i++) {
        assert_int_equal(ended(processes[i]), 0);
    }
    for (uint32_t i = 0; i < cut->ranks; i++) {
        if (outcomes[i].why[0]) {
            fail_msg("rank %u of %u: %s", i, cut->ranks, outcomes[i].why);
        }
    }
}

static void test_ranks(void **state)
{
    const struct run_case *run = *state;
    struct outcome *one = share_memory(sizeof(*one));
    struct outcome *outcomes = share_memory(MAX_RANKS * sizeof(*outcomes));
    run_ranks(run, &(struct cut){1, 0, false, true}, one);
    const size_t number = (size_t)(run - cases);
    for (size_t c = 0; c < 2; c++) { /* of all cuts: runs take turns */
        const struct cut *cut = &cuts[(number + 2 * c) % VKS_COUNT(cuts)];
        const uint64_t pieces = (STEPS / 3 + cut->halo - 1) / cut->halo;
        run_ranks(run, cut, outcomes);
        for (uint32_t i = 0; i < cut->ranks; i++) {
            struct vks_slab slab;
            ASSERT_FINE(
                vks_slab_of(run->height, run->grain, cut->halo, run->closed, i, cut->ranks, &slab));
            assert_true(outcomes[i].trades >= pieces);
            for (size_t f = 0; run->fields[f]; f++) {
                const size_t row = (strcmp("float16", run->options[1]) == 0 ? 2 : 4) * run->width;
                if (memcmp(outcomes[i].fields[f], one->fields[f] + row * slab.first,
                           row * slab.rows) != 0) {
                    fail_msg("%u ranks, halos of %u: '%s' of rank %u differs", cut->ranks,
                             cut->halo, run->fields[f], i);
                }
            }
        }
    }
    munmap(outcomes, MAX_RANKS * sizeof(*outcomes));
    munmap(one, sizeof(*one));
}

/* --- ranks that fail ------------------------------------------------------------------------- */

/* Trades for ever; rank 1 only for some rounds. */
static void trade_on(const struct rank *rank)
{
    struct outcome *outcome = rank->outcome;
    struct vks_transport transport = {0};
    struct vks_mail mail = {.bytes = {5000, 5000}};
    const bool odd = rank->slab.index == 1;
    const char *what = rank->what;
    TRY(vks_local_join(rank->ranks, rank->slab.index, rank->slab.count, rank->patience,
                       &transport));
    TRY(transport.open(transport.user, &mail));
    for (uint64_t i = 0;; i++) {
        unsigned char *const *const sent = (unsigned char *const *)mail.sent[i % VKS_TURNS];
        unsigned char *const *const received = (unsigned char *const *)mail.received[i % VKS_TURNS];
        for (uint32_t side = 0; side < VKS_SIDES; side++) {
            memset(sent[side], (int)(7 * rank->slab.index + 3 * side + i), mail.bytes[side]);
        }
        if (odd && i == 300 && strcmp(what, "kill") == 0) {
            (void)raise(SIGKILL);
        } else if (odd && i == 300 && strcmp(what, "silent") == 0) {
            sleep(8);
        } else if (odd && i == 300 && strcmp(what, "leave") == 0) {
            break;
        } else if (odd && i == 300) {
            snprintf(outcome->why, sizeof(outcome->why), "the disk is full");
            break;
        }
        TRY(transport.trade(transport.user, &mail, i % VKS_TURNS));
        for (uint32_t side = 0; side < VKS_SIDES; side++) {
            const uint32_t count = rank->slab.count, from = rank->slab.index + count;
            const uint32_t other = (side == VKS_BEFORE ? from - 1 : from + 1) % count;
            const uint32_t facing = 1 - side;
            if (received[side][0] != (unsigned char)(7 * other + 3 * facing + i) ||
                received[side][4999] != received[side][0]) {
                snprintf(outcome->why, sizeof(outcome->why), "a message of rank %u is wrong",
                         other);
                break;
            }
        }
        outcome->trades++;
    }
finish:
    vks_local_leave(&transport, outcome->why[0] ? outcome->why : NULL);
}

static void test_lost(void **state)
{
    (void)state;
    static const struct {
        const char *what, *words; /* of the others */
    } rows[] = {
        {"kill", "rank 1 was killed"},
        {"silent", "rank 1 has been silent for 3 seconds"},
        {"leave", "rank 1 has ended, and others need it"},
        {"fail", "rank 1 failed: the disk is full"},
    };
    struct outcome *outcomes = share_memory(MAX_RANKS * sizeof(*outcomes));
    for (size_t r = 0; r < VKS_COUNT(rows); r++) {
        pid_t processes[MAX_RANKS];
        const char *name = new_name();
        memset(outcomes, 0, MAX_RANKS * sizeof(*outcomes));
        for (uint32_t i = 0; i < MAX_RANKS; i++) {
            const struct rank rank = {.ranks = name,
                                      .what = rows[r].what,
                                      .patience = r == 1 ? 3 : 30,
                                      .slab = {.index = i, .count = MAX_RANKS},
                                      .outcome = &outcomes[i]};
            processes[i] = start(trade_on, &rank);
        }
        for (uint32_t i = 0; i < MAX_RANKS; i++) {
            assert_int_equal(ended(processes[i]), i == 1 && r == 0 ? -SIGKILL : 0);
        }
        for (uint32_t i = 0; i < MAX_RANKS; i++) {
            if (i != 1 && (!strstr(outcomes[i].why, rows[r].words) || outcomes[i].trades < 299)) {
                fail_msg("%s: rank %u: %s", rows[r].what, i, outcomes[i].why);
            }
        }
    }
    munmap(outcomes, MAX_RANKS * sizeof(*outcomes));
}

/* Ranks that do not belong together. */
static void join(const struct rank *rank)
{
    struct outcome *outcome = rank->outcome;
    struct vks_transport transport = {0};
    TRY(vks_local_join(rank->ranks, rank->slab.index, rank->slab.count, rank->patience,
                       &transport));
finish:
    vks_local_leave(&transport, NULL);
}

static void test_joining(void **state)
{
    (void)state;
    static const struct {
        uint32_t index, count, other, other_count;
        double patience;
        const char *words; /* of one of them */
    } rows[] = {
        {0, 2, 0, 2, 2, "rank 0 is taken by another process"},
        {0, 2, 1, 3, 2, "ranks, another"},
        {0, 3, 2, 3, 0.3, "rank 1 of 3 has not come within 0.3 seconds"},
        {0, 3, 3, 3, 0.3, "rank 3 of 3: there are 1 to 64 ranks, from 0 on"},
    };
    struct outcome *outcomes = share_memory(2 * sizeof(*outcomes));
    for (size_t r = 0; r < VKS_COUNT(rows); r++) {
        const char *name = new_name();
        const struct rank one = {.ranks = name,
                                 .slab = {.index = rows[r].index, .count = rows[r].count},
                                 .patience = rows[r].patience,
                                 .outcome = &outcomes[0]};
        const struct rank other = {.ranks = name,
                                   .slab = {.index = rows[r].other, .count = rows[r].other_count},
                                   .patience = rows[r].patience,
                                   .outcome = &outcomes[1]};
        memset(outcomes, 0, 2 * sizeof(*outcomes));
        const pid_t first = start(join, &one), second = start(join, &other);
        assert_int_equal(ended(first), 0);
        assert_int_equal(ended(second), 0);
        if (!strstr(outcomes[0].why, rows[r].words) && !strstr(outcomes[1].why, rows[r].words)) {
            fail_msg("'%s' and '%s'", outcomes[0].why, outcomes[1].why);
        }
    }
    munmap(outcomes, 2 * sizeof(*outcomes));
}

/* --- slabs ----------------------------------------------------------------------------------- */

static void test_slabs(void **state)
{
    (void)state;
    struct vks_slab slab, next;
    uint32_t at = 0;
    for (uint32_t i = 0; i < 3; i++) {
        ASSERT_FINE(vks_slab_of(61, 4, 8, true, i, 3, &slab));
        assert_int_equal(slab.first, at);
        assert_true(i == 2 || slab.rows % 4 == 0);
        assert_int_equal(slab.before, i == 0 ? 0 : 8);
        assert_int_equal(slab.after, i == 2 ? 0 : 8);
        at += slab.rows;
    }
    assert_int_equal(at, 61);
    ASSERT_FINE(vks_slab_of(61, 4, 8, false, 0, 1, &next));
    assert_int_equal(vks_slab_length(&next, 61), 61);
    assert_int_equal(vks_slab_of(61, 4, 21, false, 0, 3, &slab), VKS_ERROR_USAGE);
    assert_int_equal(vks_slab_of(12, 4, 1, false, 0, 4, &slab), VKS_ERROR_USAGE);
}

/* What is declared for a slab of a grid of 32 x 32 cells. */
static enum vks_result declare(const char *model, const struct vks_slab *slab,
                               struct vks_declaration *declaration)
{
    struct vks_settings settings = {0};
    enum vks_result result = vks_settings_init(&settings, vks_model_find(model));
    if (result == VKS_OK) {
        result = vks_settings_set(&settings, "size", "32x32");
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(&settings);
    }
    struct vks_config config = vks_settings_config(&settings);
    config.slab = *slab;
    if (result == VKS_OK) {
        vks_declare_model(settings.model, &config, declaration);
        result = declaration->result;
    }
    vks_settings_free(&settings);
    return result;
}

static void expect_refusal(struct outcome *outcome, enum vks_result result, const char *words)
{
    if (!outcome->why[0] && (result != VKS_ERROR_USAGE || !strstr(vks_error_text(), words))) {
        snprintf(outcome->why, sizeof(outcome->why), "%d instead of '%s': %s", (int)result, words,
                 vks_error_text());
    }
}

/* A model without an exchange, and halos that are narrower than the reach of a step. */
static void try_refused(const struct rank *rank)
{
    struct outcome *outcome = rank->outcome;
    const struct vks_slab slab = {0, 2, 0, 16, 4, 4}, bare = {0, 2, 0, 16, 0, 0};
    const struct vks_gpu_params params = {0};
    struct vks_transport transport = {0};
    struct vks_declaration first = {0}, declaration = {0};
    struct vks_graph *graph = NULL;
    expect_refusal(outcome, declare("gas", &slab, &first), "gas does not run on several ranks");
    TRY(vks_gpu_open(&gpu, &params));
    TRY(declare("gray-scott", &bare, &declaration));
    TRY(vks_graph_create(&gpu, &declaration, &graph));
    expect_refusal(outcome, vks_graph_join(graph, &transport), "a step reads 1 rows");
finish:
    vks_graph_destroy(graph);
    vks_declaration_free(&first);
    vks_declaration_free(&declaration);
    vks_gpu_close(&gpu);
}

static void test_refused(void **state)
{
    (void)state;
    struct outcome *outcome = share_memory(sizeof(*outcome));
    const struct rank rank = {.outcome = outcome};
    assert_int_equal(ended(start(try_refused, &rank)), 0);
    assert_string_equal(outcome->why, "");
    munmap(outcome, sizeof(*outcome));
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[VKS_COUNT(cases) + 4] = {
        cmocka_unit_test(test_slabs), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_joining), cmocka_unit_test(test_lost)};
    char names[VKS_COUNT(cases)][128];
    size_t count = 4;
    share_read(argc, argv);
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        if (share_due()) {
            snprintf(names[i], sizeof(names[i]), "%s %s %s %ux%u", cases[i].model,
                     cases[i].options[0], cases[i].options[1], cases[i].width, cases[i].height);
            tests[count++] = (struct CMUnitTest){names[i], test_ranks, NULL, NULL,
                                                 (void *)(uintptr_t)(const void *)&cases[i]};
        }
    }
    return _cmocka_run_group_tests("ranks", tests, count, NULL, NULL);
}
