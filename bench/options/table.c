#include "bench/options/table.h"

#include "harness/process/need.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEADING_MOST = 80 }; /* characters of a line */

void table_open(struct table *table, int columns, int left)
{
    *table =
        (struct table){.columns = columns, .named = columns > 0, .left = left};
}

void table_free(struct table *table)
{
    for (int i = 0; i < table->count; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (struct table){0};
}

void table_add(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = need_vtext(format, arguments);
    va_end(arguments);
    need_room(&table->cell, &table->room, table->count + 1,
              sizeof(*table->cell));
    table->cell[table->count++] = text;
}

/* Inserts a column's head before the first row, which is one cell shorter. */
struct table *table_under(struct table *table, const char *head)
{
    int columns = table->columns;
    if (columns > 0 && strcmp(head, table->cell[0]) == 0)
        table->named = true;
    if (table->named)
        return table;
    table_add(table, "%s", head);
    char **cell = table->cell, *text = cell[2 * columns];
    memmove(&cell[columns + 1], &cell[columns],
            (size_t)columns * sizeof(*cell));
    cell[table->columns++] = text;
    return table;
}

void table_value(struct table *table, const char *head, double value,
                 int digits)
{
    table_add(table_under(table, head), isfinite(value) ? "%.*g" : "-", digits,
              value);
}

void table_number(struct table *table, double value, int digits)
{
    if (!isfinite(value)) {
        table_add(table, "-");
        return;
    }
    int before = value == 0 ? 1 : (int)floor(log10(fabs(value))) + 1;
    int decimals = digits - before;
    table_add(table, "%.*f", decimals > 0 ? decimals : 0, value);
}

void table_print(const struct table *table, FILE *out, int indent)
{
    int *width = need_zeroed((size_t)table->columns, sizeof(*width));
    for (int i = 0; i < table->count; i++) {
        int length = (int)strlen(table->cell[i]), c = i % table->columns;
        width[c] = length > width[c] ? length : width[c];
    }
    for (int i = 0; i < table->count; i += table->columns) {
        /* No blanks after the last word of a line. */
        int blanks = indent;
        for (int c = 0; c < table->columns && i + c < table->count; c++) {
            const char *text = table->cell[i + c];
            int rest = width[c] - (int)strlen(text);
            bool left = c < table->left;
            if (text[0] != '\0')
                fprintf(out, "%*s%s", blanks + (left ? 0 : rest), "", text);
            blanks = text[0] != '\0' ? (left ? rest : 0) : blanks + width[c];
            blanks += 2;
        }
        fputc('\n', out);
    }
    free(width);
}

static void print_csv_cell(const char *text, FILE *out)
{
    if (strcmp(text, "-") == 0)
        return;
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
    fputc('"', out);
}

static void write_csv(const struct table *table, FILE *out)
{
    for (int i = 0; i < table->count; i++) {
        print_csv_cell(table->cell[i], out);
        fputc((i + 1) % table->columns == 0 ? '\n' : ',', out);
    }
}

static void print_json_text(const char *text, FILE *out)
{
    json_t *string = json_string(text);
    json_dumpf(string, out, JSON_ENCODE_ANY);
    json_decref(string);
}

static void print_json_cell(const char *text, bool is_text, FILE *out)
{
    json_t *value = is_text ? NULL : json_loads(text, JSON_DECODE_ANY, NULL);
    if (!is_text && strcmp(text, "-") == 0)
        fputs("null", out);
    else if (json_is_number(value))
        fputs(text, out);
    else
        print_json_text(text, out);
    json_decref(value);
}

static void write_json(const struct table *table, FILE *out)
{
    fputs("{\"schema\": 1, \"rows\": [", out);
    for (int i = table->columns; i < table->count; i++) {
        int c = i % table->columns;
        fputs(c > 0 ? ", " : i > table->columns ? ",\n {" : "\n {", out);
        print_json_text(table->cell[c], out);
        fputs(": ", out);
        print_json_cell(table->cell[i], c < table->left, out);
        fputs(c + 1 == table->columns ? "}" : "", out);
    }
    fputs("\n]}\n", out);
}

static void write_markdown(const struct table *table, FILE *out)
{
    for (int i = 0; i < table->count; i++) {
        fputs(i % table->columns == 0 ? "| " : " | ", out);
        for (const char *c = table->cell[i]; *c != '\0'; c++)
            fprintf(out, "%s%c", *c == '|' ? "\\" : "", *c);
        if ((i + 1) % table->columns == 0)
            fputs(" |\n", out);
        for (int c = 0; i + 1 == table->columns && c < table->columns; c++)
            fprintf(out, "%s%s", c < table->left ? "|:--" : "|--:",
                    c + 1 == table->columns ? "|\n" : "");
    }
}

void table_write(const struct table *table, enum table_format format, FILE *out)
{
    if (format == TABLE_CSV)
        write_csv(table, out);
    else if (format == TABLE_JSON)
        write_json(table, out);
    else if (format == TABLE_MARKDOWN)
        write_markdown(table, out);
    else
        table_print(table, out, 0);
}

void table_heading(FILE *out, int indent, const char *text)
{
    int used = fprintf(out, "%*s", indent, "");
    for (bool first = true; *text != '\0'; first = false) {
        int length = (int)strcspn(text, " ");
        if (!first && used + 1 + length > HEADING_MOST)
            used = fprintf(out, "\n%*s", indent + 2, "") - 1;
        else if (!first)
            used += fprintf(out, " ");
        used += fprintf(out, "%.*s", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void table_seconds(double seconds, double unit_of, char *text, int size)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s "},      {1e-3, 1e3, "ms"},   {1e-6, 1e6, "us"},
                 {1e-9, 1e9, "ns"}, {1e-15, 1e12, "ps"}, {0, 1e9, "ns"}};
    int i = 0;
    if (isnan(seconds)) {
        snprintf(text, (size_t)size, "-");
        return;
    }
    while (units[i].least > unit_of)
        i++;
    double value = seconds * units[i].factor;
    double scale = unit_of * units[i].factor;
    snprintf(text, (size_t)size, "%.*f %s",
             scale >= 1000  ? 0
             : scale >= 100 ? 1
             : scale >= 10  ? 2
                            : 3,
             value, units[i].unit);
}

char *table_said_seconds(double seconds, double unit_of, char *text, int size)
{
    table_seconds(seconds, unit_of, text, size);
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == ' ')
        text[length - 1] = '\0';
    return text;
}
