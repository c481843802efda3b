#include "bench/cli/table.h"
#include "bench/papers/beaumont/report.h"

#include "harness/record/build.h"

#include <inttypes.h>
#include <string.h>

static const char *tail_name(enum divisible_tail tail)
{
    return tail == DIVISIBLE_TAIL_CUT ? "cut" : "share";
}

static void say_setup(const struct beaumont_setup *setup, FILE *out)
{
    fprintf(out,
            "Beaumont, Legrand, Robert (2002), figures 5 to 15\n"
            "%s engine, %d random platforms for each figure, seed %" PRIu64
            ", last round of the LP heuristics: %s\n"
            "dlsbench %s\n\n"
            "Time over that of lp-adaptive on the same platform, mean over the "
            "platforms\n",
            setup->engine->name, setup->platforms, setup->seed,
            tail_name(setup->reading.tail), build_version);
    if (setup->reading.data_mbit != 2 || setup->reading.latency_mbit != 2)
        fprintf(out,
                "Not as printed: a unit is %g Mbit of data, a latency lasts as "
                "long as %g Mbit\n",
                setup->reading.data_mbit, setup->reading.latency_mbit);
    if (setup->reading.equations == DIVISIBLE_WITH_OVERLAP)
        fprintf(out, "M.I.x by the equations for workers with overlap\n");
}

/* Where there is no contention, both must be the same. */
static void say_deviation(const struct beaumont_setup *setup,
                          const struct beaumont_series *series, FILE *out)
{
    if (setup->engine != &beaumont_analytic)
        fprintf(out,
                "\nAll times are within %.2g %% of the analytic evaluator's\n",
                100 * series->deviation);
}

static int print_figure(const struct beaumont_series *series, int figure,
                        FILE *out)
{
    char title[96];
    struct table table;
    beaumont_title(&beaumont_figures[figure], title, sizeof(title));
    fprintf(out, "\nfigure %s: %s\n", beaumont_figures[figure].number, title);
    table_open(&table, BEAUMONT_HEURISTICS + 2, 0);
    table_add(&table, "load");
    for (int h = 0; h < BEAUMONT_HEURISTICS; h++)
        table_add(&table, "%s", beaumont_heuristic(h));
    table_add(&table, "lp-adaptive, s");
    for (int load = 0; load < BEAUMONT_LOADS; load++) {
        const struct beaumont_point *point = series->point[figure][load];
        table_add(&table, "%g", beaumont_load(load));
        for (int h = 0; h < BEAUMONT_HEURISTICS; h++)
            table_add(&table, "%.4f", point[h].ratio);
        table_add(&table, "%.1f", point[BEAUMONT_ADAPTIVE].time_s);
    }
    int code = table_print(&table, out, 2);
    table_free(&table);
    return code;
}

static void why_text(const struct beaumont_why *why, char *text, int size)
{
    snprintf(text, (size_t)size,
             "%s in figure %s: %.3g rounds, latencies %.2f %% and waiting %.2f "
             "%% of the workers' time, %.2f %% above the bound",
             why->heuristic, why->figure, why->rounds, 100 * why->latency,
             100 * why->waiting, 100 * (why->over_bound - 1));
}

static void print_claims(const struct beaumont_claim *claim, FILE *out)
{
    int holding = 0;
    char why[200];
    fprintf(out, "\nThe paper's claims (bound: load / n*, below which no plan "
                 "is; why: means over loads and platforms)\n");
    for (int i = 0; i < BEAUMONT_CLAIMS; i++) {
        fprintf(out, "%3d %-15s %s (figure %s)\n%20s%s\n%20sread as: %s\n",
                i + 1, claim[i].holds ? "holds" : "does not hold",
                claim[i].claim, claim[i].figure, "", claim[i].found, "",
                claim[i].means);
        for (int k = 0; k < claim[i].whys; k++) {
            why_text(&claim[i].why[k], why, sizeof(why));
            fprintf(out, "%20swhy: %s\n", "", why);
        }
        holding += claim[i].holds;
    }
    fprintf(out, "  %d of %d hold\n", holding, BEAUMONT_CLAIMS);
}

static int print_readings(const struct beaumont_readings *readings, FILE *out)
{
    struct table table;
    fprintf(out,
            "\nThe same claims by number in other readings of the paper "
            "(analytic engine, %d platforms)\n",
            readings->platforms);
    table_open(&table, BEAUMONT_CLAIMS + 2, 1);
    table_add(&table, "reading");
    for (int i = 0; i < BEAUMONT_CLAIMS; i++)
        table_add(&table, "%d", i + 1);
    table_add(&table, "hold");
    for (int r = 0; r < BEAUMONT_READINGS; r++) {
        int holding = 0;
        table_add(&table, "%s", beaumont_variants[r].name);
        for (int i = 0; i < BEAUMONT_CLAIMS; i++) {
            bool holds = readings->claim[r][i].holds;
            table_add(&table, "%s", holds ? "holds" : "-");
            holding += holds;
        }
        table_add(&table, "%d", holding);
    }
    int code = table_print(&table, out, 2);
    table_free(&table);
    return code;
}

