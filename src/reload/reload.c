/* SPDX-License-Identifier: MIT */
#include "reload/reload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "reload/compile.h"
#include "reload/watch.h"

enum { QUIET_MILLISECONDS = 50 }; /* after a change, for editors that write several files */

/* What a source was compiled to. Versions are kept: pipelines are known by their shaders. */
struct version {
    struct vks_shader narrow, wide;
    struct version *older;
};

/* A shader of the folder. */
struct module {
    const struct vks_shader *shader; /* the built-in one, or that of the model as it was loaded */
    bool known;                      /* it was asked for, so it is kept up to date */
    bool fresh;                      /* no pipeline has it yet */
    bool stale;                      /* its files may have changed since it was compiled */
    bool failed;
    uint64_t used, was_used;       /* number of the last run with a shader that differed; 0: none */
    char *depends;                 /* its files, as they were compiled */
    const struct vks_shader *now;  /* in use */
    const struct vks_shader *next; /* compiled since; NULL: nothing */
    const struct vks_shader *before; /* of the swap in progress; NULL: it has no part in that */
    struct version *versions;
};

struct vks_reload {
    struct vks_compiler compiler;
    struct vks_watch_folders watch;
    int wake[2]; /* a pipe to the thread */
    pthread_t thread;
    bool started;
    /* Under the lock: */
    pthread_mutex_t lock;
    pthread_cond_t done;
    struct module *modules; /* of vks_shaders, or of the model, with the same indices */
    size_t count;
    bool stopping;
    uint64_t asked, answered; /* requests of the main thread */
    uint64_t compiled;        /* times that shaders were compiled */
    char *errors;             /* of the modules that failed; NULL: none */
    uint64_t run;             /* number of the latest one */
    /* Of the main thread: */
    uint64_t seen; /* the value of `compiled` at the last poll */
    char *told;    /* the errors that were reported last; NULL: none */
};

static bool is_failing(const struct vks_reload *reload)
{
    bool failing = false;
    for (size_t i = 0; i < reload->count; i++) {
        failing = failing || reload->modules[i].failed;
    }
    return failing;
}

/* --- compiling, on the thread ---------------------------------------------------------------- */

/* Whether the file, "lib/exact.glsl", is among those of a module. */
static bool depends_on(const struct module *module, const char *file)
{
    const size_t length = strlen(file);
    const char *at = module->depends;
    while (at && (at = strstr(at, file)) != NULL) {
        const char end = at[length];
        if (at > module->depends && at[-1] == '/' && (end == ' ' || end == '\n' || end == '\0')) {
            return true;
        }
        at += length;
    }
    return false;
}

static bool is_source(const char *file)
{
    return vks_has_extension(file, ".comp") || vks_has_extension(file, ".glsl") ||
           vks_has_extension(file, ".h");
}

/* Of vks_watch_folders_read(). */
static void note_change(void *user, const char *file)
{
    struct vks_reload *reload = user;
    pthread_mutex_lock(&reload->lock);
    for (size_t i = 0; i < reload->count; i++) {
        struct module *module = &reload->modules[i];
        /* The files of those that have failed, and of a model's, are unknown. */
        const bool any = module->failed || reload->compiler.model;
        module->stale = module->stale || (any && (!file || is_source(file))) ||
                        (module->known && (!file || depends_on(module, file)));
    }
    pthread_mutex_unlock(&reload->lock);
}

static bool is_version(const struct vks_shader *version, const struct vks_compiled_build *build,
                       const struct vks_shader *built_in)
{
    const uint32_t *words = build->words ? build->words : built_in ? built_in->words : NULL;
    const size_t count = build->words ? build->count : built_in ? built_in->count : 0;
    return version->count == count && (count == 0 || memcmp(version->words, words, 4 * count) == 0);
}

/* Takes the words of a build; those of the table stay where they are. */
static void set_shader(struct vks_shader *shader, const struct vks_shader *built_in,
                       struct vks_compiled_build *build)
{
    *shader = *built_in;
    shader->replaces = built_in;
    if (build->words) {
        shader->words = build->words;
        shader->count = build->count;
        shader->reflection.shared_bytes = build->shared_bytes;
        build->words = NULL;
    }
}

