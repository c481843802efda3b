/* --help=man and --help=complete, from the table of a command. */
#include "bench/options/options.h"

#include "harness/record/build.h"

#include <string.h>

/* roff takes a line that begins with a dot for a request. */
static void write_text(FILE *out, const char *text, int length)
{
    if (length > 0 && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", out);
    for (int i = 0; i < length; i++)
        if (text[i] == '\\')
            fputs("\\e", out);
        else
            fprintf(out, "%s%c", text[i] == '-' ? "\\" : "", text[i]);
}

/* Writes paragraphs; a line that begins with a blank is not wrapped. */
static void write_paragraphs(FILE *out, const char *text)
{
    bool literal = false;
    for (int length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = (int)strcspn(text, "\n");
        if ((text[0] == ' ') != literal)
            fputs(literal ? ".fi\n" : ".PP\n.nf\n", out);
        literal = text[0] == ' ';
        if (length == 0) {
            fputs(".PP\n", out);
            continue;
        }
        write_text(out, text, length);
        fputc('\n', out);
    }
    fputs(literal ? ".fi\n" : "", out);
}

static void write_examples(FILE *out, const char *text)
{
    fputs(".SH EXAMPLES\n.nf\n", out);
    for (int length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = (int)strcspn(text, "\n");
        write_text(out, text, length);
        fputc('\n', out);
    }
    fputs(".fi\n", out);
}

static void write_entries(FILE *out, const struct options_entry *const *tables)
{
    for (int t = 0; tables != NULL && tables[t] != NULL; t++)
        for (const struct options_entry *e = tables[t]; !options_is_end(e);
             e++) {
            if (e->group != NULL) {
                fputs(".SS ", out);
                write_text(out, e->group, (int)strcspn(e->group, ":"));
                fputc('\n', out);
            }
            if (e->name != NULL) {
                fputs(".TP\n\\fB\\-\\-", out);
                write_text(out, e->name, (int)strlen(e->name));
                fputs("\\fR", out);
                if (e->value != NULL) {
                    fprintf(out, "%s=\\fI", e->implied != NULL ? "[" : "");
                    write_text(out, e->value, (int)strlen(e->value));
                    fprintf(out, "\\fR%s", e->implied != NULL ? "]" : "");
                }
                fputc('\n', out);
                write_text(out, e->help, (int)strlen(e->help));
                fputc('\n', out);
            }
        }
}

static void write_synopsis(FILE *out, const char *title, const char *words)
{
    fputs(".SH SYNOPSIS\n.nf\n", out);
    do {
        int length = (int)strcspn(words, "\n");
        fprintf(out, "\\fB%s\\fR [\\fIOPTION\\fR...] ", title);
        write_text(out, words, length);
        fputc('\n', out);
        words += length + (words[length] == '\n');
    } while (*words != '\0');
    fputs(".fi\n", out);
}

void options_man_begin(FILE *out, const char *name, int section,
                       const char *summary)
{
    const char *dash = *name != '\0' ? "\\-" : "";
    fprintf(out,
            ".TH dlsbench%s%s %d \"\" \"DLSBench %.*s\" \"DLSBench\"\n"
            ".SH NAME\ndlsbench%s%s \\- ",
            dash, name, section, (int)strcspn(build_version, "+"),
            build_version, dash, name);
    write_text(out, summary, (int)strcspn(summary, "."));
    fputc('\n', out);
}

void options_man_text(FILE *out, const char *text)
{
    write_paragraphs(out, text);
}

void options_man_row(FILE *out, const char *title, const char *help)
{
    fputs(".TP\n\\fB", out);
    write_text(out, title, (int)strlen(title));
    fputs("\\fR\n", out);
    write_text(out, help, (int)strlen(help));
    fputc('\n', out);
}

void options_print_man(const struct options_page *page, FILE *out)
{
    const char *name = page->name != NULL ? page->name : "";
    char title[64];
    snprintf(title, sizeof(title), "dlsbench%s%s", *name ? " " : "", name);
    options_man_begin(out, name, 1, page->summary);
    write_synopsis(out, title, page->words != NULL ? page->words : "");
    fputs(".SH DESCRIPTION\n", out);
    write_paragraphs(out, page->summary);
    if (page->details != NULL) {
        fputs(".PP\n", out);
        write_paragraphs(out, page->details);
    }
    fputs(".SH OPTIONS\n", out);
    write_entries(out, page->tables);
    write_entries(out, options_common);
    if (page->examples != NULL)
        write_examples(out, page->examples);
    fprintf(out,
            ".SH SEE ALSO\n%s\\fBdlsbench\\-keys\\fR(5) on campaign files, "
            "\\fBdlsbench\\-columns\\fR(5) on result files,\n"
            "\\fBdlsbench\\-rules\\fR(5) on rules of omp\n",
            *name ? "\\fBdlsbench\\fR(1),\n" : "");
}

/* ---- completion for shells ---- */

static void complete_entry(FILE *out, const struct options_entry *entry)
{
    if (entry->type != OPTIONS_WORD) {
        fprintf(out, "--%s%s\t%s\n", entry->name,
                entry->value != NULL && entry->implied == NULL ? "=" : "",
                entry->help);
        return;
    }
    for (int i = 0; entry->words[i] != NULL; i++)
        fprintf(out, "--%s=%s\t%s\n", entry->name, entry->words[i],
                entry->help);
}

void options_print_complete(const struct options_page *page, FILE *out)
{
    const struct options_entry *const *const lists[] = {page->tables,
                                                        options_common};
    for (int l = 0; l < 2; l++)
        for (int t = 0; lists[l] != NULL && lists[l][t] != NULL; t++)
            for (const struct options_entry *e = lists[l][t];
                 !options_is_end(e); e++)
                if (e->name != NULL)
                    complete_entry(out, e);
    if (page->print_words != NULL)
        page->print_words(out);
}
