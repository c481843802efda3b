/* The folders of a path of at most 2047 bytes. */
#ifndef BENCH_RESULTS_FOLDERS_H
#define BENCH_RESULTS_FOLDERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The length of the part of the path that exists before any is made. */
size_t folders_there(const char *path);

/* Makes a folder and reports whether it is new; makes those above without a
 * report. Returns 0 or a negative errno with a text. */
int folders_make(const char *path, bool *new, struct error *err);

/* After an error: removes the empty folders of the path beyond the first
 * `there` characters, to leave nothing behind. */
void folders_remove(const char *path, size_t there);

/* For the results of a command without a campaign ("omp", "replay"), from its
 * option --out: a name is below results/COMMAND, a path has a '/'. Refuses a
 * folder with a campaign. Sets `path` to the directory; folders_name_out
 * creates nothing. */
int folders_name_out(const char *command, const char *out, char *path,
                     size_t size, struct error *err);
int folders_make_out(const char *command, const char *out, char *path,
                     size_t size, struct error *err);

#endif