/* The shader of a compiled module: the built-in one, an earlier version or a new one. NULL if
 * memory ran out. */
static const struct vks_shader *find_version(struct module *module, struct vks_compiled *compiled)
{
    const struct vks_shader *built_in = compiled->shader;
    if (!compiled->builds[0].words && !compiled->builds[1].words) {
        return built_in;
    }
    for (const struct version *version = module->versions; version; version = version->older) {
        if (is_version(&version->narrow, &compiled->builds[0], built_in) &&
            is_version(&version->wide, &compiled->builds[1], built_in->wide)) {
            return &version->narrow;
        }
    }
    struct version *version = calloc(1, sizeof(*version));
    if (!version) {
        return NULL;
    }
    set_shader(&version->narrow, built_in, &compiled->builds[0]);
    if (built_in->wide) {
        set_shader(&version->wide, built_in->wide, &compiled->builds[1]);
        version->narrow.wide = &version->wide;
    }
    version->older = module->versions;
    module->versions = version;
    return &version->narrow;
}

/* The modules that must be compiled, in `indices`; they are then no longer stale. */
static size_t collect(struct vks_reload *reload, size_t *indices, struct vks_compiled *items)
{
    size_t count = 0;
    for (size_t i = 0; i < reload->count; i++) {
        struct module *module = &reload->modules[i];
        if (module->stale || module->failed) {
            module->stale = false;
            indices[count] = i;
            items[count].index = i;
            items[count++].shader = module->shader;
        }
    }
    return count;
}

/* Takes the results of a compilation. */
static void take(struct vks_reload *reload, const size_t *indices, struct vks_compiled *items,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct module *module = &reload->modules[indices[i]];
        const struct vks_shader *found = NULL;
        if (!items[i].failed) {
            found = find_version(module, &items[i]);
        }
        module->failed = !found;
        module->next = found ? found : module->next;
        if (items[i].depends && (found || !module->depends)) {
            free(module->depends);
            module->depends = items[i].depends;
            items[i].depends = NULL;
        }
    }
}

/* Compiles what is stale. */
static void compile(struct vks_reload *reload)
{
    size_t *indices = calloc(reload->count, sizeof(*indices));
    struct vks_compiled *items = calloc(reload->count, sizeof(*items));
    char *errors = NULL;
    size_t size = 0, count = 0;
    FILE *out = open_memstream(&errors, &size);
    pthread_mutex_lock(&reload->lock);
    const uint64_t asked = reload->asked;
    if (indices && items && out) {
        count = collect(reload, indices, items);
    }
    pthread_mutex_unlock(&reload->lock);
    if (count > 0) {
        vks_compile(&reload->compiler, items, count, out);
    }
    if (out) {
        fclose(out);
    }
    pthread_mutex_lock(&reload->lock);
    take(reload, indices, items, count);
    if (count > 0) {
        free(reload->errors);
        reload->errors = is_failing(reload) ? errors : NULL;
        errors = reload->errors ? NULL : errors;
        reload->compiled++;
    }
    reload->answered = asked;
    pthread_cond_broadcast(&reload->done);
    pthread_mutex_unlock(&reload->lock);
    for (size_t i = 0; i < count; i++) {
        vks_compiled_free(&items[i]);
    }
    free(errors);
    free(indices);
    free(items);
}

static bool is_stopping(struct vks_reload *reload)
{
    pthread_mutex_lock(&reload->lock);
    const bool stopping = reload->stopping;
    pthread_mutex_unlock(&reload->lock);
    return stopping;
}

