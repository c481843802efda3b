/* The result of a simulated repetition of a loop with dependences. */
#include "harness/run/sim/run_parts.h"

#include "harness/run/logged.h"

#include <errno.h>
#include <stdlib.h>

static struct logged *all_logs(const struct run *run, int64_t *count)
{
    int64_t n = 0;
    for (int w = 0; w < run->tree.workers; w++)
        n += run->seat[w].worker.logged;
    struct logged *all = calloc((size_t)n + 1, sizeof(*all));
    n = 0;
    for (int w = 0; all != NULL && w < run->tree.workers; w++)
        for (int64_t i = 0; i < run->seat[w].worker.logged; i++)
            all[n++] = (struct logged){run->seat[w].worker.log[i], w};
    *count = n;
    if (all != NULL)
        logged_sort(all, n);
    return all;
}

/* The first row that did not run exactly once in a step of the log, or ran
 * before a row that it needs; -1: none. */
static int64_t wrong_row(const struct run *run, const struct logged *all,
                         int64_t count, int64_t iterations)
{
    const struct loop *loop = run->loop;
    int64_t rows = loop->iterations, steps = 0, expected = rows;
    if (run->dependent.early >= 0)
        return run->dependent.early;
    for (int64_t i = 0; i < count; i++) {
        const struct ran *ran = &all[i].ran;
        if (expected == rows && ran->start == 0) {
            expected = 0;
            steps++;
        }
        if (ran->start != expected || ran->size < 1)
            return expected % rows;
        expected += ran->size;
    }
    bool whole = expected == rows && steps == dependent_logged_steps(run) &&
                 iterations == rows * loop->grid.steps;
    return whole ? -1 : expected % rows;
}

int dependent_report(struct run *run, struct run_result *result,
                     struct error *err)
{
    double start_s = run->part[0].start_s;
    uint64_t start = (uint64_t)(start_s / run->context->tick_s + 0.5);
    struct logged *all = all_logs(run, &result->logged);
    run->last.ran = calloc((size_t)result->logged + 1, sizeof(*run->last.ran));
    run->last.ran_worker =
        calloc((size_t)result->logged + 1, sizeof(*run->last.ran_worker));
    if (all == NULL || run->last.ran == NULL || run->last.ran_worker == NULL) {
        free(all);
        return error_set(err, ENOMEM, "out of memory for the report");
    }
    for (int64_t i = 0; i < result->logged; i++) {
        run->last.ran[i] = all[i].ran;
        run->last.ran[i].begin -= start;
        run->last.ran[i].end -= start;
        run->last.ran_worker[i] = (int32_t)all[i].worker;
    }
    result->log = run->last.ran;
    result->log_worker = run->last.ran_worker;
    result->wrong_iteration =
        wrong_row(run, all, result->logged, result->iterations);
    result->verified = result->wrong_iteration < 0;
    free(all);
    return 0;
}
