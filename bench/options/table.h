/* A small text table: cells are added row by row; printed with aligned columns
 * or as CSV. */
#ifndef BENCH_OPTIONS_TABLE_H
#define BENCH_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct table {
    int columns;
    bool named; /* its columns are known */
    int left;   /* how many first columns are left-aligned */
    int count;
    int64_t room;
    char **cell; /* count entries, row by row */
};

/* columns = 0: the columns named by the first row's cells. */
void table_open(struct table *table, int columns, int left);
void table_free(struct table *table);

/* Adds the next cell, from left to right; after the last column begins the next
 * row.  Text may be empty. */
void table_add(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the table; its next cell must be in the column with this head. */
struct table *table_under(struct table *table, const char *head);

/* Adds a number for programs, in the column with this head; "-" if it is not
 * finite. */
void table_value(struct table *table, const char *head, double value,
                 int digits);

/* Adds a number with `digits` significant digits; "-" if it is not finite. */
void table_number(struct table *table, double value, int digits);

/* Prints all rows, indented, columns two blanks apart. */
void table_print(const struct table *table, FILE *out, int indent);

/* How rows are written for people or programs; a command may append further
 * formats. */
enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_MARKDOWN };
#define TABLE_FORMATS "table", "csv", "json", "markdown"
#define TABLE_FORMAT_WORDS "table|csv|json|markdown"

/* Writes the rows; the first one has the heads.  Text is aligned and not
 * indented.  CSV quotes a cell with a comma or a quote and leaves "-" empty.
 * JSON is {"schema": 1, "rows": [{head: cell, ...}, ...]}: cells of the `left`
 * first columns are strings, others are numbers if possible; "-" is null. */
void table_write(const struct table *table, enum table_format format,
                 FILE *out);

/* Prints a heading or sentence, wrapped at blanks to 80 columns; further lines
 * are indented by two more. */
void table_heading(FILE *out, int indent, const char *text);

/* A time with four digits and its unit ("126.5 ms"); unit and decimals are
 * those of `unit_of`, so that a column can share them. */
void table_seconds(double seconds, double unit_of, char *text, int size);

/* table_seconds for a sentence: "2.854 s" without a trailing blank.  Returns
 * text. */
char *table_said_seconds(double seconds, double unit_of, char *text, int size);

#endif
