/* SPDX-License-Identifier: MIT */
/* graph/schedule.h: the lists of passes and barriers that declarations become, as text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <vksim/model.h>

#include "graph/schedule.h"
#include "api/simulation.h"
#include "sim/registry.h"

/* A heap declaration and what it holds. */
static void free_declaration(struct vks_declaration *declaration)
{
    vks_declaration_free(declaration);
    free(declaration);
}

/* The parities of a mask's bits, a byte per field. */
static const unsigned char *parity_of(uint32_t bits)
{
    static unsigned char parity[32];
    for (int i = 0; i < 32; i++) {
        parity[i] = (bits >> i) & 1;
    }
    return parity;
}

static uint32_t bits_of(const struct vks_declaration *declaration, const unsigned char *parity)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        bits |= (uint32_t)parity[i] << i;
    }
    return bits;
}

/* The text of a schedule; also checks that the parities come out as expected. */
static void assert_schedule(const struct vks_declaration *declaration, enum vks_when when,
                            uint32_t parity, uint64_t first, uint32_t steps, uint32_t parity_after,
                            const char *expected)
{
    struct vks_schedule schedule;
    assert_int_equal(declaration->result, VKS_OK);
    assert_int_equal(vks_schedule(declaration, when, parity_of(parity), first, steps, &schedule),
                     VKS_OK);
    char *text = vks_schedule_text(declaration, &schedule);
    assert_non_null(text);
    assert_string_equal(text, expected);
    assert_int_equal(bits_of(declaration, schedule.parity), parity_after);
    free(text);
    vks_schedule_free(&schedule);
}

static size_t count_barriers(const struct vks_declaration *declaration, enum vks_when when,
                             uint32_t steps)
{
    struct vks_schedule schedule;
    size_t barriers = 0;
    assert_int_equal(vks_schedule(declaration, when, NULL, 0, steps, &schedule), VKS_OK);
    for (size_t i = 0; i < schedule.count; i++) {
        barriers += schedule.items[i].barrier.needed;
    }
    vks_schedule_free(&schedule);
    return barriers;
}

/* --- Physarum --------------------------------------------------------------------------------- */

/* A heap declaration of Physarum with one option set: its steps or, if it is not NULL, the picture
 * of `steps` with the planes. */
static struct vks_declaration *physarum(const char *name, const char *value,
                                        const struct vks_declaration *steps, unsigned planes)
{
    struct vks_settings settings = {0};
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    assert_non_null(declaration);
    assert_int_equal(vks_settings_init(&settings, vks_model_find("physarum")), VKS_OK);
    assert_int_equal(vks_settings_preset(&settings, "plain"), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, name, value), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    if (steps) {
        vks_declare_picture(&settings, planes, NULL, steps, declaration);
    } else {
        vks_declare_steps(&settings, declaration);
    }
    assert_int_equal(declaration->result, VKS_OK);
    vks_settings_free(&settings);
    return declaration;
}

static uint32_t parity_bit(const struct vks_declaration *declaration, const char *field)
{
    int index = vks_find_field(declaration, field);
    assert_true(index >= 0);
    return UINT32_C(1) << index;
}

/* The fields with two buffers that a step exchanges. */
static uint32_t stepped_fields(const struct vks_declaration *declaration)
{
    return parity_bit(declaration, "trail") | parity_bit(declaration, "deposits") |
           parity_bit(declaration, "spill");
}

/* With one species they stand in for its parameters, too. */
#define MARKS "reads spill_marks.0, reads spill_marks.0, "

static void test_physarum_small_blur(void **state)
{
    (void)state;
    struct vks_declaration *declaration = physarum("diffuse-size", "3", NULL, 0);
    const uint32_t flips = stepped_fields(declaration);
    static const char even_step[] =
        "barrier\n"
        "step 0: agents reads trail.0, updates position.0, updates heading.0, adds to deposits.0\n"
        "barrier\n"
        "step 0: field reads trail.0, reads deposits.0, reads spill.0, " MARKS
        "writes trail.1, writes deposits.1, writes spill.1\n";
    static const char odd_step[] =
        "barrier\n"
        "step 0: agents reads trail.1, updates position.0, updates heading.0, adds to deposits.1\n"
        "barrier\n"
        "step 0: field reads trail.1, reads deposits.1, reads spill.1, " MARKS
        "writes trail.0, writes deposits.0, writes spill.0\n";
    static const char three_steps[] =
        "barrier\n"
        "step 0: agents reads trail.0, updates position.0, updates heading.0, adds to deposits.0\n"
        "barrier\n"
        "step 0: field reads trail.0, reads deposits.0, reads spill.0, " MARKS
        "writes trail.1, writes deposits.1, writes spill.1\n"
        "barrier\n"
        "step 1: agents reads trail.1, updates position.0, updates heading.0, adds to deposits.1\n"
        "barrier\n"
        "step 1: field reads trail.1, reads deposits.1, reads spill.1, " MARKS
        "writes trail.0, writes deposits.0, writes spill.0\n"
        "barrier\n"
        "step 2: agents reads trail.0, updates position.0, updates heading.0, adds to deposits.0\n"
        "barrier\n"
        "step 2: field reads trail.0, reads deposits.0, reads spill.0, " MARKS
        "writes trail.1, writes deposits.1, writes spill.1\n";
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 1, flips, even_step);
    assert_schedule(declaration, VKS_EACH_STEP, flips, 1, 1, 0, odd_step);
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 3, flips, three_steps);
    assert_schedule(declaration, VKS_EACH_STEP, 0, 1000001, 3, flips, three_steps);
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 0, 0, "");
    assert_schedule(
        declaration, VKS_AT_START, 0, 0, 1, 0,
        "barrier\nstep 0: start writes position.0, writes heading.0, writes heading.0\n");
    assert_int_equal(vks_schedule_period(declaration), 1);
    assert_int_equal(count_barriers(declaration, VKS_EACH_STEP, 500), 1000); /* two a step */
    free_declaration(declaration);
}

/* Sorting adds three barriers to a step at which it runs, or two if another step of the batch comes
 * before (the pass `tile` then runs beside that step's field pass), and none to other steps. */
static void test_physarum_sorted(void **state)
{
    (void)state;
    struct vks_declaration *declaration = physarum("variant", "sorted-8-words", NULL, 0);
    assert_int_equal(vks_schedule_period(declaration), 8);
    assert_int_equal(count_barriers(declaration, VKS_EACH_STEP, 1), 5);
    assert_int_equal(count_barriers(declaration, VKS_EACH_STEP, 8), 19);
    assert_int_equal(count_barriers(declaration, VKS_EACH_STEP, 16), 37);
    free_declaration(declaration);
    declaration = physarum("variant", "auto", NULL, 0);
    assert_int_equal(vks_schedule_period(declaration), 1);
    assert_int_equal(vks_find_field(declaration, "agents_number"), -1);
    free_declaration(declaration);
}

static void test_physarum_wide_blur(void **state)
{
    (void)state;
    struct vks_declaration *declaration = physarum("diffuse-size", "7", NULL, 0);
    const uint32_t flips = stepped_fields(declaration);
    assert_schedule(
        declaration, VKS_EACH_STEP, 0, 0, 2, 0,
        "barrier\n"
        "step 0: agents reads trail.0, updates position.0, updates heading.0, adds to deposits.0\n"
        "barrier\n"
        "step 0: rows reads trail.0, reads deposits.0, reads spill.0, " MARKS "writes row_sums.0\n"
        "barrier\n"
        "step 0: columns reads trail.0, reads deposits.0, reads spill.0, " MARKS
        "reads row_sums.0, writes trail.1, writes deposits.1, writes spill.1\n"
        "barrier\n"
        "step 1: agents reads trail.1, updates position.0, updates heading.0, adds to deposits.1\n"
        "barrier\n"
        "step 1: rows reads trail.1, reads deposits.1, reads spill.1, " MARKS "writes row_sums.0\n"
        "barrier\n"
        "step 1: columns reads trail.1, reads deposits.1, reads spill.1, " MARKS
        "reads row_sums.0, writes trail.0, writes deposits.0, writes spill.0\n");
    assert_schedule(
        declaration, VKS_EACH_STEP, flips, 0, 1, 0,
        "barrier\n"
        "step 0: agents reads trail.1, updates position.0, updates heading.0, adds to deposits.1\n"
        "barrier\n"
        "step 0: rows reads trail.1, reads deposits.1, reads spill.1, " MARKS "writes row_sums.0\n"
        "barrier\n"
        "step 0: columns reads trail.1, reads deposits.1, reads spill.1, " MARKS
        "reads row_sums.0, writes trail.0, writes deposits.0, writes spill.0\n");
    assert_int_equal(count_barriers(declaration, VKS_EACH_STEP, 100), 300);
    free_declaration(declaration);
}

