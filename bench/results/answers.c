#include "bench/results/answers.h"

#include "base/text.h"
#include "bench/options/table.h"
#include "bench/results/ranking.h"
#include "harness/process/need.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* From this part on a loss is worth a warning. */
static const double SLOWER_LEAST = 0.10, EQUAL_MOST = 1.05, WAITS_LEAST = 0.5;

enum { TEXT_SIZE = 1024, NAME_SIZE = 256, AVOIDED_MOST = 4 };

/* The choices under the same conditions, and the fastest among them. */
struct ranked {
    const struct summary_row *rows;
    int begin, end;
    const char *conditions;
    bool *wins;
    int winners, choices, best;
};

static bool is_choice(const struct ranked *ranked, int row)
{
    return summary_row_ranked(&ranked->rows[row]) &&
           text_is(ranked->rows[row].conditions, ranked->conditions);
}

__attribute__((format(printf, 2, 3))) static void
add_text(char text[TEXT_SIZE], const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, TEXT_SIZE - used, format, arguments);
    va_end(arguments);
}

/* ---- names ---- */

static size_t base_length(const char *scheme)
{
    return strcspn(scheme, ":");
}

/* By a word, as in static:by=cost, it is another scheme. */
static bool has_word(const char *scheme)
{
    const char *value = strchr(scheme, '=');
    while (value != NULL && !isalpha((unsigned char)value[1]))
        value = strchr(value + 1, '=');
    return value != NULL;
}

/* Without numbers where no other scheme of the loop has this name. */
static const char *scheme_name(const struct ranked *ranked, int row,
                               char name[NAME_SIZE])
{
    const char *scheme = ranked->rows[row].result->cell.scheme;
    size_t length = has_word(scheme) ? strlen(scheme) : base_length(scheme);
    for (int i = ranked->begin; i < ranked->end; i++) {
        const char *other = ranked->rows[i].result->cell.scheme;
        if (base_length(other) == length && !text_is(other, scheme) &&
            strncmp(other, scheme, length) == 0)
            length = strlen(scheme);
    }
    snprintf(name, NAME_SIZE, "%.*s", (int)length, scheme);
    return name;
}

static void add_choice(const struct ranked *ranked, int row,
                       char text[TEXT_SIZE])
{
    char name[NAME_SIZE];
    add_text(text, "%s", scheme_name(ranked, row, name));
    bool differ = false;
    for (int i = ranked->begin; i < ranked->end && !differ; i++)
        differ =
            is_choice(ranked, i) &&
            !text_is(ranked->rows[i].label, ranked->rows[ranked->best].label);
    if (differ)
        add_text(text, " with %s", ranked->rows[row].label);
}

/* ---- the choice to take ---- */

/* The longest time of the winners. */
static double longest_s(const struct ranked *ranked)
{
    double most = 0;
    for (int i = ranked->begin; i < ranked->end; i++)
        if (ranked->wins[i])
            most = fmax(most, ranked->rows[i].time.median);
    return most;
}

/* "38.1 ms" or "38.1 to 40.2 ms", for the winners. */
static void add_times(const struct ranked *ranked, char text[TEXT_SIZE])
{
    double most = longest_s(ranked);
    char low[24], high[24];
    table_said_seconds(ranked->rows[ranked->best].time.median, most, low,
                       sizeof(low));
    table_said_seconds(most, most, high, sizeof(high));
    if (text_is(low, high))
        add_text(text, "%s", high);
    else
        add_text(text, "%.*s to %s", (int)strcspn(low, " "), low, high);
}

/* Where the best choice's workers wait most of the time, a user must know: more
 * workers, or another hierarchy, are the question then. */
static void add_waiting(const struct ranked *ranked, char text[TEXT_SIZE])
{
    const struct summary_row *row = &ranked->rows[ranked->best];
    double share = row->overhead_s / row->time.median;
    if (share >= WAITS_LEAST)
        add_text(text, ", and workers wait %.0f %% of the time", 100 * share);
}

/* A median above what can be is noise: the table shows its interval. */
static void add_speedup(const struct ranked *ranked, char text[TEXT_SIZE])
{
    const struct summary_row *row = &ranked->rows[ranked->best];
    if (row->speedup.high < 1)
        add_text(text, ", slower than one core alone");
    else if (row->speedup.median < 1 ||
             (row->speedup.low > 0 && row->speedup.low < 1))
        add_text(text, ", not seen to be faster than one core alone");
    else if (row->speedup.median <= row->powers && !row->refused)
        add_text(text, ", %s%.1f times as fast as one core",
                 ranked->winners > 1 ? "up to " : "", row->speedup.median);
}

