#include "bench/overhead/overhead.h"
#include "bench/overhead/team.h"

#include "base/stats.h"
#include "harness/comm/source.h"
#include "harness/engine/engine.h"
#include "harness/protocol/parallel.h"
#include "harness/transport/steal/steal.h"
#include "sched/sched.h"
#include "sched/schemes/registry.h"

#include <stdlib.h>
#include <string.h>

/* Two threads on two workers would see a handful of chunks a loop; sequences
 * made for this many workers are long enough to be timed, and the threads ask
 * in the place of the first of them. */
enum { SEQUENCE_WORKERS = 1 << 15, CHUNKS = 1 << 20 };

/* One scheme and its loop. */
struct entry {
    const char *spec;
    int workers;
    int64_t iterations;
    bool powers; /* unequal: the sizes depend on the worker */
    bool learns; /* compared with the last row that does not */
    bool costs;  /* of rising iterations; else nobody knows them */
    bool steals; /* each thread has a separate range */
};

static const struct entry entries[] = {
    {.spec = "ss", .workers = 2, .iterations = CHUNKS},
    {.spec = "css:chunk=7", .workers = 2, .iterations = 7LL * CHUNKS},
    {.spec = "ss", .iterations = CHUNKS, .steals = true},
    {.spec = "css:chunk=7", .iterations = 7LL * CHUNKS, .steals = true},
    {.spec = "gss", .workers = SEQUENCE_WORKERS, .iterations = 1LL << 40},
    {.spec = "fss", .workers = SEQUENCE_WORKERS, .iterations = 1LL << 40},
    {.spec = "tss:first=2000,last=1",
     .workers = 2,
     .iterations = 1000LL * CHUNKS},
    {.spec = "tss-taylor",
     .workers = 8 * SEQUENCE_WORKERS,
     .iterations = 1LL << 30},
    {.spec = "qss", .workers = 8 * SEQUENCE_WORKERS, .iterations = 1LL << 30},
    {.spec = "hss",
     .workers = 8 * SEQUENCE_WORKERS,
     .iterations = 1LL << 22,
     .costs = true},
    {.spec = "binlpt:chunks=1000000",
     .workers = 2,
     .iterations = 1LL << 22,
     .costs = true},
    {.spec = "hybrid:static=0.5,chunk=4",
     .workers = 2,
     .iterations = 8LL * CHUNKS},
    {.spec = "pls", .workers = SEQUENCE_WORKERS, .iterations = 1LL << 40},
    {.spec = "wcss:k=500000",
     .workers = 2,
     .iterations = 3LL * CHUNKS,
     .powers = true},
    {.spec = "dtss",
     .workers = 4 * SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "dtss-acp",
     .workers = 4 * SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "dfss",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "dgss",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "wf",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "aid-hybrid:share=0.5",
     .workers = 2,
     .iterations = 1LL << 22,
     .powers = true,
     .learns = true},
    /* Less than any iteration takes: one by one. */
    {.spec = "timed:us=0.001",
     .workers = 2,
     .iterations = 1LL << 22,
     .powers = true,
     .learns = true},
    {.spec = "awf",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-b",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-c",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-d",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-e",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    /* Times of an empty body scatter so widely that its chunks are small. */
    {.spec = "af",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 22,
     .powers = true,
     .learns = true},
    {.spec = "bold",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
};

enum { COUNT = sizeof(entries) / sizeof(entries[0]) };

/* How an entry is served. */
struct contest {
    struct entry is;
    int first[2]; /* its workers */
    const struct sched_ops *ops;
    struct spec parsed;
    struct steal_loop steal_loop;
    struct steal steal;
    struct sched_table table;
    void *state;
    struct sched sched;
    double ns[OVERHEAD_ROUNDS], ratio[OVERHEAD_ROUNDS];
};

/* The common data of one measurement's threads. */
struct field {
    struct launch_context *context;
    struct contest *contest; /* NULL: the bare counter */
    struct source_counter counter;
    struct engine_lock *lock;
    const struct kernel_ops *null;
    void *instance;
};

static int64_t run_bare(struct field *field)
{
    int64_t mine = 0;
    while (atomic_fetch_add_explicit(&field->counter.step, 1,
                                     memory_order_relaxed) < CHUNKS)
        mine++;
    return mine;
}

static int64_t run_scheduled(struct field *field, int thread)
{
    union {
        struct source base;
        struct source_table table;
        struct source_state state;
        struct steal_source steal;
    } source;
    _Alignas(64) char scratch[64] = {0};
    struct worker worker = {.source = &source.base,
                            .kernel = field->null,
                            .instance = field->instance,
                            .scratch = scratch};
    if (field->contest->is.steals)
        steal_source_open(&source.steal, &field->contest->steal, thread);
    else if (field->contest->table.steps > 0)
        source_table_open(&source.table, thread, &field->contest->table,
                          &field->counter);
    else
        source_state_open(&source.state, thread, &field->contest->sched,
                          field->lock,
                          field->contest->sched.ops->feedback != NULL);
    parallel_run(&worker);
    return worker.chunks;
}

static int64_t field_body(int thread, void *arg)
{
    struct field *field = arg;
    return field->contest ? run_scheduled(field, thread) : run_bare(field);
}

/* ns per chunk: the time of the loop over its chunks, all threads asking. */
static double time_field(struct field *field)
{
    return team_time_chunks(field->context, field->context->team, field_body,
                            field, NULL);
}

static double *rising_costs(int64_t iterations)
{
    double *cost = calloc((size_t)iterations + 1, sizeof(*cost));
    for (int64_t i = 0; cost != NULL && i < iterations; i++)
        cost[i + 1] = cost[i] + (double)(i + 1);
    return cost;
}

static int prepare_contest(struct contest *c, struct error *err)
{
    const struct sched_ops *ops;
    struct spec spec;
    double *power =
        c->is.powers ? calloc((size_t)c->is.workers, sizeof(*power)) : NULL;
    for (int i = 0; power != NULL && i < c->is.workers; i++)
        power[i] = 1 + i % 2;
    double *cost = c->is.costs ? rising_costs(c->is.iterations) : NULL;
    struct sched_loop loop = {.iterations = c->is.iterations,
                              .workers = c->is.workers,
                              .power = power,
                              .cost = cost};
    int code = sched_parse(c->is.spec, &ops, &spec, err);
    if (code == 0 && !c->is.powers)
        code = sched_table_build(&c->table, ops, &spec, &loop, 1, err);
    if (code == 0 && c->is.powers && c->state == NULL)
        c->state =
            aligned_alloc(128, (sched_bytes(ops, &loop) + 255) / 128 * 128);
    if (code == 0 && c->is.powers)
        code = sched_init(&c->sched, (char *)c->state + 64, ops, &spec, &loop,
                          1, err);
    free(power);
    free(cost); /* a table has no use for them */
    return code;
}

static int prepare_steals(struct contest *c, struct launch_context *context,
                          struct error *err)
{
    const struct engine_patience patience = {.spin_s = 1};
    int workers = c->first[1] = c->is.workers = context->threads;
    const struct sched_loop loop = {.iterations = c->is.iterations,
                                    .workers = workers};
    const struct tree tree = {.ranks = 1,
                              .threads = workers,
                              .workers = workers,
                              .rank_worker = c->first};
    int code = sched_parse(c->is.spec, &c->ops, &c->parsed, err);
    const struct steal_choice choice = {
        .scheme = c->ops, .spec = &c->parsed, .min_chunk = 1};
    if (code == 0)
        code = steal_loop_open(&c->steal_loop, &loop, &tree, &choice, err);
    if (code == 0)
        code = steal_open(&c->steal, &c->steal_loop, &context->comm, &tree,
                          &patience, err);
    return code;
}

static double time_contest(struct field *field, struct contest *c)
{
    struct error err;
    if (c->is.steals)
        steal_reset(&c->steal);
    if (c->is.powers && prepare_contest(c, &err) != 0)
        return 0;
    field->contest = c;
    field->lock = c->state;
    if (c->state != NULL)
        atomic_store(&field->lock->held, 0);
    atomic_store(&field->counter.step, c->table.primed);
    return time_field(field);
}

static double time_bare(struct field *field)
{
    field->contest = NULL;
    atomic_store(&field->counter.step, 0);
    return time_field(field);
}

/* Schemes that learn take the time of every chunk: what that adds to the row
 * before them, which does the same arithmetic without. */
static void print_rows(FILE *out, struct contest *c, int count)
{
    const double most_ns = 60;
    double plain = 0;
    for (int i = 0; i < count; i++) {
        double ns = stats_middle(c[i].ns, OVERHEAD_ROUNDS);
        double ratio = stats_middle(c[i].ratio, OVERHEAD_ROUNDS);
        double aim = c[i].is.powers ? 4 : 1.25;
        fprintf(out, "  %-30s %-10s %8.1f %8.2f   ", c[i].is.spec,
                c[i].is.steals     ? "own range"
                : c[i].is.powers   ? "state"
                : c[i].table.start ? "table"
                                   : "closed",
                ns, ratio);
        if (c[i].is.steals)
            fprintf(out, "-\n");
        else if (c[i].is.learns)
            fprintf(out, "%+.0f ns, at most %.0f %s\n", ns - plain, most_ns,
                    ns - plain <= most_ns ? "met" : "MISSED");
        else
            fprintf(out, "%.2f %s\n", aim, ratio <= aim ? "met" : "MISSED");
        plain = c[i].is.learns ? plain : ns;
    }
}

static double time_bare_again(void *field)
{
    return time_bare(field);
}

static int open_all(struct field *field, struct contest *contest,
                    struct error *err)
{
    struct spec spec;
    int code = kernel_parse("null:size=1", &field->null, &spec, err);
    if (code == 0)
        code = field->null->create(&spec, &field->instance, err);
    for (int i = 0; i < COUNT && code == 0; i++) {
        contest[i].is = entries[i];
        code = entries[i].steals
                   ? prepare_steals(&contest[i], field->context, err)
                   : prepare_contest(&contest[i], err);
    }
    return code;
}

static void close_all(struct field *field, struct contest *contest)
{
    for (int i = 0; i < COUNT; i++) {
        sched_table_free(&contest[i].table);
        free(contest[i].state);
        if (contest[i].is.steals) {
            steal_close(&contest[i].steal);
            steal_loop_close(&contest[i].steal_loop);
        }
    }
    field->null->destroy(field->instance);
}

/* In turns with the bare counter, whose times are the limits. */
static void time_all(struct field *field, struct contest *contest,
                     double limit[OVERHEAD_ROUNDS])
{
    for (int r = 0; r < OVERHEAD_ROUNDS; r++) {
        limit[r] = time_bare(field);
        for (int i = 0; i < COUNT; i++) {
            contest[i].ns[r] = time_contest(field, &contest[i]);
            contest[i].ratio[r] = contest[i].ns[r] / limit[r];
        }
    }
}

void overhead_threads(FILE *out, struct launch_context *context)
{
    struct contest contest[COUNT] = {0};
    struct field *field = aligned_alloc(128, sizeof(*field));
    struct error err = {""};
    double limit[OVERHEAD_ROUNDS];
    memset(field, 0, sizeof(*field));
    field->context = context;
    if (open_all(field, contest, &err) != 0) {
        fprintf(out, "in one process: %s\n", err.text);
        return;
    }
    time_all(field, contest, limit);
    fprintf(out,
            "One chunk of an empty loop in one process, %d threads asking\n"
            "  %-30s %-10s %8s %8s   aim\n",
            context->threads, "scheme", "served by", "ns", "x bare");
    fprintf(out, "  %-30s %-10s %8.1f %8.2f\n", "bare fetch-and-add", "atomic",
            stats_middle(limit, OVERHEAD_ROUNDS), 1.0);
    print_rows(out, contest, COUNT);
    overhead_openmp(out,
                    &(struct overhead_bare){time_bare_again, field, context,
                                            field->null, field->instance});
    close_all(field, contest);
    free(field);
}
