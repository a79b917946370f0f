/* SPDX-License-Identifier: MIT */
#include "ring_fakes.h"

#include <time.h>

/* --- the fake device -------------------------------------------------------------------------- */

struct fake_device device;
struct vks_gpu gpu;

uint8_t byte_at(uint64_t draw, size_t at)
{
    return (uint8_t)(draw * 37 + at);
}

/* Call with the lock held. */
static void complete(uint64_t value)
{
    device.reached = value;
    for (; device.done_count < device.copy_count; device.done_count++) {
        const struct copy *copy = &device.copies[device.done_count];
        if (copy->value > value) {
            break;
        }
        for (size_t i = 0; i < copy->size; i++) {
            copy->target[i] = (uint8_t)(copy->first + i);
        }
    }
    pthread_cond_broadcast(&device.changed);
}

void reach(uint64_t value)
{
    pthread_mutex_lock(&device.lock);
    complete(value);
    pthread_mutex_unlock(&device.lock);
}

/* The names in the linker's --wrap. */
enum vks_result __wrap_vks_gpu_wait(struct vks_gpu *self, uint64_t value);
bool __wrap_vks_gpu_reached(const struct vks_gpu *self, uint64_t value);
enum vks_result __wrap_vks_buffer_create(struct vks_gpu *self, struct vks_buffer *buffer,
                                         uint64_t size, enum vks_memory kind, const char *what);
void __wrap_vks_buffer_destroy(struct vks_gpu *self, struct vks_buffer *buffer);
enum vks_result __wrap_vks_buffer_invalidate(struct vks_gpu *self, const struct vks_buffer *buffer);
VkBuffer __wrap_vks_graph_buffer(const struct vks_graph *graph, const char *field);
enum vks_result __wrap_vks_bands_begin(const struct vks_bands *bands);
enum vks_result __wrap_vks_bands_draw(const struct vks_bands *bands, uint32_t row,
                                      void (*record)(void *user, VkCommandBuffer commands),
                                      void *user, uint64_t *value);

enum vks_result __wrap_vks_gpu_wait(struct vks_gpu *self, uint64_t value)
{
    (void)self;
    pthread_mutex_lock(&device.lock);
    while (device.reached < value && !device.lost) {
        pthread_cond_wait(&device.changed, &device.lock);
    }
    const bool lost = device.lost;
    pthread_mutex_unlock(&device.lock);
    return lost ? vks_fail(VKS_ERROR_GPU, "the device is lost") : VKS_OK;
}

bool __wrap_vks_gpu_reached(const struct vks_gpu *self, uint64_t value)
{
    (void)self;
    pthread_mutex_lock(&device.lock);
    const bool reached = device.reached >= value;
    pthread_mutex_unlock(&device.lock);
    return reached;
}

/* As the ring waits for a moment of its own choice. */
static VkResult VKAPI_CALL wait_semaphores(VkDevice self, const VkSemaphoreWaitInfo *info,
                                           uint64_t timeout)
{
    (void)self;
    const struct timespec moment = {.tv_nsec = (long)(timeout < 1000000 ? timeout : 1000000)};
    if (!__wrap_vks_gpu_reached(&gpu, info->pValues[0])) {
        nanosleep(&moment, NULL);
    }
    return __wrap_vks_gpu_reached(&gpu, info->pValues[0]) ? VK_SUCCESS : VK_TIMEOUT;
}

static VkResult VKAPI_CALL wait_idle(VkDevice self)
{
    (void)self;
    reach(gpu.submitted);
    return VK_SUCCESS;
}

enum vks_result __wrap_vks_buffer_create(struct vks_gpu *self, struct vks_buffer *buffer,
                                         uint64_t size, enum vks_memory kind, const char *what)
{
    (void)self, (void)what;
    assert_int_equal(kind, VKS_MEMORY_READBACK);
    assert_true(size > 0);
    buffer->map = malloc(size);
    assert_non_null(buffer->map);
    memset(buffer->map, STALE, size);
    buffer->size = size;
    buffer->buffer = (VkBuffer)buffer->map;
    device.buffers++;
    return VKS_OK;
}

void __wrap_vks_buffer_destroy(struct vks_gpu *self, struct vks_buffer *buffer)
{
    (void)self;
    if (buffer->map) {
        pthread_mutex_lock(&device.lock);
        for (size_t i = device.done_count; i < device.copy_count; i++) {
            assert_true(device.copies[i].target != buffer->map); /* the device still writes it */
        }
        device.buffers--;
        pthread_mutex_unlock(&device.lock);
        free(buffer->map);
    }
    *buffer = (struct vks_buffer){0};
}

enum vks_result __wrap_vks_buffer_invalidate(struct vks_gpu *self, const struct vks_buffer *buffer)
{
    (void)self;
    return buffer->map ? VKS_OK : vks_fail(VKS_ERROR_GPU, "there is no such buffer");
}

/* Any handle but none. */
VkBuffer __wrap_vks_graph_buffer(const struct vks_graph *graph, const char *field)
{
    char word[32];
    (void)graph;
    snprintf(word, sizeof(word), " %s ", field);
    return strstr(device.fields, word) ? (VkBuffer)&device : VK_NULL_HANDLE;
}

static void VKAPI_CALL copy_buffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                                   uint32_t count, const VkBufferCopy *regions)
{
    (void)commands;
    assert_true(from == (VkBuffer)&device && count == 1 && regions[0].dstOffset == 0);
    pthread_mutex_lock(&device.lock);
    assert_true(device.copy_count < MAX_COPIES);
    device.copies[device.copy_count++] = (struct copy){
        .value = gpu.submitted + 1,
        .target = (uint8_t *)to,
        .size = (size_t)regions[0].size,
        .first = byte_at(device.draws - 1, 0),
    };
    memset((void *)to, STALE, (size_t)regions[0].size);
    pthread_mutex_unlock(&device.lock);
}

