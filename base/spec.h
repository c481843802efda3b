/* Specs: `name:key=value,key=value`.  Schemes and kernels are written this way
 * in options, campaign files, result columns and plots.  A value with a comma
 * is quoted, as file="a,b.txt"; quotes inside are doubled.
 *
 * A scheme or kernel declares its keys in a table of struct spec_param.  This
 * module parses a spec against the table, fills in the defaults, and writes the
 * canonical form: in table order, every key that has a value and is not
 * quiet. */
#ifndef BASE_SPEC_H
#define BASE_SPEC_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SPEC_NAME_MAX = 32,
    SPEC_TEXT_MAX = 256,
    SPEC_CANONICAL_MAX = 512,
    SPEC_VALUES_MAX = 12,
};

enum spec_type {
    SPEC_INTEGER, /* 64-bit decimal, value.integer (and value.real) */
    SPEC_REAL,    /* decimal or fraction such as 1/3, value.real */
    SPEC_CHOICE,  /* one of choices, value.text */
    SPEC_TEXT,    /* any text, for kernels a file, value.text */
    SPEC_LIST,    /* text that the kernel parses, value.text */
};

struct spec_param {
    const char *key; /* NULL ends a table */
    enum spec_type type;
    const char *fallback; /* default value as text; NULL: none */
    double min, max;      /* numbers: allowed range, both ends included */
    const char *choices;  /* SPEC_CHOICE: "re|im" */
    bool required;        /* must be given (no fallback) */
    bool quiet; /* not in the canonical form if it is the fallback: for keys
                   added after results were recorded */
    const char *help; /* one short line with the unit */
};

/* An entry of such a table. usual: the fallback or NULL; after the help
 * .required = true or .quiet = true may follow. */
#define PARAM_OF(name, kind, usual, ...)                                       \
    {                                                                          \
        .key = name, .type = kind, .fallback = usual, .help = __VA_ARGS__      \
    }
#define PARAM_WHOLE(name, usual, least, most, ...)                             \
    PARAM_OF(name, SPEC_INTEGER, usual, __VA_ARGS__, .min = least, .max = most)
#define PARAM_REAL(name, usual, least, most, ...)                              \
    PARAM_OF(name, SPEC_REAL, usual, __VA_ARGS__, .min = least, .max = most)
#define PARAM_WORD(name, usual, words, ...)                                    \
    PARAM_OF(name, SPEC_CHOICE, usual, __VA_ARGS__, .choices = words)
#define PARAM_TEXT(name, usual, ...)                                           \
    PARAM_OF(name, SPEC_TEXT, usual, __VA_ARGS__)
#define PARAM_LIST(name, usual, ...)                                           \
    PARAM_OF(name, SPEC_LIST, usual, __VA_ARGS__)

struct spec_value {
    bool given; /* has a value: from the text or from the fallback */
    int64_t integer;
    double real;
    char text[SPEC_TEXT_MAX];
};

struct spec {
    char name[SPEC_NAME_MAX];
    struct spec_value value[SPEC_VALUES_MAX]; /* in the table's order */
    char canonical[SPEC_CANONICAL_MAX];
};

/* Copies the part before ':' into name; -EINVAL if it is empty or too long. */
int spec_name(const char *what, const char *text, char name[SPEC_NAME_MAX],
              struct error *err);

/* Parses text (`name` or `name:key=value,...`) against params.  `what` is
 * "scheme" or "kernel" and opens the message; `name` is the canonical name to
 * record (an alias is already resolved).  Errors name the key, what is
 * allowed and the nearest valid key.  Returns 0 or -EINVAL. */
int spec_parse(const char *what, const char *text, const char *name,
               const struct spec_param *params, struct spec *out,
               struct error *err);

/* The bytes of a list's first spec, such as css:chunk=16 in css:chunk=16,ss: a
 * word with '=' belongs to the spec before it. */
size_t spec_length(const char *list);

/* Appends "key=value" to a text of `size` bytes, quoted if necessary.  False:
 * no room. */
bool spec_append(char *text, size_t size, const char *key, const char *value);

/* Parses a whole text as a 64-bit integer or a real number (also "a/b").
 * Returns 0, or -EINVAL / -ERANGE without a message. */
int spec_integer(const char *text, int64_t *value);
int spec_real(const char *text, double *value);

/* Results of reading a list of numbers; `wrong` is the part of an entry that is
 * no such number; wrong_times: it is the n of "n:v". */
struct spec_list {
    int64_t count;
    double smallest, largest;
    char wrong[64];
    bool wrong_times;
};

/* Reads a list of numbers, separated by commas; an entry "n:v" is n times v, n
 * from 1 to `times_max`, v at least 0.  Stores the first `room` numbers in
 * `value`.  Returns 0, or -EINVAL without a message. */
int spec_list(const char *text, int64_t times_max, double *value, int64_t room,
              struct spec_list *found);

#endif
