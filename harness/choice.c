#include "harness/choice.h"

#include "harness/hierarchy.h"
#include "kernels/kernel.h"
#include "sched/divisible/algorithm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `usual` stands for: few and different, as each costs repetitions.  Equal
 * blocks, single iterations, equal chunks that are neither, three that shrink,
 * one that goes by the load and one that learns; of loops with dependences
 * fewer, at two intervals: these parts of the columns. */
#define USUAL_SCHEMES "static+ss+mfsc+gss+fss+tss+dtss-acp+awf-c"
#define USUAL_DEPENDENT "static+mfsc+tss+dtss-acp"
static const int usual_parts[] = {16, 5};

enum {
    BY,
    SCHEMES,
    HIERARCHIES,
    INTERVALS,
    SHARE,
    REPETITIONS,
    CHANGE,
    ENTRIES_MAX = 64, /* of a list */
    INTERVAL_LEAST = 25,
    MASTERS_MOST = 64,
    TRIES_LEAST = 2 /* of every candidate */
};

const struct spec_param choice_params[] = {
    {.key = "by",
     .type = SPEC_CHOICE,
     .fallback = "simulation",
     .choices = "simulation|trial",
     .help = "before the run on the calibrated machine, or while it runs"},
    {.key = "schemes",
     .type = SPEC_TEXT,
     .help = "a+b+..., all or usual (few)"},
    {.key = "hierarchies", .type = SPEC_TEXT, .help = "a+b+..., all or given"},
    {.key = "intervals",
     .type = SPEC_TEXT,
     .help = "of loops with dependences: a+b+..., all, usual or given"},
    {.key = "share",
     .type = SPEC_REAL,
     .min = 0.01,
     .max = 1,
     .help = "trial: share of the repetitions that may be trials (0.4)"},
    {.key = "repetitions",
     .type = SPEC_INTEGER,
     .min = 2,
     .max = 1000000,
     .help = "trial: the loop runs so many times (50)"},
    {.key = "change",
     .type = SPEC_REAL,
     .min = 0.01,
     .max = 10,
     .help = "trial: a running median that is off by this share is a change "
             "(0.1)"},
    {.key = NULL},
};

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool choice_named(const char *scheme)
{
    return strncmp(scheme, "auto", 4) == 0 && strchr(":", scheme[4]) != NULL;
}

/* ---- the spec ---- */

static void take(const struct spec_value *value, const char *fallback,
                 char text[SPEC_TEXT_MAX])
{
    snprintf(text, SPEC_TEXT_MAX, "%s", value->given ? value->text : fallback);
}

static int refuse_keys_of_trials(const struct spec *spec, struct error *err)
{
    for (int i = SHARE; i <= CHANGE; i++)
        if (spec->value[i].given)
            return error_set(err, EINVAL,
                             "scheme auto: %s goes with by=trial, a simulation "
                             "is made once before the run",
                             choice_params[i].key);
    return 0;
}

static int write_rule(const struct choice_rule *rule,
                      char canonical[SPEC_CANONICAL_MAX], struct error *err)
{
    bool trial = rule->by == CHOICE_TRIAL;
    char more[96] = "";
    if (trial)
        snprintf(more, sizeof(more), ",share=%.6g,repetitions=%d,change=%.6g",
                 rule->share, rule->repetitions, rule->change);
    int length = snprintf(canonical, SPEC_CANONICAL_MAX,
                          "auto:by=%s,schemes=%s,hierarchies=%s,intervals=%s%s",
                          trial ? "trial" : "simulation", rule->schemes,
                          rule->hierarchies, rule->intervals, more);
    return length < SPEC_CANONICAL_MAX
               ? 0
               : error_set(err, EINVAL, "scheme auto: the spec is too long");
}

/* Entries in turn; `text` is cut up.  NULL at the end. */
static char *next_entry(char **text)
{
    return strsep(text, "+");
}

static int count_entries(const char *list)
{
    int count = 1;
    for (; *list != '\0'; list++)
        count += *list == '+';
    return count;
}

/* Each by itself is a scheme, and no other auto. */
static int check_schemes(const char *list, struct error *err)
{
    char copy[SPEC_TEXT_MAX], *rest = copy, *entry;
    struct sched_pair pair;
    int code = 0;
    if (is(list, "all") || is(list, "usual"))
        return 0;
    snprintf(copy, sizeof(copy), "%s", list);
    while (code == 0 && (entry = next_entry(&rest)) != NULL) {
        if (choice_named(entry))
            return error_set(err, EINVAL,
                             "scheme auto: schemes=%s: auto cannot be one of "
                             "its own candidates",
                             list);
        code = cell_scheme_parse(entry, &pair, err);
        if (code == 0 && divisible_named(entry))
            code = error_set(err, EINVAL,
                             "%s is a plan, which is made for one master and "
                             "not chosen",
                             entry);
    }
    return code == 0 ? 0 : error_prefix(err, code, "scheme auto");
}

