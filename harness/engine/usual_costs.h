/* The default costs of scheduling in simulation, in seconds, from make
 * bench-overhead on the README's machine: a counter shared by two threads, a
 * scheme's state under its lock, a steal, a synchronization between two
 * threads.  A piece of the thief's range costs 3.5 ns with threads and 34 with
 * ranks; a thief's question is a request. */
#ifndef HARNESS_ENGINE_USUAL_COSTS_H
#define HARNESS_ENGINE_USUAL_COSTS_H

/* The default of cells' request_cost. */
#define ENGINE_REQUEST_USUAL_S 200e-9
#define ENGINE_COUNT_USUAL_S 10e-9
#define ENGINE_STATE_USUAL_S 25e-9
#define ENGINE_OWN_USUAL_S 10e-9
#define ENGINE_STEAL_USUAL_S 250e-9
#define ENGINE_HANDOVER_USUAL_S 88e-9

/* The time between the starts of two workers with the same master: a little
 * more than it needs to serve one.  If they started faster, or at one instant,
 * requests would queue at the master, and SimGrid would compare each new one
 * with all of them.  The simulation of 32,768 ranks then takes minutes instead
 * of seconds.  So many workers start further apart, because they also leave at
 * this distance, with one more message each. */
static inline double engine_apart_s(int workers, double request_s)
{
    double apart_s = (workers < 32768 ? 1.25 : 5) * request_s;
    return apart_s > 10e-9 ? apart_s : 10e-9;
}

#endif
