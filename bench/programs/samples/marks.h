/* Marks in a result directory for a choice that has failed: no reader may rank
 * its earlier runs either. */
#ifndef BENCH_PROGRAMS_SAMPLES_MARKS_H
#define BENCH_PROGRAMS_SAMPLES_MARKS_H

#include "base/error.h"

/* Ends the cells of all launches of this choice with a status and a reason.
 * Cells of loops that it did not take stay as they are: the program as it is
 * also has them.  Files are replaced whole, and not touched where nothing
 * changes.  Returns 0 or -errno. */
int marks_fail(const char *folder, const char *choice, const char *status,
               const char *reason, struct error *err);

#endif
