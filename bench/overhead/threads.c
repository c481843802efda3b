#include "bench/overhead/entries.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/team.h"
#include "bench/overhead/rounds/turns.h"

#include "harness/comm/source.h"
#include "harness/engine/engine.h"
#include "harness/protocol/parallel.h"
#include "harness/transport/steal/steal.h"
#include "sched/sched.h"
#include "sched/schemes/registry.h"

#include <stdlib.h>
#include <string.h>

/* How an entry is served. */
struct contest {
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
    struct contest *contest;       /* NULL: the bare counter */
    struct contest *plain, *timed; /* the two sides of a row */
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
    else if (field->contest->table.steps > 0) {
        source_table_open(&source.table, thread, &field->contest->table,
                          &field->counter);
        source.base.early = field->contest->early;
    } else
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
    /* By two threads, for however many the sequence was made. */
    if (!c->is.late)
        c->early = source_early_steps(&c->table, 2,
                                      &(struct source_took){.nothing = true});
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

static double time_bare(void *arg)
{
    struct field *field = arg;
    field->contest = NULL;
    atomic_store(&field->counter.step, 0);
    return time_field(field);
}

static double time_plain(void *arg)
{
    struct field *field = arg;
    return time_contest(field, field->plain);
}

static double time_timed(void *arg)
{
    struct field *field = arg;
    return time_contest(field, field->timed);
}

/* ---- rows ---- */

/* Schemes that learn take the time of every chunk: what that adds to a scheme
 * that does the same arithmetic without. */
static void print_aim(FILE *out, const struct contest *c,
                      const struct turns_group *group)
{
    const double most_ns = 60, aim = c->is.powers ? 4 : 1.2;
    char text[32] = "-";
    if (c->is.learns)
        snprintf(text, sizeof(text), "%+.0f ns of %.0f %s", group->more_ns,
                 most_ns,
                 state_judge(&group->state, group->more_ns <= most_ns));
    else if (!c->is.steals && !c->is.late)
        snprintf(text, sizeof(text), "%.2f %s", aim,
                 state_judge(&group->state, group->ratio <= aim));
    fprintf(out, "   %-20s", text);
}

static void print_row(FILE *out, const struct contest *c,
                      const struct turns *turns)
{
    struct turns_group group[STATES_MAX];
    char name[64];
    snprintf(name, sizeof(name), "%s%s", c->is.spec,
             c->is.late ? ", prefetch off" : "");
    for (int g = 0, groups = turns_group(turns, group); g < groups; g++) {
        fprintf(out, "  %-30s %-10s %8.1f", name,
                c->is.steals     ? "own range"
                : c->is.powers   ? "state"
                : c->table.start ? "table"
                                 : "closed",
                group[g].ours_ns);
        if (c->is.learns)
            fprintf(out, " %8s", "");
        else
            fprintf(out, " %8.2f", group[g].ratio);
        print_aim(out, c, &group[g]);
        state_print(out, &group[g].state);
        fputc('\n', out);
    }
}

/* Every row in turns with the bare counter, or with the last one that does not
 * learn. */
static void compare_all(FILE *out, struct field *field, struct contest *contest)
{
    for (int i = 0; i < COUNT; i++) {
        field->timed = &contest[i];
        if (!entries[i].learns)
            field->plain = &contest[i];
        struct turns turns = {.context = field->context,
                              .bare =
                                  entries[i].learns ? time_plain : time_bare,
                              .ours = time_timed,
                              .arg = field};
        if (turns_measure(&turns) == 0)
            print_row(out, &contest[i], &turns);
    }
}

/* The bare counter with itself: how far two equal sides differ. */
static void compare_bare(FILE *out, struct field *field)
{
    struct turns turns = {.context = field->context,
                          .bare = time_bare,
                          .ours = time_bare,
                          .arg = field};
    struct turns_group group[STATES_MAX];
    if (turns_measure(&turns) != 0)
        return;
    for (int g = 0, groups = turns_group(&turns, group); g < groups; g++) {
        fprintf(out, "  %-30s %-10s %8.1f %8.2f   %-20s", "bare fetch-and-add",
                "atomic", group[g].ours_ns, group[g].ratio, "-");
        state_print(out, &group[g].state);
        fputc('\n', out);
    }
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

void overhead_threads(FILE *out, struct launch_context *context)
{
    struct contest contest[COUNT] = {0};
    struct field *field = aligned_alloc(128, sizeof(*field));
    struct error err = {""};
    memset(field, 0, sizeof(*field));
    field->context = context;
    if (open_all(field, contest, &err) != 0) {
        fprintf(out, "in one process: %s\n", err.text);
        return;
    }
    fprintf(out,
            "One chunk of an empty loop in one process, %d threads asking\n"
            "  %-30s %-10s %8s %8s   aim\n",
            context->threads, "scheme", "served by", "ns", "x bare");
    compare_bare(out, field);
    compare_all(out, field, contest);
    overhead_openmp(out, &(struct overhead_bare){time_bare, field, context,
                                                 field->null, field->instance});
    close_all(field, contest);
    free(field);
}
