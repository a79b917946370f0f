/* SPDX-License-Identifier: MIT */
/* The public interface on a device: calls that are wrong fail with a message, and change nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu_test.h"
#include "io/image.h"

static vks_context *context;

static vks_simulation *open_simulation(const char *model, const char *const *options)
{
    vks_simulation *simulation = NULL;
    ASSERT_FINE(
        vks_simulation_create(context,
                              &VKS_SIMULATION_PARAMS(.model = model, .preset = "plain", .width = 24,
                                                     .height = 16, .options = options),
                              &simulation));
    return simulation;
}

static void assert_refused(enum vks_result result, const char *words)
{
    assert_int_equal(result, VKS_ERROR_USAGE);
    if (!strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

/* Each pointer that must not be NULL. */
static void test_null(void **state)
{
    (void)state;
    const char *const options[] = {"agents=60", NULL};
    vks_simulation *one = open_simulation("physarum", options), *none = NULL;
    vks_snapshot *snapshot = NULL;
    struct vks_device_info device = {.size = sizeof(device)};
    struct vks_field_info field = {.size = sizeof(field)};
    struct vks_plane_info plane = {.size = sizeof(plane)};
    struct vks_watched watched = {.size = sizeof(watched)};
    struct vks_pass_timing timing = {.size = sizeof(timing)};
    struct vks_option_info option = {.size = sizeof(option)};
    uint8_t rgb[24 * 16 * 4];
    char text[64], hex[33];
    double real;
    size_t count;
    uint32_t width = 7, height = 7;
    const struct vks_context_params context_params = VKS_CONTEXT_PARAMS();
    const struct vks_simulation_params params = VKS_SIMULATION_PARAMS();
    vks_context *second;

    assert_refused(vks_context_create(NULL, &second), "NULL");
    assert_refused(vks_context_create(&context_params, NULL), "NULL");
    assert_refused(vks_context_device(NULL, &device), "NULL");
    assert_refused(vks_context_device(context, NULL), "NULL");
    assert_int_equal(vks_context_validation_messages(NULL), 0);
    vks_context_destroy(NULL);
    assert_refused(vks_devices(NULL, 1, &count), "NULL");
    assert_refused(vks_devices(&device, 1, NULL), "NULL");
    ASSERT_FINE(vks_devices(NULL, 0, &count));

    assert_null(vks_model_summary(NULL));
    assert_null(vks_model_preset(NULL, 0, NULL));
    assert_null(vks_model_view(NULL, 0, NULL));
    assert_null(vks_model_init(NULL, 0));
    assert_false(vks_model_option(NULL, 0, &option));
    assert_false(vks_model_option("gas", 0, NULL));

    assert_refused(vks_simulation_create(NULL, &params, &none), "NULL");
    assert_refused(vks_simulation_create(context, NULL, &none), "NULL");
    assert_refused(vks_simulation_create(context, &params, NULL), "NULL");
    vks_simulation_destroy(NULL);
    assert_refused(vks_simulation_run(NULL, 1), "NULL");
    assert_refused(vks_simulation_wait(NULL), "NULL");
    assert_int_equal(vks_simulation_steps(NULL), 0);
    assert_refused(vks_simulation_set(NULL, "decay", "0.1"), "NULL");
    assert_refused(vks_simulation_set(one, NULL, "0.1"), "NULL");
    assert_refused(vks_simulation_set(one, "decay", NULL), "NULL");
    assert_refused(vks_simulation_set_real(NULL, "decay", 0.1), "NULL");
    assert_refused(vks_simulation_set_real(one, NULL, 0.1), "NULL");
    assert_refused(vks_simulation_set_count(NULL, "seed", 1), "NULL");
    assert_refused(vks_simulation_set_count(one, NULL, 1), "NULL");
    assert_refused(vks_simulation_get(NULL, "decay", text, sizeof(text)), "NULL");
    assert_refused(vks_simulation_get(one, NULL, text, sizeof(text)), "NULL");
    assert_refused(vks_simulation_get(one, "decay", NULL, 0), "NULL");
    assert_refused(vks_simulation_get_real(NULL, "decay", &real), "NULL");
    assert_refused(vks_simulation_get_real(one, NULL, &real), "NULL");
    assert_refused(vks_simulation_get_real(one, "decay", NULL), "NULL");
    assert_refused(vks_simulation_restart(NULL, 1), "NULL");

    assert_refused(vks_simulation_snapshot(NULL, VKS_SNAPSHOT_DEVICE, &snapshot), "NULL");
    assert_refused(vks_simulation_snapshot(one, VKS_SNAPSHOT_DEVICE, NULL), "NULL");
    assert_refused(vks_simulation_restore(one, NULL), "NULL");
    assert_refused(vks_snapshot_save(NULL, "a.npz", false), "NULL");
    ASSERT_FINE(vks_simulation_snapshot(one, VKS_SNAPSHOT_DEVICE, &snapshot));
    assert_refused(vks_simulation_restore(NULL, snapshot), "NULL");
    assert_refused(vks_snapshot_save(snapshot, NULL, false), "NULL");
    assert_refused(vks_snapshot_describe(snapshot, NULL), "NULL");
    vks_snapshot_release(snapshot);
    struct vks_snapshot_info about = {.size = sizeof(about)};
    assert_refused(vks_snapshot_describe(NULL, &about), "NULL");
    vks_snapshot_release(NULL);

    assert_false(vks_simulation_field(NULL, 0, &field));
    assert_false(vks_simulation_field(one, 0, NULL));
    assert_refused(vks_simulation_read(NULL, "trail", rgb, 1), "NULL");
    assert_refused(vks_simulation_read(one, NULL, rgb, 1), "NULL");
    assert_refused(vks_simulation_read(one, "trail", NULL, 24 * 16 * 4), "NULL");
    assert_refused(vks_simulation_write(NULL, "trail", rgb, 1), "NULL");
    assert_refused(vks_simulation_write(one, NULL, rgb, 1), "NULL");
    assert_refused(vks_simulation_write(one, "trail", NULL, 24 * 16 * 4), "NULL");
    assert_refused(vks_simulation_digest(NULL, hex), "NULL");
    assert_refused(vks_simulation_digest(one, NULL), "NULL");
    vks_simulation_picture_size(NULL, &width, &height);
    assert_true(width == 0 && height == 0);
    vks_simulation_picture_size(one, NULL, &height);
    vks_simulation_picture_size(one, &width, NULL);
    assert_true(width == 24 && height == 16);
    assert_refused(vks_simulation_draw(NULL), "NULL");
    assert_refused(vks_simulation_plane(NULL, VKS_PLANE_RGBA, &plane), "NULL");
    assert_refused(vks_simulation_plane(one, VKS_PLANE_RGBA, NULL), "NULL");
    assert_refused(vks_simulation_read_plane(NULL, VKS_PLANE_RGBA, rgb, sizeof(rgb)), "NULL");
    assert_refused(vks_simulation_read_plane(one, VKS_PLANE_RGBA, NULL, sizeof(rgb)), "NULL");
    assert_refused(vks_simulation_render(NULL, rgb, sizeof(rgb)), "NULL");
    assert_refused(vks_simulation_render(one, NULL, 24 * 16 * 3), "NULL");
    assert_false(vks_simulation_watched(NULL, 0, &watched));
    assert_false(vks_simulation_watched(one, 0, NULL));
    assert_refused(vks_simulation_save(NULL, "a.npz", false), "NULL");
    assert_refused(vks_simulation_save(one, NULL, false), "NULL");
    assert_refused(vks_simulation_load(NULL, "a.npz"), "NULL");
    assert_refused(vks_simulation_load(one, NULL), "NULL");
    assert_false(vks_simulation_timing(NULL, 0, &timing));
    assert_false(vks_simulation_timing(one, 0, NULL));
    ASSERT_FINE(vks_simulation_run(one, 3));
    vks_simulation_destroy(one);
}

