/* Runs the rounds of --try: the order, one run, its storage, and which
 * candidates are dropped.  The order of a round depends only on the seed, the
 * round, and the number of candidates. */
#include "bench/programs/try/rounds.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/launching/progress_line.h"
#include "bench/launching/subprocess.h"
#include "bench/options/command.h"
#include "bench/programs/samples/marks.h"
#include "bench/programs/seen/store.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds that show the variation of runs, before one may be dropped. */
enum { ROUNDS_LEAST = 3 };

struct watching {
    struct progress progress;
    double run_s; /* seconds of the runs so far */
    int runs;
};

static bool is_out(const struct rounds *rounds, int candidate)
{
    return rounds->dropped[candidate] || rounds->failed[candidate] ||
           rounds->outputs.other[candidate] != 0;
}

/* ---- progress ---- */

int rounds_choices(const struct rounds *rounds)
{
    int count = 0;
    for (int i = 1; i < rounds->candidates->count; i++)
        count += !rounds->useless[i];
    return count;
}

int rounds_count(const struct rounds *rounds, int *runs)
{
    int most = 0;
    *runs = 0;
    for (int i = 1; i < rounds->candidates->count; i++) {
        if (is_out(rounds, i) || rounds->lacks[i] <= 0)
            continue;
        most = rounds->lacks[i] > most ? rounds->lacks[i] : most;
        *runs += rounds->lacks[i];
    }
    *runs += most; /* the unmodified program's */
    return most;
}

/* Counts the missing runs of a round that was partly done. */
static int count_left(const struct rounds *rounds, int round)
{
    int runs;
    rounds_count(rounds, &runs);
    for (int i = 0; i < rounds->candidates->count; i++)
        runs -= !is_out(rounds, i) &&
                tries_find_run(rounds->tries, i, round) != NULL;
    return runs;
}

static int find_last(const struct rounds *rounds, int round)
{
    int runs, left = rounds_count(rounds, &runs);
    return left > 0 ? round + left - 1 : round;
}

static void show_round(struct watching *watching, const struct rounds *rounds,
                       int round, const char *name)
{
    char text[256], duration[48], time[64] = "";
    int left = count_left(rounds, round);
    if (watching->runs > 0 && left > 0) {
        progress_duration(watching->run_s / watching->runs * left, duration,
                          sizeof(duration));
        snprintf(time, sizeof(time), ", %s left", duration);
    }
    snprintf(text, sizeof(text), "round %d of %d, %d run%s to come%s, %.100s",
             round, find_last(rounds, round), left, text_s(left), time, name);
    progress_line(&watching->progress, text, subprocess_now(), false);
}

/* ---- one run ---- */

/* Stores a run, then reads it back from the directory.  So a resumed call
 * computes with the same numbers as this one. */
static int keep_run(struct rounds *rounds, int candidate, int round,
                    const struct attempt *attempt, struct error *err)
{
    const char *name = rounds->candidates->name[candidate];
    char reason[460];
    snprintf(reason, sizeof(reason), "round %d: %s", round, attempt->reason);
    struct store_run run = {.folder = rounds->folder,
                            .words = rounds->command,
                            .scheme = rounds->candidates->scheme[candidate],
                            .setting = rounds->candidates->setting[candidate],
                            .status = attempt->good  ? "ok"
                                      : attempt->ran ? "unverified"
                                                     : "failed",
                            .reason = attempt->good ? NULL : reason,
                            .seconds = attempt->seconds,
                            .output = attempt->digest,
                            .cpu_s = attempt->cpu_s,
                            .others_s = attempt->others_s,
                            .preempted = attempt->preempted,
                            .tried = name,
                            .round = round,
                            .checked = attempt->good &&
                                       rounds->attempts->check != NULL,
                            .program = rounds->subjects->subject[0].name};
    outputs_take(&rounds->outputs, candidate, attempt->output, attempt->digest);
    int code = store_loops(&run, &attempt->loops, err);
    if (code == 0)
        code =
            tries_read_launch(rounds->tries, rounds->folder, run.launch, err);
    if (code == 0 && !attempt->good && candidate != CANDIDATES_OWN)
        code = marks_fail(rounds->folder, name, run.status, reason, err);
    return code;
}

static const char *find_note(const struct loops *loops)
{
    for (int i = 0; i < loops->processes; i++)
        for (int k = 0; k < loops->process[i].loops; k++)
            if (loops->process[i].loop[k].site->note[0] != '\0')
                return loops->process[i].loop[k].site->note;
    return "it hands out the chunks of no loop here";
}