int beaumont_report(const struct beaumont_setup *setup,
                    const struct beaumont_series *series,
                    const struct beaumont_claim *claim,
                    const struct beaumont_readings *readings, FILE *out)
{
    int code = 0;
    say_setup(setup, out);
    for (int figure = 0; code == 0 && figure < BEAUMONT_FIGURES; figure++)
        code = print_figure(series, figure, out);
    say_deviation(setup, series, out);
    print_claims(claim, out);
    return code == 0 ? print_readings(readings, out) : code;
}

static void add_point(struct table *table, const struct beaumont_setup *setup,
                      const struct beaumont_series *series, int figure,
                      int load, int heuristic)
{
    const struct beaumont_figure *f = &beaumont_figures[figure];
    const struct beaumont_point *p = &series->point[figure][load][heuristic];
    table_add(table, "%s", f->number);
    table_add(table, "%d", f->workers);
    table_add(table, "%s", f->random ? "random" : "homogeneous");
    table_add(table, "%d", f->latency);
    table_add(table, "%g", f->mflop);
    table_add(table, "%d", series->platforms[figure]);
    table_add(table, "%s", setup->engine->name);
    table_add(table, "%s", tail_name(setup->reading.tail));
    table_add(table, "%g", beaumont_load(load));
    table_add(table, "%s", beaumont_heuristic(heuristic));
    table_add(table, "%.9g", p->time_s);
    table_add(table, "%.9g", p->ratio);
    table_add(table, "%.9g", p->ratio_min);
    table_add(table, "%.9g", p->ratio_max);
    table_add(table, "%.9g", p->rounds);
    table_add(table, "%.9g", p->latency);
    table_add(table, "%.9g", p->waiting);
    table_add(table, "%.9g", p->over_bound);
}

int beaumont_figures_csv(const struct beaumont_setup *setup,
                         const struct beaumont_series *series, FILE *out)
{
    static const char *const names[] = {
        "figure",        "workers",   "platform", "latency",
        "unit_mflop",    "platforms", "engine",   "tail",
        "load",          "heuristic", "time_s",   "ratio",
        "ratio_min",     "ratio_max", "rounds",   "latency_share",
        "waiting_share", "over_bound"};
    enum { COLUMNS = sizeof(names) / sizeof(names[0]) };
    struct table table;
    table_open(&table, COLUMNS, 0);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", names[i]);
    for (int figure = 0; figure < BEAUMONT_FIGURES; figure++)
        for (int load = 0; load < BEAUMONT_LOADS; load++)
            for (int h = 0; h < BEAUMONT_HEURISTICS; h++)
                add_point(&table, setup, series, figure, load, h);
    int code = table_csv(&table, out);
    table_free(&table);
    return code;
}

static void all_whys(const struct beaumont_claim *claim, char *text, int size)
{
    int used = 0;
    text[0] = '\0';
    for (int k = 0; k < claim->whys && used < size; k++) {
        used += snprintf(text + used, (size_t)(size - used), "%s",
                         k > 0 ? "; " : "");
        if (used < size)
            why_text(&claim->why[k], text + used, size - used);
        used = (int)strlen(text);
    }
}

int beaumont_claims_csv(const struct beaumont_claim *claim, FILE *out)
{
    struct table table;
    char text[BEAUMONT_WHYS * 200];
    table_open(&table, 6, 0);
    table_add(&table, "claim");
    table_add(&table, "figure");
    table_add(&table, "read_as");
    table_add(&table, "holds");
    table_add(&table, "found");
    table_add(&table, "why");
    for (int i = 0; i < BEAUMONT_CLAIMS; i++) {
        table_add(&table, "%s", claim[i].claim);
        table_add(&table, "%s", claim[i].figure);
        table_add(&table, "%s", claim[i].means);
        table_add(&table, "%d", claim[i].holds);
        table_add(&table, "%s", claim[i].found);
        all_whys(&claim[i], text, sizeof(text));
        table_add(&table, "%s", text);
    }
    int code = table_csv(&table, out);
    table_free(&table);
    return code;
}

int beaumont_readings_csv(const struct beaumont_readings *readings, FILE *out)
{
    static const char *const names[] = {"reading", "platforms", "number",
                                        "claim",   "holds",     "found"};
    struct table table;
    table_open(&table, 6, 0);
    for (int i = 0; i < 6; i++)
        table_add(&table, "%s", names[i]);
    for (int r = 0; r < BEAUMONT_READINGS; r++)
        for (int i = 0; i < BEAUMONT_CLAIMS; i++) {
            const struct beaumont_claim *claim = &readings->claim[r][i];
            table_add(&table, "%s", beaumont_variants[r].name);
            table_add(&table, "%d", readings->platforms);
            table_add(&table, "%d", i + 1);
            table_add(&table, "%s", claim->claim);
            table_add(&table, "%d", claim->holds);
            table_add(&table, "%s", claim->found);
        }
    int code = table_csv(&table, out);
    table_free(&table);
    return code;
}
