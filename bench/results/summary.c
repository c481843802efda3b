#include "bench/results/summary.h"

#include "base/text.h"
#include "bench/options/table.h"
#include "bench/results/answers.h"
#include "bench/results/omp_answer.h"
#include "bench/results/python_tables.h"
#include "bench/results/ranking.h"
#include "bench/results/speedup_limits.h"
#include "harness/process/need.h"
#include "kernels/kernel.h"

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

/* The rows of a loop, and its limits. */
struct loop_rows {
    int begin, end;
    struct speedup_limits limits;
    const json_t *tried; /* from results_tried(): then it is not ranked */
};

struct summary {
    struct summary_row *rows;
    struct loop_rows *loop;
    int count, loops;
};

/* The common fields of a table's rows. */
struct group {
    int width;    /* of the schemes' names */
    bool planned; /* there are plans in it */
};

enum { NAME_LEAST = 22, NAME_MOST = 26, KERNEL_NAME = 1024 };

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

/* Characters of a reason; it was printed completely when the cell ended. */
enum { REASON_MOST = 60 };

static void print_row(FILE *out, const struct summary_row *row,
                      const struct group *group, char mark)
{
    char time[24], half[24], chunks[24], speedup[24], bound[24], share[24];
    const struct result *result = row->result;
    const char *instead = summary_row_words(result);
    if (instead != NULL) {
        bool cut = strlen(result->reason) > REASON_MOST;
        fprintf(out, "  %-*.*s %s%s%.*s%s\n", group->width, group->width,
                name_of(result), instead, result->reason[0] ? ": " : "",
                cut ? REASON_MOST - 3 : REASON_MOST, result->reason,
                cut ? "..." : "");
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
    fprintf(out, "%c %-*s", mark, group->width, result->cell.scheme);
    if ((int)strlen(result->cell.scheme) > group->width)
        fprintf(out, "\n  %-*s", group->width, "");
    fprintf(out, " %8s %9s %8s", chunks, time, half);
    char text[24] = "-";
    if (isfinite(row->planned_s))
        table_seconds(row->planned_s, row->planned_s, text, sizeof(text));
    if (group->planned)
        fprintf(out, " %9s", text);
    fprintf(out, " %7s %7s %8s\n", speedup, bound, share);
}

/* Rows [begin, end) have one label: the fastest has a star; if several cannot
 * be distinguished, each has an equals sign. */
static void print_group(FILE *out, const struct summary_row *rows, int begin,
                        int end, bool ranked, bool *wins)
{
    const struct group group = make_group(rows, begin, end);
    int best, winners = 0;
    if (ranked)
        winners = ranking_winners(rows, begin, end, NULL, wins, &best);
    char mark = winners == 1 ? '*' : '=';
    fputc('\n', out);
    table_heading(out, 2, rows[begin].label);
    fprintf(out, "  %-*s %8s %9s %8s%s %7s %7s %8s\n", group.width, "scheme",
            "chunks", "median", "+/-", group.planned ? "   planned" : "",
            "speedup", "t/bound", "overhead");
    for (int i = begin; i < end; i++)
        print_row(out, &rows[i], &group, wins[i] ? mark : ' ');
}

/* ---- the fastest of a shape ---- */

/* Whether the row before has the same shape, as usual in sorted rows. */
static bool continues_shape(const struct summary_row *rows, int begin, int row)
{
    return row > begin && summary_row_ranked(&rows[row - 1]) &&
           text_is(rows[row - 1].shape, rows[row].shape);
}

/* Among the ranked rows in [begin, end), the number of groups with the shape of
 * `first`; 0 unless `first` is the first of its shape. */
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
    char time[24], way[LABEL_SIZE] = "", text[2 * LABEL_SIZE];
    const struct cell *cell = &row->result->cell;
    label_settings(way, cell);
    table_said_seconds(row->time.median, row->time.median, time, sizeof(time));
    int used = snprintf(text, sizeof(text), "%s: %s with %s%s", row->shape,
                        time, cell->scheme, way);
    if (cell->sync_interval > 0)
        used +=
            snprintf(text + used, sizeof(text) - (size_t)used,
                     ", sync interval %lld", (long long)cell->sync_interval);
    if (winners > 1)
        snprintf(text + used, sizeof(text) - (size_t)used,
                 "; %d other%s cannot be told from it", winners - 1,
                 winners == 2 ? "" : "s");
    table_heading(out, 2, text);
}

