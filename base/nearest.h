/* The nearest valid name to a mistyped one, for error messages. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

/* The entry of names (NULL ends the list) with the smallest edit distance to
 * word, or NULL when none is near enough to be worth suggesting (more than a
 * third of the longer word would have to change, at least 2 edits). */
const char *nearest_name(const char *word, const char *const *names);

#endif
