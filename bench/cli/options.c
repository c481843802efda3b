#include "bench/cli/options.h"

#include "base/nearest.h"
#include "bench/cli/numbers.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Options are numbered above all characters. */
enum { ENTRIES_MAX = 96, FIRST_KEY = 256, HELP_KEY = FIRST_KEY + ENTRIES_MAX };

/* All entries of all tables, as getopt_long wants them. */
struct reader {
    const struct options_entry *entry[ENTRIES_MAX];
    bool seen[ENTRIES_MAX];
    struct option known[ENTRIES_MAX + 2];
    int count;
};

static bool is_end(const struct options_entry *entry)
{
    return entry->name == NULL && entry->group == NULL;
}

static void collect_entries(const struct options_page *page, struct reader *r)
{
    r->count = 0;
    for (int t = 0; page->tables != NULL && page->tables[t] != NULL; t++) {
        const struct options_entry *e = page->tables[t];
        for (; !is_end(e) && r->count < ENTRIES_MAX; e++) {
            if (e->name == NULL)
                continue;
            r->known[r->count] = (struct option){
                .name = e->name,
                .has_arg = e->value == NULL     ? no_argument
                           : e->implied != NULL ? optional_argument
                                                : required_argument,
                .val = FIRST_KEY + r->count};
            r->seen[r->count] = false;
            r->entry[r->count++] = e;
        }
    }
    r->known[r->count] = (struct option){.name = "help", .val = HELP_KEY};
    r->known[r->count + 1] = (struct option){.name = NULL};
}

/* ---- what getopt_long did not understand ---- */

static int count_beginnings(const struct reader *r, const char *name)
{
    int found = 0;
    for (int i = 0; r->known[i].name != NULL; i++)
        found += strncmp(r->known[i].name, name, strlen(name)) == 0;
    return found;
}

static int unknown_option(const struct options_page *page,
                          const struct reader *r, const char *word,
                          struct error *err)
{
    const char *names[ENTRIES_MAX + 2] = {NULL};
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (count_beginnings(r, name) > 1)
        return error_set(err, EINVAL,
                         "option --%s is the beginning of several, write it "
                         "in full",
                         name);
    for (int i = 0; r->known[i].name != NULL; i++)
        names[i] = r->known[i].name;
    const char *near = nearest_name(name, names);
    if (near != NULL)
        return error_set(err, EINVAL, "unknown option --%s; did you mean --%s?",
                         name, near);
    return error_set(err, EINVAL,
                     "unknown option --%s; 'dlsbench %s --help' lists what "
                     "there is",
                     name, page->name);
}

/* getopt_long gives the key of an option that it knows but that lacks a value
 * or has one too many. */
static int wrong_value(const struct reader *r, int key, const char *what,
                       struct error *err)
{
    const char *name =
        key == HELP_KEY ? "help" : r->entry[key - FIRST_KEY]->name;
    return error_set(err, EINVAL, "option --%s %s", name, what);
}

/* on, off or a number after an option whose value may be left out was meant
 * for it, and would be taken for a word. */
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
    return nearest_unknown(err, text, entry->words, "--%s: '%s' is unknown",
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
    }
    return -EINVAL;
}

static int take_option(struct reader *r, int number, char **argv, void *command,
                       struct error *err)
{
    const struct options_entry *entry = r->entry[number];
    r->seen[number] = true;
    if (entry->implied != NULL && optarg == NULL) {
        int code = check_stray_value(entry, argv[optind], err);
        if (code != 0)
            return code;
        return take_value(command, entry, entry->implied, err);
    }
    return take_value(command, entry, optarg, err);
}

static int check_required(const struct options_page *page,
                          const struct reader *r, struct error *err)
{
    for (int i = 0; i < r->count; i++)
        if (r->entry[i]->required && !r->seen[i])
            return error_set(err, EINVAL, "%s: --%s is missing", page->name,
                             r->entry[i]->name);
    return 0;
}

static int take_words(const struct options_page *page, int argc, char **argv,
                      void *command, struct error *err)
{
    int code = 0;
    for (int i = optind; code == 0 && i < argc; i++) {
        if (page->take_word == NULL)
            return error_set(err, EINVAL, "%s: '%s' is not an option",
                             page->name, argv[i]);
        code = page->take_word(command, argv[i], err);
    }
    return code;
}

/* What getopt_long did not take; optopt is a key, a character or 0. */
static int refuse_option(const struct options_page *page,
                         const struct reader *r, bool lacks_value, char **argv,
                         struct error *err)
{
    if (lacks_value)
        return wrong_value(r, optopt, "needs a value", err);
    if (optopt >= FIRST_KEY)
        return wrong_value(r, optopt, "takes no value", err);
    if (optopt > 0)
        return error_set(err, EINVAL,
                         "unknown option -%c; options begin with --", optopt);
    return unknown_option(page, r, argv[optind - 1], err);
}

static void end_with_help(const struct options_page *page)
{
    options_print_help(page, stdout);
    exit(fflush(stdout) == 0 ? 0 : 1);
}

int options_read(const struct options_page *page, int argc, char **argv,
                 void *command, struct error *err)
{
    struct reader r;
    int code = 0;
    collect_entries(page, &r);
    optind = 0; /* getopt_long begins anew */
    while (code == 0) {
        int key = getopt_long(argc, argv, ":h", r.known, NULL);
        if (key < 0)
            break;
        if (key == HELP_KEY || key == 'h')
            end_with_help(page);
        if (key == ':' || key == '?')
            code = refuse_option(page, &r, key == ':', argv, err);
        else
            code = take_option(&r, key - FIRST_KEY, argv, command, err);
    }
    if (code == 0)
        code = take_words(page, argc, argv, command, err);
    return code == 0 ? check_required(page, &r, err) : code;
}
