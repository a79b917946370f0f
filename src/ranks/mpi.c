/* SPDX-License-Identifier: MIT */
#include "ranks/mpi.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED vks_mpi_version_fn vks_mpi_version;
EXPORTED vks_mpi_join_fn vks_mpi_join;

struct mpi {
    const struct vks_mpi_host *host;
    int index, count;
};

static enum vks_result fail_memory(const struct mpi *mpi)
{
    return mpi->host->fail(VKS_ERROR_GPU, "out of memory for messages between ranks");
}

static int neighbour(const struct mpi *mpi, uint32_t side)
{
    return (mpi->index + (side == VKS_BEFORE ? mpi->count - 1 : 1)) % mpi->count;
}

/* --- mail ------------------------------------------------------------------------------------- */

static void close_mail(void *user, struct vks_mail *mail)
{
    (void)user;
    free(mail->own);
    mail->own = NULL;
}

/* All messages are in one piece of memory. */
static enum vks_result open_mail(void *user, struct vks_mail *mail)
{
    enum { MESSAGES = 2 * VKS_TURNS * VKS_SIDES };
    const struct mpi *mpi = user;
    const size_t largest = mail->bytes[VKS_BEFORE] > mail->bytes[VKS_AFTER]
                               ? mail->bytes[VKS_BEFORE]
                               : mail->bytes[VKS_AFTER];
    const size_t bytes = (largest + VKS_PAGE - 1) / VKS_PAGE * VKS_PAGE;
    if (largest > INT_MAX) {
        return mpi->host->fail(VKS_ERROR_USAGE,
                               "ranks exchange more than 2 GiB at once; they have to exchange "
                               "more often, or be more");
    }
    char *at = mail->own = aligned_alloc(VKS_PAGE, bytes * MESSAGES + VKS_PAGE);
    for (uint32_t turn = 0; turn < VKS_TURNS && at; turn++) {
        for (uint32_t side = 0; side < VKS_SIDES; side++) {
            mail->sent[turn][side] = at;
            mail->received[turn][side] = at + bytes;
            at += 2 * bytes;
        }
    }
    return mail->own ? VKS_OK : fail_memory(mpi);
}

