/* The chart of a plan in a terminal: one line for the master's port and one for
 * each worker.  A column shows what fills most of its time. */
#include "bench/foretell/divisible_load/plan_command.h"

#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 10, COLUMNS_MIN = 20, ROW_SYMBOLS = 10 };

/* The activities that a column of one line can show, and their durations. */
struct column {
    double sending, computing;
    double most; /* computing time of one chunk */
    int round;   /* of that chunk */
};

struct chart {
    const struct plan_view *view;
    struct column *column; /* lines x width; line 0 is the port */
    int width;
    double step; /* s for each column */
};

/* Adds [from, to] to the columns of a line. */
static void add_span(struct chart *chart, int line, double from, double to,
                     int round, bool computing)
{
    int first = (int)(from / chart->step), last = (int)(to / chart->step);
    for (int k = first; k <= last && k < chart->width; k++) {
        struct column *column = &chart->column[line * chart->width + k];
        double begin = fmax(from, k * chart->step);
        double time = fmin(to, (k + 1) * chart->step) - begin;
        if (!computing) {
            column->sending += time;
            continue;
        }
        column->computing += time;
        if (time > column->most) {
            column->most = time;
            column->round = round;
        }
    }
}

static char find_symbol(const struct chart *chart, const struct column *column)
{
    double idle = chart->step - column->sending - column->computing;
    if (column->computing >= column->sending && column->computing >= idle &&
        column->computing > 0)
        return (char)('0' + (column->round + 1) % ROW_SYMBOLS);
    return column->sending >= idle && column->sending > 0 ? '=' : '.';
}

static void print_line(const struct chart *chart, int line, FILE *out)
{
    if (line == 0)
        fprintf(out, "%-*s", LABEL, "port");
    else
        fprintf(out, "worker %-*d", LABEL - 7, line - 1);
    for (int k = 0; k < chart->width; k++)
        fputc(find_symbol(chart, &chart->column[line * chart->width + k]), out);
    fputc('\n', out);
}

void plan_gantt(const struct plan_view *view, int width, FILE *out)
{
    const struct divisible_plan *plan = view->plan;
    int lines = view->platform->workers + 1;
    struct chart chart = {.view = view};
    chart.width = width - LABEL > COLUMNS_MIN ? width - LABEL : COLUMNS_MIN;
    chart.step = plan->makespan / chart.width;
    chart.column =
        need_zeroed((size_t)lines * (size_t)chart.width, sizeof(*chart.column));
    for (int64_t n = 0; n < plan->chunks; n++) {
        const struct divisible_chunk *c = &plan->chunk[n];
        int line = c->worker + 1;
        add_span(&chart, 0, c->send_start, c->send_end, c->round, false);
        add_span(&chart, line, c->send_start, c->send_end, c->round, false);
        add_span(&chart, line, c->compute_start, c->compute_end, c->round,
                 true);
    }
    fprintf(out, "= message   1 computing a chunk of round 1 (11, 21, ...)   "
                 ". neither\n\n");
    for (int line = 0; line < lines; line++)
        print_line(&chart, line, out);
    char end[32];
    snprintf(end, sizeof(end), "%.6g s", chart.view->plan->makespan);
    fprintf(out, "%-*s0%*s\n", LABEL, "", chart.width - 1, end);
    free(chart.column);
}
