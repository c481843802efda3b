/* The places of a run's workers and their data: requested and observed. */
#include "harness/repetition/native/repetition_impl.h"

#include "base/stamp.h"
#include "harness/process/need.h"
#include "harness/topo/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* The number of sampled places of a worker's output, and the size of each. */
enum { LOOKS = 16, LOOK_BYTES = 4096 };

/* ---- cores ---- */

int run_bind_thread(struct run *run, int thread, struct error *err)
{
    return topo_bind_self(run->context->place.topo, &run->setup->binding,
                          run->impl->places.domain,
                          run->impl->places.processor[thread], err);
}

/* Hosts with one kernel have the same cores. */
static uint64_t machine_here(void)
{
    char text[256] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    bool read = file != NULL && fgets(text, sizeof(text), file) != NULL;
    if (file != NULL)
        fclose(file);
    if (!read)
        stamp_host_name(text, sizeof(text));
    return XXH3_64bits(text, strlen(text));
}

static void bind_body(int thread, void *arg)
{
    struct run *run = arg;
    struct error err;
    if (thread > 0 && thread >= run->workers)
        return;
    int code = run_bind_thread(run, thread, &err);
    struct topo_seen seen = topo_observe_self(run->context->place.topo);
    bool alone = run->setup->binding.smt ? seen.on_processor : seen.on_core;
    run->impl->places.seen[thread] = (struct place_report){
        .host = run->context->place.group[run->context->comm.rank],
        .core = seen.position.core,
        .processor = queue_processor(),
        .bound = alone && code == 0,
        .socket = seen.position.socket,
        .cache = seen.position.cache,
        .machine = machine_here()};
}

/* Rank 0 checks the places of the workers and of the masters without
 * workers. */
static int check_reports(struct run *run, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    const struct place *place = &run->context->place;
    void *workers, *masters;
    size_t size, each = sizeof(*run->impl->places.seen);
    int code = 0;
    comm_gather_any(comm, run->impl->places.seen, (size_t)run->workers * each,
                    &workers, &size);
    comm_gather_any(comm, run->impl->places.seen, run->workers == 0 ? each : 0,
                    &masters, &size);
    if (comm->rank == 0) {
        code =
            place_check(place, &run->tree, workers, &run->setup->binding, err);
        run->impl->places.shared_masters =
            place_shared_masters(place, &run->tree, workers, masters,
                                 (int)(size / each), &run->setup->binding);
    }
    free(workers);
    free(masters);
    return code;
}

int run_check_places(struct run *run, bool oversubscribe, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    int threads = run->workers > 0 ? run->workers : 1;
    run->impl->places.processor =
        need_zeroed((size_t)threads, sizeof(*run->impl->places.processor));
    int code = place_processors(
        &run->context->place, &run->tree, &run->setup->binding, threads,
        &run->impl->places.domain, run->impl->places.processor, err);
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    engine_team_run(run->context->team, bind_body, run);
    code = check_reports(run, err);
    int agreed = comm_agree(comm, code, err);
    if (agreed == -EBUSY && oversubscribe) {
        run->impl->places.oversubscribed = true;
        return 0;
    }
    return agreed;
}

int run_shared_masters(const struct run *run)
{
    return run->impl->places.shared_masters;
}

bool run_oversubscribed(const struct run *run)
{
    return run->impl->places.oversubscribed;
}

bool run_equal_speeds(const struct run *run)
{
    (void)run;
    return true;
}

bool run_varies(const struct run *run)
{
    (void)run;
    return true;
}

