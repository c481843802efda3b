/* DMPS under random orders of requests and random delays: random grids,
 * dependences, chunks, owners, intervals, time steps and shapes, compared with
 * the serial loop.  An alarm ends an endless wait.  Runs alone with threads,
 * and as ranks under mpiexec (`dmps_test ranks`). */
#include "harness/testing.h"

#include "harness/protocol/pipeline/dmps.h"

#include <signal.h>

enum {
    ROUNDS = 150,
    ROUNDS_RANKS = 25, /* which wait by sleeping, more than there are cores */
    THREADS_MAX = 4,
    PATIENCE_S = 120,
};

/* A grid of numbers.  Every point depends on all points that the dependences
 * allow, so that a value taken too early or too late is seen. */
struct field {
    int64_t rows;
    struct kernel_grid grid;
    uint64_t delay_seed; /* 0: no delays */
    _Atomic uint64_t blocks;
};

struct owned {
    struct chunk chunk;
    int owner;
};

struct source_list {
    struct source base;
    const struct owned *list;
    int64_t count, next;
    uint64_t delay_seed;
};

/* The setting of a round, the same on all ranks. */
struct round {
    struct field field;
    int64_t interval, group;
    bool replan;
    struct owned *chunk;
    int64_t chunks;
    int threads, workers;
};

static struct comm *world; /* of the whole program */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u);
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

static void delay(uint64_t seed, uint64_t salt)
{
    uint64_t dice = mix(seed, salt) >> 32;
    if (seed != 0 && dice % 8 == 0)
        usleep((useconds_t)(dice % 300));
}

/* ---- the loop ---- */

/* Point (i, j) of a step depends on its value of the previous step and on its
 * left neighbour.  In the row above it reads up to `reach` to the right (below
 * 0: only from there to the left).  With several steps it also reads the row
 * below in the previous step. */
static uint64_t point(const struct field *f, const uint64_t *row,
                      const uint64_t *above, const uint64_t *below, int step,
                      int64_t i, int64_t j)
{
    int64_t columns = f->grid.columns, up = j + f->grid.reach;
    uint64_t value = mix((uint64_t)step, (uint64_t)(i * columns + j));
    if (j > 0)
        value = mix(value, row[j - 1]);
    if (i > 0 && f->grid.reach >= 0)
        value = mix(value, above[j]);
    if (i > 0 && up >= 0 && up < columns)
        value = mix(value, above[up]);
    if (step > 0)
        value = mix(value, row[j]);
    if (step > 0 && i + 1 < f->rows)
        value = mix(value, below[j]);
    return value;
}

static void field_grid(const void *instance, struct kernel_grid *grid)
{
    *grid = ((const struct field *)instance)->grid;
}

static void field_begin(const void *instance, void *state, void *output)
{
    (void)instance;
    (void)state;
    (void)output;
}

static void field_block(const void *instance, void *state,
                        const struct kernel_block *b, void *output,
                        const struct kernel_poll *poll)
{
    struct field *f = (struct field *)(uintptr_t)instance;
    const int64_t columns = f->grid.columns;
    (void)state;
    (void)poll;
    delay(f->delay_seed, atomic_fetch_add(&f->blocks, 1));
    for (int64_t k = 0; k < b->size; k++) {
        int64_t lag = k * f->grid.skew;
        int64_t first = b->from > lag ? b->from - lag : 0, last = b->to - lag;
        uint64_t *row = (uint64_t *)output + (b->start + k) * columns;
        const uint64_t *above = row - columns, *below = row + columns;
        if (k == 0 && b->above != NULL)
            above = b->above;
        if (k + 1 == b->size && b->below != NULL)
            below = b->below;
        last = last < columns ? last : columns;
        for (int64_t j = first; j < last; j++)
            row[j] = point(f, row, above, below, b->step, b->start + k, j);
    }
}

static void *field_row(const void *instance, void *state, void *output,
                       int step, int64_t row)
{
    (void)state;
    (void)step;
    return (uint64_t *)output +
           row * ((struct field *)(uintptr_t)instance)->grid.columns;
}

static const struct kernel_dependence dependence = {.grid = field_grid,
                                                    .begin = field_begin,
                                                    .run_block = field_block,
                                                    .boundary = field_row,
                                                    .halo = field_row};

/* ---- one round ---- */

static bool list_next(struct source *base, struct chunk *chunk)
{
    struct source_list *list = (struct source_list *)base;
    delay(list->delay_seed, (uint64_t)list->next + 1);
    while (list->next < list->count &&
           list->list[list->next].owner != base->worker)
        list->next++;
    if (list->next == list->count)
        return false;
    *chunk = list->list[list->next++].chunk;
    return true;
}

