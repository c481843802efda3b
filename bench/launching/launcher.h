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

/* The first method of `srun --mpi=list` that starts ranks of the program's MPI,
 * such as pmi2; an empty text: none does; NULL: no srun, or no cluster that it
 * knows. */
const char *launcher_srun_method(void);

/* Before the first launch: sets variables that tell srun (also if mpiexec
 * starts it) how to run inside a step: its step overlaps with ours and does not
 * inherit its binding. `oversubscribe`: workers may share processors. */
void launcher_inside(bool oversubscribe);

/* Whether all ranks of this template run on this host: the default template
 * outside any batch job and without a list of hosts. */
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
