/* SPDX-License-Identifier: MIT */
/* The loop of steps and frames with a fake simulation and a fake presenter, which record every
 * call. "r5" is 5 steps, "f" a frame, "s7" a restart with seed 7, "=a" a change of `feed` to "a",
 * "w" the wait for the GPU, "[" and
 * "]9" the beginning of a section and its end before step 9, "n" the move on to the next time;
 * calls of poll() and progress() are not recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/log.h"
#include "base/task.h"
#include "runs/run.h"

/* What a test hands to both fakes. */
struct stage {
    char calls[4096];
    uint64_t steps, largest; /* steps done in all; the largest number handed over at once */
    uint64_t frames;         /* presented */
    unsigned polls, waits;
    uint64_t told_frames, told_steps; /* by the last call of progress() */
    double seconds_per_run;           /* that run() takes; 0: none */
    uint64_t fail_at_step, fail_at_frame;
    bool fail_in_poll, fail_in_wait, fail_in_restart, fail_in_enter, fail_in_leave;
    uint64_t aim, end, guess; /* of time: every step takes 1 until `aim` or `end` */
    /* What poll() does, by the number of the call from 1; NULL: nothing. */
    void (*act)(struct stage *stage, struct vks_control *control);
};

static void note(struct stage *stage, const char *format, ...)
{
    const size_t length = strlen(stage->calls);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(stage->calls + length, sizeof(stage->calls) - length, format, arguments);
    va_end(arguments);
}

static enum vks_result run(void *user, uint64_t *steps_now)
{
    struct stage *stage = user;
    const uint64_t steps = *steps_now;
    if (steps > 0) { /* while paused the loop goes round with none */
        note(stage, "r%u ", (unsigned)steps);
    }
    stage->steps += steps;
    stage->largest = steps > stage->largest ? steps : stage->largest;
    if (stage->seconds_per_run > 0) {
        const struct timespec time = {.tv_nsec = (long)(stage->seconds_per_run * 1e9)};
        nanosleep(&time, NULL);
    }
    return stage->fail_at_step && stage->steps >= stage->fail_at_step
               ? vks_fail(VKS_ERROR_GPU, "the device is gone")
               : VKS_OK;
}

static enum vks_result wait(void *user)
{
    struct stage *stage = user;
    note(stage, "w ");
    stage->waits++;
    return stage->fail_in_wait ? vks_fail(VKS_ERROR_STOPPED, "the water is gone") : VKS_OK;
}

/* A restart, or a change of options, which a value "wrong" of `feed` refuses. */
static enum vks_result apply(void *user, const struct vks_event *event, json_t **values)
{
    struct stage *stage = user;
    const char *feed = json_string_value(json_object_get(event->set, "feed"));
    if (event->restarts) {
        note(stage, "s%u ", (unsigned)event->seed);
        return stage->fail_in_restart ? vks_fail(VKS_ERROR_GPU, "no memory") : VKS_OK;
    }
    note(stage, "=%s ", feed);
    *values = strcmp(feed, "wrong") == 0 ? NULL : json_pack("{s:s}", "feed", feed);
    return *values ? VKS_OK : vks_fail(VKS_ERROR_USAGE, "feed is wrong");
}

static enum vks_result enter(void *user)
{
    struct stage *stage = user;
    note(stage, "[ ");
    return stage->fail_in_enter ? vks_fail(VKS_ERROR_DEVICE, "no capture") : VKS_OK;
}

static enum vks_result leave(void *user, uint64_t end)
{
    struct stage *stage = user;
    note(stage, "]%u ", (unsigned)end);
    return stage->fail_in_leave ? vks_fail(VKS_ERROR_FILE, "no file") : VKS_OK;
}

static enum vks_result poll(void *user, struct vks_control *control)
{
    struct stage *stage = user;
    stage->polls++;
    assert_true(stage->polls < 10000); /* a loop that does not end */
    if (stage->act) {
        stage->act(stage, control);
    }
    return stage->fail_in_poll ? vks_fail(VKS_ERROR_GPU, "the window is gone") : VKS_OK;
}

static enum vks_result present(void *user)
{
    struct stage *stage = user;
    note(stage, "f ");
    stage->frames++;
    return stage->fail_at_frame == stage->frames ? vks_fail(VKS_ERROR_FILE, "the disk is full")
                                                 : VKS_OK;
}

static void progress(void *user, uint64_t frames, uint64_t steps)
{
    struct stage *stage = user;
    stage->told_frames = frames;
    stage->told_steps = steps;
}

static const uint64_t endless = UINT64_MAX;

static enum vks_result loop(struct stage *stage, const struct vks_run_params *params,
                            struct vks_run_report *report)
{
    const struct vks_runnable runnable = {stage, run, wait, apply};
    const struct vks_presenter presenter = {stage, poll, present, progress};
    struct vks_run_params with_section = *params;
    with_section.section.user = stage;
    with_section.section.enter = enter;
    with_section.section.leave = leave;
    return vks_run(&runnable, &with_section, &presenter, report);
}

/* --- steps and frames ------------------------------------------------------------------------- */

static void test_frames_and_steps(void **state)
{
    (void)state;
    struct stage stage = {0};
    struct vks_run_report report;
    const struct vks_run_params params = {.steps = 6, .steps_per_frame = 2, .frames = 4};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    /* Frame 0 shows the start; the GPU is waited for once, at the end. */
    assert_string_equal(stage.calls, "f r2 f r2 f r2 f w ");
    assert_int_equal(report.frames, 4);
    assert_int_equal(report.steps, 6);
    assert_false(report.interrupted);
    assert_true(report.seconds >= 0);
    assert_int_equal(stage.told_frames, 4);
    assert_int_equal(stage.told_steps, 6);
}