static bool is_near(const struct ranked *ranked, double time_s)
{
    return time_s <= EQUAL_MOST * ranked->rows[ranked->best].time.median;
}

/* The first winner near the shortest time; the simplest rows come first.  There
 * is one, because the best one's speedup is not refused. */
static int find_simplest(const struct ranked *ranked)
{
    int row = ranked->begin;
    while (!ranked->wins[row] || ranked->rows[row].refused ||
           !is_near(ranked, ranked->rows[row].time.median))
        row++;
    return row;
}

static int find_next(const struct ranked *ranked)
{
    int next = -1;
    for (int i = ranked->begin; i < ranked->end; i++)
        if (i != ranked->best && is_choice(ranked, i) &&
            (next < 0 ||
             ranked->rows[i].time.median < ranked->rows[next].time.median))
            next = i;
    return next;
}

static double slower_by(const struct ranked *ranked, int row)
{
    return ranked->rows[row].time.median /
               ranked->rows[ranked->best].time.median -
           1;
}

static void say_fastest(const struct ranked *ranked, char text[TEXT_SIZE])
{
    int next = find_next(ranked);
    add_choice(ranked, ranked->best, text);
    if (next < 0)
        add_text(text, " takes ");
    else
        add_text(text, " is the fastest of %d choices: ", ranked->choices);
    add_times(ranked, text);
    add_speedup(ranked, text);
    add_waiting(ranked, text);
    if (next < 0)
        return;
    add_text(text, "; the next is ");
    add_choice(ranked, next, text);
    if (slower_by(ranked, next) < 1e-4)
        add_text(text, ", less than 0.01 %% slower");
    else
        add_text(text, ", %.2g %% slower", 100 * slower_by(ranked, next));
}

static void say_equal(const struct ranked *ranked, char text[TEXT_SIZE])
{
    bool all = ranked->winners == ranked->choices;
    bool near = is_near(ranked, longest_s(ranked));
    const char *none = near ? "no difference was seen between the %d choices ("
                            : "these runs are too few, or vary too much, to "
                              "tell the %d choices apart (";
    if (all)
        add_text(text, none, ranked->choices);
    else
        add_text(text, "%d of %d choices %s (", ranked->winners,
                 ranked->choices,
                 near ? "are equally fast" : "may be the fastest");
    add_times(ranked, text);
    add_speedup(ranked, text);
    add_waiting(ranked, text);
    add_text(text, all && !near ? ")" : "); the simplest ");
    if (all && !near)
        return; /* a name would be taken for the answer */
    if (!near)
        add_text(text, "of those within %.0f %% of the shortest time ",
                 100 * (EQUAL_MOST - 1));
    add_text(text, "is ");
    add_choice(ranked, find_simplest(ranked), text);
}

/* ---- choices to avoid ---- */

static enum slower_cause cause_of(const struct ranked *ranked, int row)
{
    return ranking_cause(&ranked->rows[row], &ranked->rows[ranked->best]);
}

static const char *scheme_of(const struct ranked *ranked, int row)
{
    return ranked->rows[row].result->cell.scheme;
}

/* Sorts by scheme, in each the winners or otherwise the fastest first. */
static int compare_schemes(const void *a, const void *b, void *arg)
{
    const struct ranked *ranked = arg;
    int x = *(const int *)a, y = *(const int *)b;
    double s = slower_by(ranked, x), t = slower_by(ranked, y);
    int order = strcmp(scheme_of(ranked, x), scheme_of(ranked, y));
    if (order == 0)
        order = ranked->wins[y] - ranked->wins[x];
    if (order == 0)
        order = (s > t) - (s < t);
    return order != 0 ? order : x - y;
}

/* The slowest first. */
static int compare_times(const void *a, const void *b, void *arg)
{
    int x = *(const int *)a, y = *(const int *)b;
    double s = slower_by(arg, x), t = slower_by(arg, y);
    return s != t ? (s < t) - (s > t) : x - y;
}

/* The fastest choice of each scheme with each cause of being slower, in the
 * best one's shape; the slowest first, over all causes. */
static int list_avoided(struct ranked *ranked, int *row)
{
    const char *shape = ranked->rows[ranked->best].shape;
    int count = 0, avoided = 0;
    for (int i = ranked->begin; i < ranked->end; i++)
        if (is_choice(ranked, i) && text_is(ranked->rows[i].shape, shape))
            row[count++] = i;
    qsort_r(row, (size_t)count, sizeof(*row), compare_schemes, ranked);
    for (int i = 0; i < count; i++)
        if ((i == 0 || !text_is(scheme_of(ranked, row[i]),
                                scheme_of(ranked, row[i - 1]))) &&
            !ranked->wins[row[i]] && slower_by(ranked, row[i]) >= SLOWER_LEAST)
            row[avoided++] = row[i];
    qsort_r(row, (size_t)avoided, sizeof(*row), compare_times, ranked);
    return avoided;
}

