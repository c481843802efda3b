/* Records are files LOOP-visitN.txt.  Each visit is replayed alone; times are
 * added up by loop, scheme and number of workers. */
#include "bench/foretell/replay/outlook.h"

#include "base/folder.h"
#include "base/text.h"
#include "bench/foretell/replay/replay_names.h"
#include "bench/options/numbers.h"
#include "dls/strategy.h"
#include "harness/process/need.h"
#include "kernels/support/cost_file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char visit_mark[] = "-visit";

/* ---- the request ---- */

int outlook_read_workers(struct outlook *outlook, const char *text,
                         struct error *err)
{
    char *list = need_copy(text), *at = list, *word;
    int code = 0;
    outlook->numbers = 0;
    while (code == 0 && (word = strsep(&at, ",")) != NULL) {
        int64_t number = 0;
        if (outlook->numbers == OUTLOOK_NUMBERS_MAX)
            code = error_set(err, EINVAL, "--on: more than %d numbers",
                             OUTLOOK_NUMBERS_MAX);
        else
            code = number_integer("--on", word, 1, OUTLOOK_WORKERS_MAX, &number,
                                  err);
        if (code == 0)
            outlook->workers[outlook->numbers++] = (int)number;
    }
    free(list);
    return code;
}

/* Random chunks look for faults. */
static int name_schemes(struct outlook *outlook, struct error *err)
{
    char **name;
    int count, code = replay_names("all", &name, &count, err);
    if (code != 0)
        return code;
    for (int i = 0; i < count; i++) {
        struct strategy strategy;
        struct error ignored;
        if (!text_is(name[i], "rnd") &&
            strategy_parse(name[i], &strategy, &ignored) == 0)
            name[outlook->schemes++] = name[i];
        else
            free(name[i]);
    }
    outlook->scheme = name;
    return 0;
}

/* ---- one visit ---- */

/* Adds to `time_s`; on failure sets `reason` (NULL: not needed). */
static int replay_once(const struct outlook *outlook, const char *scheme,
                       int workers, int64_t iterations, const double *before,
                       double *time_s, char **reason, struct error *err)
{
    struct replay_result result;
    struct error why = {""};
    int code = replay_threads(scheme, workers, iterations, before,
                              &outlook->costs, &result, &why);
    if (code == -ENOMEM)
        return error_set(err, ENOMEM, "%s", why.text);
    if (code != 0 && reason != NULL && *reason == NULL)
        *reason = need_copy(why.text);
    *time_s += code == 0 ? result.time_s : NAN;
    if (code == 0)
        replay_free(&result);
    return 0;
}

/* Replays all schemes, and the unmodified loop. */
static int replay_all(const struct outlook *outlook, struct outlook_loop *loop,
                      const double *before, int64_t iterations,
                      double (*time_s)[OUTLOOK_NUMBERS_MAX], struct error *err)
{
    int code = 0, last = outlook->schemes - (loop->clause_scheme[0] == '\0');
    for (int s = 0; s <= last; s++)
        for (int i = 0; code == 0 && i < outlook->numbers; i++)
            code = replay_once(outlook,
                               s < outlook->schemes ? outlook->scheme[s]
                                                    : loop->clause_scheme,
                               outlook->workers[i], iterations, before,
                               &time_s[s][i], &loop->why[s], err);
    return code;
}

/* The cost of an iteration, or of a neighbour if it is far above both: the
 * middle one of three. */
static double middle_cost(const double *cost, int64_t i, int64_t iterations)
{
    double left = cost[i > 0 ? i - 1 : i], right = left;
    if (i + 1 < iterations)
        right = cost[i + 1];
    return fmax(fmin(left, right), fmin(fmax(left, right), cost[i]));
}

/* Adds one visit to the sums of its loop.  `even` has each single long
 * iteration replaced by a neighbour, for outlook_gain. */
