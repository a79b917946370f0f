/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* What opening a device costs, call by call, each run in a process of its own. Arguments: words of
 * `variant`, or `maps` for the libraries that each call loads. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <volk.h>

#include "base/clock.h"
#include "base/memory.h"

enum { RUNS = 7, STAGES = 10 };

static const char *const stage_names[STAGES] = {"load",    "instance", "list",   "ask",    "device",
                                                "objects", "cache",    "memory", "submit", "total"};

/* --- calls of the driver, by kind ------------------------------------------------------------- */

enum { K_IOCTL, K_MMAP, K_MUNMAP, K_OPEN, K_DLOPEN, KINDS };
static const char *const kind_names[KINDS] = {"ioctl", "mmap", "munmap", "open", "dlopen"};
static double spent[KINDS];
static unsigned long called[KINDS];
static double longest_ioctl[8];
static unsigned long longest_request[8];

static void add(int kind, double begin)
{
    spent[kind] += vks_seconds() - begin;
    called[kind]++;
}

#define EXPORT __attribute__((visibility("default")))
int ioctl(int fd, unsigned long request, ...);
EXPORT int ioctl(int fd, unsigned long request, ...)
{
    static int (*real)(int, unsigned long, ...);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    }
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    const double begin = vks_seconds();
    const int result = real(fd, request, arg);
    add(K_IOCTL, begin);
    double took = vks_seconds() - begin;
    for (int i = 0; i < 8; i++) {
        if (took > longest_ioctl[i]) {
            const double t = longest_ioctl[i];
            const unsigned long r = longest_request[i];
            longest_ioctl[i] = took;
            longest_request[i] = request;
            took = t;
            request = r;
        }
    }
    return result;
}

EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "mmap64");
    }
    const double begin = vks_seconds();
    void *result = real(at, size, protection, flags, fd, offset);
    add(K_MMAP, begin);
    return result;
}

EXPORT int munmap(void *at, size_t size)
{
    static int (*real)(void *, size_t);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "munmap");
    }
    const double begin = vks_seconds();
    const int result = real(at, size);
    add(K_MUNMAP, begin);
    return result;
}

EXPORT int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "open64");
    }
    va_list args;
    va_start(args, flags);
    const int mode = va_arg(args, int);
    va_end(args);
    const double begin = vks_seconds();
    const int result = real(path, flags, mode);
    add(K_OPEN, begin);
    return result;
}

EXPORT void *dlopen(const char *path, int flags)
{
    static void *(*real)(const char *, int);
    static int depth;
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    }
    const double begin = vks_seconds();
    depth++;
    void *result = real(path, flags);
    if (--depth == 0) {
        add(K_DLOPEN, begin);
    }
    return result;
}

static void list_calls(const char *stage)
{
    printf("%s:", stage);
    for (int i = 0; i < KINDS; i++) {
        printf(" %s %lu in %.1f ms", kind_names[i], called[i], 1e3 * spent[i]);
    }
    printf("; longest ioctls");
    for (int i = 0; i < 8; i++) {
        printf(" %lx %.1f", longest_request[i], 1e3 * longest_ioctl[i]);
        longest_ioctl[i] = 0;
    }
    printf("\n");
    memset(spent, 0, sizeof(spent));
    memset(called, 0, sizeof(called));
}

struct usage {
    double wall, user, system;
};

