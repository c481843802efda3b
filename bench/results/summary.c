#include "bench/results/summary.h"

#include "base/text.h"
#include "bench/options/table.h"
#include "bench/results/judge.h"
#include "harness/program/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void number_text(double value, int decimals, const char *unit,
                        char *text, int size)
{
    if (isfinite(value))
        snprintf(text, (size_t)size, "%.*f%s", decimals, value, unit);
    else
        snprintf(text, (size_t)size, "-");
}

/* How: by values, by some of them, or, in simulation, that every iteration
 * was handed out exactly once; `-`: not at all. */
static const char *verified_words(const struct result *result)
{
    if (result->simulated)
        return "handed";
    if (result->unchecked)
        return "-";
    return result->sampled ? "sample" : "yes";
}

/* The common fields of a table's rows. */
struct group {
    int width;    /* of the schemes' names */
    bool planned; /* there are plans in it */
};

enum { NAME_LEAST = 26, NAME_MOST = 40 };

static const char *name_of(const struct result *result)
{
    return result->cell.scheme[0] != '\0' ? result->cell.scheme
                                          : result->cell.hash;
}

static struct group make_group(const struct summary_row *rows, int begin,
                               int end)
{
    struct group group = {NAME_LEAST, false};
    for (int i = begin; i < end; i++) {
        int length = (int)strlen(name_of(rows[i].result));
        if (length > group.width)
            group.width = length < NAME_MOST ? length : NAME_MOST;
        group.planned = group.planned || isfinite(rows[i].planned_s);
    }
    return group;
}

static void print_planned(FILE *out, const struct group *group,
                          const struct summary_row *row)
{
    char text[24] = "-";
    if (isfinite(row->planned_s))
        table_seconds(row->planned_s, row->planned_s, text, sizeof(text));
    if (group->planned)
        fprintf(out, " %9s", text);
}

static void print_row(FILE *out, const struct summary_row *row,
                      const struct group *group, char mark)
{
    char time[24], half[24], chunks[24], speedup[24], bound[24], share[24];
    char imbalance[24];
    const struct result *result = row->result;
    const char *instead = summary_row_words(result);
    if (instead != NULL) {
        fprintf(out, "  %-*.*s %s%s%.60s\n", group->width, group->width,
                name_of(result), instead, result->reason[0] ? ": " : "",
                result->reason);
        return;
    }
    number_text(row->chunks, 0, "", chunks, sizeof(chunks));
    table_seconds(row->time.median, row->time.median, time, sizeof(time));
    table_seconds(row->half_s, row->time.median, half, sizeof(half));
    if (row->refused)
        snprintf(speedup, sizeof(speedup), "refused");
    else
        number_text(row->speedup.median, 3, "", speedup, sizeof(speedup));
    number_text(row->time.median / row->bound_s, 3, "", bound, sizeof(bound));
    number_text(100 * row->overhead_s / row->time.median, 2, " %", share,
                sizeof(share));
    number_text(100 * row->imbalance, 2, " %", imbalance, sizeof(imbalance));
    fprintf(out, "%c %-*.*s %8s %9s %8s", mark, group->width, group->width,
            result->cell.scheme, chunks, time, half);
    print_planned(out, group, row);
    fprintf(out, " %7s %7s %8s %9s %8s\n", speedup, bound, share, imbalance,
            verified_words(result));
}

/* Rows [begin, end) have one label: the fastest has a star, or, with all that
 * cannot be told from it, an equals sign. */
static void print_group(FILE *out, const struct summary_row *rows, int begin,
                        int end, bool *wins)
{
    const struct group group = make_group(rows, begin, end);
    int best, winners = judge_winners(rows, begin, end, NULL, wins, &best);
    char mark = winners == 1 ? '*' : '=';
    fputc('\n', out);
    table_heading(out, 2, rows[begin].label);
    fprintf(out, "  %-*s %8s %9s %8s%s %7s %7s %8s %9s %8s\n", group.width,
            "scheme", "chunks", "median", "+/-",
            group.planned ? "   planned" : "", "speedup", "t/bound", "overhead",
            "imbalance", "verified");
    for (int i = begin; i < end; i++)
        print_row(out, &rows[i], &group, wins[i] ? mark : ' ');
}

/* ---- the fastest of a shape ---- */

/* Of what is ranked in rows [begin, end), the groups of the shape of `first`; 0
 * unless `first` is the first of its shape. */
static int count_groups(const struct summary_row *rows, int begin, int end,
                        int first)
{
    const char *label = "";
    int groups = 0;
    for (int i = begin; i < end; i++) {
        if (!summary_row_ranked(&rows[i]) ||
            !text_is(rows[i].shape, rows[first].shape))
            continue;
        if (i < first)
            return 0;
        groups += !text_is(label, rows[i].label);
        label = rows[i].label;
    }
    return groups;
}