static void *work(void *user)
{
    struct vks_reload *reload = user;
    struct pollfd fds[] = {{.fd = reload->watch.fd, .events = POLLIN},
                           {.fd = reload->wake[0], .events = POLLIN}};
    bool changed = false;
    char byte;
    while (!is_stopping(reload)) {
        const int ready = poll(fds, VKS_COUNT(fds), changed ? QUIET_MILLISECONDS : -1);
        if (ready > 0 && fds[0].revents) {
            vks_watch_folders_read(&reload->watch, note_change, reload);
            changed = true;
        }
        if (ready > 0 && fds[1].revents) {
            (void)!read(reload->wake[0], &byte, 1);
        }
        if ((ready == 0 || (ready > 0 && fds[1].revents)) && !is_stopping(reload)) {
            changed = false;
            compile(reload);
        }
    }
    return NULL;
}

/* --- the main thread ------------------------------------------------------------------------- */

/* Has the thread compile what is stale, and waits for it. The lock is held. */
static void ask(struct vks_reload *reload)
{
    const uint64_t number = ++reload->asked;
    if (vks_write_all(reload->wake[1], "", 1) != 0) {
        return; /* then the thread has ended */
    }
    while (reload->answered < number) {
        pthread_cond_wait(&reload->done, &reload->lock);
    }
}

/* The module of a shader; NULL: it is not one of the folder. */
static struct module *module_of(struct vks_reload *reload, const struct vks_shader *shader)
{
    for (size_t i = 0; i < reload->count; i++) {
        if (reload->modules[i].shader == shader) {
            return &reload->modules[i];
        }
    }
    return NULL;
}

/* Makes a module known; true if it was not. */
static bool add_module(struct module *module)
{
    const bool new = !module->known;
    module->known = true;
    module->fresh = module->fresh || new;
    module->stale = module->stale || new;
    return new;
}

/* Uses what has been compiled of modules that no pipeline has yet. */
static void adopt(struct vks_reload *reload)
{
    const bool failing = is_failing(reload);
    for (size_t i = 0; i < reload->count; i++) {
        struct module *module = &reload->modules[i];
        if (module->fresh && module->next && !failing) {
            module->now = module->next;
            module->next = NULL;
        }
        module->fresh = false;
    }
}

/* Of vks_shader_replace(). */
static const struct vks_shader *find_shader(void *user, const struct vks_shader *shader)
{
    struct vks_reload *reload = user;
    struct module *module = module_of(reload, shader);
    if (!module) {
        return shader; /* of a table of the tool, or of another model */
    }
    pthread_mutex_lock(&reload->lock);
    if (add_module(module)) {
        ask(reload);
        adopt(reload);
    }
    const struct vks_shader *now = module->now;
    module->used = now != shader ? reload->run : module->used;
    pthread_mutex_unlock(&reload->lock);
    return now;
}

/* Makes the module known. The lock is held. */
static void add_name(void *user, const char *name)
{
    struct vks_reload *reload = user;
    for (size_t i = 0; i < reload->count; i++) {
        if (strcmp(reload->modules[i].shader->name, name) == 0) {
            (void)add_module(&reload->modules[i]);
        }
    }
}

enum vks_result vks_reload_begin(struct vks_reload *reload, const struct vks_grid *grid,
                                 uint64_t *run)
{
    pthread_mutex_lock(&reload->lock);
    *run = ++reload->run;
    const enum vks_result result = vks_grid_each_shader(grid, add_name, reload);
    if (result == VKS_OK) {
        ask(reload);
        adopt(reload);
    }
    pthread_mutex_unlock(&reload->lock);
    return result;
}

json_t *vks_reload_changed(struct vks_reload *reload, uint64_t run)
{
    json_t *names = json_array();
    pthread_mutex_lock(&reload->lock);
    for (size_t i = 0; i < reload->count && names; i++) {
        const struct module *module = &reload->modules[i];
        const bool counts = run > 0 ? module->used >= run : module->now != module->shader;
        if (counts && json_array_append_new(names, json_string(module->shader->name)) != 0) {
            json_decref(names);
            names = NULL;
        }
    }
    pthread_mutex_unlock(&reload->lock);
    return names;
}

/* --- the swap -------------------------------------------------------------------------------- */