static int replay_visit(const struct outlook *outlook,
                        struct outlook_loop *loop, const double *cost,
                        int64_t iterations, struct error *err)
{
    double *before = need_zeroed((size_t)iterations + 1, sizeof(*before));
    double *even = need_zeroed((size_t)iterations + 1, sizeof(*even));
    double longest = 0;
    for (int64_t i = 0; i < iterations; i++) {
        before[i + 1] = before[i] + cost[i];
        even[i + 1] = even[i] + middle_cost(cost, i, iterations);
        longest = fmax(longest, cost[i]);
    }
    int code = replay_all(outlook, loop, before, iterations, loop->time_s, err);
    if (code == 0 && loop->clause_scheme[0] != '\0')
        code = replay_all(outlook, loop, even, iterations, loop->even_s, err);
    if (code == 0 && loop->threads > 0)
        code = replay_once(outlook, loop->recorded, loop->threads, iterations,
                           before, &loop->again_s, NULL, err);
    for (int i = 0; i < outlook->numbers; i++)
        loop->bound_s[i] +=
            fmax(longest, before[iterations] / outlook->workers[i]);
    loop->serial_s += before[iterations];
    loop->iterations += iterations;
    loop->most = iterations > loop->most ? iterations : loop->most;
    if (loop->visits == 0 || iterations < loop->least)
        loop->least = iterations;
    loop->visits++;
    free(even);
    free(before);
    return code;
}

/* ---- one file ---- */

/* The scheme that hands out the same chunks as this clause; empty: unknown. */
static void find_clause_scheme(struct outlook_loop *loop)
{
    const char *at = strchr(loop->clause, ':');
    long long chunk = 0;
    at = at != NULL ? at + 1 : loop->clause;
    size_t name = strcspn(at, ", ");
    bool given = sscanf(at + name, " , %lld", &chunk) == 1;
    loop->clause_scheme[0] = '\0';
    if (name == 6 && strncasecmp(at, "static", name) == 0 && !given)
        strcpy(loop->clause_scheme, "static");
    else if (name == 6 && strncasecmp(at, "guided", name) == 0)
        snprintf(loop->clause_scheme, sizeof(loop->clause_scheme),
                 "gss:min=%lld", given ? chunk : 1);
    else if (name == 7 && strncasecmp(at, "dynamic", name) == 0)
        snprintf(loop->clause_scheme, sizeof(loop->clause_scheme),
                 "css:chunk=%lld", given ? chunk : 1);
}

/* "# NAME", "# of COMMAND", "# visit 1 of N: I iterations, T threads, SCHEME;"
 * and "# as it is: CLAUSE; S s a visit in this run, others L". */
static void read_head(struct outlook_loop *loop, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    long long visits, iterations, threads;
    FILE *file = fopen(path, "r");
    while (file != NULL && getline(&line, &size, file) > 0 && line[0] == '#') {
        line[strcspn(line, "\n")] = '\0';
        int found = sscanf(line,
                           "# visit %*d of %lld: %lld iterations, %lld "
                           "threads, %63[^;]",
                           &visits, &iterations, &threads, loop->recorded);
        if (found >= 3) {
            loop->all_visits = visits;
            loop->threads =
                found == 4 && threads <= OUTLOOK_WORKERS_MAX ? (int)threads : 0;
        } else if (sscanf(line,
                          "# as it is: %63[^;]; %lf s a visit in this run, "
                          "others %lf",
                          loop->clause, &loop->visit_s, &loop->others) >= 1) {
            find_clause_scheme(loop);
        } else if (loop->name == NULL) {
            loop->name = need_copy(text_trim(line + 1));
        }
    }
    free(line);
    if (file != NULL)
        fclose(file);
}

/* The path up to the number of the visit; 0: it is no record. */
static size_t length_of_loop(const char *path)
{
    const char *mark = NULL;
    for (const char *at = path; (at = strstr(at, visit_mark)) != NULL; at++)
        mark = at;
    if (mark == NULL)
        return 0;
    const char *number = mark + strlen(visit_mark);
    bool named = strcmp(number + strspn(number, "0123456789"), ".txt") == 0;
    return named ? (size_t)(mark - path) : 0;
}

