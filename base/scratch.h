/* Folders for what lasts as long as a run, below TMPDIR or /tmp.
 *
 * The process that opens one holds a lock on it, which ends with the process in
 * any case: folders without their lock are left behind by processes that were
 * killed, and the next that opens one removes those of its user. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/error.h"

#include <limits.h>
#include <stddef.h>

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
