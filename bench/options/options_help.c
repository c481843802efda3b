/* --help and --usage, from the table of a command. */
#include "bench/options/options.h"

#include <string.h>

enum { COLUMN = 28, WIDTH = 79, TITLE_MAX = 96 };

/* Words one after the other, on as many lines as they need. */
struct writer {
    FILE *out;
    int at;          /* the column after the last word */
    int indent;      /* of continuation lines */
    const char *cut; /* the end of a line that continues */
    bool begun;      /* the line has a word, the next needs a blank */
};

static void write_word(struct writer *w, const char *word, int length)
{
    int cut = w->cut != NULL ? (int)strlen(w->cut) : 0;
    if (w->begun && w->at + 1 + length + cut > WIDTH) {
        fprintf(w->out, "%s\n%*s", cut > 0 ? w->cut : "", w->indent, "");
        w->at = w->indent;
    } else if (w->begun) {
        fputc(' ', w->out);
        w->at++;
    }
    fprintf(w->out, "%.*s", length, word);
    w->at += length;
    w->begun = true;
}

static void write_text(struct writer *w, const char *text, int size)
{
    const char *end = text + size;
    while (text < end) {
        int length = (int)strcspn(text, " \n");
        write_word(w, text, length);
        text += length;
        text += strspn(text, " \n");
    }
    fputc('\n', w->out);
}

/* Writes words from column `at` on, and on further lines from `indent` on. */
static void write_wrapped(FILE *out, const char *text, int size, int at,
                          int indent)
{
    struct writer w = {.out = out, .at = at, .indent = indent};
    write_text(&w, text, size);
}

/* Calls `write` with each line. */
static void for_each_line(FILE *out, const char *text,
                          void (*write)(FILE *out, const char *line,
                                        int length))
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        write(out, text, length);
        text += length;
        text += *text == '\n';
    }
}

/* "dlsbench NAME" */
static int page_title(const struct options_page *page, char *text, size_t size)
{
    return snprintf(text, size, "dlsbench%s%s", page->name != NULL ? " " : "",
                    page->name != NULL ? page->name : "");
}

static void write_paragraph(FILE *out, const char *line, int length)
{
    if (length == 0 || line[0] == ' ')
        fprintf(out, "%.*s\n", length, line);
    else
        write_wrapped(out, line, length, 0, 0);
}

/* Writes an example that a user could type: a line that continues ends with a
 * backslash. */
static void write_example(FILE *out, const char *line, int length)
{
    struct writer w = {.out = out, .at = 2, .indent = 6, .cut = " \\"};
    fputs("  ", out);
    write_text(&w, line, length);
}

/* "--name", "--name=VALUE" or "--name[=VALUE]". */
static int entry_title(const struct options_entry *entry, char *text,
                       size_t size)
{
    const char *open = entry->implied != NULL ? "[" : "";
    const char *close = entry->implied != NULL ? "]" : "";
    if (entry->value == NULL)
        return snprintf(text, size, "--%s", entry->name);
    return snprintf(text, size, "--%s%s=%s%s", entry->name, open, entry->value,
                    close);
}

void options_print_row(FILE *out, const char *title, const char *help)
{
    int used = fprintf(out, "  %s", title);
    if (used > COLUMN - 2) {
        fputc('\n', out);
        used = 0;
    }
    fprintf(out, "%*s", COLUMN - used, "");
    write_wrapped(out, help, (int)strlen(help), COLUMN, COLUMN);
}

void options_print_text(FILE *out, const char *text)
{
    for_each_line(out, text, write_paragraph);
}

static bool is_shown(const struct options_entry *entry,
                     const char *const *shown)
{
    while (shown != NULL && *shown != NULL && strcmp(*shown, entry->name) != 0)
        shown++;
    return shown == NULL || *shown != NULL;
}

/* Writes the options in `shown`, or all if it is NULL, and returns how many it
 * omits.  An empty group gets no heading. */
static int write_tables(FILE *out, const struct options_entry *const *tables,
                        const char *const *shown)
{
    int left_out = 0;
    for (int t = 0; tables != NULL && tables[t] != NULL; t++) {
        const char *group = t == 0 ? "Options:" : NULL;
        for (const struct options_entry *e = tables[t]; !options_is_end(e);
             e++) {
            group = e->group != NULL ? e->group : group;
            if (e->name == NULL)
                continue;
            if (!is_shown(e, shown)) {
                left_out++;
                continue;
            }
            if (group != NULL)
                fprintf(out, "\n%s\n", group);
            group = NULL;
            char title[TITLE_MAX];
            entry_title(e, title, sizeof(title));
            options_print_row(out, title, e->help);
        }
    }
    return left_out;
}

/* The ways to use the command, a line each. */
static void write_ways(FILE *out, const struct options_page *page)
{
    const char *words = page->words != NULL ? page->words : "";
    const char *head = "Usage: ";
    char title[TITLE_MAX];
    int size = page_title(page, title, sizeof(title));
    do {
        int length = (int)strcspn(words, "\n");
        struct writer w = {.out = out, .at = (int)strlen(head), .indent = 12};
        fputs(head, out);
        write_word(&w, title, size);
        write_word(&w, "[OPTION...]", 11);
        if (length > 0)
            write_word(&w, words, length);
        fputc('\n', out);
        words += length;
        words += *words == '\n';
        head = "  or:  ";
    } while (*words != '\0');
}

void options_print_help(const struct options_page *page, bool all, FILE *out)
{
    write_ways(out, page);
    for_each_line(out, page->summary, write_paragraph);
    int left_out = write_tables(out, page->tables, all ? NULL : page->common);
    if (left_out > 0)
        fprintf(out, "\nThere are %d more: dlsbench %s --help=all\n", left_out,
                page->name);
    write_tables(out, options_common, NULL);
    if (page->details != NULL) {
        fputc('\n', out);
        options_print_text(out, page->details);
    }
    if (page->examples != NULL) {
        fputs("\nExamples:\n", out);
        for_each_line(out, page->examples, write_example);
    }
}

static void write_titles(struct writer *w,
                         const struct options_entry *const *tables)
{
    for (int t = 0; tables != NULL && tables[t] != NULL; t++) {
        for (const struct options_entry *e = tables[t]; !options_is_end(e);
             e++) {
            char title[TITLE_MAX], word[sizeof(title) + 2];
            if (e->name == NULL)
                continue;
            entry_title(e, title, sizeof(title));
            int length = snprintf(word, sizeof(word), "[%s]", title);
            write_word(w, word, length);
        }
    }
}

void options_print_usage(const struct options_page *page, FILE *out)
{
    struct writer w = {.out = out, .at = 7, .indent = 12};
    char title[TITLE_MAX];
    fputs("Usage: ", out);
    write_word(&w, title, page_title(page, title, sizeof(title)));
    write_titles(&w, page->tables);
    write_titles(&w, options_common);
    if (page->words != NULL)
        write_word(&w, page->words, (int)strcspn(page->words, "\n"));
    fputc('\n', out);
}
