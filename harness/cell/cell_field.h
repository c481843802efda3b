/* The properties of a field in a line of harness/cell/cell_fields.def. */
#ifndef HARNESS_CELL_CELL_FIELD_H
#define HARNESS_CELL_CELL_FIELD_H

#include "harness/cell/cell.h"

#include <stddef.h>

enum { CELL_WORKERS_MAX = 1 << 24, CELL_NAMES_MAX = 32 };

/* By the type in struct cell; CELL_ALIAS has none, it sets other fields. */
enum cell_kind {
    CELL_ALIAS,
    CELL_TEXT,
    CELL_SWITCH,
    CELL_COUNT,
    CELL_LONG,
    CELL_REAL
};

/* Fields that belong together. */
enum cell_group {
    CELL_PLAIN,
    CELL_PLACES,     /* where workers and their data are */
    CELL_CONDITIONS, /* powers, load, and perturbations */
    CELL_SIMULATION, /* how it is simulated: options of `dlsbench sim` only */
};

/* Places in the hashed text: fields that it always holds, then fields that it
 * holds by name if they are unusual. */
enum { HASH_UNUSUAL = 64, HASH_MAX = 96 };

struct cell_field {
    const char *name;
    enum cell_kind kind;
    size_t offset, size;    /* of a text: its room */
    const char *fallback;   /* its default, as text; NULL: empty, off or 0 */
    const char *choices[8]; /* the words that it may be; none: any text */
    /* In place of choices: writes them, NULL ends the list, and returns it. */
    const char *const *(*names)(const struct cell_field *field,
                                const char *names[CELL_NAMES_MAX]);
    double least, most; /* of numbers; most 0: any */
    bool optional;      /* a number that is 0 is none, and null in JSON */
    /* In place of reading by the kind. */
    int (*set)(struct cell *cell, const char *value, struct error *err);
    size_t with; /* of a text: only where that is not empty does it apply */
    size_t word; /* of a text: replaces the number if it is unusual */
    bool asks;   /* gone when the cell is checked: in no JSON and no hash */
    bool made;   /* by the program, not by users: in JSON only */
    bool served; /* applies under the transports that have it */
    const char *usual; /* "a|b": not worth saying; NULL: as the fallback */
    bool said;         /* worth saying in any case */
    int hash;  /* its place in the hashed text; 0 only for `asks` and `made` */
    bool bare; /* hashed as UNUSUAL: its word or name alone */
    const char *words; /* in labels; %s is its value; NULL: not in labels */
    bool path;         /* words have the file's name without folder and end */
    enum cell_group group;
    const char *arg, *help; /* of the option; NULL: none; [ARG] may be left out,
                               which is `on` */
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

/* The field that users call so; NULL: there is none. */
const struct cell_field *cell_field_find(const char *name);

/* Sets a text field, whether users can or not.  Returns 0 or -EINVAL. */
int cell_field_set_text(struct cell *cell, const struct cell_field *field,
                        const char *value, struct error *err);

/* The names of all fields that users can set, for messages; a NULL ends
 * them. */
void cell_field_names(const char *names[CELL_FIELDS + 1]);

/* The field's value, as text that cell_set reads back; empty: no value. */
void cell_field_text(const struct cell *cell, const struct cell_field *field,
                     char text[SPEC_CANONICAL_MAX]);

/* The shortest text that reads back as this number. */
void cell_real_text(double value, char *text, size_t size);

/* Whether the field applies to this cell; and whether a description among other
 * cells should contain it. */
bool cell_field_applies(const struct cell *cell,
                        const struct cell_field *field);
bool cell_field_unusual(const struct cell *cell,
                        const struct cell_field *field);

/* Less than, equal to or greater than 0, as for sorting. */
int cell_field_compare(const struct cell *a, const struct cell *b,
                       const struct cell_field *field);

/* For cell_check.  A field that does not apply gets its one canonical value,
 * and so does a field that cell_check has resolved; then the hash. */
void cell_field_drop(struct cell *cell);
void cell_hash(struct cell *cell);

/* Access to the fields; that of texts. */
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
