/* Command lines from a table: values, abbreviations, and what is refused. */
#include "base/unit_testing.h"

#include "bench/options/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16 };

struct command {
    bool loud;
    const char *out;
    int64_t count;
    double share;
    int format;
    char smt[8], words[64];
};

static int take_smt(void *command, const struct options_entry *entry,
                    const char *text, struct error *err)
{
    struct command *c = command;
    (void)entry, (void)err;
    snprintf(c->smt, sizeof(c->smt), "%s", text);
    return 0;
}

static int take_word(void *command, const char *text, struct error *err)
{
    struct command *c = command;
    if (strcmp(text, "bad") == 0)
        return error_set(err, EINVAL, "test: '%s' is bad", text);
    strcat(strcat(c->words, text), " ");
    return 0;
}

static const char *const formats[] = {"table", "csv", NULL};

static const struct options_entry entries[] = {
    {.group = "First:"},
    {.name = "loud",
     .type = OPTIONS_FLAG,
     .offset = offsetof(struct command, loud),
     .help = "say more"},
    {.name = "out",
     .value = "FILE",
     .type = OPTIONS_TEXT,
     .offset = offsetof(struct command, out),
     .help = "where to"},
    {.name = "count",
     .value = "N",
     .type = OPTIONS_INTEGER,
     .required = true,
     .offset = offsetof(struct command, count),
     .min = 1,
     .max = 100,
     .help = "so often"},
    {.name = NULL},
};

static const struct options_entry more[] = {
    {.name = "share",
     .value = "X",
     .type = OPTIONS_REAL,
     .offset = offsetof(struct command, share),
     .min = 0,
     .max = 1,
     .help = "a part"},
    {.name = "format",
     .value = "table|csv",
     .type = OPTIONS_WORD,
     .offset = offsetof(struct command, format),
     .words = formats,
     .help = "default table"},
    {.name = "smt",
     .value = "on|off",
     .implied = "on",
     .type = OPTIONS_CALL,
     .take = take_smt,
     .help = "hardware threads"},
    {.name = "short",
     .type = OPTIONS_FLAG,
     .offset = offsetof(struct command, loud),
     .help = "begins as share does"},
    {.name = NULL},
};

static const struct options_page page = {
    .name = "test",
    .words = "[WORD]",
    .summary = "Tests.",
    .details = "One paragraph.\n\nAnother.",
    .examples = "dlsbench test --count 1",
    .tables = (const struct options_entry *const[]){entries, more, NULL},
    .take_word = take_word};

/* Reads "a b c"; the words live as long as the test. */
static int read_line(const struct options_page *of, const char *line,
                     struct command *command, struct error *err)
{
    static char copy[256];
    char *argv[WORDS_MAX + 2] = {"dlsbench test"};
    int argc = 1;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word && argc <= WORDS_MAX;
         word = strtok(NULL, " "))
        argv[argc++] = word;
    *command = (struct command){.format = -1};
    return options_read(of, argc, argv, command, err);
}

static void values_reach_their_places(void **unused)
{
    struct command c;
    struct error err;
    assert_int_equal(read_line(&page,
                               "one --loud --out=a.txt two --count 7 --share "
                               "1/4 --format csv --smt=off",
                               &c, &err),
                     0);
    assert_true(c.loud);
    assert_string_equal(c.out, "a.txt");
    assert_int_equal(c.count, 7);
    assert_true(c.share == 0.25);
    assert_int_equal(c.format, 1);
    assert_string_equal(c.smt, "off");
    assert_string_equal(c.words, "one two ");
    assert_int_equal(read_line(&page, "--count 1 --smt -- --loud", &c, &err),
                     0);
    assert_string_equal(c.smt, "on");
    assert_false(c.loud);
    assert_string_equal(c.words, "--loud ");
    assert_int_equal(read_line(&page, "--cou 3 --lo", &c, &err), 0);
    assert_int_equal(c.count, 3);
}

static void what_is_wrong_is_said_in_one_line(void **unused)
{
    static const struct {
        const char *line, *text;
    } rows[] = {
        {"", "test: --count is missing"},
        {"--count", "option --count needs a value"},
        {"--count 0", "--count: 0 is out of range, allowed is 1 to 100"},
        {"--count 1.5", "--count: '1.5' is not a whole number"},
        {"--count 1 --loud=yes", "option --loud takes no value"},
        {"--count 1 --out=", "--out: the value is empty"},
        {"--count 1 --format cvs", "--format: 'cvs' is unknown; did you mean "
                                   "'csv'? allowed: table, csv"},
        {"--cuont 1", "unknown option --cuont; did you mean --count?"},
        {"--zzzzzzzzz",
         "unknown option --zzzzzzzzz; 'dlsbench test --help' lists what there "
         "is"},
        {"--count 1 --s", "option --s is the beginning of several, write it in "
                          "full"},
        {"--count 1 -x", "unknown option -x; options begin with --"},
        {"--count 1 -\xc3\xbc one", "unknown option -\xc3\xbc; options begin "
                                    "with --"},
        {"-\xc3\xbc", "unknown option -\xc3\xbc; options begin with --"},
        {"--count 1 --smt on",
         "option --smt: its value comes after a '=': --smt=on"},
        {"--count 1 bad", "test: 'bad' is bad"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct command c;
        struct error err = {""};
        assert_int_equal(read_line(&page, rows[i].line, &c, &err), -EINVAL);
        assert_string_equal(err.text, rows[i].text);
    }
}

static void a_short_option_after_an_empty_word_is_named(void **unused)
{
    char *argv[] = {"dlsbench test", "", "-\xc3\xbc", NULL};
    struct command c = {.format = -1};
    struct error err = {""};
    assert_int_equal(options_read(&page, 3, argv, &c, &err), -EINVAL);
    assert_string_equal(err.text,
                        "unknown option -\xc3\xbc; options begin with --");
}

static void a_word_where_none_is_allowed_is_refused(void **unused)
{
    struct options_page strict = page;
    struct command c;
    struct error err = {""};
    strict.take_word = NULL;
    assert_int_equal(read_line(&strict, "--count 1 more", &c, &err), -EINVAL);
    assert_string_equal(err.text, "test: 'more' is not an option");
}

/* The printed page; the caller frees it. */
static char *print_page(bool help, bool all, const struct options_page *of)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (help)
        options_print_help(of, all, out);
    else
        options_print_usage(of, out);
    fclose(out);
    return text;
}

