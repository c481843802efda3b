/* A loop over ranks while it runs. */
#include "dls/mpi/ranks_internal.h"

#include <errno.h>

int ranks_failed(struct ranks *ranks)
{
    engine_lock(&ranks->loop.back->lock);
    comm_failure(&ranks->comm, &ranks->loop.error);
    engine_unlock(&ranks->loop.back->lock);
    return -EIO;
}

int ranks_refuse(struct ranks *ranks, int code, const char *why)
{
    engine_lock(&ranks->loop.back->lock);
    error_set(&ranks->loop.error, code, "dls: %s", why);
    engine_unlock(&ranks->loop.back->lock);
    return -code;
}

/* ---- begin ---- */

/* In simulation all ranks are in one process, and use rank 0's. */
static bool has_transport(const struct ranks *ranks)
{
    return !engine_simulated || ranks->comm.rank == 0;
}

static void let_others_go_on(const struct ranks *ranks)
{
    if (engine_simulated && !comm_failed(&ranks->comm))
        comm_quiet_barrier(&ranks->comm);
}

static int open_transport(struct ranks *ranks)
{
    const struct comm *comm = &ranks->comm;
    struct error *err = &ranks->loop.error;
    const struct transport_setup setup = {.comm = comm,
                                          .tree = &ranks->tree,
                                          .patience = ranks->patience,
                                          .iterations = ranks->loop.iterations,
                                          .min_chunk = ranks->loop.min_chunk,
                                          .scheme = &ranks->pair,
                                          .choice = ranks->choice,
                                          .power = ranks->power,
                                          .cost.before = ranks->loop.cost,
                                          .site = ranks->site,
                                          .seed = 1};
    bool opens = has_transport(ranks);
    int code = 0;
    locale_t before = numbers_as_in_c();
    if (opens)
        code = transport_open(&ranks->transport, ranks->ops, &setup, err);
    numbers_as_before(before);
    bool opened = opens && code == 0;
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = end_open(&ranks->end, comm_common(comm, &ranks->transport), comm,
                        err);
    if (code != 0 && opened)
        transport_close(&ranks->transport);
    ranks->is_open = code == 0;
    return code;
}

void ranks_stop(struct ranks *ranks)
{
    if (!ranks->is_open)
        return;
    let_others_go_on(ranks);
    end_close(&ranks->end);
    let_others_go_on(ranks);
    if (has_transport(ranks))
        transport_close(&ranks->transport);
    ranks->is_open = false;
}

static void open_sources(struct ranks *ranks)
{
    dls_loop *loop = &ranks->loop;
    int first = ranks->tree.rank_worker[ranks->comm.rank];
    for (int w = 0; w < loop->workers; w++) {
        struct dls_worker *worker = &loop->worker[w];
        worker->source = &worker->own.base;
        if (ranks->is_open)
            worker->source = end_source(&ranks->end, w);
        else
            source_none_open(worker->source, first + w);
        ranks->ended[w] = false;
    }
    loop->counter = loop->workers > 0 ? loop->worker[0].source->counter : NULL;
}

static struct source_back *back_of(struct ranks *ranks, int worker)
{
    struct source_back *all = ranks->loop.worker[worker].source->back;
    return all != NULL ? all : ranks->loop.back;
}

/* The barrier at the end keeps workers from asking a rank that has not begun to
 * listen. */
int ranks_begin(struct ranks *ranks, bool again)
{
    bool goes_on = again && ranks->is_open;
    /* First: a master that listens does so until the loop ends. */
    int code = data_begin(ranks);
    if (code == 0 && !ranks->is_open && ranks->loop.iterations > 0)
        code = open_transport(ranks);
    if (code != 0)
        return code;
    loop_begin(&ranks->loop);
    atomic_store(&ranks->loop.back->count, 0);
    atomic_store(&ranks->active, ranks->loop.workers);
    atomic_store(&ranks->ending, false);
    atomic_store(&ranks->over, false);
    ranks->meeting.request = MPI_REQUEST_NULL;
    ranks->loop.unfinished = ranks->loop.iterations;
    if (ranks->is_open) {
        if (has_transport(ranks))
            (void)transport_rewind(&ranks->transport, goes_on);
        let_others_go_on(ranks);
        end_reset(&ranks->end, goes_on);
        end_listen(&ranks->end);
    }
    ranks->polls = ranks->is_open && end_polls(&ranks->end);
    open_sources(ranks);
    comm_quiet_barrier(&ranks->comm);
    return comm_failed(&ranks->comm) ? ranks_failed(ranks) : 0;
}

/* ---- serve ---- */

void ranks_serve(void *arg)
{
    struct ranks *ranks = arg;
    if (ranks->polls)
        end_poll(&ranks->end);
    if (ranks->data.remote)
        data_serve(ranks);
}

void ranks_end(struct ranks *ranks)
{
    if (atomic_exchange(&ranks->ending, true))
        return;
    if (ranks->is_open)
        end_finish(&ranks->end);
    if (ranks->is_open && ranks->meeting.needed) {
        /* Rank 0 has the counter of an rma window, and in some networks the
         * counter only advances while its rank is in MPI. */
        const struct comm *comm = &ranks->comm;
        comm_begin(comm);
        comm_check(comm,
                   MPI_Ibarrier(ranks->meeting.comm, &ranks->meeting.request));
        comm_end(comm);
        if (comm->rank == 0)
            comm_wait(comm, &ranks->patience, &ranks->meeting.request);
    }
    atomic_store(&ranks->over, true);
}

