/* Workers whose master is in another rank: a request for each chunk. */
#include "harness/replay/replay_internal.h"

#include <math.h>

/* While a worker's loop runs, its finish_s is the end of its chunk. */
static double *end_of(const struct replay_state *rs, int worker)
{
    return &rs->result->worker[worker].finish_s;
}

static int rank_of_master(const struct replay_state *rs, int worker)
{
    return rs->tree->master[rs->tree->worker_master[worker]].rank;
}

static void send_request(struct replay_state *rs, int worker, double now,
                         enum what what)
{
    link_send(rs, rs->tree->worker_rank[worker], rank_of_master(rs, worker),
              REQUEST_BYTES, now, (uint32_t)worker, what);
}

void ask_start(struct replay_state *rs, int worker)
{
    *end_of(rs, worker) = replay_start_s(rs, worker);
    if (rs->learned != NULL)
        rs->learned[worker].asked_s = *end_of(rs, worker);
    send_request(rs, worker, *end_of(rs, worker), WORK);
}

/* The chunk that ran is done: its time waits to be reported. */
static void end_time(struct replay_state *rs, int worker)
{
    struct learned *learned = &rs->learned[worker];
    double end = *end_of(rs, worker);
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
void ask_report(struct replay_state *rs, int worker, struct master *master)
{
    if (rs->learned == NULL)
        return;
    struct learned *learned = &rs->learned[worker];
    if (!rs->in->prefetch)
        end_time(rs, worker);
    if (learned->reported > 0)
        master_report(master,
                      &(struct report){.worker = worker,
                                       .workers = 1,
                                       .size = learned->reported,
                                       .ran_s = (float)learned->ran_s,
                                       .whole_s = (float)learned->whole_s});
    learned->reported = 0;
}

/* Nobody else needs to know when an answer comes that shares no link. */
void ask_answer(struct replay_state *rs, int worker, double now,
                const struct chunk *chunk)
{
    int from = rank_of_master(rs, worker);
    int to = rs->tree->worker_rank[worker];
    if (replay_shares(rs, from, to)) {
        rs->coming[worker] = *chunk;
        link_send(rs, from, to, sizeof(*chunk), now, (uint32_t)worker, ANSWER);
    } else {
        ask_got(rs, worker,
                now + replay_message_s(rs, from, to, sizeof(*chunk)), chunk);
    }
}

void ask_got(struct replay_state *rs, int worker, double now,
             const struct chunk *chunk)
{
    double *end = end_of(rs, worker);
    double got = replay_max(now, *end);
    if (rs->learned != NULL)
        end_time(rs, worker);
    if (chunk->size == 0) {
        *end = got;
        send_request(rs, worker, got, FINAL);
        return;
    }
    double compute_s = replay_compute_s(rs, worker, chunk->start, chunk->size);
    replay_hand_out(rs, worker, chunk, got, compute_s);
    if (rs->learned != NULL) {
        rs->learned[worker].size = chunk->size;
        rs->learned[worker].got_s = got;
    }
    *end = got + compute_s;
    if (!rs->in->prefetch) {
        send_request(rs, worker, *end, WORK);
        return;
    }
    int64_t rest = chunk->size < rs->ahead ? chunk->size : rs->ahead;
    double first_s =
        replay_compute_s(rs, worker, chunk->start, chunk->size - rest);
    send_request(rs, worker, got + first_s, WORK);
}
