/* Whether the preload library is in a program's processes: from the library's
 * own file (dls/omp/omp_counters.h), and from looking at the running
 * processes. */
#ifndef BENCH_PROGRAMS_SYMBOLS_LOADED_H
#define BENCH_PROGRAMS_SYMBOLS_LOADED_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct loaded {
    double next_s, wait_s; /* time of the next look, and the wait after it */
    char last[32];         /* the name of the program's process at its end */
    pid_t pid;             /* the process */
    char lacking[160];     /* a process without the library, with the reason */
};

/* Finds a program's file like a shell.  Returns 0 or -errno. */
int loaded_find(const char *name, char *path, size_t size, struct error *err);

/* The first 16 digits of a file's build id.  False: it has none. */
enum { LOADED_ID_SIZE = 17 };
bool loaded_build_id(const char *path, char text[LOADED_ID_SIZE]);

/* The loader that a file names; empty: none, and it is no script.  False: it is
 * no program for this machine. */
bool loaded_loader(const char *path, char loader[PATH_MAX]);

/* Why the loader does not load it into this file, as a clause; NULL: it
 * does. */
const char *loaded_why_not(const char *path);

/* Whether the process descends from the program. */
bool loaded_belongs(pid_t pid, pid_t program);

/* Looks at the program's processes from time to time.  Returns the milliseconds
 * until the next look. */
int loaded_look(struct loaded *loaded, pid_t program);

/* The program's process has ended, but was not waited for yet. */
void loaded_end(struct loaded *loaded, pid_t program);

/* The rank that an MPI launcher gave this dlsbench; NULL: none. */
const char *loaded_own_rank(void);

/* Writes lines for the report and returns their number.  `folder`: of the
 * counters; `words`: the program; `rank`: the MPI ranks of the `seen` processes
 * in the report. */
int loaded_say(const struct loaded *loaded, const char *folder,
               char *const *words, const int64_t *rank, int seen);

#endif
