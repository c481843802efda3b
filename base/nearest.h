/* Messages about a name that is not allowed. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/error.h"

#include <stddef.h>

enum { NEAREST_HINT_MAX = 96 };

/* The entry of names (ended by NULL) with the smallest edit distance to word.
 * NULL: none is near, that is, more than a third of the longer word would have
 * to change.  Swapping two adjacent letters is one edit; case is ignored. */
const char *nearest_name(const char *word, const char *const *names);

/* "; did you mean 'b'?" with the nearest name, or an empty text if none is
 * near.  Returns `text`, of NEAREST_HINT_MAX bytes. */
const char *nearest_hint(const char *word, const char *const *names,
                         char *text);

/* Reports that `word` is not one of `names`: the formatted text, the nearest
 * names, and the command that lists them.  If `command` is "", the names follow
 * instead, if they are few or none is near.  Returns -EINVAL. */
int nearest_unknown(struct error *err, const char *word,
                    const char *const *names, const char *command,
                    const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
