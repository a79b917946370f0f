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

#include "api/rank.h"
#include "base/memory.h"
#include "graph/internal.h"
#include "ranks/local.h"
#include "ranks/slab.h"
#include "share.h"
#include "sim/registry.h"

enum { MAX_OPTIONS = 16, MAX_RANKS = 4, STEPS = 50, ROWS = 1 << 17 };

/* A run, and how it is cut. */
struct run_case {
    const char *model;
    const char *options[MAX_OPTIONS]; /* names and values */
    uint32_t width, height;
    const char *fields[3];
    bool moves; /* ranks exchange before each step */
};

/* Few rows are read in a step. */
#define AGENTS "agents", "4000", "sensor-distance", "1.9", "step-size", "0.9"

#define GAS_STILL "gravity", "0"

static const struct run_case cases[] = {
    {"gray-scott", {"variant", "plain"}, 24, 64, {"u", "v"}},
    {"gray-scott", {"variant", "plain", "init", "noise"}, 23, 61, {"u", "v"}},
    {"gray-scott", {"variant", "plain", "boundary", "no-flux"}, 32, 77, {"u", "v"}},
    {"gray-scott", {"stencil", "nine-point", "start-noise", "0.1"}, 20, 65, {"u", "v"}},
    {"gray-scott", {"precision", "float16", "boundary", "no-flux"}, 30, 67, {"u", "v"}},
    {"gray-scott", {"variant", "tile-2-4x4", "init", "ring"}, 40, 70, {"u", "v"}},
    {"gray-scott", {"variant", "quad-3-5x8", "boundary", "no-flux"}, 40, 71, {"u", "v"}},
    {"gray-scott", {"variant", "march-4-64x4", "init", "noise"}, 48, 69, {"u", "v"}},
    {"gray-scott", {"preset", "parameter-map", "boundary", "periodic"}, 32, 66, {"u", "v"}},
    {"physarum", {AGENTS, "variant", "unsorted", "jitter", "10"}, 24, 336, {"trail", "heading"}},
    {"physarum", {AGENTS, "variant", "sorted-3-bytes"}, 24, 331, {"trail", "heading"}},
    {"physarum",
     {AGENTS, "variant", "sorted-4-words", "sampling", "bilinear", "diffuse-size", "5"},
     23,
     340,
     {"trail", "position"}},
    {"physarum",
     {AGENTS, "variant", "software-4", "food", "points:0.5,0.5", "food-eaten", "0.01", "init",
      "random"},
     24,
     330,
     {"food", "heading"}},
    {"physarum",
     {AGENTS, "variant", "sorted-5-bytes", "turn-angle-gain", "40", "blend-to", "net", "blend-spot",
      "0.5,0.4,20"},
     12,
     620,
     {"trail", "heading"}},
    {"physarum",
     {AGENTS, "species", "3", "variant", "sorted-3-bytes", "attraction", "chase", "infection",
      "any", "infection-time", "3"},
     20,
     331,
     {"trail", "species"}},
    {"physarum",
     {AGENTS, "species", "2", "variant", "software-4", "food", "points:0.5,0.5", "food-eaten",
      "0.01"},
     24,
     330,
     {"trail", "food_trail"}},
    /* Halos of 8 steps and the own rows are as many as the grid has: walls are whole in any case.
     */
    {"physarum", {AGENTS, "walls", "maze:2", "variant", "sorted-3-words"}, 24, 128, {"trail"}},
    {"physarum",
     {AGENTS, "walls", "maze:3", "at-wall", "turn", "species", "2", "variant", "software-4"},
     24,
     330,
     {"trail", "position"}},
    {"physarum",
     {AGENTS, "init", "random", "boundary", "zero", "variant", "software-4"},
     32,
     331,
     {"trail"}},
    {"physarum",
     {AGENTS, "init", "random", "boundary", "zero", "variant", "sorted-3-bytes", "diffuse-size",
      "7"},
     24,
     581,
     {"trail"}},
    {"physarum",
     {AGENTS, "init", "random", "boundary", "zero", "variant", "sorted-5-bytes", "species", "2",
      "walls", "maze:3"},
     23,
     333,
     {"trail", "position"}},
    {"gas", {GAS_STILL, "method", "grid", "init", "blast"}, 12, 301, {"density", "internal"}},
    {"gas", {"gravity", "2", "method", "grid", "variant", "faces"}, 8, 512, {"density", "energy"}},
    {"gas", {GAS_STILL, "size", "9x10x24", "init", "cloud"}, 9, 10, {"vx", "heat"}, true},
    {"gas", {"gravity", "2", "size", "16x8x32", "particles", "3001"}, 16, 8, {"z", "vy"}, true},
    {"gas",
     {GAS_STILL, "boltzmann", "2", "frequency", "1:9", "exchange-time", "0.1"},
     24,
     41,
     {"y", "oscillator"},
     true},
};

