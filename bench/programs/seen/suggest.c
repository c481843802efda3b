/* Skips loops whose order matters, and directives combined with distribute,
 * whose schedule is also for teams.  Recognizes a directive by its first words;
 * does not parse comments around it. */
#include "bench/programs/seen/suggest.h"

#include "base/file.h"
#include "harness/process/need.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum form { FORM_C, FORM_FREE, FORM_FIXED };
enum { CONTEXT = 3 };

struct text {
    char *text;   /* including its end */
    char *change; /* replacement; NULL: unchanged */
};

struct source_file {
    struct text *line;
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

static int read_source(const char *path, struct source_file *source,
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
        source->line[source->count++] = (struct text){.text = need_copy(text)};
    }
    free(text);
    bool bad = ferror(file) != 0;
    fclose(file);
    return bad ? error_set(err, EIO, "omp: --suggest: %s: cannot read", path)
               : 0;
}

static void free_source(struct source_file *source)
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

/* The text after `#pragma omp` or `!$omp`; NULL: not in the line. */
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

/* The text after a loop's directive, [parallel] for [simd]; NULL: no such
 * directive. */
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

/* The end of the first such word in the text; NULL: not found. */
static const char *find_word(const char *text, const char *word)
{
    const char *end = NULL;
    for (const char *at = text; *at != '\0' && end == NULL; at++)
        if (at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_'))
            end = behind_word(at, word);
    return end;
}

/* Whether the directive continues in the next line. */
static bool goes_on(const struct source_file *source, int i)
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

/* Whether the loop has its own schedule, relies on an order, or has no wait at
 * its end: then the next loop may rely on which thread had which iterations. */
static bool is_bound(const struct source_file *source, int i)
{
    static const char *const words[] = {"schedule", "ordered", "inscan",
                                        "task",     "nowait",  NULL};
    for (;; i++) {
        for (int k = 0; words[k] != NULL; k++)
            if (find_word(source->line[i].text, words[k]) != NULL)
                return true;
        if (!goes_on(source, i))
            return false;
    }
}

/* A line of the fixed form has an end that the clause must not cross, so the
 * clause gets a separate line. */
static char *with_clause(enum form form, const char *text, const char *at)
{
    const char *end = text + strcspn(text, "\r\n");
    if (form == FORM_FIXED)
        return need_text("%s%s!$omp+ schedule(runtime)%s", text,
                         *end == '\0' ? "\n" : "", end);
    return need_text("%.*s schedule(runtime)%s", (int)(at - text), text, at);
}

static int change_loops(struct source_file *source)
{
    int loops = 0;
    for (int i = 0; i < source->count; i++) {
        struct text *line = &source->line[i];
        const char *at = behind_mark(source->form, line->text);
        at = at != NULL ? behind_loop(source->form, at) : NULL;
        if (at == NULL || is_bound(source, i))
            continue;
        line->change = with_clause(source->form, line->text, at);
        loops++;
    }
    return loops;
}

/* ---- one loop by its line ---- */

/* How long a directive may be, and how far from its end, or its begin, a
 * loop's line. */
enum { LINES = 8, NEAR = 2 };

static bool is_loop(const struct source_file *source, int i)
{
    const char *at = behind_mark(source->form, source->line[i].text);
    return at != NULL && behind_loop(source->form, at) != NULL;
}

/* The line of the directive with the word; -1: it has none. */
static int find_schedule(const struct source_file *source, int i)
{
    for (;; i++) {
        if (find_word(source->line[i].text, "schedule") != NULL)
            return i;
        if (!goes_on(source, i))
            return -1;
    }
}

static bool begins_region(const struct source_file *source, int i)
{
    const char *at = behind_mark(source->form, source->line[i].text);
    return at != NULL && find_word(at, "parallel") != NULL;
}

/* The directive that is at this line, or ends a little above it; -1: none. */
static int find_above(const struct source_file *source, int line)
{
    for (int i = line; i >= 0 && i >= line - LINES; i--) {
        int last = i;
        if (!is_loop(source, i))
            continue;
        while (goes_on(source, last))
            last++;
        return line - last <= NEAR ? i : -1;
    }
    return -1;
}

/* The region's loop with a schedule; -1: none, or several. */
static int find_inside(const struct source_file *source, int line)
{
    int found = -1;
    for (int i = line + 1; i < source->count && !begins_region(source, i); i++)
        if (is_loop(source, i) && find_schedule(source, i) >= 0) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

/* A compiler names a loop by its directive, a line next to it, or the directive
 * of the region around it.  Returns the line with its schedule, or -1. */
static int find_loop(const struct source_file *source, int line)
{
    if (line < 0 || line >= source->count)
        return -1;
    int found = find_above(source, line);
    if (found < 0 && begins_region(source, line))
        found = find_inside(source, line);
    for (int i = line + 1; found < 0 && i < source->count && i <= line + NEAR;
         i++)
        if (is_loop(source, i))
            found = i;
    return found >= 0 ? find_schedule(source, found) : -1;
}

static bool set_clause(struct source_file *source, int line, const char *clause)
{
    int i = find_loop(source, line);
    if (i < 0 || source->line[i].change != NULL)
        return false;
    const char *text = source->line[i].text;
    const char *open = skip_blanks(find_word(text, "schedule"));
    const char *close = strchr(open, ')');
    if (*open != '(' || close == NULL)
        return false;
    source->line[i].change =
        need_text("%.*s(%s%s", (int)(open - text), text, clause, close);
    return true;
}

/* ---- the patch ---- */

bool suggest_name(const char *path, char name[PATH_MAX])
{
    char here[PATH_MAX], *whole = NULL;
    size_t length = getcwd(here, sizeof(here)) != NULL ? strlen(here) : 0;
    if (path[0] == '/' || strstr(path, "..") != NULL)
        whole = realpath(path, NULL);
    bool below = whole != NULL && length > 1 &&
                 strncmp(whole, here, length) == 0 && whole[length] == '/';
    const char *at = whole == NULL ? path : whole + 1;
    snprintf(name, PATH_MAX, "%s", below ? whole + length + 1 : at);
    free(whole);
    return at != path && !below;
}

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

/* A text without an end of line also has one line. */
static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text != '\0')
        lines++;
    return lines;
}