/* Prints those of `count` rows to avoid that have this cause. */
static void say_avoided(FILE *out, const struct ranked *ranked,
                        enum slower_cause cause, const int *row, int count)
{
    char text[TEXT_SIZE] = "Avoid ", name[NAME_SIZE];
    int all = 0, named = 0, first = -1, last = -1;
    for (int i = 0; i < count; i++)
        all += cause_of(ranked, row[i]) == cause;
    for (int i = 0; i < count; i++) {
        if (cause_of(ranked, row[i]) != cause)
            continue;
        first = first < 0 ? row[i] : first;
        last = row[i];
        if (named == AVOIDED_MOST)
            continue;
        add_text(text, "%s%s",
                 named == 0         ? ""
                 : named == all - 1 ? " and "
                                    : ", ",
                 scheme_name(ranked, row[i], name));
        named++;
    }
    if (all == 0)
        return;
    if (all > named)
        add_text(text, " and %d more", all - named);
    double least = round(100 * slower_by(ranked, last));
    double most = round(100 * slower_by(ranked, first));
    add_text(text, ": %.0f", least);
    if (most > least)
        add_text(text, " to %.0f", most);
    add_text(text, " %% slower%s%s", cause == CAUSE_UNKNOWN ? "" : "; ",
             ranking_cause_words(cause));
    table_heading(out, 4, text);
}

static const char *why_unranked(const struct ranked *ranked)
{
    for (int i = ranked->begin; i < ranked->end; i++)
        if (summary_row_words(ranked->rows[i].result) == NULL &&
            text_is(ranked->rows[i].conditions, ranked->conditions))
            return ranked->rows[i].result->oversubscribed
                       ? "its workers shared cores: nothing is ranked"
                       : "a master shared a worker's core: nothing is ranked";
    return "no choice has a result";
}

static void print_answer(FILE *out, struct ranked *ranked, const char *name)
{
    char text[TEXT_SIZE] = "";
    add_text(text, "%s%s: ", name, ranked->conditions);
    if (ranked->best < 0)
        add_text(text, "no answer, since %s", why_unranked(ranked));
    else if (ranked->winners == 0)
        add_text(text, "no answer, since the fastest one is faster than it can "
                       "be, so a time is wrong (below)");
    else if (ranked->winners == 1)
        say_fastest(ranked, text);
    else
        say_equal(ranked, text);
    table_heading(out, 2, text);
    if (ranked->winners == 0)
        return;
    int *row = need_zeroed((size_t)ranked->end, sizeof(*row));
    int count = list_avoided(ranked, row);
    for (int cause = 0; cause < CAUSES; cause++)
        say_avoided(out, ranked, (enum slower_cause)cause, row, count);
    free(row);
}

/* Whether an earlier row has the conditions of this one. */
static bool is_answered(const struct summary_row *rows, int begin, int row)
{
    for (int i = begin; i < row; i++)
        if (text_is(rows[i].conditions, rows[row].conditions))
            return true;
    return false;
}

static struct ranked rank_rows(const struct summary_row *rows, int begin,
                               int end, int of, bool *wins)
{
    struct ranked ranked = {rows, begin,     end, rows[of].conditions,
                            wins, .best = -1};
    ranked.winners = ranking_winners(rows, begin, end, ranked.conditions, wins,
                                     &ranked.best);
    for (int i = begin; i < end; i++)
        ranked.choices += is_choice(&ranked, i);
    return ranked;
}

void answers_print(FILE *out, const struct summary_row *rows, int begin,
                   int end, const char *name)
{
    bool *wins = need_zeroed((size_t)end, sizeof(*wins));
    for (int i = begin; i < end; i++) {
        if (is_answered(rows, begin, i))
            continue;
        struct ranked ranked = rank_rows(rows, begin, end, i, wins);
        print_answer(out, &ranked, name);
    }
    free(wins);
}

void answers_mark(const struct summary_row *rows, int begin, int end,
                  bool *fastest)
{
    bool *wins = need_zeroed((size_t)end, sizeof(*wins));
    for (int i = begin; i < end; i++) {
        if (is_answered(rows, begin, i))
            continue;
        rank_rows(rows, begin, end, i, wins);
        for (int k = begin; k < end; k++)
            fastest[k] = fastest[k] || wins[k];
    }
    free(wins);
}
