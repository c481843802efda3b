/* Marks a choice in a result directory as failed, so that no reader ranks its
 * earlier runs. */
#ifndef BENCH_PROGRAMS_SAMPLES_MARKS_H
#define BENCH_PROGRAMS_SAMPLES_MARKS_H

#include "base/error.h"

/* Ends the cells of all launches of this choice with a status and a reason.
 * Cells of loops without a scheme stay, because the unmodified program has
 * them, too.  Files are replaced as a whole, and only if something changes.
 * Returns 0 or -errno. */
int marks_fail(const char *folder, const char *choice, const char *status,
               const char *reason, struct error *err);

#endif
