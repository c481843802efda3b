/* The candidates of scheme auto, and the choice among them. */
#include "harness/check/setup.h"
#include "harness/process/need.h"
#include "sched/sched.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The schemes of `usual`: few and different, because each costs repetitions.
 * Equal blocks, single iterations, equal chunks between these, three with
 * shrinking chunks, one that follows the load and one that learns.  For loops
 * with dependences fewer, at two intervals: these parts of the columns. */
#define USUAL_SCHEMES "static+ss+mfsc+gss+fss+tss+dtss-acp+awf-c"
#define USUAL_DEPENDENT "static+mfsc+tss+dtss-acp"
static const int usual_parts[] = {16, 5};

enum { INTERVAL_LEAST = 25, MASTERS_MOST = 64 };

struct lists {
    char text[3][SPEC_TEXT_MAX]; /* cut up by the entries */
    const char *scheme[CHOICE_ENTRIES_MAX], *hierarchy[CHOICE_ENTRIES_MAX];
    int64_t interval[CHOICE_ENTRIES_MAX];
    char masters[16][16];
    int schemes, hierarchies, intervals;
};

static int split_list(char *text, const char *list, const char **entry)
{
    int count = 0;
    char *rest = text, *next;
    snprintf(text, SPEC_TEXT_MAX, "%s", list);
    while (count < CHOICE_ENTRIES_MAX && (next = strsep(&rest, "+")) != NULL)
        entry[count++] = next;
    return count;
}

static void list_schemes(const struct choice_rule *rule,
                         const struct cell *cell, struct lists *lists)
{
    const char *list = rule->schemes;
    if (strcmp(list, "usual") == 0)
        list = strcmp(cell->protocol, "parallel") == 0 ? USUAL_SCHEMES
                                                       : USUAL_DEPENDENT;
    if (strcmp(list, "all") != 0) {
        lists->schemes = split_list(lists->text[0], list, lists->scheme);
        return;
    }
    for (int i = 0; sched_schemes[i] != NULL && i < CHOICE_ENTRIES_MAX; i++)
        lists->scheme[lists->schemes++] = sched_schemes[i]->name;
}

static void list_hierarchies(const struct choice_rule *rule,
                             const struct cell *cell, struct lists *lists)
{
    int units = cell->ranks > 1 ? cell->ranks : cell->threads;
    if (strcmp(rule->hierarchies, "given") == 0) {
        lists->hierarchy[lists->hierarchies++] = cell->hierarchy;
        return;
    }
    if (strcmp(rule->hierarchies, "all") != 0) {
        lists->hierarchies =
            split_list(lists->text[1], rule->hierarchies, lists->hierarchy);
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

static int columns_of(const struct setup *setup, int64_t *columns,
                      struct error *err)
{
    const struct kernel_ops *kernel = setup->kernel;
    struct kernel_grid grid;
    void *instance;
    int code = kernel_outline(kernel, &setup->kernel_spec, &instance, err);
    if (code != 0)
        return code;
    kernel->dependence->grid(instance, &grid);
    *columns = grid.columns;
    kernel->destroy(instance);
    return 0;
}

static int list_intervals(const struct setup *setup, struct lists *lists,
                          struct error *err)
{
    const struct choice_rule *rule = &setup->scheme.rule;
    const char *entry[CHOICE_ENTRIES_MAX];
    int64_t columns = 0;
    if (strcmp(rule->intervals, "given") == 0) {
        lists->interval[lists->intervals++] = setup->cell.sync_interval;
        return 0;
    }
    bool usual = strcmp(rule->intervals, "usual") == 0;
    if (strcmp(rule->intervals, "all") != 0 && !usual) {
        lists->intervals = split_list(lists->text[2], rule->intervals, entry);
        for (int i = 0; i < lists->intervals; i++)
            spec_integer(entry[i], &lists->interval[i]);
        return 0;
    }
    int code = columns_of(setup, &columns, err);
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

static void put_choice(struct cell *cell, const char *scheme,
                       const char *hierarchy, int64_t interval)
{
    cell->scheme = cell_keep(cell, scheme);
    cell->hierarchy = cell_keep(cell, hierarchy);
    cell->sync_interval = interval;
    cell->chosen_scheme = "";
    cell->predicted_s = 0;
}

static int add_candidate(const struct cell *cell, const char *scheme,
                         const char *hierarchy, int64_t interval,
                         struct cell *list, int *count, struct error *err)
{
    struct cell *next = &list[*count];
    *next = *cell;
    put_choice(next, scheme, hierarchy, interval);
    int code = cell_check(next, err);
    for (int i = 0; code == 0 && i < *count; i++)
        if (strcmp(list[i].hash, next->hash) == 0)
            return 0;
    *count += code == 0;
    return code;
}

int choice_candidates(const struct setup *setup, struct cell **out, int *count,
                      struct error *err)
{
    const struct cell *cell = &setup->cell;
    const struct choice_rule *rule = &setup->scheme.rule;
    struct lists lists = {.schemes = 0};
    struct error first = {""}, why;
    list_schemes(rule, cell, &lists);
    list_hierarchies(rule, cell, &lists);
    int code = list_intervals(setup, &lists, err);
    if (code != 0)
        return code;
    size_t room =
        (size_t)(lists.schemes * lists.hierarchies * lists.intervals) + 1;
    struct cell *list = need_zeroed(room, sizeof(*list));
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

/* ---- the choice ---- */

void choice_make(struct cell *cell, const struct cell *candidate)
{
    cell->chosen_scheme = cell_keep(cell, candidate->scheme);
    cell->chosen_hierarchy = cell_keep(cell, candidate->hierarchy);
    cell->chosen_interval = candidate->sync_interval;
}

int choice_apply(const struct cell *cell, struct cell *runs, struct error *err)
{
    *runs = *cell;
    if (!choice_named(cell->scheme))
        return 0;
    if (cell->chosen_scheme[0] == '\0')
        return error_set(err, EINVAL,
                         "scheme auto: nothing was chosen before the launch");
    put_choice(runs, cell->chosen_scheme, cell->chosen_hierarchy,
               cell->chosen_interval);
    return 0;
}
