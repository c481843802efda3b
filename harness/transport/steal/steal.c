#include "harness/transport/steal/steal_internal.h"

#include "base/cache_line.h"
#include "base/random.h"
#include "sched/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what all ranks know ---- */

/* By the powers before each worker, so that shares differ by less than one
 * iteration from the exact ones. */
static void share_out(struct steal_loop *steal, const struct sched_loop *loop)
{
    double before = 0, total = 0;
    int64_t n = loop->iterations;
    for (int w = 0; w < loop->workers; w++)
        total += sched_power(loop, w);
    for (int w = 0; w < loop->workers; w++) {
        double first = (double)n * (before / total);
        steal->share[w] = first < (double)n ? (int64_t)first : n;
        before += sched_power(loop, w);
    }
    steal->share[loop->workers] = n;
}

static int open_ranks(struct steal_loop *steal, const struct tree *tree)
{
    struct site *site = NULL;
    if (steal->site == NULL || tree->ranks == 1)
        return nearness_open(&steal->ranks, NULL, tree->ranks);
    site = calloc((size_t)tree->ranks, sizeof(*site));
    if (site == NULL)
        return -ENOMEM;
    for (int r = 0; r < tree->ranks; r++)
        site[r] = steal->site[tree->rank_worker[r]];
    int code = nearness_open(&steal->ranks, site, tree->ranks);
    free(site);
    return code;
}

/* Whether the scheme accepts this loop.  It never sees ranges too small for its
 * keys. */
static int check_scheme(const struct steal_loop *steal,
                        const struct sched_loop *loop, struct error *err)
{
    struct sched sched;
    const struct sched_loop equal = {.iterations = loop->iterations,
                                     .workers = loop->workers};
    void *memory = calloc(1, sched_bytes(steal->scheme, &equal));
    if (memory == NULL)
        return error_set(err, ENOMEM, "out of memory for the scheme");
    int code = sched_init(&sched, memory, steal->scheme, steal->spec, &equal,
                          steal->min_chunk, err);
    free(memory);
    return code;
}

int steal_loop_open(struct steal_loop *steal, const struct sched_loop *loop,
                    const struct tree *tree, const struct steal_choice *choice,
                    struct error *err)
{
    *steal = (struct steal_loop){.iterations = loop->iterations,
                                 .min_chunk = choice->min_chunk,
                                 .workers = loop->workers,
                                 .scheme = choice->scheme,
                                 .spec = choice->spec,
                                 .seed = choice->seed,
                                 .near = choice->near,
                                 .site = choice->site};
    int code = steal_check_iterations(loop->iterations, err);
    if (code == 0)
        code = check_scheme(steal, loop, err);
    if (code != 0)
        return code;
    steal->share = calloc((size_t)loop->workers + 1, sizeof(*steal->share));
    if (choice->one_process)
        steal->mail = calloc((size_t)tree->ranks, sizeof(*steal->mail));
    if (!steal->share || (choice->one_process && !steal->mail) ||
        open_ranks(steal, tree) != 0) {
        steal_loop_close(steal);
        return error_set(err, ENOMEM, "out of memory for %d workers",
                         loop->workers);
    }
    share_out(steal, loop);
    return 0;
}

void steal_loop_close(struct steal_loop *steal)
{
    nearness_close(&steal->ranks);
    free(steal->share);
    free(steal->mail);
    *steal = (struct steal_loop){0};
}

