/* Sums up the reports of all ranks: times, messages, the chunks' log. */
#include "base/stats.h"
#include "harness/problem/serial.h"
#include "harness/process/need.h"
#include "harness/repetition/repetition_internal.h"
#include "harness/transport/reissue/reissue.h"

#include <errno.h>
#include <stdlib.h>

/* The report of a rank after a repetition. */
struct rank_report {
    double start_s, end_s, exchange_s;
    int64_t messages, bytes;
};

static const struct reissue *ledger_of(const struct run *run)
{
    return transport_ledger(&run->transport);
}

static void fill_results(struct run *run)
{
    for (int i = 0; i < run->workers; i++) {
        const struct worker *worker = &run->worker[i];
        const struct run_rank *rank = run_rank_of(run, i);
        struct worker_result *result = &run->result[i];
        result->chunks = worker->chunks;
        result->iterations = worker->iterations;
        result->finish_s = worker->end_s - rank->start_s;
        end_facts(&rank->end, run_thread_of(run, i), result->fact);
        run_measured(run, i, result);
    }
}

/* The bound for the chunks of one time step, or of all steps if they keep their
 * chunks.  cost: room for all chunks. */
static double bound_step(const struct run *run, const struct run_result *result,
                         int64_t step, double *cost)
{
    const double *before = loop_cost(run->loop, step);
    int64_t n = 0;
    for (int64_t i = 0; i < result->logged; i++) {
        const struct ran *ran = &result->log[i];
        if (run->passes == 1 || ran->time_step == step)
            cost[n++] = before[ran->start + ran->size] - before[ran->start];
    }
    bool unordered = run->transport.ops->rules->unordered;
    double (*least)(const double *, int64_t, int) =
        unordered ? stats_least_time : stats_list_schedule;
    return least(cost, n, run->tree.workers);
}

/* No worker computes while the next step's data are made.  A pipeline is not
 * only bound by its chunks. */
static double bound_time(const struct run *run, const struct run_result *result)
{
    const double *before = run->loop->cost_before;
    double time = loop_advances_s(run->loop);
    if (before == NULL || before[run->loop->iterations] == 0 ||
        run->dependent.dmps != NULL || result->logged == 0 ||
        !run_equal_speeds(run))
        return -1;
    double *cost = need_zeroed((size_t)result->logged, sizeof(*cost));
    for (int step = 0; step < loop_steps(run->loop); step++)
        time += bound_step(run, result, step, cost);
    free(cost);
    return time * serial_drift(run->loop);
}

/* Drops chunks whose result came too late: they are not part of the loop. */
static int64_t drop_late(const struct reissue *ledger, struct logged *all,
                         int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (reissue_winner(ledger, all[i].ran.start) == (int)all[i].worker)
            all[kept++] = all[i];
    return kept;
}

/* By time step, then by start. */
static int compare_logged(const void *a, const void *b)
{
    const struct logged *x = a, *y = b;
    int64_t later = x->ran.time_step - y->ran.time_step;
    if (later == 0)
        later = x->ran.start - y->ran.start;
    return (later > 0) - (later < 0);
}

static void split_log(struct run *run, struct logged *all, int64_t n,
                      struct run_result *result)
{
    const struct reissue *ledger = ledger_of(run);
    if (ledger != NULL)
        n = drop_late(ledger, all, n);
    qsort(all, (size_t)n, sizeof(*all), compare_logged);
    run->all.ran = need_zeroed((size_t)n + 1, sizeof(*run->all.ran));
    run->all.ran_worker =
        need_zeroed((size_t)n + 1, sizeof(*run->all.ran_worker));
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
    struct logged *log = run_take_log(run, &count);
    comm_gather_owned(comm, log, (size_t)count * sizeof(*log), &all, &bytes);
    if (comm->rank == 0)
        split_log(run, all, (int64_t)(bytes / sizeof(*log)), result);
    free(all);
}

