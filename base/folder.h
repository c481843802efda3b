/* The names in a folder, by their begin and end.  No pattern is matched, so
 * paths and names may have any characters. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "base/error.h"

#include <limits.h>
#include <stddef.h>

struct folder {
    int count;
    char **path; /* DIR/name, sorted by strcmp */
};

/* Finds names that begin with `begin` and end with `end` (either may be empty);
 * names that begin with a dot only if `begin` does.  Returns 0, even if there
 * are none, or a negative errno; free with folder_free. */
int folder_find(const char *dir, const char *begin, const char *end,
                struct folder *found, struct error *err);
void folder_free(struct folder *found);

/* Removes a folder with its contents, as far as possible; removes links, but
 * not their targets. */
void folder_remove(const char *path);

/* Folders that exist as long as a run, below TMPDIR or /tmp.
 *
 * The process that opens one has a lock on it, which always ends with the
 * process.  A folder without a lock is from a killed process, and the next
 * process of that user that opens one removes it. */

struct scratch {
    char path[PATH_MAX]; /* empty: none */
    int lock;
};

/* TMPDIR, or /tmp. */
const char *scratch_base(void);

/* Makes a folder with room for `bytes`.  Returns 0, or -errno with a text that
 * names the folder above it; call scratch_close in any case. */
int scratch_open(struct scratch *scratch, size_t bytes, struct error *err);

/* Removes it with its contents; follows no link. */
void scratch_close(struct scratch *scratch);

#endif
