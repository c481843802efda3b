/* dlsbench run --dry-run: the cells that would run, as a table or CSV, with
 * estimated times.  It measures and writes nothing.  Results in --out only give
 * the status of cells and better estimates. */
#include "base/text.h"
#include "bench/commands/run/run_options.h"
#include "bench/launching/driver/announce.h"
#include "bench/options/command.h"
#include "bench/options/table.h"
#include "bench/results/results.h"
#include "harness/cell/cell_field.h"
#include "harness/transport/registry/transport_registry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- table ---- */

/* Prints the fields of every cell, then the unusual ones. */
static void print_cell(const struct cell *c)
{
    const struct transport_ops *ops = transport_find(c->transport);
    bool master = ops != NULL && transport_has_field(ops, "master");
    printf("%s %s %s %dx%d %s %s%s%s", c->hash, c->kernel, c->scheme, c->ranks,
           c->threads, c->transport, c->hierarchy, master ? " " : "",
           master ? c->master : "");
    for (int i = 0; i < CELL_FIELDS; i++) {
        char text[SPEC_CANONICAL_MAX];
        const struct cell_field *field = &cell_field_table[i];
        if (field->said || field->made || !cell_field_unusual(c, field))
            continue;
        cell_field_text(c, field, text);
        printf(" %s=%s", field->name, text);
    }
    putchar('\n');
}

static void print_table(const struct campaign *campaign,
                        const struct run_options *options)
{
    const struct cross_result *all = &campaign->all;
    const struct policy *p = &campaign->policy;
    for (int i = 0; i < all->count; i++)
        print_cell(&all->cells[i]);
    printf("campaign %s: %d cell%s, seed %" PRIu64 "\n", campaign->name,
           all->count, text_s(all->count), campaign->seed);
    if (!options->setup.replayed)
        printf("repetitions %d to %d, ci %g, cell_seconds %g, cell_timeout %g, "
               "verify_limit %g\n",
               p->repetitions, p->repetitions_max, p->ci, p->cell_seconds,
               p->cell_timeout, p->verify_limit);
    if (!options->simulated)
        printf("launcher: %s\n", options->launcher);
    if (all->equal > 0)
        printf(all->equal == 1
                   ? "%d combination is a cell that is there already\n"
                   : "%d combinations are cells that are there already\n",
               all->equal);
    if (all->skipped > 0)
        printf("%d impossible combination%s skipped:\n", all->skipped,
               all->skipped == 1 ? " is" : "s are");
    for (int i = 0; i < all->reasons; i++)
        printf("  %d x %s (first: %s)\n", all->skips[i].count,
               all->skips[i].reason, all->skips[i].example);
}

/* ---- csv ---- */

static const char *status_name(const struct results *results,
                               const struct cell *cell)
{
    static const char *const names[] = {[RESULT_NONE] = "missing",
                                        [RESULT_FAILED] = "failed",
                                        [RESULT_UNVERIFIED] = "unverified",
                                        [RESULT_OK] = "ok"};
    const struct result *result =
        results != NULL ? results_find(results, cell->hash) : NULL;
    return names[result != NULL ? result->status : RESULT_NONE];
}

static int by_layout_and_hash(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks ? -1 : 1;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    return strcmp(x->hash, y->hash);
}

/* With --shape, shard I/N has the cells whose position is I modulo N. Specs
 * come last: they contain commas, and readers without CSV (the job scripts)
 * take the columns before them. */
static void print_csv(struct campaign *campaign, const struct results *results,
                      struct estimator *estimator)
{
    struct cell *cells = campaign->all.cells;
    int place = 0;
    qsort(cells, (size_t)campaign->all.count, sizeof(*cells),
          by_layout_and_hash);
    printf("cell,layout,place,status,seconds,estimate,kernel,scheme\n");
    for (int i = 0; i < campaign->all.count; i++) {
        const struct cell *c = &cells[i];
        bool same =
            i > 0 && c->ranks == c[-1].ranks && c->threads == c[-1].threads;
        place = same ? place + 1 : 0;
        struct estimate estimate = estimate_cell(estimator, c);
        printf("%s,%dx%d,%d,%s,%.4g,%s,\"%s\",\"%s\"\n", c->hash, c->ranks,
               c->threads, place, status_name(results, c), estimate.seconds,
               estimate.by, c->kernel, c->scheme);
    }
}

/* What --out contains of the campaign. */
struct existing {
    struct rundir dir;
    bool found; /* otherwise there are no results */
    struct results results;
};

static int find_existing(const struct run_options *options,
                         const struct campaign *campaign,
                         struct existing *existing, struct error *err)
{
    int code = 0;
    existing->found = false;
    if (options->dir.out != NULL)
        code = rundir_find(&existing->dir, campaign, &options->setup,
                           &options->dir, &existing->found, err);
    if (code == 0 && existing->found)
        code = results_read(existing->dir.path, &existing->results, err);
    return code;
}

/* Refuses a directory that a run could not resume. */
static int check_resume(const struct run_options *options,
                        const struct campaign *campaign, struct error *err)
{
    struct existing existing;
    if (!options->dir.resume)
        return 0;
    int code = find_existing(options, campaign, &existing, err);
    if (code == 0 && existing.found)
        results_free(&existing.results);
    return code;
}

/* Existing results give estimates for missing ones. */
static int open_plan(const struct run_options *options,
                     const struct campaign *campaign, struct existing *existing,
                     struct estimator *estimator, struct error *err)
{
    int code = find_existing(options, campaign, existing, err);
    if (code != 0)
        return code;
    const char *earlier = options->from != NULL ? options->from
                          : existing->found     ? existing->dir.path
                                                : NULL;
    code = estimator_open(estimator, &campaign->policy, earlier,
                          options->calibration, err);
    if (code == 0 && options->from != NULL && estimator->earlier.count == 0) {
        estimator_close(estimator);
        code = error_set(err, ENOENT, "--from: %s has no results", earlier);
    }
    if (code != 0 && existing->found)
        results_free(&existing->results);
    return code;
}

/* The table ends with the time, which is unknown for simulations. */
static void print_plan(const struct run_options *options,
                       struct campaign *campaign,
                       const struct existing *existing,
                       struct estimator *estimator)
{
    const struct cross_result *all = &campaign->all;
    const struct results *results = existing->found ? &existing->results : NULL;
    if (options->format == TABLE_CSV)
        print_csv(campaign, results, estimator);
    else
        print_table(campaign, options);
    if (options->simulated)
        return;
    struct announced announced =
        announce_estimate(estimator, all->cells, all->count, results);
    announce_warnings(&announced);
    if (options->format == TABLE_CSV)
        return;
    if (announced.cells < all->count)
        printf("%d of %d cells are complete already; left: ",
               all->count - announced.cells, all->count);
    announce_time(stdout, &announced);
}

int run_dry(const struct run_options *options, struct campaign *campaign)
{
    struct error err;
    struct existing existing;
    struct estimator estimator;
    int code = check_resume(options, campaign, &err);
    if (code == 0)
        code = open_plan(options, campaign, &existing, &estimator, &err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    print_plan(options, campaign, &existing, &estimator);
    estimator_close(&estimator);
    if (existing.found)
        results_free(&existing.results);
    return COMMAND_OK;
}