/* The messages of all ranks here are in the first one's report. */
static struct rank_report *own_reports(const struct run *run)
{
    const struct run_dependent *d = &run->dependent;
    double exchange_s = run->steps.count > 1 ? run->steps.exchange_s : -1;
    struct rank_report *own = need_zeroed((size_t)run_ranks(run), sizeof(*own));
    for (int i = 0; i < run_ranks(run); i++)
        own[i] = (struct rank_report){.start_s = run->rank[i].start_s,
                                      .end_s = run->rank[i].end_s,
                                      .exchange_s = exchange_s};
    const struct exchange *exchange = &run->steps.exchange;
    own->messages =
        run->traffic.messages + d->migrate.messages + exchange->messages;
    own->bytes = run->traffic.bytes + d->migrate.moved_bytes + exchange->bytes;
    for (int i = 0; i < run_count_dmps(run); i++) {
        own->messages += d->dmps[i].links.messages;
        own->bytes += d->dmps[i].links.bytes;
    }
    return own;
}

/* Clocks of different hosts do not compare: the time is the longest of the
 * ranks' own times; the skew is known only on one host or in one process. */
static void gather_ranks(struct run *run, struct run_result *result)
{
    const struct comm *comm = &run->context->comm;
    void *gathered;
    size_t bytes;
    comm_gather_owned(comm, own_reports(run),
                      (size_t)run_ranks(run) * sizeof(struct rank_report),
                      &gathered, &bytes);
    const struct rank_report *all = gathered;
    double first = run->rank->start_s, last = first;
    for (int r = 0; comm->rank == 0 && r < comm->ranks; r++) {
        double time = all[r].end_s - all[r].start_s;
        result->time_s = time > result->time_s ? time : result->time_s;
        if (all[r].exchange_s > result->exchange_s)
            result->exchange_s = all[r].exchange_s;
        result->messages += all[r].messages;
        result->bytes += all[r].bytes;
        first = all[r].start_s < first ? all[r].start_s : first;
        last = all[r].start_s > last ? all[r].start_s : last;
    }
    bool one_clock = comm->one_host || comm->local == comm->ranks;
    result->skew_s = one_clock ? last - first : -1;
    if (ledger_of(run) != NULL)
        result->time_s = ledger_of(run)->over_s - run->rank->start_s;
    free(gathered);
}

static void gather_between(struct run *run, struct run_result *result)
{
    const struct run_steps *steps = &run->steps;
    int between = steps->count - 1;
    size_t row = (size_t)between * sizeof(double), bytes;
    void *all;
    if (between < 1)
        return;
    comm_gather_any(&run->context->comm, steps->between_s, row, &all, &bytes);
    result->advance_s = loop_advances_s(run->loop) * serial_drift(run->loop);
    if (all != NULL)
        result->between_s = run_sum_between(all, (int)(bytes / row), between);
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
    fill_results(run);
    comm_gather_owned(&run->context->comm, run->result,
                      (size_t)run->workers * sizeof(*run->result), &all,
                      &bytes);
    run->result = NULL;
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
    if (run->toll == NULL)
        return;
    comm_gather_any(&run->context->comm, run->toll, count * sizeof(*run->toll),
                    &all, &bytes);
    run->all.tolls = all;
    result->tolls = all;
}

/* The loop ends when its last result is in place, even if chunks ran twice. */
static void gather_ledger(struct run *run, struct run_result *result)
{
    const struct reissue *ledger = ledger_of(run);
    int count = run->setup->perturbs.count;
    if (ledger == NULL)
        return;
    result->reissued = ledger->again;
    result->dropped = ledger->dropped;
    result->chunks = ledger->count;
    result->iterations = ledger->placed;
    for (int w = 0; run->all.workers != NULL && w < run->tree.workers; w++)
        run_end_with_loop(&run->all.workers[w],
                          run->all.tolls + (size_t)w * (size_t)count, count,
                          result->time_s);
}

void run_gather(struct run *run, struct run_result *result)
{
    gather_ranks(run, result);
    gather_between(run, result);
    gather_workers(run, result);
    gather_tolls(run, result);
    gather_ledger(run, result);
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
