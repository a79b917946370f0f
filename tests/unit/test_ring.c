/* SPDX-License-Identifier: MIT */
/* The ring of frames with a fake device and a fake sink: order, planes, bands, waits, failures,
 * interruption, and what is dropped at the end. */
#include "ring_fakes.h"

#include "base/digest.h"

/* --- what the tests share --------------------------------------------------------------------- */

static bool interrupt;

static bool interrupted(void)
{
    pthread_mutex_lock(&device.lock);
    const bool now = interrupt;
    pthread_mutex_unlock(&device.lock);
    return now;
}

static int begin(void **state)
{
    (void)state;
    fake_device_begin();
    interrupt = false;
    return 0;
}

static int end(void **state)
{
    (void)state;
    fake_device_end();
    return device.buffers == 0 ? 0 : 1;
}

static const struct vks_sink plain_sink = {.planes = 1U << VKS_PLANE_RGBA, .fail_at = UINT64_MAX};

/* A ring of these bands; frames are numbered from `first`. */
static enum vks_result create(const struct vks_bands *bands, struct vks_sink *sink,
                              struct vks_collage *collage, bool digest, uint64_t first,
                              uint64_t frames, struct vks_ring **ring)
{
    const struct vks_ring_params params = {
        .width = WIDTH,
        .height = HEIGHT,
        .sinks = &sink,
        .sink_count = sink != NULL,
        .collage = collage,
        .digest = digest,
        .first = first,
        .frames = frames,
        .interrupted = interrupted,
    };
    *ring = NULL;
    return vks_ring_create(&gpu, bands, &params, ring);
}

static const struct vks_bands one_band = {.height = HEIGHT, .rows = HEIGHT};

static struct vks_ring *open_ring(struct vks_sink *sink, struct vks_collage *collage, bool digest,
                                  uint64_t frames)
{
    struct vks_ring *ring;
    assert_int_equal(create(&one_band, sink, collage, digest, 0, frames, &ring), VKS_OK);
    return ring;
}

static void push(struct vks_ring *ring, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(vks_ring_push(ring), VKS_OK);
    }
}

struct draw {
    uint64_t number;
    size_t pixels;
};

/* The digest of the RGB24 bytes of these draws. */
static void digest_draws(const struct draw *draws, size_t count, char hex[33])
{
    struct vks_digest *digest = vks_digest_create();
    for (size_t i = 0; i < count; i++) {
        uint8_t rgb[PIXELS * 3];
        for (size_t at = 0; at < draws[i].pixels * 3; at++) {
            rgb[at] = byte_at(draws[i].number, at / 3 * 4 + at % 3);
        }
        vks_digest_update(digest, rgb, draws[i].pixels * 3);
    }
    vks_digest_hex(digest, hex);
    vks_digest_destroy(digest);
}

/* Of whole frames, from draw `first` on. */
static void digest_frames(uint64_t first, size_t count, char hex[33])
{
    struct draw draws[64];
    for (size_t i = 0; i < count; i++) {
        draws[i] = (struct draw){first + i, PIXELS};
    }
    digest_draws(draws, count, hex);
}

/* --- frames in order -------------------------------------------------------------------------- */

static void test_order(void **state)
{
    (void)state;
    char hex[33], expected[33];
    struct vks_ring_stats stats;
    struct vks_sink sink = plain_sink;
    struct vks_collage collage = {.every = 10};
    struct vks_ring *ring = open_ring(&sink, &collage, true, 40);
    push(ring, 40);
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    assert_int_equal(sink.written, 40);
    for (size_t i = 0; i < 40; i++) {
        assert_frame(&sink, i, i, i);
        assert_int_equal(sink.frames[i].width, WIDTH);
        assert_int_equal(sink.frames[i].height, HEIGHT);
        assert_int_equal(sink.frames[i].rows, 0);
        assert_null(sink.frames[i].planes[VKS_PLANE_YUV]);
        assert_null(sink.frames[i].planes[VKS_PLANE_RGBA16]);
        assert_null(sink.frames[i].planes[VKS_PLANE_VALUES]);
    }
    assert_int_equal(collage.count, 4);
    assert_int_equal(collage.indices[3], 30);
    vks_ring_stats(ring, &stats);
    assert_int_equal(stats.frames, 40);
    assert_true(stats.first_frame > 0 && stats.encoder_busy >= 0 && stats.digest_busy >= 0);
    vks_ring_digest(ring, hex);
    digest_frames(0, 40, expected);
    assert_string_equal(hex, expected);
    vks_ring_destroy(ring);
}