/* One line for each shape that has several groups: with one group the star says
 * it. */
static void print_best(FILE *out, const struct summary_row *rows, int begin,
                       int end, bool *wins)
{
    bool any = false;
    for (int i = begin; i < end; i++) {
        int best, winners;
        if (!summary_row_ranked(&rows[i]) || continues_shape(rows, begin, i) ||
            count_groups(rows, begin, end, i) < 2)
            continue;
        winners = ranking_winners(rows, begin, end, rows[i].shape, wins, &best);
        if (winners == 0)
            continue;
        fputs(any ? "" : "\n  fastest\n", out);
        print_winner(out, &rows[best], winners);
        any = true;
    }
}

static void print_base(FILE *out, const struct speedup_limits *limits)
{
    char least[32], most[32], half[32];
    const struct stats_median *serial = &limits->serial;
    if (limits->passes == 0)
        return; /* libdls has none */
    table_said_seconds(limits->least_s, limits->least_s, least, sizeof(least));
    table_said_seconds(limits->most_s, limits->most_s, most, sizeof(most));
    table_said_seconds((serial->high - serial->low) / 2, serial->median, half,
                       sizeof(half));
    fprintf(out, "  the serial loop of this program, one core: %s", least);
    if (!text_is(least, most))
        fprintf(out, " to %s", most);
    else if (limits->passes >= RESULT_CI_LEAST && serial->high > serial->low)
        fprintf(out, " +/- %s", half);
    fputc('\n', out);
}

/* A loop with all its parameters, and where it is simulated. */
static const char *kernel_title(const struct cell *cell, char *title,
                                size_t size)
{
    char simulation[SPEC_CANONICAL_MAX + 128];
    cell_simulation_words(cell, simulation, sizeof(simulation));
    snprintf(title, size, "%s%s%s", cell->kernel,
             simulation[0] != '\0' ? " on " : "", simulation);
    return title;
}

static void print_kernel(FILE *out, const struct summary_row *rows,
                         const struct loop_rows *loop)
{
    char title[KERNEL_NAME];
    int begin = loop->begin, end = loop->end;
    bool *wins = need_zeroed((size_t)end, sizeof(*wins));
    fputs(begin > 0 ? "\n" : "", out);
    table_heading(
        out, 0, kernel_title(&rows[begin].result->cell, title, sizeof(title)));
    print_base(out, &loop->limits);
    for (int i = begin, next; i < end; i = next) {
        for (next = i + 1; next < end; next++)
            if (!text_is(rows[next].label, rows[i].label))
                break;
        print_group(out, rows, i, next, loop->tried == NULL, wins);
    }
    if (loop->tried == NULL)
        print_best(out, rows, begin, end, wins);
    free(wins);
}

/* Returns how many loops; `loop` has room for all rows. */
static int split_loops(struct summary_row *rows, const struct results *results,
                       struct loop_rows *loop)
{
    int loops = 0, count = results->count;
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count; next++)
            if (!summary_row_same_loop(&rows[i], &rows[next]))
                break;
        loop[loops++] = (struct loop_rows){
            i, next, speedup_limits_find(rows, i, next),
            results_tried(results, rows[i].result->cell.kernel)};
    }
    return loops;
}

/* Without its parameters, unless another loop has the same name.  Loops of
 * programs have no parameters: their line follows the colon. */
static const char *loop_name(const struct summary_row *rows,
                             const struct loop_rows *loop, int loops, int of,
                             char *name, size_t size)
{
    const struct cell *cell = &rows[loop[of].begin].result->cell;
    bool listed = kernel_list[label_kernel_position(cell->kernel)] != NULL;
    size_t length = strcspn(cell->kernel, listed ? ":" : "");
    for (int i = 0; i < loops; i++) {
        const char *other = rows[loop[i].begin].result->cell.kernel;
        if (i != of && strncmp(other, cell->kernel, length) == 0 &&
            strcspn(other, ":") == length)
            return kernel_title(cell, name, size);
    }
    snprintf(name, size, "%.*s", (int)length, cell->kernel);
    return name;
}

