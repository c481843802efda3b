#include "bench/tables/regret_parts.h"

#include "base/file.h"
#include "base/folder.h"
#include "harness/setup/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer have no confidence interval. */
enum { CI_SAMPLES_MIN = 6 };

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- choices-*.jsonl ---- */

static void read_lines(const char *path, json_t *lines)
{
    const char *why;
    FILE *file = file_open(path, &why);
    char *line = NULL;
    size_t room = 0;
    if (file == NULL)
        return;
    for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
        json_t *object = json_loadb(line, (size_t)length, 0, NULL);
        const char *type = json_string_value(json_object_get(object, "type"));
        if (type != NULL && is(type, "candidate"))
            json_array_append(lines, object);
        json_decref(object);
    }
    free(line);
    fclose(file);
}

/* Of a cell that was chosen for several times, the lines of the last launch:
 * launches are named by their time. */
static json_t *read_choices(const char *dir)
{
    struct folder found;
    json_t *lines = json_array();
    if (folder_find(dir, "choices-", ".jsonl", &found, NULL) != 0)
        return lines;
    for (int i = 0; i < found.count; i++)
        read_lines(found.path[i], lines);
    folder_free(&found);
    return lines;
}

const char *regret_text(const json_t *line, const char *key)
{
    const char *value = json_string_value(json_object_get(line, key));
    return value != NULL ? value : "";
}

double regret_number(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- times ---- */

static double mean(const struct result *result)
{
    double sum = 0;
    for (int i = 0; i < result->count; i++)
        sum += result->samples[i].time_s;
    return result->count > 0 ? sum / result->count : NAN;
}

/* Of the repetitions from `first` on that ran this choice (0: any).  Returns
 * how many, or -ENOMEM. */
static int median_of(const struct result *result, int first, uint64_t choice,
                     struct stats_median *median)
{
    int n = 0;
    double *times = calloc((size_t)result->count + 1, sizeof(*times));
    if (times == NULL)
        return -ENOMEM;
    for (int i = first; i < result->count; i++) {
        const struct result_sample *sample = &result->samples[i];
        if (choice == 0 || sample->choice == choice)
            times[n++] = sample->time_s;
    }
    *median = (struct stats_median){NAN, NAN, NAN};
    if (n > 0)
        *median = stats_median(times, n);
    free(times);
    return n;
}

double regret_median(const struct result *result)
{
    struct stats_median median = {NAN, NAN, NAN};
    if (result != NULL && result->status == RESULT_OK)
        median_of(result, 0, 0, &median);
    return median.median;
}

/* The repetition with which trials began last. */
static int last_trials(const struct result *result)
{
    int first = 0;
    for (int i = 1; i < result->count; i++)
        if (result->samples[i].trial && !result->samples[i - 1].trial)
            first = i;
    return first;
}

static uint64_t choice_of(const json_t *line)
{
    double interval = regret_number(line, "sync_interval");
    return result_choice(regret_text(line, "scheme"),
                         regret_text(line, "hierarchy"),
                         isnan(interval) ? 0 : (int64_t)interval);
}

/* ---- one cell ---- */

/* Equal but for what auto chooses. */
static bool same_problem(const struct result *a, const struct result *b)
{
    const struct cell *c = &a->cell, *d = &b->cell;
    const char *const pairs[][2] = {
        {c->kernel, d->kernel},     {c->transport, d->transport},
        {c->master, d->master},     {c->window, d->window},
        {c->collect, d->collect},   {c->bind, d->bind},
        {c->rank_per, d->rank_per}, {c->memory, d->memory},
        {c->timing, d->timing},     {c->protocol, d->protocol},
        {c->data, d->data},         {c->power, d->power},
        {c->load, d->load},         {c->placement, d->placement},
        {c->perturb, d->perturb},   {c->victim, d->victim},
        {c->openmp, d->openmp},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (!is(pairs[i][0], pairs[i][1]))
            return false;
    return c->ranks == d->ranks && c->threads == d->threads &&
           c->prefetch == d->prefetch && c->smt == d->smt &&
           c->min_chunk == d->min_chunk && c->reissue == d->reissue &&
           a->simulated == b->simulated &&
           result_crowding(a) == result_crowding(b);
}

static void find_best(const struct results *results, struct regret *r)
{
    double least = INFINITY;
    for (int i = 0; i < results->count; i++) {
        const struct result *other = &results->list[i];
        if (choice_named(other->cell.scheme) || !same_problem(r->result, other))
            continue;
        double time_s = regret_median(other);
        if (isnan(time_s) || time_s >= least)
            continue;
        r->best = other;
        least = time_s;
    }
}

/* The interval is of these two cells: that the best one was the luckiest of
 * many is not in it. */
static void compare(struct regret *r)
{
    r->value = r->low = r->high = r->best_mean_s = NAN;
    int first = r->trial ? last_trials(r->result) : 0;
    int n = median_of(r->result, first, choice_of(r->chosen), &r->time);
    if (r->best == NULL || n <= 0)
        return;
    int others = median_of(r->best, 0, 0, &r->best_time);
    struct stats_median ratio = stats_ratio(r->time, r->best_time);
    r->best_mean_s = mean(r->best);
    r->value = ratio.median - 1;
    if (n < CI_SAMPLES_MIN || others < CI_SAMPLES_MIN)
        return;
    r->low = ratio.low - 1;
    r->high = ratio.high - 1;
}

bool regret_about(const struct regret *r, const json_t *line)
{
    return is(regret_text(line, "cell"), r->result->cell.hash) &&
           (r->launch == NULL || is(regret_text(line, "launch"), r->launch));
}

static bool look(const struct results *results, const json_t *lines,
                 const struct result *result, struct regret *r)
{
    size_t i;
    json_t *line;
    *r = (struct regret){.result = result};
    json_array_foreach(lines, i, line)
    {
        const char *launch = regret_text(line, "launch");
        if (is(regret_text(line, "cell"), result->cell.hash) &&
            (r->launch == NULL || strcmp(launch, r->launch) > 0))
            r->launch = launch;
    }
    json_array_foreach(lines, i, line)
    {
        if (!regret_about(r, line))
            continue;
        r->candidates++;
        if (json_is_true(json_object_get(line, "chosen")))
            r->chosen = line;
    }
    if (r->chosen == NULL || result->status != RESULT_OK)
        return false;
    r->trial = is(regret_text(r->chosen, "by"), "trial");
    r->predicted_s = regret_number(r->chosen, "predicted_s");
    r->mean_s = mean(result);
    find_best(results, r);
    compare(r);
    return true;
}

int regrets_open(struct regrets *regrets, const struct results *results,
                 const char *dir, struct error *err)
{
    *regrets = (struct regrets){.lines = read_choices(dir)};
    regrets->list = calloc((size_t)results->count + 1, sizeof(*regrets->list));
    if (regrets->list == NULL) {
        regrets_close(regrets);
        return error_set(err, ENOMEM, "out of memory");
    }
    for (int i = 0; i < results->count; i++)
        if (choice_named(results->list[i].cell.scheme) &&
            look(results, regrets->lines, &results->list[i],
                 &regrets->list[regrets->count]))
            regrets->count++;
    return 0;
}

void regrets_close(struct regrets *regrets)
{
    free(regrets->list);
    json_decref(regrets->lines);
    *regrets = (struct regrets){.list = NULL};
}
