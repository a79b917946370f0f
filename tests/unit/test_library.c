/* SPDX-License-Identifier: MIT */
/* The public interface where it needs no device: sizes of structures, options as data, and messages
 * from several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "api/settings.h"
#include "api/sized.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/option.h"
#include "sim/registry.h"

/* Parameters of a later version, and of an earlier one. */
struct later {
    struct vks_context_params now;
    uint64_t more;
};

static void test_parameters(void **state)
{
    (void)state;
    struct vks_context_params params;
    struct later later = {.now = {.size = sizeof(later), .device = "1"}};
    assert_int_equal(vks_take_sized(&params, sizeof(params), &later), VKS_OK);
    assert_string_equal(params.device, "1");
    assert_int_equal(params.size, sizeof(params));
    later.more = 1;
    assert_int_equal(vks_take_sized(&params, sizeof(params), &later), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "does not know"));
    /* One without the device. */
    later.now.size = offsetof(struct vks_context_params, device);
    assert_int_equal(vks_take_sized(&params, sizeof(params), &later), VKS_OK);
    assert_null(params.device);
    later.now.size = 0;
    assert_int_equal(vks_take_sized(&params, sizeof(params), &later), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "size 0"));
}

static void test_filled(void **state)
{
    (void)state;
    const struct vks_watched from = {.name = "dt", .value = 2, .step = 3, .known = true};
    struct {
        struct vks_watched now;
        uint64_t more;
    } later = {.now = {.size = sizeof(later)}, .more = 7};
    assert_int_equal(vks_give_sized(&later.now, &from, sizeof(from)), VKS_OK);
    assert_int_equal(later.now.size, sizeof(later));
    assert_true(later.now.value == 2 && later.now.known);
    assert_int_equal(later.more, 7);
    struct vks_watched earlier = {.size = offsetof(struct vks_watched, step), .step = 9};
    assert_int_equal(vks_give_sized(&earlier, &from, sizeof(from)), VKS_OK);
    assert_true(earlier.value == 2 && earlier.step == 9 && !earlier.known);
    earlier.size = 0;
    assert_int_equal(vks_give_sized(&earlier, &from, sizeof(from)), VKS_ERROR_USAGE);
}

/* Every row of every model: its default is a value that it takes, and numbers within its range. */
static void test_options(void **state)
{
    (void)state;
    struct vks_option_info info = {.size = sizeof(info)};
    for (size_t m = 0; vks_model_name(m); m++) {
        const char *model = vks_model_name(m);
        struct vks_settings settings;
        size_t count = 0;
        assert_int_equal(vks_settings_init(&settings, vks_model_find(model)), VKS_OK);
        for (; vks_model_option(model, count, &info); count++) {
            assert_true(info.name && info.help && info.unit);
            if (info.default_text) {
                assert_int_equal(vks_settings_set(&settings, info.name, info.default_text), VKS_OK);
            }
            const bool ranged = info.type == VKS_OPTION_COUNT || info.type == VKS_OPTION_REAL ||
                                info.type == VKS_OPTION_SIZE;
            assert_true(ranged ? info.min < info.max : info.min == 0 && info.max == 0);
            assert_true(info.type != VKS_OPTION_CHOICE || info.choices[0]);
        }
        assert_true(count > 25);
        vks_settings_free(&settings);
        for (size_t i = 0; vks_model_init(model, i); i++) {
            assert_true(vks_model_init(model, i)[0] != '\0');
        }
        assert_non_null(vks_model_init(model, 0));
    }
    assert_false(vks_model_option("no-such-model", 0, &info));
    assert_null(vks_model_init("no-such-model", 0));
    assert_string_equal(vks_colormap_name(0), "grey");
    assert_true(vks_model_option("gray-scott", 0, &info));
    assert_string_equal(info.name, "feed");
    assert_string_equal(info.heading, "reaction");
    assert_true(info.soft_min == 0 && info.soft_max == 0.12 && !info.logarithmic);
    info.size = 0;
    assert_false(vks_model_option("gray-scott", 0, &info));
}

