/* The state of the machine while rounds were timed: on some virtual machines a
 * cache line moves from one core to another in 25 to 55 ns or in 245 to 320 ns.
 * The state changes within seconds, and with it every ratio.
 *
 *     for (int r = 0; r < ROUNDS; r++)
 *         handover_ns[r] = state_time_round(context, time_sides, &field, r);
 *     struct state state[STATES_MAX];
 *     int states = state_split(handover_ns, ROUNDS, state);
 *     for (int s = 0; s < states; s++) {
 *         fprintf(out, "%.2f", state_ratio(&state[s], field.ours, field.bare));
 *         state_print(out, &state[s]);
 *     } */
#ifndef BENCH_OVERHEAD_ROUNDS_STATES_H
#define BENCH_OVERHEAD_ROUNDS_STATES_H

#include "harness/workers/context.h"

#include <stdbool.h>
#include <stdio.h>

/* Rounds of most sections; the most states. */
enum { OVERHEAD_ROUNDS = 11, STATES_MAX = 2 };

/* The rounds in one state. */
struct state {
    bool saw[OVERHEAD_ROUNDS];
    int rounds, of;     /* number of them, and of all rounds */
    double handover_ns; /* their median; NAN with one core */
};

/* Calls time(arg, round), and measures the hand-over before and after.  If the
 * hand-over changed by more than a factor of two, it repeats the round, up to
 * three times: `time` must allow that.  Collective over the context's ranks;
 * returns the mean of both in ns, NAN with one core and on ranks other than
 * 0. */
double state_time_round(struct launch_context *context,
                        void (*time)(void *arg, int round), void *arg,
                        int round);

/* There are two states if the hand-over times form two clusters more than a
 * factor of two apart, the state with the shorter times first; otherwise one.
 * Returns their number.  Only rank 0 calls it. */
int state_split(const double *handover_ns, int rounds,
                struct state state[STATES_MAX]);

/* Medians over the rounds of a state: of a value, a / b and a - b. */
double state_middle(const struct state *state, const double *value);
double state_ratio(const struct state *state, const double *a, const double *b);
double state_more(const struct state *state, const double *a, const double *b);

/* "met" or "MISSED"; "few" for fewer than four rounds. */
const char *state_judge(const struct state *state, bool met);

/* The end of a row: "  hand-over 41 ns, 7 of 11 rounds". */
void state_print(FILE *out, const struct state *state);

#endif