static struct round make_round(uint64_t *seed, int threads)
{
    struct round r = {.threads = threads, .workers = threads * world->ranks};
    int64_t columns = testing_between(seed, 1, 70);
    bool steps = testing_between(seed, 0, 1) == 1;
    r.field.rows = testing_between(seed, 1, 50);
    r.field.grid = (struct kernel_grid){
        .columns = columns,
        .boundary_bytes = sizeof(uint64_t),
        .skew = steps ? 0 : (int)testing_between(seed, 0, 2),
        .steps = steps ? (int)testing_between(seed, 1, 5) : 1};
    r.field.grid.reach =
        steps ? 0 : (int)testing_between(seed, 0, r.field.grid.skew);
    if (!steps && testing_between(seed, 0, 3) == 0) {
        r.field.grid.skew = 0;
        r.field.grid.reach = -(int)testing_between(seed, 0, columns + 2);
    }
    r.field.delay_seed = testing_between(seed, 0, 1) ? testing_random(seed) : 0;
    r.interval = testing_between(seed, 1, columns + 9);
    r.group = testing_between(seed, 0, 2) == 0 ? r.workers : 0;
    r.replan = r.field.grid.steps > 1 && testing_between(seed, 0, 1) == 1;
    r.chunk = calloc((size_t)r.field.rows, sizeof(*r.chunk));
    assert_non_null(r.chunk);
    int64_t longest = testing_between(seed, 1, r.field.rows);
    for (int64_t start = 0; start < r.field.rows;) {
        int64_t size = testing_between(seed, 1, longest);
        if (size > r.field.rows - start)
            size = r.field.rows - start;
        r.chunk[r.chunks] =
            (struct owned){{.start = start, .size = size, .step = r.chunks},
                           (int)testing_between(seed, 0, r.workers - 1)};
        r.chunks++;
        start += size;
    }
    return r;
}

/* Shared by the threads of a rank in a round. */
struct stage {
    struct round *round;
    struct dmps dmps;
    struct migrate migrate;
    struct engine_team *team;
    struct worker worker[THREADS_MAX];
    struct source_list source[THREADS_MAX];
    double sync_s[THREADS_MAX];
    uint64_t *grid;
    bool ended;
};

static void tell_owners(struct stage *stage)
{
    struct migrate_rows own[64];
    int64_t n = 0;
    const struct round *r = stage->round;
    for (int64_t c = 0; c < r->chunks; c++)
        if (r->chunk[c].owner / r->threads == world->rank)
            own[n++] = (struct migrate_rows){
                r->chunk[c].chunk.start, r->chunk[c].chunk.size, world->rank};
    migrate_announce(&stage->migrate, own, n);
}

/* Every pass has other owners. */
static void next_pass(struct stage *stage, int pass)
{
    struct round *r = stage->round;
    if (stage->dmps.migrate != NULL)
        tell_owners(stage);
    for (int64_t c = 0; c < r->chunks; c++)
        r->chunk[c].owner = (r->chunk[c].owner + 1) % r->workers;
    for (int t = 0; t < r->threads; t++)
        stage->source[t].next = 0;
    stage->dmps.first = stage->dmps.last = pass;
    dmps_reset(&stage->dmps, r->threads);
    if (world->ranks > 1)
        comm_quiet_barrier(world);
}

static void body(int thread, void *arg)
{
    struct stage *stage = arg;
    struct dmps *dmps = &stage->dmps;
    int passes = stage->round->replan ? stage->round->field.grid.steps : 1;
    for (int pass = 0; pass < passes; pass++) {
        if (pass > 0 && thread == 0)
            next_pass(stage, pass);
        engine_team_barrier(stage->team, &dmps->links.patience);
        dmps_run(dmps, &stage->worker[thread], &stage->sync_s[thread]);
        if (thread == 0)
            dmps_finish(dmps);
        engine_team_barrier(stage->team, &dmps->links.patience);
    }
}