static void test_physarum_frame(void **state)
{
    (void)state;
    struct vks_declaration *steps = physarum("size", "1024x1024", NULL, 0);
    struct vks_declaration *declaration =
        physarum("size", "1024x1024", steps, vks_plane_bit(VKS_PLANE_YUV));
    const uint32_t flips = stepped_fields(declaration);
    assert_schedule(steps, VKS_EACH_FRAME, 0, 0, 1, 0, "");
    assert_schedule(declaration, VKS_EACH_FRAME, flips, 0, 1, flips,
                    "barrier\n"
                    "step 0: range reads trail.1, writes range.1.0\n"
                    "barrier\n"
                    "step 0: range.2 reads range.1.0, writes view_range.0\n"
                    "barrier\n"
                    "step 0: level reads view_range.0, updates view_level.0, reads trail.1\n"
                    "barrier\n"
                    "step 0: colour reads trail.1, reads view_level.0, reads palette.0, "
                    "writes picture.0\n"
                    "barrier\n"
                    "step 0: yuv reads picture.0, writes planes.0\n");
    free_declaration(declaration);
    free_declaration(steps);

    steps = physarum("size", "64x64", NULL, 0);
    declaration = physarum("size", "64x64", steps, 0); /* one group reduces it, no YUV */
    assert_schedule(declaration, VKS_EACH_FRAME, 0, 0, 1, 0,
                    "barrier\n"
                    "step 0: range reads trail.0, writes view_range.0\n"
                    "barrier\n"
                    "step 0: level reads view_range.0, updates view_level.0, reads trail.0\n"
                    "barrier\n"
                    "step 0: colour reads trail.0, reads view_level.0, reads palette.0, "
                    "writes picture.0\n");
    free_declaration(declaration);
    free_declaration(steps);
}

/* --- declarations of our own ------------------------------------------------------------------ */

/* Fields that all are floats; `names` is NULL-terminated. */
static struct vks_declaration *with_fields(const char *const *names, bool ping_pong)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    assert_non_null(declaration);
    for (size_t i = 0; names[i]; i++) {
        vks_declare_field(declaration, &(struct vks_field){.name = names[i],
                                                           .element = VKS_F32,
                                                           .rank = 1,
                                                           .shape = {16},
                                                           .ping_pong = ping_pong});
    }
    return declaration;
}

static void add(struct vks_declaration *declaration, const char *name, uint32_t every,
                const struct vks_use *uses)
{
    VKS_PASS(declaration, .name = name, .shader = "none", .every = every, .items = {16},
             .uses = uses);
    assert_int_equal(declaration->result, VKS_OK);
}

#define ADD(declaration, name, every, ...) add(declaration, name, every, VKS_USES(__VA_ARGS__))

/* Two arms of two passes each, declared one after the other: brought together, an arm's length of
 * barriers. */
static void test_diamond_shares_barriers(void **state)
{
    (void)state;
    struct vks_declaration *declaration =
        with_fields((const char *const[]){"a", "b", "c", "d", "e", NULL}, false);
    ADD(declaration, "source", 0, {"a", VKS_WRITE, NULL});
    ADD(declaration, "left 1", 0, {"a", VKS_READ, NULL}, {"b", VKS_WRITE, NULL});
    ADD(declaration, "left 2", 0, {"b", VKS_READ_WRITE, NULL});
    ADD(declaration, "right 1", 0, {"a", VKS_READ, NULL}, {"c", VKS_WRITE, NULL});
    ADD(declaration, "right 2", 0, {"c", VKS_READ_WRITE, NULL});
    ADD(declaration, "join", 0, {"b", VKS_READ, NULL}, {"c", VKS_READ, NULL},
        {"d", VKS_WRITE, NULL});
    ADD(declaration, "apart", 0, {"e", VKS_ATOMIC, NULL});
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 1, 0,
                    "barrier\n"
                    "step 0: source writes a.0\n"
                    "step 0: apart adds to e.0\n"
                    "barrier\n"
                    "step 0: left 1 reads a.0, writes b.0\n"
                    "step 0: right 1 reads a.0, writes c.0\n"
                    "barrier\n"
                    "step 0: left 2 updates b.0\n"
                    "step 0: right 2 updates c.0\n"
                    "barrier\n"
                    "step 0: join reads b.0, reads c.0, writes d.0\n");
    assert_schedule(declaration, VKS_AT_START, 0, 0, 1, 0, ""); /* none of that kind */
    assert_schedule(declaration, VKS_EACH_FRAME, 0, 0, 1, 0, "");
    /* Later steps: what the barriers inside a step have ordered needs none at its beginning. */
    struct vks_schedule schedule;
    assert_int_equal(vks_schedule(declaration, VKS_EACH_STEP, NULL, 0, 3, &schedule), VKS_OK);
    size_t barriers = 0;
    for (size_t i = 0; i < schedule.count; i++) {
        barriers += schedule.items[i].barrier.needed;
    }
    assert_int_equal(schedule.count, 21);
    assert_true(barriers <= 4 * 3);
    assert_true(barriers >= 1 + 3 * 3);
    vks_schedule_free(&schedule);
    free_declaration(declaration);
}

static void test_every(void **state)
{
    (void)state;
    struct vks_declaration *declaration =
        with_fields((const char *const[]){"a", "b", "c", NULL}, true);
    ADD(declaration, "one", 1, {"a", VKS_READ, NULL}, {"a", VKS_WRITE_NEXT, NULL});
    ADD(declaration, "two", 2, {"b", VKS_READ, NULL}, {"b", VKS_WRITE_NEXT, NULL});
    ADD(declaration, "three", 3, {"c", VKS_READ, NULL}, {"c", VKS_WRITE_NEXT, NULL});
    assert_int_equal(vks_schedule_period(declaration), 6);
    static const char seven[] = "barrier\n"
                                "step 0: one reads a.0, writes a.1\n"
                                "step 0: two reads b.0, writes b.1\n"
                                "step 0: three reads c.0, writes c.1\n"
                                "barrier\n"
                                "step 1: one reads a.1, writes a.0\n"
                                "barrier\n"
                                "step 2: one reads a.0, writes a.1\n"
                                "step 2: two reads b.1, writes b.0\n"
                                "barrier\n"
                                "step 3: one reads a.1, writes a.0\n"
                                "step 3: three reads c.1, writes c.0\n"
                                "barrier\n"
                                "step 4: one reads a.0, writes a.1\n"
                                "step 4: two reads b.0, writes b.1\n"
                                "barrier\n"
                                "step 5: one reads a.1, writes a.0\n"
                                "barrier\n"
                                "step 6: one reads a.0, writes a.1\n"
                                "step 6: two reads b.1, writes b.0\n"
                                "step 6: three reads c.0, writes c.1\n";
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 7, 5, seven);
    assert_schedule(declaration, VKS_EACH_STEP, 0, UINT64_C(6) << 40, 7, 5, seven);
    assert_schedule(declaration, VKS_EACH_STEP, 0, 5, 2, 6,
                    "barrier\n"
                    "step 0: one reads a.0, writes a.1\n"
                    "barrier\n"
                    "step 1: one reads a.1, writes a.0\n"
                    "step 1: two reads b.0, writes b.1\n"
                    "step 1: three reads c.0, writes c.1\n");
    free_declaration(declaration);
}

