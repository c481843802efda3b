/* One synchronization of DMPS between two workers, compared with the simplest
 * hand-over of this machine. */
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/row_pair.h"
#include "bench/overhead/timed_team.h"

#include "harness/process/need.h"
#include "harness/protocol/pipeline/dmps.h"

#include <stdlib.h>
#include <string.h>

enum { TRIPS = 20000, LINE = 64 };

/* Two rows of one column, a chunk each, without any computation.  Row 0 of a
 * step waits for row 1 of the previous step, and row 1 for row 0.  So every
 * time step is one round trip. */
struct wave {
    struct pair pair;
    struct dmps dmps;
    struct worker worker[2];
    struct listed {
        struct source base;
        struct chunk chunk;
        bool given;
    } source[2];
    struct ran *log[2];
    char *rows; /* two, a cache line each */
    double sync_s;
};

static void wave_grid(const void *instance, struct kernel_grid *grid)
{
    (void)instance;
    *grid =
        (struct kernel_grid){.columns = 1, .boundary_bytes = 8, .steps = TRIPS};
}

static void wave_begin(const void *instance, void *state, void *output)
{
    (void)instance;
    (void)state;
    (void)output;
}

static void wave_block(const void *instance, void *state,
                       const struct kernel_block *block, void *output,
                       const struct kernel_poll *poll)
{
    (void)instance;
    (void)state;
    (void)block;
    (void)output;
    (void)poll;
}

static void *wave_row(const void *instance, void *state, void *output, int step,
                      int64_t row)
{
    (void)instance;
    (void)state;
    (void)step;
    return (char *)output + row * LINE;
}

static const struct kernel_dependence wave_dependence = {
    .grid = wave_grid,
    .begin = wave_begin,
    .run_block = wave_block,
    .boundary = wave_row,
    .halo = wave_row,
};

static bool listed_next(struct source *base, struct chunk *chunk)
{
    struct listed *listed = (struct listed *)base;
    bool first = !listed->given;
    listed->given = true;
    *chunk = listed->chunk;
    return first;
}

static void dmps_body(struct pair *pair, int worker, void *arg)
{
    struct wave *wave = arg;
    struct worker *w = &wave->worker[worker];
    w->logged = 0;
    wave->source[worker].given = false;
    dmps_run(&wave->dmps, w, &wave->sync_s);
    if (worker == 0 || !pair_threads(pair))
        dmps_finish(&wave->dmps);
}

static void bare_body(struct pair *pair, int worker, void *arg)
{
    struct wave *wave = arg;
    int64_t value[2] = {0, 0};
    for (int64_t i = 1; i <= TRIPS; i++) {
        if (worker == 1)
            pair_take(pair, worker, i, &value[1], sizeof(value[1]));
        pair_give(pair, worker, i, &value[0], sizeof(value[0]));
        if (worker == 0)
            pair_take(pair, worker, i, &value[1], sizeof(value[1]));
    }
    wave->sync_s += (double)value[1];
}

static int open_wave(struct wave *wave, struct launch_context *context,
                     struct error *err)
{
    bool threads = context->comm.ranks == 1;
    *wave = (struct wave){.pair = {.context = context}};
    wave->rows = aligned_alloc(LINE, 2 * LINE);
    wave->dmps = (struct dmps){.kernel = &wave_dependence,
                               .output = wave->rows,
                               .rows = 2,
                               .interval = 1,
                               .last = TRIPS - 1,
                               .tick_s = context->tick_s};
    wave_grid(NULL, &wave->dmps.grid);
    for (int i = 0; i < 2; i++) {
        wave->log[i] = need_zeroed(TRIPS, sizeof(struct ran));
        wave->source[i] =
            (struct listed){.base = {.next = listed_next, .worker = i},
                            .chunk = {.start = i, .size = 1, .step = i}};
        wave->worker[i] = (struct worker){.source = &wave->source[i].base,
                                          .log = wave->log[i]};
    }
    if (wave->rows == NULL)
        need_failed();
    memset(wave->rows, 0, 2 * LINE);
    context->comm.threaded = threads;
    int code =
        links_open(&wave->dmps.links, &context->comm, 2, 1, 8, TRIPS, err);
    wave->dmps.links.patience.spin_s = 1;
    return code;
}

static double bare_turn(void *arg)
{
    struct wave *wave = arg;
    return 1e9 * pair_run(&wave->pair, bare_body, wave) / (2 * TRIPS);
}

static double dmps_turn(void *arg)
{
    struct wave *wave = arg;
    dmps_reset(&wave->dmps, pair_threads(&wave->pair) ? 2 : 1);
    return 1e9 * pair_run(&wave->pair, dmps_body, wave) / (2 * TRIPS);
}

void overhead_syncs(FILE *out, struct launch_context *context)
{
    struct wave *wave = team_memory(sizeof(*wave));
    bool threads = context->comm.ranks == 1, prints = context->comm.rank == 0;
    struct error err;
    const struct contest row = {.name = threads
                                            ? "DMPS, beside a bare flag"
                                            : "DMPS, beside a ping-pong's half",
                                .ours = dmps_turn,
                                .bare = bare_turn,
                                .arg = wave,
                                .aim = 1.5};
    int code = open_wave(wave, context, &err);
    if (prints)
        contest_head(out, "One synchronization between two %s",
                     threads ? "threads" : "ranks");
    if (code == 0) {
        contest_run(out, context, &row, 1, NULL);
        links_close(&wave->dmps.links);
        free(wave->log[0]);
        free(wave->log[1]);
        free(wave->rows);
    } else if (prints) {
        fprintf(out, "  %s\n", err.text);
    }
    free(wave);
}