/* Prints lines [begin, end); `shift`: the growth of earlier lines.  Returns
 * `shift` plus the growth of these. */
static int print_hunk(FILE *out, const struct source_file *source, int begin,
                      int end, int shift)
{
    int grown = 0;
    for (int i = begin; i < end; i++)
        if (source->line[i].change != NULL)
            grown += lines_of(source->line[i].change) - 1;
    fprintf(out, "@@ -%d,%d +%d,%d @@\n", begin + 1, end - begin,
            begin + 1 + shift, end - begin + grown);
    for (int i = begin; i < end; i++) {
        const struct text *line = &source->line[i];
        print_text(out, line->change != NULL ? '-' : ' ', line->text);
        if (line->change != NULL)
            print_text(out, '+', line->change);
    }
    return shift + grown;
}

static int next_change(const struct source_file *source, int i)
{
    while (i < source->count && source->line[i].change == NULL)
        i++;
    return i;
}

static void print_patch(FILE *out, const struct source_file *source,
                        const char *path)
{
    int shift = 0, count = source->count;
    char name[PATH_MAX];
    suggest_name(path, name);
    fprintf(out, "--- %s\n+++ %s\n", name, name);
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
    struct source_file source = {.form = form_of(path)};
    int code = read_source(path, &source, err);
    *loops = code == 0 ? change_loops(&source) : 0;
    if (*loops > 0)
        print_patch(out, &source, path);
    free_source(&source);
    return code;
}

int suggest_clauses(const struct suggest_loop *loop, int count, FILE *out)
{
    struct error ignored;
    int found = 0;
    for (int i = 0; i < count; i++) {
        struct source_file source = {.form = form_of(loop[i].file)};
        bool done = false;
        for (int k = 0; k < i; k++)
            done = done || strcmp(loop[k].file, loop[i].file) == 0;
        if (!done && read_source(loop[i].file, &source, &ignored) == 0)
            for (int k = i; k < count; k++)
                if (strcmp(loop[k].file, loop[i].file) == 0)
                    found +=
                        set_clause(&source, loop[k].line - 1, loop[k].clause);
        if (next_change(&source, 0) < source.count)
            print_patch(out, &source, loop[i].file);
        free_source(&source);
    }
    return found;
}
