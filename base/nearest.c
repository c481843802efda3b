#include "base/nearest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 63 };

/* Levenshtein distance, one row at a time. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1];
    size_t n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t skip = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < skip ? change : skip;
        }
    }
    return row[n];
}

const char *nearest_name(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = 0;
    if (strlen(word) > WORD_MAX)
        return NULL;
    for (; *names != NULL; names++) {
        size_t longer = strlen(*names);
        if (longer > WORD_MAX)
            continue;
        if (strlen(word) > longer)
            longer = strlen(word);
        size_t limit = longer / 3 > 2 ? longer / 3 : 2;
        size_t distance = edit_distance(word, *names);
        if (distance > limit || distance >= longer)
            continue;
        if (best == NULL || distance < best_distance) {
            best = *names;
            best_distance = distance;
        }
    }
    return best;
}

const char *nearest_hint(const char *word, const char *const *names, char *text)
{
    const char *near = nearest_name(word, names);
    text[0] = '\0';
    if (near != NULL)
        snprintf(text, NEAREST_HINT_MAX, "; did you mean '%s'?", near);
    return text;
}

const char *nearest_list(const char *const *names, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; names[i] != NULL; i++) {
        int more =
            snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
        if (more < 0 || (size_t)more >= size - used) {
            text[used] = '\0';
            break;
        }
        used += (size_t)more;
    }
    return text;
}

int nearest_unknown(struct error *err, const char *word,
                    const char *const *names, const char *format, ...)
{
    char said[sizeof(err->text)], list[sizeof(err->text)];
    char hint[NEAREST_HINT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    return error_set(err, EINVAL, "%s, allowed: %s%s", said,
                     nearest_list(names, list, sizeof(list)),
                     nearest_hint(word, names, hint));
}
