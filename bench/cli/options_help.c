/* --help, from the table of a command. */
#include "bench/cli/options.h"

#include <string.h>

enum { COLUMN = 28, WIDTH = 79 };

/* Writes words from column `at` on, and on further lines from `indent` on. */
static void write_wrapped(FILE *out, const char *text, int at, int indent)
{
    bool first = true;
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (!first && at + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
        first = false;
    }
    fputc('\n', out);
}

/* Paragraphs with an empty line between two; what begins with a blank is
 * printed line by line as it is. */
static void write_paragraphs(FILE *out, const char *text)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        if (length == 0 || text[0] == ' ') {
            fprintf(out, "%.*s\n", length, text);
        } else {
            char line[2048];
            snprintf(line, sizeof(line), "%.*s", length, text);
            write_wrapped(out, line, 0, 0);
        }
        text += length;
        text += *text == '\n';
    }
}

static void write_entry(FILE *out, const struct options_entry *entry)
{
    char name[96];
    snprintf(name, sizeof(name), "--%s%s%s%s%s", entry->name,
             entry->implied != NULL ? "[" : "", entry->value ? "=" : "",
             entry->value ? entry->value : "",
             entry->implied != NULL ? "]" : "");
    int used = fprintf(out, "  %s", name);
    if (used > COLUMN - 2) {
        fputc('\n', out);
        used = 0;
    }
    fprintf(out, "%*s", COLUMN - used, "");
    write_wrapped(out, entry->help, COLUMN, COLUMN);
}

static void write_tables(FILE *out, const struct options_page *page)
{
    bool headed = false;
    for (int t = 0; page->tables != NULL && page->tables[t] != NULL; t++) {
        const struct options_entry *e = page->tables[t];
        for (; e->name != NULL || e->group != NULL; e++) {
            if (e->group != NULL)
                fprintf(out, "\n%s\n", e->group);
            else if (!headed)
                fputs("\nOptions:\n", out);
            headed = true;
            if (e->name != NULL)
                write_entry(out, e);
        }
    }
}

static void write_examples(FILE *out, const char *text)
{
    fputs("\nExamples:\n", out);
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "  %.*s\n", length, text);
        text += length;
        text += *text == '\n';
    }
}

void options_print_help(const struct options_page *page, FILE *out)
{
    fprintf(out, "Usage: dlsbench %s%s%s%s\n", page->name,
            page->tables != NULL ? " [OPTION...]" : "",
            page->words != NULL ? " " : "",
            page->words != NULL ? page->words : "");
    write_wrapped(out, page->summary, 0, 0);
    write_tables(out, page);
    if (page->details != NULL) {
        fputc('\n', out);
        write_paragraphs(out, page->details);
    }
    if (page->examples != NULL)
        write_examples(out, page->examples);
}
