/* The default costs of scheduling in simulation, in seconds, measured on the
 * machine of the README with make bench-overhead.  A counter shared by two
 * threads, a scheme's state under its lock, a steal, a synchronization between
 * two threads.  A piece of the thief's range costs 3.5 ns with threads and 34
 * with ranks; a thief's question is a request. */
#ifndef HARNESS_ENGINE_USUAL_COSTS_H
#define HARNESS_ENGINE_USUAL_COSTS_H

/* The default of cells' request_cost. */
#define ENGINE_REQUEST_USUAL_S 200e-9
#define ENGINE_COUNT_USUAL_S 10e-9
#define ENGINE_STATE_USUAL_S 25e-9
#define ENGINE_OWN_USUAL_S 10e-9
#define ENGINE_STEAL_USUAL_S 250e-9
#define ENGINE_HANDOVER_USUAL_S 88e-9

#endif
