/* dlsbench list: what can be named in specs, campaigns and rules.  Except for
 * rules, the text comes from the tables that also parse the names, so additions
 * appear here by themselves. */

#include "base/nearest.h"
#include "bench/campaign/campaign_keys.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "harness/cell/cell_field.h"
#include "harness/check/choice.h"
#include "harness/counters/counters.h"
#include "harness/disturb/perturb.h"
#include "harness/transport/openmp/openmp_schedule.h"
#include "harness/transport/registry/transport_registry.h"
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

/* dlsbench list keys, columns and rules: the contents of files, with a sentence
 * each, and the manual pages of these files. */
static void begin_page(bool man, const char *name, const char *summary,
                       const char *text)
{
    if (man) {
        options_man_begin(stdout, name, 5, summary);
        puts(".SH DESCRIPTION");
        options_man_text(stdout, text);
        return;
    }
    printf("%s\n\n", summary);
    options_print_text(stdout, text);
}

static void print_heading(bool man, const char *title)
{
    printf(man ? ".SS %s\n" : "\n%s\n", title);
}

static void print_row(bool man, const char *name, const char *help)
{
    (man ? options_man_row : options_print_row)(stdout, name, help);
}

static void list_keys(bool man)
{
    const char *names[CAMPAIGN_KEYS_MAX];
    begin_page(
        man, "keys", "keys of campaign files",
        "A campaign is a YAML file that `dlsbench run` measures:\n"
        "\n"
        "    repetitions: 20\n"
        "    cells:\n"
        "      - {kernel: mandelbrot, scheme: [ss, gss], threads: 2}\n"
        "\n"
        "A key of a cell in the file itself is the default of all cells.");
    print_heading(man, "keys of the file");
    campaign_key_names(CAMPAIGN_KEYS_ALL, names);
    for (int i = 0; names[i] != NULL; i++)
        if (!campaign_key_is_field(names[i]))
            print_row(man, names[i], campaign_key_help(names[i]));
    print_heading(man, "keys of a cell");
    campaign_key_names(CAMPAIGN_KEYS_CELL, names);
    for (int i = 0; names[i] != NULL; i++)
        print_row(man, names[i], campaign_key_help(names[i]));
}

static const struct {
    const char *name, *help;
} columns[] = {
#define COLUMN(type, name, write, of, text) {#name, text},
#include "harness/record/line/run_columns.def"
};

static void list_columns(bool man)
{
    begin_page(
        man, "columns", "columns of result files",
        "`dlsbench run` writes a directory.  Its files runs-*.jsonl have a "
        "line for each repetition, a JSON object with these members, and a "
        "line `cell_done` where a cell ends.  Use the repetitions of a cell "
        "only where its line `cell_done` of the same launch has the status "
        "ok.");
    print_heading(man, "the repetition");
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        if (columns[i].help != NULL)
            print_row(man, columns[i].name, columns[i].help);
    print_heading(man, "what its transport counts");
    const char *before = ""; /* shared and window count the same */
    for (int t = 0; transport_list[t] != NULL; t++) {
        const struct transport_rules *rules = transport_list[t]->rules;
        for (int i = 0; i < TRANSPORT_FACTS && rules->fact[i].name; i++) {
            if (strcmp(rules->fact[i].name, before) != 0)
                print_row(man, rules->fact[i].name, rules->fact[i].help);
            before = rules->fact[i].name;
        }
    }
    print_heading(man, "its cell");
    for (int i = 0; i < CELL_FIELDS; i++)
        if (!cell_field_table[i].asks && cell_field_table[i].size > 0)
            print_row(man, cell_field_table[i].name, cell_field_table[i].help);
}