/* Numbers are stored as they are, after the checks that texts have. */
static void test_numbers(void **state)
{
    (void)state;
    struct vks_settings settings;
    void *structure;
    char text[64];
    assert_int_equal(vks_settings_init(&settings, vks_model_find("physarum")), VKS_OK);
    const struct vks_option *decay = vks_settings_find(&settings, "decay", &structure);
    assert_int_equal(vks_option_set_real(decay, structure, 0.1 + 0.2), VKS_OK);
    assert_true(*(double *)((char *)structure + decay->offset) == 0.1 + 0.2);
    assert_int_equal(vks_option_set_count(decay, structure, 1), VKS_OK);
    assert_int_equal(vks_option_set_real(decay, structure, 1.5), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "decay '1.5' is not a number from 0 to 1"));
    const struct vks_option *size = vks_settings_find(&settings, "diffuse-size", &structure);
    assert_int_equal(vks_option_set_count(size, structure, 5), VKS_OK);
    assert_string_equal(vks_option_get(size, structure, text, sizeof(text)), "5");
    assert_int_equal(vks_option_set_count(size, structure, 4), VKS_ERROR_USAGE);
    assert_int_equal(vks_option_set_real(size, structure, 5), VKS_ERROR_USAGE);
    const struct vks_option *view = vks_settings_find(&settings, "view", &structure);
    assert_int_equal(vks_option_set_count(view, structure, 5), VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "view takes a text, not a number");
    assert_null(vks_settings_find(&settings, "dekay", &structure));
    assert_non_null(strstr(vks_error_text(), "did you mean 'decay'?"));
    vks_settings_free(&settings);
}

/* Models of formulas are added once, and are as others; what is wrong with one is said. */
static void test_formulas(void **state)
{
    static const char text[] = "{\"formula\": 1, \"name\": \"spread\", \"fields\": {\"u\": {}}, "
                               "\"parameters\": {\"%s\": 0.2}, \"rates\": {\"u\": \"%s*lap(u)\"}, "
                               "\"init\": {\"step\": {\"u\": \"x < 0.5\"}}}";
    struct vks_option_info info = {.size = sizeof(info)};
    const char *name = NULL, *again = NULL;
    char formula[512];
    size_t count = 0;
    (void)state;
    while (vks_model_name(count)) {
        count++;
    }
    snprintf(formula, sizeof(formula), text, "seed", "seed");
    assert_int_equal(vks_model_parse(formula, &name), VKS_ERROR_USAGE);
    assert_null(name);
    assert_non_null(strstr(vks_error_text(), "'seed'"));
    assert_int_equal(vks_model_parse("{", &name), VKS_ERROR_FILE);
    assert_int_equal(vks_model_load("no-such-file.json", &name), VKS_ERROR_FILE);
    assert_int_equal(vks_model_load(NULL, &name), VKS_ERROR_USAGE);
    assert_int_equal(vks_model_parse(formula, NULL), VKS_ERROR_USAGE);
    assert_null(vks_model_name(count));
    snprintf(formula, sizeof(formula), text, "d", "d");
    assert_int_equal(vks_model_parse(formula, &name), VKS_OK);
    assert_int_equal(vks_model_parse(formula, &again), VKS_OK);
    assert_ptr_equal(name, again);
    assert_string_equal(vks_model_name(count), "spread");
    assert_null(vks_model_name(count + 1));
    assert_string_equal(vks_model_init(name, 0), "step");
    assert_true(vks_model_option(name, 0, &info));
    snprintf(formula, sizeof(formula), text, "c", "c");
    assert_int_equal(vks_model_parse(formula, &again), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "there is a simulation 'spread' already"));
}

