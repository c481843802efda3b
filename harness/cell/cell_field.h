/* The properties of a field in a line of harness/cell/cell_fields.def. */
#ifndef HARNESS_CELL_CELL_FIELD_H
#define HARNESS_CELL_CELL_FIELD_H

#include "harness/cell/cell.h"

#include <stddef.h>

enum { CELL_WORKERS_MAX = 1 << 24, CELL_NAMES_MAX = 32 };

/* The type in struct cell.  CELL_ALIAS has none: it sets other fields. */
enum cell_kind {
    CELL_ALIAS,
    CELL_TEXT,
    CELL_SWITCH,
    CELL_COUNT,
    CELL_LONG,
    CELL_REAL
};

/* Groups of fields. */
enum cell_group {
    CELL_PLAIN,
    CELL_PLACES,     /* where workers and their data are */
    CELL_CONDITIONS, /* powers, load, and perturbations */
    CELL_SIMULATION, /* options of `dlsbench sim` only */
};

/* Numbers in the hashed text: fields that are always in it, then unusual
 * fields, which are in it by name. */
enum { HASH_UNUSUAL = 64, HASH_MAX = 96 };

struct cell_field {
    const char *name;
    enum cell_kind kind;
    size_t offset, size;    /* of a text: its maximum size */
    const char *fallback;   /* default, as text; NULL: empty, off or 0 */
    const char *choices[8]; /* the allowed words; none: any text */
    /* Instead of choices: writes them, ended by NULL, and returns `names`. */
    const char *const *(*names)(const struct cell_field *field,
                                const char *names[CELL_NAMES_MAX]);
    double least, most; /* of numbers; most 0: no limit */
    bool optional;      /* a number for which 0 means none, null in JSON */
    /* Replaces reading by the kind. */
    int (*set)(struct cell *cell, const char *value, struct error *err);
    size_t with;       /* of a text: applies only if that is not empty */
    size_t word;       /* of a text that replaces the number if unusual */
    bool asks;         /* gone in a checked cell: in no JSON and no hash */
    bool made;         /* set by the program, not by users: in JSON only */
    bool served;       /* applies only under transports that have it */
    const char *usual; /* "a|b": not mentioned; NULL: as the fallback */
    bool said;         /* always mentioned */
    int hash;  /* number in the hashed text; 0 only for `asks` and `made` */
    bool bare; /* hashed as UNUSUAL, but only by its word or name */
    const char *words; /* in labels, %s is its value; NULL: none */
    bool path;         /* words have the file's name, no folder or suffix */
    enum cell_group group;
    const char *arg, *help; /* of the option; NULL: none; [ARG] may be omitted,
                               which means `on` */
};

enum {
#define FIELD(name, ...) CELL_FIELD_##name,
#define ALIAS(name, ...) CELL_FIELD_##name,
#include "harness/cell/cell_fields.def"
#undef FIELD
#undef ALIAS
    CELL_FIELDS
};

extern const struct cell_field cell_field_table[CELL_FIELDS];

/* The field with this public name, or NULL. */
const struct cell_field *cell_field_find(const char *name);

/* Sets a text field, even one that users cannot set.  Returns 0 or -EINVAL. */
int cell_field_set_text(struct cell *cell, const struct cell_field *field,
                        const char *value, struct error *err);

/* The names of all fields that users can set, for messages, ended by NULL. */
void cell_field_names(const char *names[CELL_FIELDS + 1]);

/* The field's value as text for cell_set; empty: no value. */
void cell_field_text(const struct cell *cell, const struct cell_field *field,
                     char text[SPEC_CANONICAL_MAX]);

/* The shortest text that reads back as this number. */
void cell_real_text(double value, char *text, size_t size);

/* cell_field_applies: whether the field has a meaning for this cell.
 * cell_field_unusual: whether a description should mention it. */
bool cell_field_applies(const struct cell *cell,
                        const struct cell_field *field);
bool cell_field_unusual(const struct cell *cell,
                        const struct cell_field *field);

/* Returns less than, equal to or greater than 0, for sorting. */
int cell_field_compare(const struct cell *a, const struct cell *b,
                       const struct cell_field *field);

/* For cell_check. cell_field_drop gives each field that does not apply its
 * canonical value, and each resolved field; cell_hash then sets the hash. */
void cell_field_drop(struct cell *cell);
void cell_hash(struct cell *cell);

/* Access to the fields by offset; cell_field_word: a text. */
static inline void *cell_field_at(struct cell *cell, size_t offset)
{
    return (char *)cell + offset;
}

static inline const void *cell_field_of(const struct cell *cell, size_t offset)
{
    return (const char *)cell + offset;
}

static inline const char *cell_field_word(const struct cell *cell,
                                          size_t offset)
{
    return *(const char *const *)cell_field_of(cell, offset);
}

#endif