static void list_rules(bool man)
{
    begin_page(
        man, "rules", "rules of `dlsbench omp --scheme @FILE`",
        "A line of the file is a rule, LOOP = SCHEME.  What follows # is a "
        "comment:\n"
        "\n"
        "    solver.c:120 = fss\n"
        "    assemble     = awf-c  # a function\n"
        "    *            = gss\n"
        "\n"
        "A loop is named once.  `dlsbench list schemes` names the schemes.");
    print_heading(man, "what names a loop");
    print_row(man, "FILE:LINE",
              "its place, with or without folders, as reported");
    print_row(man, "FUNCTION", "the function that has it, as reported");
    print_row(
        man, "MODULE:BUILD+OFFSET",
        "its place in one build, as `--try` writes it; goes before the others");
    print_row(man, "*", "every loop that no other rule names");
}

/* dlsbench list transports: possible combinations, and reasons against
 * others. */
/* Marks whether the transport allows a request, and lists the exceptions:
 * values of the transport's extra field. */
static void mark_request(const struct transport_rules *rules,
                         enum transport_ask ask, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "%s", rules->refuses[ask] == NULL ? "yes" : "-");
    for (int i = 0; rules->refuses[ask] == NULL && i < TRANSPORT_CHOICES; i++)
        if (rules->choice[i].name != NULL &&
            rules->choice[i].refuses[ask] != NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used == 0 ? "not " : ", ",
                                     rules->choice[i].name);
}

static void print_table(void)
{
    char text[64];
    printf("\n%-38s", "");
    for (int t = 0; transport_list[t] != NULL; t++)
        printf(transport_list[t + 1] != NULL ? " %-7s" : " %s\n",
               transport_list[t]->rules->name);
    for (int ask = 0; ask < TRANSPORT_ASKS; ask++) {
        printf("%-38s", transport_asks[ask]);
        for (int t = 0; transport_list[t] != NULL; t++) {
            mark_request(transport_list[t]->rules, ask, text, sizeof(text));
            printf(transport_list[t + 1] != NULL ? " %-7s" : " %s\n", text);
        }
    }
}

static void print_fields(const struct transport_rules *rules)
{
    for (int i = 0; i < TRANSPORT_FIELDS && rules->fields[i] != NULL; i++)
        printf("%s%s", i == 0 ? "    fields: " : ", ", rules->fields[i]);
    if (rules->fields[0] != NULL)
        putchar('\n');
    if (rules->field != NULL)
        printf("    %s: ", rules->field);
    for (int i = 0; i < TRANSPORT_CHOICES && rules->choice[i].name; i++)
        printf("%s%s", i == 0 ? "" : ", ", rules->choice[i].name);
    if (rules->field != NULL)
        putchar('\n');
    for (int i = 0; i < TRANSPORT_FACTS && rules->fact[i].name; i++)
        printf("%s%s (%s)", i == 0 ? "    records: " : ", ",
               rules->fact[i].name, rules->fact[i].unit);
    if (rules->fact[0].name != NULL)
        putchar('\n');
}

static void print_refusals(const char *const *refuses, const char *field,
                           const char *choice)
{
    for (int ask = 0; ask < TRANSPORT_ASKS; ask++) {
        if (refuses[ask] == NULL)
            continue;
        printf("    no %s", transport_asks[ask]);
        if (choice != NULL)
            printf(" with %s %s", field, choice);
        printf(": it %s\n", refuses[ask]);
    }
}

static void list_transports(void)
{
    puts("transports: how chunks reach the workers (push: transport master "
         "under protocol push)");
    print_table();
    for (int t = 0; transport_list[t] != NULL; t++) {
        const struct transport_rules *rules = transport_list[t]->rules;
        printf("\n%s: %s\n", rules->name, rules->summary);
        print_fields(rules);
        print_refusals(rules->refuses, NULL, NULL);
        for (int i = 0; i < TRANSPORT_CHOICES; i++)
            print_refusals(rules->choice[i].refuses, rules->field,
                           rules->choice[i].name);
    }
}

struct section {
    const char *name;
    void (*print)(void);
    void (*page)(bool man); /* instead of it: may be a manual page */
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