/* The thumbnails get frames of their own choice, besides the collage and without a digest. */
static void test_thumbnails(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink, *sinks[] = {&sink};
    struct vks_collage collage = {.every = 4}, thumbnails = {.every = 6};
    const struct vks_ring_params params = {
        .width = WIDTH,
        .height = HEIGHT,
        .sinks = sinks,
        .sink_count = 1,
        .collage = &collage,
        .thumbnails = &thumbnails,
        .frames = 13,
        .interrupted = interrupted,
    };
    struct vks_ring *ring;
    assert_int_equal(vks_ring_create(&gpu, &one_band, &params, &ring), VKS_OK);
    push(ring, 13);
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    assert_int_equal(sink.written, 13);
    assert_int_equal(collage.count, 4);
    assert_int_equal(thumbnails.count, 3);
    assert_int_equal(thumbnails.indices[2], 12);
    vks_ring_destroy(ring);
}

/* The sink gets a frame when the device is done with it, and not before; the same slots serve again
 * without a byte of another frame. */
static void test_late_device(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    device.manual = true;
    struct vks_ring *ring = open_ring(&sink, NULL, true, 20);
    push(ring, 3);
    sleep_ms(20);
    assert_int_equal(written(&sink), 0);
    reach(1);
    await_written(&sink, 1);
    reach(3);
    await_written(&sink, 3);
    for (uint64_t i = 3; i < 20; i++) {
        push(ring, 1);
        reach(i + 1);
    }
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    for (size_t i = 0; i < 20; i++) {
        assert_frame(&sink, i, i, i);
    }
    vks_ring_destroy(ring);
}

/* The first frame has a number, and planes are those that the sink takes. */
static void test_planes(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    struct vks_ring *ring = NULL;
    sink.planes = 1U << VKS_PLANE_YUV;
    assert_int_equal(create(&one_band, &sink, NULL, false, 7, 2, &ring), VKS_OK);
    push(ring, 2);
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    vks_ring_destroy(ring);
    assert_int_equal(sink.written, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_frame(&sink, i, 7 + i, i);
        assert_null(sink.frames[i].planes[VKS_PLANE_RGBA]);
        assert_int_equal(sink.frames[i].coded_width, 8);
        assert_int_equal(sink.frames[i].coded_height, 4);
    }
}

/* A field that the run does not draw. */
static void test_missing_field(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    struct vks_ring *ring = NULL;
    device.fields = " picture ";
    sink.planes = 1U << VKS_PLANE_RGBA16;
    assert_int_equal(create(&one_band, &sink, NULL, false, 0, 2, &ring), VKS_ERROR_USAGE);
    assert_null(ring);
    assert_non_null(strstr(vks_error_text(), "'fake.png' needs 'picture16'"));
    assert_int_equal(device.buffers, 0);
}