/* A candidate that fails, or changes nothing, is not run again. */
static void judge_run(struct rounds *rounds, int candidate, int round,
                      const struct attempt *attempt, struct progress *progress)
{
    const char *name = rounds->candidates->name[candidate];
    if (attempt->good && candidate == CANDIDATES_OWN)
        rounds->own_s = fmax(rounds->own_s, attempt->seconds);
    if (attempt->good && (rounds->candidates->scheme[candidate] == NULL ||
                          loops_have_scheme(&attempt->loops)))
        return;
    progress_clear(progress);
    if (attempt->good) {
        rounds->dropped[candidate] = rounds->useless[candidate] = true;
        command_say("omp: %s is left out: %s", name,
                    find_note(&attempt->loops));
    } else {
        rounds->failed[candidate] = candidate != CANDIDATES_OWN;
        command_say("omp: %s fails in round %d: %s", name, round,
                    attempt->reason);
    }
}

/* Remove the old verdict: it rests on fewer runs.  A choice that runs by the
 * rules needs them. */
static void remove_verdict(const struct rounds *rounds)
{
    const struct candidates *candidates = rounds->candidates;
    const char *last = candidates->scheme[candidates->count - 1];
    bool ruled = last != NULL && last[0] == '@';
    const char *names[] = {"answers.json", ruled ? NULL : "rules", NULL};
    struct folder patches = {.count = 0};
    struct error ignored;
    for (int i = 0; names[i] != NULL; i++) {
        char *path = need_text("%s/%s", rounds->folder, names[i]);
        file_discard(path);
        free(path);
    }
    if (folder_find(rounds->folder, "", ".patch", &patches, &ignored) == 0)
        for (int i = 0; i < patches.count; i++)
            file_discard(patches.path[i]);
    folder_free(&patches);
}

static int run_one(struct rounds *rounds, int candidate, int round,
                   struct watching *watching, struct error *err)
{
    struct attempt attempt;
    const char *name = rounds->candidates->name[candidate];
    double limit_s = attempt_limit(rounds->own_s);
    show_round(watching, rounds, round, name);
    strips_ask(rounds->strip[candidate] == NULL);
    int code = attempt_run(
        rounds->attempts, rounds->candidates->scheme[candidate],
        rounds->candidates->setting[candidate], limit_s, &attempt, err);
    if (code == 0 && attempt.interrupted)
        code = error_set(err, EINTR,
                         "omp: interrupted in round %d of %d; continue by the "
                         "same command with --resume",
                         round, find_last(rounds, round));
    if (code == 0) {
        watching->run_s += attempt.seconds;
        if (watching->runs++ == 0)
            remove_verdict(rounds);
        judge_run(rounds, candidate, round, &attempt, &watching->progress);
        strips_keep(&rounds->strip[candidate], &attempt);
        if (!rounds->useless[candidate])
            code = keep_run(rounds, candidate, round, &attempt, err);
    }
    attempt_free(&attempt);
    return code;
}

/* ---- dropping ---- */

/* Candidates of one kind are compared with each other; the best of all kinds
 * run together in the end.  The unmodified program is of each kind. */
enum { KINDS = FACTOR_SEVERAL + 1 };

static int kind_of(const struct rounds *rounds, int candidate)
{
    return (int)rounds->candidates->factor[candidate];
}

static struct select *select_of(const struct rounds *rounds, int subject,
                                int kind)
{
    return &rounds->select[KINDS * subject + kind];
}

/* The load may differ between rounds, so times are relative to the unmodified
 * program's in the same round, whose own is 1. */
static void add_round(struct rounds *rounds, int subject,
                      const struct tries_loop *loop, int round)
{
    for (int i = 0; i < loop->count; i++) {
        const struct tries_sample *sample = &loop->sample[i];
        const struct tries_sample *own =
            sample->round == round ? tries_find_own(loop, sample) : NULL;
        for (int kind = 0; own != NULL && kind < KINDS; kind++)
            if (sample->candidate == CANDIDATES_OWN ||
                kind_of(rounds, sample->candidate) == kind)
                select_add(select_of(rounds, subject, kind), sample->candidate,
                           sample->time_s / own->time_s);
    }
}

/* Whether each candidate that may be dropped has enough rounds.  Candidates
 * that were added later have fewer. */
static bool may_drop(const struct rounds *rounds)
{
    bool any = false;
    for (int i = 1; i < rounds->candidates->count; i++) {
        int times =
            select_of(rounds, 0, kind_of(rounds, i))->candidate[i].times;
        if (is_out(rounds, i) || times == 0)
            continue;
        if (times < ROUNDS_LEAST)
            return false;
        any = true;
    }
    return any;
}