static struct usage now(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (struct usage){vks_seconds(),
                          (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec,
                          (double)r.ru_stime.tv_sec + 1e-6 * (double)r.ru_stime.tv_usec};
}

static char seen[400][256];
static size_t seen_count;

static void list_maps(const char *stage)
{
    list_calls(stage);
    FILE *file = fopen("/proc/self/maps", "r");
    char line[1024];
    printf("%s:", stage);
    while (file && fgets(line, sizeof(line), file)) {
        char *path = strchr(line, '/');
        bool known = !path || !strstr(path, ".so");
        if (path) {
            path[strcspn(path, "\n")] = '\0';
        }
        for (size_t i = 0; !known && i < seen_count; i++) {
            known = strcmp(seen[i], path) == 0;
        }
        if (!known && seen_count < 400) {
            snprintf(seen[seen_count++], 256, "%s", path);
            printf(" %s", strrchr(path, '/') + 1);
        }
    }
    printf("\n");
    if (file) {
        fclose(file);
    }
}

static bool has(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static void *load_video(void *user)
{
    double *seconds = user;
    const double begin = vks_seconds();
    void *handle = dlopen("libavformat.so.59", RTLD_LAZY);
    handle = handle ? handle : dlopen("libavformat.so.61", RTLD_LAZY);
    handle = handle ? handle : dlopen("libavformat.so.60", RTLD_LAZY);
    *seconds = handle ? vks_seconds() - begin : -1;
    return NULL;
}

static int child(int argc, char **argv, int out)
{
    struct usage at[STAGES + 1];
    double times[STAGES][3], video = 0;
    pthread_t thread;
    const bool maps = has(argc, argv, "maps");
    bool threaded = false;
    VkInstance instance;
    VkDevice device;
    VkPhysicalDevice physical[16];
    uint32_t count = 16;
    at[0] = now();
    if (maps) {
        list_maps("before");
    }
    if (has(argc, argv, "video-instance")) {
        threaded = pthread_create(&thread, NULL, load_video, &video) == 0;
    }
    if (has(argc, argv, "video-first")) {
        load_video(&video);
    }
    if (volkInitialize() != VK_SUCCESS) {
        return 1;
    }
    at[1] = now();
    if (maps) {
        list_maps("load");
    }
    const char *const debug = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "vksim",
                                     .pEngineName = "vksim",
                                     .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = !has(argc, argv, "no-debug"),
                                 .ppEnabledExtensionNames = &debug};
    if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS) {
        return 1;
    }
    at[2] = now();
    if (maps) {
        list_maps("instance");
    }
    volkLoadInstanceOnly(instance);
    if (vkEnumeratePhysicalDevices(instance, &count, physical) < 0 || count == 0) {
        return 1;
    }
    at[3] = now();
    if (maps) {
        list_maps("list");
    }
    VkPhysicalDeviceProperties2 properties = {.sType =
                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vkGetPhysicalDeviceProperties2(physical[0], &properties);
    VkExtensionProperties extensions[512];
    uint32_t extension_count = 512;
    vkEnumerateDeviceExtensionProperties(physical[0], NULL, &extension_count, extensions);
    VkPhysicalDeviceVulkan13Features v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &v12};
    vkGetPhysicalDeviceFeatures2(physical[0], &features);
    VkQueueFamilyProperties families[16];
    uint32_t family_count = 16, family = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical[0], &family_count, families);
    for (uint32_t i = 0; i < family_count; i++) {
        if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) &&
            (bool)(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) !=
                has(argc, argv, "compute-queue")) {
            family = i;
            break;
        }
    }
    at[4] = now();
    if (maps) {
        list_maps("ask");
        printf("device: %s, family %u of %u\n", properties.properties.deviceName, family,
               family_count);
    }
    if (has(argc, argv, "video-device")) {
        threaded = pthread_create(&thread, NULL, load_video, &video) == 0;
    }
    const char *wanted[8];
    uint32_t wanted_count = 0;
    for (uint32_t i = 0; i < extension_count; i++) {
        if ((has(argc, argv, "timestamps") &&
             strcmp(extensions[i].extensionName, "VK_EXT_calibrated_timestamps") == 0) ||
            (has(argc, argv, "budget") &&
             strcmp(extensions[i].extensionName, "VK_EXT_memory_budget") == 0) ||
            (has(argc, argv, "matrix") &&
             strcmp(extensions[i].extensionName, "VK_KHR_cooperative_matrix") == 0) ||
            (has(argc, argv, "matrix2") &&
             strcmp(extensions[i].extensionName, "VK_NV_cooperative_matrix2") == 0)) {
            wanted[wanted_count++] = extensions[i].extensionName;
        }
    }
    v13 = (VkPhysicalDeviceVulkan13Features){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    v12 = (VkPhysicalDeviceVulkan12Features){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13};
    features = (VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                           .pNext = &v12};
    const bool plain = has(argc, argv, "no-features");
    v12.timelineSemaphore = !plain;
    v12.bufferDeviceAddress = !plain && !has(argc, argv, "no-address");
    v13.synchronization2 = !plain;
    v13.maintenance4 = !plain;
    v13.subgroupSizeControl = !plain;
    v13.computeFullSubgroups = !plain;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = family,
                                     .queueCount = 1,
                                     .pQueuePriorities = (const float[]){1.0f}};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .pNext = &features,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue,
                                      .enabledExtensionCount = wanted_count,
                                      .ppEnabledExtensionNames = wanted};
    if (vkCreateDevice(physical[0], &device_info, NULL, &device) != VK_SUCCESS) {
        return 1;
    }
    at[5] = now();
    if (maps) {
        list_maps("device");
    }
    struct VolkDeviceTable vk;
    volkLoadDeviceTable(&vk, device);
    VkQueue q;
    VkFence fence;
    vk.vkGetDeviceQueue(device, family, 0, &q);
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    vk.vkCreateFence(device, &fence_info, NULL, &fence);
    VkCommandPool pool;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = family};
    vk.vkCreateCommandPool(device, &pool_info, NULL, &pool);
    at[6] = now();
    if (maps) {
        list_maps("objects");
    }
    VkPipelineCacheCreateInfo cache_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    const char *name = getenv("STARTUP_CACHE");
    FILE *file = name ? fopen(name, "rb") : NULL;
    static char bytes[1 << 22];
    if (file) {
        const size_t size = fread(bytes, 1, sizeof(bytes), file);
        fclose(file);
        if (size > 32) {
            cache_info.initialDataSize = size - 32;
            cache_info.pInitialData = bytes + 32;
        }
    }
    vk.vkCreatePipelineCache(device, &cache_info, NULL, &cache);
    at[7] = now();
    if (maps) {
        list_maps("cache");
    }
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical[0], &memory);
    VkDeviceMemory blocks[2];
    const VkMemoryPropertyFlags flags[2] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                            VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
            if (memory.memoryTypes[i].propertyFlags & flags[k]) {
                VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                 .allocationSize = 32U << 20,
                                                 .memoryTypeIndex = i};
                void *mapped;
                vk.vkAllocateMemory(device, &allocate, NULL, &blocks[k]);
                if (k == 1) {
                    vk.vkMapMemory(device, blocks[k], 0, VK_WHOLE_SIZE, 0, &mapped);
                }
                break;
            }
        }
    }
    at[8] = now();
    if (maps) {
        list_maps("memory");
    }
    vk.vkQueueSubmit(q, 0, NULL, fence);
    vk.vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
    if (threaded) {
        pthread_join(thread, NULL);
    }
    at[9] = now();
    if (maps) {
        list_maps("submit");
        return 0;
    }
    for (int i = 0; i < STAGES; i++) {
        const struct usage from = i + 1 < STAGES ? at[i] : at[0];
        const struct usage to = i + 1 < STAGES ? at[i + 1] : at[STAGES - 1];
        times[i][0] = to.wall - from.wall;
        times[i][1] = to.user - from.user;
        times[i][2] = to.system - from.system;
    }
    const bool fine = write(out, times, sizeof(times)) == sizeof(times) &&
                      write(out, &video, sizeof(video)) == sizeof(video);
    _exit(fine ? 0 : 1);
}