static void test_warmup(void **state)
{
    (void)state;
    struct stage stage = {0};
    struct vks_run_report report;
    const struct vks_run_params params = {
        .steps = 8, .warmup = 3, .steps_per_frame = 2, .frames = 4};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    assert_string_equal(stage.calls, "r3 f r2 f r2 f r1 f w ");
    assert_int_equal(report.frames, 4);
    assert_int_equal(report.steps, 8);
}

/* Steps go on after the last frame, the last frame is of the last step, frames end before the last
 * step, or there is one of the two. */
static void test_ends(void **state)
{
    (void)state;
    static const struct {
        struct vks_run_params params;
        const char *calls;
        uint64_t frames, steps;
    } cases[] = {
        {{.steps = 10, .steps_per_frame = 3, .frames = 3}, "f r3 f r3 f r4 w ", 3, 10},
        {{.steps = 10, .steps_per_frame = 3, .frames = 5}, "f r3 f r3 f r3 f r1 f w ", 5, 10},
        {{.steps = 3, .steps_per_frame = 8, .frames = 2, .first_frame = 1}, "r3 f w ", 1, 3},
        {{.steps = 0, .steps_per_frame = 3, .frames = 1}, "f w ", 1, 0},
        {{.steps = 0, .steps_per_frame = 3, .frames = 0}, "w ", 0, 0},
        {{.steps = 5, .steps_per_frame = 1, .frames = 0}, "r5 w ", 0, 5},
        {{.steps = 3, .steps_per_frame = 1, .frames = 4, .first_frame = 3}, "r3 f w ", 1, 3},
        {{.steps = 4, .steps_per_frame = 2, .frames = 3, .first_frame = 1}, "r2 f r2 f w ", 2, 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stage stage = {0};
        struct vks_run_report report;
        assert_int_equal(loop(&stage, &cases[i].params, &report), VKS_OK);
        assert_string_equal(stage.calls, cases[i].calls);
        assert_int_equal(report.frames, cases[i].frames);
        assert_int_equal(report.steps, cases[i].steps);
    }
}

/* Nobody looks: no frame is due, so steps are bounded by nothing but the slice. */
static void test_without_presenter(void **state)
{
    (void)state;
    struct stage stage = {0};
    struct vks_run_report report;
    const struct vks_runnable runnable = {&stage, run, wait, apply};
    const struct vks_presenter nobody = {0};
    const struct vks_run_params params = {.steps = 1000, .steps_per_frame = 1, .frames = 1001};
    assert_int_equal(vks_run(&runnable, &params, &nobody, &report), VKS_OK);
    assert_int_equal(stage.steps, 1000);
    assert_int_equal(report.steps, 1000);
    assert_int_equal(report.frames, 0);
    assert_int_equal(stage.waits, 1);
}

/* Fast steps are handed over in slices that grow; slow ones in slices that shrink, so that poll()
 * is called often enough. */
static void test_slices(void **state)
{
    (void)state;
    struct stage fast = {0}, slow = {.seconds_per_run = 0.11};
    struct vks_run_report report;
    const struct vks_run_params many = {.steps = 1000000, .steps_per_frame = endless, .frames = 1};
    const struct vks_run_params few = {.steps = 40, .steps_per_frame = endless, .frames = 1};
    assert_int_equal(loop(&fast, &many, &report), VKS_OK);
    assert_int_equal(report.steps, 1000000);
    assert_in_range(fast.largest, 1000, 65536);
    assert_true(fast.polls < 100);
    assert_int_equal(loop(&slow, &few, &report), VKS_OK);
    assert_int_equal(slow.steps, 40);
    assert_string_equal(slow.calls, "f r16 r8 r4 r2 r1 r1 r1 r1 r1 r1 r1 r1 r1 r1 w ");
}

/* --- time --------------------------------------------------------------------------------------
 */

/* Expects `guess` steps at most, and says that time stops at the aim. */
static enum vks_result look(void *user, uint64_t steps, struct vks_moment *moment)
{
    const struct stage *stage = user;
    const uint64_t aim = stage->aim < stage->end ? stage->aim : stage->end;
    const uint64_t left = steps < aim ? aim - steps : 0;
    *moment = (struct vks_moment){.left = left < stage->guess ? left : stage->guess,
                                  .end = steps >= stage->end};
    return VKS_OK;
}

static enum vks_result proceed(void *user)
{
    struct stage *stage = user;
    note(stage, "n ");
    stage->aim = stage->steps + 4;
    return VKS_OK;
}

/* Runs that end by time: the last frame shows the end, and is not presented twice. */
static void test_end_of_time(void **state)
{
    (void)state;
    static const struct {
        struct vks_run_params params;
        uint64_t end;
        const char *calls;
        uint64_t frames;
    } cases[] = {
        {{.steps = UINT64_MAX, .steps_per_frame = 4, .frames = UINT64_MAX},
         7,
         "w f r3 w r1 w f r3 w f w ",
         3},
        {{.steps = UINT64_MAX, .steps_per_frame = 4, .frames = UINT64_MAX},
         8,
         "w f r3 w r1 w f r3 w r1 w f w ",
         3},
        {{.steps = UINT64_MAX,
          .steps_per_frame = 4,
          .frames = UINT64_MAX,
          .first_frame = UINT64_MAX - 1},
         7,
         "w r3 w r3 w r1 w f w ",
         1},
        {{.steps = 5, .steps_per_frame = 4, .frames = 3}, 7, "w f r3 w r1 w f r1 w f w ", 3},
        {{.steps = 5, .steps_per_frame = 4, .frames = 3, .first_frame = 2}, 3, "w r3 w f w ", 1},
        {{.steps = 9, .steps_per_frame = 4, .frames = 0}, 7, "w r3 w r3 w r1 w w ", 0},
        {{.steps = UINT64_MAX, .steps_per_frame = 4, .frames = UINT64_MAX}, 0, "w f w ", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stage stage = {.aim = UINT64_MAX, .end = cases[i].end, .guess = 3};
        struct vks_run_report report;
        const struct vks_run_time time = {.user = &stage, .look = look, .proceed = proceed};
        struct vks_run_params params = cases[i].params;
        params.time = &time;
        assert_int_equal(loop(&stage, &params, &report), VKS_OK);
        assert_string_equal(stage.calls, cases[i].calls);
        assert_int_equal(report.frames, cases[i].frames);
    }
}

/* Frames at equal times, here every 4 steps from the first one on. */
static void test_frames_by_time(void **state)
{
    (void)state;
    static const struct {
        struct vks_run_params params;
        uint64_t end;
        const char *calls;
        uint64_t frames;
    } cases[] = {
        {{.frames = 3}, 100, "w f w n r3 w r1 w f w n r3 w r1 w f w ", 3},
        {{.frames = 3, .first_frame = 2}, 100, "w w n r3 w r1 w w n r3 w r1 w f w ", 1},
        {{.frames = 9, .warmup = 2}, 8, "r2 w f w n r3 w r1 w f w n r2 w f w ", 3},
        {{.frames = 9, .first_frame = 8}, 6, "w w n r3 w r1 w w n r2 w f w ", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stage stage = {.end = cases[i].end, .guess = 3};
        struct vks_run_report report;
        const struct vks_run_time time = {
            .user = &stage, .frames = true, .look = look, .proceed = proceed};
        struct vks_run_params params = cases[i].params;
        params.steps = UINT64_MAX;
        params.steps_per_frame = 1;
        params.time = &time;
        stage.aim = params.warmup;
        assert_int_equal(loop(&stage, &params, &report), VKS_OK);
        assert_string_equal(stage.calls, cases[i].calls);
        assert_int_equal(report.frames, cases[i].frames);
    }
}

/* --- a presenter that asks for things --------------------------------------------------------- */

static void quit_at_10_steps(struct stage *stage, struct vks_control *control)
{
    control->quit = stage->steps >= 10;
}

static void test_quit(void **state)
{
    (void)state;
    struct stage stage = {.act = quit_at_10_steps};
    struct vks_run_report report;
    const struct vks_run_params params = {
        .steps = endless, .steps_per_frame = 5, .frames = endless};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    /* The frame that was due is shown, and counted. */
    assert_string_equal(stage.calls, "f r5 f r5 f w ");
    assert_int_equal(report.frames, 3);
    assert_int_equal(report.steps, 10);
    assert_false(report.interrupted);
}

/* Pauses after 5 steps, takes three single steps, goes on, and ends at 20 steps. */
static void pause_and_go_on(struct stage *stage, struct vks_control *control)
{
    static unsigned paused_polls;
    if (stage->polls == 1) {
        paused_polls = 0;
    }
    control->quit = stage->steps >= 20;
    if (stage->steps == 5 && paused_polls == 0) {
        control->paused = true;
    }
    paused_polls += control->paused;
    switch (paused_polls) {
    case 2: /* all is shown: poll() may wait */
        assert_true(control->idle);
        control->single = 3;
        break;
    case 3:
        assert_false(control->idle);
        break;
    case 6:
        control->paused = false;
        paused_polls++;
        break;
    default:
        break;
    }
}

static void test_pause(void **state)
{
    (void)state;
    struct stage stage = {.act = pause_and_go_on};
    struct vks_run_report report;
    const struct vks_run_params params = {
        .steps = endless, .steps_per_frame = 5, .frames = endless};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    /* While paused every state is presented; those between frames are no frames. */
    assert_string_equal(stage.calls, "f r5 f r3 f r2 f r5 f r5 f w ");
    assert_int_equal(stage.frames, 6);
    assert_int_equal(report.frames, 5);
    assert_int_equal(report.steps, 20);
}

/* A single step is never more than is left to the next frame. */
static void single_over_a_frame(struct stage *stage, struct vks_control *control)
{
    if (stage->polls == 1) {
        control->paused = true;
        control->single = 7;
    }
    control->quit = control->idle;
}

static void test_single_steps(void **state)
{
    (void)state;
    struct stage stage = {.act = single_over_a_frame};
    struct vks_run_report report;
    const struct vks_run_params params = {
        .steps = endless, .steps_per_frame = 5, .frames = endless};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    assert_string_equal(stage.calls, "f r5 f r2 f w ");
    assert_int_equal(report.frames, 2);
}

/* A change of the look while paused, and one before it. */
static void change_the_look(struct stage *stage, struct vks_control *control)
{
    control->redraw = stage->polls == 1 || stage->polls == 3;
    control->paused = stage->polls > 1;
    control->quit = stage->polls == 5;
}

static void test_redraw(void **state)
{
    (void)state;
    struct stage stage = {.act = change_the_look};
    struct vks_run_report report;
    const struct vks_run_params params = {
        .steps = endless, .steps_per_frame = 5, .frames = endless};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    assert_string_equal(stage.calls, "f r5 f f w ");
    assert_int_equal(report.frames, 2);
}

static void restart_at_4_steps(struct stage *stage, struct vks_control *control)
{
    static bool done;
    done = stage->polls == 1 ? false : done;
    if (stage->steps == 4 && !done) {
        const struct vks_event event = vks_event_restart(7);
        done = true;
        assert_int_equal(vks_log_add(&control->events, &event), VKS_OK);
    }
}

static void test_restart(void **state)
{
    (void)state;
    struct stage stage = {.act = restart_at_4_steps};
    struct vks_run_report report;
    const struct vks_run_params params = {.steps = 6, .steps_per_frame = 2, .frames = 4};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    /* The frame that was due shows the new start; the run is as long as without it. */
    assert_string_equal(stage.calls, "f r2 f r2 s7 f r2 f w ");
    assert_int_equal(report.frames, 4);
    assert_int_equal(report.steps, 6);
}

/* --- events --------------------------------------------------------------------------------- */

static void add(struct vks_log *log, uint64_t step, struct vks_event event)
{
    event.step = step;
    assert_int_equal(vks_log_add(log, &event), VKS_OK);
}

static void record(struct vks_log *log, uint64_t step, struct vks_event event)
{
    event.step = step;
    assert_int_equal(vks_log_record(log, &event), VKS_OK);
}

/* What a log says, as a string. */
static void assert_log(const struct vks_log *log, const char *wanted)
{
    json_t *events = vks_log_json(log);
    char *text = json_dumps(events, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, wanted);
    free(text);
    json_decref(events);
}

/* Events act at their steps, between frames too, before a frame of the same step, at the start
 * and at the end; the recorded log has those that did something. */
static void test_replay(void **state)
{
    (void)state;
    struct stage stage = {0};
    struct vks_run_report report;
    struct vks_log replay = {0};
    add(&replay, 0, vks_event_option("feed", "a"));
    add(&replay, 3, vks_event_option("feed", "wrong"));
    add(&replay, 3, vks_event_restart(5));
    add(&replay, 4, vks_event_option("feed", "b"));
    add(&replay, 6, vks_event_option("feed", "c"));
    add(&replay, 9, vks_event_option("feed", "d"));
    const struct vks_run_params params = {
        .steps = 6, .steps_per_frame = 2, .frames = 4, .log = &replay};
    vks_message_to(VKS_LOG_ERROR, NULL, NULL);
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    vks_message_to(VKS_LOG_INFO, NULL, NULL);
    assert_string_equal(stage.calls, "=a f r2 f r1 =wrong s5 r1 =b f r2 =c f w ");
    assert_int_equal(report.steps, 6);
    assert_log(&replay, "[{\"set\":{\"feed\":\"a\"},\"step\":0},{\"restart\":5,\"step\":3},"
                        "{\"set\":{\"feed\":\"b\"},\"step\":4},"
                        "{\"set\":{\"feed\":\"c\"},\"step\":6}]");
    /* What was recorded replays to the same log. */
    struct stage again = {0};
    struct vks_log second = {0};
    assert_int_equal(vks_log_copy(&second, &replay), VKS_OK);
    const struct vks_run_params same = {
        .steps = 6, .steps_per_frame = 3, .frames = 3, .log = &second};
    assert_int_equal(loop(&again, &same, &report), VKS_OK);
    assert_string_equal(again.calls, "=a f r3 s5 f r1 =b r2 =c f w ");
    assert_int_equal(second.count, replay.count);
    vks_log_free(&replay);
    vks_log_free(&second);
}

/* --- places ----------------------------------------------------------------------------------- */

/* The places of a run, and how it ended. */
struct places {
    struct vks_run_place at[32];
    size_t count, applied;
    enum vks_run_stage stage;
};

static enum vks_result keep_place(void *user, const struct vks_run_place *place, size_t applied,
                                  enum vks_run_stage stage)
{
    struct places *places = user;
    assert_true(places->count < sizeof(places->at) / sizeof(places->at[0]));
    places->at[places->count++] = *place;
    places->applied = applied;
    places->stage = stage;
    return VKS_OK;
}

/* A run that continues at any place of another has the rest of its steps and frames. */
static void test_places(void **state)
{
    (void)state;
    struct places places = {.count = 0}, rest;
    struct stage stage = {0};
    struct vks_run_report report;
    struct vks_run_params params = {.steps = 7, .steps_per_frame = 2, .frames = 5};
    params.keeper = (struct vks_run_keeper){&places, keep_place};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    assert_string_equal(stage.calls, "f r2 f r2 f r2 f r1 f w ");
    assert_int_equal(places.stage, VKS_RUN_COMPLETE);
    for (size_t i = 0; i < places.count; i++) {
        struct stage again = {0};
        rest = (struct places){.count = 0};
        params.place = &places.at[i];
        params.keeper.user = &rest;
        assert_int_equal(loop(&again, &params, &report), VKS_OK);
        assert_int_equal(report.steps, 7);
        assert_int_equal(again.steps, 7 - places.at[i].steps);
        assert_int_equal(again.frames, 5 - places.at[i].frames);
        assert_memory_equal(&rest.at[0], &places.at[i], offsetof(struct vks_run_place, look_at));
    }
    /* One that fails at a frame is before it. Without a presenter, frames are counted all the same;
     * and a damaged place ends. */
    struct stage failing = {.fail_at_frame = 3};
    places.count = 0;
    params.place = NULL;
    params.keeper.user = &places;
    assert_int_equal(loop(&failing, &params, &report), VKS_ERROR_FILE);
    assert_int_equal(places.at[places.count - 1].frames, 2);
    const struct vks_runnable runnable = {&stage, run, wait, apply};
    places.count = 0;
    assert_int_equal(vks_run(&runnable, &params, &(struct vks_presenter){0}, &report), VKS_OK);
    assert_int_equal(places.at[places.count - 1].frames, 4);
    struct stage damaged = {0};
    params.place = &(struct vks_run_place){.steps = 5, .frames = 1, .due = 1};
    assert_int_equal(loop(&damaged, &params, &report), VKS_OK);
    assert_int_equal(damaged.steps, 2);
}

/* Three times the slowest rank takes a second, then it fails. */
static enum vks_result agree_on_slow(void *user, uint64_t *nanos)
{
    struct places *places = user;
    assert_true(*nanos < 100000000);
    *nanos = 1000000000;
    return places->count < 4 ? VKS_OK : vks_fail(VKS_ERROR_GPU, "a rank was killed");
}

/* Ranks that keep places take slices by the slowest of them. */
static void test_places_of_ranks(void **state)
{
    (void)state;
    struct places places = {.count = 0};
    struct stage stage = {0};
    struct vks_run_report report;
    const struct vks_run_params params = {.steps = 100,
                                          .steps_per_frame = 100,
                                          .frames = 2,
                                          .keeper = {&places, keep_place, agree_on_slow}};
    assert_int_equal(loop(&stage, &params, &report), VKS_ERROR_GPU);
    assert_string_equal(stage.calls, "f r16 r8 r4 r2 ");
    assert_int_equal(places.at[3].steps, 28);
    assert_int_equal(places.stage, VKS_RUN_GOES_ON);
}

/* --- other moments ---------------------------------------------------------------------------- */

/* A moment is its number of steps. "k" keeps one, "b4" goes back to the one of step 4, "x" forgets
 * one. */
static enum vks_result keep(void *user, void **moment, uint64_t *bytes)
{
    struct stage *stage = user;
    note(stage, "k ");
    *moment = malloc(sizeof(uint64_t));
    assert_non_null(*moment);
    *(uint64_t *)*moment = stage->steps;
    *bytes = 10;
    return VKS_OK;
}

static enum vks_result go_back(void *user, const void *moment)
{
    struct stage *stage = user;
    stage->steps = *(const uint64_t *)moment;
    note(stage, "b%u ", (unsigned)stage->steps);
    return VKS_OK;
}

static void forget(void *user, void *moment)
{
    note(user, "x ");
    free(moment);
}

/* At step 8 goes back to 3, then forward to 5, changes something there, goes one
 * step back, and quits at 8. */
static void seek_around(struct stage *stage, struct vks_control *control)
{
    static unsigned next;
    static const struct {
        uint64_t at, to; /* to 0: a change */
    } acts[] = {{8, 3}, {3, 5}, {5, 0}, {7, 6}};
    next = stage->polls == 1 ? 0 : next;
    if (next < 4 && stage->steps == acts[next].at) {
        control->seek = acts[next].to > 0;
        control->step = acts[next].to;
        if (!control->seek) {
            const struct vks_event change = vks_event_option("feed", "new");
            assert_int_equal(vks_log_add(&control->events, &change), VKS_OK);
        }
        next++;
    }
    control->quit = next == 4 && stage->steps == 8;
}

static void test_seek(void **state)
{
    (void)state;
    struct stage stage = {.act = seek_around};
    struct vks_run_report report;
    struct vks_log log = {0};
    struct vks_history history = {.keeper = {&stage, keep, go_back, forget}, .max_bytes = 100};
    add(&log, 1, vks_event_option("feed", "a"));
    add(&log, 4, vks_event_option("feed", "b"));
    add(&log, 7, vks_event_option("feed", "c"));
    const struct vks_run_params params = {.steps = endless,
                                          .steps_per_frame = 2,
                                          .frames = endless,
                                          .log = &log,
                                          .history = &history};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    /* A way back repeats the events from the moment on, without frames. A change takes the place of
     * what followed, the moments after it included. */
    assert_string_equal(stage.calls, "k f r1 =a k r1 k f r2 =b k f r2 k f r1 =c k r1 "
                                     "b2 r1 r1 =b r1 k =new x x f r2 b5 =new r1 k f r2 k f w ");
    assert_log(&log, "[{\"set\":{\"feed\":\"a\"},\"step\":1},{\"set\":{\"feed\":\"b\"},"
                     "\"step\":4},{\"set\":{\"feed\":\"new\"},\"step\":5}]");
    vks_history_free(&history);
    vks_log_free(&log);
    assert_string_equal(strrchr(stage.calls, 'w'), "w x x x x x x x ");
}

/* Pauses at step 4, changes something there, takes that back, and quits. */
static void take_back(struct stage *stage, struct vks_control *control)
{
    static unsigned next;
    const struct vks_event change = vks_event_option("feed", "new");
    next = stage->polls == 1 ? 0 : next;
    control->paused = stage->steps == 4;
    if (control->paused && next == 0) {
        assert_int_equal(vks_log_add(&control->events, &change), VKS_OK);
    } else {
        json_decref(change.set);
    }
    if (control->paused && next == 1) {
        control->seek = control->forget = true;
        control->kept = 1;
        control->step = 4;
    }
    control->quit = next == 3;
    next += control->paused;
}

static void test_take_back(void **state)
{
    (void)state;
    struct stage stage = {.act = take_back};
    struct vks_run_report report;
    struct vks_log log = {0};
    struct vks_history history = {.keeper = {&stage, keep, go_back, forget}, .max_bytes = 100};
    add(&log, 1, vks_event_option("feed", "a"));
    const struct vks_run_params params = {.steps = endless,
                                          .steps_per_frame = 2,
                                          .frames = endless,
                                          .log = &log,
                                          .history = &history};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    /* The state of the same step without the event comes from a moment before it. */
    assert_string_equal(stage.calls, "k f r1 =a k r1 k f r2 k =new f b4 f w ");
    assert_log(&log, "[{\"set\":{\"feed\":\"a\"},\"step\":1}]");
    vks_history_free(&history);
    vks_log_free(&log);
}

/* A long way back stops once shortly before its end, where a moment is kept for the next. */
static void seek_far(struct stage *stage, struct vks_control *control)
{
    control->seek = (stage->steps == 200 && stage->polls < 10) || stage->steps == 150;
    control->step = stage->steps == 200 ? 150 : 149;
    control->quit = stage->steps == 149;
}

static void test_seek_twice(void **state)
{
    (void)state;
    struct stage stage = {.act = seek_far};
    struct vks_run_report report;
    struct vks_log log = {0};
    struct vks_history history = {
        .keeper = {&stage, keep, go_back, forget}, .max_bytes = 100, .interval = 1000};
    const struct vks_run_params params = {.steps = endless,
                                          .steps_per_frame = 200,
                                          .frames = endless,
                                          .log = &log,
                                          .history = &history};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    assert_string_equal(stage.calls, "k f r16 r32 r64 r88 b0 r86 k r64 b86 r63 f w ");
    assert_int_equal(stage.steps, 149);
    vks_history_free(&history);
}

/* Moments fit the memory, and those of the near past are closer together. */
static void test_history(void **state)
{
    (void)state;
    struct stage stage = {0};
    struct vks_history history = {.keeper = {&stage, keep, go_back, forget}, .max_bytes = 80};
    struct vks_kept_moment moment;
    assert_int_equal(vks_history_return(&history, 5, SIZE_MAX, &moment), VKS_ERROR_USAGE);
    for (uint64_t step = 0; step < 200; step++) {
        stage.steps = step;
        stage.calls[0] = '\0';
        assert_int_equal(vks_history_keep(&history, step, 0, false), VKS_OK);
        assert_int_equal(vks_history_keep(&history, step, 0, false), VKS_OK);
        assert_in_range(history.count, 1, 8);
        assert_int_equal(history.bytes, 10 * history.count);
    }
    assert_int_equal(history.count, 8);
    assert_int_equal(history.moments[0].step, 0);
    assert_int_equal(history.moments[7].step, 199);
    for (size_t i = 0; i + 1 < 8; i++) { /* each about twice as old as the next */
        assert_in_range(199 - history.moments[i].step, 200 - history.moments[i + 1].step,
                        3 * (199 - history.moments[i + 1].step) + 2);
    }
    assert_in_range(history.moments[6].step, 190, 198);
    assert_int_equal(vks_history_return(&history, 150, SIZE_MAX, &moment), VKS_OK);
    assert_int_equal(stage.steps, moment.step);
    assert_in_range(moment.step, 50, 150);
    history.interval = 100;
    vks_history_branch(&history, 150, 0);
    assert_int_equal(vks_history_keep(&history, 160, 0, false), VKS_OK);
    assert_in_range(history.moments[history.count - 1].step, 50, 150);
    vks_history_free(&history);

    struct vks_history small = {.keeper = {&stage, keep, go_back, forget}, .max_bytes = 5};
    assert_int_equal(vks_history_keep(&small, 1, 0, false), VKS_OK); /* the first shows the size */
    assert_int_equal(vks_history_keep(&small, 2, 0, false), VKS_OK);
    assert_int_equal(small.count, 1);
    vks_history_free(&small);
}

/* The steps per frame change from the next frame on. */
static void change_rate(struct stage *stage, struct vks_control *control)
{
    control->steps_per_frame = stage->steps >= 4 ? 1 : 0;
    control->quit = stage->steps >= 6;
}

static void test_rate(void **state)
{
    (void)state;
    struct stage stage = {.act = change_rate};
    struct vks_run_report report;
    const struct vks_run_params params = {
        .steps = endless, .steps_per_frame = 2, .frames = endless};
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    assert_string_equal(stage.calls, "f r2 f r2 f r1 f r1 f w ");
}

/* Changes of one step become one event, whose last values count; a log can be cut. */
static void test_log(void **state)
{
    (void)state;
    struct vks_log log = {0};
    record(&log, 2, vks_event_option("feed", "a"));
    record(&log, 2, vks_event_option("kill", "k"));
    record(&log, 2, vks_event_option("feed", "b"));
    record(&log, 2, vks_event_restart(1));
    record(&log, 2, vks_event_option("feed", "c"));
    record(&log, 5, vks_event_option("feed", "d"));
    assert_true(vks_log_restarts(&log));
    assert_log(&log, "[{\"set\":{\"feed\":\"b\",\"kill\":\"k\"},\"step\":2},"
                     "{\"restart\":1,\"step\":2},{\"set\":{\"feed\":\"c\"},\"step\":2},"
                     "{\"set\":{\"feed\":\"d\"},\"step\":5}]");
    /* Another event in place of the future. */
    log.done = 1;
    record(&log, 3, vks_event_option("feed", "e"));
    assert_false(vks_log_restarts(&log));
    assert_log(&log, "[{\"set\":{\"feed\":\"b\",\"kill\":\"k\"},\"step\":2},"
                     "{\"set\":{\"feed\":\"e\"},\"step\":3}]");
    assert_null(vks_log_next(&log));
    log.done = 0;
    vks_log_drop(&log);
    assert_int_equal(log.count, 1);
    vks_log_cut(&log, 0);
    assert_int_equal(log.count, 0);
    const struct vks_event none = vks_event_set(NULL);
    assert_int_equal(vks_log_add(&log, &none), VKS_ERROR_GPU);
    vks_log_free(&log);
}

/* A stroke is written with what is not usual, and read back. */
static void test_strokes(void **state)
{
    (void)state;
    const struct {
        struct vks_stroke stroke;
        const char *text;
    } cases[] = {
        {VKS_STROKE(.brush = "seed", .strength = 65536, .radius = 9),
         "{\"brush\":\"seed\",\"radius\":9,\"x\":0,\"y\":0}"},
        {VKS_STROKE(.brush = "b", .x = -7, .x2 = -7, .y = 3, .y2 = 4, .z = 5, .z2 = 0,
                    .strength = 0, .soft = 1, .inverse = 1),
         "{\"brush\":\"b\",\"inverse\":1,\"soft\":1,\"strength\":0,\"x\":-7,\"y\":3,\"y2\":4,"
         "\"z\":5,\"z2\":0}"},
        {VKS_STROKE(.brush = "rates", .strength = 65536, .radius = 9, .values = {0, 0.0609}),
         "{\"brush\":\"rates\",\"radius\":9,\"values\":[0.0,0.060900000000000003],\"x\":0,\"y\":"
         "0}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vks_stroke read[VKS_MAX_STROKES];
        const struct vks_event event = vks_event_stroke(&cases[i].stroke);
        char *text = json_dumps(json_array_get(event.paint, 0), JSON_COMPACT | JSON_SORT_KEYS);
        size_t count;
        assert_string_equal(text, cases[i].text);
        assert_int_equal(vks_event_strokes(&event, read, &count), VKS_OK);
        assert_int_equal(count, 1);
        assert_string_equal(read[0].brush, cases[i].stroke.brush);
        read[0].brush = cases[i].stroke.brush;
        assert_memory_equal(&read[0], &cases[i].stroke, sizeof(read[0]));
        free(text);
        json_decref(event.paint);
    }
}

/* What is not an event is refused, by its number. */
static void test_log_errors(void **state)
{
#define NOT_A_STROKE                                                                    \
    " is not an object of \"brush\", a name, and whole numbers, which can be x, y, z, " \
    "x2, y2, z2, radius, soft, strength and inverse, and \"values\", up to 2 numbers"
    (void)state;
    static const struct {
        const char *events, *text;
    } cases[] = {
        {"{}", "'s': \"events\" must be a list"},
        {"[7]", "'s': event 1 needs a \"step\", a number of steps from 0 on"},
        {"[{\"step\":1,\"restart\":2},{\"step\":-1,\"restart\":2}]",
         "'s': event 2 needs a \"step\", a number of steps from 0 on"},
        {"[{\"step\":1}]",
         "'s': event 1 needs one of \"set\", \"restart\" and \"paint\" besides its \"step\""},
        {"[{\"step\":1,\"set\":[]}]",
         "'s': event 1 has a \"set\" that is not an object of options and values"},
        {"[{\"step\":1,\"restart\":4294967296}]",
         "'s': event 1 has a \"restart\" that is not a seed, a number from 0 to 4294967295"},
        {"[{\"step\":1,\"restart\":1,\"print\":2}]",
         "'s': event 1 has a key that is none of \"step\", \"set\", \"restart\" and \"paint\""},
        {"[{\"step\":1,\"restart\":1,\"set\":{\"a\":1}}]",
         "'s': event 1 needs one of \"set\", \"restart\" and \"paint\" besides its \"step\""},
        {"[{\"step\":1,\"paint\":[]}]", "'s': event 1: an event has 1 to 64 strokes, not 0"},
        {"[{\"step\":1,\"paint\":[{\"brush\":\"b\"},{\"x\":1}]}]",
         "'s': event 1: stroke 2" NOT_A_STROKE},
        {"[{\"step\":1,\"paint\":[{\"brush\":\"b\",\"values\":[1,2,3]}]}]",
         "'s': event 1: stroke 1" NOT_A_STROKE},
        {"[{\"step\":1,\"paint\":[{\"brush\":\"b\",\"values\":[true]}]}]",
         "'s': event 1: stroke 1" NOT_A_STROKE},
        {"[{\"step\":1,\"paint\":[{\"brush\":\"b\",\"values\":0.1}]}]",
         "'s': event 1: stroke 1" NOT_A_STROKE},
        {"[{\"step\":3,\"restart\":1},{\"step\":2,\"restart\":1}]",
         "'s': event 2 comes before its predecessor: events are in order of their steps"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vks_log log = {0};
        json_t *events = json_loads(cases[i].events, 0, NULL);
        assert_non_null(events);
        assert_int_equal(vks_log_read(events, "s", &log), VKS_ERROR_USAGE);
        assert_string_equal(vks_error_text(), cases[i].text);
        vks_log_free(&log);
        json_decref(events);
    }
    struct vks_log log = {0};
    assert_int_equal(vks_log_read(NULL, "s", &log), VKS_OK);
    assert_int_equal(log.count, 0);
}

/* --- sections --------------------------------------------------------------------------------- */

/* Pauses at the start and makes three single steps, one at a time, before it goes on. */
static void three_single_steps(struct stage *stage, struct vks_control *control)
{
    control->paused = stage->polls <= 12;
    control->single = stage->polls == 4 || stage->polls == 7 || stage->polls == 10 ? 1 : 0;
}

static void quit_at_4_steps(struct stage *stage, struct vks_control *control)
{
    control->quit = stage->steps == 4;
}

/* No slice of steps crosses an end of the section, the GPU is waited for there, and the frame after
 * the last step belongs to it. */
static void test_sections(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, end;
        void (*act)(struct stage *stage, struct vks_control *control);
        const char *calls;
    } cases[] = {
        {0, 0, NULL, "f r2 f r2 f r2 f w "},
        {3, 3, NULL, "f r2 f r2 f r2 f w "},
        {3, 5, NULL, "f r2 f r1 w [ r1 f r1 w ]5 r1 f w "},
        {2, 4, NULL, "f r2 f w [ r2 f w ]4 r2 f w "},
        {1, 2, NULL, "f r1 w [ r1 f w ]2 r2 f r2 f w "},
        {0, 6, NULL, "f w [ r2 f r2 f r2 f w ]6 w "},
        /* Paused steps are frames, too; nothing begins before there is a step to run. */
        {1, 2, three_single_steps, "f r1 f w [ r1 f w ]2 r1 f r1 f r2 f w "},
        /* A section that the run does not complete ends where the run does; a restart is no end. */
        {3, 6, quit_at_4_steps, "f r2 f r1 w [ r1 f w ]4 w "},
        {3, 6, restart_at_4_steps, "f r2 f r1 w [ r1 s7 f r2 f w ]6 w "},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stage stage = {.act = cases[i].act};
        struct vks_run_report report;
        const struct vks_run_params params = {
            .steps = 6,
            .steps_per_frame = 2,
            .frames = 4,
            .section = {.first = cases[i].first, .end = cases[i].end},
        };
        assert_int_equal(loop(&stage, &params, &report), VKS_OK);
        assert_string_equal(stage.calls, cases[i].calls);
    }
}

static void test_section_failures(void **state)
{
    (void)state;
    static const struct {
        struct stage stage;
        enum vks_result result;
        const char *calls, *text;
    } cases[] = {
        {{.fail_in_enter = true}, VKS_ERROR_DEVICE, "f r2 f r1 w [ ", "no capture"},
        {{.fail_in_leave = true}, VKS_ERROR_FILE, "f r2 f r1 w [ r1 f r1 w ]5 ", "no file"},
        /* The section of a failed run is not ended. */
        {{.fail_at_step = 4}, VKS_ERROR_GPU, "f r2 f r1 w [ r1 ", "the device is gone"},
        {{.fail_at_frame = 3}, VKS_ERROR_FILE, "f r2 f r1 w [ r1 f ", "the disk is full"},
        {{.fail_in_wait = true}, VKS_ERROR_STOPPED, "f r2 f r1 w ", "the water is gone"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stage stage = cases[i].stage;
        struct vks_run_report report;
        const struct vks_run_params params = {
            .steps = 6,
            .steps_per_frame = 2,
            .frames = 4,
            .section = {.first = 3, .end = 5},
        };
        assert_int_equal(loop(&stage, &params, &report), cases[i].result);
        assert_string_equal(stage.calls, cases[i].calls);
        assert_string_equal(vks_error_text(), cases[i].text);
    }
}

/* --- failures --------------------------------------------------------------------------------- */

static void test_failures(void **state)
{
    (void)state;
    static const struct {
        struct stage stage;
        enum vks_result result;
        const char *calls, *text;
        uint64_t frames, steps;
    } cases[] = {
        {{.fail_at_step = 4}, VKS_ERROR_GPU, "f r2 f r2 ", "the device is gone", 2, 4},
        {{.fail_at_frame = 2}, VKS_ERROR_FILE, "f r2 f ", "the disk is full", 1, 2},
        {{.fail_in_poll = true}, VKS_ERROR_GPU, "", "the window is gone", 0, 0},
        {{.fail_in_wait = true},
         VKS_ERROR_STOPPED,
         "f r2 f r2 f r2 f w ",
         "the water is gone",
         4,
         6},
        {{.act = restart_at_4_steps, .fail_in_restart = true},
         VKS_ERROR_GPU,
         "f r2 f r2 s7 ",
         "no memory",
         2,
         4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stage stage = cases[i].stage;
        struct vks_run_report report;
        const struct vks_run_params params = {.steps = 6, .steps_per_frame = 2, .frames = 4};
        assert_int_equal(loop(&stage, &params, &report), cases[i].result);
        /* Nothing is called after a failure: the device may be lost. */
        assert_string_equal(stage.calls, cases[i].calls);
        assert_string_equal(vks_error_text(), cases[i].text);
        assert_int_equal(report.frames, cases[i].frames);
        assert_int_equal(report.steps, cases[i].steps);
    }
}

/* --- interruption; the last test, because an interrupt stays --------------------------------- */

static void interrupt_at_4_steps(struct stage *stage, struct vks_control *control)
{
    (void)control;
    if (stage->steps == 4) {
        vks_interrupt();
    }
}

static void test_interrupt(void **state)
{
    (void)state;
    struct stage stage = {.act = interrupt_at_4_steps};
    struct vks_run_report report;
    const struct vks_run_params params = {
        .steps = endless, .steps_per_frame = 2, .frames = endless};
    assert_false(vks_interrupted());
    assert_int_equal(loop(&stage, &params, &report), VKS_OK);
    assert_true(vks_interrupted());
    /* The frame at which the loop was is completed. */
    assert_string_equal(stage.calls, "f r2 f r2 f w ");
    assert_true(report.interrupted);
    assert_int_equal(report.frames, 3);
    assert_int_equal(report.steps, 4);

    /* A loop that starts interrupted ends at its first frame. */
    struct stage late = {0};
    assert_int_equal(loop(&late, &params, &report), VKS_OK);
    assert_string_equal(late.calls, "f w ");
    assert_true(report.interrupted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_and_steps),
        cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_places_of_ranks),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_without_presenter),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_quit),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_single_steps),
        cmocka_unit_test(test_redraw),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_strokes),
        cmocka_unit_test(test_log_errors),
        cmocka_unit_test(test_seek),
        cmocka_unit_test(test_take_back),
        cmocka_unit_test(test_seek_twice),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_end_of_time),
        cmocka_unit_test(test_frames_by_time),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_section_failures),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