static int check_list(const char *key, const char *field, const char *list,
                      struct error *err)
{
    char copy[SPEC_TEXT_MAX], *rest = copy, *entry;
    struct cell scratch;
    struct hierarchy levels;
    int code = 0;
    if (is(list, "all") || is(list, "given") ||
        (is(list, "usual") && is(key, "intervals")))
        return 0;
    if (count_entries(list) > ENTRIES_MAX)
        return error_set(err, EINVAL,
                         "scheme auto: %s: at most %d are possible", key,
                         ENTRIES_MAX);
    snprintf(copy, sizeof(copy), "%s", list);
    cell_defaults(&scratch);
    while (code == 0 && (entry = next_entry(&rest)) != NULL) {
        code = is(field, "hierarchy") ? hierarchy_parse(entry, &levels, err)
                                      : cell_set(&scratch, field, entry, err);
        if (code == 0 && !is(scratch.sync_choice, "given"))
            code = error_set(err, EINVAL,
                             "%s: auto chooses among numbers, as in "
                             "intervals=100+200",
                             entry);
        if (code != 0)
            error_prefix(err, code, "scheme auto: %s", key);
    }
    return code;
}

int choice_parse(const char *text, struct choice_rule *rule,
                 char canonical[SPEC_CANONICAL_MAX], struct error *err)
{
    struct choice_rule read = {.by = CHOICE_SIMULATION};
    struct spec spec;
    int code = spec_parse("scheme", text, "auto", choice_params, &spec, err);
    if (code != 0)
        return code;
    bool trial = is(spec.value[BY].text, "trial");
    if (trial) {
        read.by = CHOICE_TRIAL;
        read.share = spec.value[SHARE].given ? spec.value[SHARE].real : 0.4;
        read.change = spec.value[CHANGE].given ? spec.value[CHANGE].real : 0.1;
        read.repetitions = spec.value[REPETITIONS].given
                               ? (int)spec.value[REPETITIONS].integer
                               : 50;
    } else {
        code = refuse_keys_of_trials(&spec, err);
    }
    take(&spec.value[SCHEMES], trial ? "usual" : "all", read.schemes);
    take(&spec.value[HIERARCHIES], trial ? "given" : "all", read.hierarchies);
    take(&spec.value[INTERVALS], trial ? "usual" : "all", read.intervals);
    if (code == 0)
        code = check_schemes(read.schemes, err);
    if (code == 0)
        code = check_list("hierarchies", "hierarchy", read.hierarchies, err);
    if (code == 0)
        code = check_list("intervals", "sync_interval", read.intervals, err);
    if (code == 0)
        code = write_rule(&read, canonical, err);
    if (code == 0)
        *rule = read;
    return code;
}

enum choice_by choice_by(const struct cell *cell)
{
    struct choice_rule rule = {.by = CHOICE_NONE};
    char canonical[SPEC_CANONICAL_MAX];
    if (choice_named(cell->scheme))
        choice_parse(cell->scheme, &rule, canonical, NULL);
    return rule.by;
}

/* ---- in cell_check ---- */

int choice_settle(struct cell *cell, bool dependences, struct error *err)
{
    struct choice_rule rule;
    if (!choice_named(cell->scheme))
        return 0;
    int code = choice_parse(cell->scheme, &rule, cell->scheme, err);
    if (code != 0)
        return code;
    if (!is(cell->sync_choice, "given") && dependences)
        return error_set(err, ENOTSUP,
                         "scheme auto: sync_interval %s is for a given scheme; "
                         "auto chooses among numbers (intervals=100+200)",
                         cell->sync_choice);
    if (is(rule.hierarchies, "all") && !is(cell->hierarchy, "flat"))
        strcpy(rule.hierarchies, "given");
    if (!dependences ||
        (cell->sync_interval > 0 &&
         (is(rule.intervals, "all") || is(rule.intervals, "usual"))))
        strcpy(rule.intervals, "given");
    code = write_rule(&rule, cell->scheme, err);
    /* What is not given is chosen: then it is not in the cell. */
    if (!is(rule.hierarchies, "given"))
        strcpy(cell->hierarchy, "flat");
    if (!is(rule.intervals, "given"))
        cell->sync_interval = 0;
    return code;
}

bool choice_of_interval(const struct cell *cell)
{
    return choice_named(cell->scheme) &&
           strstr(cell->scheme, "intervals=given") == NULL;
}