void run_share_sites(const struct run *run, struct site *site)
{
    const struct comm *comm = &run->context->comm;
    const struct tree *tree = &run->tree;
    uint64_t *one = need_zeroed((size_t)comm->ranks, sizeof(*one));
    uint64_t *node = need_zeroed((size_t)comm->ranks, sizeof(*node));
    char host[256];
    /* Two ranks of a host may have different cpusets: its name tells the
     * node. */
    stamp_host_name(host, sizeof(host));
    comm_share_u64(comm, XXH3_64bits(host, strlen(host)), node);
    for (int t = 0; t < tree->threads; t++) {
        const struct place_report *at = &run->impl->places.seen[t];
        comm_share_u64(
            comm, (uint64_t)(uint32_t)at->socket << 32 | (uint32_t)at->cache,
            one);
        for (int r = 0; r < comm->ranks; r++)
            site[tree->rank_worker[r] + t] =
                (struct site){node[r], (int32_t)(one[r] >> 32),
                              (int32_t)(one[r] & UINT32_MAX)};
    }
    free(one);
    free(node);
}

/* ---- memory ---- */

/* The thread's share of what all threads of the rank write to. */
static int place_share(const struct run *run, char *memory, size_t bytes,
                       int thread, struct error *err)
{
    size_t workers = (size_t)run->workers, i = (size_t)thread;
    size_t from = bytes / workers * i;
    size_t to = thread + 1 == run->workers ? bytes : from + bytes / workers;
    if (memory == NULL)
        return 0;
    return topo_place_memory(run->context->place.topo, memory + from, to - from,
                             run->setup->binds_memory,
                             run->impl->places.processor[thread], err);
}

/* The pages that the thread of the serial measurement has touched are released:
 * the warm-up touches them anew.  Only the first run of a loop does this; the
 * others have the same placement. */
static int place_shared(struct run *run, int thread, struct error *err)
{
    const struct loop *loop = run->loop;
    if (loop->placed)
        return 0;
    int code =
        place_share(run, loop->output,
                    (size_t)loop->iterations * loop->output_bytes, thread, err);
    if (code == 0)
        code =
            place_share(run, loop->state, loop->grid.state_bytes, thread, err);
    return code;
}

int run_place_memory(struct run *run, int thread, struct error *err)
{
    const struct topo *topo = run->context->place.topo;
    bool bind = run->setup->binds_memory;
    int processor = run->impl->places.processor[thread];
    int code = topo_place_memory(topo, run->impl->memory.scratch[thread],
                                 run->impl->memory.scratch_bytes, bind,
                                 processor, err);
    if (code == 0)
        code = topo_place_memory(topo, run->worker[thread].log,
                                 run->impl->memory.log_bytes, bind, processor,
                                 err);
    if (code == 0)
        code = place_shared(run, thread, err);
    memset(run->impl->memory.scratch[thread], 0,
           run->impl->memory.scratch_bytes);
    return code;
}

/* ---- observed ---- */

static uint64_t nodes_of_data(const struct run *run, int thread)
{
    const struct topo *topo = run->context->place.topo;
    const struct worker *worker = &run->worker[thread];
    const struct loop *loop = run->loop;
    size_t most = run->impl->memory.scratch_bytes < LOOKS * LOOK_BYTES
                      ? run->impl->memory.scratch_bytes
                      : LOOKS * LOOK_BYTES;
    uint64_t nodes =
        topo_memory_nodes(topo, run->impl->memory.scratch[thread], most);
    int64_t chunks = loop->output_bytes > 0 ? worker->logged : 0;
    for (int64_t i = 0; i < LOOKS && i < chunks; i++) {
        const struct ran *ran = &worker->log[i * chunks / LOOKS % chunks];
        size_t bytes = (size_t)ran->size * loop->output_bytes;
        nodes |= topo_memory_nodes(
            topo, worker->output + (size_t)ran->start * loop->output_bytes,
            bytes < LOOK_BYTES ? bytes : LOOK_BYTES);
    }
    return nodes;
}

void run_observe(struct run *run, int thread)
{
    struct worker_result *result = &run->result[thread];
    struct topo_seen seen = topo_observe_self(run->context->place.topo);
    result->core = seen.position.core;
    result->processor = seen.position.processor;
    result->numa = seen.position.numa;
    result->bound = seen.on_core;
    result->memory = nodes_of_data(run, thread);
}
