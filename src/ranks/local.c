/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create() */
#include "ranks/local.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum {
    SPINS = 4000,          /* tens of microseconds: a neighbour is usually about as far */
    LOOK_NANOS = 50000000, /* between looks whether the other rank is still there */
    WHY = 256,
};

/* States of a rank. */
enum { EMPTY, HERE, LEFT, FAILED };

/* What a rank tells the others. */
struct seat {
    pthread_mutex_t alive; /* robust, and locked as long as the process lives */
    _Atomic uint32_t state;
    _Atomic uint32_t posts;     /* how often it has told the others something: a futex */
    _Atomic uint32_t waits_for; /* 1 + the rank that it waits for; 0: none */
    int32_t process, memory;    /* who has the memory of its mail, under which descriptor */
    uint64_t bytes;             /* of that memory */
    char why[WHY];              /* state FAILED */
};

/* Memory of all ranks, zero at first. */
struct table {
    _Atomic uint32_t count;
    _Atomic uint32_t taken; /* a futex */
    struct seat seats[VKS_LOCAL_RANKS];
};

/* Memory of a mail: the own, or a neighbour's. */
struct area {
    void *at;
    size_t bytes;
};

struct local {
    struct table *table;
    uint32_t index, count, posts;
    double patience;
    struct area areas[1 + VKS_SIDES];
};

static struct seat *own(const struct local *local)
{
    return &local->table->seats[local->index];
}

static uint32_t neighbour(const struct local *local, uint32_t side)
{
    return (local->index + (side == VKS_BEFORE ? local->count - 1 : 1)) % local->count;
}

/* --- waiting ---------------------------------------------------------------------------------- */

static void sleep_on(_Atomic uint32_t *word, uint32_t seen)
{
    const struct timespec most = {.tv_nsec = LOOK_NANOS};
    (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &most, NULL, 0);
}

static void wake(_Atomic uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static bool is_dead(struct seat *seat)
{
    const int locked = pthread_mutex_trylock(&seat->alive);
    if (locked == EOWNERDEAD || locked == 0) {
        (void)pthread_mutex_unlock(&seat->alive); /* of a dead process: unusable from now on */
    }
    return locked == EOWNERDEAD || locked == ENOTRECOVERABLE;
}

/* Why no more can be expected of a rank; VKS_OK if there can. */
static enum vks_result lost(struct seat *seat, uint32_t rank)
{
    switch (atomic_load(&seat->state)) {
    case FAILED: /* a message that names another rank is passed on */
        return strncmp(seat->why, "rank ", 5) == 0
                   ? vks_fail(VKS_ERROR_GPU, "%s", seat->why)
                   : vks_fail(VKS_ERROR_GPU, "rank %u failed: %s", rank, seat->why);
    case LEFT:
        return vks_fail(VKS_ERROR_GPU, "rank %u has ended, and others need it", rank);
    default:
        if (is_dead(seat)) {
            return vks_fail(VKS_ERROR_GPU, "rank %u was killed", rank);
        }
        return VKS_OK;
    }
}

/* The rank that a silent one waits for in its turn, or itself. */
static enum vks_result fail_silent(const struct local *local, uint32_t rank)
{
    for (uint32_t i = 0; i < local->count; i++) {
        const uint32_t next = atomic_load(&local->table->seats[rank].waits_for);
        rank = next > 0 ? next - 1 : rank;
    }
    return vks_fail(VKS_ERROR_GPU, "rank %u has been silent for %g seconds", rank, local->patience);
}

/* Until a rank has posted as often as this one. */
static enum vks_result wait_for(struct local *local, uint32_t rank)
{
    struct seat *seat = &local->table->seats[rank];
    const double end = vks_seconds() + local->patience;
    for (uint32_t spins = 0;; spins++) {
        const uint32_t posts = atomic_load(&seat->posts);
        if ((int32_t)(posts - local->posts) >= 0) {
            return VKS_OK;
        }
        if (spins < SPINS) {
            continue;
        }
        sleep_on(&seat->posts, posts);
        const enum vks_result result =
            atomic_load(&seat->posts) == posts ? lost(seat, rank) : VKS_OK;
        if (result != VKS_OK) {
            return result;
        }
        if (vks_seconds() > end) {
            return fail_silent(local, rank);
        }
    }
}

/* Tells the others that this rank has come as far as that, and waits for the neighbours. */
static enum vks_result meet(struct local *local, const struct vks_mail *mail)
{
    enum vks_result result = VKS_OK;
    local->posts++;
    atomic_store(&own(local)->posts, local->posts);
    wake(&own(local)->posts);
    for (uint32_t side = 0; result == VKS_OK && side < VKS_SIDES; side++) {
        if (mail->bytes[side] > 0) {
            const uint32_t rank = neighbour(local, side);
            atomic_store(&own(local)->waits_for, rank + 1);
            result = wait_for(local, rank);
        }
    }
    if (result == VKS_OK) {
        atomic_store(&own(local)->waits_for, 0);
    }
    return result;
}

/* --- mail ------------------------------------------------------------------------------------- */

static enum vks_result fail_memory(const char *what)
{
    return vks_fail(VKS_ERROR_GPU, "memory for other ranks: %s: %s", what, strerror(errno));
}

static enum vks_result map(int fd, size_t bytes, struct area *area)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        return fail_memory("mmap");
    }
    *area = (struct area){at, bytes};
    return VKS_OK;
}