struct summary *summary_make(const struct results *results)
{
    struct summary *summary = need_zeroed(1, sizeof(*summary));
    summary->count = results->count;
    summary->rows = summary_rows_make(results);
    summary->loop =
        need_zeroed((size_t)results->count + 1, sizeof(*summary->loop));
    summary->loops = split_loops(summary->rows, results, summary->loop);
    return summary;
}

void summary_free(struct summary *summary)
{
    free(summary->loop);
    summary_rows_free(summary->rows, summary->count);
    free(summary);
}

void summary_tables(FILE *out, const struct summary *summary)
{
    for (int i = 0; i < summary->loops; i++) {
        const struct loop_rows *loop = &summary->loop[i];
        print_kernel(out, summary->rows, loop);
    }
}

void summary_answers(FILE *out, const struct summary *summary,
                     const char *reported)
{
    char name[KERNEL_NAME];
    fprintf(out, "\nAnswers\n");
    if (reported != NULL)
        omp_answer_reported(out, reported);
    for (int i = 0; i < summary->loops; i++) {
        const struct loop_rows *loop = &summary->loop[i];
        loop_name(summary->rows, summary->loop, summary->loops, i, name,
                  sizeof(name));
        if (loop->tried != NULL)
            omp_answer_tried(out, name, loop->tried);
        else
            answers_print(out, summary->rows, loop->begin, loop->end, name);
        speedup_limits_print(out, &loop->limits, summary->rows);
    }
}

/* How results were compared with the serial loop's. */
static void print_verified(FILE *out, const struct summary_counts *counts)
{
    int compared = counts->ok - counts->simulated - counts->unchecked;
    bool all = counts->unverified == 0;
    const char *between = "";
    if (compared > 0) {
        fprintf(out, "%s results equal those of the serial loop",
                all ? "all" : "the other");
        if (counts->sampled > 0)
            fprintf(out, " (%d compared in samples)", counts->sampled);
        between = "; ";
    }
    if (counts->simulated > 0) {
        fprintf(out, "%s%seach iteration was handed out once", between,
                all ? "" : "in the other cells ");
        between = "; ";
    }
    if (counts->unchecked > 0)
        fprintf(out, "%s%d not compared", between, counts->unchecked);
    fputs(counts->ok > 0 ? "\n" : "", out);
}

void summary_end(FILE *out, const char *dir, struct summary_counts counts,
                 int skipped)
{
    fprintf(out, "%d cell%s ok, %d failed", counts.ok, text_s(counts.ok),
            counts.failed);
    if (counts.unverified > 0)
        fprintf(out, ", %d unverified", counts.unverified);
    if (counts.incomplete > 0)
        fprintf(out, ", %d begun but not complete", counts.incomplete);
    if (skipped > 0)
        fprintf(out, ", %d impossible combination%s skipped", skipped,
                text_s(skipped));
    fputc('\n', out);
    print_verified(out, &counts);
    fprintf(out, "results: %s\n", dir);
}

void summary_print(const struct results *results, const char *dir, bool store,
                   int skipped, enum table_format format)
{
    struct summary *summary = summary_make(results);
    if (format == TABLE_TEXT) {
        summary_tables(stdout, summary);
        python_tables_print(results, dir, store);
        /* Only programs of others have reports, and they store no tables. */
        summary_answers(stdout, summary,
                        store || results->tried != NULL ? NULL : dir);
        summary_rows_legend(stdout, results, summary->rows, summary->count);
        summary_end(stdout, dir, summary_count(results), skipped);
    } else {
        size_t room = (size_t)summary->count + 1;
        bool *fastest = need_zeroed(room, sizeof(*fastest));
        for (int i = 0; i < summary->loops; i++) {
            const struct loop_rows *loop = &summary->loop[i];
            if (loop->tried == NULL)
                answers_mark(summary->rows, loop->begin, loop->end, fastest);
        }
        summary_rows_write(stdout, summary->rows, summary->count, fastest,
                           format);
        free(fastest);
    }
    summary_free(summary);
}
