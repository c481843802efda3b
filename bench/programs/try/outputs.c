/* Judges the outputs by their digests where no check does.  The unmodified runs
 * must agree with each other first: without that, no choice is accused. */
#include "bench/programs/try/outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger relative differences are not due to rounding. */
static const double ROUNDING = 1e-6;

void outputs_open(struct outputs *outputs, bool checked, const char *first,
                  struct output *text)
{
    *outputs = (struct outputs){
        .text = text, .state = checked ? OUTPUTS_CHECKED : OUTPUTS_FEW};
    snprintf(outputs->first, sizeof(outputs->first), "%s", first);
    for (int i = 0; i < CANDIDATES_MAX; i++)
        outputs->differ[i] = NAN;
}

void outputs_close(struct outputs *outputs)
{
    output_close(outputs->text);
    outputs->text = NULL;
}

void outputs_take(struct outputs *outputs, int candidate,
                  const struct output *output, const char *digest)
{
    if (outputs->text != NULL && output != NULL &&
        output_match(outputs->first, digest) == OUTPUT_OTHER)
        outputs->differ[candidate] = output_differ(outputs->text, output);
}

/* ---- judging ---- */

/* Also of runs that were found to have another answer before. */
static bool is_known(const struct tries_run *run)
{
    return (run->good || strcmp(run->status, "unverified") == 0) &&
           run->output[0] != '\0';
}

/* The answer that all others are compared with; NULL: none. */
static const char *find_reference(const struct outputs *outputs,
                                  const struct tries *tries)
{
    if (outputs->first[0] != '\0')
        return outputs->first;
    for (int i = 0; i < tries->runs; i++)
        if (tries->run[i].candidate == CANDIDATES_OWN &&
            is_known(&tries->run[i]))
            return tries->run[i].output;
    return NULL;
}

/* Compares the unmodified runs. */
static void judge_own(struct outputs *outputs, const struct tries *tries,
                      const char *reference)
{
    enum output_match worst = OUTPUT_SAME;
    outputs->compared = outputs->first[0] != '\0';
    for (int i = 0; i < tries->runs; i++) {
        const struct tries_run *run = &tries->run[i];
        if (run->candidate != CANDIDATES_OWN || !is_known(run))
            continue;
        enum output_match match = output_match(reference, run->output);
        worst = match > worst ? match : worst;
        outputs->compared++;
    }
    outputs->state = outputs->compared < 2        ? OUTPUTS_FEW
                     : worst == OUTPUT_OTHER      ? OUTPUTS_VARY
                     : worst == OUTPUT_LINES      ? OUTPUTS_AS_LINES
                     : output_is_empty(reference) ? OUTPUTS_EMPTY
                                                  : OUTPUTS_COMPARED;
}

static void judge_run(struct outputs *outputs, const struct tries_run *run,
                      const char *reference)
{
    enum output_match match = output_match(reference, run->output);
    enum output_match allowed =
        outputs->state == OUTPUTS_AS_LINES ? OUTPUT_LINES : OUTPUT_SAME;
    if (match <= allowed || outputs->other[run->candidate] != 0)
        return;
    outputs->other[run->candidate] = run->round;
    outputs->in_lines[run->candidate] = match == OUTPUT_LINES;
}

/* Judges all choices anew each time.  A later unmodified run may show that
 * outputs vary, and thus take an accusation back. */
void outputs_judge(struct outputs *outputs, const struct tries *tries)
{
    const char *reference = find_reference(outputs, tries);
    if (outputs->state == OUTPUTS_CHECKED || reference == NULL)
        return;
    judge_own(outputs, tries, reference);
    memset(outputs->other, 0, sizeof(outputs->other));
    if (outputs->state < OUTPUTS_EMPTY)
        return;
    for (int i = 0; i < tries->runs; i++)
        if (tries->run[i].candidate != CANDIDATES_OWN &&
            is_known(&tries->run[i]))
            judge_run(outputs, &tries->run[i], reference);
}

/* ---- in words ---- */

const char *outputs_say_other(const struct outputs *outputs,
                              const struct candidates *candidates,
                              int candidate, char *text, size_t size)
{
    int used = snprintf(text, size, "other answers under %s: round %d prints ",
                        candidates->name[candidate], outputs->other[candidate]);
    double differ = outputs->differ[candidate];
    text += used;
    size -= (size_t)used;
    if (outputs->in_lines[candidate])
        snprintf(text, size, "the same lines in another order");
    else if (differ > 0 && differ <= ROUNDING)
        snprintf(text, size,
                 "other last digits (%.1g of a number), as sums in another "
                 "order have; if that is right, say so with --check",
                 differ);
    else
        snprintf(text, size, "something else than all %d runs as it is",
                 outputs->compared);
    return text - used;
}

const char *outputs_say(const struct outputs *outputs, char *text, size_t size)
{
    static const char *const says[] = {
        [OUTPUTS_CHECKED] = "answers: compared by --check",
        [OUTPUTS_FEW] = "answers: not compared, that takes two runs as it is",
        [OUTPUTS_VARY] = "answers: cannot be compared, because runs as it is "
                         "print different things; use --check COMMAND",
        [OUTPUTS_EMPTY] = "answers: cannot be compared, because the program "
                          "prints nothing to stdout; use --check COMMAND",
        [OUTPUTS_AS_LINES] = "answers: compared by the lines that are printed, "
                             "in any order",
        [OUTPUTS_COMPARED] = "answers: compared by what is printed",
    };
    snprintf(text, size, "%s", says[outputs->state]);
    return text;
}