/* A long run in pieces of any size is the same list as in one. */
static void test_pieces(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", "b", NULL}, true);
    ADD(declaration, "mix", 0, {"a", VKS_READ, NULL}, {"b", VKS_READ, NULL},
        {"a", VKS_WRITE_NEXT, NULL});
    ADD(declaration, "back", 3, {"a", VKS_READ, NULL}, {"b", VKS_READ, NULL},
        {"b", VKS_WRITE_NEXT, NULL});
    struct vks_schedule whole, piece;
    assert_int_equal(vks_schedule(declaration, VKS_EACH_STEP, NULL, 0, 50, &whole), VKS_OK);
    static const uint32_t sizes[] = {1, 2, 7, 1, 13, 26};
    unsigned char parity[2] = {0};
    uint64_t first = 0;
    size_t at = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_int_equal(vks_schedule(declaration, VKS_EACH_STEP, parity, first, sizes[i], &piece),
                         VKS_OK);
        for (size_t j = 0; j < piece.count; j++, at++) {
            assert_true(at < whole.count);
            assert_int_equal(piece.items[j].pass, whole.items[at].pass);
            assert_int_equal(piece.items[j].step + first, whole.items[at].step);
            assert_int_equal(piece.items[j].use_count, whole.items[at].use_count);
            for (size_t k = 0; k < piece.items[j].use_count; k++) {
                assert_int_equal(piece.items[j].uses[k].resource, whole.items[at].uses[k].resource);
            }
        }
        memcpy(parity, piece.parity, sizeof(parity));
        first += sizes[i];
        vks_schedule_free(&piece);
    }
    assert_int_equal(at, whole.count);
    assert_memory_equal(parity, whole.parity, sizeof(parity));
    vks_schedule_free(&whole);
    free_declaration(declaration);
}

/* --- many fields and passes ------------------------------------------------------------------- */

enum { MANY_FIELDS = 300, MANY_PASSES = 500 };

/* Passes over fields chosen at random, some with two buffers. */
static void declare_many(struct vks_declaration *declaration, size_t fields, size_t passes,
                         uint32_t seed)
{
    for (size_t i = 0; i < fields; i++) {
        VKS_FIELD(declaration, .name = vks_declaration_name(declaration, "f%zu", i),
                  .element = VKS_F32, .rank = 1, .shape = {1}, .ping_pong = i % 3 == 0);
    }
    for (size_t i = 0; i < passes; i++) {
        struct vks_use uses[12] = {{0}};
        const size_t count = 1 + (seed = seed * 1664525 + 1013904223) / 65536 % 11;
        for (size_t j = 0; j < count; j++) {
            static const unsigned accesses[] = {VKS_READ,       VKS_READ,   VKS_WRITE,
                                                VKS_READ_WRITE, VKS_ATOMIC, VKS_WRITE_NEXT};
            seed = seed * 1664525 + 1013904223;
            const size_t field = seed / 65536 % fields;
            const unsigned access = accesses[seed / 1024 % (field % 3 == 0 ? 6 : 5)];
            uses[j] = (struct vks_use){declaration->fields[field].name, access, NULL};
        }
        VKS_PASS(declaration, .name = vks_declaration_name(declaration, "p%zu", i), .shader = "s",
                 .items = {1}, .uses = uses);
    }
    assert_int_equal(declaration->result, VKS_OK);
}

static bool is_writing(unsigned access)
{
    return (access & (VKS_WRITE | VKS_ATOMIC)) != 0;
}

static bool depends(const struct vks_scheduled *later, const struct vks_scheduled *earlier)
{
    for (size_t i = 0; i < later->use_count; i++) {
        for (size_t j = 0; j < earlier->use_count; j++) {
            if (later->uses[i].resource == earlier->uses[j].resource &&
                (is_writing(later->uses[i].access) || is_writing(earlier->uses[j].access))) {
                return true;
            }
        }
    }
    return false;
}

/* Within a step the passes are ordered by the longest chain of dependences that leads to them, as
 * computed here from every pair of passes; passes of equal depth keep their order. */
static void check_order(const struct vks_declaration *declaration, uint32_t steps)
{
    struct vks_schedule schedule;
    assert_int_equal(vks_schedule(declaration, VKS_EACH_STEP, NULL, 0, steps, &schedule), VKS_OK);
    const size_t passes = declaration->pass_count;
    uint32_t *level = calloc(passes, sizeof(*level));
    const struct vks_scheduled **by_pass = calloc(passes, sizeof(*by_pass));
    assert_true(level && by_pass);
    assert_int_equal(schedule.count, passes * steps);
    for (uint32_t step = 0; step < steps; step++) {
        const struct vks_scheduled *items = schedule.items + step * passes;
        for (size_t i = 0; i < passes; i++) {
            assert_int_equal(items[i].step, step);
            by_pass[items[i].pass] = &items[i];
        }
        for (size_t i = 0; i < passes; i++) {
            level[i] = 0;
            for (size_t j = 0; j < i; j++) {
                if (level[j] >= level[i] && depends(by_pass[i], by_pass[j])) {
                    level[i] = level[j] + 1;
                }
            }
        }
        for (size_t i = 1; i < passes; i++) {
            const uint32_t before = items[i - 1].pass, now = items[i].pass;
            assert_true(level[before] < level[now] ||
                        (level[before] == level[now] && before < now));
        }
    }
    free(by_pass);
    free(level);
    vks_schedule_free(&schedule);
}

static void test_order(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        struct vks_declaration declaration = {0};
        declare_many(&declaration, 2 + seed % 13, 3 + seed % 17, seed);
        check_order(&declaration, 4);
        vks_declaration_free(&declaration);
    }
    struct vks_declaration declaration = {0};
    declare_many(&declaration, MANY_FIELDS, MANY_PASSES, 1);
    check_order(&declaration, 2);
    vks_declaration_free(&declaration);
}

/* --- wrong declarations ----------------------------------------------------------------------- */

