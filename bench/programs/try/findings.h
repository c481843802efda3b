/* The answers for all subjects: in words, as a rules file and as
 * answers.json. */
#ifndef BENCH_PROGRAMS_TRY_FINDINGS_H
#define BENCH_PROGRAMS_TRY_FINDINGS_H

#include "bench/programs/try/rounds.h"
#include "bench/programs/try/try_answer.h"

#include <stdio.h>

/* The rounds and the number of subjects must stay as they are until
 * findings_close.  `comparisons`: subjects times choices, the number over which
 * all intervals hold together. */
struct findings {
    const struct rounds *rounds;
    struct answer *answer; /* by subject */
    int comparisons;
};

void findings_open(struct findings *findings, const struct rounds *rounds);
void findings_close(struct findings *findings);

/* The best candidate for a subject that changes only schedules; -1: none
 * gains. */
int findings_best_schedule(const struct findings *findings, int subject);

/* Prints the answer, the table of the whole program, and a sentence for each
 * subject.  If the unmodified program failed, or a choice changes the answer,
 * the first lines say so. */
void findings_print(const struct findings *findings, FILE *out);

/* The sentence on a subject, without its name; returns `all`. */
const char *findings_say(const struct findings *findings, int subject,
                         char *all, size_t size);

/* Whether no team of the unmodified program had a second thread. */
bool findings_is_single(const struct findings *findings, int subject);

/* The apparent gain of a choice that other programs may explain; returns
 * `text`. */
const char *findings_say_seems(const struct findings *findings, int subject,
                               int choice, char *text, size_t size);

/* The sentence, preceded by the failures. */
void findings_say_all(const struct findings *findings, int subject, char *text,
                      size_t size);

/* What prevents an answer for a subject.  With LACKS_RUNS, `repetitions` is the
 * number that would suffice. */
enum findings_lack { LACKS_NOTHING, LACKS_RUNS, LACKS_QUIET };
enum findings_lack findings_lack(const struct findings *findings, int subject,
                                 int *repetitions);

/* Writes DIR/answers.json for the report.  Returns 0 or -errno. */
int findings_write_json(const struct findings *findings, struct error *err);

/* Writes DIR/rules for DLS_SCHEDULE=@DIR/rules: the loops with a best choice.
 * Sets `count` to their number.  Returns 0 or -errno. */
int findings_write_rules(const struct findings *findings, int *count,
                         struct error *err);

#endif
