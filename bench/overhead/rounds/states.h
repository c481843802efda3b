/* The state that the machine was in while rounds were timed: on some virtual
 * machines a line of memory goes from one core to another in 25 to 55 ns or in
 * 245 to 320 ns, which changes within seconds, and every ratio with it.
 *
 *     for (int r = 0; r < ROUNDS; r++)
 *         handover_ns[r] = state_time_round(context, time_sides, &field, r);
 *     struct state state[STATES_MAX];
 *     int states = state_split(handover_ns, ROUNDS, state);
 *     for (int s = 0; s < states; s++) {
 *         fprintf(out, "%.2f", state_ratio(&state[s], field.ours, field.bare));
 *         state_print(out, &state[s]);
 *     }
 */
#ifndef BENCH_OVERHEAD_ROUNDS_STATES_H
#define BENCH_OVERHEAD_ROUNDS_STATES_H

#include "harness/workers/context.h"

#include <stdbool.h>
#include <stdio.h>

/* Rounds of most sections, and at most. */
enum { OVERHEAD_ROUNDS = 11, STATES_MAX = 2 };

/* The rounds that saw one state. */
struct state {
    bool saw[OVERHEAD_ROUNDS];
    int rounds, of;     /* how many of how many */
    double handover_ns; /* their median; NAN with one core */
};

/* Calls time(arg, round), and measures the hand-over before and after it.  A
 * round in which it moved by more than a factor of two is timed again, up to
 * three times: time must bear that.  Collective over the context's ranks;
 * returns the mean of both in ns, NAN with one core and on ranks other than 0.
 */
double state_time_round(struct launch_context *context,
                        void (*time)(void *arg, int round), void *arg,
                        int round);

/* There are two states if the hand-over times form two clusters more than a
 * factor of two apart, the state with the shorter times first; otherwise one.
 * Returns their number.  Only rank 0 calls it. */
int state_split(const double *handover_ns, int rounds,
                struct state state[STATES_MAX]);

/* Medians over the rounds of a state: of a value, of a / b and of a - b. */
double state_middle(const struct state *state, const double *value);
double state_ratio(const struct state *state, const double *a, const double *b);
double state_more(const struct state *state, const double *a, const double *b);

/* "met" or "MISSED"; fewer than four rounds say neither: "few". */
const char *state_judge(const struct state *state, bool met);

/* The end of a row: "  hand-over 41 ns, 7 of 11 rounds". */
void state_print(FILE *out, const struct state *state);

#endif
