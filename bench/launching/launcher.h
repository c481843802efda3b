/* The command that starts the ranks, from a template such as
 * 'mpiexec.mpich -n {ranks}'. */
#ifndef BENCH_LAUNCHING_LAUNCHER_H
#define BENCH_LAUNCHING_LAUNCHER_H

#include "base/error.h"

#include <stdbool.h>

enum { LAUNCHER_SIZE = 1024 };

/* The default template, which may be stored in `text`.  The first that exists:
 * $DLSBENCH_LAUNCHER; the first line of dlsbench/launcher in $XDG_CONFIG_HOME
 * or ~/.config; inside a Slurm job, srun with a method of `srun --mpi=list`;
 * the mpiexec of the MPI that the program was built with. */
const char *launcher_default(char text[LAUNCHER_SIZE]);

/* The first method of `srun --mpi=list` that starts ranks of the MPI that the
 * program was built with, as pmi2; an empty text: none of them does; NULL:
 * there is no srun, or it knows no cluster. */
const char *launcher_srun_way(void);

/* Tells srun, also one that mpiexec starts, of our place by its variables,
 * before the first launch: inside a step ours overlaps with it and does not
 * take over how it was bound; `oversubscribe`: workers may share processors. */
void launcher_inside(bool oversubscribe);

/* Whether ranks that this template starts are all on this host: the default
 * outside of a job of any batch system and without a list of hosts. */
bool launcher_is_local(const char *template);

/* Splits the template at blanks ('...' and "..." keep them), inserts the
 * numbers of {ranks} and {threads}, and appends the words of `tail` (NULL ends
 * them).  Returns an argv (free it with launcher_free), or NULL with a text.
 * Errors are: no words, an open quote, an unknown {word}, no {ranks}.  With
 * srun's --het-group {ranks} may be missing: the parts of a job have their own
 * numbers. */
char **launcher_argv(const char *template, int ranks, int threads,
                     const char *const *tail, struct error *err);
void launcher_free(char **argv);

/* Whether a program can be started by this name. */
bool launcher_can_start(const char *program);

/* Checks that the template is sound and its program can be found. */
int launcher_check(const char *template, struct error *err);

#endif
