/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create() */
#include "ranks/local.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
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

#include "base/error.h"

enum {
    SPINS = 4000,          /* tens of microseconds: a neighbour is usually about as far */
    LOOK_NANOS = 50000000, /* between looks whether the other rank is still there */
    WHY = 256,
    BOX = 256 << 10, /* bytes on their way to rank 0, */
    BOXES = 2,       /* of which one is read while the next is written */
};

/* States of a rank. */
enum { EMPTY, HERE, LEFT, FAILED };

/* What a rank tells the others. */
struct seat {
    pthread_mutex_t alive; /* robust, and locked as long as the process lives */
    _Atomic uint32_t state;
    _Atomic uint32_t posts;           /* how often it has told the others something: a futex */
    _Atomic uint32_t filled, emptied; /* its boxes, by it and by rank 0: futexes */
    _Atomic uint32_t compared;        /* how often it has given values: a futex */
    /* In turn: the last may still be read. */
    _Atomic uint64_t values[2][VKS_MAX_COMBINED];
    int32_t process, memory; /* who has the memory of its mail, under which descriptor */
    uint64_t bytes;          /* of that memory */
    char why[WHY];           /* state FAILED */
};

/* Memory of all ranks, zero at first. */
struct table {
    _Atomic uint32_t count;
    _Atomic uint32_t taken;   /* a futex */
    _Atomic uint64_t stop_at; /* the number of the trade at which all stop; 0: none */
    struct seat seats[VKS_LOCAL_RANKS];
    char boxes[][BOXES][BOX]; /* of each rank */
};

struct area {
    void *at;
    size_t bytes;
};

/* Memory of a mail: the own, and the neighbours'. */
struct areas {
    struct area own, sides[VKS_SIDES];
};

