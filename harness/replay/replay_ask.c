/* Workers with a master in another rank: a request for each chunk. */
#include "harness/replay/replay_internal.h"

#include <math.h>

/* During the loop, a worker's finish_s is the end of its chunk. */
static double *end_of(const struct replayer *rp, int worker)
{
    return &rp->result->worker[worker].finish_s;
}

static int rank_of_master(const struct replayer *rp, int worker)
{
    return rp->tree->master[rp->tree->worker_master[worker]].rank;
}

static void send_request(struct replayer *rp, int worker, double now,
                         enum what what)
{
    link_send(rp, rp->tree->worker_rank[worker], rank_of_master(rp, worker),
              REQUEST_BYTES, now, (uint32_t)worker, what);
}

void ask_start(struct replayer *rp, int worker)
{
    *end_of(rp, worker) = replay_start_s(rp, worker);
    if (rp->learned != NULL)
        rp->learned[worker].asked_s = *end_of(rp, worker);
    send_request(rp, worker, *end_of(rp, worker), WORK);
}

/* The chunk that ran is done: its time waits to be reported. */
static void end_time(struct replayer *rp, int worker)
{
    struct learned *learned = &rp->learned[worker];
    double end = *end_of(rp, worker);
    if (learned->size == 0)
        return;
    learned->reported = learned->size;
    learned->ran_s = replay_max(end - learned->got_s, 0);
    learned->whole_s = end - learned->asked_s;
    learned->asked_s = end;
    learned->size = 0;
}

/* Without prefetch the request leaves when the chunk is done.  The message has
 * room for short numbers only. */
void ask_report(struct replayer *rp, int worker, struct master *master)
{
    if (rp->learned == NULL)
        return;
    struct learned *learned = &rp->learned[worker];
    if (!rp->in->prefetch)
        end_time(rp, worker);
    if (learned->reported > 0)
        master_report(master,
                      &(struct report){.worker = worker,
                                       .workers = 1,
                                       .size = learned->reported,
                                       .ran_s = (float)learned->ran_s,
                                       .whole_s = (float)learned->whole_s});
    learned->reported = 0;
}

/* An answer on an unshared link needs no event: nothing else depends on it. */
void ask_answer(struct replayer *rp, int worker, double now,
                const struct chunk *chunk)
{
    int from = rank_of_master(rp, worker);
    int to = rp->tree->worker_rank[worker];
    if (replay_shares(rp, from, to)) {
        rp->coming[worker] = *chunk;
        link_send(rp, from, to, sizeof(*chunk), now, (uint32_t)worker, ANSWER);
    } else {
        ask_got(rp, worker,
                now + replay_message_s(rp, from, to, sizeof(*chunk)), chunk);
    }
}

void ask_got(struct replayer *rp, int worker, double now,
             const struct chunk *chunk)
{
    double *end = end_of(rp, worker);
    double got = replay_max(now, *end);
    if (rp->learned != NULL)
        end_time(rp, worker);
    if (chunk->size == 0) {
        *end = got;
        send_request(rp, worker, got, FINAL);
        return;
    }
    double compute_s = replay_compute_s(rp, worker, chunk->start, chunk->size);
    replay_hand_out(rp, worker, chunk, got, compute_s);
    if (rp->learned != NULL) {
        rp->learned[worker].size = chunk->size;
        rp->learned[worker].got_s = got;
    }
    *end = got + compute_s;
    if (!rp->in->prefetch) {
        send_request(rp, worker, *end, WORK);
        return;
    }
    int64_t rest = chunk->size < rp->ahead ? chunk->size : rp->ahead;
    double first_s =
        replay_compute_s(rp, worker, chunk->start, chunk->size - rest);
    send_request(rp, worker, got + first_s, WORK);
}