static void assert_fails(const struct vks_declaration *declaration, const char *words)
{
    assert_int_equal(declaration->result, VKS_ERROR_INTERNAL);
    if (!strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

/* One ping-pong field and a pass for each number of steps. */
static struct vks_declaration *with_fused_steps(const uint32_t *steps)
{
    static char names[17][16];
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, true);
    for (size_t i = 0; steps[i]; i++) {
        snprintf(names[steps[i]], sizeof(names[0]), "x%u", steps[i]);
        vks_declare_pass(declaration,
                         &(struct vks_pass){
                             .name = names[steps[i]],
                             .shader = "s",
                             .items = {1},
                             .steps_per_dispatch = steps[i],
                             .uses = VKS_USES({"a", VKS_READ, NULL}, {"a", VKS_WRITE_NEXT, NULL})});
    }
    return declaration;
}

/* The dispatches of a batch of `steps`, as "8 5 5"; every step is done once, in order. */
static void assert_fused_steps(const uint32_t *variants, uint32_t steps, const char *expected)
{
    struct vks_declaration *declaration = with_fused_steps(variants);
    struct vks_schedule schedule;
    char text[256] = "";
    uint32_t done = 0;
    assert_int_equal(vks_schedule(declaration, VKS_EACH_STEP, NULL, 0, steps, &schedule), VKS_OK);
    assert_int_equal(schedule.rounds, schedule.count);
    for (size_t i = 0; i < schedule.count; i++) {
        const uint32_t taken = declaration->passes[schedule.items[i].pass].steps_per_dispatch;
        assert_int_equal(schedule.items[i].step, done);
        assert_int_equal(schedule.items[i].round, i);
        done += taken;
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", i ? " " : "", taken);
    }
    assert_int_equal(done, steps);
    assert_int_equal(schedule.parity[0], schedule.count % 2);
    assert_string_equal(text, expected);
    vks_schedule_free(&schedule);
    free_declaration(declaration);
}

static void test_fused_steps(void **state)
{
    (void)state;
    const uint32_t all[] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
    const uint32_t powers[] = {8, 1, 4, 2, 0};
    const uint32_t few[] = {6, 1, 0};
    assert_fused_steps(all, 1, "1");
    assert_fused_steps(all, 5, "5");
    assert_fused_steps(all, 8, "8");
    assert_fused_steps(all, 9, "5 4");
    assert_fused_steps(all, 17, "6 6 5");
    assert_fused_steps(all, 64, "8 8 8 8 8 8 8 8");
    assert_fused_steps(powers, 9, "8 1");
    assert_fused_steps(powers, 13, "8 4 1");
    assert_fused_steps(powers, 5, "4 1");
    assert_fused_steps(few, 5, "1 1 1 1 1");
    assert_fused_steps(few, 15, "6 6 1 1 1");
    assert_fused_steps((const uint32_t[]){1, 0}, 3, "1 1 1");

    /* Variants of several passes. */
    struct vks_declaration *declaration = with_fused_steps((const uint32_t[]){1, 0});
    vks_declare_pass(declaration,
                     &(struct vks_pass){.name = "first of 3",
                                        .shader = "s",
                                        .items = {1},
                                        .steps_per_dispatch = 3,
                                        .uses = VKS_USES({"a", VKS_READ_WRITE, NULL})});
    vks_declare_pass(
        declaration,
        &(struct vks_pass){.name = "last of 3",
                           .shader = "s",
                           .items = {1},
                           .steps_per_dispatch = 3,
                           .uses = VKS_USES({"a", VKS_READ, NULL}, {"a", VKS_WRITE_NEXT, NULL})});
    assert_schedule(declaration, VKS_EACH_STEP, 0, 7, 4, 0,
                    "barrier\nstep 0: first of 3 updates a.0\n"
                    "barrier\nstep 0: last of 3 reads a.0, writes a.1\n"
                    "barrier\nstep 3: x1 reads a.1, writes a.0\n");
    free_declaration(declaration);

    declaration = with_fused_steps((const uint32_t[]){1, 2, 0});
    vks_declare_pass(declaration,
                     &(struct vks_pass){.name = "seldom", .shader = "s", .items = {1}, .every = 3});
    assert_fails(declaration, "exclude each other");
    free_declaration(declaration);
}

/* A pass in place of the last of a step and the first of the next. */
static struct vks_declaration *with_joint(uint32_t every)
{
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", "b", NULL}, true);
    if (every) {
        VKS_PASS(declaration, .name = "seldom", .shader = "s", .items = {1}, .every = every,
                 .uses = VKS_USES({"a", VKS_READ_WRITE, NULL}));
    }
    VKS_PASS(declaration, .name = "first", .shader = "s", .items = {1},
             .uses = VKS_USES({"a", VKS_READ, NULL}, {"b", VKS_ATOMIC_NEXT, NULL}));
    VKS_PASS(declaration, .name = "last", .shader = "s", .items = {1},
             .uses = VKS_USES({"b", VKS_READ, NULL}, {"a", VKS_WRITE_NEXT, NULL}));
    VKS_PASS(declaration, .name = "both", .shader = "s", .items = {1}, .joins = {"last", "first"},
             .uses = VKS_USES({"a", VKS_READ, NULL}, {"b", VKS_READ, NULL},
                              {"a", VKS_WRITE_NEXT, NULL}, {"b", VKS_ATOMIC_NEXT, NULL}));
    return declaration;
}

static void test_joined_passes(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_joint(0);
    assert_schedule(declaration, VKS_EACH_STEP, 0, 5, 1, 3,
                    "barrier\nstep 0: first reads a.0, adds to b.1\n"
                    "barrier\nstep 0: last reads b.1, writes a.1\n");
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 3, 3,
                    "barrier\nstep 0: first reads a.0, adds to b.1\n"
                    "barrier\nstep 1: both reads a.0, reads b.1, writes a.1, adds to b.0\n"
                    "barrier\nstep 2: both reads a.1, reads b.0, writes a.0, adds to b.1\n"
                    "barrier\nstep 2: last reads b.1, writes a.1\n");
    assert_int_equal(count_barriers(declaration, VKS_EACH_STEP, 100), 101);
    free_declaration(declaration);

    /* Another pass between the two. */
    declaration = with_joint(2);
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 3, 3,
                    "barrier\nstep 0: seldom updates a.0\n"
                    "barrier\nstep 0: first reads a.0, adds to b.1\n"
                    "barrier\nstep 1: both reads a.0, reads b.1, writes a.1, adds to b.0\n"
                    "barrier\nstep 1: last reads b.0, writes a.0\n"
                    "barrier\nstep 2: seldom updates a.0\n"
                    "barrier\nstep 2: first reads a.0, adds to b.1\n"
                    "barrier\nstep 2: last reads b.1, writes a.1\n");
    free_declaration(declaration);
}

static void test_wrong_joints(void **state)
{
    (void)state;
    static const struct vks_pass wrong[] = {
        {.name = "p", .shader = "s", .items = {1}, .joins = {"last", "missing"}},
        {.name = "p", .shader = "s", .items = {1}, .joins = {"last", "last"}},
        {.name = "p", .shader = "s", .items = {1}, .joins = {"last"}},
        {.name = "p", .shader = "s", .items = {1}, .joins = {"last", "both"}},
        {.name = "p", .shader = "s", .items = {1}, .joins = {"last", "picture"}},
        {.name = "p", .shader = "s", .items = {1}, .joins = {"last", "first"}, .every = 2},
        {.name = "p",
         .shader = "s",
         .items = {1},
         .joins = {"last", "first"},
         .steps_per_dispatch = 2},
        {.name = "p",
         .shader = "s",
         .items = {1},
         .joins = {"last", "first"},
         .when = VKS_EACH_FRAME},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct vks_declaration *declaration = with_joint(0);
        VKS_PASS(declaration, .name = "picture", .shader = "s", .items = {1},
                 .when = VKS_EACH_FRAME);
        vks_declare_pass(declaration, &wrong[i]);
        assert_fails(declaration, "pass 'p' cannot join 'last' and '");
        free_declaration(declaration);
    }
}

static void test_wrong_fields(void **state)
{
    (void)state;
    static const struct vks_scalar one[] = {{"x"}, {0}}, two[] = {{"x"}, {"y"}, {0}},
                                   empty[] = {{""}, {0}}, comma[] = {{"x"}, {"y,z"}, {0}};
    static const struct {
        struct vks_field field;
        const char *words;
    } wrong[] = {
        {{.name = "a", .element = VKS_F32, .rank = 1, .shape = {16}}, "'a' is declared twice"},
        {{.name = "b", .element = VKS_F32, .rank = 0, .shape = {16}}, "'b' has a rank other than"},
        {{.name = "b", .element = VKS_F32, .rank = 4, .shape = {16, 16, 16}}, "other than 1 to 3"},
        {{.name = "b", .element = VKS_F32, .rank = 3, .shape = {16, 16}}, "an extent of 0"},
        {{.name = "b", .element = VKS_F32, .rank = 1, .shape = {0}}, "an extent of 0"},
        {{.name = "b", .element = VKS_F32, .rank = 2, .shape = {16, 0}}, "an extent of 0"},
        {{.name = "b", .element = VKS_F16, .rank = 3, .shape = {2, 4, 5}}, "odd number of halves"},
        {{.element = VKS_F32, .rank = 1, .shape = {1}}, "without a name"},
        {{.name = "b", .rank = 1, .shape = {1}}, "'b' has no .element"},
        {{.name = "b", .element = (enum vks_element)99, .rank = 1, .shape = {1}}, "no .element"},
        {{.name = "b", .element = VKS_F32, .rank = 1, .shape = {2}, .watched = one},
         "'b' is watched, but is not a list of words with a name for each"},
        {{.name = "b", .element = VKS_F16, .rank = 1, .shape = {2}, .watched = two},
         "is watched, but is not a list of words"},
        {{.name = "b", .element = VKS_F32, .rank = 2, .shape = {1, 1}, .watched = one},
         "is watched, but is not a list of words"},
        {{.name = "b", .element = VKS_F32, .rank = 1, .shape = {1}, .watched = empty},
         "'b' is watched under a name that is empty or has a comma or quotes"},
        {{.name = "b", .element = VKS_F32, .rank = 1, .shape = {2}, .watched = comma},
         "has a comma"},
        {{.name = "b_next", .element = VKS_F32, .rank = 1, .shape = {1}}, "ends in '_next'"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, false);
        vks_declare_field(declaration, &wrong[i].field);
        assert_fails(declaration, wrong[i].words);
        free_declaration(declaration);
    }
}

/* Fields and passes without shape or items have the grid's. */
static void test_grid(void **state)
{
    (void)state;
    static const uint64_t grids[][3] = {{1, 5, 7}, {4, 5, 7}, {2, 1, 1}};
    for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
        const uint64_t *grid = grids[i];
        struct vks_declaration declaration = {0};
        vks_declaration_grid(&declaration, grid[0], grid[1], grid[2]);
        VKS_FIELD(&declaration, .name = "cells", .element = VKS_F32);
        VKS_FIELD(&declaration, .name = "list", .element = VKS_F32, .rank = 1, .shape = {3});
        VKS_PASS(&declaration, .name = "all", .shader = "s");
        VKS_PASS(&declaration, .name = "some", .shader = "s", .items = {3});
        assert_int_equal(declaration.result, VKS_OK);
        const struct vks_field *field = &declaration.fields[0];
        assert_int_equal(field->rank, grid[0] > 1 ? 3 : 2);
        assert_memory_equal(field->shape, grid + (grid[0] > 1 ? 0 : 1), 8 * field->rank);
        assert_int_equal(vks_field_count(field), grid[0] * grid[1] * grid[2]);
        assert_int_equal(vks_field_count(&declaration.fields[1]), 3);
        assert_int_equal(declaration.passes[0].items[0], grid[2]);
        assert_int_equal(declaration.passes[0].items[1], grid[0] * grid[1]);
        assert_int_equal(declaration.passes[0].group[1], 8);
        assert_int_equal(declaration.passes[1].items[1], 1);
        vks_declaration_free(&declaration);
    }
    const struct vks_field huge = {.rank = 3, .shape = {1u << 31, 1u << 31, 4}};
    assert_true(vks_field_count(&huge) == UINT64_MAX);
}