/* --- one rank --------------------------------------------------------------------------------- */

/* What a rank leaves, in memory that it shares with the test. */
struct outcome {
    char why[512]; /* it failed */
    uint64_t trades;
    char fields[2][ROWS]; /* of all ranks, in rank 0 */
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

static void count_close(void *user, struct vks_mail *mail)
{
    struct counting *counting = user;
    counting->inner.close(counting->inner.user, mail);
}

static enum vks_result count_trade(void *user, const struct vks_mail *mail, uint32_t turn,
                                   bool *stop)
{
    struct counting *counting = user;
    counting->trades++;
    return counting->inner.trade(counting->inner.user, mail, turn, stop);
}

static enum vks_result count_hand(void *user, uint32_t from, void *data, size_t bytes)
{
    struct counting *counting = user;
    return counting->inner.hand(counting->inner.user, from, data, bytes);
}

static enum vks_result count_combine(void *user, enum vks_combining how, uint64_t *values,
                                     size_t count)
{
    struct counting *counting = user;
    return counting->inner.combine(counting->inner.user, how, values, count);
}

static enum vks_result count_open_shared(void *user, struct vks_shared_memory *shared)
{
    struct counting *counting = user;
    return counting->inner.open_shared(counting->inner.user, shared);
}

static void count_close_shared(void *user, struct vks_shared_memory *shared)
{
    struct counting *counting = user;
    counting->inner.close_shared(counting->inner.user, shared);
}

static enum vks_result count_share(void *user, const struct vks_shared_memory *shared,
                                   uint32_t turn)
{
    struct counting *counting = user;
    return counting->inner.share(counting->inner.user, shared, turn);
}

static void leave(struct vks_transport *transport, const char *why)
{
    if (transport->leave) {
        transport->leave(transport->user, why);
    }
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

/* Spoils the halos of a field. */
struct spoiling {
    struct vks_graph *graph;
    const struct vks_slab *slab;
    const char *name;
};

static void record_spoiling(void *user, VkCommandBuffer commands)
{
    const struct spoiling *spoiling = user;
    const struct vks_graph *graph = spoiling->graph;
    const struct vks_slab *slab = spoiling->slab;
    const struct vks_field *field =
        &graph->declaration.fields[vks_find_field(&graph->declaration, spoiling->name)];
    const uint64_t length = vks_slab_length(slab, 0);
    const uint64_t planes = field->rank > 2 && field->shape[0] != length ? field->shape[0] : 1;
    const uint64_t row = vks_field_bytes(field) / planes / length;
    const uint64_t first[] = {0, slab->before + slab->rows};
    const uint64_t rows[] = {slab->before, slab->after};
    for (size_t i = 0; i < 2 * planes; i++) {
        const uint64_t at = row * (i / 2 * length + first[i % 2]);
        const struct vks_piece piece = vks_graph_piece(graph, spoiling->name, at);
        if (rows[i % 2] > 0) { /* one piece: fields are small */
            graph->gpu->vk.vkCmdFillBuffer(commands, piece.buffer, piece.offset, rows[i % 2] * row,
                                           0x7e7e7e7e);
        }
    }
}

/* The whole field, in rank 0. */
static enum vks_result keep(struct vks_graph *graph, const char *name, char rows[ROWS])
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    const struct vks_field whole =
        vks_whole_field(declaration, &declaration->fields[vks_find_field(declaration, name)]);
    return vks_field_bytes(&whole) > ROWS
               ? vks_fail(VKS_ERROR_INTERNAL, "'%s' has too many rows for the test", name)
               : vks_graph_download_to(graph, name, rows);
}

static enum vks_result take_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return VKS_OK;
}

