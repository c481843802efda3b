/* Whether a cell can run, and its canonical form. */
#include "harness/check/cell_checks.h"

#include "base/text.h"
#include "harness/cell/binding.h"
#include "harness/check/cell_transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The default interval is the one the papers measure most. */
enum { SYNC_INTERVAL = 100 };

/* More than can be are one too many, so that the check refuses them. */
static int count_workers(const struct cell *cell, const struct hierarchy *h)
{
    int64_t ranks = cell->ranks, workers;
    if (cell_has_masters(cell) && text_is(cell->master, "dedicated"))
        ranks -= hierarchy_masters(h);
    workers = ranks > 0 ? ranks * cell->threads : 0;
    return workers <= CELL_WORKERS_MAX ? (int)workers : CELL_WORKERS_MAX + 1;
}

int cell_workers(const struct cell *cell)
{
    struct hierarchy h = {.levels = 0};
    hierarchy_parse(cell->hierarchy, &h, NULL);
    return count_workers(cell, &h);
}

bool cell_measures_power(const struct cell *cell)
{
    return text_is(cell->power, "measured");
}

bool cell_loses_workers(const struct cell *cell)
{
    struct perturbs perturbs;
    return perturbs_parse(cell->perturb, &perturbs, NULL, NULL) == 0 &&
           perturbs_ever(&perturbs);
}

/* ---- fields wrong in themselves ---- */

/* Time steps: the kernel's key has this name by convention. (The key of trace
 * means something else.) */
static int64_t steps_of(const struct kernel_ops *kernel,
                        const struct spec *spec)
{
    if (kernel->dependence == NULL && kernel->steps == NULL)
        return 1;
    for (int i = 0; kernel->params[i].key != NULL; i++)
        if (text_is(kernel->params[i].key, "steps"))
            return spec->value[i].integer > 0 ? spec->value[i].integer : 1;
    return 1;
}

static int read_specs(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    if (cell->kernel[0] == '\0')
        return error_set(err, EINVAL, "kernel: none is given");
    if (cell->scheme[0] == '\0')
        return error_set(err, EINVAL, "scheme: none is given");
    int code =
        kernel_parse(cell->kernel, &setup->kernel, &setup->kernel_spec, err);
    if (code == 0)
        code = scheme_parse(cell->scheme, &setup->scheme, err);
    if (code != 0)
        return code;
    cell->kernel = cell_keep(cell, setup->kernel_spec.canonical);
    cell->scheme = cell_keep(cell, setup->scheme.pair.canonical);
    setup->steps = steps_of(setup->kernel, &setup->kernel_spec);
    return 0;
}

/* Found before anything is called impossible: a combination that is skipped
 * must not hide it. */
static int read_words(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    char perturb[PERTURB_TEXT_MAX];
    if (cell->ranks < 1 || cell->threads < 1 || cell->min_chunk < 1 ||
        cell->sync_interval < 0)
        return error_set(err, EINVAL,
                         "ranks, threads and min_chunk must be at least 1");
    int code = hierarchy_parse(cell->hierarchy, &setup->hierarchy, err);
    if (code == 0)
        code = setup_read_power(cell, err);
    if (code == 0)
        code = setup_read_load(cell, err);
    if (code == 0)
        code = perturbs_parse(cell->perturb, &setup->perturbs, perturb, err);
    if (code == 0)
        cell->perturb = cell_keep(cell, perturb);
    return code;
}

static int wrong_protocol(const struct setup *setup, bool dependences,
                          struct error *err)
{
    const struct cell *cell = &setup->cell;
    bool plan = setup->scheme.kind == SCHEME_PLAN;
    int length = (int)strcspn(cell->kernel, ":");
    if (dependences && plan)
        return error_set(err, ENOTSUP,
                         "scheme %s: the rows of kernel %.*s depend on each "
                         "other, its load cannot be divided by plan",
                         cell->scheme, length, cell->kernel);
    if (!dependences && (text_is(cell->protocol, "push") || plan))
        return error_set(err, ENOTSUP,
                         "protocol %s does not fit scheme %s: push is for "
                         "plans (lp-adaptive, single-round, ...), parallel for "
                         "all others",
                         cell->protocol, cell->scheme);
    return error_set(err, ENOTSUP,
                     "protocol %s does not fit kernel %.*s, whose "
                     "iterations are %s: use %s",
                     cell->protocol, length, cell->kernel,
                     dependences ? "rows that depend on each other"
                                 : "independent",
                     dependences ? "dmps or subproblem" : "parallel");
}

/* Whether the rows of the kernel depend on each other, and whether the scheme
 * is a plan, decide it. */
