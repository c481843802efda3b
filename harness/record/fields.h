/* Structs as JSON objects by tables: one line for a field makes it written and
 * read.  Values that cannot be are refused, with the field and what is
 * allowed. */
#ifndef HARNESS_RECORD_FIELDS_H
#define HARNESS_RECORD_FIELDS_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* By the type in the struct.  null represents NAN or -1 where a value may be
 * unknown. */
enum record_kind {
    RECORD_TEXT,   /* char[] */
    RECORD_SWITCH, /* bool */
    RECORD_CHOICE, /* bool: the first or the second of two words */
    RECORD_COUNT,  /* int */
    RECORD_INDEX,  /* int; negative: null */
    RECORD_LONG,   /* int64_t or uint64_t */
    RECORD_TALLY,  /* int64_t; negative: null */
    RECORD_REAL,   /* double */
    RECORD_KNOWN,  /* double; not a number: null */
    RECORD_TIME,   /* double; negative or not a number: null */
};

struct record_field {
    const char *name; /* NULL ends a table */
    enum record_kind kind;
    size_t offset, size;
    double least;         /* numbers: lower limit ... */
    bool above;           /* ... which is excluded; */
    double most;          /* 0: what the type holds */
    bool later;           /* earlier versions did not write it: may be missing,
                             as null is */
    const char *words[2]; /* of a choice */
};

/* The place of a member in a table. */
#define RECORD_AT(type, member)                                                \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* Adds the fields to an object, in the order of the table; of nothing (NULL)
 * all are null. */
void record_put(json_t *object, const void *from,
                const struct record_field *fields);

/* A new object; and a list of `count` of them, `size` bytes apart. */
json_t *record_object(const void *from, const struct record_field *fields);
json_t *record_list(const void *from, int count, size_t size,
                    const struct record_field *fields);

/* Sets the fields of *to.  Returns 0, or -EINVAL with "'field' must be ..."; a
 * list must have been counted before. */
int record_take(const json_t *object, void *to,
                const struct record_field *fields, struct error *err);
int record_take_list(const json_t *list, void *to, int count, size_t size,
                     const struct record_field *fields, struct error *err);

#endif