/* Models are found by their names, and folders of shaders are added once, too. */
static void test_names(void **state)
{
    const char *name = NULL, *again = NULL;
    (void)state;
    assert_int_equal(vks_model_load("gas", &name), VKS_OK);
    assert_string_equal(name, "gas");
    assert_int_equal(vks_model_load("models/ripples", &name), VKS_OK);
    assert_int_equal(vks_model_load("models/ripples/model.json", &again), VKS_OK);
    assert_string_equal(name, "ripples");
    assert_ptr_equal(name, again);
    assert_int_equal(setenv("VKSIM_MODEL_PATH", "models", 1), 0);
    assert_int_equal(vks_model_load("heat", &name), VKS_OK);
    assert_string_equal(name, "heat");
    assert_int_equal(unsetenv("VKSIM_MODEL_PATH"), 0);
    assert_int_equal(vks_model_load("hea", &name), VKS_ERROR_USAGE);
    assert_null(name);
    assert_non_null(strstr(vks_error_text(), "did you mean 'heat'"));
}

/* The useful ranges of parameters of formulas contain their defaults and the values of presets. */
static void test_formula_ranges(void **state)
{
    static const char text[] =
        "{\"formula\": 1, \"name\": \"ranges\", \"fields\": {\"u\": {}}, \"parameters\": "
        "{\"a\": 0.2, \"b\": 0, \"c\": -3, \"d\": [1, 0, 5], \"e\": 1}, \"rates\": "
        "{\"u\": \"a + b + c + d + e\"}, \"init\": {\"step\": {\"u\": \"x < 0.5\"}}, "
        "\"presets\": {\"far\": {\"e\": 7, \"d\": 2}}}";
    static const struct {
        const char *name;
        double low, high;
    } wanted[] = {{"a", 0, 0.8}, {"b", -1, 1}, {"c", -12, 0}, {"d", 0, 5}, {"e", 0, 7}};
    const char *name;
    (void)state;
    if (vks_model_parse(text, &name) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    struct vks_option_info info = {.size = sizeof(info)};
    size_t found = 0;
    for (size_t i = 0; vks_model_option(name, i, &info); i++) {
        for (size_t j = 0; j < VKS_COUNT(wanted); j++) {
            if (strcmp(info.name, wanted[j].name) == 0) {
                assert_true(info.soft_min == wanted[j].low && info.soft_max == wanted[j].high);
                found++;
            }
        }
    }
    assert_int_equal(found, VKS_COUNT(wanted));
}

enum { THREADS = 4, MESSAGES = 2000 };

struct counts {
    pthread_mutex_t lock;
    int by_thread[THREADS];
    bool wrong;
};

static void count_message(void *user, enum vks_log_level level, const char *text)
{
    struct counts *counts = user;
    int thread = -1, number = -1;
    pthread_mutex_lock(&counts->lock);
    /* The messages of one thread come whole and in order. */
    if (level != VKS_LOG_INFO || sscanf(text, "thread %d, message %d", &thread, &number) != 2 ||
        thread < 0 || thread >= THREADS || number != counts->by_thread[thread]++) {
        counts->wrong = true;
    }
    pthread_mutex_unlock(&counts->lock);
}

static void *send_messages(void *user)
{
    for (int i = 0; i < MESSAGES; i++) {
        vks_message(VKS_LOG_INFO, "thread %d, message %d", *(const int *)user, i);
        vks_message(VKS_LOG_VERBOSE, "not wanted");
    }
    return NULL;
}

static void test_log(void **state)
{
    (void)state;
    struct counts counts = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[THREADS];
    int numbers[THREADS];
    vks_log_to(VKS_LOG_INFO, count_message, &counts);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, send_messages, &numbers[i]), 0);
    }
    for (int i = 0; i < 200; i++) { /* while they send */
        vks_log_to(VKS_LOG_INFO, count_message, &counts);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(counts.by_thread[i], MESSAGES);
    }
    vks_log_to(VKS_LOG_INFO, NULL, NULL);
    assert_false(counts.wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),     cmocka_unit_test(test_filled),
        cmocka_unit_test(test_options),        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_formulas),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_formula_ranges), cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
