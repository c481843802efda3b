/* The folders of a path of up to 2047 bytes. */
#ifndef BENCH_RESULTS_FOLDERS_H
#define BENCH_RESULTS_FOLDERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The length of the part of the path that is there before anything is made. */
size_t folders_there(const char *path);

/* Makes a folder; says whether it is new; those above are made quietly.
 * Returns 0 or a negative errno with a text. */
int folders_make(const char *path, bool *new, struct error *err);

/* After an error, to leave nothing behind: removes the folders of the path
 * beyond the first `there` characters, as far as they are empty. */
void folders_remove(const char *path, size_t there);

/* The same for the results of a command without a campaign ("omp", "replay"),
 * by its option --out: a name is below results/COMMAND, a path has a '/'.  A
 * folder with a campaign is refused.  `path` gets the directory;
 * folders_name_out creates nothing. */
int folders_name_out(const char *command, const char *out, char *path,
                     size_t size, struct error *err);
int folders_make_out(const char *command, const char *out, char *path,
                     size_t size, struct error *err);

#endif
