/* Tests in simulation.  tests/unit.sh starts them with smpirun as the ranks of
 * testing.hosts on testing.xml: rank 0 runs the tests, and has all ranks do a
 * part at the same simulated moment when it calls testing_together.
 *
 *     static int run_all(void) { ... return cmocka_run_group_tests(...); }
 *     int main(int argc, char **argv)
 *     {
 *         return testing_simulate(argc, argv, run_all);
 *     }
 *
 * Only rank 0 may assert; the others leave what they saw in memory. */
#ifndef HARNESS_ENGINE_SIM_WORLD_TESTING_H
#define HARNESS_ENGINE_SIM_WORLD_TESTING_H

#include "harness/testing.h"

#include "harness/engine/sim/world.h"

#include <math.h>

/* The content of testing.xml and testing.hosts: ranks 0 and 1 are on one host,
 * 2 and 3 on the second, 4 alone on the third; every way between hosts is two
 * links long. */
enum { PLACES = 5, TESTING_STACK = 1 << 22 };
static const double LATENCY_S = 2e-6, BYTE_S = 1e-9, FLOPS = 1e9;

/* Simulated times are sums of a few numbers: they differ by rounding only. */
#define assert_seconds(is, wanted) testing_seconds(is, wanted, __LINE__)

static inline void testing_seconds(double is, double wanted, int line)
{
    if (!(fabs(is - wanted) < 1e-12))
        fail_msg("line %d: %.15g s, not %.15g s", line, is, wanted);
}

/* So many bytes alone on their way from one host to another; a message of
 * MPI, to which SMPI adds 16 bytes. */
static inline double testing_way_s(double bytes)
{
    return LATENCY_S + bytes * BYTE_S;
}

static inline double testing_message_s(double bytes)
{
    return testing_way_s(bytes + 16);
}

static inline void testing_together(void (*body)(int place, void *arg),
                                    void *arg)
{
    engine_team_run(world_here()->team, body, arg);
}

/* ---- inside ---- */

static inline void testing_look(int place, void *arg)
{
    struct world *world = arg;
    world->place[place] = world_place();
}

/* With a team of all ranks and their places. */
static inline int testing_lead(void *arg)
{
    int (*const *tests)(void) = arg;
    struct world *world = world_here();
    struct engine_team *team;
    struct error err;
    struct world_place place[PLACES];
    if (engine_team_start(&team, PLACES, &err) != 0)
        return 1;
    world->place = place;
    world->places = PLACES;
    world->speed = FLOPS;
    testing_together(testing_look, world);
    return (*tests)();
}

/* Without: context_open makes them. */
static inline int testing_lead_bare(void *arg)
{
    int (*const *tests)(void) = arg;
    return (*tests)();
}

static inline int testing_follow_or_lead(int argc, char **argv,
                                         int (*lead)(void *arg),
                                         int (*tests)(void))
{
    struct world world = {.team = NULL};
    int failed = 0, rank = world_begin(&argc, &argv);
    if (rank == 0) {
        world_show(&world);
        failed = world_on_stack(TESTING_STACK, lead, &tests);
        world_release(&world);
    } else {
        world_follow(rank);
    }
    world_end();
    return failed != 0;
}

/* ---- what main does ---- */

static inline int testing_simulate(int argc, char **argv, int (*tests)(void))
{
    return testing_follow_or_lead(argc, argv, testing_lead, tests);
}

/* For tests that open a context by themselves. */
static inline int testing_simulate_bare(int argc, char **argv,
                                        int (*tests)(void))
{
    return testing_follow_or_lead(argc, argv, testing_lead_bare, tests);
}

#endif
