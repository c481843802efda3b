/* dlsbench omp --try and its like: a program's runs under several schemes. */
#ifndef BENCH_PROGRAMS_TRY_TRY_H
#define BENCH_PROGRAMS_TRY_TRY_H

#include <stdbool.h>

struct try_plan {
    char **words;         /* the program and its arguments, NULL ends them */
    const char *file;     /* the program's */
    char *const *command; /* of dlsbench, NULL ends it */
    const char *check;    /* for the shell; NULL: none */
    const char *loops;    /* as in struct start */
    const char *list;     /* --try */
    const char *folder;   /* the result directory */
    int repetitions;
    bool resume;
    const char *scheme; /* of seeds: rnd:seed=1..100 */
};

/* Below mpiexec each rank would run the program for itself, so that is refused,
 * and the first rank says so.  Before anything else, wrong options included;
 * returns COMMAND_OK or the exit code. */
int try_check_place(const char *option, const char *program);

/* Which of the candidates is best; returns the exit code: COMMAND_FAILED also
 * where one of them failed. */
int try_program(const struct try_plan *plan);

/* Whether the text asks for several seeds ("rnd:seed=1..100"). */
bool try_has_seeds(const char *scheme);

/* Runs the program under each seed until its answer is wrong; returns the exit
 * code: COMMAND_FAILED where it was. */
int try_seeds(const struct try_plan *plan);

/* The parts of both: the first run, as it is, must be good.  0 or -errno, with
 * `attempt` to be freed in any case. */
struct attempt;
struct attempts;
struct error;
int try_first(const struct attempts *attempts, struct attempt *attempt,
              struct error *err);

#endif
