/* The answers of all subjects, in words, as a rules file and as
 * answers.json.
 */
#ifndef BENCH_PROGRAMS_TRY_FINDINGS_H
#define BENCH_PROGRAMS_TRY_FINDINGS_H

#include "bench/programs/try/rounds.h"
#include "bench/programs/try/try_answer.h"

#include <stdio.h>

struct findings {
    const struct rounds *rounds;
    struct answer *answer; /* of each subject */
    int comparisons;
};

void findings_open(struct findings *findings, const struct rounds *rounds);
void findings_close(struct findings *findings);

/* The best candidate that changes only schedules for a subject; -1: none
 * gains. */
int findings_best_schedule(const struct findings *findings, int subject);

/* The lines that answer, the table of the whole program, and a sentence for
 * each subject.  Where the program has failed as it is, or a choice has another
 * answer, the first lines say so. */
void findings_print(const struct findings *findings, FILE *out);

/* The sentence without the subject; returns `all`. */
const char *findings_say(const struct findings *findings, int subject,
                         char *all, size_t size);

/* Whether no team had a second thread in the program as it is. */
bool findings_is_single(const struct findings *findings, int subject);

/* The gain that a choice seems to have, and that others can be the reason of;
 * returns `text`. */
const char *findings_say_seems(const struct findings *findings, int subject,
                               int choice, char *text, size_t size);

/* The sentence with what fails before it. */
void findings_say_all(const struct findings *findings, int subject, char *text,
                      size_t size);

/* What is missing for an answer to a subject; `repetitions` with LACKS_RUNS is
 * how many would do. */
enum findings_lack { LACKS_NOTHING, LACKS_RUNS, LACKS_QUIET };
enum findings_lack findings_lack(const struct findings *findings, int subject,
                                 int *repetitions);

/* Writes DIR/answers.json for the report.  Returns 0 or -errno. */
int findings_write_json(const struct findings *findings, struct error *err);

/* Writes DIR/rules for DLS_SCHEDULE=@DIR/rules: the loops with a best choice.
 * `count` is how many have one.  Returns 0 or -errno. */
int findings_write_rules(const struct findings *findings, int *count,
                         struct error *err);

#endif