static int check_protocol(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    bool dependences = setup->kernel->dependence != NULL;
    const char *fits = dependences                         ? "dmps"
                       : setup->scheme.kind == SCHEME_PLAN ? "push"
                                                           : "parallel";
    if (text_is(cell->protocol, "auto"))
        cell->protocol = fits;
    bool fit = text_is(cell->protocol, fits) ||
               (dependences && text_is(cell->protocol, "subproblem"));
    if (!fit || (dependences && setup->scheme.kind == SCHEME_PLAN))
        return wrong_protocol(setup, dependences, err);
    if (!dependences) {
        cell->sync_interval = 0;
        cell->sync_choice = "given";
    } else if (cell->sync_interval == 0 &&
               text_is(cell->sync_choice, "given") &&
               !choice_of_interval(setup))
        cell->sync_interval = SYNC_INTERVAL;
    return 0;
}

/* A plan is for one loop, and so is a runtime's schedule.  Perturbations act
 * only when chunks are handed out. */
static int check_steps_scheme(const struct setup *setup, struct error *err)
{
    enum scheme_kind kind = setup->scheme.kind;
    if (setup->perturbs.count > 0 && !text_is(setup->cell.placement, "replan"))
        return error_set(err, ENOTSUP,
                         "perturb: workers of placement sticky ask for no "
                         "chunks after the first time step, use replan");
    if (kind != SCHEME_PLAN && kind != SCHEME_SCHEDULE)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s hands out one loop, kernel %s has %lld time "
                     "steps: use another scheme, or steps=1",
                     setup->cell.scheme, setup->kernel->name,
                     (long long)setup->steps);
}

/* The results exist after the last step, long after the requests that could
 * have carried them.  Dependent rows stay where they are, unless the cell moves
 * them; independent iterations have no data to move. */
static int check_steps(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    bool dependences = setup->kernel->dependence != NULL;
    if (setup->steps == 1 || text_is(cell->placement, "auto"))
        cell->placement =
            setup->steps == 1 || dependences ? "sticky" : "replan";
    if (setup->steps == 1)
        return 0;
    if (!text_is(cell->collect, "auto") && !text_is(cell->collect, "local"))
        return error_set(err, ENOTSUP,
                         "collect %s: the %s of a loop of several time steps "
                         "stay with their workers, use local",
                         cell->collect, dependences ? "rows" : "results");
    cell->collect = "local";
    return dependences ? 0 : check_steps_scheme(setup, err);
}

/* Checks `answer` when the place of results is known. */
static int check_answer(struct setup *setup, struct error *err)
{
    const struct cell *cell = &setup->cell;
    if (text_is(cell->answer, "early") || text_is(cell->collect, "master"))
        return 0;
    return error_set(err, ENOTSUP,
                     "answer collected: with collect %s no results come to a "
                     "master, use answer early",
                     cell->collect);
}

/* How workers are bound, in one form. */
static int check_binding(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    struct topo_binding *binding = &setup->binding;
    char list[CELL_BIND_MAX];
    int code = binding_bind_parse(binding, cell->bind, err);
    if (code == 0)
        code = binding_domain_parse(&binding->domain, cell->rank_per, err);
    if (code != 0)
        return code;
    binding->smt = cell->smt;
    if (binding->bind == TOPO_COMPACT)
        cell->bind = "compact";
    snprintf(list, sizeof(list), "kind=%d", binding->kind);
    if (binding->bind == TOPO_LIST &&
        !binding_format(binding, list, sizeof(list)))
        return error_set(err, EINVAL,
                         "bind: the list is longer than %zu characters",
                         sizeof(list) - 1);
    if (binding->bind == TOPO_KIND || binding->bind == TOPO_LIST)
        cell->bind = cell_keep(cell, list);
    if (binding->domain == TOPO_NODE)
        cell->rank_per = "";
    if (binding->bind == TOPO_NONE && text_is(cell->memory, "bind"))
        return error_set(err, ENOTSUP,
                         "memory bind needs workers bound to cores: bind is "
                         "none");
    return 0;
}

static int check_shape(struct setup *setup, struct error *err)
{
    const struct cell *cell = &setup->cell;
    if ((int64_t)cell->ranks * cell->threads > CELL_WORKERS_MAX)
        return error_set(err, ENOTSUP,
                         "layout %dx%d: there can be at most %d workers",
                         cell->ranks, cell->threads, CELL_WORKERS_MAX);
    return 0;
}

