/* Two threads: each scheme compared with a bare fetch-and-add. */
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/timed_team.h"

#include "harness/engine/engine.h"
#include "harness/transport/steal/steal.h"
#include "sched/sched.h"
#include "sched/schemes/scheme_registry.h"

#include <stdlib.h>
#include <string.h>

/* For two workers a loop would have a handful of chunks; sequences for so many
 * workers are long enough to be timed, and the threads ask as the first two
 * workers. */
enum { SEQUENCE_WORKERS = 1 << 15, CHUNKS = 1 << 20 };

enum {
    POWERS = 1, /* unequal: the sizes depend on the worker */
    LEARNS = 2, /* compared with the last entry that does not */
    COSTS = 4,  /* with rising costs; otherwise they are unknown */
    STEALS = 8, /* each thread has a separate range */
    LATE = 16   /* prefetch: off */
};

/* One scheme and its loop. */
struct entry {
    const char *spec;
    int workers;
    int64_t iterations;
    unsigned flags;
};

static const struct entry entries[] = {
    {"ss", 2, CHUNKS, 0},
    {"ss", 2, CHUNKS, LATE},
    {"css:chunk=7", 2, 7LL * CHUNKS, 0},
    {"ss", 0, CHUNKS, STEALS},
    {"css:chunk=7", 0, 7LL * CHUNKS, STEALS},
    {"gss", SEQUENCE_WORKERS, 1LL << 40, 0},
    {"gss", SEQUENCE_WORKERS, 1LL << 40, LATE},
    {"fss", SEQUENCE_WORKERS, 1LL << 40, 0},
    {"tss:first=2000,last=1", 2, 1000LL * CHUNKS, 0},
    {"tss-taylor", 8 * SEQUENCE_WORKERS, 1LL << 30, 0},
    {"qss", 8 * SEQUENCE_WORKERS, 1LL << 30, 0},
    {"hss", 8 * SEQUENCE_WORKERS, 1LL << 22, COSTS},
    {"binlpt:chunks=1000000", 2, 1LL << 22, COSTS},
    {"hybrid:static=0.5,chunk=4", 2, 8LL * CHUNKS, 0},
    {"pls", SEQUENCE_WORKERS, 1LL << 40, 0},
    {"wcss:k=500000", 2, 3LL * CHUNKS, POWERS},
    {"dtss", 4 * SEQUENCE_WORKERS, 1LL << 40, POWERS},
    {"dtss-acp", 4 * SEQUENCE_WORKERS, 1LL << 40, POWERS},
    {"dfss", SEQUENCE_WORKERS, 1LL << 40, POWERS},
    {"dgss", SEQUENCE_WORKERS, 1LL << 40, POWERS},
    {"wf", SEQUENCE_WORKERS, 1LL << 40, POWERS},
    {"aid-hybrid:share=0.5", 2, 1LL << 22, POWERS | LEARNS},
    /* Less than any iteration takes: one by one. */
    {"timed:us=0.001", 2, 1LL << 22, POWERS | LEARNS},
    {"awf", SEQUENCE_WORKERS, 1LL << 40, POWERS | LEARNS},
    {"awf-b", SEQUENCE_WORKERS, 1LL << 40, POWERS | LEARNS},
    {"awf-c", SEQUENCE_WORKERS, 1LL << 40, POWERS | LEARNS},
    {"awf-d", SEQUENCE_WORKERS, 1LL << 40, POWERS | LEARNS},
    {"awf-e", SEQUENCE_WORKERS, 1LL << 40, POWERS | LEARNS},
    /* Times of an empty body scatter so widely that its chunks are small. */
    {"af", SEQUENCE_WORKERS, 1LL << 22, POWERS | LEARNS},
    {"bold", SEQUENCE_WORKERS, 1LL << 40, POWERS | LEARNS},
};

enum { COUNT = sizeof(entries) / sizeof(entries[0]) };

/* How an entry is served. */
struct served {
    struct entry is;
    int first[2]; /* its workers */
    const struct sched_ops *ops;
    struct spec parsed;
    struct steal_loop steal_loop;
    struct steal steal;
    struct sched_table table;
    struct source_early early;
    void *state;
    struct sched sched;
};

/* The common data of one measurement's threads. */
struct field {
    struct launch_context *context;
    struct served *served;        /* the one that is timed */
    struct served *plain, *timed; /* the two sides of a row */
    struct source_counter counter;
    struct engine_lock *lock;
    const struct kernel_ops *null;
    void *instance;
};

static int64_t run_scheduled(int thread, void *arg)
{
    struct field *field = arg;
    struct served *served = field->served;
    union {
        struct source base;
        struct source_table table;
        struct source_state state;
        struct steal_source steal;
    } source;
    if (served->is.flags & STEALS)
        steal_source_open(&source.steal, &served->steal, thread);
    else if (served->table.steps > 0) {
        source_table_open(&source.table, thread, &served->table,
                          &field->counter);
        source.base.early = served->early;
    } else
        source_state_open(&source.state, thread, &served->sched, field->lock,
                          served->sched.ops->feedback != NULL,
                          field->context->tick_s);
    return team_run_source(&source.base, field->null, field->instance);
}

static double *rising_costs(int64_t iterations)
{
    double *cost = calloc((size_t)iterations + 1, sizeof(*cost));
    for (int64_t i = 0; cost != NULL && i < iterations; i++)
        cost[i + 1] = cost[i] + (double)(i + 1);
    return cost;
}