static void help_has_every_option(void **unused)
{
    char *text = print_page(true, false, &page);
    assert_string_equal(text, "Usage: dlsbench test [OPTION...] [WORD]\n"
                              "Tests.\n"
                              "\n"
                              "First:\n"
                              "  --loud                    say more\n"
                              "  --out=FILE                where to\n"
                              "  --count=N                 so often\n"
                              "  --share=X                 a part\n"
                              "  --format=table|csv        default table\n"
                              "  --smt[=on|off]            hardware threads\n"
                              "  --short                   begins as share "
                              "does\n"
                              "\n"
                              "Every command has:\n"
                              "  --help                    print this text "
                              "(-h, -?)\n"
                              "  --usage                   print the options "
                              "without their meaning\n"
                              "  --version                 print the version "
                              "of the program (-V)\n"
                              "\n"
                              "One paragraph.\n"
                              "\n"
                              "Another.\n"
                              "\n"
                              "Examples:\n"
                              "  dlsbench test --count 1\n");
    free(text);
}

static void help_has_what_is_common_and_says_where_the_rest_is(void **unused)
{
    struct options_page shortened = page;
    shortened.common = (const char *const[]){"short", "out", NULL};
    char *whole = print_page(true, true, &page);
    char *all = print_page(true, true, &shortened);
    char *text = print_page(true, false, &shortened);
    assert_string_equal(all, whole);
    assert_non_null(strstr(text, "\nFirst:\n"
                                 "  --out=FILE                where to\n"
                                 "  --short                   begins as share "
                                 "does\n"
                                 "\n"
                                 "There are 5 more: dlsbench test --help=all\n"
                                 "\n"
                                 "Every command has:\n"
                                 "  --help "));
    free(whole);
    free(all);
    free(text);
}

static void usage_names_every_option(void **unused)
{
    char *text = print_page(false, false, &page);
    assert_string_equal(text,
                        "Usage: dlsbench test [--loud] [--out=FILE] "
                        "[--count=N] [--share=X]\n"
                        "            [--format=table|csv] [--smt[=on|off]] "
                        "[--short] [--help] [--usage]\n"
                        "            [--version] [WORD]\n");
    free(text);
}

/* As it could be pasted into a shell. */
static void long_examples_go_on_behind_a_backslash(void **unused)
{
    static const struct options_page wordy = {
        .words = "FIRST\nSECOND",
        .summary = "Tests.",
        .details = " as it is\n\nAnother.",
        .examples = "dlsbench long --first 1234567890 --second 1234567890 "
                    "--third 1234567890 --fourth 1"};
    char *text = print_page(true, false, &wordy);
    assert_non_null(strstr(text, "Usage: dlsbench [OPTION...] FIRST\n"
                                 "  or:  dlsbench [OPTION...] SECOND\n"
                                 "Tests.\n"));
    assert_non_null(strstr(text, "\n as it is\n\nAnother.\n"));
    assert_non_null(strstr(text, "  dlsbench long --first 1234567890 --second "
                                 "1234567890 --third 1234567890 \\\n"
                                 "      --fourth 1\n"));
    free(text);
}

static void what_is_given_is_told_from_what_is_not(void **unused)
{
    struct command c = {.share = NAN, .format = -1};
    assert_null(options_first_given(&page, &c));
    c.format = 0;
    assert_string_equal(options_first_given(&page, &c), "format");
    assert_true(options_given(&page, "format", &c));
    assert_false(options_given(&page, "share", &c));
    c.share = 0;
    assert_true(options_given(&page, "share", &c));
    c.count = 3;
    assert_string_equal(options_first_given(&page, &c), "count");
    c.out = "a";
    assert_string_equal(options_first_given(&page, &c), "out");
    c.loud = true;
    assert_string_equal(options_first_given(&page, &c), "loud");
}

TESTS(cmocka_unit_test(values_reach_their_places),
      cmocka_unit_test(what_is_wrong_is_said_in_one_line),
      cmocka_unit_test(a_short_option_after_an_empty_word_is_named),
      cmocka_unit_test(a_word_where_none_is_allowed_is_refused),
      cmocka_unit_test(help_has_every_option),
      cmocka_unit_test(help_has_what_is_common_and_says_where_the_rest_is),
      cmocka_unit_test(usage_names_every_option),
      cmocka_unit_test(long_examples_go_on_behind_a_backslash),
      cmocka_unit_test(what_is_given_is_told_from_what_is_not))