/* A picture in bands, seen twice where it may be transparent; the digest sees it once. */
static void test_bands(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    struct vks_ring *ring = NULL;
    struct vks_ring_stats stats;
    char hex[33], expected[33];
    const struct vks_bands bands = {.height = HEIGHT, .rows = 3, .alpha = true};
    assert_int_equal(create(&bands, &sink, NULL, true, 0, 1, &ring), VKS_OK);
    push(ring, 1);
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    vks_ring_stats(ring, &stats);
    vks_ring_digest(ring, hex);
    vks_ring_destroy(ring);
    digest_draws((const struct draw[]){{2, 3 * WIDTH}, {3, WIDTH}}, 2, expected);
    assert_string_equal(hex, expected);
    assert_int_equal(sink.written, 4);
    assert_int_equal(stats.frames, 1);
    assert_int_equal(device.begun, 1);
    for (size_t i = 0; i < 4; i++) {
        assert_frame(&sink, i, 0, i);
        assert_int_equal(device.drawn[i], i % 2 * 3);
        assert_int_equal(sink.frames[i].row, i % 2 * 3);
        assert_int_equal(sink.frames[i].rows, i % 2 ? 1 : 3);
        assert_int_equal(sink.frames[i].survey, i < 2);
    }
}

/* A still of the last frame: the others are drawn, for a smooth range, and not copied. */
static void test_only_last(void **state)
{
    (void)state;
    char hex[33], expected[33];
    for (int digest = 0; digest < 2; digest++) {
        struct vks_sink sink = plain_sink;
        sink.only_last = true;
        sink.last = 9;
        device.copy_count = device.done_count = 0;
        const uint64_t draws = device.draws;
        struct vks_ring *ring = open_ring(&sink, NULL, digest, 10);
        push(ring, 10);
        assert_int_equal(vks_ring_push_last(ring), VKS_OK); /* it has had its frame */
        assert_int_equal(vks_ring_drain(ring), VKS_OK);
        assert_int_equal(device.draws - draws, 10);
        assert_int_equal(device.copy_count, digest ? 10 : 1);
        assert_int_equal(sink.written, 1);
        assert_frame(&sink, 0, 9, draws + 9);
        if (digest) { /* of all frames, also those that the sink leaves out */
            vks_ring_digest(ring, hex);
            digest_frames(draws, 10, expected);
            assert_string_equal(hex, expected);
        }
        vks_ring_destroy(ring);
    }
    /* A run that ends early: the state as it is. */
    struct vks_sink sink = plain_sink;
    sink.only_last = true;
    sink.last = 9;
    struct vks_ring *ring = open_ring(&sink, NULL, false, 10);
    push(ring, 4);
    const uint64_t draws = device.draws;
    assert_int_equal(vks_ring_push_last(ring), VKS_OK);
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    vks_ring_destroy(ring);
    assert_int_equal(sink.written, 1);
    assert_frame(&sink, 0, 4, draws);
}

/* A ring of 100 frames for several sinks. */
static struct vks_ring *open_sinks(struct vks_sink *const *sinks, size_t count)
{
    const struct vks_ring_params params = {
        .width = WIDTH,
        .height = HEIGHT,
        .sinks = sinks,
        .sink_count = count,
        .frames = 100,
        .interrupted = interrupted,
    };
    struct vks_ring *ring;
    assert_int_equal(vks_ring_create(&gpu, &one_band, &params, &ring), VKS_OK);
    return ring;
}

/* Every sink has its own thread and gets the frames and the planes that it needs; a slow one holds
 * up the others only once all slots are full. */
static void test_several_sinks(void **state)
{
    (void)state;
    struct vks_ring_stats stats;
    struct vks_sink quick = plain_sink, slow = plain_sink, last = plain_sink;
    struct vks_sink *sinks[] = {&quick, &slow, &last};
    slow.planes = vks_plane_bit(VKS_PLANE_YUV);
    last.only_last = true;
    last.last = 99;
    struct vks_ring *ring = open_sinks(sinks, 3);
    block(&slow, true);
    push(ring, 5);
    await_written(&quick, 5);
    assert_int_equal(written(&slow), 0);
    block(&slow, false);
    push(ring, 20);
    assert_int_equal(vks_ring_push_last(ring), VKS_OK); /* a run that ends early */
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    vks_ring_stats(ring, &stats);
    assert_int_equal(stats.frames, 25);
    vks_ring_destroy(ring);
    assert_int_equal(quick.written, 25);
    assert_int_equal(slow.written, 25);
    assert_int_equal(last.written, 1);
    for (size_t i = 0; i < 25; i++) {
        assert_frame(&quick, i, i, i);
        assert_int_equal(slow.frames[i].index, i);
        assert_non_null(slow.frames[i].planes[VKS_PLANE_YUV]);
    }
    assert_frame(&last, 0, 25, 25);
}