/* A candidate stays while it may win for any subject.  It also stays where no
 * subject has a sample of it, because then nothing speaks against it. */
static bool may_be_best(const struct rounds *rounds, int candidate)
{
    bool any = false;
    for (int s = 0; s < rounds->subjects->count; s++) {
        const struct select_candidate *of =
            &select_of(rounds, s, kind_of(rounds, candidate))
                 ->candidate[candidate];
        if (of->times > 0 && !of->out)
            return true;
        any = any || of->times > 0;
    }
    return !any;
}

static void drop_of(const struct rounds *rounds, struct select *select)
{
    for (int i = 1; i < rounds->candidates->count; i++)
        if (is_out(rounds, i)) /* excluded from the comparison */
            select->candidate[i].out = true;
    select_drop(select);
}

/* Drops candidates that cannot be the best of their kind for any subject. */
static void drop_slow(struct rounds *rounds, int round,
                      struct progress *progress)
{
    for (int s = 0; s < rounds->subjects->count; s++) {
        const struct tries_loop *loop =
            tries_find_loop(rounds->tries, rounds->subjects->subject[s].name);
        if (loop != NULL)
            add_round(rounds, s, loop, round);
    }
    if (!may_drop(rounds))
        return;
    for (int s = 0; s < rounds->subjects->count; s++)
        for (int kind = 0; kind < KINDS; kind++)
            drop_of(rounds, select_of(rounds, s, kind));
    for (int i = 1; i < rounds->candidates->count; i++) {
        if (is_out(rounds, i) || rounds->lacks[i] <= 0 ||
            may_be_best(rounds, i))
            continue; /* one that has all its rounds costs no more */
        rounds->dropped[i] = true;
        if (progress == NULL)
            continue;
        progress_clear(progress);
        command_say("omp: %s is dropped after round %d: slower than others",
                    rounds->candidates->name[i], round);
    }
}

/* ---- all rounds ---- */

static int run_round(struct rounds *rounds, int round,
                     struct watching *watching, struct error *err)
{
    int order[CANDIDATES_MAX], code = 0;
    int count = rounds->candidates->count;
    uint64_t random = random_stream(rounds->seed, (uint64_t)round);
    random_order(order, count, &random);
    for (int i = 0; i < count && code == 0; i++)
        if (order[i] == CANDIDATES_OWN ||
            (rounds->lacks[order[i]] > 0 && !is_out(rounds, order[i])))
            code = run_one(rounds, order[i], round, watching, err);
    for (int i = 1; i < count; i++)
        rounds->lacks[i]--;
    if (code == 0)
        rounds_compare(rounds, &watching->progress);
    if (code == 0)
        drop_slow(rounds, round, &watching->progress);
    return code;
}

/* A candidate dropped in earlier rounds stays dropped, without a message. */
void rounds_open(struct rounds *rounds)
{
    int last = tries_last_round(rounds->tries);
    const struct select_rule rule = {.candidates = rounds->candidates->count,
                                     .repetitions = rounds->repetitions,
                                     .share = 1};
    int count = KINDS * rounds->subjects->count;
    rounds->select = need_zeroed((size_t)count, sizeof(*rounds->select));
    for (int s = 0; s < count; s++)
        select_open(&rounds->select[s], &rule);
    for (int i = 1; i < rounds->candidates->count; i++) {
        rounds->failed[i] = tries_find_failed(rounds->tries, i) != NULL;
        rounds->lacks[i] =
            rounds->repetitions - tries_count_rounds(rounds->tries, i);
    }
    rounds_compare(rounds, NULL);
    for (int round = 1; round <= last; round++)
        drop_slow(rounds, round, NULL);
}

void rounds_close(struct rounds *rounds)
{
    free(rounds->select);
    rounds->select = NULL;
}

int rounds_run(struct rounds *rounds, struct error *err)
{
    struct watching watching = {.runs = 0};
    int code = 0, runs;
    int round = tries_last_round(rounds->tries);
    /* An earlier call may have ended before it had marked them all. */
    for (int i = 1; i < rounds->candidates->count && code == 0; i++) {
        const struct tries_run *run = tries_find_failed(rounds->tries, i);
        if (run != NULL)
            code = marks_fail(rounds->folder, rounds->candidates->name[i],
                              run->status, run->reason, err);
    }
    progress_open(&watching.progress, subprocess_now());
    while (code == 0 && rounds_count(rounds, &runs) > 0)
        code = run_round(rounds, ++round, &watching, err);
    progress_clear(&watching.progress);
    return code;
}
