/* dlsbench list keys, columns and rules: what files have, a sentence each, and
 * the manual pages of these files. */
#include "bench/commands/list_command.h"

#include "bench/campaign/campaign_keys.h"
#include "bench/options/options.h"
#include "harness/cell/cell_field.h"
#include "harness/transport/registry/transport_registry.h"

#include <stdio.h>

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

void list_keys(bool man)
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

void list_columns(bool man)
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
    for (int t = 0; transport_list[t] != NULL; t++) {
        const struct transport_rules *rules = transport_list[t]->rules;
        for (int i = 0; i < TRANSPORT_FACTS && rules->fact[i].name; i++)
            print_row(man, rules->fact[i].name, rules->fact[i].help);
    }
    print_heading(man, "its cell");
    for (int i = 0; i < CELL_FIELDS; i++)
        if (!cell_field_table[i].asks && cell_field_table[i].size > 0)
            print_row(man, cell_field_table[i].name, cell_field_table[i].help);
}

void list_rules(bool man)
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
