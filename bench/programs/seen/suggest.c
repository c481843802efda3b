/* Loops whose order matters are left out, and so are combined directives with
 * distribute, whose schedule is between teams, too.  A directive is known by
 * its first words: comments around it are not read. */
#include "bench/programs/seen/suggest.h"

#include "base/file.h"
#include "harness/program/need.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum form { FORM_C, FORM_FREE, FORM_FIXED };
enum { CONTEXT = 3 };

struct line {
    char *text;   /* with its end */
    char *change; /* what stands in its place; NULL: nothing changes */
};

struct source {
    struct line *line;
    int count;
    int64_t room;
    enum form form;
};

/* ---- the file ---- */

static enum form form_of(const char *path)
{
    static const char *const fixed[] = {"f", "for", "ftn", "f77", "fpp", NULL};
    const char *dot = strrchr(path, '.');
    if (dot == NULL)
        return FORM_C;
    for (int i = 0; fixed[i] != NULL; i++)
        if (strcasecmp(dot + 1, fixed[i]) == 0)
            return FORM_FIXED;
    bool year = tolower((unsigned char)dot[1]) == 'f' && strlen(dot) == 4 &&
                isdigit((unsigned char)dot[2]);
    return year ? FORM_FREE : FORM_C;
}

static int read_source(const char *path, struct source *source,
                       struct error *err)
{
    const char *why;
    char *text = NULL;
    size_t size = 0;
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return error_set(err, errno, "omp: --suggest: %s: cannot read: %s",
                         path, why);
    while (getline(&text, &size, file) > 0) {
        need_room(&source->line, &source->room, source->count + 1,
                  sizeof(*source->line));
        source->line[source->count++] = (struct line){.text = need_copy(text)};
    }
    free(text);
    bool bad = ferror(file) != 0;
    fclose(file);
    return bad ? error_set(err, EIO, "omp: --suggest: %s: cannot read", path)
               : 0;
}

static void free_source(struct source *source)
{
    for (int i = 0; i < source->count; i++) {
        free(source->line[i].text);
        free(source->line[i].change);
    }
    free(source->line);
}

/* ---- directives ---- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Behind `#pragma omp` or `!$omp`; NULL: the line has none. */
static const char *behind_mark(enum form form, const char *text)
{
    const char *at = skip_blanks(text);
    if (form != FORM_C) {
        bool marked = *at == '!' || (form == FORM_FIXED && at == text &&
                                     strchr("cC*", *at) != NULL && *at != 0);
        return marked && strncasecmp(at + 1, "$omp", 4) == 0 ? at + 5 : NULL;
    }
    if (*at != '#')
        return NULL;
    at = skip_blanks(at + 1);
    if (strncmp(at, "pragma", 6) != 0)
        return NULL;
    at = skip_blanks(at + 6);
    return strncmp(at, "omp", 3) == 0 ? at + 3 : NULL;
}

/* Where the word that begins here ends; NULL: it is another. */
static const char *behind_word(const char *at, const char *word)
{
    size_t length = strlen(word);
    bool here = strncasecmp(at, word, length) == 0 &&
                !isalnum((unsigned char)at[length]) && at[length] != '_';
    return here ? at + length : NULL;
}

/* Behind the words of a loop's directive, [parallel] for [simd]; NULL: it is
 * none. */
static const char *behind_loop(enum form form, const char *at)
{
    const char *loop = form == FORM_C ? "for" : "do";
    const char *next, *start = at;
    at = skip_blanks(at);
    if (at == start)
        return NULL;
    if ((next = behind_word(at, "parallel")) != NULL)
        at = skip_blanks(next);
    next = behind_word(at, loop);
    if (next == NULL && form != FORM_C)
        next = behind_word(at, "paralleldo");
    if (next == NULL)
        return NULL;
    at = behind_word(skip_blanks(next), "simd");
    return at != NULL ? at : next;
}

