/* Workers whose master is in another rank: a request for each chunk. */
#include "harness/replay/replay_parts.h"

#include <math.h>

/* While a worker's loop runs, its finish_s is the end of its chunk. */
static double *end_of(const struct play *play, int worker)
{
    return &play->result->worker[worker].finish_s;
}

static int rank_of_master(const struct play *play, int worker)
{
    return play->tree->master[play->tree->worker_master[worker]].rank;
}

static void send_request(struct play *play, int worker, double now,
                         enum what what)
{
    link_send(play, play->tree->worker_rank[worker],
              rank_of_master(play, worker), REQUEST_BYTES, now,
              (uint32_t)worker, what);
}

void ask_start(struct play *play, int worker)
{
    *end_of(play, worker) = play_start_s(play, worker);
    if (play->learned != NULL)
        play->learned[worker].asked_s = *end_of(play, worker);
    send_request(play, worker, *end_of(play, worker), WORK);
}

/* The chunk that ran is done: its time waits to be told. */
static void end_time(struct play *play, int worker)
{
    struct learned *learned = &play->learned[worker];
    double end = *end_of(play, worker);
    if (learned->size == 0)
        return;
    learned->told = learned->size;
    learned->ran_s = play_max(end - learned->got_s, 0);
    learned->whole_s = end - learned->asked_s;
    learned->asked_s = end;
    learned->size = 0;
}

/* Without prefetch the request leaves when the chunk is done.  The message has
 * room for short numbers only. */
void ask_tell(struct play *play, int worker, struct master *master)
{
    if (play->learned == NULL)
        return;
    struct learned *learned = &play->learned[worker];
    if (!play->in->prefetch)
        end_time(play, worker);
    if (learned->told > 0)
        master_report(master,
                      &(struct report){.worker = worker,
                                       .workers = 1,
                                       .size = learned->told,
                                       .ran_s = (float)learned->ran_s,
                                       .whole_s = (float)learned->whole_s});
    learned->told = 0;
}

/* Nobody else needs to know when an answer comes that shares no link. */
void ask_answer(struct play *play, int worker, double now,
                const struct chunk *chunk)
{
    int from = rank_of_master(play, worker);
    int to = play->tree->worker_rank[worker];
    if (play_shares(play, from, to)) {
        play->coming[worker] = *chunk;
        link_send(play, from, to, sizeof(*chunk), now, (uint32_t)worker,
                  ANSWER);
    } else {
        ask_got(play, worker, now + play_way_s(play, from, to, sizeof(*chunk)),
                chunk);
    }
}

void ask_got(struct play *play, int worker, double now,
             const struct chunk *chunk)
{
    double *end = end_of(play, worker);
    double got = play_max(now, *end);
    if (play->learned != NULL)
        end_time(play, worker);
    if (chunk->size == 0) {
        *end = got;
        send_request(play, worker, got, FINAL);
        return;
    }
    double compute_s = play_compute_s(play, worker, chunk->start, chunk->size);
    play_hand(play, worker, chunk, got, compute_s);
    if (play->learned != NULL) {
        play->learned[worker].size = chunk->size;
        play->learned[worker].got_s = got;
    }
    *end = got + compute_s;
    if (!play->in->prefetch) {
        send_request(play, worker, *end, WORK);
        return;
    }
    int64_t rest = chunk->size < play->ahead ? chunk->size : play->ahead;
    double first_s =
        play_compute_s(play, worker, chunk->start, chunk->size - rest);
    send_request(play, worker, got + first_s, WORK);
}
