#include "bench/cli/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { HEADING_MOST = 98 }; /* characters of a line */

void table_open(struct table *table, int columns, int left)
{
    *table = (struct table){.columns = columns, .left = left};
}

void table_free(struct table *table)
{
    for (int i = 0; i < table->count; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (struct table){0};
}

static bool grow(struct table *table)
{
    if (table->count < table->room)
        return true;
    int room = table->room * 2 + 64;
    char **more = realloc(table->cell, (size_t)room * sizeof(*more));
    if (more == NULL)
        return false;
    table->cell = more;
    table->room = room;
    return true;
}

void table_add(struct table *table, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    bool made = vasprintf(&text, format, arguments) >= 0;
    va_end(arguments);
    if (!made || !grow(table)) {
        free(made ? text : NULL);
        table->failed = true;
        return;
    }
    table->cell[table->count++] = text;
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

static int width_of(const struct table *table, int column)
{
    int width = 0;
    for (int i = column; i < table->count; i += table->columns) {
        int length = (int)strlen(table->cell[i]);
        width = length > width ? length : width;
    }
    return width;
}

/* No blanks behind the last word of a line. */
static void print_row(const struct table *table, const int *width, int first,
                      FILE *out, int indent)
{
    int blanks = indent;
    for (int c = 0; c < table->columns && first + c < table->count; c++) {
        const char *text = table->cell[first + c];
        int rest = width[c] - (int)strlen(text);
        bool left = c < table->left;
        if (text[0] != '\0')
            fprintf(out, "%*s%s", blanks + (left ? 0 : rest), "", text);
        blanks = text[0] != '\0' ? (left ? rest : 0) : blanks + width[c];
        blanks += 2;
    }
    fputc('\n', out);
}

int table_print(const struct table *table, FILE *out, int indent)
{
    int *width = calloc((size_t)table->columns, sizeof(*width));
    if (table->failed || width == NULL) {
        free(width);
        return -ENOMEM;
    }
    for (int c = 0; c < table->columns; c++)
        width[c] = width_of(table, c);
    for (int i = 0; i < table->count; i += table->columns)
        print_row(table, width, i, out, indent);
    free(width);
    return 0;
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

int table_csv(const struct table *table, FILE *out)
{
    if (table->failed)
        return -ENOMEM;
    for (int i = 0; i < table->count; i++) {
        print_csv_cell(table->cell[i], out);
        fputc((i + 1) % table->columns == 0 ? '\n' : ',', out);
    }
    return 0;
}

/* Up to the next ", " or "; ", with the mark. */
static int part_length(const char *text)
{
    size_t length = strcspn(text, ",;");
    while (text[length] != '\0' && text[length + 1] != ' ')
        length += 1 + strcspn(text + length + 1, ",;");
    return (int)length + (text[length] != '\0');
}

void table_heading(FILE *out, int indent, const char *text)
{
    int used = fprintf(out, "%*s", indent, "");
    for (int length; *text != '\0'; text += length) {
        length = part_length(text);
        if (used > indent && used + length > HEADING_MOST) {
            text += *text == ' ';
            length = part_length(text);
            used = fprintf(out, "\n%*s", indent + 2, "") - 1;
        }
        used += fprintf(out, "%.*s", length, text);
    }
    fputc('\n', out);
}

void table_seconds(double seconds, double unit_of, char *text, int size)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {
        {1, 1, "s "}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
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
