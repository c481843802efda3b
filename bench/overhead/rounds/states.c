#include "bench/overhead/rounds/states.h"

#include "base/stats.h"
#include "harness/launch/handover.h"

#include <math.h>

/* How often a round is repeated before it is accepted. */
enum { AGAIN_MAX = 3 };
/* So many rounds give a median that is judged. */
enum { JUDGED = 4 };
static const double MOVED = 2;

double state_time_round(struct launch_context *context,
                        void (*time)(void *arg, int round), void *arg,
                        int round)
{
    double before, after;
    int again = 0;
    bool moved;
    do {
        before = handover_measure(context);
        time(arg, round);
        after = handover_measure(context);
        moved = fmax(before, after) > MOVED * fmin(before, after);
    } while (comm_max_int(&context->comm, moved) && again++ < AGAIN_MAX);
    return 1e9 * (before + after) / 2;
}

/* The rounds whose hand-over is in [from, to); all, if it is unknown. */
static struct state take_state(const double *handover_ns, int rounds,
                               double from, double to)
{
    struct state state = {.of = rounds};
    for (int r = 0; r < rounds; r++) {
        state.saw[r] = !(handover_ns[r] < from) && !(handover_ns[r] >= to);
        state.rounds += state.saw[r];
    }
    state.handover_ns = state_middle(&state, handover_ns);
    return state;
}

int state_split(const double *handover_ns, int rounds,
                struct state state[STATES_MAX])
{
    double border = stats_split(handover_ns, rounds, MOVED);
    state[0] = take_state(handover_ns, rounds, -INFINITY, border);
    if (isinf(border))
        return 1;
    state[1] = take_state(handover_ns, rounds, border, INFINITY);
    return 2;
}

/* The median of combine(a, b) over the rounds; b may be NULL. */
static double middle_of(const struct state *state, const double *a,
                        const double *b, double (*combine)(double a, double b))
{
    double values[OVERHEAD_ROUNDS];
    int n = 0;
    for (int r = 0; r < state->of; r++)
        if (state->saw[r])
            values[n++] = combine(a[r], b != NULL ? b[r] : 0);
    return stats_middle(values, n);
}

static double first_of(double a, double b)
{
    (void)b;
    return a;
}

static double ratio_of(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double difference_of(double a, double b)
{
    return a - b;
}

double state_middle(const struct state *state, const double *value)
{
    return middle_of(state, value, NULL, first_of);
}

double state_ratio(const struct state *state, const double *a, const double *b)
{
    return middle_of(state, a, b, ratio_of);
}

double state_more(const struct state *state, const double *a, const double *b)
{
    return middle_of(state, a, b, difference_of);
}

const char *state_judge(const struct state *state, bool met)
{
    return state->rounds < JUDGED ? "few" : met ? "met" : "MISSED";
}

void state_print(FILE *out, const struct state *state)
{
    if (!isnan(state->handover_ns))
        fprintf(out, "  hand-over %.0f ns", state->handover_ns);
    if (state->rounds < state->of)
        fprintf(out, ", %d of %d rounds", state->rounds, state->of);
}