/* The same model twice: its names have a prefix, and its own lookups do without. */
static void declare_scoped(struct vks_declaration *declaration, const char *scope)
{
    vks_declaration_scope(declaration, scope);
    vks_declare_items(declaration, "bees", 4);
    VKS_FIELD(declaration, .name = "a", .element = VKS_F32, .rank = 1, .shape = {4},
              .items = "bees", .ping_pong = true, .persistent = true,
              .distance = VKS_DISTANCE_MAIN);
    VKS_FIELD(declaration, .name = "key", .element = VKS_U32, .rank = 1, .shape = {4});
    VKS_PASS(declaration, .name = "p", .shader = "s", .items = {1},
             .uses = VKS_USES({"a", VKS_READ}, {"a", VKS_WRITE_NEXT}, {"key", VKS_WRITE, "k"}));
    VKS_PASS(declaration, .name = "p x2", .shader = "s", .items = {1}, .steps_per_dispatch = 2);
    vks_declare_sorting(declaration, &(const struct vks_sorting){
                                         .items = "bees", .key = "key", .bins = 4, .every = 2});
    assert_int_equal(declaration->result, VKS_OK);
    assert_string_equal(declaration->fields[vks_find_field(declaration, "a")].plain, "a");
    assert_true(vks_find_items(declaration, "bees")->sorted);
    assert_true(vks_has_pass(declaration, "p") && !vks_has_pass(declaration, "p x2"));
    vks_declaration_scope(declaration, NULL);
}

static void test_scopes(void **state)
{
    (void)state;
    struct vks_declaration declaration = {0}, *d = &declaration;
    declare_scoped(d, "one.");
    const size_t second = d->pass_count;
    declare_scoped(d, "a.");
    assert_int_equal(vks_find_field(d, "a"), -1);
    assert_null(vks_find_items(d, "bees"));
    const struct vks_field *one = &d->fields[vks_find_field(d, "one.a")];
    const struct vks_field *two = &d->fields[vks_find_field(d, "a.a")];
    assert_string_equal(two->items, "a.bees");
    assert_int_equal(one->distance, VKS_DISTANCE_MAIN);
    assert_int_equal(two->distance, VKS_DISTANCE_SUM);
    const struct vks_pass *pass = &d->passes[vks_find_pass(d, "a.p")];
    assert_string_equal(pass->uses[0].field, "a.a");
    assert_string_equal(pass->uses[0].as, "a");
    assert_string_equal(pass->uses[2].as, "k");
    assert_true(vks_find_field(d, "a.bees_number") >= 0);
    assert_true(vks_has_pass(d, "a.bees: restore a"));
    VKS_PASS(d, .name = "between", .shader = "s", .items = {1},
             .uses = VKS_USES({"one.a", VKS_READ}, {"a.key", VKS_WRITE}));
    vks_declaration_move_pass(d, second);
    assert_int_equal(vks_find_pass(d, "between"), second);
    assert_int_equal(vks_find_pass(d, "a.p"), second + 1);
    assert_int_equal(d->result, VKS_OK);
    vks_declaration_free(d);
}

/* What is declared is copied: names, lists and constants may go. */
static void test_copies(void **state)
{
    (void)state;
    struct vks_declaration declaration = {0};
    for (uint32_t i = 0; i < 100; i++) {
        char name[32], as[32], help[8192];
        uint32_t constants[2] = {i, ~i};
        memset(help, 'a' + (int)(i % 26), sizeof(help) - 1);
        help[sizeof(help) - 1] = '\0';
        snprintf(name, sizeof(name), "thing %u", i);
        snprintf(as, sizeof(as), "as %u", i);
        const struct vks_use uses[] = {{name, VKS_WRITE, as}, {0}};
        const struct vks_specialization values[] = {{as, i}, {0}};
        VKS_FIELD(&declaration, .name = name, .help = help, .element = VKS_F32, .rank = 1,
                  .shape = {1});
        VKS_PASS(&declaration, .name = name, .shader = as, .uses = uses, .specializations = values,
                 VKS_PUSH(constants), .items = {1});
        memset(name, 0, sizeof(name));
        memset(as, 0, sizeof(as));
        memset(constants, 0, sizeof(constants));
        memset(help, 0, sizeof(help));
    }
    assert_int_equal(declaration.result, VKS_OK);
    for (uint32_t i = 0; i < 100; i++) {
        const struct vks_pass *pass = &declaration.passes[i];
        const char *name = vks_declaration_name(&declaration, "thing %u", i);
        const char *as = vks_declaration_name(&declaration, "%s %u", "as", i);
        const uint32_t constants[2] = {i, ~i};
        assert_int_equal(vks_find_field(&declaration, name), i);
        assert_int_equal(strlen(declaration.fields[i].help), 8191);
        assert_string_equal(pass->name, name);
        assert_string_equal(pass->shader, as);
        assert_string_equal(pass->uses[0].field, name);
        assert_string_equal(pass->uses[0].as, as);
        assert_int_equal(pass->uses[0].index, i);
        assert_int_equal(pass->use_count, 1);
        assert_string_equal(pass->specializations[0].name, as);
        assert_int_equal(pass->specializations[0].value, i);
        assert_null(pass->specializations[1].name);
        assert_memory_equal(pass->constants, constants, sizeof(constants));
    }
    vks_declaration_free(&declaration);
    assert_null(declaration.fields);
    vks_declaration_free(&declaration);
}

/* A bound declaration has the fields of another one, whose next buffers it cannot write. */
static void test_bound(void **state)
{
    (void)state;
    struct vks_declaration *base = with_fields((const char *const[]){"a", "b", NULL}, true);
    ADD(base, "step", 0, {"a", VKS_READ, NULL}, {"a", VKS_WRITE_NEXT, NULL});
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    assert_non_null(declaration);
    vks_declaration_bind(declaration, base);
    VKS_FIELD(declaration, .name = "d", .element = VKS_F32, .rank = 1, .shape = {16});
    VKS_PASS(declaration, .name = "draw", .shader = "s", .when = VKS_EACH_FRAME, .items = {1},
             .uses = VKS_USES({"d", VKS_WRITE}, {"a", VKS_READ}));
    VKS_PASS(declaration, .name = "more", .shader = "s", .when = VKS_EACH_FRAME, .items = {1},
             .uses = VKS_USES({"d", VKS_READ_WRITE}, {"b", VKS_WRITE}));
    assert_int_equal(declaration->result, VKS_OK);
    assert_int_equal(vks_declaration_bytes(base), 2 * 2 * 16 * 4);
    assert_int_equal(declaration->bound_bytes, vks_declaration_bytes(base));
    assert_int_equal(vks_declaration_bytes(declaration), 16 * 4); /* its own */
    const uint32_t flips = parity_bit(declaration, "a");
    assert_schedule(declaration, VKS_EACH_FRAME, flips, 0, 1, flips,
                    "barrier\nstep 0: draw writes d.0, reads a.1\n"
                    "barrier\nstep 0: more updates d.0, writes b.0\n");
    VKS_PASS(declaration, .name = "next", .shader = "s", .when = VKS_EACH_FRAME, .items = {1},
             .uses = VKS_USES({"a", VKS_WRITE_NEXT}));
    assert_int_equal(declaration->result, VKS_ERROR_INTERNAL);
    assert_non_null(strstr(vks_error_text(), "its buffers are another graph's"));
    free_declaration(declaration);
    free_declaration(base);
}

