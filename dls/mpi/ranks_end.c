/* Loops over ranks begin anew and are closed here; both are collective. */
#include "dls/mpi/ranks_internal.h"

#include <errno.h>
#include <stdlib.h>

void ranks_release(struct ranks *ranks)
{
    ranks_unwatch(ranks);
    ranks->loop.counter = NULL; /* the transport's */
    ranks_stop(ranks);
    data_close(ranks);
    if (ranks->meeting.comm != MPI_COMM_NULL && !comm_failed(&ranks->comm))
        MPI_Comm_free(&ranks->meeting.comm);
    tree_free(&ranks->tree);
    free(ranks->count);
    free(ranks->power);
    free(ranks->site);
    free(ranks->ended);
    comm_release(&ranks->comm);
}

/* Makes workers leave that have not asked until 0: nobody waits for them. */
static void end_all(struct ranks *ranks)
{
    for (int w = 0; w < ranks->loop.workers; w++) {
        struct source *source = ranks->loop.worker[w].source;
        if (ranks->ended[w])
            continue;
        if (source->leave != NULL)
            source->leave(source);
        ranks->ended[w] = true;
        if (ranks->is_open)
            end_leave(&ranks->end);
    }
    atomic_store(&ranks->active, 0);
    ranks_end(ranks);
}

/* Ranks that others may still ask also serve meanwhile: under stealing even if
 * their own workers have ended.  In simulation all others do not poll, because
 * each poll takes time to simulate. */
static int64_t count_left(struct ranks *ranks)
{
    bool serves = !engine_simulated || !atomic_load(&ranks->over) ||
                  ranks->ops->rules->all_poll;
    int64_t run = comm_total(&ranks->comm, loop_run(&ranks->loop),
                             serves ? ranks_serve : NULL, ranks);
    return ranks->loop.iterations - run;
}

/* Where ranks wait for each other's workers in dls_next, one that is still to
 * ask keeps them from this collective call. */
static bool keeps_others(struct ranks *ranks)
{
    return ranks->is_open && ranks->calls && ranks->comm.ranks > 1 &&
           atomic_load(&ranks->active) > 0;
}

int ranks_check_finished(struct ranks *ranks)
{
    dls_loop *loop = &ranks->loop;
    if (keeps_others(ranks))
        return ranks_refuse(ranks, EBUSY,
                            "a worker of this rank has not got 0, and others "
                            "wait for it: let it ask or leave, and call again");
    loop->unfinished = count_left(ranks);
    if (comm_failed(&ranks->comm))
        return ranks_failed(ranks);
    return loop->unfinished > 0 ? loop_refuse_unfinished(loop, loop->unfinished)
                                : 0;
}

static bool learns(const struct ranks *ranks)
{
    const struct sched_pair *pair = &ranks->pair;
    return pair->outer->again != NULL ||
           (pair->inner != NULL && pair->inner->again != NULL);
}

/* Time passes by the costs of the options, and there are no others. */
static int check_charge(struct ranks *ranks, int64_t iterations)
{
    const dls_loop *loop = &ranks->loop;
    if (!engine_simulated || !ranks_is_charged(ranks) || iterations == 0 ||
        iterations == loop->cost_count)
        return 0;
    return error_set(&ranks->loop.error, EINVAL,
                     "dls: charge=costs: costs of %lld iterations for a loop "
                     "of %lld",
                     (long long)loop->cost_count, (long long)iterations);
}

/* Checks all before anything changes: after a refusal the loop is as it was.
 * Costs are checked against the new number, which is therefore set for a
 * moment. */
static int check_again(struct ranks *ranks, int64_t iterations)
{
    struct error *err = &ranks->loop.error;
    uint64_t number = (uint64_t)iterations;
    if (comm_differing(&ranks->comm, &number, 1) == 0)
        return error_set(err, EINVAL,
                         "dls: the ranks pass different numbers of iterations");
    if (iterations < 0)
        return error_set(err, EINVAL,
                         "dls: %lld iterations, allowed: 0 or more",
                         (long long)iterations);
    if (iterations != ranks->loop.iterations && learns(ranks))
        return error_set(err, ENOTSUP,
                         "dls: scheme %s knows a loop of %lld iterations and "
                         "cannot continue with %lld over ranks",
                         ranks->pair.canonical,
                         (long long)ranks->loop.iterations,
                         (long long)iterations);
    int64_t before = ranks->loop.iterations;
    ranks->loop.iterations = iterations;
    int code = costs_check(&ranks->loop);
    ranks->loop.iterations = before;
    if (code == 0)
        code = check_charge(ranks, iterations);
    if (code == 0)
        code = comm_agree(&ranks->comm, data_check(ranks, iterations), err);
    return code;
}

/* The transport stays open for the same number of iterations, and is opened
 * anew for another one. */
static int open_again(dls_loop *loop, int64_t iterations)
{
    struct ranks *ranks = ranks_of(loop);
    int code = ranks_check_finished(ranks);
    if (code == 0)
        code = check_again(ranks, iterations);
    if (code != 0)
        return code;
    end_all(ranks);
    comm_wait(&ranks->comm, &ranks->patience, &ranks->meeting.request);
    code = ranks_report_step(ranks);
    if (code != 0)
        return code;
    if (iterations != loop->iterations)
        ranks_stop(ranks);
    loop->iterations = iterations;
    code = ranks_begin(ranks, true);
    if (code == 0 || code == -EIO)
        return code;
    ranks_release(ranks);
    loop->over = NULL;
    return loop_fail(loop, code);
}

/* Frees the loop in any case, also after an error or with iterations left;
 * `unfinished` has their number. */
static int close_loop(dls_loop *loop, int64_t *unfinished)
{
    struct ranks *ranks = ranks_of(loop);
    end_all(ranks);
    comm_wait(&ranks->comm, &ranks->patience, &ranks->meeting.request);
    int64_t left = count_left(ranks);
    bool failed = comm_failed(&ranks->comm);
    int code = left == 0 && !failed ? ranks_report_step(ranks) : 0;
    if (code == 0 && !failed)
        code = ranks_report_done(ranks);
    ranks_release(ranks);
    loop_drop(loop);
    free(loop);
    if (unfinished != NULL)
        *unfinished = left;
    return failed ? -EIO : left > 0 ? -EBUSY : code;
}

const struct loop_over ranks_over = {.next = ranks_next,
                                     .pass = ranks_pass,
                                     .leave = ranks_leave,
                                     .again = open_again,
                                     .close = close_loop};
