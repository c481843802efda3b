#include "bench/options/options.h"

#include "base/nearest.h"
#include "bench/options/numbers.h"
#include "harness/record/build.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Options are numbered above all characters. */
enum { ENTRIES_MAX = 128, FIRST_KEY = 256 };

/* All entries of all tables, as getopt_long wants them. */
struct parser {
    const struct options_page *page;
    const struct options_entry *entry[ENTRIES_MAX];
    bool seen[ENTRIES_MAX];
    struct option known[ENTRIES_MAX + 1];
    int count;
};

static const struct options_entry common[] = {
    {.group = "Every command has:"},
    {.name = "help", .type = OPTIONS_HELP, .help = "print this text (-h, -?)"},
    {.name = "usage",
     .type = OPTIONS_USAGE,
     .help = "print the options without their meaning"},
    {.name = "version",
     .type = OPTIONS_VERSION,
     .help = "print the version of the program (-V)"},
    {.name = NULL},
};

const struct options_entry *const options_common[] = {common, NULL};

bool options_is_end(const struct options_entry *entry)
{
    return entry->name == NULL && entry->group == NULL;
}

static int add_entry(struct parser *r, const struct options_entry *e,
                     struct error *err)
{
    if (r->count == ENTRIES_MAX)
        return error_set(err, E2BIG, "%s has more than %d options",
                         r->page->name, ENTRIES_MAX);
    r->known[r->count] =
        (struct option){.name = e->name,
                        .has_arg = e->type == OPTIONS_HELP ? optional_argument
                                   : e->value == NULL      ? no_argument
                                   : e->implied != NULL    ? optional_argument
                                                           : required_argument,
                        .val = FIRST_KEY + r->count};
    r->seen[r->count] = false;
    r->entry[r->count++] = e;
    return 0;
}

static int add_tables(struct parser *r,
                      const struct options_entry *const *tables,
                      struct error *err)
{
    int code = 0;
    for (int t = 0; tables != NULL && tables[t] != NULL; t++)
        for (const struct options_entry *e = tables[t];
             code == 0 && !options_is_end(e); e++)
            if (e->name != NULL)
                code = add_entry(r, e, err);
    return code;
}

/* ---- what getopt_long did not understand ---- */

static int unknown_option(const struct parser *r, const char *word,
                          struct error *err)
{
    const char *names[ENTRIES_MAX + 1] = {NULL};
    const char *command = r->page->name;
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    int beginnings = 0;
    for (int i = 0; i < r->count; i++)
        beginnings += strncmp(r->known[i].name, name, strlen(name)) == 0;
    if (beginnings > 1)
        return error_set(err, EINVAL,
                         "option --%s is the beginning of several, write it "
                         "in full",
                         name);
    for (int i = 0; i < r->count; i++)
        names[i] = r->known[i].name;
    const char *near = nearest_name(name, names);
    if (near != NULL)
        return error_set(err, EINVAL, "unknown option --%s; did you mean --%s?",
                         name, near);
    return error_set(err, EINVAL,
                     "unknown option --%s; 'dlsbench%s%s --help%s' lists what "
                     "there is",
                     name, command != NULL ? " " : "",
                     command != NULL ? command : "",
                     r->page->common != NULL ? "=all" : "");
}

/* getopt_long gives the key of an option that it knows but that lacks a value
 * or has one too many. */
static int wrong_value(const struct parser *r, int key, const char *what,
                       struct error *err)
{
    return error_set(err, EINVAL, "option --%s %s",
                     r->entry[key - FIRST_KEY]->name, what);
}

/* An option with an optional value takes it only after '='. A word such as on,
 * off or a number after the option was meant as its value, so refuse it. */
static int check_stray_value(const struct options_entry *entry,
                             const char *next, struct error *err)
{
    char *end;
    if (next == NULL || next[0] == '\0')
        return 0;
    strtod(next, &end);
    if (*end != '\0' && strcmp(next, "on") != 0 && strcmp(next, "off") != 0)
        return 0;
    return error_set(err, EINVAL,
                     "option --%s: its value comes after a '=': --%s=%s",
                     entry->name, entry->name, next);
}

/* ---- values ---- */

static int take_number(const struct options_entry *entry, void *place,
                       const char *text, struct error *err)
{
    char name[64];
    snprintf(name, sizeof(name), "--%s", entry->name);
    if (entry->type == OPTIONS_REAL)
        return number_real(name, text, entry->min, entry->max, place, err);
    return number_integer(name, text, (int64_t)entry->min, (int64_t)entry->max,
                          place, err);
}

static int take_listed_word(const struct options_entry *entry, int *index,
                            const char *text, struct error *err)
{
    for (int i = 0; entry->words[i] != NULL; i++) {
        if (strcmp(entry->words[i], text) == 0) {
            *index = i;
            return 0;
        }
    }
    return nearest_unknown(err, text, entry->words, "", "--%s: '%s' is unknown",
                           entry->name, text);
}

static int take_value(void *command, const struct options_entry *entry,
                      const char *text, struct error *err)
{
    void *place = (char *)command + entry->offset;
    switch (entry->type) {
    case OPTIONS_FLAG:
        *(bool *)place = true;
        return 0;
    case OPTIONS_TEXT:
        *(const char **)place = text;
        if (text[0] != '\0')
            return 0;
        return error_set(err, EINVAL, "--%s: the value is empty", entry->name);
    case OPTIONS_INTEGER:
    case OPTIONS_REAL:
        return take_number(entry, place, text, err);
    case OPTIONS_WORD:
        return take_listed_word(entry, place, text, err);
    case OPTIONS_CALL:
        return entry->take(command, entry, text, err);
    default:
        return -EINVAL;
    }
}

