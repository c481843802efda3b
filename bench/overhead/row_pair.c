#include "bench/overhead/row_pair.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#define _mm_pause()
#endif

static const struct engine_patience patience = {.spin_s = 1};

bool pair_threads(const struct pair *pair)
{
    return pair->context->comm.ranks == 1;
}

static void bound_body(int thread, void *arg)
{
    struct pair *pair = arg;
    struct launch_context *context = pair->context;
    bool threads = pair_threads(pair);
    struct error err;
    if (threads && thread > 1)
        return;
    int worker = threads ? thread : context->comm.rank;
    topo_bind_compact(context->place.topo, worker, 2, &err);
    if (!threads)
        comm_sharp_barrier(&context->comm);
    else
        engine_team_barrier(context->team, &patience);
    if (thread == 0)
        pair->begin_s = engine_now();
    pair->body(pair, worker, pair->arg);
    if (!threads)
        comm_sharp_barrier(&context->comm);
    else
        engine_team_barrier(context->team, &patience);
    if (thread == 0)
        pair->end_s = engine_now();
}

double pair_run(struct pair *pair,
                void (*body)(struct pair *pair, int worker, void *arg),
                void *arg)
{
    pair->body = body;
    pair->arg = arg;
    atomic_store(&pair->flag[0].value, 0);
    atomic_store(&pair->flag[1].value, 0);
    if (!pair_threads(pair))
        comm_quiet_barrier(&pair->context->comm);
    engine_team_run(pair->context->team, bound_body, pair);
    return pair->end_s - pair->begin_s;
}

void pair_give(struct pair *pair, int worker, int64_t value, void *row,
               size_t bytes)
{
    if (pair_threads(pair))
        atomic_store_explicit(&pair->flag[worker].value, value,
                              memory_order_release);
    else
        MPI_Send(row, (int)bytes, MPI_BYTE, 1 - worker, 0,
                 pair->context->comm.all);
}

void pair_take(struct pair *pair, int worker, int64_t value, void *row,
               size_t bytes)
{
    if (pair_threads(pair))
        while (atomic_load_explicit(&pair->flag[1 - worker].value,
                                    memory_order_acquire) < value)
            _mm_pause();
    else
        MPI_Recv(row, (int)bytes, MPI_BYTE, 1 - worker, 0,
                 pair->context->comm.all, MPI_STATUS_IGNORE);
}
