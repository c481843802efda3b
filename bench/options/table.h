/* A small table of text: cells are added row by row, and it is printed with
 * aligned columns or as CSV. */
#ifndef BENCH_OPTIONS_TABLE_H
#define BENCH_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct table {
    int columns;
    bool named; /* its columns are known */
    int left;   /* the first columns, aligned to the left */
    int count;
    int64_t room;
    char **cell; /* count entries, row after row */
};

/* columns = 0: those that the cells of the first row name. */
void table_open(struct table *table, int columns, int left);
void table_free(struct table *table);

/* The next cell, from left to right; after the last column comes the next
 * row.  Text may be empty. */
void table_add(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the table; its next cell is in the column with this head. */
struct table *table_under(struct table *table, const char *head);

/* A number for programs, in the column with this head; "-" when it is not
 * finite. */
void table_value(struct table *table, const char *head, double value,
                 int digits);

/* A number with `digits` significant digits; "-" when it is not finite. */
void table_number(struct table *table, double value, int digits);

/* Prints all rows, indented, columns two blanks apart. */
void table_print(const struct table *table, FILE *out, int indent);

/* How rows are written for people and for programs; a command may have more
 * behind these. */
enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_MARKDOWN };
#define TABLE_FORMATS "table", "csv", "json", "markdown"
#define TABLE_FORMAT_WORDS "table|csv|json|markdown"

/* Writes the rows; the first one has the heads.  Text is aligned and not
 * indented.  CSV quotes a cell with a comma or a quote and leaves "-" empty.
 * JSON is {"schema": 1, "rows": [{head: cell, ...}, ...]}: cells of the `left`
 * first columns are strings, others numbers where they are; "-" is null. */
void table_write(const struct table *table, enum table_format format,
                 FILE *out);

/* A heading or a sentence, wrapped at blanks to 80 columns, so that nothing is
 * cut; further lines are indented by two more. */
void table_heading(FILE *out, int indent, const char *text);

/* Four digits of a time and its unit ("126.5 ms"); the unit and the decimals
 * are those of `unit_of`, so that a column can share them. */
void table_seconds(double seconds, double unit_of, char *text, int size);

/* The same for a sentence: "2.854 s" without a trailing blank. */
void table_said_seconds(double seconds, double unit_of, char *text, int size);

#endif
