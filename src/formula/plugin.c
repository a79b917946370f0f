/* SPDX-License-Identifier: MIT */
/* Loads plug-ins. Nothing of one is called before it is known to be for this vksim. */
#include "formula/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formula/shader.h"

struct plugin {
    struct vks_loaded_plugin loaded; /* the first member: what callers have */
    char *path;
    void *library;
    struct vks_added_shaders *shaders;
    struct vks_model **models; /* up to NULL */
};

/* The ELF machine of this program; 0: not known. */
#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#elif defined(__riscv)
enum { MACHINE = EM_RISCV };
#else
enum { MACHINE = EM_NONE };
#endif

/* Whether the file has all bytes that loading it would map: dlopen() ends the process otherwise. */
static bool is_whole(FILE *file, const ElfW(Ehdr) * head)
{
    struct stat info;
    ElfW(Phdr) part;
    bool whole = fstat(fileno(file), &info) == 0 && head->e_phentsize == sizeof(part) &&
                 head->e_phoff < (uint64_t)info.st_size &&
                 fseek(file, (long)head->e_phoff, SEEK_SET) == 0;
    for (unsigned i = 0; i < head->e_phnum && whole; i++) {
        const uint64_t size = (uint64_t)info.st_size;
        whole = fread(&part, sizeof(part), 1, file) == 1 &&
                (part.p_type != PT_LOAD ||
                 (part.p_offset <= size && part.p_filesz <= size - part.p_offset));
    }
    return whole;
}

/* Whether it is a shared object for this CPU. */
static enum vks_result check_object(const char *path, FILE *file)
{
    ElfW(Ehdr) head = {0};
    const size_t size = fread(&head, 1, sizeof(head), file);
    /* Members up to e_machine are the same in all kinds of ELF but for the order of their bytes. */
    const uint16_t one = 1;
    const bool swapped =
        (*(const unsigned char *)&one == 1) != (head.e_ident[EI_DATA] == ELFDATA2LSB);
    const unsigned given = head.e_machine;
    const unsigned machine = swapped ? given >> 8 | (given & 0xff) << 8 : given;
    if (size < EI_NIDENT + 4 || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is not a shared object", path);
    }
    if (MACHINE != EM_NONE && (machine != MACHINE || swapped)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' is for another CPU: its ELF machine is %u, that of this vksim is %d",
                        path, machine, MACHINE);
    }
    if (size < sizeof(head) || head.e_type != ET_DYN || !is_whole(file, &head)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is not a shared object, or not the whole of one",
                        path);
    }
    return VKS_OK;
}

/* The digest of the whole file. */
static enum vks_result read_version(const char *path, FILE *file, char version[33])
{
    struct vks_digest *digest = vks_digest_create();
    char bytes[1 << 14];
    size_t size = digest ? 1 : 0;
    rewind(file);
    while (size > 0) {
        size = fread(bytes, 1, sizeof(bytes), file);
        vks_digest_update(digest, bytes, size);
    }
    const bool failed = ferror(file) != 0;
    if (digest) {
        vks_digest_hex(digest, version);
    }
    vks_digest_destroy(digest);
    return failed   ? vks_fail(VKS_ERROR_FILE, "'%s' cannot be read", path)
           : digest ? VKS_OK
                    : vks_fail_memory();
}

/* Checks the file, and finds its version. */
static enum vks_result check_file(const char *path, char version[33])
{
    FILE *file;
    if (getauxval(AT_SECURE) != 0) { /* the name is its caller's */
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' is not loaded, because this program runs with the rights of another "
                        "user",
                        path);
    }
    enum vks_result result = vks_open_regular(path, &file);
    if (result == VKS_OK) {
        result = check_object(path, file);
        result = result == VKS_OK ? read_version(path, file, version) : result;
        fclose(file);
    }
    return result;
}

/* --- versions --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t offset; /* in struct vks_sizes */
    uint32_t size;
} structures[] = {
#define VKS_SIZE(name) {"vks_" #name, offsetof(struct vks_sizes, name), sizeof(struct vks_##name)},
    VKS_STRUCTURES(VKS_SIZE)
#undef VKS_SIZE
};

static enum vks_result too_large(const char *path, const char *name, size_t size, size_t own)
{
    return vks_fail(VKS_ERROR_USAGE,
                    "'%s' was made for a later vksim: its struct %s has %zu bytes, this vksim's "
                    "has %zu",
                    path, name, size, own);
}