static void test_wrong_passes(void **state)
{
    (void)state;
    const struct {
        struct vks_pass pass;
        const char *words;
    } wrong[] = {
        {{.name = "p", .shader = "s", .items = {1}, .uses = VKS_USES({"missing", VKS_READ, NULL})},
         "field 'missing' is not declared"},
        {{.name = "p", .shader = "s", .items = {1}, .uses = VKS_USES({"a", VKS_WRITE_NEXT, NULL})},
         "is not ping_pong"},
        {{.name = "p", .shader = "s", .items = {1}, .uses = VKS_USES({"a", 0, NULL})},
         "used without an access"},
        {{.name = "p", .shader = "s", .items = {0}}, "pass 'p' has no items, and there is no grid"},
        {{.name = "p", .shader = "s", .items = {1}, .constants_size = VKS_MAX_CONSTANTS + 1},
         "pass 'p' has 121 bytes of constants; at most 120 fit"},
        {{.name = "p", .shader = "s", .items = {1}, .constants_size = 8},
         "pass 'p' has 8 bytes of constants but no .constants"},
        {{.name = "p", .items = {1}}, "pass 'p' names no shader"},
        {{.name = "q", .shader = "s", .items = {1}}, "pass 'q' is declared twice"},
        {{.name = "p",
          .shader = "s",
          .items = {1},
          .when = VKS_AT_CHANGE,
          .uses = VKS_USES({"state", VKS_WRITE, NULL})},
         "field 'state' is persistent; a pass that runs at changes cannot write it"},
        {{.shader = "s", .items = {1}}, "a pass is declared without a name"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, false);
        VKS_FIELD(declaration, .name = "state", .element = VKS_F32, .rank = 1, .shape = {1},
                  .persistent = true);
        VKS_PASS(declaration, .name = "q", .shader = "s", .items = {1});
        vks_declare_pass(declaration, &wrong[i].pass);
        assert_fails(declaration, wrong[i].words);
        /* The first failure sticks. */
        vks_declare_field(declaration, &(struct vks_field){.name = "later", .rank = 1});
        assert_fails(declaration, wrong[i].words);
        free_declaration(declaration);
    }
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, true);
    vks_declare_pass(declaration,
                     &(struct vks_pass){.name = "p",
                                        .shader = "s",
                                        .items = {1},
                                        .uses = VKS_USES({"a", VKS_READ | VKS_NEXT, NULL})});
    assert_fails(declaration,
                 "is used as the next one, but neither only written nor only added to");
    free_declaration(declaration);
}

/* What a pass leaves out has a default, also where only some of it is given. */
static void test_defaults(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, false);
    VKS_PASS(declaration, .name = "list", .shader = "s", .items = {1000});
    VKS_PASS(declaration, .name = "plane", .shader = "s", .items = {100, 100});
    VKS_PASS(declaration, .name = "rows", .shader = "s", .items = {100, 100}, .group = {64});
    VKS_PASS(declaration, .name = "own", .shader = "s", .items = {100, 100}, .group = {64, 2},
             .per_group = {32});
    static const uint32_t expected[][4] = {
        {256, 1, 256, 1}, {32, 8, 32, 8}, {64, 1, 64, 1}, {64, 2, 32, 2}};
    assert_int_equal(declaration->result, VKS_OK);
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        assert_memory_equal(pass->group, expected[i], sizeof(pass->group));
        assert_memory_equal(pass->per_group, expected[i] + 2, sizeof(pass->per_group));
    }
    free_declaration(declaration);
}

/* Periods that no step counter of 32 bits can have. */
static void test_long_period(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, false);
    VKS_PASS(declaration, .name = "prime", .shader = "s", .items = {1}, .every = 4294967291);
    assert_int_equal(vks_schedule_period(declaration), 4294967291);
    VKS_PASS(declaration, .name = "even", .shader = "s", .items = {1}, .every = 2);
    VKS_PASS(declaration, .name = "odd", .shader = "s", .items = {1}, .every = 4294967279);
    assert_int_equal(vks_schedule_period(declaration), 0);
    free_declaration(declaration);
}

static void test_wrong_reductions(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, false);
    vks_declare_field(declaration, &(struct vks_field){
                                       .name = "u", .element = VKS_U32, .rank = 1, .shape = {16}});
    vks_declare_range(declaration, "u", "r", VKS_EACH_STEP);
    assert_fails(declaration, "'u' is not a float field");
    free_declaration(declaration);
    declaration = with_fields((const char *const[]){"a", NULL}, false);
    vks_declare_sum(declaration, "missing", 0, "s", VKS_EACH_STEP);
    assert_fails(declaration, "'missing' is not a float field");
    free_declaration(declaration);
    declaration = with_fields((const char *const[]){"a", NULL}, false);
    VKS_FIELD(declaration, .name = "f", .element = VKS_F32, .rank = 1, .shape = {16});
    vks_declare_sum(declaration, "f", 128, "s", VKS_EACH_STEP);
    assert_fails(declaration,
                 "the sum of 'f' has units of 2^-128; the exponent can be -126 to 127");
    free_declaration(declaration);
    declaration = with_fields((const char *const[]){"a", NULL}, false);
    VKS_FIELD(declaration, .name = "f", .element = VKS_F32, .rank = 1, .shape = {16});
    vks_declare_mean(declaration, "f", 0, "m");
    assert_fails(declaration, "the mean of 'f' needs a bound above 0");
    free_declaration(declaration);
}

/* What a primitive has declared can be watched, too. */
static void test_watch(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", NULL}, false);
    VKS_FIELD(declaration, .name = "f", .element = VKS_F32, .rank = 2, .shape = {16, 16});
    vks_declare_mean(declaration, "f", 2, "m");
    vks_declare_range(declaration, "f", "r", VKS_EACH_FRAME);
    vks_declare_watch(declaration, "r", VKS_SCALARS({"low"}, {"high"}));
    assert_int_equal(declaration->result, VKS_OK);
    const struct vks_field *total = &declaration->fields[vks_find_field(declaration, "m.total")];
    const struct vks_field *range = &declaration->fields[vks_find_field(declaration, "r")];
    assert_string_equal(total->watched[0].name, "m");
    assert_true(total->watched[0].unit == 0x1p-52 / 256); /* the sum is at most 2^9 x 2^52 */
    assert_string_equal(range->watched[1].name, "high");
    assert_null(range->watched[2].name);
    vks_declare_watch(declaration, "r", VKS_SCALARS({"low"}));
    assert_fails(declaration, "field 'r' is watched, but is not a list of words with a name for");
    free_declaration(declaration);
    declaration = with_fields((const char *const[]){"a", NULL}, false);
    vks_declare_watch(declaration, "b", VKS_SCALARS({"low"}));
    assert_fails(declaration, "field 'b' is not declared");
    free_declaration(declaration);
}

static void test_same_patterns(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_fields((const char *const[]){"a", "b", NULL}, false);
    VKS_PASS(declaration, .name = "always", .shader = "x", .items = {1},
             .uses = VKS_USES({"a", VKS_WRITE}));
    VKS_PASS(declaration, .name = "start", .shader = "x", .items = {1}, .when = VKS_AT_START,
             .uses = VKS_USES({"a", VKS_WRITE}));
    VKS_PASS(declaration, .name = "third", .shader = "x", .items = {1}, .every = 3,
             .uses = VKS_USES({"a", VKS_WRITE}));
    VKS_PASS(declaration, .name = "eighth", .shader = "x", .items = {1}, .every = 8,
             .uses = VKS_USES({"b", VKS_WRITE}));
    for (uint32_t steps = 1; steps <= 30; steps++) {
        for (uint64_t a = 0; a < 24; a++) {
            for (uint64_t b = 0; b < 48; b++) {
                bool same = true;
                for (uint32_t step = 0; step < steps; step++) {
                    same = same && ((a + step) % 3 == 0) == ((b + step) % 3 == 0) &&
                           ((a + step) % 8 == 0) == ((b + step) % 8 == 0);
                }
                assert_int_equal(vks_schedule_is_same(declaration, steps, a, b), same);
            }
        }
    }
    free_declaration(declaration);
}

/* --- items ------------------------------------------------------------------------------------ */

/* Two fields of ten items, and a key. */
static struct vks_declaration *with_items(void)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    assert_non_null(declaration);
    vks_declare_items(declaration, "bees", 10);
    VKS_FIELD(declaration, .name = "place", .element = VKS_U32X2, .rank = 1, .shape = {10},
              .items = "bees");
    VKS_FIELD(declaration, .name = "heat", .element = VKS_F32, .rank = 1, .shape = {10},
              .items = "bees");
    VKS_FIELD(declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {10});
    assert_int_equal(declaration->result, VKS_OK);
    return declaration;
}