/* The failure of one sink ends the run; the others keep what they have. */
static void test_one_of_several_fails(void **state)
{
    (void)state;
    struct vks_sink good = plain_sink, bad = plain_sink, *sinks[] = {&good, &bad};
    bad.fail_at = 3;
    struct vks_ring *ring = open_sinks(sinks, 2);
    enum vks_result result = VKS_OK;
    for (unsigned i = 0; i < 100 && result == VKS_OK; i++) {
        result = vks_ring_push(ring);
    }
    assert_int_equal(result, VKS_ERROR_FILE);
    assert_string_equal(vks_error_text(), "the disk is full at frame 3");
    assert_int_equal(vks_ring_drain(ring), VKS_ERROR_FILE);
    vks_ring_destroy(ring);
    assert_int_equal(bad.written, 3);
    assert_true(good.written < 100);
}

/* --- waiting ---------------------------------------------------------------------------------- */

struct pusher {
    struct vks_ring *ring;
    uint64_t pushed; /* under the device's lock */
    uint64_t frames;
    enum vks_result result;
};

static void *push_all(void *user)
{
    struct pusher *pusher = user;
    for (uint64_t i = 0; i < pusher->frames && pusher->result == VKS_OK; i++) {
        pusher->result = vks_ring_push(pusher->ring);
        pthread_mutex_lock(&device.lock);
        pusher->pushed += pusher->result == VKS_OK;
        pthread_mutex_unlock(&device.lock);
    }
    return NULL;
}

static uint64_t pushed(struct pusher *pusher)
{
    pthread_mutex_lock(&device.lock);
    const uint64_t count = pusher->pushed;
    pthread_mutex_unlock(&device.lock);
    return count;
}

/* Waits until the pusher gets no further: a busy machine may stop its thread for a while. */
static uint64_t await_stop(struct pusher *pusher)
{
    uint64_t before = 0;
    for (int same = 0; same < 8; same++) {
        sleep_ms(50);
        const uint64_t now = pushed(pusher);
        if (now != before || now == 0) {
            same = 0;
        }
        before = now;
    }
    return before;
}

static void test_slow_sink(void **state)
{
    (void)state;
    struct vks_ring_stats stats;
    struct vks_sink sink = plain_sink;
    sink.blocked = true;
    struct pusher pusher = {.ring = open_ring(&sink, NULL, true, 60), .frames = 60};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_all, &pusher), 0);
    /* Some slots absorb frames; then push waits, and memory is bounded. */
    const uint64_t slots = await_stop(&pusher);
    assert_in_range(slots, 2, 16);
    assert_int_equal(device.buffers, slots);
    block(&sink, false);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pusher.result, VKS_OK);
    assert_int_equal(vks_ring_drain(pusher.ring), VKS_OK);
    vks_ring_stats(pusher.ring, &stats);
    assert_true(stats.gpu_waits > 0.01); /* at least one of the looks of await_stop() */
    vks_ring_destroy(pusher.ring);
    assert_int_equal(sink.written, 60);
    for (size_t i = 0; i < 60; i++) {
        assert_frame(&sink, i, i, i);
    }
}

