/* Writes JSON lines without a library.  Values appear in the order of calls.  A
 * line is empty if memory ran out. */
#ifndef HARNESS_RECORD_LINE_JSON_LINE_H
#define HARNESS_RECORD_LINE_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines one after the other; zeroed: none. */
struct line {
    char *text; /* free it */
    size_t used, room;
    bool failed; /* memory ran out; further calls do nothing */
};

void line_begin(struct line *line);
void line_end(struct line *line);

/* key: NULL inside a list; value: NULL for null. */
void line_text(struct line *line, const char *key, const char *value);
/* A value that is already JSON. */
void line_value(struct line *line, const char *key, const char *json);
void line_flag(struct line *line, const char *key, bool value);
void line_whole(struct line *line, const char *key, int64_t value);
/* Negative: null. */
void line_tally(struct line *line, const char *key, int64_t value);
/* Not a number: null; a time: also if negative. */
void line_real(struct line *line, const char *key, double value);
void line_time(struct line *line, const char *key, double value);
/* Members of an object as JSON text, with their own keys; NULL or empty:
 * none. */
void line_members(struct line *line, const char *key, const char *members);
/* Opens and closes an object or list as the value: {} or []. */
void line_open(struct line *line, const char *key, char open);
void line_close(struct line *line, char close);
/* Text without a comma before it. */
void line_raw(struct line *line, const char *text);

#endif
