/* The relay where chunks may be handed out again.
 *
 * The master answers every request at once: with a chunk, fresh or once more,
 * with the end, or with how long to wait before the worker asks again.  Results
 * come to a place of their worker's own and go where they belong when they are
 * whole and the first: a worker may stop in the middle of a message.  When all
 * results are in place the master says so to every rank, and whoever was gone
 * comes back, to end as all others do. */
#include "harness/transport/master/relay_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- opening ---- */

static size_t landed_bytes(const struct relay *relay)
{
    return (size_t)relay->book->iterations * relay->output_bytes;
}

static bool is_master(const struct relay *relay)
{
    return relay->reissues && relay->count > 0;
}

int relay_reissue_open(struct relay *relay, const struct relay_setup *setup)
{
    if (!setup->reissues || relay->count == 0 || engine_simulated)
        return 0;
    relay->landed =
        calloc((size_t)relay->tree->workers + 1, sizeof(*relay->landed));
    if (relay->landed == NULL)
        return -ENOMEM;
    for (int w = 0; w < relay->tree->workers; w++) {
        if (relay->tree->worker_rank[w] == relay->comm->rank)
            continue;
        void *pages = mmap(NULL, landed_bytes(relay), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED)
            return -ENOMEM;
        relay->landed[w] = pages;
    }
    return 0;
}

void relay_reissue_close(struct relay *relay)
{
    for (int w = 0; relay->landed != NULL && w < relay->tree->workers; w++)
        if (relay->landed[w] != NULL)
            munmap(relay->landed[w], landed_bytes(relay));
    free(relay->landed);
    free(relay->arrival);
}

void relay_reissue_reset(struct relay *relay)
{
    relay->arrivals = 0;
    relay->told = false;
    atomic_store(&relay->over, false);
}

void relay_reissue_listen(struct relay *relay)
{
    if (relay->reissues && relay->book == NULL)
        MPI_Irecv(&relay->over_byte, 1, MPI_BYTE, relay->tree->master[0].rank,
                  RELAY_OVER, relay->comm->all, &relay->over_request);
}

/* ---- answers ---- */

/* Not a chunk but nanoseconds to wait. */
enum { STEP_WAIT = -1 };

void relay_reissue_answer(struct relay *relay, int worker,
                          enum master_answer answer, struct chunk *chunk)
{
    double wait_s, now = engine_now();
    if (answer == MASTER_CHUNK) {
        reissue_out(relay->book, worker, chunk, now);
        return;
    }
    *chunk = (struct chunk){0};
    if (reissue_take(relay->book, worker, now, chunk, &wait_s) == REISSUE_WAIT)
        *chunk = (struct chunk){.step = STEP_WAIT,
                                .start = (int64_t)(wait_s * 1e9) + 1};
}

double relay_told_to_wait(const struct chunk *reply)
{
    bool wait = reply->size == 0 && reply->step == STEP_WAIT;
    return wait ? 1e-9 * (double)reply->start : 0;
}

bool relay_reserved(void *arg, int worker, struct chunk *chunk)
{
    struct relay *relay = arg;
    return master_take(&relay->master[0], worker, chunk) == MASTER_CHUNK;
}

/* ---- results ---- */

void relay_expect(struct relay *relay, const struct request *request)
{
    char *to =
        relay->landed != NULL ? relay->landed[request->child] : relay->inbox;
    int w = request->child, count;
    int thread = w - relay->tree->rank_worker[relay->tree->worker_rank[w]];
    MPI_Datatype type = relay_results_type(relay, request->size, &count);
    relay->arrival = relay_grow(relay->arrival, relay->arrivals,
                                &relay->arrival_room, sizeof(*relay->arrival));
    struct arrival *arrival = &relay->arrival[relay->arrivals++];
    *arrival = (struct arrival){
        .start = request->start, .size = request->size, .worker = w};
    MPI_Irecv(to + (size_t)request->start * relay->output_bytes, count, type,
              request->from, RELAY_RESULT + thread, relay->comm->all,
              &arrival->request);
}

static void place(struct relay *relay, const struct arrival *arrival)
{
    size_t at = (size_t)arrival->start * relay->output_bytes;
    if (!reissue_claim(relay->book, arrival->worker, arrival->start))
        return;
    if (relay->landed != NULL)
        memcpy(relay->inbox + at, relay->landed[arrival->worker] + at,
               (size_t)arrival->size * relay->output_bytes);
    reissue_placed(relay->book, arrival->start, engine_now());
}

bool relay_take_arrivals(struct relay *relay)
{
    int kept = 0;
    for (int i = 0; i < relay->arrivals; i++) {
        struct arrival arrival = relay->arrival[i];
        int whole = 1;
        if (arrival.request != MPI_REQUEST_NULL)
            MPI_Test(&arrival.request, &whole, MPI_STATUS_IGNORE);
        if (whole)
            place(relay, &arrival);
        else
            relay->arrival[kept++] = arrival;
    }
    bool any = kept < relay->arrivals;
    relay->arrivals = kept;
    return any;
}

void relay_poison(struct relay *relay, int byte)
{
    const struct reissue *book = relay->book;
    for (int32_t i = 0; relay->landed != NULL && i < book->count; i++) {
        const struct reissue_entry *entry = &book->entry[i];
        int32_t cursor = 0;
        int worker;
        while ((worker = reissue_holder(book, entry, &cursor)) >= 0) {
            char *landed = relay->landed[worker];
            if (landed != NULL)
                memset(landed +
                           (size_t)entry->chunk.start * relay->output_bytes,
                       byte, (size_t)entry->chunk.size * relay->output_bytes);
        }
    }
}

/* ---- the end ---- */

/* Simulated ranks see the book. */
void relay_tell_over(struct relay *relay)
{
    if (engine_simulated || !is_master(relay) || relay->told ||
        !reissue_is_over(relay->book))
        return;
    relay->told = true;
    for (int rank = 0; rank < relay->comm->ranks; rank++)
        if (rank != relay->comm->rank)
            MPI_Send(&relay->over_byte, 1, MPI_BYTE, rank, RELAY_OVER,
                     relay->comm->all);
}

bool relay_is_over(struct relay *relay)
{
    if (relay->book != NULL)
        return reissue_is_over(relay->book);
    if (atomic_load(&relay->over))
        return true;
    comm_begin(relay->comm);
    int over = 1;
    if (relay->over_request != MPI_REQUEST_NULL)
        MPI_Test(&relay->over_request, &over, MPI_STATUS_IGNORE);
    comm_end(relay->comm);
    if (over)
        atomic_store(&relay->over, true);
    return over;
}

void relay_await_over(struct relay *relay)
{
    struct engine_idle idle = {0};
    if (!relay->reissues)
        return;
    if (relay->book != NULL) {
        /* Who takes no part has left before, and nobody asks any more. */
        comm_begin(relay->comm);
        relay_tell_over(relay);
        comm_end(relay->comm);
        return;
    }
    while (!relay_is_over(relay))
        engine_idle(&idle, &relay->patience, NULL);
}