struct local {
    struct table *table;
    size_t bytes; /* of the table */
    uint32_t index, count, posts, compared;
    uint64_t trades;
    double patience;
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

/* The seconds that passed if nothing happened. Those of a process that is stopped do not count. */
static double sleep_on(_Atomic uint32_t *word, uint32_t seen)
{
    const struct timespec most = {.tv_nsec = LOOK_NANOS};
    const bool waited = syscall(SYS_futex, word, FUTEX_WAIT, seen, &most, NULL, 0) != 0;
    return waited && errno == ETIMEDOUT ? 1e-9 * LOOK_NANOS : 0;
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

/* The rank that is behind all others, for which the one that is silent may wait itself. */
static enum vks_result fail_silent(const struct local *local, uint32_t rank)
{
    for (uint32_t i = 0; i < local->count; i++) {
        const uint32_t posts = atomic_load(&local->table->seats[i].posts);
        const uint32_t least = atomic_load(&local->table->seats[rank].posts);
        rank = (int32_t)(posts - least) < 0 ? i : rank;
    }
    return vks_fail(VKS_ERROR_GPU, "rank %u has been silent for %g seconds", rank, local->patience);
}

/* Until a count, which that rank increases, has reached a value. */
static enum vks_result wait_for(struct local *local, uint32_t rank, _Atomic uint32_t *count,
                                uint32_t value, double patience)
{
    struct seat *seat = &local->table->seats[rank];
    double waited = 0;
    if (atomic_load(&own(local)->state) == FAILED) {
        return vks_fail(VKS_ERROR_GPU, "%s", own(local)->why);
    }
    for (uint32_t spins = 0;; spins++) {
        const uint32_t seen = atomic_load(count);
        if ((int32_t)(seen - value) >= 0) {
            return VKS_OK;
        }
        if (spins < SPINS) {
            continue;
        }
        waited += sleep_on(count, seen);
        const enum vks_result result = atomic_load(count) == seen ? lost(seat, rank) : VKS_OK;
        if (result != VKS_OK && (int32_t)(atomic_load(count) - value) < 0) {
            return result; /* else it has just left after that */
        }
        if (waited > patience) {
            return fail_silent(local, rank);
        }
    }
}

/* Increases a count that others wait for. */
static void count_up(_Atomic uint32_t *count)
{
    atomic_fetch_add(count, 1);
    wake(count);
}

/* Tells the others that this rank has come as far as that, and waits for the neighbours. */
static enum vks_result meet(struct local *local, const struct vks_mail *mail)
{
    enum vks_result result = VKS_OK;
    local->posts++;
    count_up(&own(local)->posts);
    for (uint32_t side = 0; result == VKS_OK && side < VKS_SIDES; side++) {
        if (mail->bytes[side] > 0) {
            const uint32_t rank = neighbour(local, side);
            result = wait_for(local, rank, &local->table->seats[rank].posts, local->posts,
                              local->patience);
        }
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

static void unmap(struct area *area)
{
    if (area->at) {
        (void)munmap(area->at, area->bytes);
    }
}

static void close_mail(void *user, struct vks_mail *mail)
{
    (void)user;
    struct areas *areas = mail->own;
    if (areas) {
        unmap(&areas->own);
        unmap(&areas->sides[VKS_BEFORE]);
        unmap(&areas->sides[VKS_AFTER]);
    }
    free(areas);
    mail->own = NULL;
}

/* Maps the memory of the mail: the own, which the neighbours open by the table, and theirs. */
static enum vks_result map_areas(struct local *local, const struct vks_mail *mail, size_t bytes)
{
    struct areas *areas = mail->own;
    int fd;
    enum vks_result result = create_own(bytes, &areas->own, &fd);
    if (result == VKS_OK) {
        own(local)->process = (int32_t)getpid();
        own(local)->memory = fd;
        own(local)->bytes = bytes;
        result = meet(local, mail);
    }
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        const uint32_t rank = neighbour(local, side);
        if (mail->bytes[side] > 0) {
            result = open_neighbours(&local->table->seats[rank], rank, bytes, &areas->sides[side]);
        }
    }
    if (result == VKS_OK) {
        result = meet(local, mail); /* the neighbours have opened it */
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return result;
}

static enum vks_result open_mail(void *user, struct vks_mail *mail)
{
    const size_t largest = mail->bytes[VKS_BEFORE] > mail->bytes[VKS_AFTER]
                               ? mail->bytes[VKS_BEFORE]
                               : mail->bytes[VKS_AFTER];
    const size_t message = (largest + VKS_PAGE - 1) / VKS_PAGE * VKS_PAGE;
    struct areas *areas = mail->own = calloc(1, sizeof(*areas));
    const enum vks_result result =
        areas ? map_areas(user, mail, message * VKS_TURNS * VKS_SIDES) : vks_fail_memory();
    for (uint32_t turn = 0; turn < VKS_TURNS && result == VKS_OK; turn++) {
        for (uint32_t side = 0; side < VKS_SIDES; side++) {
            char *const sent = areas->own.at, *const from = areas->sides[side].at;
            const uint32_t facing = side == VKS_BEFORE ? VKS_AFTER : VKS_BEFORE;
            mail->sent[turn][side] = sent + message * (VKS_SIDES * turn + side);
            mail->received[turn][side] = from ? from + message * (VKS_SIDES * turn + facing) : NULL;
        }
    }
    return result;
}

/* The neighbours read the memory that was written. A rank completes a trade once its neighbours
 * have begun it, so one is never `count` trades ahead of another, and sees in time at which all
 * stop. */
static enum vks_result trade(void *user, const struct vks_mail *mail, uint32_t turn, bool *stop)
{
    (void)turn;
    struct local *local = user;
    uint64_t none = 0;
    local->trades++;
    if (*stop) {
        (void)atomic_compare_exchange_strong(&local->table->stop_at, &none,
                                             local->trades + local->count);
    }
    const enum vks_result result = meet(local, mail);
    const uint64_t stop_at = atomic_load(&local->table->stop_at);
    *stop = stop_at > 0 && local->trades >= stop_at;
    return result;
}

static enum vks_result combine(void *user, enum vks_combining how, uint64_t *values, size_t count)
{
    struct local *local = user;
    const uint32_t number = ++local->compared;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < count; i++) {
        atomic_store(&own(local)->values[number % 2][i], values[i]);
    }
    count_up(&own(local)->compared);
    for (uint32_t rank = 0; rank < local->count && result == VKS_OK; rank++) {
        struct seat *seat = &local->table->seats[rank];
        if (rank != local->index) {
            result = wait_for(local, rank, &seat->compared, number, local->patience);
        }
        for (size_t i = 0; i < count && rank != local->index; i++) {
            const uint64_t other = atomic_load(&seat->values[number % 2][i]);
            values[i] = how == VKS_SUM ? values[i] + other : other > values[i] ? other : values[i];
        }
    }
    return result;
}

/* --- memory of all ranks ---------------------------------------------------------------------- */

static void close_shared(void *user, struct vks_shared_memory *shared)
{
    (void)user;
    struct area *area = shared->own;
    if (area) {
        unmap(area);
    }
    free(area);
    shared->own = NULL;
}

/* The first rank's, which the others open by the table. */
static enum vks_result map_shared(struct local *local, size_t bytes, struct area *area)
{
    int fd = -1;
    uint64_t none = 0;
    enum vks_result result = VKS_OK;
    if (local->index == 0) {
        result = create_own(bytes, area, &fd);
        own(local)->process = (int32_t)getpid();
        own(local)->memory = fd;
        own(local)->bytes = bytes;
    }
    if (result == VKS_OK) {
        result = combine(local, VKS_HIGHEST, &none, 1);
    }
    if (result == VKS_OK && local->index > 0) {
        result = open_neighbours(&local->table->seats[0], 0, bytes, area);
    }
    if (result == VKS_OK) {
        result = combine(local, VKS_HIGHEST, &none, 1); /* all have opened it */
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return result;
}

static enum vks_result open_shared(void *user, struct vks_shared_memory *shared)
{
    struct local *local = user;
    const size_t bytes =
        (shared->firsts[local->count] + VKS_PAGE - 1) / VKS_PAGE * (size_t)VKS_PAGE;
    struct area *area = shared->own = calloc(1, sizeof(*area));
    const enum vks_result result =
        area ? map_shared(local, bytes * VKS_TURNS, area) : vks_fail_memory();
    for (uint32_t turn = 0; turn < VKS_TURNS && result == VKS_OK; turn++) {
        shared->memory[turn] = (char *)area->at + turn * bytes;
    }
    return result;
}

/* All have it in common, and need only wait for each other. */
static enum vks_result share(void *user, const struct vks_shared_memory *shared, uint32_t turn)
{
    uint64_t none = 0;
    (void)shared;
    (void)turn;
    return combine(user, VKS_HIGHEST, &none, 1);
}

/* --- what rank 0 collects --------------------------------------------------------------------- */

static enum vks_result hand(void *user, uint32_t from, void *data, size_t bytes)
{
    struct local *local = user;
    struct seat *seat = &local->table->seats[from];
    const bool sends = local->index == from;
    enum vks_result result = VKS_OK;
    for (size_t at = 0; at < bytes && (sends || local->index == 0) && result == VKS_OK; at += BOX) {
        const size_t size = bytes - at < BOX ? bytes - at : BOX;
        const uint32_t full = atomic_load(&seat->filled), read = atomic_load(&seat->emptied);
        char *const part = (char *)data + at;
        /* Rank 0 may be writing files meanwhile, and the other may wait for it elsewhere. */
        result = sends ? wait_for(local, 0, &seat->emptied, full - BOXES + 1, INFINITY)
                       : wait_for(local, from, &seat->filled, read + 1, INFINITY);
        if (result == VKS_OK && sends) {
            memcpy(local->table->boxes[from][full % BOXES], part, size);
        } else if (result == VKS_OK) {
            memcpy(part, local->table->boxes[from][read % BOXES], size);
        }
        if (result == VKS_OK) {
            count_up(sends ? &seat->filled : &seat->emptied);
        }
    }
    return result;
}

/* --- joining ---------------------------------------------------------------------------------- */

static const char *table_path(const char *name, char path[64])
{
    snprintf(path, 64, "/vksim-%.40s", name);
    return path;
}

void vks_local_forget(const char *name)
{
    char path[64];
    (void)shm_unlink(table_path(name, path));
}

/* Maps the table, which the first rank creates. */
static enum vks_result open_table(const char *path, struct local *local)
{
    struct area area = {0};
    const int fd = shm_open(path, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return fail_memory(path);
    }
    local->bytes = sizeof(struct table) + local->count * sizeof(local->table->boxes[0]);
    errno = posix_fallocate(fd, 0, (off_t)local->bytes);
    const enum vks_result result =
        errno ? fail_memory("posix_fallocate") : map(fd, local->bytes, &area);
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
    double waited = 0;
    uint32_t taken;
    while ((taken = atomic_load(&local->table->taken)) < local->count) {
        for (uint32_t rank = 0; rank < local->count; rank++) {
            struct seat *seat = &local->table->seats[rank];
            if (rank != local->index && atomic_load(&seat->state) == HERE && is_dead(seat)) {
                return vks_fail(VKS_ERROR_GPU, "rank %u was killed", rank);
            }
        }
        if (waited > local->patience) {
            uint32_t rank = 0;
            while (atomic_load(&local->table->seats[rank].state) != EMPTY) {
                rank++;
            }
            return vks_fail(VKS_ERROR_GPU, "rank %u of %u has not come within %g seconds", rank,
                            local->count, local->patience);
        }
        waited += sleep_on(&local->table->taken, taken);
    }
    return VKS_OK;
}

static void set_patience(void *user, double seconds)
{
    struct local *local = user;
    local->patience = seconds;
}

static void fail_all(void *user, const char *why)
{
    struct local *local = user;
    struct seat *seat = own(local);
    if (atomic_load(&seat->state) == HERE) {
        snprintf(seat->why, sizeof(seat->why), "%s", why);
        atomic_store(&seat->state, FAILED);
        wake(&seat->posts);
        wake(&seat->filled);
        wake(&seat->emptied);
        wake(&seat->compared);
    }
}

static void leave(void *user, const char *why)
{
    struct local *local = user;
    struct seat *seat = own(local);
    if (why) {
        fail_all(local, why);
    } else if (atomic_load(&seat->state) == HERE) {
        atomic_store(&seat->state, LEFT);
    }
    (void)pthread_mutex_unlock(&seat->alive);
    wake(&seat->posts);
    wake(&seat->filled);
    wake(&seat->compared);
    (void)munmap(local->table, local->bytes);
    free(local);
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
    (void)table_path(name, path);
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
            (void)munmap(local->table, local->bytes);
        }
        free(local);
        return result;
    }
    result = wait_for_all(local);
    if (index == 0 || result != VKS_OK) { /* nobody needs the name any more */
        (void)shm_unlink(path);
    }
    if (result != VKS_OK) {
        leave(local, vks_error_text());
        return result;
    }
    *transport = (struct vks_transport){.index = index,
                                        .count = count,
                                        .here = index,
                                        .here_count = count,
                                        .open = open_mail,
                                        .close = close_mail,
                                        .trade = trade,
                                        .hand = hand,
                                        .combine = combine,
                                        .open_shared = open_shared,
                                        .close_shared = close_shared,
                                        .share = share,
                                        .set_patience = set_patience,
                                        .fail = fail_all,
                                        .leave = leave,
                                        .user = local};
    return VKS_OK;
}