enum vks_result __wrap_vks_bands_begin(const struct vks_bands *bands)
{
    (void)bands;
    device.begun++;
    return VKS_OK;
}

enum vks_result __wrap_vks_bands_draw(const struct vks_bands *bands, uint32_t row,
                                      void (*record)(void *user, VkCommandBuffer commands),
                                      void *user, uint64_t *value)
{
    (void)bands;
    if (++device.draws == device.fail_at) {
        return vks_fail(VKS_ERROR_GPU, "this frame cannot be drawn");
    }
    device.drawn[(device.draws - 1) % 64] = row;
    if (record) {
        record(user, VK_NULL_HANDLE);
    }
    *value = ++gpu.submitted;
    if (!device.manual) {
        reach(gpu.submitted);
    }
    return VKS_OK;
}

void fake_device_begin(void)
{
    memset(&device, 0, sizeof(device));
    pthread_mutex_init(&device.lock, NULL);
    pthread_cond_init(&device.changed, NULL);
    device.fields = " picture planes picture16 values ";
    memset(&gpu, 0, sizeof(gpu));
    gpu.vk.vkWaitSemaphores = wait_semaphores;
    gpu.vk.vkDeviceWaitIdle = wait_idle;
    gpu.vk.vkCmdCopyBuffer = copy_buffer;
}

void fake_device_end(void)
{
    pthread_cond_destroy(&device.changed);
    pthread_mutex_destroy(&device.lock);
}

/* --- the fake sink ---------------------------------------------------------------------------- */

uint64_t __wrap_vks_graph_steps(const struct vks_graph *graph);
uint64_t __wrap_vks_graph_steps(const struct vks_graph *graph)
{
    (void)graph;
    return 1000 + device.draws;
}

unsigned vks_sink_planes(const struct vks_sink *sink)
{
    return sink->planes;
}

bool vks_sink_needs_frame(const struct vks_sink *sink, uint64_t index)
{
    return !sink->only_last || index == sink->last;
}

const char *vks_sink_name(const struct vks_sink *sink)
{
    (void)sink;
    return "fake.png";
}

static bool counts_up(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 1; i < size; i++) {
        if (at[i] != (uint8_t)(at[0] + i)) {
            return false;
        }
    }
    return true;
}

enum vks_result vks_sink_write(struct vks_sink *sink, const struct vks_frame *frame)
{
    const size_t pixels = (size_t)WIDTH * (frame->rows ? frame->rows : HEIGHT);
    const uint8_t *rgba = frame->planes[VKS_PLANE_RGBA];
    const uint8_t *plane = rgba ? rgba : frame->planes[VKS_PLANE_YUV];
    pthread_mutex_lock(&device.lock);
    sink->writing = true;
    pthread_cond_broadcast(&device.changed);
    while (sink->blocked && !sink->cancelled) {
        pthread_cond_wait(&device.changed, &device.lock);
    }
    sink->writing = false;
    enum vks_result result = VKS_OK;
    if (sink->cancelled) {
        result = VKS_INTERRUPTED;
    } else if (frame->index == sink->fail_at) {
        result = vks_fail(VKS_ERROR_FILE, "the disk is full at frame %d", (int)frame->index);
    } else {
        const uint64_t i = sink->written++ % 64;
        sink->frames[i] = *frame;
        sink->first[i] = plane[0];
        sink->whole[i] = rgba ? counts_up(plane, pixels * 4)
                              : counts_up(plane, (size_t)frame->coded_width * frame->coded_height);
    }
    pthread_cond_broadcast(&device.changed);
    pthread_mutex_unlock(&device.lock);
    return result;
}

void vks_sink_cancel(struct vks_sink *sink)
{
    pthread_mutex_lock(&device.lock);
    sink->cancelled = true;
    pthread_cond_broadcast(&device.changed);
    pthread_mutex_unlock(&device.lock);
}

void block(struct vks_sink *sink, bool blocked)
{
    pthread_mutex_lock(&device.lock);
    sink->blocked = blocked;
    pthread_cond_broadcast(&device.changed);
    pthread_mutex_unlock(&device.lock);
}

uint64_t written(struct vks_sink *sink)
{
    pthread_mutex_lock(&device.lock);
    const uint64_t count = sink->written;
    pthread_mutex_unlock(&device.lock);
    return count;
}

void sleep_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

void await_written(struct vks_sink *sink, uint64_t count)
{
    for (int i = 0; i < 10000 && written(sink) < count; i++) {
        sleep_ms(1);
    }
    assert_int_equal(written(sink), count);
}

void assert_frame(const struct vks_sink *sink, size_t i, uint64_t index, uint64_t draw)
{
    assert_int_equal(sink->frames[i].index, index);
    assert_int_equal(sink->first[i], byte_at(draw, 0));
    assert_true(sink->whole[i]);
}

/* --- the fake collage ------------------------------------------------------------------------- */

bool vks_collage_takes(const struct vks_collage *collage, uint64_t frame)
{
    return frame % collage->every == 0;
}

enum vks_result vks_collage_add(struct vks_collage *collage, const struct vks_frame *frame)
{
    assert_true(counts_up(frame->planes[VKS_PLANE_RGBA], PIXELS * 4));
    collage->indices[collage->count++] = frame->index;
    return VKS_OK;
}