/* Waiting for a device that is busy is not waiting for the encoder. */
static void test_waits_of_busy_device(void **state)
{
    (void)state;
    struct vks_ring_stats stats;
    struct vks_sink sink = plain_sink;
    device.manual = true;
    struct pusher pusher = {.ring = open_ring(&sink, NULL, false, 30), .frames = 30};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_all, &pusher), 0);
    await_stop(&pusher);
    reach(1); /* waits count from the first frame on */
    sleep_ms(200);
    for (uint64_t i = 1; i <= 30; i++) {
        reach(i);
        sleep_ms(2);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    reach(30);
    assert_int_equal(vks_ring_drain(pusher.ring), VKS_OK);
    vks_ring_stats(pusher.ring, &stats);
    vks_ring_destroy(pusher.ring);
    assert_int_equal(sink.written, 30);
    assert_true(stats.encoder_waits > 0.2);
    assert_true(stats.gpu_waits < stats.encoder_waits / 2);
}

/* --- failures --------------------------------------------------------------------------------- */

static void test_sink_fails(void **state)
{
    (void)state;
    struct vks_ring_stats stats;
    struct vks_sink sink = plain_sink;
    sink.fail_at = 3;
    struct vks_ring *ring = open_ring(&sink, NULL, true, 100);
    enum vks_result result = VKS_OK;
    unsigned count = 0;
    for (; count < 100 && result == VKS_OK; count++) {
        result = vks_ring_push(ring);
    }
    /* Seen by a later push, on this thread, with the sink's sentence; nothing is written after. */
    assert_int_equal(result, VKS_ERROR_FILE);
    assert_string_equal(vks_error_text(), "the disk is full at frame 3");
    assert_in_range(count, 4, 20);
    vks_fail(VKS_ERROR_USAGE, "something else");
    assert_int_equal(vks_ring_drain(ring), VKS_ERROR_FILE);
    assert_string_equal(vks_error_text(), "the disk is full at frame 3");
    assert_int_equal(vks_ring_push(ring), VKS_ERROR_FILE);
    vks_ring_stats(ring, &stats);
    assert_int_equal(stats.frames, 3);
    vks_ring_destroy(ring);
    assert_int_equal(sink.written, 3);
}

static void test_draw_fails(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    struct vks_ring *ring = open_ring(&sink, NULL, false, 10);
    device.fail_at = 3;
    push(ring, 2);
    assert_int_equal(vks_ring_push(ring), VKS_ERROR_GPU);
    assert_string_equal(vks_error_text(), "this frame cannot be drawn");
    /* What was drawn before is kept, and the frame may be tried again. */
    push(ring, 1);
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    vks_ring_destroy(ring);
    assert_int_equal(sink.written, 3);
    assert_frame(&sink, 2, 2, 3);
}

static void test_device_lost(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    device.manual = true;
    struct vks_ring *ring = open_ring(&sink, NULL, true, 10);
    push(ring, 2);
    pthread_mutex_lock(&device.lock);
    device.lost = true;
    pthread_cond_broadcast(&device.changed);
    pthread_mutex_unlock(&device.lock);
    assert_int_equal(vks_ring_drain(ring), VKS_ERROR_GPU);
    assert_string_equal(vks_error_text(), "the device is lost");
    vks_ring_destroy(ring);
    assert_int_equal(sink.written, 0);
}

/* --- interruption ----------------------------------------------------------------------------- */

static void set_interrupt(void)
{
    pthread_mutex_lock(&device.lock);
    interrupt = true;
    pthread_mutex_unlock(&device.lock);
}

/* A push that waits for the sink gives up; its frame is not drawn. The sink goes on. */
static void test_interrupted_push(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    sink.blocked = true;
    struct pusher pusher = {.ring = open_ring(&sink, NULL, false, 60), .frames = 60};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_all, &pusher), 0);
    const uint64_t slots = await_stop(&pusher);
    set_interrupt();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pusher.result, VKS_INTERRUPTED);
    assert_int_equal(pusher.pushed, slots);
    assert_int_equal(device.draws, slots);
    block(&sink, false);
    assert_int_equal(vks_ring_drain(pusher.ring), VKS_OK);
    vks_ring_destroy(pusher.ring);
    assert_false(sink.cancelled);
    assert_int_equal(sink.written, slots);
}