static int check_dedicated(const struct cell *cell, const struct hierarchy *h,
                           struct error *err)
{
    long masters = hierarchy_masters(h), leaves = hierarchy_leaves(h);
    if (cell->ranks < masters + leaves)
        return error_set(err, ENOTSUP,
                         "hierarchy %s with dedicated masters needs %ld ranks "
                         "(%ld masters and a worker rank for each of the "
                         "lowest), %d are asked",
                         cell->hierarchy, masters + leaves, masters,
                         cell->ranks);
    return 0;
}

static int check_hierarchy(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    const struct hierarchy *h = &setup->hierarchy;
    char levels[CELL_WORD_MAX];
    hierarchy_format(h, levels, sizeof(levels));
    cell->hierarchy = cell_keep(cell, levels);
    setup->workers = count_workers(cell, h);
    if (cell_has_masters(cell) && text_is(cell->master, "dedicated"))
        return check_dedicated(cell, h, err);
    bool threads = setup->transport->rules->tree == TRANSPORT_BY_THREAD;
    long units = threads ? cell->threads : cell->ranks;
    if (hierarchy_leaves(h) > units)
        return error_set(err, ENOTSUP,
                         "hierarchy %s: more masters (%ld) than %s (%ld)",
                         cell->hierarchy, hierarchy_leaves(h),
                         threads ? "threads" : "ranks", units);
    return 0;
}

/* The ranks for the requested workers; dedicated masters are added. */
static int resolve_workers(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    int workers = cell->workers;
    if (workers == 0)
        return 0;
    if (workers % cell->threads != 0)
        return error_set(err, ENOTSUP,
                         "workers: %d are no whole number of ranks of %d "
                         "threads",
                         workers, cell->threads);
    cell->ranks = workers / cell->threads;
    cell->workers = 0; /* candidates of auto keep the ranks */
    cell->ranks += cell_dedicated_ranks(cell, &setup->hierarchy,
                                        setup->scheme.kind == SCHEME_SCHEDULE);
    return 0;
}

/* Resolved values are in canonical form. */
static int resolve_values(struct setup *setup, struct error *err)
{
    static const char *const names[] = {"parallel", "dmps", "subproblem"};
    const struct cell *cell = &setup->cell;
    (void)err;
    setup->protocol = PROTOCOL_PARALLEL;
    while (setup->protocol < PROTOCOL_PUSH &&
           !text_is(names[setup->protocol], cell->protocol))
        setup->protocol++;
    setup->results = cell_results(cell);
    setup->binds_memory = text_is(cell->memory, "bind");
    setup->sent = text_is(cell->data, "sent");
    setup->replan = text_is(cell->placement, "replan");
    setup->stamps = text_is(cell->timing, "chunk");
    setup->cell.prefetch = cell->prefetch && cell_may_prefetch(cell);
    cell_field_drop(&setup->cell);
    cell_hash(&setup->cell);
    return 0;
}

/* In this order: single wrong fields, then wrong combinations. */
static int (*const parts[])(struct setup *setup, struct error *err) = {
    read_specs,
    read_words,
    choice_settle,
    check_binding,
    check_protocol,
    check_steps,
    resolve_workers,
    setup_settle_transport,
    setup_check_transport,
    check_answer,
    setup_check_schedule,
    check_hierarchy,
    check_shape,
    setup_check_push,
    setup_check_scheme,
    setup_check_costs,
    setup_check_power,
    setup_check_load,
    setup_check_perturb,
    resolve_values,
};

int setup_resolve(struct setup *setup, const struct cell *cell,
                  struct error *err)
{
    int code = 0;
    *setup = (struct setup){.cell = *cell};
    for (size_t i = 0; code == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
        code = parts[i](setup, err);
    if (code != 0)
        setup_free(setup);
    return code;
}

void setup_free(struct setup *setup)
{
    free(setup->power);
    free(setup->load);
    *setup = (struct setup){.workers = 0};
}

bool setup_learns_by_repetition(const struct setup *setup)
{
    return scheme_keeps(&setup->scheme) && !setup->replan;
}

int cell_check(struct cell *cell, struct error *err)
{
    struct setup setup;
    int code = setup_resolve(&setup, cell, err);
    if (code != 0)
        return code;
    *cell = setup.cell;
    setup_free(&setup);
    return 0;
}

int cell_read(const json_t *object, json_t *texts, struct cell *cell,
              struct error *err)
{
    struct cell read;
    int code = cell_from_json(object, texts, &read, err);
    if (code == 0)
        code = cell_check(&read, err);
    if (code == 0 && read.sync_interval == 0 &&
        strcmp(read.sync_choice, "given") != 0)
        code = error_set(err, EINVAL,
                         "cell: sync_interval %s was not chosen before the "
                         "launch",
                         read.sync_choice);
    if (code == 0)
        *cell = read;
    return code;
}