/* Starts a swap: modules get what was compiled of them. Returns how many differ from before. */
static size_t begin_swap(struct vks_reload *reload)
{
    size_t count = 0;
    pthread_mutex_lock(&reload->lock);
    for (size_t i = 0; i < reload->count; i++) {
        struct module *module = &reload->modules[i];
        module->before = NULL;
        if (module->next && module->next != module->now) {
            module->before = module->now;
            module->was_used = module->used;
            module->now = module->next;
            count++;
        }
        module->next = NULL;
    }
    pthread_mutex_unlock(&reload->lock);
    return count;
}

/* Goes back. The modules have failed, so that they are tried again after a further change. */
static void undo_swap(struct vks_reload *reload, const char *why)
{
    pthread_mutex_lock(&reload->lock);
    for (size_t i = 0; i < reload->count; i++) {
        struct module *module = &reload->modules[i];
        if (module->before) {
            module->now = module->before;
            module->used = module->was_used;
            module->failed = true;
        }
    }
    free(reload->errors);
    reload->errors = vks_format("%s\n", why);
    pthread_mutex_unlock(&reload->lock);
}

/* Logs a swap with the names of its shaders. */
static void report_swap(const struct vks_reload *reload, uint64_t steps, size_t count)
{
    enum { MAX_NAMES = 4 };
    char names[512] = "";
    size_t named = 0;
    for (size_t i = 0; i < reload->count && named < MAX_NAMES; i++) {
        if (reload->modules[i].before) {
            const size_t length = strlen(names);
            snprintf(names + length, sizeof(names) - length, "%s%s", named > 0 ? ", " : "",
                     reload->modules[i].shader->name);
            named++;
        }
    }
    vks_message(VKS_LOG_INFO, "step %" PRIu64 ": new shaders: %s%s", steps, names,
                count > named ? " and others" : "");
}

/* Gives the grid what was compiled. */
static enum vks_result swap(struct vks_reload *reload, struct vks_grid *grid, uint64_t steps,
                            bool *swapped)
{
    const size_t count = begin_swap(reload);
    enum vks_result result = count > 0 ? vks_grid_reload(grid) : VKS_OK;
    *swapped = count > 0 && result == VKS_OK;
    if (*swapped) {
        report_swap(reload, steps, count);
    }
    if (result == VKS_OK || result == VKS_ERROR_STOPPED) {
        return result;
    }
    undo_swap(reload, vks_error_text());
    return vks_grid_reload(grid);
}

/* Logs the errors, one line each. */
static void report_errors(const char *errors)
{
    enum { MAX_LINES = 10 };
    size_t count = 0;
    const char *end;
    for (const char *at = errors; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        if (count++ < MAX_LINES) {
            vks_message(VKS_LOG_WARNING, "%.*s", (int)(end - at), at);
        }
    }
    if (count > MAX_LINES) {
        vks_message(VKS_LOG_WARNING, "%zu more errors in shaders", count - MAX_LINES);
    }
}

/* Tells about errors that are new or gone. */
static void tell(struct vks_reload *reload, struct vks_reload_news *news)
{
    pthread_mutex_lock(&reload->lock);
    char *errors = reload->errors ? vks_strdup(reload->errors) : NULL;
    pthread_mutex_unlock(&reload->lock);
    news->is_told = errors || reload->told;
    if (errors) {
        report_errors(errors);
    } else if (reload->told && !news->swapped) {
        vks_message(VKS_LOG_INFO, "the shaders have no errors any more");
    }
    free(reload->told);
    reload->told = errors;
    news->errors = errors;
}

enum vks_result vks_reload_poll(struct vks_reload *reload, struct vks_grid *grid, uint64_t steps,
                                struct vks_reload_news *news)
{
    enum vks_result result = VKS_OK;
    *news = (struct vks_reload_news){.errors = reload->told};
    pthread_mutex_lock(&reload->lock);
    const bool compiled = reload->compiled != reload->seen, failing = is_failing(reload);
    reload->seen = reload->compiled;
    pthread_mutex_unlock(&reload->lock);
    if (!compiled) {
        return VKS_OK;
    }
    if (!failing) {
        result = swap(reload, grid, steps, &news->swapped);
    }
    tell(reload, news);
    return result;
}

/* --- opening and closing --------------------------------------------------------------------- */