static int check_trials(int candidates, int repetitions, double share,
                        struct error *err)
{
    int trials = select_trials(repetitions, share);
    if (candidates > SELECT_MAX)
        return error_set(err, ENOTSUP,
                         "scheme auto: %d candidates are more than trials can "
                         "tell apart (%d): name fewer schemes",
                         candidates, SELECT_MAX);
    if (trials >= TRIES_LEAST * candidates)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme auto: %d repetitions with share=%g leave %d "
                     "trials, too few to try %d candidates twice: give "
                     "repetitions=%d, a larger share or fewer schemes",
                     repetitions, share, trials, candidates,
                     (int)(TRIES_LEAST * candidates / share + 0.999));
}

int choice_check(const struct cell *cell, struct error *err)
{
    struct choice_rule rule;
    char canonical[SPEC_CANONICAL_MAX];
    struct cell *list;
    int count;
    int code = choice_parse(cell->scheme, &rule, canonical, err);
    if (code == 0 && cell->simulation.platform[0] != '\0')
        code = error_set(err, ENOTSUP,
                         "scheme auto chooses for cells that really run: "
                         "simulate the schemes themselves");
    if (code == 0)
        code = choice_candidates(cell, &list, &count, err);
    if (code != 0)
        return code;
    free(list);
    return rule.by == CHOICE_TRIAL
               ? check_trials(count, rule.repetitions, rule.share, err)
               : 0;
}

/* ---- candidates ---- */

struct lists {
    char text[3][SPEC_TEXT_MAX]; /* cut up by the entries */
    const char *scheme[ENTRIES_MAX], *hierarchy[ENTRIES_MAX];
    int64_t interval[ENTRIES_MAX];
    char masters[16][16];
    int schemes, hierarchies, intervals;
};

static int split(char *text, const char *list, const char **entry)
{
    int count = 0;
    char *rest = text, *next;
    snprintf(text, SPEC_TEXT_MAX, "%s", list);
    while (count < ENTRIES_MAX && (next = next_entry(&rest)) != NULL)
        entry[count++] = next;
    return count;
}

static void list_schemes(const struct choice_rule *rule,
                         const struct cell *cell, struct lists *lists)
{
    const char *list = rule->schemes;
    if (is(list, "usual"))
        list = is(cell->protocol, "parallel") ? USUAL_SCHEMES : USUAL_DEPENDENT;
    if (!is(list, "all")) {
        lists->schemes = split(lists->text[0], list, lists->scheme);
        return;
    }
    for (int i = 0; sched_schemes[i] != NULL && i < ENTRIES_MAX; i++)
        lists->scheme[lists->schemes++] = sched_schemes[i]->name;
}

static void list_hierarchies(const struct choice_rule *rule,
                             const struct cell *cell, struct lists *lists)
{
    int units = cell->ranks > 1 ? cell->ranks : cell->threads;
    if (is(rule->hierarchies, "given")) {
        lists->hierarchy[lists->hierarchies++] = cell->hierarchy;
        return;
    }
    if (!is(rule->hierarchies, "all")) {
        lists->hierarchies =
            split(lists->text[1], rule->hierarchies, lists->hierarchy);
        return;
    }
    lists->hierarchy[lists->hierarchies++] = "flat";
    for (int m = 2, i = 0; m <= units && m <= MASTERS_MOST; m *= 2, i++) {
        snprintf(lists->masters[i], sizeof(lists->masters[i]), "%d", m);
        lists->hierarchy[lists->hierarchies++] = lists->masters[i];
    }
    if (cell->ranks > 1 && cell->threads > 1)
        lists->hierarchy[lists->hierarchies++] = "node";
}

static int columns_of(const char *text, int64_t *columns, struct error *err)
{
    const struct kernel_ops *kernel;
    struct kernel_grid grid;
    struct spec spec;
    void *instance;
    int code = kernel_parse(text, &kernel, &spec, err);
    if (code == 0)
        code = kernel_outline(kernel, &spec, &instance, err);
    if (code != 0)
        return code;
    kernel->dependence->grid(instance, &grid);
    *columns = grid.columns;
    kernel->destroy(instance);
    return 0;
}