static void test_parameters(void **state)
{
    (void)state;
    vks_context *second = NULL;
    vks_simulation *simulation = NULL;
    const char *const size[] = {"size=8x8", NULL}, *const seed[] = {"seed=2", NULL};
    const char *const start[] = {"init=disc", NULL};
    assert_refused(
        vks_context_create(&VKS_CONTEXT_PARAMS(.validation = (enum vks_validation)9), &second),
        "validation");
    assert_refused(vks_simulation_create(
                       context, &VKS_SIMULATION_PARAMS(.width = 24, .options = size), &simulation),
                   "'size'");
    assert_refused(vks_simulation_create(
                       context, &VKS_SIMULATION_PARAMS(.seed = 1, .options = seed), &simulation),
                   "'seed'");
    assert_refused(vks_simulation_create(context,
                                         &VKS_SIMULATION_PARAMS(.init = "ring", .options = start),
                                         &simulation),
                   "'init'");
    assert_null(second);
    assert_null(simulation);
}

/* A start from an image that is missing, that becomes unreadable, and that is there again. */
static void test_images(void **state)
{
    (void)state;
    static const char from[] = "tests/fuzz/image/grey.jpg";
    const char *const options[] = {"agents=60", NULL};
    char copy[] = "/tmp/vksim-calls-XXXXXX", command[256], init[64], before[33], after[33];
    vks_simulation *simulation = open_simulation("physarum", options);
    const int fd = mkstemp(copy);
    assert_true(fd >= 0);
    close(fd);
    snprintf(init, sizeof(init), "image:%s", copy);
    snprintf(command, sizeof(command), "cp %s %s", from, copy);
    ASSERT_FINE(vks_simulation_run(simulation, 5));
    ASSERT_FINE(vks_simulation_digest(simulation, before));
    assert_int_equal(vks_simulation_set(simulation, "init", "image:none.jpg"), VKS_ERROR_FILE);
    assert_int_equal(vks_simulation_set(simulation, "init", init), VKS_ERROR_FILE); /* empty */
    ASSERT_FINE(vks_simulation_restart(simulation, 1));                             /* as it was */
    ASSERT_FINE(vks_simulation_run(simulation, 5));
    ASSERT_FINE(vks_simulation_digest(simulation, after));
    assert_string_equal(before, after);
    assert_int_equal(system(command), 0);
    ASSERT_FINE(vks_simulation_set(simulation, "init", init));
    ASSERT_FINE(vks_simulation_digest(simulation, after));
    assert_string_equal(before, after);
    assert_int_equal(truncate(copy, 300), 0);
    assert_int_equal(vks_simulation_restart(simulation, 1), VKS_ERROR_FILE);
    ASSERT_FINE(vks_simulation_digest(simulation, after));
    assert_string_equal(before, after);
    ASSERT_FINE(vks_simulation_set(simulation, "decay", "0.2"));
    assert_int_equal(system(command), 0);
    ASSERT_FINE(vks_simulation_restart(simulation, 1));
    ASSERT_FINE(vks_simulation_digest(simulation, after));
    assert_string_not_equal(before, after);
    assert_int_equal(unlink(copy), 0);
    vks_simulation_destroy(simulation);
}