static void test_sorting(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_items();
    vks_declare_sorting(
        declaration, &(struct vks_sorting){.items = "bees", .key = "tile", .bins = 4, .every = 3});
    assert_int_equal(declaration->result, VKS_OK);
    assert_int_equal(vks_schedule_period(declaration), 3);
    const uint32_t items = parity_bit(declaration, "bees_number") |
                           parity_bit(declaration, "place") | parity_bit(declaration, "heat");
    const uint32_t all = items | parity_bit(declaration, "bees.starts.states");
    assert_schedule(declaration, VKS_AT_START, 0, 0, 1, 0,
                    "barrier\nstep 0: bees: number writes bees_number.0\n");
    /* The fields move independently of each other. */
#define HEAT_AGAIN "reads heat.0, writes heat.1, "
    static const char sort[] =
        "barrier\n"
        "step 0: bees: count reads tile.0, adds to bees.counts.0, writes bees.slots.0\n"
        "barrier\n"
        "step 0: scan bees.starts reads bees.counts.0, writes bees.starts.0, adds to "
        "bees.starts.states.0, writes bees.starts.states.1\n"
        "barrier\n"
        "step 0: bees: place place reads tile.0, reads bees.starts.0, reads bees.slots.0, reads "
        "place.0, writes place.1\n"
        "step 0: bees: place heat to bees_number reads tile.0, reads bees.starts.0, reads "
        "bees.slots.0, reads heat.0, writes heat.1, reads bees_number.0, writes "
        "bees_number.1, " HEAT_AGAIN HEAT_AGAIN HEAT_AGAIN HEAT_AGAIN HEAT_AGAIN HEAT_AGAIN
        "writes bees.counts.0\n";
#undef HEAT_AGAIN
    assert_schedule(declaration, VKS_EACH_STEP, 0, 3, 1, all, sort);
    assert_schedule(declaration, VKS_EACH_STEP, all, 1, 2, all, "");
    /* The numbers are read as they were before they are put in order themselves. */
    static const char restore[] =
        "barrier\n"
        "step 0: bees: restore place reads bees_number.0, reads place.0, writes place.1\n"
        "step 0: bees: restore heat reads bees_number.0, reads heat.0, writes heat.1\n"
        "step 0: bees: restore bees_number reads bees_number.0, reads bees_number.0, writes "
        "bees_number.1\n";
    assert_schedule(declaration, VKS_BEFORE_READ, 0, 0, 1, items, restore);
    free_declaration(declaration);
}

/* A model that counts itself needs no pass for that. */
static void test_counted(void **state)
{
    (void)state;
    for (int counted = 0; counted < 2; counted++) {
        struct vks_declaration *declaration = with_items();
        const struct vks_sorting sorting = {
            .items = "bees", .key = "tile", .bins = 4, .counted = counted};
        if (counted) { /* its passes may come before */
            vks_declare_ranks(declaration, &sorting);
            VKS_PASS(declaration, .name = "rank", .shader = "test/rank",
                     .uses = VKS_USES({"tile", VKS_READ}, {"bees.counts", VKS_ATOMIC},
                                      {"bees.slots", VKS_WRITE}),
                     .items = {10});
        }
        vks_declare_sorting(declaration, &sorting);
        assert_int_equal(declaration->result, VKS_OK);
        assert_int_equal(vks_has_pass(declaration, "bees: count"), !counted);
        assert_true(vks_find_field(declaration, "bees.counts") >= 0);
        assert_true(vks_find_field(declaration, "bees.slots") >= 0);
        free_declaration(declaration);
    }
}

/* Fields of words move up to eight at once, in dispatches of about as many. */
static void test_many_fields(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (size_t more = 1; more <= 8; more++) {
        struct vks_declaration *declaration = with_items();
        for (size_t i = 0; i < more; i++) {
            VKS_FIELD(declaration, .name = names[i], .element = VKS_U32, .rank = 1, .shape = {10},
                      .items = "bees");
        }
        vks_declare_sorting(
            declaration,
            &(struct vks_sorting){.items = "bees", .key = "tile", .bins = 4, .every = 1});
        assert_int_equal(declaration->result, VKS_OK);
        size_t moves = 0, fields = 0;
        for (size_t i = 0; i < declaration->pass_count; i++) {
            const struct vks_pass *pass = &declaration->passes[i];
            const bool clears = strcmp(pass->shader, "core/place8_clear") == 0;
            if (clears || strcmp(pass->shader, "core/place8") == 0) {
                assert_int_equal(pass->use_count, clears ? 20 : 19);
                assert_true(pass->specializations[0].value >= 2);
                fields += pass->specializations[0].value;
                moves++;
            }
        }
        assert_int_equal(moves, more < 7 ? 1 : 2); /* "heat" and the number are two more */
        assert_int_equal(fields, more + 2);
        free_declaration(declaration);
    }
}

static void test_wrong_items(void **state)
{
    (void)state;
    static const struct {
        struct vks_field field;
        const char *words;
    } fields[] = {
        {{.name = "x", .element = VKS_U32, .rank = 1, .shape = {10}, .items = "wasps"},
         "field 'x' is of items that vks_declare_items() has not declared"},
        {{.name = "x", .element = VKS_U32, .rank = 1, .shape = {11}, .items = "bees"},
         "field 'x' has another number of elements than its items"},
        {{.name = "x", .element = VKS_U32, .rank = 2, .shape = {10, 1}, .items = "bees"},
         "field 'x' has another number of elements than its items"},
        {{.name = "x", .element = VKS_F16, .rank = 1, .shape = {10}, .items = "bees"},
         "field 'x' is of items, which cannot have halves"},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        struct vks_declaration *declaration = with_items();
        vks_declare_field(declaration, &fields[i].field);
        assert_fails(declaration, fields[i].words);
        free_declaration(declaration);
    }
    static const struct {
        struct vks_sorting sorting;
        const char *words;
    } sortings[] = {
        {{"wasps", "tile", 4, 1}, "items 'wasps' are sorted but not declared"},
        {{"bees", "nothing", 4, 1}, "items 'bees' need a key of one uint32 each"},
        {{"bees", "heat", 4, 1}, "need a key of one uint32 each"},
        {{"bees", "bees_number", 4, 1}, "in a field that is not one of items"},
        {{"bees", "tile", 0, 1}, "need 1 to 2^31 bins"},
        {{NULL, "tile", 4, 1}, "a sorting names no items, or no key"},
        {{"bees", NULL, 4, 1}, "a sorting names no items, or no key"},
    };
    for (size_t i = 0; i < sizeof(sortings) / sizeof(sortings[0]); i++) {
        struct vks_declaration *declaration = with_items();
        vks_declare_sorting(declaration, &sortings[i].sorting);
        assert_fails(declaration, sortings[i].words);
        free_declaration(declaration);
    }
    const struct vks_sorting sorting = {"bees", "tile", 4, 1};
    struct vks_declaration *declaration = with_items();
    vks_declare_sorting(declaration, &sorting);
    vks_declare_sorting(declaration, &sorting);
    assert_fails(declaration, "items 'bees' are sorted twice");
    free_declaration(declaration);
    declaration = with_items();
    vks_declare_sorting(declaration, &sorting);
    VKS_FIELD(declaration, .name = "late", .element = VKS_U32, .rank = 1, .shape = {10},
              .items = "bees");
    assert_fails(declaration, "field 'late' is of items whose sorting is declared already");
    free_declaration(declaration);
    declaration = with_items();
    vks_declare_items(declaration, NULL, 10);
    assert_fails(declaration, "items are declared without a name");
    free_declaration(declaration);
    declaration = with_items();
    vks_declare_items(declaration, "bees", 10);
    assert_fails(declaration, "items 'bees' are declared twice");
    free_declaration(declaration);
    declaration = with_items();
    vks_declare_items(declaration, "too many", (UINT64_C(1) << 31) + 1);
    assert_fails(declaration, "items 'too many' are none, or more than 2^31");
    free_declaration(declaration);
}

static void test_wrong_scans(void **state)
{
    (void)state;
    struct vks_declaration *declaration = with_items();
    vks_declare_scan(declaration, "heat", "sums", VKS_EACH_STEP);
    assert_fails(declaration, "field 'heat' cannot be scanned: that takes up to 2^31 uint32");
    free_declaration(declaration);
    declaration = with_items();
    vks_declare_scan(declaration, "tile", "heat", VKS_EACH_STEP);
    assert_fails(declaration, "field 'heat' is declared twice");
    free_declaration(declaration);
}