int steal_home(const struct steal_loop *steal, int64_t iteration)
{
    int low = 0, high = steal->workers;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (steal->share[middle] <= iteration)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- opening ---- */

static size_t scheme_stride(const struct steal_loop *loop)
{
    const struct sched_loop all = {.iterations = loop->iterations,
                                   .workers = loop->workers};
    return (sched_bytes(loop->scheme, &all) + 127) / 128 * 128;
}

int steal_open(struct steal *steal, const struct steal_loop *loop,
               const struct comm *comm, const struct tree *tree,
               const struct engine_patience *patience, struct error *err)
{
    int first = tree->rank_worker[comm->rank];
    *steal =
        (struct steal){.loop = loop,
                       .comm = comm,
                       .patience = *patience,
                       .first_worker = first,
                       .workers = tree->rank_worker[comm->rank + 1] - first};
    size_t n = (size_t)steal->workers;
    int code = steal_ranks_open(steal);
    steal->range =
        lines_zeroed((n + (size_t)steal->slots) * sizeof(*steal->range));
    steal->scheme_memory = lines_zeroed(n * scheme_stride(loop));
    steal->source = calloc(n + 1, sizeof(*steal->source));
    if (code != 0 || !steal->range || !steal->scheme_memory || !steal->source ||
        nearness_open(&steal->threads, loop->site ? loop->site + first : NULL,
                      steal->workers) != 0) {
        steal_close(steal);
        return error_set(err, ENOMEM, "out of memory for %zu workers", n);
    }
    return 0;
}

void steal_close(struct steal *steal)
{
    nearness_close(&steal->threads);
    mailbox_withdraw(&steal->ranks.box);
    mailbox_close(&steal->ranks.box);
    free(steal->range);
    free(steal->scheme_memory);
    free(steal->source);
    *steal = (struct steal){0};
}

void steal_reset(struct steal *steal)
{
    for (int i = 0; i < steal->workers + steal->slots; i++)
        atomic_store(&steal->range[i].ends, 0);
    atomic_store(&steal->loaded, 0);
    atomic_store(&steal->idle, 0);
    atomic_store(&steal->working, steal->workers);
    atomic_store(&steal->ended, false);
    steal_ranks_reset(steal);
}

void steal_leave(struct steal *steal)
{
    atomic_fetch_sub(&steal->working, 1);
}

/* ---- the owner ---- */

/* The scheme begins anew with every range. */
static void begin_range(struct steal_source *source, int64_t begin,
                        int64_t size)
{
    const struct steal_loop *loop = source->steal->loop;
    const struct sched_loop part = {.iterations = size,
                                    .workers = loop->workers};
    if (sched_init(&source->sched, source->memory, loop->scheme, loop->spec,
                   &part, loop->min_chunk, NULL) == 0)
        source->fixed = sched_fixed_size(&source->sched);
    else
        source->fixed = size; /* too small for the scheme's keys: one piece */
    atomic_store_explicit(&source->range->ends, steal_ends(begin, begin + size),
                          memory_order_release);
}

void steal_emptied(struct steal *steal)
{
    int before = atomic_fetch_sub(&steal->loaded, 1);
    invariant(before > 0);
    if (before == 1)
        engine_wake(&steal->moved);
}

static bool own_piece(struct steal_source *source, struct chunk *chunk)
{
    struct steal_range *range = source->range;
    uint64_t seen = atomic_load_explicit(&range->ends, memory_order_relaxed);
    int64_t left = steal_size(seen);
    if (left == 0)
        return false;
    int64_t size = source->fixed;
    if (size == 0)
        size = sched_next_size(&source->sched, source->base.worker, left);
    for (; left > 0; left = steal_size(seen)) {
        if (size > left)
            size = left;
        int64_t begin = steal_begin(seen);
        if (!atomic_compare_exchange_weak_explicit(
                &range->ends, &seen, steal_ends(begin + size, steal_end(seen)),
                memory_order_acq_rel, memory_order_relaxed))
            continue;
        if (size == left)
            steal_emptied(source->steal);
        *chunk = (struct chunk){.start = begin, .size = size};
        return true;
    }
    return false;
}

/* ---- the thief, in memory ---- */

/* Half of another thread's range; also half of loot by message if other threads
 * can share it. */
static int64_t part_of(const struct steal *steal, int range, int64_t size)
{
    if (range >= steal->workers && steal->workers == 1)
        return size;
    return steal_half(size, steal->loop->min_chunk);
}

/* The thief counts as loaded before it takes anything, so that no thread sees 0
 * while iterations are on their way. */
static bool rob_victim(struct steal_source *source, int victim)
{
    struct steal *steal = source->steal;
    struct steal_range *range = &steal->range[victim];
    uint64_t seen = steal_look(range);
    if (steal_size(seen) == 0)
        return false;
    atomic_fetch_add(&steal->loaded, 1);
    for (int64_t left = steal_size(seen); left > 0; left = steal_size(seen)) {
        int64_t take = part_of(steal, victim, left);
        int64_t end = steal_end(seen) - take;
        if (!atomic_compare_exchange_strong(&range->ends, &seen,
                                            steal_ends(steal_begin(seen), end)))
            continue;
        if (take == left)
            steal_emptied(steal);
        begin_range(source, end, take);
        if (victim < steal->workers) {
            source->tally.steals++;
            source->tally.iterations += take;
        }
        engine_wake(&steal->moved);
        return true;
    }
    steal_emptied(steal);
    return false;
}

/* Loot by message has no owner yet, so it comes first. */
static bool rob_anybody(struct steal_source *source)
{
    struct steal *steal = source->steal;
    struct victims_round round = {0};
    int victim;
    for (int i = 0; i < steal->slots; i++)
        if (rob_victim(source, steal->workers + i))
            return true;
    while ((victim = victims_next(&source->victims, &round, steal->workers,
                                  &source->random)) >= 0) {
        /* In simulation polling and stealing take time.  Charge all of it
         * first: if time passed between a theft and the loot's first piece, two
         * thieves could rob each other of a last iteration for ever. */
        engine_charge(ENGINE_STATE);
        if (steal_size(steal_look(&steal->range[victim])) > 0)
            engine_charge(ENGINE_STEAL);
        if (rob_victim(source, victim))
            return true;
        source->tally.failed++;
    }
    return false;
}

/* Whether no iteration is left for any worker. */
static bool is_over(const struct steal *steal)
{
    if (comm_failed(steal->comm))
        return true;
    return atomic_load(&steal->loaded) == 0 &&
           (steal->comm->ranks == 1 || atomic_load(&steal->ended));
}

static bool find_work(struct steal_source *source)
{
    struct steal *steal = source->steal;
    struct engine_idle idle = {0};
    bool found = false;
    while (!is_over(steal)) {
        if (atomic_load(&steal->loaded) > 0 && (found = rob_anybody(source)))
            break;
        steal_pause(steal, &idle);
    }
    return found;
}

static bool steal_next(struct source *base, struct chunk *chunk)
{
    struct steal_source *source = (struct steal_source *)base;
    struct steal *steal = source->steal;
    bool found = true;
    if (own_piece(source, chunk))
        return true;
    /* If no iteration is left anywhere, there is nothing to wait for. */
    if (is_over(steal))
        return false;
    double since = source_wait(base);
    atomic_fetch_add(&steal->idle, 1);
    while (found && !own_piece(source, chunk))
        found = find_work(source);
    atomic_fetch_sub(&steal->idle, 1);
    source_go_on(base, since);
    return found;
}

void steal_source_open(struct steal_source *source, struct steal *steal,
                       int worker)
{
    const struct steal_loop *loop = steal->loop;
    int thread = worker - steal->first_worker;
    int64_t begin = loop->share[worker];
    int64_t size = loop->share[worker + 1] - begin;
    uint64_t mixed = loop->seed + (uint64_t)worker;
    *source = (struct steal_source){
        .base = {.next = steal_next, .worker = worker},
        .steal = steal,
        .range = &steal->range[thread],
        .memory = steal->scheme_memory + (size_t)thread * scheme_stride(loop),
        .random = random_next(&mixed)};
    steal->source[thread] = source;
    victims_open(&source->victims, &steal->threads, thread, loop->near);
    if (size == 0)
        return;
    atomic_fetch_add(&steal->loaded, 1);
    begin_range(source, begin, size);
}

struct steal_tally steal_tally(const struct steal *steal, int worker)
{
    struct steal_tally tally =
        steal->source[worker - steal->first_worker]->tally;
    if (worker == steal->first_worker) {
        tally.steals += steal->ranks.tally.steals;
        tally.failed += steal->ranks.tally.failed;
        tally.iterations += steal->ranks.tally.iterations;
    }
    return tally;
}