/* Whether this vksim knows all that the plug-in may have. */
static enum vks_result check_version(const char *path, const struct vks_plugin *plugin)
{
    if (plugin->abi != VKS_PLUGIN_ABI) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' is a plug-in of ABI %u, and this vksim loads those of ABI %d", path,
                        plugin->abi, VKS_PLUGIN_ABI);
    }
    if (plugin->size > sizeof(*plugin)) {
        return too_large(path, "vks_plugin", plugin->size, sizeof(*plugin));
    }
    if (plugin->sizes->size > sizeof(struct vks_sizes)) {
        return too_large(path, "vks_sizes", plugin->sizes->size, sizeof(struct vks_sizes));
    }
    for (size_t i = 0; i < VKS_COUNT(structures); i++) {
        uint32_t size = 0;
        if (structures[i].offset < plugin->sizes->size) {
            memcpy(&size, (const char *)plugin->sizes + structures[i].offset, sizeof(size));
        }
        if (size > structures[i].size) {
            return too_large(path, structures[i].name, size, structures[i].size);
        }
    }
    return VKS_OK;
}

/* --- loading ---------------------------------------------------------------------------------- */

static void plugin_free(struct plugin *plugin)
{
    for (size_t i = 0; plugin->models && plugin->models[i]; i++) {
        vks_host_model_free(plugin->models[i]);
    }
    free(plugin->models);
    free(plugin->path);
    vks_shaders_drop(plugin->shaders);
    if (plugin->library) {
        dlclose(plugin->library);
    }
    free(plugin);
}

static enum vks_result open_library(const char *path, struct plugin *plugin)
{
    /* A name without a slash would be looked for elsewhere. */
    char *file = vks_format("%s%s", strchr(path, '/') ? "" : "./", path);
    if (!file) {
        return vks_fail_memory();
    }
    plugin->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    free(file);
    if (!plugin->library) {
        const char *why = dlerror();
        return vks_fail(VKS_ERROR_USAGE, "'%s' cannot be loaded: %s", path, why ? why : "");
    }
    plugin->loaded.source = dlsym(plugin->library, "vks_plugin");
    return plugin->loaded.source
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "'%s' is not a plug-in of vksim: it has no symbol vks_plugin", path);
}

static enum vks_result copy_models(struct plugin *plugin)
{
    const struct vks_plugin *source = plugin->loaded.source;
    size_t count = 0;
    while (source->models && source->models[count]) {
        count++;
    }
    plugin->models = calloc(count + 1, sizeof(struct vks_model *));
    for (size_t i = 0; plugin->models && i < count; i++) {
        plugin->models[i] = vks_host_model(source->sizes, source->models[i]);
        if (!plugin->models[i]) {
            return vks_fail_memory();
        }
    }
    plugin->loaded.models = (const struct vks_model *const *)plugin->models;
    return !plugin->models ? vks_fail_memory()
           : count > 0     ? VKS_OK
                           : vks_fail(VKS_ERROR_USAGE, "it has no simulations");
}

static enum vks_result take_shaders(const char *path, struct plugin *plugin)
{
    struct vks_plugin_shader *rows =
        vks_host_rows(plugin->loaded.source->shaders, plugin->loaded.source->sizes->plugin_shader,
                      sizeof(struct vks_plugin_shader));
    const enum vks_result result = rows || !plugin->loaded.source->shaders
                                       ? vks_shaders_take(path, rows, &plugin->shaders)
                                       : vks_fail_memory();
    free(rows);
    return result;
}

/* Hands over the functions and takes models and shaders. */
static enum vks_result take(const char *path, struct plugin *plugin)
{
    enum vks_result result = check_version(path, plugin->loaded.source);
    if (result != VKS_OK) {
        return result;
    }
    *plugin->loaded.source->host = &vks_host_table;
    result = copy_models(plugin);
    if (result == VKS_OK) {
        result = take_shaders(path, plugin);
    }
    return result == VKS_OK ? VKS_OK : vks_fail(result, "'%s': %s", path, vks_error_text());
}

enum vks_result vks_plugin_load(const char *path, struct vks_loaded_plugin **plugin)
{
    struct plugin *new = calloc(1, sizeof(*new));
    if (!new) {
        return vks_fail_memory();
    }
    new->loaded.path = new->path = vks_strdup(path);
    enum vks_result result = new->path ? check_file(path, new->loaded.version) : vks_fail_memory();
    if (result == VKS_OK) {
        result = open_library(path, new);
    }
    struct vks_loaded_plugin *known =
        result == VKS_OK ? vks_plugins_find(new->loaded.source) : NULL;
    if (result == VKS_OK && !known) {
        result = take(path, new);
    }
    if (known || result != VKS_OK) {
        plugin_free(new);
        *plugin = known;
        return result;
    }
    *plugin = &new->loaded;
    vks_plugins_add(*plugin);
    return VKS_OK;
}

void vks_plugin_unload(struct vks_loaded_plugin *plugin)
{
    vks_plugins_remove(plugin);
    plugin_free((struct plugin *)(void *)plugin);
}
