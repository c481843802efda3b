/* Whether the preload library is in the processes of a program at all: by what
 * it writes itself (dls/omp/omp_counters.h), and by a look at the processes
 * while they run. */
#ifndef BENCH_PROGRAMS_SYMBOLS_LOADED_H
#define BENCH_PROGRAMS_SYMBOLS_LOADED_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct loaded {
    double next_s, wait_s; /* the next look, and from then to the one after */
    char last[32];         /* the name of the program's process at its end */
    pid_t pid;             /* the process */
    char lacking[160];     /* a process without the library, and why */
};

/* The file of a program, as a shell finds it.  Returns 0 or -errno. */
int loaded_find(const char *name, char *path, size_t size, struct error *err);

/* The first 16 digits of a file's build id; false: it has none. */
enum { LOADED_ID_SIZE = 17 };
bool loaded_build_id(const char *path, char text[LOADED_ID_SIZE]);

/* The loader that a file names; empty: it names none, and is no script.  False:
 * it is no program of this machine. */
bool loaded_loader(const char *path, char loader[PATH_MAX]);

/* Why the loader takes no library for this file, as a clause; NULL: it does. */
const char *loaded_why_not(const char *path);

/* Whether the program has begun this process. */
bool loaded_belongs(pid_t pid, pid_t program);

/* Looks at all that the program has begun, now and then: milliseconds until the
 * next look are returned. */
int loaded_look(struct loaded *loaded, pid_t program);

/* The program's process has ended and is not waited for yet. */
void loaded_end(struct loaded *loaded, pid_t program);

/* The number that a launcher of MPI gave this command itself; NULL: none did.
 */
const char *loaded_own_rank(void);

/* Writes lines for the report.  `folder`: of the counters; `words`: the
 * program; `rank`: of MPI, of the `seen` processes in the report.  Returns the
 * number of lines. */
int loaded_say(const struct loaded *loaded, const char *folder,
               char *const *words, const int64_t *rank, int seen);

#endif
