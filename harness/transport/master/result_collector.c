#include "harness/transport/master/result_collector.h"

#include "base/invariant.h"
#include "base/pages.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Arrivals that there is room for from the beginning. */
enum { ARRIVALS = 64 };

/* ---- opening ---- */

static size_t list_bytes(const struct result_collector *collector)
{
    return (size_t)collector->iterations * sizeof(*collector->result);
}

static size_t landed_bytes(const struct result_collector *collector)
{
    return (size_t)collector->iterations * collector->bytes;
}

static int open_landed(struct result_collector *collector, int rank)
{
    const struct tree *tree = collector->tree;
    collector->landed =
        calloc((size_t)tree->workers + 1, sizeof(*collector->landed));
    if (collector->landed == NULL)
        return -ENOMEM;
    for (int w = 0; w < tree->workers; w++) {
        if (tree->worker_rank[w] == rank)
            continue;
        collector->landed[w] = pages_map(landed_bytes(collector));
        if (collector->landed[w] == NULL)
            return -ENOMEM;
    }
    return 0;
}

/* A chunk has one iteration at least. */
static int open_lists(struct result_collector *collector, int rank)
{
    if (collector->ledger == NULL) {
        collector->result = pages_map(list_bytes(collector));
        return collector->result != NULL ? 0 : -ENOMEM;
    }
    collector->arrival_room = ARRIVALS;
    collector->arrival = malloc(ARRIVALS * sizeof(*collector->arrival));
    if (collector->arrival == NULL)
        return -ENOMEM;
    return collector->box->comm->hollow ? 0 : open_landed(collector, rank);
}

int result_collector_open(struct result_collector *collector,
                          const struct result_setup *setup)
{
    *collector = (struct result_collector){.box = setup->box,
                                           .tree = setup->tree,
                                           .collects = setup->collects,
                                           .tag = setup->tag,
                                           .iterations = setup->iterations,
                                           .output = setup->output,
                                           .own = setup->own,
                                           .inbox = setup->inbox,
                                           .bytes = setup->bytes,
                                           .iteration = MPI_DATATYPE_NULL,
                                           .ledger = setup->ledger};
    int code = 0;
    if (setup->receives && setup->collects)
        code = open_lists(collector, setup->rank);
    if (code != 0) {
        result_collector_close(collector);
        return code;
    }
    if (setup->collects) {
        MPI_Type_contiguous((int)setup->bytes, MPI_BYTE, &collector->iteration);
        MPI_Type_commit(&collector->iteration);
    }
    return 0;
}

void result_collector_close(struct result_collector *collector)
{
    const struct tree *tree = collector->tree;
    for (int w = 0; collector->landed != NULL && w < tree->workers; w++)
        pages_unmap(collector->landed[w], landed_bytes(collector));
    pages_unmap(collector->result, list_bytes(collector));
    free(collector->landed);
    free(collector->arrival);
    if (collector->collects && collector->iteration != MPI_DATATYPE_NULL)
        MPI_Type_free(&collector->iteration);
    *collector = (struct result_collector){.collects = false};
}

void result_collector_reset(struct result_collector *collector)
{
    collector->count = 0;
    collector->posted = 0;
    collector->landing = collector->box->comm->landing;
    collector->arrivals = 0;
}

/* ---- messages ---- */

/* Results of `size` iterations as a message: as bytes if their number fits an
 * int, because SMPI copies all other types. */
static MPI_Datatype message_type(const struct result_collector *collector,
                                 int64_t size, int *count)
{
    int64_t bytes = size * (int64_t)collector->bytes;
    *count = (int)(bytes <= INT_MAX ? bytes : size);
    return bytes <= INT_MAX ? MPI_BYTE : collector->iteration;
}

static size_t place_of(const struct result_collector *collector, int64_t start)
{
    return (size_t)start * collector->bytes;
}

static int tag_of(const struct result_collector *collector, int worker)
{
    const struct tree *tree = collector->tree;
    return collector->tag + worker -
           tree->rank_worker[tree->worker_rank[worker]];
}

void result_collector_send(struct result_collector *collector, int thread,
                           const struct chunk *chunk, int to)
{
    const char *output =
        collector->own != NULL ? collector->own[thread] : collector->output;
    int count;
    MPI_Datatype type = message_type(collector, chunk->size, &count);
    result_collector_reap(collector, true);
    mailbox_send_long(
        collector->box, output + place_of(collector, chunk->start), count, type,
        chunk->size * (int64_t)collector->bytes, to, collector->tag + thread);
}

/* ---- straight to their place ---- */

static void post_receives(struct result_collector *collector)
{
    const struct comm *comm = collector->box->comm;
    while (collector->posted < collector->count &&
           collector->box->requests < collector->landing) {
        const struct expected *r = &collector->result[collector->posted++];
        int count;
        MPI_Datatype type = message_type(collector, r->size, &count);
        MPI_Irecv(collector->inbox + place_of(collector, r->start), count, type,
                  r->from, r->tag, comm->all, mailbox_add(collector->box));
    }
}