static int list_intervals(const struct choice_rule *rule,
                          const struct cell *cell, struct lists *lists,
                          struct error *err)
{
    const char *entry[ENTRIES_MAX];
    int64_t columns = 0;
    if (is(rule->intervals, "given")) {
        lists->interval[lists->intervals++] = cell->sync_interval;
        return 0;
    }
    bool usual = is(rule->intervals, "usual");
    if (!is(rule->intervals, "all") && !usual) {
        lists->intervals = split(lists->text[2], rule->intervals, entry);
        for (int i = 0; i < lists->intervals; i++)
            spec_integer(entry[i], &lists->interval[i]);
        return 0;
    }
    int code = columns_of(cell->kernel, &columns, err);
    for (size_t i = 0; usual && i < sizeof(usual_parts) / sizeof(int); i++) {
        int64_t h = columns / usual_parts[i];
        lists->interval[lists->intervals++] = h > 0 ? h : 1;
    }
    if (usual)
        return code;
    for (int64_t h = INTERVAL_LEAST; code == 0 && h <= columns; h *= 2)
        lists->interval[lists->intervals++] = h;
    if (code == 0 && lists->intervals == 0)
        lists->interval[lists->intervals++] = columns;
    return code;
}

static bool listed(const struct cell *list, int count, const char *hash)
{
    for (int i = 0; i < count; i++)
        if (is(list[i].hash, hash))
            return true;
    return false;
}

static int add_candidate(const struct cell *cell, const char *scheme,
                         const char *hierarchy, int64_t interval,
                         struct cell *list, int *count, struct error *err)
{
    struct cell *next = &list[*count];
    *next = *cell;
    snprintf(next->scheme, sizeof(next->scheme), "%s", scheme);
    snprintf(next->hierarchy, sizeof(next->hierarchy), "%s", hierarchy);
    next->sync_interval = interval;
    next->chosen = (struct cell_choice){.scheme = ""};
    next->predicted_s = 0;
    int code = cell_check(next, err);
    if (code == 0 && !listed(list, *count, next->hash))
        ++*count;
    return code;
}

int choice_candidates(const struct cell *cell, struct cell **out, int *count,
                      struct error *err)
{
    struct choice_rule rule;
    char canonical[SPEC_CANONICAL_MAX];
    struct lists lists = {.schemes = 0};
    struct error first = {""}, why;
    int code = choice_parse(cell->scheme, &rule, canonical, err);
    if (code != 0)
        return code;
    list_schemes(&rule, cell, &lists);
    list_hierarchies(&rule, cell, &lists);
    code = list_intervals(&rule, cell, &lists, err);
    if (code != 0)
        return code;
    size_t room =
        (size_t)(lists.schemes * lists.hierarchies * lists.intervals) + 1;
    struct cell *list = calloc(room, sizeof(*list));
    if (list == NULL)
        return error_set(err, ENOMEM, "out of memory for the candidates");
    *count = 0;
    for (int s = 0; s < lists.schemes; s++)
        for (int h = 0; h < lists.hierarchies; h++)
            for (int i = 0; i < lists.intervals; i++)
                if (add_candidate(cell, lists.scheme[s], lists.hierarchy[h],
                                  lists.interval[i], list, count, &why) != 0 &&
                    first.text[0] == '\0')
                    first = why;
    if (*count == 0) {
        free(list);
        return error_set(err, ENOTSUP,
                         "scheme auto: none of its candidates can run: %s",
                         first.text);
    }
    *out = list;
    return 0;
}

/* ---- what was chosen ---- */

void choice_make(struct cell *cell, const struct cell *candidate)
{
    struct cell_choice *chosen = &cell->chosen;
    *chosen = (struct cell_choice){.scheme = ""};
    snprintf(chosen->scheme, sizeof(chosen->scheme), "%s", candidate->scheme);
    snprintf(chosen->hierarchy, sizeof(chosen->hierarchy), "%s",
             candidate->hierarchy);
    chosen->sync_interval = candidate->sync_interval;
}

int choice_apply(const struct cell *cell, struct cell *runs, struct error *err)
{
    int count = 0;
    *runs = *cell;
    if (!choice_named(cell->scheme))
        return 0;
    if (cell->chosen.scheme[0] == '\0')
        return error_set(err, EINVAL,
                         "scheme auto: nothing was chosen before the launch");
    return add_candidate(cell, cell->chosen.scheme, cell->chosen.hierarchy,
                         cell->chosen.sync_interval, runs, &count, err);
}

int choice_trials(const struct cell *cell, int candidates, int repetitions,
                  struct select_rule *rule, struct error *err)
{
    struct choice_rule read;
    char canonical[SPEC_CANONICAL_MAX];
    int code = choice_parse(cell->scheme, &read, canonical, err);
    if (code != 0)
        return code;
    if (read.repetitions > repetitions)
        repetitions = read.repetitions;
    *rule = (struct select_rule){.candidates = candidates,
                                 .repetitions = repetitions,
                                 .share = read.share,
                                 .change = read.change};
    return 0;
}
