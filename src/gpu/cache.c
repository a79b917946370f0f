/* SPDX-License-Identifier: MIT */
/* The pipeline cache on disk: one file per device and driver. Its digest is checked before the
 * driver gets the data. */
#include "gpu/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "gpu/debug.h"
#include "base/file.h"

static const char magic[8] = "VKSIMPC1";

struct header {
    char magic[8];
    uint64_t size;
    unsigned char digest[16];
};

static void digest_of(const void *data, size_t size, unsigned char digest[16])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
    memcpy(digest, canonical.digest, 16);
}

/* Makes the folders of a file. */
static void make_folders(const char *path)
{
    char *folder = vks_folder_of(path);
    const int error = folder ? vks_make_folders(folder) : ENOMEM;
    if (error) {
        vks_message(VKS_LOG_VERBOSE, "cannot make '%s': %s", path, vks_errno_text(error));
    }
    free(folder);
}

char *vks_cache_name(const char *file)
{
    const char *own = vks_environment("VKSIM_CACHE_DIR");
    const char *cache = vks_environment("XDG_CACHE_HOME");
    const char *home = vks_environment("HOME");
    if (own && own[0]) {
        return vks_format("%s/%s", own, file);
    }
    if (cache && cache[0] == '/') { /* the specification ignores relative paths */
        return vks_format("%s/vksim/%s", cache, file);
    }
    /* A relative HOME is ignored, too. */
    return home && home[0] == '/' ? vks_format("%s/.cache/vksim/%s", home, file) : NULL;
}

char *vks_gpu_cache_name(const struct vks_gpu *gpu, const char *kind, const char *extension)
{
    const VkPhysicalDeviceProperties *p = &gpu->properties;
    char uuid[2 * VK_UUID_SIZE + 1];
    for (unsigned i = 0; i < VK_UUID_SIZE; i++) {
        sprintf(uuid + 2 * i, "%02x", p->pipelineCacheUUID[i]);
    }
    char *file = vks_format("%s-%04x-%04x-%08x-%s.%s", kind, p->vendorID, p->deviceID,
                            p->driverVersion, uuid, extension);
    char *path = file ? vks_cache_name(file) : NULL;
    free(file);
    return path;
}

/* The cache data in the file; NULL if it is missing, damaged or truncated. */
static char *load(const char *path, char **file, size_t *size)
{
    size_t file_size;
    struct vks_error before; /* a missing file is not an error */
    vks_error_keep(VKS_OK, &before);
    if (vks_read_regular_file(path, (size_t)1 << 30, file, &file_size) != VKS_OK) {
        vks_fail_again(&before);
        *file = NULL;
        return NULL;
    }
    struct header header;
    unsigned char digest[16];
    if (file_size >= sizeof(header)) {
        memcpy(&header, *file, sizeof(header));
        if (memcmp(header.magic, magic, sizeof(magic)) == 0 &&
            header.size == file_size - sizeof(header)) {
            digest_of(*file + sizeof(header), (size_t)header.size, digest);
            if (memcmp(digest, header.digest, sizeof(digest)) == 0) {
                *size = (size_t)header.size;
                return *file + sizeof(header);
            }
        }
    }
    vks_message(VKS_LOG_VERBOSE, "pipeline cache '%s' is damaged: ignored", path);
    return NULL;
}

enum vks_result vks_gpu_cache_open(struct vks_gpu *gpu, bool disk)
{
    char *file = NULL;
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (disk) {
        gpu->cache_path = vks_gpu_cache_name(gpu, "pipelines", "bin");
    }
    if (gpu->cache_path) {
        info.pInitialData = load(gpu->cache_path, &file, &info.initialDataSize);
        gpu->cache_loaded = info.initialDataSize;
    }
    VkResult made = gpu->vk.vkCreatePipelineCache(gpu->device, &info, NULL, &gpu->cache);
    if (made != VK_SUCCESS && info.initialDataSize > 0) {
        info.initialDataSize = 0;
        info.pInitialData = NULL;
        gpu->cache_loaded = 0;
        made = gpu->vk.vkCreatePipelineCache(gpu->device, &info, NULL, &gpu->cache);
    }
    free(file);
    if (made == VK_SUCCESS) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE_CACHE, (uint64_t)gpu->cache, "pipeline cache");
    }
    return vks_gpu_check(gpu, made, "vkCreatePipelineCache");
}

void vks_gpu_cache_keep(char *path, const void *data, size_t size)
{
    make_folders(path);
    struct vks_error before; /* the pending error message, which must survive this */
    vks_error_keep(VKS_OK, &before);
    if (vks_write_file(path, true, data, size) != VKS_OK) {
        vks_message(VKS_LOG_VERBOSE, "cache not saved: %s", vks_error_text());
        vks_fail_again(&before);
    }
}

/* `file` has room for the header before the data. */
static void save(const struct vks_gpu *gpu, char *file, size_t size)
{
    struct header header = {.size = size};
    memcpy(header.magic, magic, sizeof(magic));
    digest_of(file + sizeof(header), size, header.digest);
    memcpy(file, &header, sizeof(header));
    vks_gpu_cache_keep(gpu->cache_path, file, sizeof(header) + size);
}

void vks_gpu_cache_close(struct vks_gpu *gpu)
{
    size_t size = 0;
    if (gpu->cache && gpu->cache_path &&
        gpu->vk.vkGetPipelineCacheData(gpu->device, gpu->cache, &size, NULL) == VK_SUCCESS &&
        size > 0 && size != gpu->cache_loaded) {
        char *file = malloc(sizeof(struct header) + size);
        if (file && gpu->vk.vkGetPipelineCacheData(gpu->device, gpu->cache, &size,
                                                   file + sizeof(struct header)) == VK_SUCCESS) {
            save(gpu, file, size);
        }
        free(file);
    }
    if (gpu->cache) {
        gpu->vk.vkDestroyPipelineCache(gpu->device, gpu->cache, NULL);
    }
    gpu->cache = VK_NULL_HANDLE;
    free(gpu->cache_path);
    gpu->cache_path = NULL;
}