/* `form` is the value of --help, or NULL. */
static void end_program(const struct options_page *page, enum options_type type,
                        const char *form)
{
    if (type == OPTIONS_HELP && form != NULL && strcmp(form, "man") == 0)
        options_print_man(page, stdout);
    else if (type == OPTIONS_HELP && form != NULL &&
             strcmp(form, "complete") == 0)
        options_print_complete(page, stdout);
    else if (type == OPTIONS_HELP)
        options_print_help(page, form != NULL, stdout);
    else if (type == OPTIONS_USAGE)
        options_print_usage(page, stdout);
    else
        printf("dlsbench %s\n", build_version);
    exit(fflush(stdout) == 0 ? 0 : 1);
}

static int take_option(struct parser *r, int number, char **argv, void *command,
                       struct error *err)
{
    const struct options_entry *entry = r->entry[number];
    r->seen[number] = true;
    if (entry->type >= OPTIONS_HELP && optarg != NULL &&
        strcmp(optarg, "all") != 0 && strcmp(optarg, "man") != 0 &&
        strcmp(optarg, "complete") != 0)
        return error_set(err, EINVAL,
                         "--help: '%s' is unknown; allowed: --help, "
                         "--help=all, --help=man, --help=complete",
                         optarg);
    if (entry->type >= OPTIONS_HELP)
        end_program(r->page, entry->type, optarg);
    if (entry->implied != NULL && optarg == NULL) {
        int code = check_stray_value(entry, argv[optind], err);
        if (code != 0)
            return code;
        return take_value(command, entry, entry->implied, err);
    }
    return take_value(command, entry, optarg, err);
}

static int take_words(const struct options_page *page, int argc, char **argv,
                      void *command, struct error *err)
{
    int code = 0;
    for (int i = optind; code == 0 && i < argc; i++) {
        if (page->take_word == NULL)
            return error_set(err, EINVAL, "%s: '%s' is not an option",
                             page->name != NULL ? page->name : "dlsbench",
                             argv[i]);
        code = page->take_word(command, argv[i], err);
    }
    return code;
}

/* getopt_long stays at a word while it has more bytes, as those of a character
 * that is not ASCII. */
static const char *find_short(char **argv)
{
    const char *at = argv[optind];
    bool stays = at != NULL && at[0] == '-' && strchr(at, optopt) != NULL;
    return stays ? at : argv[optind - 1];
}

/* An option that getopt_long refused; optopt is a key, a character (negative
 * when it is not ASCII) or 0. */
static int refuse_option(const struct parser *r, bool lacks_value, char **argv,
                         struct error *err)
{
    if (lacks_value)
        return wrong_value(r, optopt, "needs a value", err);
    if (optopt >= FIRST_KEY)
        return wrong_value(r, optopt, "takes no value", err);
    if (optopt < 0)
        return error_set(err, EINVAL,
                         "unknown option %s; options begin with --",
                         find_short(argv));
    if (optopt > 0)
        return error_set(err, EINVAL,
                         "unknown option -%c; options begin with --", optopt);
    return unknown_option(r, argv[optind - 1], err);
}

int options_read(const struct options_page *page, int argc, char **argv,
                 void *command, struct error *err)
{
    struct parser r;
    r.page = page;
    r.count = 0;
    int code = add_tables(&r, page->tables, err);
    if (code == 0)
        code = add_tables(&r, options_common, err);
    r.known[r.count] = (struct option){.name = NULL};
    optind = 0; /* getopt_long begins anew */
    while (code == 0) {
        int key = getopt_long(argc, argv, ":hV", r.known, NULL);
        if (key < 0)
            break;
        if (key == 'h' || (key == '?' && optopt == '?'))
            end_program(page, OPTIONS_HELP, NULL);
        if (key == 'V')
            end_program(page, OPTIONS_VERSION, NULL);
        if (key == ':' || key == '?')
            code = refuse_option(&r, key == ':', argv, err);
        else
            code = take_option(&r, key - FIRST_KEY, argv, command, err);
    }
    if (code == 0)
        code = take_words(page, argc, argv, command, err);
    for (int i = 0; code == 0 && i < r.count; i++)
        if (r.entry[i]->required && !r.seen[i])
            code = error_set(err, EINVAL, "%s: --%s is missing", page->name,
                             r.entry[i]->name);
    return code;
}

static bool is_given(const struct options_entry *entry, const void *command)
{
    const void *at = (const char *)command + entry->offset;
    switch (entry->type) {
    case OPTIONS_FLAG:
        return *(const bool *)at;
    case OPTIONS_TEXT:
        return *(const char *const *)at != NULL;
    case OPTIONS_INTEGER:
        return *(const int64_t *)at != 0;
    case OPTIONS_REAL:
        return !isnan(*(const double *)at);
    case OPTIONS_WORD:
        return *(const int *)at >= 0;
    default:
        return false;
    }
}

/* The first given option, among those with this name or (NULL) all. */
static const char *find_given(const struct options_page *page, const char *name,
                              const void *command)
{
    for (int t = 0; page->tables[t] != NULL; t++) {
        const struct options_entry *e = page->tables[t];
        for (; !options_is_end(e); e++)
            if (e->name != NULL &&
                (name == NULL || strcmp(e->name, name) == 0) &&
                is_given(e, command))
                return e->name;
    }
    return NULL;
}

bool options_given(const struct options_page *page, const char *name,
                   const void *command)
{
    return find_given(page, name, command) != NULL;
}

const char *options_first_given(const struct options_page *page,
                                const void *command)
{
    return find_given(page, NULL, command);
}