/* The own memory, and its descriptor. */
static enum vks_result create_own(size_t bytes, struct area *area, int *fd)
{
    *fd = memfd_create("vksim rank", MFD_CLOEXEC);
    if (*fd < 0) {
        return fail_memory("memfd_create");
    }
    errno = posix_fallocate(*fd, 0, (off_t)bytes);
    return errno ? fail_memory("posix_fallocate") : map(*fd, bytes, area);
}

static enum vks_result open_neighbours(const struct seat *seat, uint32_t rank, size_t bytes,
                                       struct area *area)
{
    char path[64];
    if (seat->bytes != bytes) {
        return vks_fail(VKS_ERROR_USAGE,
                        "rank %u has messages of other sizes: it computes another run", rank);
    }
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)seat->process, (int)seat->memory);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return fail_memory(path);
    }
    const enum vks_result result = map(fd, bytes, area);
    (void)close(fd);
    return result;
}

static enum vks_result open_mail(void *user, struct vks_mail *mail)
{
    struct local *local = user;
    const size_t largest = mail->bytes[VKS_BEFORE] > mail->bytes[VKS_AFTER]
                               ? mail->bytes[VKS_BEFORE]
                               : mail->bytes[VKS_AFTER];
    const size_t message = (largest + VKS_PAGE - 1) / VKS_PAGE * VKS_PAGE;
    const size_t bytes = message * VKS_TURNS * VKS_SIDES;
    int fd;
    enum vks_result result = create_own(bytes, &local->areas[0], &fd);
    if (result == VKS_OK) {
        own(local)->process = (int32_t)getpid();
        own(local)->memory = fd;
        own(local)->bytes = bytes;
        result = meet(local, mail);
    }
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        const uint32_t rank = neighbour(local, side);
        if (mail->bytes[side] > 0) {
            result =
                open_neighbours(&local->table->seats[rank], rank, bytes, &local->areas[1 + side]);
        }
    }
    if (result == VKS_OK) {
        result = meet(local, mail); /* the neighbours have opened it */
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    for (uint32_t turn = 0; turn < VKS_TURNS && result == VKS_OK; turn++) {
        for (uint32_t side = 0; side < VKS_SIDES; side++) {
            char *const sent = local->areas[0].at, *const from = local->areas[1 + side].at;
            const uint32_t facing = side == VKS_BEFORE ? VKS_AFTER : VKS_BEFORE;
            mail->sent[turn][side] = sent + message * (VKS_SIDES * turn + side);
            mail->received[turn][side] = from ? from + message * (VKS_SIDES * turn + facing) : NULL;
        }
    }
    return result;
}

static enum vks_result trade(void *user, const struct vks_mail *mail, uint32_t turn)
{
    (void)turn; /* the neighbours read the memory that was written */
    return meet(user, mail);
}

/* --- joining ---------------------------------------------------------------------------------- */

