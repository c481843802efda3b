/* Which runs of the rounds were good, and have the answer of the others. */
#include "bench/programs/try/rounds.h"

#include "bench/launching/progress_line.h"
#include "bench/options/command.h"
#include "bench/programs/samples/marks.h"

#include <string.h>

/* ---- what failed ---- */

int rounds_count_failed(const struct rounds *rounds, int *all)
{
    int failed = 0;
    *all = 0;
    for (int i = 0; i < rounds->tries->runs; i++) {
        const struct tries_run *run = &rounds->tries->run[i];
        *all += run->candidate == CANDIDATES_OWN;
        failed += run->candidate == CANDIDATES_OWN && !run->good;
    }
    return failed;
}

bool rounds_have_failed(const struct rounds *rounds)
{
    for (int i = 0; i < rounds->candidates->count; i++)
        if (tries_find_failed(rounds->tries, i) != NULL)
            return true;
    return false;
}

/* ---- answers ---- */

void rounds_compare(struct rounds *rounds, struct progress *progress)
{
    int before[CANDIDATES_MAX];
    char text[512];
    memcpy(before, rounds->outputs.other, sizeof(before));
    enum outputs_state state = rounds->outputs.state;
    outputs_judge(&rounds->outputs, rounds->tries);
    for (int i = 1; i < rounds->candidates->count; i++) {
        int now = rounds->outputs.other[i];
        if (now == 0 && before[i] != 0)
            rounds->lacks[i] =
                rounds->repetitions - tries_count_rounds(rounds->tries, i);
        if (progress == NULL || now == before[i] || now == 0)
            continue;
        progress_clear(progress);
        command_say("omp: %s",
                    outputs_say_other(&rounds->outputs, rounds->candidates, i,
                                      text, sizeof(text)));
    }
    if (progress == NULL || rounds->outputs.state != OUTPUTS_VARY ||
        state == OUTPUTS_VARY)
        return;
    progress_clear(progress);
    command_say("omp: %s", outputs_say(&rounds->outputs, text, sizeof(text)));
}

int rounds_spoil(struct rounds *rounds, struct error *err)
{
    char text[512];
    int code = 0;
    outputs_judge(&rounds->outputs, rounds->tries);
    for (int i = 1; i < rounds->candidates->count && code == 0; i++) {
        if (rounds->outputs.other[i] == 0)
            continue;
        outputs_say_other(&rounds->outputs, rounds->candidates, i, text,
                          sizeof(text));
        tries_spoil(rounds->tries, i, rounds->outputs.other[i], text);
        rounds->failed[i] = true;
        code = marks_fail(rounds->folder, rounds->candidates->name[i],
                          "unverified", text, err);
    }
    return code;
}
