#include "bench/overhead/contest.h"

#include "base/stats.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* The rounds of one row. */
struct timed {
    const struct contest *row;
    double ours_ns[OVERHEAD_ROUNDS], bare_ns[OVERHEAD_ROUNDS];
    double handover_ns[OVERHEAD_ROUNDS];
};

void contest_head(FILE *out, const char *title, ...)
{
    va_list arguments;
    va_start(arguments, title);
    fputc('\n', out);
    vfprintf(out, title, arguments);
    va_end(arguments);
    fprintf(out, "\n  %-34s %-18s %10s %10s %7s %9s   %s\n", "", "", "ours",
            "bare", "ratio", "more", "aim");
}

static void time_sides(void *arg, int round)
{
    struct timed *timed = arg;
    timed->ours_ns[round] = timed->row->ours(timed->row->arg);
    timed->bare_ns[round] = timed->row->bare(timed->row->arg);
}

/* Four digits and a unit. */
static void print_time(FILE *out, int width, double ns)
{
    static const struct {
        double ns;
        const char *name;
    } unit[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t u = 0;
    while (u < 3 && fabs(ns) < unit[u].ns)
        u++;
    double value = ns / unit[u].ns;
    fprintf(out, " %*.*f %-2s", width - 3, fabs(value) < 100 ? 2 : 1, value,
            unit[u].name);
}

/* MISSED only if the 95 % confidence interval misses the aim, too. */
static const char *judge_row(const struct timed *timed,
                             const struct state *state)
{
    const struct contest *row = timed->row;
    double ratio[OVERHEAD_ROUNDS], more[OVERHEAD_ROUNDS];
    int n = 0;
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        if (state->saw[r]) {
            ratio[n] = timed->ours_ns[r] / timed->bare_ns[r];
            more[n++] = timed->ours_ns[r] - timed->bare_ns[r];
        }
    const struct stats_median by = stats_median(ratio, n);
    const struct stats_median added = stats_median(more, n);
    bool met = by.median <= row->aim || added.median <= row->aim_ns;
    bool unsure = by.low <= row->aim || added.low <= row->aim_ns;
    const char *judged = state_judge(state, met);
    return !met && unsure && n > 1 && judged[0] == 'M' ? "unsure" : judged;
}

static void print_aim(FILE *out, const struct timed *timed,
                      const struct state *state, struct contest_tally *tally)
{
    const struct contest *row = timed->row;
    char text[48] = "-";
    if (row->aim > 0 || row->aim_ns > 0) {
        const char *judged = judge_row(timed, state);
        int used = 0;
        if (row->aim > 0)
            used = snprintf(text, sizeof(text), "%.4g", row->aim);
        if (row->aim_ns > 0)
            used += snprintf(text + used, sizeof(text) - (size_t)used,
                             "%s%+.4g ns", used > 0 ? " or " : "", row->aim_ns);
        snprintf(text + used, sizeof(text) - (size_t)used, " %s", judged);
        if (tally != NULL && judged[0] != 'f') {
            tally->lines++;
            tally->met += judged[0] == 'm';
            tally->missed += judged[0] == 'M';
        }
    }
    fprintf(out, "   %-23s", text);
}

static void print_row(FILE *out, const struct timed *timed,
                      struct contest_tally *tally)
{
    const struct contest *row = timed->row;
    struct state state[STATES_MAX];
    int states = state_split(timed->handover_ns, OVERHEAD_ROUNDS, state);
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        if (!(timed->ours_ns[r] > 0 && timed->bare_ns[r] > 0)) {
            fprintf(out, "  %-34s cannot be run here\n", row->name);
            return;
        }
    for (int s = 0; s < states; s++) {
        fprintf(out, "  %-34s %-18s", row->name,
                row->how != NULL ? row->how : "");
        print_time(out, 10, state_middle(&state[s], timed->ours_ns));
        print_time(out, 10, state_middle(&state[s], timed->bare_ns));
        fprintf(out, " %7.3f",
                state_ratio(&state[s], timed->ours_ns, timed->bare_ns));
        print_time(out, 9,
                   state_more(&state[s], timed->ours_ns, timed->bare_ns));
        print_aim(out, timed, &state[s], tally);
        state_print(out, &state[s]);
        fprintf(out, "%s%s\n", row->note != NULL ? "  " : "",
                row->note != NULL ? row->note : "");
    }
}

void contest_run(FILE *out, struct launch_context *context,
                 const struct contest *row, int count,
                 struct contest_tally *tally)
{
    struct timed *timed = need_zeroed((size_t)count, sizeof(*timed));
    for (int i = 0; i < count; i++)
        timed[i].row = &row[i];
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        for (int i = 0; i < count; i++)
            timed[i].handover_ns[r] =
                state_time_round(context, time_sides, &timed[i], r);
    for (int i = 0; i < count && context->comm.rank == 0; i++)
        print_row(out, &timed[i], tally);
    fflush(out);
    free(timed);
}
