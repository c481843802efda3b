#include "base/nearest.h"

#include <stddef.h>
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
