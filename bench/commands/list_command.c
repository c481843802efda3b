/* dlsbench list: what can be named in specs. */
#include "bench/commands/list_command.h"
#include "bench/options/command.h"
#include "bench/options/options.h"

#include "base/nearest.h"
#include "harness/check/choice.h"
#include "harness/counters/counters.h"
#include "harness/disturb/perturb.h"
#include "harness/transport/openmp/openmp_schedule.h"
#include "kernels/kernel.h"
#include "sched/divisible/algorithm.h"
#include "sched/sched.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void list_params(const struct spec_param *params)
{
    for (const struct spec_param *p = params; p->key != NULL; p++) {
        char name[64];
        snprintf(name, sizeof(name), "%s=%s", p->key,
                 p->type == SPEC_CHOICE ? p->choices
                 : p->fallback != NULL  ? p->fallback
                                        : "");
        printf("    %-22s %s", name, p->help ? p->help : "");
        if (p->required)
            printf(" (required)");
        else if (p->fallback != NULL)
            printf(" (default %s)", p->fallback);
        putchar('\n');
    }
}

static void list_schemes(void)
{
    puts("schemes, as name:key=value,... (I iterations, p workers)");
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        const struct sched_ops *ops = sched_schemes[i];
        printf("\n%s%s%s%s: %s\n", ops->name, ops->alias ? " (or " : "",
               ops->alias ? ops->alias : "", ops->alias ? ")" : "",
               ops->summary ? ops->summary : "");
        printf("    from %s%s%s%s\n", ops->citation ? ops->citation : "-",
               ops->flags & SCHED_BY_POWER ? "; uses powers" : "",
               ops->flags & SCHED_NEEDS_COST ? "; needs costs" : "",
               ops->feedback ? "; learns while it runs" : "");
        list_params(ops->params);
    }
    puts("\nauto: chooses scheme, hierarchy and sync interval, by simulation "
         "before the run or by\ntrials while it runs");
    list_params(choice_params);
    puts("\nplans of divisible loads, which a master pushes to its workers");
    for (int i = 0; divisible_names[i] != NULL; i++) {
        printf("\n%s: %s\n    from Beaumont, Legrand and Robert, Optimal "
               "algorithms for scheduling divisible workloads on heterogeneous "
               "systems\n",
               divisible_names[i], divisible_about[i].summary);
        list_params(divisible_about[i].params);
    }
    puts("\nschedules of OpenMP, under transport openmp");
    for (int i = 0; openmp_schedules[i].name != NULL; i++) {
        printf("\n%s: %s\n", openmp_schedules[i].name,
               openmp_schedules[i].summary);
        list_params(openmp_schedules[i].params);
    }
}

static void list_kernels(void)
{
    puts("kernels, as name:key=value,...");
    for (int i = 0; kernel_list[i] != NULL; i++) {
        const struct kernel_ops *ops = kernel_list[i];
        printf("\n%s: %s\n", ops->name, ops->summary ? ops->summary : "");
        printf("    from %s%s\n", ops->citation ? ops->citation : "-",
               ops->input ? "; has input data" : "");
        list_params(ops->params);
    }
}

static void list_events(void)
{
    counters_print(stdout);
}

static void list_perturbations(void)
{
    puts("perturbations, as name:key=value,... (none: nothing goes wrong); "
         "several are\njoined by +, as "
         "delay:worker=1,factor=2+stop:worker=3,at=0.1");
    for (int i = 0; perturb_kinds[i] != NULL; i++) {
        const struct perturb_kind *kind = perturb_kinds[i];
        printf("\n%s: %s\n", kind->name, kind->summary);
        list_params(kind->params);
    }
}

struct section {
    const char *name;
    void (*print)(void);
    void (*page)(bool man); /* in its place: it can be a manual page */
};

static const struct section sections[] = {
    {"schemes", list_schemes, NULL},
    {"kernels", list_kernels, NULL},
    {"events", list_events, NULL},
    {"perturbations", list_perturbations, NULL},
    {"transports", list_transports, NULL},
    {"keys", NULL, list_keys},
    {"columns", NULL, list_columns},
    {"rules", NULL, list_rules},
};

enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

#define OPTIONS_OF struct list_options
struct list_options {
    const char *what; /* NULL: all */
    bool man;
};

static int take_word(void *command, const char *text, struct error *err)
{
    struct list_options *in = command;
    if (in->what != NULL)
        return error_set(err, EINVAL, "list: '%s' is one word too many", text);
    in->what = text;
    return 0;
}

static const struct options_entry entries[] = {
    OPTION_FLAG("man", man,
                "write keys, columns or rules as a manual page, for man -l -"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "list",
    .words = "[schemes|kernels|events|perturbations|transports]\n"
             "keys|columns|rules",
    .summary = "Lists schemes, kernels and perturbations with their keys, "
               "transports with what goes with them, counter events, the keys "
               "of campaigns, the columns of results and what rules name.",
    .details = "A key is given after the name, as in css:chunk=64 or "
               "mandelbrot:size=512,maxiter=200.",
    .examples = "dlsbench list\n"
                "dlsbench list schemes\n"
                "dlsbench list keys --man | man -l -",
    .tables = (const struct options_entry *const[]){entries, NULL},
    .take_word = take_word};

static void print_section(const struct section *section, bool man)
{
    if (section->page != NULL)
        section->page(man);
    else
        section->print();
}

static int print_named(const struct list_options *in, struct error *err)
{
    const char *names[SECTIONS + 1] = {NULL};
    for (int i = 0; i < SECTIONS; i++) {
        names[i] = sections[i].name;
        if (strcmp(sections[i].name, in->what) != 0)
            continue;
        if (in->man && sections[i].page == NULL)
            return error_set(err, EINVAL,
                             "list: --man is for keys, columns and rules, not "
                             "for %s",
                             in->what);
        print_section(&sections[i], in->man);
        return 0;
    }
    return nearest_unknown(err, in->what, names, "", "list: unknown '%s'",
                           in->what);
}

int list_command(int argc, char **argv)
{
    struct error err = {""};
    struct list_options in = {0};
    int code = options_read(&page, argc, argv, &in, &err);
    if (code == 0 && in.what != NULL)
        code = print_named(&in, &err);
    else if (code == 0 && in.man)
        code = error_set(&err, EINVAL,
                         "list: --man needs keys, columns or "
                         "rules before it");
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    for (int i = 0; in.what == NULL && i < SECTIONS; i++) {
        if (i > 0)
            putchar('\n');
        print_section(&sections[i], false);
    }
    return COMMAND_OK;
}
