#include "base/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer lists are not printed after a suggestion. */
enum { WORD_MAX = 63, SHORT = 8 };

static size_t smaller_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Levenshtein distance with swapped neighbours, no letter swapped twice: the
 * last three rows.  Ignores case. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[3][WORD_MAX + 1];
    size_t n = strlen(b), i = 0;
    for (size_t j = 0; j <= n; j++)
        row[0][j] = j;
    for (; a[i] != '\0'; i++) {
        const size_t *above = row[i % 3], *before = row[(i + 2) % 3];
        size_t *now = row[(i + 1) % 3];
        now[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            now[j + 1] = smaller_of(above[j] + !is_same(a[i], b[j]),
                                    smaller_of(above[j + 1], now[j]) + 1);
            if (i > 0 && j > 0 && is_same(a[i], b[j - 1]) &&
                is_same(a[i - 1], b[j]))
                now[j + 1] = smaller_of(now[j + 1], before[j - 1] + 1);
        }
    }
    return row[i % 3][n];
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
        size_t distance = edit_distance(word, *names);
        if (distance > longer / 3)
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

/* "a, b, c", cut at a name where the room ends. */
static const char *list_names(const char *const *names, char *text, size_t size)
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
                    const char *const *names, const char *command,
                    const char *format, ...)
{
    char said[sizeof(err->text)], list[sizeof(err->text)];
    char hint[NEAREST_HINT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    nearest_hint(word, names, hint);
    if (command[0] != '\0')
        return error_set(err, EINVAL, "%s%s%s '%s' lists what there is", said,
                         hint, hint[0] != '\0' ? "" : ";", command);
    int count = 0;
    while (names[count] != NULL)
        count++;
    if (hint[0] != '\0' && count > SHORT)
        return error_set(err, EINVAL, "%s%s", said, hint);
    return error_set(err, EINVAL, "%s%s%s allowed: %s", said, hint,
                     hint[0] != '\0' ? "" : ",",
                     list_names(names, list, sizeof(list)));
}
