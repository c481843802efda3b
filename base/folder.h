/* The names in a folder, by how they begin and end.  No pattern is matched, so
 * paths and names may hold any character. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "base/error.h"

#include <limits.h>
#include <stddef.h>

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

/* Folders for what lasts as long as a run, below TMPDIR or /tmp.
 *
 * The process that opens one holds a lock on it, which ends with the process in
 * any case: folders without their lock are left behind by processes that were
 * killed, and the next that opens one removes those of its user. */

struct scratch {
    char path[PATH_MAX]; /* empty: there is none */
    int lock;
};

/* TMPDIR, or /tmp. */
const char *scratch_base(void);

/* Makes one in which `bytes` have room.  Returns 0, or -errno with a text that
 * names the folder above it; scratch_close in any case. */
int scratch_open(struct scratch *scratch, size_t bytes, struct error *err);

/* Removes it with all that is in it, and follows no link. */
void scratch_close(struct scratch *scratch);

#endif