int main(int argc, char **argv)
{
    double times[RUNS][STAGES][3], video[RUNS];
    for (int run = 0; run < RUNS; run++) {
        int ends[2];
        int status = 1;
        if (pipe(ends) != 0) {
            return 1;
        }
        const pid_t pid = fork();
        if (pid == 0) {
            const int result = child(argc, argv, ends[1]);
            fflush(stdout);
            _exit(result);
        }
        waitpid(pid, &status, 0);
        if (status != 0) {
            fprintf(stderr, "startup: a run failed\n");
            return 1;
        }
        if (has(argc, argv, "maps")) {
            return 0;
        }
        if (read(ends[0], times[run], sizeof(times[run])) != sizeof(times[run]) ||
            read(ends[0], &video[run], sizeof(video[run])) != sizeof(video[run])) {
            return 1;
        }
        close(ends[0]);
        close(ends[1]);
    }
    for (int i = 1; i < argc; i++) {
        printf("%s ", argv[i]);
    }
    printf("| ms, shortest of %d (median; user + system):", RUNS);
    for (int s = 0; s < STAGES; s++) {
        int order[RUNS];
        for (int r = 0; r < RUNS; r++) {
            int at = r;
            for (; at > 0 && times[order[at - 1]][s][0] > times[r][s][0]; at--) {
                order[at] = order[at - 1];
            }
            order[at] = r;
        }
        const double *low = times[order[0]][s];
        printf(" %s %.1f (%.1f; %.1f+%.1f)", stage_names[s], 1e3 * low[0],
               1e3 * times[order[RUNS / 2]][s][0], 1e3 * low[1], 1e3 * low[2]);
    }
    printf(" video %.1f\n", 1e3 * video[0]);
    return 0;
}