void result_collector_reap(struct result_collector *collector, bool old)
{
    bool reaped = true;
    if (old)
        reaped = mailbox_reap_old(collector->box);
    else
        mailbox_reap(collector->box);
    if (reaped)
        post_receives(collector);
}

void result_collector_receive(struct result_collector *collector, int worker,
                              int from, int64_t start, int64_t size,
                              MPI_Request *coming)
{
    int bytes, tag = tag_of(collector, worker);
    MPI_Datatype type = message_type(collector, size, &bytes);
    invariant(collector->ledger == NULL);
    invariant(collector->count < collector->iterations);
    MPI_Irecv(collector->inbox + place_of(collector, start), bytes, type, from,
              tag, collector->box->comm->all, coming);
    /* Before the results without a receive. */
    struct expected *at = &collector->result[collector->posted++];
    memmove(at + 1, at,
            (size_t)(collector->count++ - collector->posted + 1) * sizeof(*at));
    *at = (struct expected){start, size, from, tag};
}

/* ---- with reissued chunks ---- */

/* Without memory for one more it waits for the arrival of another. */
static struct arrival *add_arrival(struct result_collector *collector)
{
    while (collector->arrivals == collector->arrival_room) {
        int room = collector->arrival_room * 2;
        struct arrival *more =
            realloc(collector->arrival, (size_t)room * sizeof(*more));
        if (more == NULL) {
            result_collector_place(collector);
            continue;
        }
        collector->arrival = more;
        collector->arrival_room = room;
    }
    return &collector->arrival[collector->arrivals++];
}

static void receive_apart(struct result_collector *collector, int worker,
                          int from, int64_t start, int64_t size)
{
    char *to = collector->landed != NULL ? collector->landed[worker]
                                         : collector->inbox;
    int count;
    MPI_Datatype type = message_type(collector, size, &count);
    struct arrival *arrival = add_arrival(collector);
    *arrival = (struct arrival){.start = start, .size = size, .worker = worker};
    MPI_Irecv(to + place_of(collector, start), count, type, from,
              tag_of(collector, worker), collector->box->comm->all,
              &arrival->request);
}

static void take_arrival(struct result_collector *collector,
                         const struct arrival *arrival)
{
    size_t at = place_of(collector, arrival->start);
    if (!reissue_claim(collector->ledger, arrival->worker, arrival->start))
        return;
    if (collector->landed != NULL)
        memcpy(collector->inbox + at, collector->landed[arrival->worker] + at,
               place_of(collector, arrival->size));
    reissue_placed(collector->ledger, arrival->start, engine_now());
}

bool result_collector_place(struct result_collector *collector)
{
    int kept = 0;
    for (int i = 0; i < collector->arrivals; i++) {
        struct arrival arrival = collector->arrival[i];
        int whole = 1;
        if (arrival.request != MPI_REQUEST_NULL)
            MPI_Test(&arrival.request, &whole, MPI_STATUS_IGNORE);
        if (whole)
            take_arrival(collector, &arrival);
        else
            collector->arrival[kept++] = arrival;
    }
    bool any = kept < collector->arrivals;
    collector->arrivals = kept;
    return any;
}

/* ---- both ---- */

void result_collector_expect(struct result_collector *collector, int worker,
                             int from, int64_t start, int64_t size)
{
    if (collector->ledger != NULL)
        receive_apart(collector, worker, from, start, size);
    else {
        invariant(collector->count < collector->iterations);
        result_collector_reap(collector, true);
        collector->result[collector->count++] =
            (struct expected){start, size, from, tag_of(collector, worker)};
        post_receives(collector);
    }
}

bool result_collector_next(const struct result_collector *collector,
                           int64_t *cursor, int64_t *start, int64_t *size)
{
    if (*cursor >= collector->count)
        return false;
    const struct expected *result = &collector->result[(*cursor)++];
    *start = result->start;
    *size = result->size;
    return true;
}

static void poison_entry(struct result_collector *collector,
                         const struct reissue_entry *entry, int byte)
{
    size_t at = place_of(collector, entry->chunk.start);
    int32_t cursor = 0;
    int worker;
    while ((worker = reissue_holder(collector->ledger, entry, &cursor)) >= 0)
        if (collector->landed[worker] != NULL)
            memset(collector->landed[worker] + at, byte,
                   place_of(collector, entry->chunk.size));
}

void result_collector_poison(struct result_collector *collector, int byte)
{
    for (int32_t i = 0;
         collector->landed != NULL && i < collector->ledger->count; i++)
        poison_entry(collector, &collector->ledger->entry[i], byte);
}
