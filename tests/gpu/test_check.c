/* SPDX-License-Identifier: MIT */
/* vksim check finds the fault that a model has, and none in the same model without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "check/check.h"
#include "faulty.h"
#include "gpu/pipeline.h"
#include "sim/registry.h"

enum { STEPS = 30 };

extern const struct vks_shader test_shaders[];
extern const size_t test_shader_count;

static vks_context *context;

struct faulty_settings {
    uint32_t fault;
};

static const char *const faults[] = {
    [FAULTY_NONE] = "none",   [FAULTY_RACE] = "race", [FAULTY_GROUP] = "group",
    [FAULTY_BATCH] = "batch", [FAULTY_FILE] = "file", NULL,
};

static const struct vks_option faulty_options[] = {
    {.name = "fault",
     .type = VKS_OPTION_CHOICE,
     .offset = offsetof(struct faulty_settings, fault),
     .choices = faults,
     .default_text = "none",
     .help = "what is wrong with it"},
};

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct faulty_settings *s = config->settings;
    const struct faulty_params params = {config->width, config->height};
    VKS_FIELD(declaration, .name = "cells", .help = "values", .element = VKS_F32,
              .persistent = true);
    VKS_FIELD(declaration, .name = "hidden", .element = VKS_F32);
    VKS_PASS(declaration, .name = "step", .shader = "test/faulty",
             .uses = VKS_USES({"cells", VKS_READ_WRITE}, {"hidden", VKS_READ_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"fault", s->fault}), VKS_PUSH(params));
}

static const struct vks_model model = {
    .name = "faulty",
    .summary = "a model for tests",
    .options = {faulty_options, VKS_COUNT(faulty_options)},
    .settings_size = sizeof(struct faulty_settings),
    .views = VKS_VIEWS({"cells", "cells", .help = "values"}),
    .declare = declare,
};

static void run(const char *fault, struct vks_check *check)
{
    struct vks_settings settings = {0};
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", "70x34"), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "fault", fault), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    const enum vks_result result = vks_check_run(context, &settings, STEPS, NULL, NULL, check);
    vks_settings_free(&settings);
    if (result != VKS_OK) {
        fail_msg("%s: %s", fault, vks_error_text());
    }
}

static const struct vks_check_row *find(const struct vks_check *check, const char *name)
{
    for (size_t i = 0; i < check->row_count; i++) {
        if (strcmp(check->rows[i].name, name) == 0) {
            return &check->rows[i];
        }
    }
    fail_msg("there is no experiment '%s'", name);
    return NULL;
}

/* The experiment differs from that step on, in the state. */
static void assert_found(const struct vks_check *check, const char *name, uint64_t step)
{
    const struct vks_check_row *row = find(check, name);
    assert_int_equal(row->outcome, VKS_CHECK_DIFFERS);
    assert_string_equal(row->field, "cells");
    assert_int_equal(row->step, step);
}

static size_t count_different(const struct vks_check *check)
{
    size_t count = 0;
    for (size_t i = 0; i < check->row_count; i++) {
        count += check->rows[i].outcome == VKS_CHECK_DIFFERS;
    }
    return count;
}

static void test_none(void **state)
{
    struct vks_check check;
    (void)state;
    run("none", &check);
    assert_int_equal(count_different(&check), 0);
    assert_int_equal(check.row_count, vks_check_count(&model));
    assert_int_equal(find(&check, "workgroups in reverse order")->outcome, VKS_CHECK_SAME);
    assert_int_equal(find(&check, "fields in chunks")->outcome, VKS_CHECK_LEFT_OUT);
    vks_check_free(&check);
}

static void test_race(void **state)
{
    struct vks_check check;
    (void)state;
    run("race", &check);
    /* After the first step all cells have the values that both orders give. */
    assert_found(&check, "workgroups in reverse order", 1);
    vks_check_free(&check);
}

static void test_group(void **state)
{
    struct vks_check check;
    (void)state;
    run("group", &check);
    assert_found(&check, "workgroups of 64", 1);
    assert_found(&check, "workgroups of 256", 1);
    vks_check_free(&check);
}

static void test_batch(void **state)
{
    struct vks_check check;
    (void)state;
    run("batch", &check);
    assert_found(&check, "batches of 64 steps", 2);
    vks_check_free(&check);
}

/* The state is saved after two thirds of the steps. */
static void test_file(void **state)
{
    struct vks_check check;
    (void)state;
    run("file", &check);
    assert_found(&check, "save, load", STEPS * 2 / 3 + 1);
    assert_int_equal(count_different(&check), 1);
    vks_check_free(&check);
}

/* Another device's history is compared state by state. */
static void test_devices(void **state)
{
    struct vks_settings settings = {0};
    struct vks_check first, second;
    (void)state;
    run("none", &first);
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", "70x34"), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    first.history.digests[7][0] ^= 1;
    assert_int_equal(vks_check_run(context, &settings, STEPS, &first.history, "another", &second),
                     VKS_OK);
    assert_found(&second, "as on another", 7);
    vks_check_free(&second);
    vks_check_free(&first);
    vks_settings_free(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),  cmocka_unit_test(test_race), cmocka_unit_test(test_group),
        cmocka_unit_test(test_batch), cmocka_unit_test(test_file), cmocka_unit_test(test_devices),
    };
    if (vks_shader_add(test_shaders, test_shader_count) != VKS_OK ||
        vks_model_register(&model) != VKS_OK ||
        vks_context_create(&VKS_CONTEXT_PARAMS(.no_disk_cache = true), &context) != VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vks_context_destroy(context);
    return failed;
}