static void open_stage(struct stage *stage, struct round *r)
{
    struct error err;
    size_t points = (size_t)(r->field.rows * r->field.grid.columns);
    *stage = (struct stage){.round = r, .grid = calloc(points, 8)};
    assert_non_null(stage->grid);
    stage->dmps = (struct dmps){.kernel = &dependence,
                                .instance = &r->field,
                                .output = (char *)stage->grid,
                                .grid = r->field.grid,
                                .rows = r->field.rows,
                                .interval = r->interval,
                                .group = r->group,
                                .last = r->replan ? 0 : r->field.grid.steps - 1,
                                .tick_s = 1e-9};
    assert_int_equal(links_open(&stage->dmps.links, world, r->field.rows,
                                kernel_boundary_columns(&r->field.grid), 8,
                                r->replan ? 1 : r->field.grid.steps, &err),
                     0);
    stage->dmps.links.patience = world->patience;
    if (r->threads > 1)
        links_keep_rows(&stage->dmps.links);
    if (r->replan && world->ranks > 1) {
        stage->dmps.migrate = &stage->migrate;
        assert_int_equal(
            migrate_open(&stage->migrate, world, &r->field, r->field.rows,
                         (size_t)r->field.grid.columns * 8, (char *)stage->grid,
                         points * 8, NULL, 0, &err),
            0);
    }
    assert_int_equal(engine_team_start(&stage->team, r->threads, &err), 0);
    for (int t = 0; t < r->threads; t++) {
        size_t most = (size_t)(r->chunks * r->field.grid.steps);
        stage->source[t] = (struct source_list){
            .base = {.next = list_next, .worker = world->rank * r->threads + t},
            .list = r->chunk,
            .count = r->chunks,
            .delay_seed = r->field.delay_seed};
        stage->worker[t] =
            (struct worker){.source = &stage->source[t].base,
                            .log = calloc(most, sizeof(struct ran))};
        assert_non_null(stage->worker[t].log);
    }
}

static void close_stage(struct stage *stage)
{
    engine_team_stop(stage->team);
    if (stage->dmps.migrate != NULL)
        migrate_close(&stage->migrate);
    links_close(&stage->dmps.links);
    for (int t = 0; t < stage->round->threads; t++)
        free(stage->worker[t].log);
    free(stage->grid);
}

/* Every row where its last owner has it. */
static void check(const struct stage *stage, const struct round *r)
{
    int64_t columns = r->field.grid.columns;
    uint64_t *want = calloc((size_t)(r->field.rows * columns), 8);
    assert_non_null(want);
    for (int step = 0; step < r->field.grid.steps; step++)
        for (int64_t i = 0; i < r->field.rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                uint64_t *row = want + i * columns;
                row[j] = point(&r->field, row, row - columns, row + columns,
                               step, i, j);
            }
    for (int64_t c = 0; c < r->chunks; c++) {
        const struct chunk *chunk = &r->chunk[c].chunk;
        int64_t first = chunk->start * columns, n = chunk->size * columns;
        if (r->chunk[c].owner / r->threads == world->rank &&
            memcmp(want + first, stage->grid + first, (size_t)n * 8) != 0)
            fail_msg("rank %d: chunk %lld is wrong", world->rank, (long long)c);
    }
    free(want);
}

static void run_rounds(int threads, uint64_t seed)
{
    int rounds = world->ranks > 1 ? ROUNDS_RANKS : ROUNDS;
    for (int i = 0; i < rounds; i++) {
        struct round round = make_round(&seed, threads);
        struct stage stage;
        open_stage(&stage, &round);
        dmps_reset(&stage.dmps, threads);
        if (world->ranks > 1)
            comm_quiet_barrier(world);
        engine_team_run(stage.team, body, &stage);
        check(&stage, &round);
        close_stage(&stage);
        free(round.chunk);
    }
}

static void every_order_ends_with_the_bits_of_the_serial_loop(void **unused)
{
    (void)unused;
    uint64_t seed = testing_say_seed(__func__);
    if (world->ranks > 1)
        comm_broadcast(world, &seed, sizeof(seed));
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        world->threaded = threads > 1;
        run_rounds(threads, seed + (uint64_t)threads);
    }
}

static void too_late(int signal)
{
    (void)signal;
    static const char text[] = "dmps_test: somebody waits for ever\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(written > 0 ? 3 : 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_ends_with_the_bits_of_the_serial_loop),
    };
    /* Threads alone need no MPI, and the thread sanitizer none of it. */
    struct comm comm = {.ranks = 1, .lanes = 1};
    struct error err;
    bool ranks = argc > 1 && strcmp(argv[1], "ranks") == 0;
    signal(SIGALRM, too_late);
    alarm(PATIENCE_S);
    if (ranks && comm_open(&comm, &err) != 0)
        return 2;
    comm.patience.spin_s = 0;
    world = &comm;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (ranks)
        comm_close(&comm);
    return failed;
}