/* A state whose arrays are damaged by the time of a restart, and a map that is gone. */
static void test_restarts(void **state)
{
    (void)state;
    char folder[] = "/tmp/vksim-calls-XXXXXX", path[64], map[64], command[256], option[96];
    char before[33], after[33];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.npz", folder);
    snprintf(map, sizeof(map), "%s/a.png", folder);
    snprintf(option, sizeof(option), "feed-map=%s", map);
    snprintf(command, sizeof(command), "cp tests/fuzz/image/rgb8.png %s", map);
    assert_int_equal(system(command), 0);
    const char *const options[] = {option, NULL};
    vks_simulation *simulation = open_simulation("gray-scott", options);
    ASSERT_FINE(vks_simulation_run(simulation, 5));
    ASSERT_FINE(vks_simulation_digest(simulation, before));
    ASSERT_FINE(vks_simulation_save(simulation, path, false));
    assert_int_equal(unlink(map), 0);
    assert_int_equal(vks_simulation_restart(simulation, 1), VKS_ERROR_FILE);
    ASSERT_FINE(vks_simulation_digest(simulation, after));
    assert_string_equal(before, after);
    assert_int_equal(system(command), 0);
    ASSERT_FINE(vks_simulation_load(simulation, path));
    ASSERT_FINE(vks_simulation_run(simulation, 3));
    ASSERT_FINE(vks_simulation_digest(simulation, before));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 400, SEEK_SET), 0);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(fputc(0x55, file), 0x55);
    }
    assert_int_equal(fclose(file), 0);
    char seed[16];
    ASSERT_FINE(vks_simulation_get(simulation, "seed", seed, sizeof(seed)));
    assert_int_equal(vks_simulation_restart(simulation, (uint32_t)atoi(seed)), VKS_ERROR_FILE);
    ASSERT_FINE(vks_simulation_digest(simulation, after));
    assert_string_equal(before, after);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(map), 0);
    assert_int_equal(rmdir(folder), 0);
    vks_simulation_destroy(simulation);
}

/* The state of a gas that has failed is not written. */
static void test_failed(void **state)
{
    (void)state;
    char folder[] = "/tmp/vksim-calls-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.npz", folder);
    const char *const options[] = {"method=grid", "speed=1000000", "cfl=0.01", NULL};
    vks_simulation *simulation = NULL;
    vks_snapshot *snapshot = NULL;
    ASSERT_FINE(vks_simulation_create(context,
                                      &VKS_SIMULATION_PARAMS(.model = "gas", .preset = "plain",
                                                             .width = 16384, .height = 1,
                                                             .init = "tube", .options = options),
                                      &simulation));
    ASSERT_FINE(vks_simulation_run(simulation, 3));
    assert_int_equal(vks_simulation_wait(simulation), VKS_ERROR_STOPPED);
    assert_int_equal(vks_simulation_save(simulation, path, true), VKS_ERROR_STOPPED);
    ASSERT_FINE(vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &snapshot));
    assert_int_equal(vks_snapshot_save(snapshot, path, true), VKS_ERROR_STOPPED);
    assert_int_equal(rmdir(folder), 0); /* empty */
    vks_snapshot_release(snapshot);
    vks_simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null),   cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_images), cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_failed),
    };
    if (vks_context_create(&VKS_CONTEXT_PARAMS(.no_disk_cache = true), &context) != VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        return 1;
    }
    const int failed = cmocka_run_group_tests_name("calls", tests, NULL, NULL);
    vks_context_destroy(context);
    return failed;
}