/* Maps the table, which the first rank creates. */
static enum vks_result open_table(const char *path, struct local *local)
{
    struct area area = {0};
    const int fd = shm_open(path, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return fail_memory(path);
    }
    errno = posix_fallocate(fd, 0, sizeof(struct table));
    const enum vks_result result =
        errno ? fail_memory("posix_fallocate") : map(fd, sizeof(struct table), &area);
    (void)close(fd);
    local->table = area.at;
    return result;
}

static enum vks_result sit_down(struct local *local)
{
    struct seat *seat = own(local);
    uint32_t count = 0, empty = EMPTY;
    pthread_mutexattr_t attributes;
    if (!atomic_compare_exchange_strong(&local->table->count, &count, local->count) &&
        count != local->count) {
        return vks_fail(VKS_ERROR_USAGE, "rank %u counts %u ranks, another %u", local->index,
                        local->count, count);
    }
    if (!atomic_compare_exchange_strong(&seat->state, &empty, LEFT)) {
        return vks_fail(VKS_ERROR_USAGE, "rank %u is taken by another process", local->index);
    }
    errno = pthread_mutexattr_init(&attributes);
    if (errno == 0) {
        (void)pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        (void)pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
        errno = pthread_mutex_init(&seat->alive, &attributes);
        (void)pthread_mutexattr_destroy(&attributes);
    }
    if (errno == 0) {
        errno = pthread_mutex_lock(&seat->alive);
    }
    if (errno != 0) {
        return fail_memory("pthread_mutex_init");
    }
    atomic_store(&seat->state, HERE);
    atomic_fetch_add(&local->table->taken, 1);
    wake(&local->table->taken);
    return VKS_OK;
}

static enum vks_result wait_for_all(const struct local *local)
{
    const double end = vks_seconds() + local->patience;
    uint32_t taken;
    while ((taken = atomic_load(&local->table->taken)) < local->count) {
        if (vks_seconds() > end) {
            uint32_t rank = 0;
            while (atomic_load(&local->table->seats[rank].state) != EMPTY) {
                rank++;
            }
            return vks_fail(VKS_ERROR_GPU, "rank %u of %u has not come within %g seconds", rank,
                            local->count, local->patience);
        }
        sleep_on(&local->table->taken, taken);
    }
    return VKS_OK;
}

enum vks_result vks_local_join(const char *name, uint32_t index, uint32_t count, double patience,
                               struct vks_transport *transport)
{
    char path[64];
    *transport = (struct vks_transport){0};
    if (count < 1 || count > VKS_LOCAL_RANKS || index >= count) {
        return vks_fail(VKS_ERROR_USAGE, "rank %u of %u: there are 1 to %d ranks, from 0 on", index,
                        count, VKS_LOCAL_RANKS);
    }
    snprintf(path, sizeof(path), "/vksim-%.40s", name);
    struct local *local = calloc(1, sizeof(*local));
    if (!local) {
        return vks_fail_memory();
    }
    *local = (struct local){.index = index, .count = count, .patience = patience};
    enum vks_result result = open_table(path, local);
    if (result == VKS_OK) {
        result = sit_down(local);
    }
    if (result != VKS_OK) {
        if (local->table) {
            (void)munmap(local->table, sizeof(*local->table));
        }
        free(local);
        return result;
    }
    *transport = (struct vks_transport){open_mail, trade, local};
    result = wait_for_all(local);
    if (index == 0 || result != VKS_OK) { /* nobody needs the name any more */
        (void)shm_unlink(path);
    }
    if (result != VKS_OK) {
        vks_local_leave(transport, vks_error_text());
    }
    return result;
}

void vks_local_leave(struct vks_transport *transport, const char *why)
{
    struct local *local = transport->user;
    if (!local) {
        return;
    }
    struct seat *seat = own(local);
    snprintf(seat->why, sizeof(seat->why), "%s", why ? why : "");
    atomic_store(&seat->state, why ? FAILED : LEFT);
    (void)pthread_mutex_unlock(&seat->alive);
    wake(&seat->posts);
    for (size_t i = 0; i < 1 + VKS_SIDES; i++) {
        if (local->areas[i].at) {
            (void)munmap(local->areas[i].at, local->areas[i].bytes);
        }
    }
    (void)munmap(local->table, sizeof(*local->table));
    free(local);
    *transport = (struct vks_transport){0};
}
