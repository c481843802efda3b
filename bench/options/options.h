/* The command line of a subcommand as one table for parsing, checks, --help,
 * --usage and manual pages.
 *
 * A value is stored at the table's offset into the command's own struct, which
 * the command fills with defaults before.  Options may be shortened to an
 * unambiguous prefix. */
#ifndef BENCH_OPTIONS_OPTIONS_H
#define BENCH_OPTIONS_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum options_type {
    OPTIONS_FLAG,    /* bool, set to true; without a value */
    OPTIONS_TEXT,    /* const char *, not empty */
    OPTIONS_INTEGER, /* int64_t in [min, max] */
    OPTIONS_REAL,    /* double in [min, max] */
    OPTIONS_WORD,    /* int, the index in `words` */
    OPTIONS_CALL,    /* `take` does the work */
    /* Print and end the program.  Every command has them. */
    OPTIONS_HELP,
    OPTIONS_USAGE,
    OPTIONS_VERSION,
};

struct options_entry {
    const char *name;  /* without --; NULL: only `group`, a heading */
    const char *value; /* name of the value in help: "N"; NULL for flags */
    const char *help;
    enum options_type type;
    size_t offset;
    double min, max;          /* of numbers */
    const char *const *words; /* NULL ends the list */
    /* The value of an option without "=value", if the value is optional; a
     * value must then follow a '='. */
    const char *implied;
    bool required;
    /* `text` is NULL for an option without a value.  Returns 0 or a negative
     * errno with a text. */
    int (*take)(void *command, const struct options_entry *entry,
                const char *text, struct error *err);
    const char *group;
};

/* Entries of a table.  Define OPTIONS_OF as the command's own struct; after the
 * help further members may follow:
 *     OPTION_TEXT("out", "DIR", dir.out, "where to write", .required = true) */
#define OPTION_PLACED(title, what, kind, member)                               \
    .name = title, .value = what, .type = kind,                                \
    .offset = offsetof(OPTIONS_OF, member)
#define OPTION_FLAG(title, member, ...)                                        \
    {                                                                          \
        OPTION_PLACED(title, NULL, OPTIONS_FLAG, member), .help = __VA_ARGS__  \
    }
#define OPTION_TEXT(title, what, member, ...)                                  \
    {                                                                          \
        OPTION_PLACED(title, what, OPTIONS_TEXT, member), .help = __VA_ARGS__  \
    }
#define OPTION_WHOLE(title, what, member, least, most, ...)                    \
    {                                                                          \
        OPTION_PLACED(title, what, OPTIONS_INTEGER, member),                   \
            .min = least, .max = most, .help = __VA_ARGS__                     \
    }
#define OPTION_REAL(title, what, member, least, most, ...)                     \
    {                                                                          \
        OPTION_PLACED(title, what, OPTIONS_REAL, member),                      \
            .min = least, .max = most, .help = __VA_ARGS__                     \
    }
#define OPTION_WORD(title, what, member, list, ...)                            \
    {                                                                          \
        OPTION_PLACED(title, what, OPTIONS_WORD, member), .words = list,       \
                                                          .help = __VA_ARGS__  \
    }
#define OPTION_CALL(title, what, function, ...)                                \
    {                                                                          \
        .name = title, .value = what, .type = OPTIONS_CALL, .take = function,  \
        .help = __VA_ARGS__                                                    \
    }

struct options_page {
    const char *name;     /* of the subcommand; NULL: dlsbench itself */
    const char *words;    /* words after the options: "[schemes|kernels]", or
                             NULL; one line for each usage */
    const char *summary;  /* one or two sentences */
    const char *details;  /* paragraphs, separated by empty lines; a line that
                             begins with a blank is not wrapped; or NULL */
    const char *examples; /* one per line, without a margin; or NULL */
    /* The tables; each ends with an entry without name and group; NULL ends the
     * list. */
    const struct options_entry *const *tables;
    /* The options that --help shows, ended by NULL; --help=all shows all.
     * NULL: --help shows all. */
    const char *const *common;
    /* Called for a word that is not an option.  NULL: words are errors. */
    int (*take_word)(void *command, const char *text, struct error *err);
    /* Prints the words that it takes for --help=complete, or NULL. */
    void (*print_words)(FILE *out);
};

/* Tables that every command has after its own; NULL ends the list. */
extern const struct options_entry *const options_common[];

/* Reads a command line whose argv[0] is "dlsbench NAME" into `command`.
 * --help[=all|man|complete] (-h, -?), --usage and --version (-V) print on
 * stdout and end the program.  Returns 0 or -EINVAL with one line. */
int options_read(const struct options_page *page, int argc, char **argv,
                 void *command, struct error *err);

/* For a struct whose members are false, NULL, 0, NAN or, for words, -1 if not
 * given: whether this option is given, and the name of the first given one
 * (NULL: none).  Ignores options with a `take`. */
bool options_given(const struct options_page *page, const char *name,
                   const void *command);
const char *options_first_given(const struct options_page *page,
                                const void *command);

/* Whether the entry ends a table. */
bool options_is_end(const struct options_entry *entry);

/* Print --help (`all`: --help=all) and --usage. */
void options_print_help(const struct options_page *page, bool all, FILE *out);
void options_print_usage(const struct options_page *page, FILE *out);

/* --help=man: the manual page, for man(1). --help=complete: for shells, a line
 * for each option, or for each word that it takes: "--name=word", a tab and the
 * help; then the words of print_words. */
void options_print_man(const struct options_page *page, FILE *out);
void options_print_complete(const struct options_page *page, FILE *out);

/* Help on other topics in pieces: paragraphs (as details above), and a name
 * with its sentence; likewise for a manual page, which begins with a head. */
void options_print_text(FILE *out, const char *text);
void options_print_row(FILE *out, const char *title, const char *help);
void options_man_begin(FILE *out, const char *name, int section,
                       const char *summary);
void options_man_text(FILE *out, const char *text);
void options_man_row(FILE *out, const char *title, const char *help);

#endif
