#include "harness/run/run_parts.h"

#include "base/stats.h"
#include "harness/guard/need.h"
#include "harness/run/logged.h"
#include "harness/transport/reissue/reissue.h"

#include <errno.h>
#include <stdlib.h>

/* The report of a rank after a repetition. */
struct rank_report {
    double start_s, end_s;
    int64_t messages, bytes;
};

static const struct reissue *book_of(const struct run *run)
{
    return transport_book(&run->transport);
}

static void worker_results(struct run *run)
{
    const struct launch_context *context = run->context;
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        struct worker_result *r = &run->result[i];
        r->chunks = w->chunks;
        r->iterations = w->iterations;
        r->finish_s = w->end_s - run->clock.start_s;
        /* The time of a stamped chunk that is not computing is subtracted. */
        r->compute_s =
            w->stamp ? (double)w->compute_ticks * context->tick_s - r->serve_s
                     : w->end_s - w->begin_s - r->wait_s - r->serve_s;
        r->compute_s -= r->sync_s + r->held_apart_s;
        if (run->recent != NULL)
            r->recent =
                recent_since(&run->recent[i].recent, run->clock.start_s);
        end_facts(&run->end, i, r->fact);
        r->host = context->place.group[context->comm.rank];
    }
}

/* This rank's chunks with their times since its start. */
static struct logged *own_log(const struct run *run, int64_t *count)
{
    int64_t n = 0;
    for (int i = 0; i < run->workers; i++)
        n += run->worker[i].log ? run->worker[i].logged : 0;
    struct logged *log = malloc((size_t)(n + 1) * sizeof(*log));
    *count = 0;
    for (int i = 0; log != NULL && i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = 0; w->log != NULL && c < w->logged; c++) {
            struct logged *entry = &log[(*count)++];
            *entry = (struct logged){w->log[c], run_first_worker(run) + i};
            entry->ran.begin -= w->stamp ? run->clock.start_ticks : 0;
            entry->ran.end -= w->stamp ? run->clock.start_ticks : 0;
        }
    }
    return log;
}

static double bound_time(const struct run *run, const struct run_result *result)
{
    const double *before = run->loop->cost_before;
    double *cost = malloc((size_t)(result->logged + 1) * sizeof(*cost));
    if (before == NULL || cost == NULL || result->logged == 0) {
        free(cost);
        return -1;
    }
    for (int64_t i = 0; i < result->logged; i++) {
        const struct ran *ran = &result->log[i];
        cost[i] = before[ran->start + ran->size] - before[ran->start];
    }
    bool unordered = run->transport.ops->rules->unordered;
    double (*least)(const double *, int64_t, int) =
        unordered ? stats_least_time : stats_list_schedule;
    double time = least(cost, result->logged, run->tree.workers);
    free(cost);
    return time;
}

/* Chunks computed in vain do not belong to the loop. */
static int64_t drop_late(const struct reissue *book, struct logged *all,
                         int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (reissue_winner(book, all[i].ran.start) == (int)all[i].worker)
            all[kept++] = all[i];
    return kept;
}

static void split_log(struct run *run, struct logged *all, int64_t n,
                      struct run_result *result)
{
    const struct reissue *book = book_of(run);
    if (book != NULL)
        n = drop_late(book, all, n);
    logged_sort(all, n);
    run->all.ran = malloc((size_t)(n + 1) * sizeof(*run->all.ran));
    run->all.ran_worker =
        malloc((size_t)(n + 1) * sizeof(*run->all.ran_worker));
    if (run->all.ran == NULL || run->all.ran_worker == NULL)
        return;
    for (int64_t i = 0; i < n; i++) {
        run->all.ran[i] = all[i].ran;
        run->all.ran_worker[i] = (int32_t)all[i].worker;
    }
    result->log = run->all.ran;
    result->log_worker = run->all.ran_worker;
    result->logged = n;
}

static void gather_log(struct run *run, struct run_result *result)
{
    const struct comm *comm = &run->context->comm;
    int64_t count;
    void *all;
    size_t bytes;
    struct logged *log = own_log(run, &count);
    comm_gather_any(comm, log, (size_t)count * sizeof(*log), &all, &bytes);
    free(log);
    if (comm->rank == 0)
        split_log(run, all, (int64_t)(bytes / sizeof(*log)), result);
    free(all);
}

