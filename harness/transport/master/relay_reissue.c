/* The relay with reissued chunks.
 *
 * The master answers every request at once: with a chunk, fresh or reissued,
 * with the end, or with a time to wait before the worker asks again.  When all
 * results are in place, the master tells every rank.  An absent worker then
 * returns and ends like all others. */
#include "harness/transport/master/relay.h"

/* ---- answers ---- */

/* Not a chunk but nanoseconds to wait. */
enum { STEP_WAIT = -1 };

void relay_reissue_answer(struct relay *relay, int worker,
                          enum master_answer answer, struct chunk *chunk)
{
    double wait_s, now = engine_now();
    if (answer == MASTER_CHUNK) {
        reissue_out(relay->ledger, worker, chunk, now);
        return;
    }
    *chunk = (struct chunk){0};
    if (reissue_take(relay->ledger, worker, now, chunk, &wait_s) ==
        REISSUE_WAIT)
        *chunk = (struct chunk){.step = STEP_WAIT,
                                .start = (int64_t)(wait_s * 1e9) + 1};
}

double relay_wait_s(const struct chunk *reply)
{
    bool wait = reply->size == 0 && reply->step == STEP_WAIT;
    return wait ? 1e-9 * (double)reply->start : 0;
}

bool relay_reserved(void *arg, int worker, struct chunk *chunk)
{
    struct relay *relay = arg;
    return master_take(&relay->hosted[0].master, worker, chunk) == MASTER_CHUNK;
}

/* ---- the end ---- */

void relay_over_reset(struct relay *relay)
{
    relay->over.sent = false;
    atomic_store(&relay->over.known, false);
}

void relay_over_listen(struct relay *relay)
{
    if (relay->reissues && relay->ledger == NULL)
        MPI_Irecv(&relay->over.byte, 1, MPI_BYTE, relay->tree->master[0].rank,
                  RELAY_OVER, relay->comm->all, &relay->over.request);
}

/* By the master; ranks of one process see the ledger. */
void relay_send_over(struct relay *relay)
{
    bool sends = relay->count > 0 && !relay->comm->one_process;
    if (!sends || relay->over.sent || !reissue_is_over(relay->ledger))
        return;
    relay->over.sent = true;
    for (int rank = 0; rank < relay->comm->ranks; rank++)
        if (rank != relay->comm->rank)
            MPI_Send(&relay->over.byte, 1, MPI_BYTE, rank, RELAY_OVER,
                     relay->comm->all);
}

bool relay_is_over(struct relay *relay)
{
    if (relay->ledger != NULL)
        return reissue_is_over(relay->ledger);
    if (atomic_load(&relay->over.known))
        return true;
    comm_begin(relay->comm);
    int over = 1;
    if (relay->over.request != MPI_REQUEST_NULL)
        MPI_Test(&relay->over.request, &over, MPI_STATUS_IGNORE);
    comm_end(relay->comm);
    if (over)
        atomic_store(&relay->over.known, true);
    return over;
}

void relay_await_over(struct relay *relay)
{
    struct engine_idle idle = {0};
    if (!relay->reissues)
        return;
    if (relay->ledger != NULL) {
        /* A worker that takes no part has left before, and none asks. */
        comm_begin(relay->comm);
        relay_send_over(relay);
        comm_end(relay->comm);
        return;
    }
    while (!relay_is_over(relay))
        engine_idle(&idle, &relay->patience, NULL);
}