static void end_worker(struct ranks *ranks, int worker)
{
    ranks->ended[worker] = true;
    if (ranks->is_open)
        end_leave(&ranks->end);
    bool last = atomic_fetch_sub(&ranks->active, 1) == 1;
    /* Where only the main thread calls MPI it serves to the end. */
    if (last || ranks->comm.funneled)
        if (comm_may(&ranks->comm))
            ranks_end(ranks);
}

/* ---- time, in simulation ---- */

/* As in the suite's simulation: the work between two polls of a rank that
 * others ask; natively kernels poll. */
static const double SLICE_S = 20e-6;
enum { LOOKS_MAX = 64 };

static void pass_seconds(struct ranks *ranks, double seconds)
{
    double slice = SLICE_S;
    if (ranks->ops->rules->all_poll && slice < seconds / LOOKS_MAX)
        slice = seconds / LOOKS_MAX;
    for (; ranks->polls && seconds > slice; seconds -= slice) {
        engine_compute(slice * ranks->comm.speed);
        ranks_serve(ranks);
    }
    engine_compute(seconds * ranks->comm.speed);
}

void ranks_pass(dls_loop *loop, int number)
{
    struct ranks *ranks = ranks_of(loop);
    const struct chunk *ran = &ranks->data.worker[number].now;
    if (ranks_charge(ranks) && ran->size > 0)
        pass_seconds(ranks, loop->cost[ran->start + ran->size] -
                                loop->cost[ran->start]);
    if (!ranks->is_open || ranks->ended[number])
        return;
    enum engine_cost cost = end_cost(&ranks->end, number);
    if (cost != ENGINE_COSTS)
        engine_charge(cost);
}

/* ---- the calls of workers ---- */

/* A worker without chunks of its own source may still get one that a leaving
 * worker gave back. */
static inline int take_chunk(struct ranks *ranks, int worker,
                             struct chunk *chunk)
{
    dls_loop *loop = &ranks->loop;
    if (ranks->comm.funneled && loop->workers == 1 && !comm_may(&ranks->comm))
        return ranks_refuse(
            ranks, EPERM,
            "MPI's level of threads lets only the main thread ask");
    ranks_serve(ranks);
    if (!ranks->ended[worker]) {
        if (source_next(loop->worker[worker].source, chunk))
            return 1;
        end_worker(ranks, worker);
    }
    if (comm_failed(&ranks->comm))
        return ranks_failed(ranks);
    return source_back_take(back_of(ranks, worker), chunk);
}

int ranks_next(dls_loop *loop, int worker, struct chunk *chunk)
{
    struct ranks *ranks = ranks_of(loop);
    if (!loop->notes)
        return take_chunk(ranks, worker, chunk);
    /* A chunk that it has must not get lost. */
    if (data_make_room(ranks, worker) != 0)
        return ranks_refuse(ranks, ENOMEM, "out of memory, ask again");
    int more = take_chunk(ranks, worker, chunk);
    data_note(ranks, worker, more == 1 ? chunk : NULL);
    return more;
}

static int refuse_last(struct ranks *ranks)
{
    return ranks_refuse(
        ranks, EBUSY,
        "the last worker of a rank cannot leave here, because only "
        "this rank can run what is left for it");
}

/* Sources without a master cannot reassign a reserved chunk: ask for it here
 * and keep it for the other workers. */
static int give_back(struct ranks *ranks, int number, bool last)
{
    struct dls_worker *worker = &ranks->loop.worker[number];
    struct source_back *back = back_of(ranks, number);
    struct chunk chunk;
    bool primes = (ranks->loop.scheme->flags & SCHED_PRIMED) != 0;
    if (worker->asked || !primes || ranks->ops->rules->all_poll)
        return 0;
    if (last && back == ranks->loop.back && ranks->comm.ranks > 1)
        return refuse_last(ranks);
    if (source_next(worker->source, &chunk))
        source_back_put(back, &chunk);
    return 0;
}

/* A worker must not take a chunk along that is reserved for it: its source's
 * master or give_back passes the chunk on.  The last worker may be refused. */
int ranks_leave(dls_loop *loop, int number)
{
    struct ranks *ranks = ranks_of(loop);
    struct source *source = loop->worker[number].source;
    bool last = atomic_load(&ranks->active) == 1;
    int code = 0;
    if (ranks->ended[number])
        return 0;
    ranks_serve(ranks);
    if (last && ranks->keeps && ranks->comm.ranks > 1)
        return refuse_last(ranks);
    if (source->leave != NULL)
        source->leave(source);
    else
        code = give_back(ranks, number, last);
    if (code != 0)
        return code;
    end_worker(ranks, number);
    if (loop->notes)
        data_note(ranks, number, NULL);
    return comm_failed(&ranks->comm) ? ranks_failed(ranks) : 0;
}

DLS_PUBLIC int dls_poll(dls_loop *loop)
{
    if (loop == NULL)
        return -EINVAL;
    if (loop->code != 0)
        return loop->code;
    if (loop->over != &ranks_over)
        return 0;
    struct ranks *ranks = ranks_of(loop);
    engine_computed();
    if (!comm_may(&ranks->comm))
        return ranks_refuse(
            ranks, EPERM,
            "MPI's level of threads lets only the main thread poll");
    ranks_serve(ranks);
    /* Under work stealing others may still ask a rank without work. */
    bool asked = ranks->is_open && ranks->ops->rules->all_poll &&
                 ranks->comm.ranks > 1 && !end_is_over(&ranks->end);
    if (atomic_load(&ranks->active) == 0 && !asked)
        ranks_end(ranks);
    if (comm_failed(&ranks->comm))
        return ranks_failed(ranks);
    return !atomic_load(&ranks->over);
}