/* Clocks of different hosts do not compare: the time is the longest of the
 * ranks' own, and the skew is known on one host only. */
static void gather_ranks(struct run *run, struct run_result *result)
{
    const struct comm *comm = &run->context->comm;
    struct links *links = &run->dependent.dmps.links;
    struct migrate *migrate = &run->dependent.migrate;
    struct rank_report mine = {
        .start_s = run->clock.start_s,
        .end_s = run->clock.end_s,
        .messages = run->traffic.messages + links->messages + migrate->messages,
        .bytes = run->traffic.bytes + links->bytes + migrate->moved_bytes,
    };
    struct rank_report *all = NULL;
    if (comm->rank == 0)
        all = need_zeroed((size_t)comm->ranks, sizeof(*all));
    comm_gather(comm, &mine, all, sizeof(mine));
    double first = mine.start_s, last = mine.start_s;
    for (int r = 0; comm->rank == 0 && r < comm->ranks; r++) {
        double time = all[r].end_s - all[r].start_s;
        result->time_s = time > result->time_s ? time : result->time_s;
        result->messages += all[r].messages;
        result->bytes += all[r].bytes;
        first = all[r].start_s < first ? all[r].start_s : first;
        last = all[r].start_s > last ? all[r].start_s : last;
    }
    result->skew_s = comm->one_host ? last - first : -1;
    if (book_of(run) != NULL)
        result->time_s = book_of(run)->over_s - mine.start_s;
    free(all);
}

/* Whether anything is counted is the same in all ranks. */
static void gather_counted(struct run *run, struct run_result *result)
{
    void *all;
    size_t bytes;
    if (run->counted == NULL)
        return;
    comm_gather_any(&run->context->comm, run->counted,
                    (size_t)run->workers * sizeof(*run->counted), &all, &bytes);
    run->all.counted = all;
    result->counted = all;
}

static void gather_workers(struct run *run, struct run_result *result)
{
    void *all;
    size_t bytes;
    worker_results(run);
    comm_gather_any(&run->context->comm, run->result,
                    (size_t)run->workers * sizeof(*run->result), &all, &bytes);
    run->all.workers = all;
    result->workers = all;
    for (int w = 0; all != NULL && w < run->tree.workers; w++) {
        result->chunks += run->all.workers[w].chunks;
        result->iterations += run->all.workers[w].iterations;
    }
}

static void gather_tolls(struct run *run, struct run_result *result)
{
    size_t count = (size_t)run->workers * (size_t)run->setup->perturbs.count,
           bytes;
    void *all;
    if (run->disturb.toll == NULL)
        return;
    comm_gather_any(&run->context->comm, run->disturb.toll,
                    count * sizeof(*run->disturb.toll), &all, &bytes);
    run->all.tolls = all;
    result->tolls = all;
}

/* The loop ends with its last result in place, whatever was computed twice. */
static void gather_book(struct run *run, struct run_result *result)
{
    const struct reissue *book = book_of(run);
    int count = run->setup->perturbs.count;
    if (book == NULL)
        return;
    result->reissued = book->again;
    result->dropped = book->dropped;
    result->chunks = book->count;
    result->iterations = book->placed;
    for (int w = 0; run->all.workers != NULL && w < run->tree.workers; w++)
        run_end_with_loop(&run->all.workers[w],
                          run->all.tolls + (size_t)w * (size_t)count, count,
                          result->time_s);
}

void run_gather(struct run *run, struct run_result *result)
{
    gather_ranks(run, result);
    gather_workers(run, result);
    gather_tolls(run, result);
    gather_book(run, result);
    gather_counted(run, result);
    gather_log(run, result);
    if (run->context->comm.rank == 0)
        result->bound_s = bound_time(run, result);
}

void run_free_gathered(struct run *run)
{
    free(run->all.workers);
    free(run->all.counted);
    free(run->all.tolls);
    free(run->all.ran);
    free(run->all.ran_worker);
    run->all.workers = NULL;
    run->all.counted = NULL;
    run->all.tolls = NULL;
    run->all.ran = NULL;
    run->all.ran_worker = NULL;
}
