/* A line of JSON, written without a library for it.  The values of one object
 * in the order of the calls; a line that found no memory is empty. */
#ifndef HARNESS_RECORD_LINE_JSON_LINE_H
#define HARNESS_RECORD_LINE_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line after the other; zeroed: none. */
struct line {
    char *text; /* free it */
    size_t used, room;
    bool failed; /* there was no memory: nothing more is added */
};

void line_begin(struct line *line);
void line_end(struct line *line);

/* key: NULL inside a list; value: NULL for null. */
void line_text(struct line *line, const char *key, const char *value);
/* A value that is JSON already. */
void line_value(struct line *line, const char *key, const char *json);
void line_flag(struct line *line, const char *key, bool value);
void line_whole(struct line *line, const char *key, int64_t value);
/* Negative: null. */
void line_tally(struct line *line, const char *key, int64_t value);
/* Not a number: null; of a time also what is negative. */
void line_real(struct line *line, const char *key, double value);
void line_time(struct line *line, const char *key, double value);
/* Members of an object as they are, with their own keys in place of `key`; NULL
 * or empty: none. */
void line_members(struct line *line, const char *key, const char *members);
/* An object or a list as the value: `open` and `close` are {} or []. */
void line_open(struct line *line, const char *key, char open);
void line_close(struct line *line, char close);
/* As it is, without a comma before it. */
void line_raw(struct line *line, const char *text);

#endif
