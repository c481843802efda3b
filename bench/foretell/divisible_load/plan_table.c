/* The table of pieces that `plan` prints. */
#include "base/text.h"
#include "bench/foretell/divisible_load/plan_command.h"
#include "bench/options/table.h"

#include <inttypes.h>
#include <stdbool.h>

void plan_title(const struct plan_view *view, char *text, int size)
{
    int rounds = view->plan->rounds;
    snprintf(text, (size_t)size, "%s, %d round%s",
             divisible_names[view->choice->algorithm], rounds, text_s(rounds));
}

static const char *order_text(const struct plan_view *view)
{
    static const char *const text[] = {
        [DIVISIBLE_GIVEN] = "increasing G",
        [DIVISIBLE_THEOREM_1] = "increasing G, optimal (theorem 1)",
        [DIVISIBLE_THEOREM_2] = "increasing g w, optimal (theorem 2)",
        [DIVISIBLE_EXACT] = "optimal, by a search over all orders",
        [DIVISIBLE_HEURISTIC] =
            "by a local search: a heuristic, maybe not optimal"};
    if (view->choice->algorithm == DIVISIBLE_SINGLE_ROUND &&
        view->choice->order != NULL)
        return "as given";
    return text[view->plan->order];
}

static void say_periods(const struct plan_view *view, FILE *out)
{
    const struct divisible_plan *plan = view->plan;
    bool changing = view->choice->algorithm == DIVISIBLE_LP_ADAPTIVE;
    fprintf(out, "period     T_p = %.6g s%s, last round %s\n", plan->period,
            changing ? " in the first round, then by what is left" : "",
            view->choice->tail == DIVISIBLE_TAIL_CUT
                ? "cut: whole shares in turn until nothing is left"
                : "shared: all shares made smaller alike");
    if (view->choice->replan)
        fprintf(out, "replan     each round by the time that each worker took "
                     "for its last chunk\n");
    if (view->choice->unit > 0)
        fprintf(out, "unit       T_p = sqrt(T) with T in units of %g s\n",
                view->choice->unit);
    if (view->choice->algorithm != DIVISIBLE_LP_FIXED && plan->rounds == 1 &&
        plan->raised == 0)
        fprintf(out, "note       sqrt(T) is so long that one round is enough; "
                     "--unit counts T in shorter units than seconds\n");
    if (plan->raised > 0)
        fprintf(out,
                "note       T_p was raised to 2 (sum g + min z) in %d of %d "
                "rounds: it cannot be shorter than its latencies\n",
                plan->raised, plan->rounds);
}

void plan_head(const struct plan_view *view, FILE *out)
{
    const struct divisible_plan *plan = view->plan;
    char title[96];
    int used = 0;
    for (int i = 0; i < view->platform->workers; i++)
        used += divisible_plan_load(plan, i) > 0;
    plan_title(view, title, sizeof(title));
    fprintf(out, "algorithm  %s (Beaumont, Legrand, Robert 2002)\n", title);
    fprintf(out, "platform   %d worker%s, %s overlap; load %g units\n",
            view->platform->workers, text_s(view->platform->workers),
            view->platform->overlap ? "with" : "without", view->load);
    fprintf(out, "order      %s\n", order_text(view));
    if (view->plan->period > 0)
        say_periods(view, out);
    if (view->platform->disturbed != NULL)
        fprintf(out, "disturbed  %s\n", view->perturb->text);
    fprintf(out,
            "workers    %d of %d get load, in %" PRId64 " chunk%s\n"
            "makespan   %.9g s, %.4f times the lower bound load / n* = %.9g "
            "s\n",
            used, view->platform->workers, plan->chunks, text_s(plan->chunks),
            plan->makespan, plan->makespan / view->bound, view->bound);
}

void plan_table(const struct plan_view *view, enum table_format format,
                FILE *out)
{
    bool csv = format != TABLE_TEXT;
    int digits = csv ? 12 : 6;
    struct table table;
    table_open(&table, 0, 0);
    for (int64_t n = 0; n < view->plan->chunks; n++) {
        const struct divisible_chunk *c = &view->plan->chunk[n];
        table_add(table_under(&table, "worker"), "%d", c->worker);
        table_add(table_under(&table, "round"), "%d", c->round + 1);
        table_value(&table, "load", c->load, digits);
        table_value(&table, csv ? "send_start_s" : "send start", c->send_start,
                    digits);
        table_value(&table, csv ? "send_end_s" : "send end", c->send_end,
                    digits);
        table_value(&table, csv ? "compute_start_s" : "compute start",
                    c->compute_start, digits);
        table_value(&table, csv ? "compute_end_s" : "compute end",
                    c->compute_end, digits);
        if (csv)
            table_value(&table, "makespan_s", view->plan->makespan, digits);
    }
    table_write(&table, format, out);
    table_free(&table);
}