/* Reads the state with one submission per field, and few that find the order of the items. */
static enum vks_result read_all(struct vks_graph *graph)
{
    const uint64_t before = graph->last;
    uint64_t bytes = 0, fields = 0;
    const struct vks_state_sink sink = {&bytes, NULL, take_bytes};
    const enum vks_result result = vks_graph_read_state(graph, &sink);
    for (size_t i = 0; i < graph->declaration.field_count; i++) {
        fields += graph->declaration.fields[i].persistent;
    }
    return result == VKS_OK && graph->last - before > fields + 4
               ? vks_fail(VKS_ERROR_INTERNAL, "%llu fields are read in %llu submissions",
                          (unsigned long long)fields, (unsigned long long)(graph->last - before))
               : result;
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
    struct vks_transport transport = {.open = count_open,
                                      .close = count_close,
                                      .trade = count_trade,
                                      .hand = count_hand,
                                      .combine = count_combine,
                                      .open_shared = count_open_shared,
                                      .close_shared = count_close_shared,
                                      .share = count_share,
                                      .user = &counting};
    struct vks_gpu device = {0};
    struct vks_settings settings = {0};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    if (rank->slab.count > 1) {
        TRY(vks_local_join(rank->ranks, rank->slab.index, rank->slab.count, 60, &counting.inner));
    }
    TRY(vks_gpu_open(&device, &params));
    device.copies_by_shader = rank->imports; /* on software drivers, too */
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
    TRY(vks_graph_fill(graph, false, NULL));
    TRY(vks_graph_ready(graph));
    for (size_t i = 0; rank->run->fields[i] && rank->slab.count > 1; i++) {
        struct spoiling spoiling = {graph, &rank->slab, rank->run->fields[i]};
        const struct vks_declaration *own = vks_graph_declaration(graph);
        if (!own->fields[vks_find_field(own, spoiling.name)].items) {
            TRY(vks_transfer(graph, record_spoiling, &spoiling));
        }
    }
    TRY(vks_graph_run(graph, STEPS / 3));
    TRY(vks_graph_run(graph, STEPS - STEPS / 3));
    for (size_t i = 0; rank->run->fields[i]; i++) {
        TRY(keep(graph, rank->run->fields[i], outcome->fields[i]));
    }
    if (rank->run->moves) { /* those that move have moved by now */
        TRY(read_all(graph));
    }
finish:
    outcome->trades = counting.trades;
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    vks_settings_free(&settings);
    vks_gpu_close(&device);
    leave(&counting.inner, outcome->why[0] ? outcome->why : NULL);
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
        static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
        for (size_t i = 0; i < VKS_COUNT(crashes); i++) { /* cmocka would go on with its tests */
            (void)signal(crashes[i], SIG_DFL);
        }
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

static void cut_grid(const struct run_case *run, const struct cut *cut, uint32_t index,
                     struct vks_slab *slab)
{
    struct vks_settings settings = {0};
    ASSERT_FINE(vks_settings_init(&settings, vks_model_find(run->model)));
    ASSERT_FINE(set_all(run, &settings));
    *slab = (struct vks_slab){0};
    if (cut->ranks > 1) {
        ASSERT_FINE(
            vks_rank_slab(&settings, index, cut->ranks, run->moves ? 1 : cut->halo, false, slab));
    }
    vks_settings_free(&settings);
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
        cut_grid(run, cut, i, &rank.slab);
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
    /* Of all cuts: runs take turns. Those with many shaders take longer. */
    for (size_t c = 0; c < (strcmp(run->model, "gas") == 0 ? 1 : 2); c++) {
        const struct cut *cut = &cuts[(number + 2 * c) % VKS_COUNT(cuts)];
        const uint64_t pieces = run->moves ? STEPS : (STEPS / 3 + cut->halo - 1) / cut->halo;
        run_ranks(run, cut, outcomes);
        for (uint32_t i = 0; i < cut->ranks; i++) {
            assert_true(outcomes[i].trades >= pieces);
        }
        for (size_t f = 0; run->fields[f]; f++) {
            if (memcmp(outcomes[0].fields[f], one->fields[f], ROWS) != 0) {
                fail_msg("%u ranks, halos of %u: '%s' differs", cut->ranks, cut->halo,
                         run->fields[f]);
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
        bool stop = false;
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
        TRY(transport.trade(transport.user, &mail, i % VKS_TURNS, &stop));
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
    if (transport.close) {
        transport.close(transport.user, &mail);
    }
    leave(&transport, outcome->why[0] ? outcome->why : NULL);
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
    leave(&transport, NULL);
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

/* Finished settings of 32 x 32 cells. */
static enum vks_result settle(const char *model, const char *size, struct vks_settings *settings)
{
    enum vks_result result = vks_settings_init(settings, vks_model_find(model));
    if (result == VKS_OK) {
        result = vks_settings_set(settings, "size", size);
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

static void expect(struct outcome *outcome, enum vks_result expected, enum vks_result result,
                   const char *words)
{
    if (!outcome->why[0] && (result != expected || !strstr(vks_error_text(), words))) {
        snprintf(outcome->why, sizeof(outcome->why), "%d instead of '%s': %s", (int)result, words,
                 vks_error_text());
    }
}

static void expect_refusal(struct outcome *outcome, enum vks_result result, const char *words)
{
    expect(outcome, VKS_ERROR_USAGE, result, words);
}

/* The context of a program, which is one of several ranks or alone. */
static enum vks_result open_context(const struct rank *rank, double timeout, vks_context **context)
{
    const struct vks_slab *slab = &rank->slab;
    char text[64];
    snprintf(text, sizeof(text), "local:%s:%u/%u", rank->ranks, slab->index, slab->count);
    return vks_context_create(
        &VKS_CONTEXT_PARAMS(.ranks = slab->count > 1 ? text : NULL, .gpu_timeout = timeout),
        context);
}

/* A program of the library, which is one of two: rank 0 gets the picture and the state. */
static void use_library(const struct rank *rank)
{
    enum { WIDTH = 40, HEIGHT = 64, PATIENCE = 3 };
    struct outcome *outcome = rank->outcome;
    const uint32_t index = rank->slab.index, count = rank->slab.count;
    char hex[33];
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    TRY(open_context(rank, PATIENCE, &context));
    TRY(vks_simulation_create(context,
                              &VKS_SIMULATION_PARAMS(.model = "gray-scott", .width = WIDTH,
                                                     .height = HEIGHT, .init = "spots"),
                              &simulation));
    TRY(vks_simulation_run(simulation, STEPS));
    TRY(vks_simulation_render(simulation, index == 0 ? (uint8_t *)outcome->fields[0] : NULL,
                              3 * WIDTH * HEIGHT));
    TRY(vks_simulation_read(simulation, "v", index == 0 ? outcome->fields[1] : NULL,
                            4 * WIDTH * HEIGHT));
    TRY(vks_simulation_draw(simulation));
    TRY(vks_simulation_digest(simulation, hex));
    if ((hex[0] == '\0') != (index > 0)) {
        snprintf(outcome->why, sizeof(outcome->why), "rank %u has the digest '%s'", index, hex);
    }
    if (count > 1) {
        expect_refusal(outcome, vks_simulation_set(simulation, "boundary", "no-flux"),
                       "needs a new simulation");
        TRY(vks_simulation_run(simulation, 1));
        /* Rank 0 may write files before this one, for as long as it takes. All go on after it. */
        (void)sleep(index == 0 ? PATIENCE + 1 : 0);
        const enum vks_result saved = vks_simulation_save(simulation, "no/folder.npz", true);
        expect(outcome, VKS_ERROR_FILE, saved, index == 0 ? "no/folder.npz" : "another rank");
        TRY(vks_simulation_run(simulation, 1));
    }
finish:
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
}

/* A model whose own pass computes scalars of the rows that there are. */
static void declare_own_scalars(const struct vks_config *config,
                                struct vks_declaration *declaration)
{
    const uint32_t cells[] = {0, config->width * vks_slab_length(&config->slab, config->height)};
    vks_declare_mean(declaration, "u", 1, "mean");
    VKS_FIELD(declaration, .name = "own", .element = VKS_F32, .rank = 1, .shape = {2},
              .watched = VKS_SCALARS({"low"}, {"high"}));
    VKS_PASS(declaration, .name = "own", .shader = "core/reduce", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"u", VKS_READ, "items"}, {"own", VKS_WRITE, "partials"}),
             .specializations = VKS_SPECIALIZATIONS({"pairs", 0}, {"half_cells", 0}),
             .constants = cells, .constants_size = sizeof(cells), .items = {256},
             .group = {256, 1});
}

/* Scalars, which ranks combine, so that rank 0 needs no state but for those of the last model. Few
 * steps: drivers need some time for the shaders. */
static void watch_scalars(const struct rank *rank)
{
    static const struct {
        const char *model, *options[5];
        uint32_t width, height;
        bool collects;
    } runs[] = {
        {"gray-scott", {"precision=float16"}, 38, 61, false},
        {"physarum", {"agents=4000", "sensor-distance=1.9", "step-size=0.9"}, 24, 339, false},
        {"gas", {"gravity=2", "particles=3000"}, 8, 64, false},
        {"own-scalars", {NULL}, 40, 64, true},
    };
    struct outcome *outcome = rank->outcome;
    struct vks_model own = *vks_model_find("gray-scott");
    const uint32_t index = rank->slab.index, count = rank->slab.count;
    double *values = (double *)(void *)outcome->fields[0];
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    own.name = "own-scalars";
    own.declare_frame = declare_own_scalars;
    TRY(vks_model_register(&own));
    TRY(open_context(rank, 0, &context));
    for (size_t i = 0; i < VKS_COUNT(runs); i++) {
        struct vks_watched watched = {.size = sizeof(watched)};
        TRY(vks_simulation_create(context,
                                  &VKS_SIMULATION_PARAMS(.model = runs[i].model,
                                                         .width = runs[i].width,
                                                         .height = runs[i].height,
                                                         .options = runs[i].options, .watch = true),
                                  &simulation));
        TRY(vks_simulation_run(simulation, STEPS / 5));
        TRY(vks_simulation_draw(simulation));
        TRY(vks_simulation_wait(simulation));
        if (count > 1 && (simulation->collected != NULL) != runs[i].collects) {
            snprintf(outcome->why, sizeof(outcome->why), "%s: rank 0 takes %s", runs[i].model,
                     runs[i].collects ? "no state" : "the state");
            goto finish;
        }
        for (size_t k = 0; index == 0 && vks_simulation_watched(simulation, k, &watched); k++) {
            *values++ = watched.value;
        }
        vks_simulation_destroy(simulation);
        simulation = NULL;
    }
    if (index == 0 && values - (double *)(void *)outcome->fields[0] != 16) {
        snprintf(outcome->why, sizeof(outcome->why), "there are %d scalars",
                 (int)(values - (double *)(void *)outcome->fields[0]));
    }
finish:
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
}

/* A program with agents, which crowd so that ranks need more room: at positions that it writes.
 * Without the headings no step follows. */
static void crowd_agents(const struct rank *rank)
{
    enum { AGENTS_THERE = 30000, WIDTH = 24, HEIGHT = 168 };
    struct outcome *outcome = rank->outcome;
    const uint32_t index = rank->slab.index, count = rank->slab.count;
    const char *const options[] = {"agents=30000", "sensor-distance=2.5", "step-size=0.9", NULL};
    uint32_t *places = calloc(AGENTS_THERE, 2 * sizeof(*places));
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    vks_snapshot *before = NULL;
    TRY(open_context(rank, 0, &context));
    TRY(vks_simulation_create(context,
                              &VKS_SIMULATION_PARAMS(.model = "physarum", .width = WIDTH,
                                                     .height = HEIGHT, .init = "random",
                                                     .options = options),
                              &simulation));
    TRY(vks_simulation_run(simulation, STEPS));
    TRY(vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &before));
    for (size_t i = 0; places && i < AGENTS_THERE; i++) {
        places[2 * i] = (uint32_t)i;
        places[2 * i + 1] = (uint32_t)i * 143165U;
    }
    TRY(vks_simulation_write(simulation, "position", places, AGENTS_THERE * sizeof(uint64_t)));
    if (count > 1) {
        expect_refusal(outcome, vks_simulation_run(simulation, 1), "'heading' is not written");
    }
    TRY(vks_simulation_write(simulation, "heading", places, AGENTS_THERE * sizeof(uint32_t)));
    TRY(vks_simulation_run(simulation, STEPS));
    TRY(vks_simulation_read(simulation, "trail", index == 0 ? outcome->fields[0] : NULL,
                            4 * WIDTH * HEIGHT));
    TRY(vks_simulation_restore(simulation, before));
    TRY(vks_simulation_run(simulation, STEPS));
    TRY(vks_simulation_read(simulation, "trail", index == 0 ? outcome->fields[1] : NULL,
                            4 * WIDTH * HEIGHT));
finish:
    free(places);
    vks_snapshot_release(before);
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
}

/* A program that builds walls in a run, at and near the borders of ranks, from which agents have to
 * leave for places of any rank. */
static void build_walls(const struct rank *rank)
{
    enum { AGENTS_THERE = 3000, WIDTH = 40, HEIGHT = 168, WORDS = 2 };
    struct outcome *outcome = rank->outcome;
    const uint32_t index = rank->slab.index;
    const char *const options[] = {"agents=3000", "sensor-distance=2.5", "step-size=0.9",
                                   "walls=frame", NULL};
    uint32_t walls[HEIGHT * WORDS] = {0};
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    for (size_t row = 30; row < 75; row++) {
        walls[row * WORDS] = row % 9 < 4 ? 0x00ffff00 : 0;
        walls[row * WORDS + 1] = row % 7 < 2 ? UINT32_MAX : 0;
    }
    TRY(open_context(rank, 0, &context));
    TRY(vks_simulation_create(context,
                              &VKS_SIMULATION_PARAMS(.model = "physarum", .width = WIDTH,
                                                     .height = HEIGHT, .init = "random",
                                                     .options = options),
                              &simulation));
    TRY(vks_simulation_run(simulation, STEPS));
    TRY(vks_simulation_write(simulation, "walls", walls, sizeof(walls)));
    TRY(vks_simulation_read(simulation, "position", index == 0 ? outcome->fields[0] : NULL,
                            AGENTS_THERE * sizeof(uint64_t)));
    TRY(vks_simulation_run(simulation, STEPS));
    TRY(vks_simulation_read(simulation, "trail", index == 0 ? outcome->fields[1] : NULL,
                            4 * WIDTH * HEIGHT));
finish:
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
}

/* The rows of a rank are those of a simulation on one rank. */
static void read_parts(const struct rank *rank)
{
    static const struct {
        const char *model, *field;
        uint32_t planes;
    } parts[] = {{"gray-scott", "v", 1}, {"physarum", "trail", 3}};
    enum { WIDTH = 36, HEIGHT = 168 };
    struct outcome *outcome = rank->outcome;
    const uint32_t index = rank->slab.index, count = rank->slab.count;
    const char *const options[] = {"agents=3000", "sensor-distance=2.5", "species=3", NULL};
    static float all[3][HEIGHT][WIDTH], part[3 * HEIGHT][WIDTH];
    vks_context *contexts[2] = {NULL};
    vks_simulation *simulations[2] = {NULL};
    uint32_t first = 0, rows = 0, beyond = 0;
    TRY(open_context(rank, 0, &contexts[0]));
    TRY(vks_context_create(&VKS_CONTEXT_PARAMS(), &contexts[1]));
    for (size_t i = 0; i < VKS_COUNT(parts); i++) {
        const size_t planes = parts[i].planes, all_rows = planes * HEIGHT;
        for (size_t k = 0; k < 2; k++) {
            TRY(vks_simulation_create(contexts[k],
                                      &VKS_SIMULATION_PARAMS(.model = parts[i].model,
                                                             .width = WIDTH, .height = HEIGHT,
                                                             .options = i == 1 ? options : NULL),
                                      &simulations[k]));
            TRY(vks_simulation_run(simulations[k], STEPS));
        }
        vks_simulation_part(simulations[1], &first, &rows);
        beyond += first + rows != HEIGHT;
        vks_simulation_part(simulations[0], &first, &rows);
        TRY(vks_simulation_read(simulations[1], parts[i].field, all, sizeof(all[0][0]) * all_rows));
        TRY(vks_simulation_read_part(simulations[0], parts[i].field, part,
                                     sizeof(part[0]) * planes * rows));
        for (size_t plane = 0; plane < planes; plane++) {
            beyond += memcmp(part[plane * rows], all[plane][first], sizeof(part[0]) * rows) != 0;
        }
        beyond += first != index * HEIGHT / count;
        expect_refusal(outcome, vks_simulation_read_part(simulations[0], parts[i].field, part, 4),
                       "bytes, not 4");
        for (size_t k = 0; k < 2; k++) {
            vks_simulation_destroy(simulations[k]);
            simulations[k] = NULL;
        }
    }
    if (beyond > 0) {
        snprintf(outcome->why, sizeof(outcome->why), "%u parts differ", beyond);
    }
finish:
    for (size_t k = 0; k < 2; k++) {
        vks_simulation_destroy(simulations[k]);
        vks_context_destroy(contexts[k]);
    }
}

/* The second rank has another option. */
static void differ(const struct rank *rank)
{
    struct outcome *outcome = rank->outcome;
    const uint32_t index = rank->slab.index, count = rank->slab.count;
    const char *const options[] = {index == 1 ? "feed=0.05" : "feed=0.04", NULL};
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    TRY(open_context(rank, 0, &context));
    const enum vks_result result =
        vks_simulation_create(context,
                              &VKS_SIMULATION_PARAMS(.model = "gray-scott", .width = 32,
                                                     .height = 48, .options = options),
                              &simulation);
    if (count > 1) {
        expect_refusal(outcome, result, "rank 1 computes another run than rank 0");
    } else {
        TRY(result);
    }
finish:
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
}

static const struct program {
    const char *name;
    void (*run)(const struct rank *rank);
    uint32_t ranks;
} programs[] = {
    {"library", use_library, 2}, {"crowd", crowd_agents, 3}, {"scalars", watch_scalars, 2},
    {"walls", build_walls, 3},   {"parts", read_parts, 3},   {"different", differ, 3},
};

/* A program gets the same on one rank and on several. */
static void test_program(void **state)
{
    const struct program *program = *state;
    const uint32_t ranks = program->ranks;
    struct outcome *outcomes = share_memory((MAX_RANKS + 1) * sizeof(*outcomes));
    const char *name = new_name();
    for (uint32_t count = 1; count <= ranks; count += ranks - 1) {
        pid_t processes[MAX_RANKS];
        for (uint32_t i = 0; i < count; i++) {
            const struct rank rank = {.ranks = name,
                                      .slab = {.index = i, .count = count},
                                      .outcome = &outcomes[count == 1 ? ranks : i]};
            processes[i] = start(program->run, &rank);
        }
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(ended(processes[i]), 0);
        }
    }
    for (size_t i = 0; i <= ranks; i++) {
        assert_string_equal(outcomes[i].why, "");
    }
    assert_memory_equal(outcomes[0].fields, outcomes[ranks].fields, sizeof(outcomes[0].fields));
    munmap(outcomes, (MAX_RANKS + 1) * sizeof(*outcomes));
}

/* A model without an exchange, too many ranks, and halos that are narrower than the reach of a
 * step. */
static void try_refused(const struct rank *rank)
{
    struct outcome *outcome = rank->outcome;
    const struct vks_gpu_params params = {0};
    struct vks_transport transport = {0};
    struct vks_settings uncut = {0}, settings = {0};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    struct vks_slab slab;
    TRY(settle("physarum-3d", "16x16x16", &uncut));
    TRY(settle("gray-scott", "32x32", &settings));
    expect_refusal(outcome, vks_rank_slab(&uncut, 0, 2, 0, false, &slab),
                   "physarum-3d does not run on several");
    expect_refusal(outcome, vks_rank_slab(&settings, 0, 9, 0, false, &slab),
                   "9 ranks need at least 4");
    expect_refusal(outcome, vks_rank_slab(&settings, 0, 2, 17, false, &slab), "17 needs 17 rows");
    TRY(vks_gpu_open(&gpu, &params));
    settings.slab = (struct vks_slab){.count = 2, .whole = 32, .rows = 16};
    vks_declare_steps(&settings, &declaration);
    TRY(vks_graph_create(&gpu, &declaration, &graph));
    expect_refusal(outcome, vks_graph_join(graph, &transport), "a step reads 1 rows");
finish:
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    vks_settings_free(&uncut);
    vks_settings_free(&settings);
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
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_slabs), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_joining), cmocka_unit_test(test_lost)};
    struct CMUnitTest tests[VKS_COUNT(others) + VKS_COUNT(programs) + VKS_COUNT(cases)];
    char names[VKS_COUNT(cases)][128];
    size_t count = 0;
    share_read(argc, argv);
    for (size_t i = 0; i < VKS_COUNT(others); i++) {
        if (share_due()) {
            tests[count++] = others[i];
        }
    }
    for (size_t i = 0; i < VKS_COUNT(programs); i++) {
        if (share_due()) {
            tests[count++] = (struct CMUnitTest){programs[i].name, test_program, NULL, NULL,
                                                 (void *)(uintptr_t)(const void *)&programs[i]};
        }
    }
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