static void print_winner(FILE *out, const struct summary_row *row, int winners)
{
    char time[24], way[LABEL_SIZE] = "";
    const struct cell *cell = &row->result->cell;
    label_way(way, cell);
    table_seconds(row->time.median, row->time.median, time, sizeof(time));
    fprintf(out, "  %.80s: %s with %.60s%.90s", row->shape, time, cell->scheme,
            way);
    if (cell->sync_interval > 0)
        fprintf(out, ", sync interval %lld", (long long)cell->sync_interval);
    if (winners > 1)
        fprintf(out, "; %d other%s cannot be told from it", winners - 1,
                winners == 2 ? "" : "s");
    fputc('\n', out);
}

/* One line for each shape that has several groups: with one group the star says
 * it. */
static void print_best(FILE *out, const struct summary_row *rows, int begin,
                       int end, bool *wins)
{
    bool any = false;
    for (int i = begin; i < end; i++) {
        int best, winners;
        if (!summary_row_ranked(&rows[i]) ||
            count_groups(rows, begin, end, i) < 2)
            continue;
        winners = judge_winners(rows, begin, end, rows[i].shape, wins, &best);
        if (winners == 0)
            continue;
        fputs(any ? "" : "\n  fastest\n", out);
        print_winner(out, &rows[best], winners);
        any = true;
    }
}

static void print_base(FILE *out, const struct judged *judged)
{
    char base[32], half[32];
    const struct stats_median *serial = &judged->serial;
    table_seconds(serial->median, serial->median, base, sizeof(base));
    table_seconds((serial->high - serial->low) / 2, serial->median, half,
                  sizeof(half));
    fprintf(out, "  speedup over the serial loop of this program: %s", base);
    if (judged->passes >= RESULT_CI_LEAST)
        fprintf(out, " +/- %s", half);
    fputc('\n', out);
}

static void print_kernel(FILE *out, struct summary_row *rows, int begin,
                         int end)
{
    const struct cell *cell = &rows[begin].result->cell;
    char simulation[sizeof(cell->platform) + 128];
    char title[sizeof(simulation) + sizeof(cell->kernel) + 8];
    struct judged judged = judge_rows(rows, begin, end);
    bool *wins = need_zeroed((size_t)end, sizeof(*wins));
    cell_simulation_words(cell, simulation, sizeof(simulation));
    snprintf(title, sizeof(title), "%s%s%s", cell->kernel,
             simulation[0] != '\0' ? " on " : "", simulation);
    fputs(begin > 0 ? "\n" : "", out);
    table_heading(out, 0, title);
    print_base(out, &judged);
    judge_print(out, &judged, rows);
    for (int i = begin, next; i < end; i = next) {
        for (next = i + 1; next < end; next++)
            if (!text_is(rows[next].label, rows[i].label))
                break;
        print_group(out, rows, i, next, wins);
    }
    print_best(out, rows, begin, end, wins);
    free(wins);
}

void summary_print(FILE *out, const struct results *results)
{
    int n = results->count;
    struct summary_row *rows = summary_rows_make(results);
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n; next++)
            if (!summary_row_same_loop(&rows[i], &rows[next]))
                break;
        print_kernel(out, rows, i, next);
    }
    summary_rows_free(rows, n);
}

struct summary_counts summary_count(const struct results *results)
{
    struct summary_counts counts = {0};
    for (int i = 0; i < results->count; i++) {
        enum result_status status = results->list[i].status;
        counts.ok += status == RESULT_OK;
        counts.unverified += status == RESULT_UNVERIFIED;
        counts.failed += status == RESULT_FAILED;
        counts.incomplete += status == RESULT_NONE;
    }
    return counts;
}

void summary_end(FILE *out, const char *dir, struct summary_counts counts,
                 int skipped)
{
    fprintf(
        out,
        "\n* fastest of its group, = cannot be told from the fastest; +/- is "
        "half the 95 %%\nconfidence interval of the median\n");
    fprintf(out, "%d cell%s ok, %d failed", counts.ok, text_s(counts.ok),
            counts.failed);
    if (counts.unverified > 0)
        fprintf(out, ", %d unverified", counts.unverified);
    if (counts.incomplete > 0)
        fprintf(out, ", %d not complete", counts.incomplete);
    if (skipped > 0)
        fprintf(out, ", %d impossible combinations skipped", skipped);
    fprintf(out, "\nresults: %s\n", dir);
}
