/* Writes and reads structs as JSON objects by tables, with one line per field.
 * Rejects invalid values and names the field and the valid range. */
#ifndef HARNESS_RECORD_FIELDS_H
#define HARNESS_RECORD_FIELDS_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The type in the struct.  If a value may be unknown, null represents NAN or
 * -1. */
enum record_kind {
    RECORD_TEXT,   /* char[] */
    RECORD_SWITCH, /* bool */
    RECORD_CHOICE, /* bool: the first or second of two words */
    RECORD_COUNT,  /* int */
    RECORD_INDEX,  /* int; negative: null */
    RECORD_LONG,   /* int64_t or uint64_t */
    RECORD_TALLY,  /* int64_t; negative: null */
    RECORD_REAL,   /* double */
    RECORD_KNOWN,  /* double; NAN: null */
    RECORD_TIME,   /* double; negative or NAN: null */
};

struct record_field {
    const char *name; /* NULL ends a table */
    enum record_kind kind;
    size_t offset, size;
    double least;         /* numbers: lower limit ... */
    bool above;           /* ... which is excluded; */
    double most;          /* upper limit; 0: the type's */
    bool later;           /* may be missing like null: earlier versions did not
                             write it */
    const char *words[2]; /* of a choice */
};

/* The offset and size of a member, for a table. */
#define RECORD_AT(type, member)                                                \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* Adds the fields to an object, in the order of the table.  NULL: all are
 * null. */
void record_put(json_t *object, const void *from,
                const struct record_field *fields);

/* A new object; and a list of `count` of them, `size` bytes apart. */
json_t *record_object(const void *from, const struct record_field *fields);
json_t *record_list(const void *from, int count, size_t size,
                    const struct record_field *fields);

/* Sets the fields of *to.  Returns 0, or -EINVAL with "'field' must be ...";
 * count a list before the call. */
int record_take(const json_t *object, void *to,
                const struct record_field *fields, struct error *err);
int record_take_list(const json_t *list, void *to, int count, size_t size,
                     const struct record_field *fields, struct error *err);

#endif
