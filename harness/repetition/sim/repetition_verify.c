/* Whether a simulated repetition ran every iteration once, in an order that its
 * dependences allow.  Nothing else is verified: nothing is computed. */
#include "harness/repetition/sim/repetition_impl.h"

#include "harness/engine/sim/world.h"

#include <errno.h>

/* The first iteration that was not run exactly once in a step of the log, or
 * ran before one that it needs; -1: none. */
static int64_t find_wrong(const struct run *run,
                          const struct run_result *result)
{
    bool dependent = run->dependent.dmps != NULL;
    bool several = dependent || run->steps.count > 1;
    int64_t n = run->loop->iterations, steps = 0, expected = n;
    int64_t logged = several ? dependent_logged_steps(run) : 1;
    int64_t all = several ? run->loop->grid.steps : 1;
    if (dependent && run->impl->early >= 0)
        return run->impl->early;
    for (int64_t i = 0; i < result->logged; i++) {
        const struct ran *ran = &result->log[i];
        if (expected == n && ran->start == 0) {
            expected = 0;
            steps++;
        }
        if (ran->start != expected || ran->size < 1)
            return expected % n;
        expected += ran->size;
    }
    bool whole =
        expected == n && steps == logged && result->iterations == n * all;
    return whole ? -1 : expected % n;
}

/* The serial time is that of power 1, the slowest place.  Powers that the cell
 * gives are the schemes' beliefs, not properties of the machine. */
static double time_alone(const struct run *run)
{
    const struct world *world = world_here();
    double fastest = 0;
    for (int w = 0; w < run->tree.workers; w++) {
        const struct world_place *place = host_of_worker(run, w);
        double speed = place->power * place->speed / world->speed;
        fastest = speed > fastest ? speed : fastest;
    }
    bool known = fastest > 0 && run->loop->serial_s >= 0;
    return known ? run->loop->serial_s / fastest : -1;
}

int run_verify(struct run *run, struct run_result *result, struct error *err)
{
    (void)err;
    result->wrong_iteration = find_wrong(run, result);
    result->verified = result->wrong_iteration < 0;
    result->alone_s = time_alone(run);
    result->wall_s = world_wall() - run->impl->wall_s;
    return 0;
}

int run_save(struct run *run, const char *path, struct run_result *result,
             struct error *err)
{
    (void)run, (void)path, (void)result;
    return error_set(err, ENOTSUP, "a simulation computes nothing to save");
}
