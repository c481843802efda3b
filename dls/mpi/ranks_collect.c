/* dls_collect: results go from the ranks that computed them to one, or to all.
 *
 * The ranks send in turn, in batches: a head with the parts of chunks, then
 * their results in sequence.  A packed result follows its size and begins at a
 * multiple of 8. */
#include "dls/mpi/ranks_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* BATCH: bytes, if no iteration has more.  The tag is one of no transport.
 * Counts of MPI are int. */
enum { PARTS = 512, BATCH = 1 << 24, PART = 1 << 30, TAG = 900 };

/* `head` goes first, so that the receiver knows how many bytes follow.
 * `capacity` is the same in all ranks. */
struct batch {
    struct {
        int64_t parts, bytes;
        struct chunk part[PARTS];
    } head;
    char *room;
    int64_t capacity;
};

/* Where a rank is in its list. */
struct cursor {
    int worker;
    int64_t chunk, done; /* done: iterations of that chunk */
};

struct collecting {
    struct ranks *ranks;
    const dls_data *output;
    int root;
    struct batch batch;
};

static int64_t round_to_words(int64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* ---- a batch ---- */

/* Bytes of an iteration's results in a batch. */
static int64_t bytes_of(const dls_data *output, int64_t iteration)
{
    if (output->bytes > 0)
        return (int64_t)output->bytes;
    return 8 + round_to_words((int64_t)output->measure(output->arg, iteration));
}

static void put_result(const dls_data *output, int64_t i, char *to)
{
    if (output->bytes > 0) {
        memcpy(to, (char *)output->memory + (size_t)i * output->bytes,
               output->bytes);
        return;
    }
    uint64_t bytes = output->measure(output->arg, i);
    memcpy(to, &bytes, sizeof(bytes));
    output->pack(output->arg, i, to + 8);
}

/* Returns the bytes that it took. */
static int64_t take_result(const dls_data *output, int64_t i, const char *from)
{
    if (output->bytes > 0) {
        memcpy((char *)output->memory + (size_t)i * output->bytes, from,
               output->bytes);
        return (int64_t)output->bytes;
    }
    uint64_t bytes;
    memcpy(&bytes, from, sizeof(bytes));
    output->unpack(output->arg, i, from + 8, bytes);
    return 8 + round_to_words((int64_t)bytes);
}

/* Adds as much of a chunk as fits; returns its number of iterations. */
static int64_t add_part(const dls_data *output, struct batch *batch,
                        int64_t start, int64_t size)
{
    int64_t added = 0;
    for (; added < size; added++) {
        int64_t bytes = bytes_of(output, start + added);
        if (bytes > batch->capacity - batch->head.bytes)
            break;
        put_result(output, start + added, batch->room + batch->head.bytes);
        batch->head.bytes += bytes;
    }
    if (added > 0)
        batch->head.part[batch->head.parts++] =
            (struct chunk){.start = start, .size = added};
    return added;
}

/* The next batch of this rank; without parts when there is no more.  A chunk
 * that does not fit is continued in the next batch, from `at` on. */
static void fill_batch(struct collecting *c, struct cursor *at)
{
    const struct ranks *ranks = c->ranks;
    struct batch *batch = &c->batch;
    batch->head.parts = batch->head.bytes = 0;
    while (at->worker < ranks->loop.workers && batch->head.parts < PARTS) {
        const struct worker_data *worker = &ranks->data.worker[at->worker];
        if (at->chunk == worker->count) {
            at->chunk = 0;
            at->worker++;
            continue;
        }
        const struct chunk *chunk = &worker->done[at->chunk];
        at->done += add_part(c->output, batch, chunk->start + at->done,
                             chunk->size - at->done);
        if (at->done < chunk->size)
            break;
        at->done = 0;
        at->chunk++;
    }
}

static void place_batch(const struct collecting *c)
{
    const char *from = c->batch.room;
    for (int64_t p = 0; p < c->batch.head.parts; p++) {
        const struct chunk *part = &c->batch.head.part[p];
        for (int64_t i = 0; i < part->size; i++)
            from += take_result(c->output, part->start + i, from);
    }
}

/* ---- messages ---- */

/* All ranks get the bytes by a broadcast, one root by a message.  With one
 * root, ranks other than sender and root do nothing. */
static void move_bytes(const struct collecting *c, int from, void *data,
                       int bytes)
{
    const struct comm *comm = &c->ranks->comm;
    MPI_Request request = MPI_REQUEST_NULL;
    if (c->root == DLS_EVERYWHERE)
        comm_check(
            comm, MPI_Ibcast(data, bytes, MPI_BYTE, from, comm->all, &request));
    else if (comm->rank == from)
        comm_check(comm, MPI_Isend(data, bytes, MPI_BYTE, c->root, TAG,
                                   comm->all, &request));
    else if (comm->rank == c->root)
        comm_check(comm, MPI_Irecv(data, bytes, MPI_BYTE, from, TAG, comm->all,
                                   &request));
    comm_wait(comm, &c->ranks->patience, &request);
}

static void move_batch(struct collecting *c, int from)
{
    struct batch *batch = &c->batch;
    move_bytes(c, from, &batch->head, (int)sizeof(batch->head));
    for (int64_t at = 0; at < batch->head.bytes; at += PART) {
        int64_t left = batch->head.bytes - at;
        move_bytes(c, from, batch->room + at, left < PART ? (int)left : PART);
    }
}

/* A rank that neither sends nor receives has nothing to do. */
static void collect_from(struct collecting *c, int from)
{
    const struct comm *comm = &c->ranks->comm;
    struct cursor at = {0};
    bool sends = comm->rank == from;
    bool receives = c->root == DLS_EVERYWHERE || c->root == comm->rank;
    if (from == c->root || (!sends && !receives))
        return;
    do {
        if (sends)
            fill_batch(c, &at);
        move_batch(c, from);
        if (comm_failed(comm))
            return;
        if (!sends)
            place_batch(c);
    } while (c->batch.head.parts > 0);
}

/* ---- the collective call ---- */

static int64_t largest_iteration(const struct collecting *c)
{
    const struct ranks *ranks = c->ranks;
    int64_t largest = (int64_t)c->output->bytes;
    if (largest > 0)
        return largest;
    for (int w = 0; w < ranks->loop.workers; w++)
        for (int64_t k = 0; k < ranks->data.worker[w].count; k++) {
            const struct chunk *chunk = &ranks->data.worker[w].done[k];
            for (int64_t i = 0; i < chunk->size; i++) {
                int64_t bytes = bytes_of(c->output, chunk->start + i);
                largest = bytes > largest ? bytes : largest;
            }
        }
    return largest;
}

/* A batch takes one iteration at least: its room is that of the largest
 * iteration in any rank, and never below BATCH. */
static int open_batch(struct collecting *c)
{
    struct ranks *ranks = c->ranks;
    const struct comm *comm = &ranks->comm;
    int64_t mine = largest_iteration(c), largest = BATCH;
    if (mine < BATCH)
        mine = BATCH;
    comm_combine(comm, &mine, &largest, 1, MPI_INT64_T, MPI_MAX);
    c->batch.capacity = largest;
    c->batch.room = malloc((size_t)largest);
    memset(&c->batch.head, 0, sizeof(c->batch.head));
    return comm_agree(
        comm,
        c->batch.room != NULL
            ? 0
            : error_set(&ranks->loop.error, ENOMEM, "dls: out of memory"),
        &ranks->loop.error);
}

static int check_root(struct ranks *ranks, int root)
{
    struct error *err = &ranks->loop.error;
    const uint64_t value = (uint64_t)(int64_t)root;
    if (comm_differing(&ranks->comm, &value, 1) == 0)
        return error_set(err, EINVAL, "dls: the ranks pass different roots");
    if (root != DLS_EVERYWHERE && (root < 0 || root >= ranks->comm.ranks))
        return error_set(err, EINVAL,
                         "dls: there is no rank %d, allowed: 0 to %d, or "
                         "DLS_EVERYWHERE",
                         root, ranks->comm.ranks - 1);
    return 0;
}

static int collect_results(struct ranks *ranks, int root)
{
    struct collecting *c = malloc(sizeof(*c));
    int code = comm_agree(
        &ranks->comm,
        c != NULL ? 0
                  : error_set(&ranks->loop.error, ENOMEM, "dls: out of memory"),
        &ranks->loop.error);
    if (code != 0) {
        free(c);
        return code;
    }
    c->ranks = ranks;
    c->output = &ranks->data.output;
    c->root = root;
    code = open_batch(c);
    for (int r = 0; code == 0 && r < ranks->comm.ranks; r++)
        collect_from(c, r);
    free(c->batch.room);
    free(c);
    return comm_failed(&ranks->comm) ? ranks_failed(ranks) : code;
}

DLS_PUBLIC int dls_collect(dls_loop *loop, int root)
{
    if (loop == NULL)
        return -EINVAL;
    if (loop->code != 0)
        return loop->code;
    if (loop->over != &ranks_over || ranks_of(loop)->data.output.size == 0)
        return loop_refuse(loop, ENOTSUP,
                           "dls: the loop has no output "
                           "(dls_mpi_options.output)");
    struct ranks *ranks = ranks_of(loop);
    int code = ranks_check_finished(ranks);
    if (code == 0)
        code = check_root(ranks, root);
    return code != 0 || ranks->comm.ranks == 1 ? code
                                               : collect_results(ranks, root);
}
