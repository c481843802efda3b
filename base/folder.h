/* The names in a folder, by how they begin and end.  No pattern is matched, so
 * paths and names may hold any character. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "base/error.h"

struct folder {
    int count;
    char **path; /* DIR/name, in the order of strcmp */
};

/* Finds what begins with `begin` and ends with `end` (either may be empty);
 * names that begin with a dot only when `begin` does.  Returns 0, also when
 * there is none, or a negative errno; free with folder_free. */
int folder_find(const char *dir, const char *begin, const char *end,
                struct folder *found, struct error *err);
void folder_free(struct folder *found);

/* Removes a folder with all that is in it, as far as that can be done; a link
 * goes, what it leads to stays. */
void folder_remove(const char *path);

#endif
