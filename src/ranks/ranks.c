/* SPDX-License-Identifier: MIT */
#include "ranks/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/installed.h"
#include "ranks/local.h"
#include "ranks/mpi.h"

/* --- MPI -------------------------------------------------------------------------------------- */

uint32_t vks_mpi_count(uint32_t *index)
{
    static const struct {
        const char *index, *count;
    } rows[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
        {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, and others */
    };
    *index = 0;
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const char *rank = vks_environment(rows[i].index), *ranks = vks_environment(rows[i].count);
        const unsigned long count = ranks ? strtoul(ranks, NULL, 10) : 0;
        if (rank && count > 1 && count <= UINT32_MAX) {
            *index = (uint32_t)strtoul(rank, NULL, 10);
            return (uint32_t)count;
        }
    }
    return 1;
}

uint32_t vks_mpi_here(uint32_t index)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"};
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        const char *here = vks_environment(names[i]);
        if (here) {
            return (uint32_t)strtoul(here, NULL, 10);
        }
    }
    return index;
}

static enum vks_result fail(enum vks_result result, const char *text)
{
    return vks_fail(result, "%s", text);
}

static void say(const char *text)
{
    char safe[4096];
    fprintf(stderr, "vksim: %s\n", vks_escape(text, safe, sizeof(safe)));
}

/* The module's function; NULL, and why. Its symbols are global because MPI loads parts of itself
 * that need them. The module stays loaded. */
static vks_mpi_join_fn *load_module(char *why, size_t size)
{
    static const char *const program[] = {VKS_MPI_FROM_PROGRAM, "src/vksim-mpi.so", NULL},
                             *const library[] = {"vksim/vksim-mpi.so", "vksim-mpi.so", NULL};
    char *path = vks_installed_find(&(struct vks_installed){program, library});
    vks_mpi_version_fn *version = NULL;
    vks_mpi_join_fn *join = NULL;
    void *module = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (module) {
        *(void **)&version = dlsym(module, "vks_mpi_version");
        *(void **)&join = dlsym(module, "vks_mpi_join");
    }
    if (!path) {
        snprintf(why, size,
                 "this vksim has no MPI module; build it with -Dmpi=enabled, or use --ranks");
    } else if (!version || !join) {
        snprintf(why, size, "its MPI module cannot be loaded: %s", dlerror());
    } else if (strcmp(version(), VKS_VERSION) != 0) {
        snprintf(why, size, "its MPI module is that of version %s", version());
        join = NULL;
    }
    free(path);
    return version ? join : NULL;
}

static enum vks_result join_mpi(struct vks_transport *transport)
{
    static const struct vks_mpi_host host = {fail, say};
    char why[512] = "";
    uint32_t index;
    const uint32_t count = vks_mpi_count(&index);
    vks_mpi_join_fn *join = load_module(why, sizeof(why));
    return join ? join(&host, transport)
                : vks_fail(VKS_ERROR_USAGE, "started as rank %u of %u by mpirun, but %s", index,
                           count, why);
}

/* --- all -------------------------------------------------------------------------------------- */

enum vks_result vks_ranks_join(const char *text, double patience, struct vks_transport *transport)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    char name[41];
    unsigned index, count;
    int end = 0;
    if (strcmp(text, "mpi") == 0) {
        return join_mpi(transport);
    }
    if (sscanf(text, "local:%40[^:]:%5u/%5u%n", name, &index, &count, &end) != 3 || text[end] ||
        name[strspn(name, letters)]) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' names no ranks; they are mpi, or local:NAME:INDEX/COUNT with a name "
                        "of letters, digits and '-'",
                        text);
    }
    return vks_local_join(name, index, count, patience, transport);
}
