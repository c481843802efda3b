/* dlsbench omp --try and seeds: runs of a program under several schemes. */
#ifndef BENCH_PROGRAMS_TRY_TRY_H
#define BENCH_PROGRAMS_TRY_TRY_H

#include <stdbool.h>

struct try_plan {
    char **words;         /* the program and its arguments, NULL ends them */
    const char *file;     /* the program's file */
    char *const *command; /* of dlsbench, NULL ends it */
    const char *check;    /* shell command; NULL: none */
    const char *loops;    /* as in struct start */
    const char *list;     /* the text of --try */
    const char *folder;   /* the result directory */
    int repetitions;
    bool resume;
    const char *scheme; /* with seeds: rnd:seed=1..100 */
};

/* Refuses to run below mpiexec, where each rank would run the program for
 * itself; the first rank reports it.  Call it first, even before options are
 * checked.  Returns COMMAND_OK or the exit code. */
int try_check_place(const char *option, const char *program);

/* Finds the best candidate.  Returns the exit code: COMMAND_FAILED also if one
 * of them failed. */
int try_program(const struct try_plan *plan);

/* Whether the text asks for several seeds ("rnd:seed=1..100"). */
bool try_has_seeds(const char *scheme);

/* Runs the program under each seed until its answer is wrong.  Returns the exit
 * code: COMMAND_FAILED if it was. */
int try_seeds(const struct try_plan *plan);

/* For both: the first run, unmodified, must be good.  Returns 0 or -errno; free
 * `attempt` in any case. */
struct attempt;
struct attempts;
struct error;
int try_first(const struct attempts *attempts, struct attempt *attempt,
              struct error *err);

#endif
