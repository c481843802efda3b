/* Whether a cell can run, and its canonical form. */
#include "harness/setup/cell_checks.h"

#include "harness/cell/binding.h"
#include "harness/hierarchy/hierarchy.h"
#include "harness/setup/choice.h"
#include "kernels/kernel.h"
#include "sched/schemes/pair.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The default interval is the one the papers measure most. */
enum { SYNC_INTERVAL = 100 };

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

int cell_workers(const struct cell *cell)
{
    struct hierarchy h;
    int ranks = cell->ranks;
    if (is(cell->transport, "master") && is(cell->master, "dedicated") &&
        hierarchy_parse(cell->hierarchy, &h, NULL) == 0)
        ranks -= (int)hierarchy_masters(&h);
    return ranks > 0 ? ranks * cell->threads : 0;
}

/* The protocol that goes with the kernel and the scheme. */
static const char *fitting(const struct cell *cell, bool dependences)
{
    return dependences ? "dmps" : cell_is_plan(cell) ? "push" : "parallel";
}

static int wrong_protocol(const struct cell *cell, bool dependences,
                          struct error *err)
{
    int length = (int)strcspn(cell->kernel, ":");
    if (dependences && cell_is_plan(cell))
        return error_set(err, ENOTSUP,
                         "scheme %s: the rows of kernel %.*s depend on each "
                         "other, its load cannot be divided by plan",
                         cell->scheme, length, cell->kernel);
    if (!dependences && (is(cell->protocol, "push") || cell_is_plan(cell)))
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
static int check_protocol(struct cell *cell, bool dependences,
                          struct error *err)
{
    const char *fits = fitting(cell, dependences);
    if (is(cell->protocol, "auto"))
        strcpy(cell->protocol, fits);
    bool fit = is(cell->protocol, fits) ||
               (dependences && is(cell->protocol, "subproblem"));
    if (!fit || (dependences && cell_is_plan(cell)))
        return wrong_protocol(cell, dependences, err);
    if (!dependences) {
        cell->sync_interval = 0;
        strcpy(cell->sync_choice, "given");
    } else if (cell->sync_interval == 0 && is(cell->sync_choice, "given") &&
               !choice_of_interval(cell))
        cell->sync_interval = SYNC_INTERVAL;
    return 0;
}

/* Time steps of a loop with dependences: by convention the kernel's key is
 * called so.  (trace has one, too, for another thing.) */
static int64_t steps_of(const struct kernel_ops *kernel,
                        const struct spec *spec)
{
    if (kernel->dependence == NULL)
        return 1;
    for (int i = 0; kernel->params[i].key != NULL; i++)
        if (is(kernel->params[i].key, "steps"))
            return spec->value[i].integer;
    return 1;
}

/* Results are what the last step leaves, long after the requests that could
 * have carried them. */
static int check_steps(struct cell *cell, int64_t steps, struct error *err)
{
    if (steps == 1) {
        strcpy(cell->placement, "sticky");
        return 0;
    }
    if (is(cell->collect, "master"))
        return error_set(err, ENOTSUP,
                         "collect master: the rows of a loop of several time "
                         "steps stay with their workers, use local");
    strcpy(cell->collect, "local");
    return 0;
}

/* What is wrong in itself, found before anything is called impossible: a
 * combination that is skipped must not hide it. */
static int check_words(const struct cell *cell, struct error *err)
{
    struct hierarchy h;
    if (cell->ranks < 1 || cell->threads < 1 || cell->min_chunk < 1 ||
        cell->sync_interval < 0)
        return error_set(err, EINVAL,
                         "ranks, threads and min_chunk must be at least 1");
    int code = hierarchy_parse(cell->hierarchy, &h, err);
    if (code == 0)
        code = cell_power_parse(cell, err);
    if (code == 0)
        code = cell_load_parse(cell, err);
    if (code == 0)
        code = cell_perturb_parse(cell, err);
    return code;
}

/* How workers are bound, in one form. */
static int check_binding(struct cell *cell, struct error *err)
{
    struct topo_binding binding = {.bind = TOPO_NONE};
    int code = binding_bind_parse(&binding, cell->bind, err);
    if (code == 0)
        code = binding_domain_parse(&binding.domain, cell->rank_per, err);
    if (code != 0)
        return code;
    if (binding.bind == TOPO_LIST &&
        !binding_format(&binding, cell->bind, sizeof(cell->bind)))
        return error_set(err, EINVAL,
                         "bind: the list is longer than %zu characters",
                         sizeof(cell->bind) - 1);
    if (binding.domain == TOPO_NODE)
        cell->rank_per[0] = '\0';
    if (binding.bind == TOPO_NONE && strcmp(cell->memory, "bind") == 0)
        return error_set(err, ENOTSUP,
                         "memory bind needs workers that are bound to cores: "
                         "bind is none");
    return 0;
}

static int check_shape(const struct cell *cell, struct error *err)
{
    if ((int64_t)cell->ranks * cell->threads > CELL_WORKERS_MAX)
        return error_set(err, ENOTSUP,
                         "layout %dx%d: there can be at most %d workers",
                         cell->ranks, cell->threads, CELL_WORKERS_MAX);
    return 0;
}

static int check_specs(struct cell *cell, struct error *err)
{
    const struct kernel_ops *kernel;
    struct sched_pair pair;
    struct spec spec;
    if (cell->kernel[0] == '\0')
        return error_set(err, EINVAL, "kernel: none is given");
    if (cell->scheme[0] == '\0')
        return error_set(err, EINVAL, "scheme: none is given");
    int code = kernel_parse(cell->kernel, &kernel, &spec, err);
    if (code != 0)
        return code;
    snprintf(cell->kernel, sizeof(cell->kernel), "%s", spec.canonical);
    int64_t steps = steps_of(kernel, &spec);
    code = cell_scheme_parse(cell->scheme, &pair, err);
    if (code != 0)
        return code;
    snprintf(cell->scheme, sizeof(cell->scheme), "%s", pair.canonical);
    code = check_words(cell, err);
    if (code == 0)
        code = choice_settle(cell, kernel->dependence != NULL, err);
    if (code == 0)
        code = check_binding(cell, err);
    if (code == 0)
        code = check_protocol(cell, kernel->dependence != NULL, err);
    return code == 0 ? check_steps(cell, steps, err) : code;
}

static void resolve_auto(struct cell *cell)
{
    if (is(cell->transport, "auto"))
        strcpy(cell->transport, cell_is_schedule(cell) ? "openmp"
                                : cell->ranks == 1     ? "shared"
                                                       : "master");
    bool master = is(cell->transport, "master");
    if (is(cell->collect, "auto"))
        strcpy(cell->collect, master ? "master" : "local");
    /* What does not apply is written in one way only. */
    if (!master) {
        strcpy(cell->master, "computing");
        cell->prefetch = false;
    }
    if (!is(cell->transport, "window"))
        strcpy(cell->window, "auto");
    if (!is(cell->transport, "steal"))
        strcpy(cell->victim, "auto");
    else if (is(cell->victim, "auto"))
        strcpy(cell->victim, "random");
}

static int check_transport(const struct cell *cell, struct error *err)
{
    if (is(cell->transport, "shared") && cell->ranks > 1)
        return error_set(err, ENOTSUP,
                         "transport shared needs one rank (%d are asked): use "
                         "master, window or steal",
                         cell->ranks);
    if (is(cell->transport, "master") && cell->ranks == 1)
        return error_set(err, ENOTSUP,
                         "transport master needs two ranks or more: use "
                         "shared or steal for one rank");
    if (is(cell->collect, "master") && !is(cell->transport, "master"))
        return error_set(err, ENOTSUP,
                         "collect master needs transport master: with %s "
                         "there is no master to collect",
                         cell->transport);
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

static int check_hierarchy(struct cell *cell, struct error *err)
{
    struct hierarchy h;
    int code = hierarchy_parse(cell->hierarchy, &h, err);
    if (code != 0)
        return code;
    hierarchy_format(&h, cell->hierarchy, sizeof(cell->hierarchy));
    if (is(cell->transport, "window") && h.levels > 0)
        return error_set(err, ENOTSUP,
                         "hierarchy %s needs masters, transport window has "
                         "none: allowed are flat and node",
                         cell->hierarchy);
    if (is(cell->transport, "master") && is(cell->master, "dedicated"))
        return check_dedicated(cell, &h, err);
    bool threads = is(cell->transport, "shared");
    long units = threads ? cell->threads : cell->ranks;
    if (hierarchy_leaves(&h) > units)
        return error_set(err, ENOTSUP,
                         "hierarchy %s: more masters (%ld) than %s (%ld)",
                         cell->hierarchy, hierarchy_leaves(&h),
                         threads ? "threads" : "ranks", units);
    return 0;
}

/* Ranks that give the workers asked for; dedicated masters come on top. */
static int resolve_workers(struct cell *cell, struct error *err)
{
    struct hierarchy h;
    int workers = cell->workers;
    if (workers == 0)
        return 0;
    if (workers % cell->threads != 0)
        return error_set(err, ENOTSUP,
                         "workers: %d are no whole number of ranks of %d "
                         "threads",
                         workers, cell->threads);
    cell->ranks = workers / cell->threads;
    cell->workers = 0;
    int code = hierarchy_parse(cell->hierarchy, &h, err);
    bool masterless = is(cell->transport, "shared") ||
                      is(cell->transport, "window") ||
                      is(cell->transport, "steal") ||
                      is(cell->transport, "openmp") || cell_is_schedule(cell);
    bool alone = cell->ranks == 1 && is(cell->transport, "auto");
    if (code == 0 && is(cell->master, "dedicated") && !masterless && !alone)
        cell->ranks += (int)hierarchy_masters(&h);
    return code;
}

int cell_check(struct cell *cell, struct error *err)
{
    struct cell checked = *cell;
    int code = check_specs(&checked, err);
    if (code == 0)
        code = resolve_workers(&checked, err);
    if (code != 0)
        return code;
    resolve_auto(&checked);
    code = cell_openmp_check(&checked, err);
    if (code == 0)
        code = check_hierarchy(&checked, err);
    if (code == 0)
        code = check_shape(&checked, err);
    if (code == 0)
        code = check_transport(&checked, err);
    if (code == 0)
        code = cell_push_check(&checked, err);
    if (code == 0 && is(checked.transport, "steal"))
        code = cell_steal_check(&checked, err);
    if (code == 0)
        code = cell_scheme_check(&checked, err);
    if (code == 0)
        code = cell_power_check(&checked, err);
    if (code == 0)
        code = cell_load_check(&checked, err);
    if (code == 0)
        code = cell_perturb_check(&checked, err);
    if (code != 0)
        return code;
    cell_field_drop(&checked);
    cell_hash(&checked);
    *cell = checked;
    return 0;
}

int cell_read(const json_t *object, struct cell *cell, struct error *err)
{
    struct cell read;
    int code = cell_from_json(object, &read, err);
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