enum vks_result vks_reload_check(const char *folder, const struct vks_model *model)
{
    struct vks_compiler compiler;
    const enum vks_result result = vks_compiler_open(&compiler, folder, model);
    vks_compiler_close(&compiler);
    return result;
}

/* A module for each shader. Those of a model have just been compiled. */
static enum vks_result make_modules(struct vks_reload *reload)
{
    const struct vks_model *model = reload->compiler.model;
    size_t count = vks_shader_count;
    if (model) {
        for (count = 0; vks_folder_shader(model, count); count++) {
        }
    }
    reload->modules = calloc(count, sizeof(*reload->modules));
    if (!reload->modules) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        const struct vks_shader *shader =
            model ? vks_shader_find(vks_folder_shader(model, i)) : &vks_shaders[i];
        reload->modules[i] = (struct module){.shader = shader, .now = shader, .known = model};
    }
    reload->count = count;
    return VKS_OK;
}

static enum vks_result start(struct vks_reload *reload, const char *folder,
                             const struct vks_model *model)
{
    enum vks_result result = vks_compiler_open(&reload->compiler, folder, model);
    if (result == VKS_OK) {
        result = make_modules(reload);
    }
    if (result == VKS_OK) {
        result = vks_watch_folders_open(&reload->watch, reload->compiler.folder);
    }
    if (result == VKS_OK && pipe(reload->wake) != 0) {
        reload->wake[0] = reload->wake[1] = -1;
        result = vks_fail(VKS_ERROR_FILE, "no pipe for a thread: %s", vks_errno_text(errno));
    }
    if (result == VKS_OK) {
        (void)fcntl(reload->wake[0], F_SETFD, FD_CLOEXEC);
        (void)fcntl(reload->wake[1], F_SETFD, FD_CLOEXEC);
        reload->started = pthread_create(&reload->thread, NULL, work, reload) == 0;
        result = reload->started ? VKS_OK : vks_fail_memory();
    }
    return result;
}

enum vks_result vks_reload_open(const char *folder, const struct vks_model *model,
                                struct vks_reload **out)
{
    struct vks_reload *reload = calloc(1, sizeof(*reload));
    if (!reload) {
        return vks_fail_memory();
    }
    reload->watch.fd = reload->wake[0] = reload->wake[1] = -1;
    pthread_mutex_init(&reload->lock, NULL);
    pthread_cond_init(&reload->done, NULL);
    const enum vks_result result = start(reload, folder, model);
    if (result != VKS_OK) {
        vks_reload_close(reload);
        return result;
    }
    vks_shader_replace(find_shader, reload);
    *out = reload;
    return VKS_OK;
}

static void free_module(struct module *module)
{
    while (module->versions) {
        struct version *version = module->versions;
        module->versions = version->older;
        if (version->narrow.words != version->narrow.replaces->words) {
            free((uint32_t *)(uintptr_t)version->narrow.words);
        }
        if (version->wide.replaces && version->wide.words != version->wide.replaces->words) {
            free((uint32_t *)(uintptr_t)version->wide.words);
        }
        free(version);
    }
    free(module->depends);
}

void vks_reload_close(struct vks_reload *reload)
{
    if (!reload) {
        return;
    }
    vks_shader_replace(NULL, NULL);
    if (reload->started) {
        pthread_mutex_lock(&reload->lock);
        reload->stopping = true;
        pthread_mutex_unlock(&reload->lock);
        (void)vks_write_all(reload->wake[1], "", 1);
        pthread_join(reload->thread, NULL);
    }
    for (size_t i = 0; i < 2; i++) {
        if (reload->wake[i] >= 0) {
            close(reload->wake[i]);
        }
    }
    vks_watch_folders_close(&reload->watch);
    vks_compiler_close(&reload->compiler);
    for (size_t i = 0; i < reload->count && reload->modules; i++) {
        free_module(&reload->modules[i]);
    }
    pthread_cond_destroy(&reload->done);
    pthread_mutex_destroy(&reload->lock);
    free(reload->modules);
    free(reload->errors);
    free(reload->told);
    free(reload);
}