static struct outlook_loop *add_loop(struct outlook *outlook, const char *path,
                                     size_t length)
{
    struct outlook_loop loop = {
        .time_s =
            need_zeroed((size_t)outlook->schemes + 1, sizeof(*loop.time_s)),
        .even_s =
            need_zeroed((size_t)outlook->schemes + 1, sizeof(*loop.even_s)),
        .why = need_zeroed((size_t)outlook->schemes + 1, sizeof(*loop.why))};
    const char *name = path_last(path);
    read_head(&loop, path);
    if (loop.name == NULL)
        loop.name = need_text("%.*s", (int)(path + length - name), name);
    need_room(&outlook->loop, &outlook->room, outlook->loops + 1,
              sizeof(*outlook->loop));
    outlook->loop[outlook->loops] = loop;
    return &outlook->loop[outlook->loops++];
}

/* The visits of a loop follow one another. */
static int add_file(struct outlook *outlook, const char *path,
                    const char *before, struct error *err)
{
    double *cost;
    int64_t count;
    size_t length = length_of_loop(path);
    if (length == 0)
        return 0;
    int code = costs_read("omp: --on", path, 1, &cost, &count, err);
    if (code != 0)
        return code;
    struct outlook_loop *loop = NULL;
    if (outlook->loops > 0 && before != NULL &&
        length_of_loop(before) == length && strncmp(before, path, length) == 0)
        loop = &outlook->loop[outlook->loops - 1];
    else
        loop = add_loop(outlook, path, length);
    code = replay_visit(outlook, loop, cost, count, err);
    free(cost);
    return code;
}

int outlook_open(struct outlook *outlook, const char *folder, struct error *err)
{
    struct folder files;
    int code = folder_find(folder, "", ".txt", &files, err);
    if (code != 0)
        return code;
    code = name_schemes(outlook, err);
    for (int i = 0; code == 0 && i < files.count; i++)
        code = add_file(outlook, files.path[i],
                        i > 0 ? files.path[i - 1] : NULL, err);
    folder_free(&files);
    if (code == 0 && outlook->loops == 0)
        code = error_set(err, ENOENT,
                         "omp: --on: %s has no records (NAME-visit1.txt); "
                         "--record writes them",
                         folder);
    return code;
}

void outlook_close(struct outlook *outlook)
{
    for (int k = 0; k < outlook->loops; k++) {
        for (int i = 0; i <= outlook->schemes; i++)
            free(outlook->loop[k].why[i]);
        free(outlook->loop[k].why);
        free(outlook->loop[k].time_s);
        free(outlook->loop[k].even_s);
        free(outlook->loop[k].name);
    }
    for (int i = 0; i < outlook->schemes; i++)
        free(outlook->scheme[i]);
    free(outlook->scheme);
    free(outlook->loop);
    *outlook = (struct outlook){.numbers = 0};
}

int outlook_best(const struct outlook *outlook, const struct outlook_loop *loop,
                 int i)
{
    int best = -1;
    for (int s = 0; s < outlook->schemes; s++)
        if (!isnan(loop->time_s[s][i]) &&
            (best < 0 || loop->time_s[s][i] < loop->time_s[best][i]))
            best = s;
    return best;
}

/* ---- compared with the unmodified loop ---- */

double outlook_error(const struct outlook_loop *loop)
{
    return loop->again_s > 0 && loop->visit_s > 0
               ? fmax(fabs(1 - loop->again_s / (loop->visit_s * loop->visits)),
                      loop->others)
               : NAN;
}

double outlook_gain(const struct outlook *outlook,
                    const struct outlook_loop *loop, int scheme, int i)
{
    int own = outlook->schemes;
    if (loop->clause_scheme[0] == '\0')
        return NAN;
    double gain = 1 - loop->time_s[scheme][i] / loop->time_s[own][i];
    double even = 1 - loop->even_s[scheme][i] / loop->even_s[own][i];
    return isnan(gain) || isnan(even) ? NAN : fmin(gain, even);
}

int outlook_winner(const struct outlook *outlook,
                   const struct outlook_loop *loop, int i)
{
    double least = fmax(outlook_error(loop), 0.01), best = 0;
    int winner = -1;
    for (int s = 0; !isnan(outlook_error(loop)) && s < outlook->schemes; s++) {
        double gain = outlook_gain(outlook, loop, s, i);
        if (gain > least && gain > best) {
            best = gain;
            winner = s;
        }
    }
    return winner;
}