/* An interrupted run does not wait for a reader that takes nothing. */
static void test_cancel(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    sink.blocked = true;
    struct vks_ring *ring = open_ring(&sink, NULL, false, 10);
    push(ring, 2);
    set_interrupt();
    assert_int_equal(vks_ring_drain(ring), VKS_INTERRUPTED);
    vks_ring_destroy(ring);
    assert_true(sink.cancelled);
    assert_int_equal(sink.written, 0);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Frames on their way are dropped, but for the one that the sink is writing; copies under way are
 * waited for. */
static void *destroy(void *user)
{
    vks_ring_destroy(user);
    return NULL;
}

static void test_dropped(void **state)
{
    (void)state;
    struct vks_sink sink = plain_sink;
    pthread_t thread;
    device.manual = true;
    sink.blocked = true;
    struct vks_ring *ring = open_ring(&sink, NULL, false, 10);
    push(ring, 5);
    reach(2);
    pthread_mutex_lock(&device.lock);
    while (!sink.writing) {
        pthread_cond_wait(&device.changed, &device.lock);
    }
    pthread_mutex_unlock(&device.lock);
    assert_int_equal(pthread_create(&thread, NULL, destroy, ring), 0);
    sleep_ms(300); /* the ring is told to stop while the sink writes */
    block(&sink, false);
    sleep_ms(50);
    assert_int_equal(device.buffers > 0, 1); /* three copies are not done */
    reach(5);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sink.written, 1);
    assert_frame(&sink, 0, 0, 0);
    assert_int_equal(device.buffers, 0);
}

static void test_nothing(void **state)
{
    (void)state;
    char hex[33], expected[33];
    struct vks_sink sink = plain_sink;
    struct vks_ring_stats stats;
    vks_ring_destroy(NULL);
    struct vks_ring *ring = open_ring(&sink, NULL, true, 10);
    assert_int_equal(vks_ring_drain(ring), VKS_OK);
    vks_ring_stats(ring, &stats);
    assert_int_equal(stats.frames, 0);
    assert_true(stats.first_frame <= 0 && stats.copies <= 0);
    vks_ring_digest(ring, hex);
    digest_frames(0, 0, expected);
    assert_string_equal(hex, expected);
    vks_ring_destroy(ring);
    assert_int_equal(sink.written, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, begin, end),
        cmocka_unit_test_setup_teardown(test_thumbnails, begin, end),
        cmocka_unit_test_setup_teardown(test_late_device, begin, end),
        cmocka_unit_test_setup_teardown(test_planes, begin, end),
        cmocka_unit_test_setup_teardown(test_missing_field, begin, end),
        cmocka_unit_test_setup_teardown(test_bands, begin, end),
        cmocka_unit_test_setup_teardown(test_only_last, begin, end),
        cmocka_unit_test_setup_teardown(test_several_sinks, begin, end),
        cmocka_unit_test_setup_teardown(test_one_of_several_fails, begin, end),
        cmocka_unit_test_setup_teardown(test_slow_sink, begin, end),
        cmocka_unit_test_setup_teardown(test_waits_of_busy_device, begin, end),
        cmocka_unit_test_setup_teardown(test_sink_fails, begin, end),
        cmocka_unit_test_setup_teardown(test_draw_fails, begin, end),
        cmocka_unit_test_setup_teardown(test_device_lost, begin, end),
        cmocka_unit_test_setup_teardown(test_interrupted_push, begin, end),
        cmocka_unit_test_setup_teardown(test_cancel, begin, end),
        cmocka_unit_test_setup_teardown(test_dropped, begin, end),
        cmocka_unit_test_setup_teardown(test_nothing, begin, end),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