static int prepare_scheme(struct served *c, struct error *err)
{
    const struct sched_ops *ops;
    struct spec spec;
    double *power = (c->is.flags & POWERS)
                        ? calloc((size_t)c->is.workers, sizeof(*power))
                        : NULL;
    for (int i = 0; power != NULL && i < c->is.workers; i++)
        power[i] = 1 + i % 2;
    double *cost =
        (c->is.flags & COSTS) ? rising_costs(c->is.iterations) : NULL;
    struct sched_loop loop = {.iterations = c->is.iterations,
                              .workers = c->is.workers,
                              .power = power,
                              .cost = cost};
    int code = sched_parse(c->is.spec, &ops, &spec, err);
    if (code == 0 && !(c->is.flags & POWERS))
        code = sched_table_build(&c->table, ops, &spec, &loop, 1, err);
    /* By two threads, for however many the sequence was made. */
    if (!(c->is.flags & LATE))
        c->early = source_early_steps(&c->table, 2,
                                      &(struct source_took){.nothing = true});
    if (code == 0 && (c->is.flags & POWERS) && c->state == NULL)
        c->state =
            aligned_alloc(128, (sched_bytes(ops, &loop) + 255) / 128 * 128);
    if (code == 0 && (c->is.flags & POWERS))
        code = sched_init(&c->sched, (char *)c->state + 64, ops, &spec, &loop,
                          1, err);
    free(power);
    free(cost); /* a table does not use them */
    return code;
}

static int prepare_steals(struct served *c, struct launch_context *context,
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

static double time_served(struct field *field, struct served *c)
{
    struct error err;
    if (c->is.flags & STEALS)
        steal_reset(&c->steal);
    if ((c->is.flags & POWERS) && prepare_scheme(c, &err) != 0)
        return 0;
    field->served = c;
    field->lock = c->state;
    if (c->state != NULL)
        atomic_store(&field->lock->held, 0);
    atomic_store(&field->counter.step, c->table.primed);
    return team_time_chunks(field->context, field->context->team, run_scheduled,
                            field, NULL);
}

static double time_bare(void *arg)
{
    struct field *field = arg;
    return team_time_counter(field->context, &field->counter, CHUNKS);
}

static double time_called(void *arg)
{
    struct field *field = arg;
    return team_time_calls(field->context, &field->counter, CHUNKS, field->null,
                           field->instance);
}

static double time_plain(void *arg)
{
    struct field *field = arg;
    return time_served(field, field->plain);
}

static double time_timed(void *arg)
{
    struct field *field = arg;
    return time_served(field, field->timed);
}

/* ---- rows ---- */

/* Every row in turns with the bare counter.  A scheme that learns takes the
 * time of every chunk: its row is in turns with the last one that does not. */
static void compare_scheme(FILE *out, struct field *field, struct served *c)
{
    const struct entry *is = &c->is;
    bool aims = (is->flags & (STEALS | LATE | LEARNS)) == 0;
    char name[64];
    snprintf(name, sizeof(name), "%s%s%s", is->spec,
             is->flags & LATE ? ", prefetch off" : "",
             is->flags & LEARNS ? ", beside the last above" : "");
    field->timed = c;
    if (!(is->flags & LEARNS))
        field->plain = c;
    const struct contest row = {.name = name,
                                .how = is->flags & STEALS   ? "own range"
                                       : is->flags & POWERS ? "state"
                                       : c->table.start     ? "table"
                                                            : "closed",
                                .ours = time_timed,
                                .bare =
                                    is->flags & LEARNS ? time_plain : time_bare,
                                .arg = field,
                                .aim = aims ? is->flags & POWERS ? 4 : 1.2 : 0,
                                .aim_ns = is->flags & LEARNS ? 60 : 0};
    contest_run(out, field->context, &row, 1, NULL);
}

static int open_all(struct field *field, struct served *served,
                    struct error *err)
{
    int code = team_null_kernel(&field->null, &field->instance, err);
    for (int i = 0; i < COUNT && code == 0; i++) {
        served[i].is = entries[i];
        code = entries[i].flags & STEALS
                   ? prepare_steals(&served[i], field->context, err)
                   : prepare_scheme(&served[i], err);
    }
    return code;
}

void overhead_threads(FILE *out, struct launch_context *context)
{
    struct served served[COUNT] = {0};
    struct field *field = team_memory(sizeof(*field));
    const struct contest bare = {.name = "bare fetch-and-add",
                                 .how = "atomic",
                                 .ours = time_bare,
                                 .bare = time_bare,
                                 .arg = field};
    const struct contest called = {.name = "bare, and a body is called",
                                   .how = "atomic",
                                   .ours = time_called,
                                   .bare = time_bare,
                                   .arg = field};
    const struct contest beside = {.name = "ss, beside that",
                                   .how = "closed",
                                   .ours = time_timed,
                                   .bare = time_called,
                                   .arg = field,
                                   .aim = 1.05};
    struct error err = {""};
    field->context = context;
    if (open_all(field, served, &err) != 0) {
        fprintf(out, "in one process: %s\n", err.text);
        return;
    }
    contest_head(out,
                 "One chunk of an empty loop in one process, %d threads "
                 "asking, beside a bare fetch-and-add",
                 context->threads);
    contest_run(out, context, &bare, 1, NULL);
    contest_run(out, context, &called, 1, NULL);
    field->timed = &served[0];
    contest_run(out, context, &beside, 1, NULL);
    for (int i = 0; i < COUNT; i++)
        compare_scheme(out, field, &served[i]);
    for (int i = 0; i < COUNT; i++) {
        sched_table_free(&served[i].table);
        free(served[i].state);
        if (served[i].is.flags & STEALS) {
            steal_close(&served[i].steal);
            steal_loop_close(&served[i].steal_loop);
        }
    }
    field->null->destroy(field->instance);
    free(field);
}