/* --- FFT -------------------------------------------------------------------------------------- */

static const float squares[2048] = {0, 1, 4, 1};

/* A grid with two fields, and words. */
static struct vks_declaration *with_grid(uint64_t depth, uint64_t height, uint64_t width)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    assert_non_null(declaration);
    vks_declaration_grid(declaration, depth, height, width);
    VKS_FIELD(declaration, .name = "rho", .element = VKS_F32);
    VKS_FIELD(declaration, .name = "phi", .element = VKS_F32);
    VKS_FIELD(declaration, .name = "words", .element = VKS_U32, .rank = 1, .shape = {4});
    return declaration;
}

static const struct vks_fft gravity = {.name = "fft",
                                       .source = "rho",
                                       .target = "phi",
                                       .factor = -1,
                                       .symbol = {squares, squares, squares}};

static void assert_fft(uint64_t depth, uint64_t height, uint64_t width, const char *expected)
{
    struct vks_declaration *declaration = with_grid(depth, height, width);
    struct vks_fft fft = gravity;
    fft.mean_field = depth > 1 ? "words" : NULL;
    vks_declare_fft(declaration, &fft);
    assert_schedule(declaration, VKS_EACH_STEP, 0, 0, 1, 0, expected);
    free_declaration(declaration);
}

/* The last axis that is longer than 1 goes forward and back in one pass. */
static void test_fft(void **state)
{
    (void)state;
    assert_fft(4, 8, 16,
               "barrier\n"
               "step 0: fft: forward x reads fft.turns.0, reads rho.0, reads words.0, writes "
               "fft.waves.0\n"
               "barrier\n"
               "step 0: fft: forward y reads fft.turns.0, updates fft.waves.0\n"
               "barrier\n"
               "step 0: fft: solve z reads fft.turns.0, updates fft.waves.0, reads fft.symbol.0\n"
               "barrier\n"
               "step 0: fft: inverse y reads fft.turns.0, updates fft.waves.0\n"
               "barrier\n"
               "step 0: fft: inverse x reads fft.turns.0, reads fft.waves.0, writes phi.0\n");
    assert_fft(1, 8, 16,
               "barrier\n"
               "step 0: fft: forward x reads fft.turns.0, reads rho.0, reads fft.turns.0, writes "
               "fft.waves.0\n"
               "barrier\n"
               "step 0: fft: solve y reads fft.turns.0, updates fft.waves.0, reads fft.symbol.0\n"
               "barrier\n"
               "step 0: fft: inverse x reads fft.turns.0, reads fft.waves.0, writes phi.0\n");
    assert_fft(8, 4, 1,
               "barrier\n"
               "step 0: fft: forward y reads fft.turns.0, reads rho.0, reads words.0, writes "
               "fft.waves.0\n"
               "barrier\n"
               "step 0: fft: solve z reads fft.turns.0, updates fft.waves.0, reads fft.symbol.0\n"
               "barrier\n"
               "step 0: fft: inverse y reads fft.turns.0, reads fft.waves.0, writes phi.0\n");
    assert_fft(1, 4, 1,
               "barrier\n"
               "step 0: fft: solve y reads fft.turns.0, reads rho.0, reads fft.turns.0, writes "
               "phi.0, reads fft.symbol.0\n");
    assert_fft(1, 1, 1,
               "barrier\n"
               "step 0: fft: solve x reads fft.turns.0, reads rho.0, reads fft.turns.0, writes "
               "phi.0, reads fft.symbol.0\n");
}

static void test_wrong_sides(void **state)
{
    (void)state;
    static const struct {
        uint64_t shape[3];
        const char *words;
    } cases[] = {
        {{1, 48, 64},
         "FFT 'fft' takes sides that are powers of two along y, such as 32 or 64, "
         "not 48"},
        {{2, 1, 3}, "along x, such as 2 or 4, not 3"},
        {{2047, 1, 1}, "along z, such as 1024 or 2048, not 2047"},
        {{1, 1, 4096}, "FFT 'fft' takes sides up to 2048 along x, not 4096"},
        {{2048, 2048, 1024}, "FFT 'fft' takes up to 2^31 cells"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint64_t *shape = cases[i].shape;
        struct vks_declaration *declaration = with_grid(shape[0], shape[1], shape[2]);
        vks_declare_fft(declaration, &gravity);
        assert_int_equal(declaration->result, VKS_ERROR_USAGE);
        assert_non_null(strstr(vks_error_text(), cases[i].words));
        free_declaration(declaration);
    }
}

static void test_wrong_ffts(void **state)
{
    (void)state;
    static const float wrong[2048] = {0, 1, NAN, 1}, large[2048] = {0, 0x1p59F};
    struct vks_fft fft;
#define WRONG(member, value, words)                                                     \
    do {                                                                                \
        struct vks_declaration *on = with_grid(4, 4, 4);                                \
        VKS_FIELD(on, .name = "flat", .element = VKS_F32, .rank = 2, .shape = {4, 16}); \
        VKS_FIELD(on, .name = "halves", .element = VKS_F16);                            \
        fft = gravity;                                                                  \
        fft.member = value;                                                             \
        vks_declare_fft(on, &fft);                                                      \
        assert_fails(on, words);                                                        \
        free_declaration(on);                                                           \
    } while (0)
    WRONG(name, NULL, "an FFT is declared without a name");
    WRONG(source, NULL, "FFT 'fft' names a field that is not declared");
    WRONG(target, "psi", "FFT 'fft' names a field that is not declared");
    WRONG(source, "halves", "FFT 'fft' takes fields of float32 only");
    WRONG(target, "rho", "FFT 'fft' has its source as its target");
    WRONG(target, "flat", "FFT 'fft' has a source and a target of different shapes");
    WRONG(mean, INFINITY, "FFT 'fft' has a mean that is not finite");
    WRONG(mean_field, "halves", "FFT 'fft' has its mean in a field that is not one of float32");
    WRONG(mean_field, "phi", "FFT 'fft' has its mean in its target");
    WRONG(factor, NAN, "FFT 'fft' has a factor beyond -2^60 to 2^60");
    WRONG(symbol[1], NULL, "FFT 'fft' has no symbol along y");
    WRONG(symbol[0], wrong,
          "has the symbol nan for wave number 2 along z; it can be -2^58 to 2^58");
    WRONG(symbol[2], large, "for wave number 1 along x; it can be -2^58 to 2^58");
    WRONG(when, VKS_AT_START, "FFT 'fft' runs at steps or frames only");
    WRONG(when, VKS_AT_CHANGE, "FFT 'fft' runs at steps or frames only");
#undef WRONG
    struct vks_declaration *declaration = with_grid(4, 4, 4);
    fft = gravity;
    fft.mean_field = "words";
    fft.mean_word = 4;
    vks_declare_fft(declaration, &fft);
    assert_fails(declaration, "FFT 'fft' has its mean outside of its field");
    free_declaration(declaration);
    declaration = with_items();
    VKS_FIELD(declaration, .name = "phi", .element = VKS_F32, .rank = 1, .shape = {10});
    fft = gravity;
    fft.source = "heat";
    vks_declare_fft(declaration, &fft);
    assert_fails(declaration, "FFT 'fft' takes no fields of items, whose order changes");
    free_declaration(declaration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fft),
        cmocka_unit_test(test_wrong_sides),
        cmocka_unit_test(test_wrong_ffts),
        cmocka_unit_test(test_same_patterns),
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_many_fields),
        cmocka_unit_test(test_wrong_items),
        cmocka_unit_test(test_wrong_scans),
        cmocka_unit_test(test_physarum_small_blur),
        cmocka_unit_test(test_physarum_sorted),
        cmocka_unit_test(test_physarum_wide_blur),
        cmocka_unit_test(test_physarum_frame),
        cmocka_unit_test(test_diamond_shares_barriers),
        cmocka_unit_test(test_every),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_fused_steps),
        cmocka_unit_test(test_joined_passes),
        cmocka_unit_test(test_wrong_joints),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_wrong_fields),
        cmocka_unit_test(test_wrong_passes),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_long_period),
        cmocka_unit_test(test_wrong_reductions),
        cmocka_unit_test(test_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