static bool has_word(const char *text, const char *word)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((at == text ||
             (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            behind_word(at, word) != NULL)
            return true;
    return false;
}

/* Whether the directive goes on in the next line. */
static bool goes_on(const struct source *source, int i)
{
    const char *text = source->line[i].text;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (i + 1 == source->count)
        return false;
    if (source->form == FORM_FIXED) {
        const char *more = behind_mark(FORM_FIXED, source->line[i + 1].text);
        return more != NULL && strchr(" 0\t\r\n", *more) == NULL;
    }
    char last = source->form == FORM_C ? '\\' : '&';
    return length > 0 && text[length - 1] == last;
}

/* With a schedule of its own, or an order that it relies on; or without a wait
 * at its end: the next loop may rely on which thread had which iterations. */
static bool is_bound(const struct source *source, int i)
{
    static const char *const words[] = {"schedule", "ordered", "inscan",
                                        "task",     "nowait",  NULL};
    for (;; i++) {
        for (int k = 0; words[k] != NULL; k++)
            if (has_word(source->line[i].text, words[k]))
                return true;
        if (!goes_on(source, i))
            return false;
    }
}

/* A line of the fixed form has an end that the clause must not cross: it has
 * one of its own. */
static char *with_clause(enum form form, const char *text, const char *at)
{
    const char *end = text + strcspn(text, "\r\n");
    if (form == FORM_FIXED)
        return need_text("%s%s!$omp+ schedule(runtime)%s", text,
                         *end == '\0' ? "\n" : "", end);
    return need_text("%.*s schedule(runtime)%s", (int)(at - text), text, at);
}

static int change_loops(struct source *source)
{
    int loops = 0;
    for (int i = 0; i < source->count; i++) {
        struct line *line = &source->line[i];
        const char *at = behind_mark(source->form, line->text);
        at = at != NULL ? behind_loop(source->form, at) : NULL;
        if (at == NULL || is_bound(source, i))
            continue;
        line->change = with_clause(source->form, line->text, at);
        loops++;
    }
    return loops;
}

/* ---- the patch ---- */

static void print_text(FILE *out, char mark, const char *text)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        bool whole = text[length] == '\n';
        fprintf(out, "%c%.*s\n", mark, length, text);
        if (!whole)
            fprintf(out, "\\ No newline at end of file\n");
        text += length + whole;
    }
}

/* A text that has no end of line has one line, too. */
static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text != '\0')
        lines++;
    return lines;
}

/* Lines [begin, end); `shift`: by how many those before have grown.  Returns
 * that of these, too. */
static int print_hunk(FILE *out, const struct source *source, int begin,
                      int end, int shift)
{
    int grown = 0;
    for (int i = begin; i < end; i++)
        if (source->line[i].change != NULL)
            grown += lines_of(source->line[i].change) - 1;
    fprintf(out, "@@ -%d,%d +%d,%d @@\n", begin + 1, end - begin,
            begin + 1 + shift, end - begin + grown);
    for (int i = begin; i < end; i++) {
        const struct line *line = &source->line[i];
        print_text(out, line->change != NULL ? '-' : ' ', line->text);
        if (line->change != NULL)
            print_text(out, '+', line->change);
    }
    return shift + grown;
}

static int next_change(const struct source *source, int i)
{
    while (i < source->count && source->line[i].change == NULL)
        i++;
    return i;
}

static void print_patch(FILE *out, const struct source *source,
                        const char *path)
{
    int shift = 0, count = source->count;
    fprintf(out, "--- %s\n+++ %s\n", path, path);
    for (int i = next_change(source, 0); i < count;) {
        int begin = i > CONTEXT ? i - CONTEXT : 0, last = i;
        while ((i = next_change(source, last + 1)) < count &&
               i - last <= 2 * CONTEXT)
            last = i;
        int end = last + 1 + CONTEXT < count ? last + 1 + CONTEXT : count;
        shift = print_hunk(out, source, begin, end, shift);
    }
}

int suggest_patch(const char *path, FILE *out, int *loops, struct error *err)
{
    struct source source = {.form = form_of(path)};
    int code = read_source(path, &source, err);
    *loops = code == 0 ? change_loops(&source) : 0;
    if (*loops > 0)
        print_patch(out, &source, path);
    free_source(&source);
    return code;
}