/* A message is marked with the side that it leaves from: two ranks are neighbours on both sides. */
static enum vks_result trade(void *user, const struct vks_mail *mail, uint32_t turn, bool *stop)
{
    const struct mpi *mpi = user;
    MPI_Request requests[2 * VKS_SIDES];
    MPI_Status statuses[2 * VKS_SIDES]; /* gcc takes MPICH's MPI_STATUSES_IGNORE for an array */
    int count = 0, wanted = *stop, stops = 0;
    for (uint32_t side = 0; side < VKS_SIDES; side++) {
        const int facing = side == VKS_BEFORE ? VKS_AFTER : VKS_BEFORE;
        const int bytes = (int)mail->bytes[side];
        if (bytes > 0) {
            (void)MPI_Irecv(mail->received[turn][side], bytes, MPI_BYTE, neighbour(mpi, side),
                            facing, MPI_COMM_WORLD, &requests[count++]);
            (void)MPI_Isend(mail->sent[turn][side], (int)mail->used[side], MPI_BYTE,
                            neighbour(mpi, side), (int)side, MPI_COMM_WORLD, &requests[count++]);
        }
    }
    (void)MPI_Waitall(count, requests, statuses);
    (void)MPI_Allreduce(&wanted, &stops, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    *stop = stops != 0;
    return VKS_OK;
}

static enum vks_result hand(void *user, uint32_t from, void *data, size_t bytes)
{
    enum { HANDED = VKS_SIDES, PART = 1 << 30 };
    const struct mpi *mpi = user;
    const bool takes_part = mpi->index == (int)from || mpi->index == 0; /* `data` is set */
    for (size_t at = 0; at < bytes && takes_part; at += PART) {
        const int size = (int)(bytes - at < PART ? bytes - at : PART);
        char *const part = (char *)data + at;
        if (mpi->index == (int)from) {
            (void)MPI_Send(part, size, MPI_BYTE, 0, HANDED, MPI_COMM_WORLD);
        } else {
            (void)MPI_Recv(part, size, MPI_BYTE, (int)from, HANDED, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
        }
    }
    return VKS_OK;
}

static enum vks_result combine(void *user, enum vks_combining how, uint64_t *values, size_t count)
{
    (void)user;
    (void)MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T,
                        how == VKS_SUM ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    return VKS_OK;
}

/* --- memory of all ranks ---------------------------------------------------------------------- */

/* Of each process, with the words of each rank and those before them for MPI. */
struct shared {
    char *memory;
    int *counts, *firsts;
};

static void close_shared(void *user, struct vks_shared_memory *shared)
{
    (void)user;
    struct shared *own = shared->own;
    if (own) {
        free(own->memory);
        free(own->counts);
        free(own->firsts);
    }
    free(own);
    shared->own = NULL;
}

static enum vks_result open_shared(void *user, struct vks_shared_memory *shared)
{
    const struct mpi *mpi = user;
    const uint64_t all = shared->firsts[mpi->count];
    const size_t bytes = (all + VKS_PAGE - 1) / VKS_PAGE * (size_t)VKS_PAGE;
    struct shared *own = shared->own = calloc(1, sizeof(*own));
    if (all / 4 > INT_MAX) {
        return mpi->host->fail(VKS_ERROR_USAGE, "ranks share more than 8 GiB at once");
    }
    if (own) {
        own->memory = aligned_alloc(VKS_PAGE, bytes * VKS_TURNS + VKS_PAGE);
        own->counts = calloc((size_t)mpi->count, sizeof(*own->counts));
        own->firsts = calloc((size_t)mpi->count, sizeof(*own->firsts));
    }
    if (!own || !own->memory || !own->counts || !own->firsts) {
        return fail_memory(mpi);
    }
    for (int rank = 0; rank < mpi->count; rank++) {
        own->firsts[rank] = (int)(shared->firsts[rank] / 4);
        own->counts[rank] = (int)((shared->firsts[rank + 1] - shared->firsts[rank]) / 4);
    }
    for (uint32_t turn = 0; turn < VKS_TURNS; turn++) {
        shared->memory[turn] = own->memory + turn * bytes;
    }
    return VKS_OK;
}

static enum vks_result share(void *user, const struct vks_shared_memory *shared, uint32_t turn)
{
    const struct shared *own = shared->own;
    (void)user;
    (void)MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, shared->memory[turn], own->counts,
                         own->firsts, MPI_UINT32_T, MPI_COMM_WORLD);
    return VKS_OK;
}

/* --- joining ---------------------------------------------------------------------------------- */

/* MPI notices ranks that end, and waits for silent ones. */
static void set_patience(void *user, double seconds)
{
    (void)user;
    (void)seconds;
}

/* It ends all ranks, as failures of MPI itself do by default: mpirun ends the others. MPI_Abort()
 * would call the handlers of exit(), in which drivers that are at work crash. */
static void fail_all(void *user, const char *why)
{
    const struct mpi *mpi = user;
    char text[1024];
    snprintf(text, sizeof(text), "rank %d failed: %s", mpi->index, why);
    mpi->host->say(text);
    (void)fflush(NULL);
    _exit(VKS_ERROR_GPU);
}

static void leave(void *user, const char *why)
{
    if (why) {
        fail_all(user, why);
    }
    (void)MPI_Finalize();
    free(user);
}

const char *vks_mpi_version(void)
{
    return VKS_VERSION;
}

enum vks_result vks_mpi_join(const struct vks_mpi_host *host, struct vks_transport *transport)
{
    int begun = 0, given, here, here_count;
    MPI_Comm host_ranks;
    struct mpi *mpi = calloc(1, sizeof(*mpi));
    if (!mpi) {
        return host->fail(VKS_ERROR_GPU, "out of memory");
    }
    mpi->host = host;
    (void)MPI_Initialized(&begun);
    if (begun) {
        free(mpi);
        return host->fail(VKS_ERROR_USAGE,
                          "this process has started MPI already; ranks \"mpi\" start it "
                          "themselves, and once");
    }
    (void)MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &mpi->index);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &mpi->count);
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_ranks);
    (void)MPI_Comm_rank(host_ranks, &here);
    (void)MPI_Comm_size(host_ranks, &here_count);
    (void)MPI_Comm_free(&host_ranks);
    *transport = (struct vks_transport){.index = (uint32_t)mpi->index,
                                        .count = (uint32_t)mpi->count,
                                        .here = (uint32_t)here,
                                        .here_count = (uint32_t)here_count,
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
                                        .user = mpi};
    return VKS_OK;
}
