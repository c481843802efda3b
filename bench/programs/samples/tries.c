/* Reads the result files of --try.  A file is a launch, and a launch is one run
 * of the program.  Without the line that ends the whole program's cell, the run
 * was cut off and does not count. */
#include "bench/programs/samples/tries.h"

#include "base/folder.h"
#include "base/text.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char whole[] = "whole program ";

/* ---- one launch ---- */

/* All lines of a launch are of one run. */
struct launch {
    struct tries_run run;
    json_t *rows; /* of its repetitions */
    bool ended;
};

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text != NULL ? text : "";
}

static double real_of(const json_t *row, const char *name)
{
    const json_t *value = json_object_get(row, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A line that is not JSON was cut off.  Returns 0 or -ENOMEM. */
static int take_line(struct launch *launch, const struct tries *tries,
                     json_t *row)
{
    int code = 0;
    const char *type = text_of(row, "type");
    bool done = text_is(type, "cell_done");
    bool of_whole =
        strncmp(text_of(row, "kernel"), whole, sizeof(whole) - 1) == 0;
    int round = (int)json_integer_value(json_object_get(row, "round"));
    int candidate = candidates_find(tries->candidates, text_of(row, "tried"));
    if (text_is(type, "run") && candidate >= 0 && round > 0) {
        launch->run.candidate = candidate;
        launch->run.round = round;
        code = json_array_append(launch->rows, row) == 0 ? 0 : -ENOMEM;
        if (of_whole) {
            snprintf(launch->run.output, sizeof(launch->run.output), "%s",
                     text_of(row, "output"));
            launch->run.time_s = real_of(row, "time_s");
            launch->run.cpu_s = real_of(row, "cpu_s");
            launch->run.others_s = real_of(row, "beside_s");
        }
    }
    if (done && of_whole) {
        launch->ended = true;
        launch->run.good = text_is(text_of(row, "status"), "ok");
        snprintf(launch->run.status, sizeof(launch->run.status), "%s",
                 text_of(row, "status"));
        snprintf(launch->run.reason, sizeof(launch->run.reason), "%s",
                 text_of(row, "reason"));
    }
    return code;
}

static struct tries_loop *find_loop(struct tries *tries, const char *name)
{
    for (int i = 0; i < tries->loops; i++)
        if (text_is(tries->loop[i].name, name))
            return &tries->loop[i];
    need_room(&tries->loop, &tries->loops_room, tries->loops + 1,
              sizeof(*tries->loop));
    struct tries_loop *loop = &tries->loop[tries->loops++];
    *loop = (struct tries_loop){
        .name = need_copy(name),
        .whole = strncmp(name, whole, sizeof(whole) - 1) == 0};
    return loop;
}

/* Several processes of one run, one after the other, count together. */
static void add_sample(struct tries_loop *loop,
                       const struct tries_sample *sample)
{
    struct tries_sample *last =
        loop->count > 0 ? &loop->sample[loop->count - 1] : NULL;
    if (last != NULL && last->candidate == sample->candidate &&
        last->round == sample->round) {
        last->time_s += sample->time_s;
        last->ranks = last->ranks > sample->ranks ? last->ranks : sample->ranks;
        last->threads =
            last->threads > sample->threads ? last->threads : sample->threads;
        return;
    }
    need_room(&loop->sample, &loop->room, loop->count + 1,
              sizeof(*loop->sample));
    loop->sample[loop->count++] = *sample;
}

static int number_of(const json_t *row, const char *name)
{
    return (int)json_integer_value(json_object_get(row, name));
}

/* A loop that the scheme did not take ran under its clause.  `alone`: the run
 * gives only this row. */
static void take_row(struct tries *tries, const struct tries_run *run,
                     const json_t *row, bool alone)
{
    const char *kernel = text_of(row, "kernel");
    const struct tries_sample sample = {
        .candidate = run->candidate,
        .round = run->round,
        .ranks = alone ? 0 : number_of(row, "ranks"),
        .threads = alone ? 0 : number_of(row, "threads"),
        .time_s = json_number_value(json_object_get(row, "time_s")),
        .loose = tries->candidates->setting[run->candidate] != NULL};
    bool own = text_is(text_of(row, "scheme"), text_of(row, "clause"));
    struct tries_loop *loop = find_loop(tries, kernel);
    if (sample.time_s > 0 &&
        (loop->whole || own == (run->candidate == CANDIDATES_OWN)))
        add_sample(loop, &sample);
}

static void take_launch(struct tries *tries, const struct launch *launch)
{
    size_t i;
    const json_t *row;
    if (!launch->ended || json_array_size(launch->rows) == 0 ||
        tries_find_run(tries, launch->run.candidate, launch->run.round) != NULL)
        return;
    need_room(&tries->run, &tries->runs_room, tries->runs + 1,
              sizeof(*tries->run));
    tries->run[tries->runs++] = launch->run;
    if (launch->run.good)
        json_array_foreach(launch->rows, i, row) take_row(
            tries, &launch->run, row, json_array_size(launch->rows) == 1);
}

static int read_file(struct tries *tries, const char *path, struct error *err)
{
    struct launch launch = {.rows = json_array()};
    struct rows rows;
    json_t *row;
    int code = rows_open(&rows, path, err);
    if (code == 0 && launch.rows == NULL)
        code = error_set(err, ENOMEM, "%s: out of memory", path);
    while (code == 0 && (code = rows_next(&rows, &row, err)) > 0) {
        code = take_line(&launch, tries, row);
        json_decref(row);
        if (code != 0)
            error_set(err, ENOMEM, "%s: out of memory", path);
    }
    rows_close(&rows);
    if (code == 0)
        take_launch(tries, &launch);
    json_decref(launch.rows);
    return code;
}

/* ---- all launches ---- */

int tries_read_launch(struct tries *tries, const char *folder,
                      const char *launch, struct error *err)
{
    char *path = need_text("%s/runs-%s.jsonl", folder, launch);
    int code = read_file(tries, path, err);
    free(path);
    return code;
}

int tries_read(struct tries *tries, const struct candidates *candidates,
               const char *folder, struct error *err)
{
    struct folder files;
    *tries = (struct tries){.candidates = candidates};
    int code = folder_find(folder, "runs-", ".jsonl", &files, err);
    if (code != 0)
        return code;
    for (int i = 0; code == 0 && i < files.count; i++)
        code = read_file(tries, files.path[i], err);
    folder_free(&files);
    return code;
}

void tries_free(struct tries *tries)
{
    for (int i = 0; i < tries->loops; i++) {
        free(tries->loop[i].name);
        free(tries->loop[i].sample);
    }
    free(tries->loop);
    free(tries->run);
    *tries = (struct tries){0};
}

const struct tries_loop *tries_find_loop(const struct tries *tries,
                                         const char *name)
{
    for (int i = 0; i < tries->loops; i++)
        if (text_is(tries->loop[i].name, name))
            return &tries->loop[i];
    return NULL;
}

const struct tries_run *tries_find_run(const struct tries *tries, int candidate,
                                       int round)
{
    for (int i = 0; i < tries->runs; i++)
        if (tries->run[i].candidate == candidate &&
            tries->run[i].round == round)
            return &tries->run[i];
    return NULL;
}

const struct tries_run *tries_find_failed(const struct tries *tries,
                                          int candidate)
{
    for (int i = 0; i < tries->runs; i++)
        if (tries->run[i].candidate == candidate && !tries->run[i].good)
            return &tries->run[i];
    return NULL;
}

void tries_spoil(struct tries *tries, int candidate, int round,
                 const char *reason)
{
    for (int i = 0; i < tries->runs; i++) {
        struct tries_run *run = &tries->run[i];
        if (run->candidate != candidate || run->round != round || !run->good)
            continue;
        run->good = false;
        snprintf(run->status, sizeof(run->status), "unverified");
        snprintf(run->reason, sizeof(run->reason), "%s", reason);
    }
}

int tries_count_rounds(const struct tries *tries, int candidate)
{
    int count = 0;
    for (int i = 0; i < tries->runs; i++)
        count +=
            tries->run[i].candidate == candidate &&
            tries_find_run(tries, CANDIDATES_OWN, tries->run[i].round) != NULL;
    return count;
}

int tries_last_round(const struct tries *tries)
{
    int last = 0;
    for (int i = 0; i < tries->runs; i++)
        last = tries->run[i].round > last ? tries->run[i].round : last;
    return last;
}

const struct tries_sample *tries_find_own(const struct tries_loop *loop,
                                          const struct tries_sample *sample)
{
    for (int i = 0; i < loop->count; i++) {
        const struct tries_sample *own = &loop->sample[i];
        bool known = own->threads > 0 && sample->threads > 0 && !sample->loose;
        if (own->candidate == CANDIDATES_OWN && own->round == sample->round &&
            (!known ||
             (own->ranks == sample->ranks && own->threads == sample->threads)))
            return own;
    }
    return NULL;
}

int tries_pairs(const struct tries_loop *loop, int candidate, double *own,
                double *times)
{
    int count = 0;
    for (int i = 0; i < loop->count; i++) {
        const struct tries_sample *sample = &loop->sample[i];
        const struct tries_sample *beside = sample->candidate == candidate
                                                ? tries_find_own(loop, sample)
                                                : NULL;
        if (beside == NULL)
            continue;
        own[count] = beside->time_s;
        times[count++] = sample->time_s;
    }
    return count;
}

int tries_shares(const struct tries_loop *loop,
                 const struct tries_loop *program, double *shares)
{
    int count = 0;
    for (int i = 0; i < loop->count; i++)
        for (int k = 0; k < program->count; k++)
            if (loop->sample[i].candidate == CANDIDATES_OWN &&
                program->sample[k].candidate == CANDIDATES_OWN &&
                program->sample[k].round == loop->sample[i].round)
                shares[count++] =
                    loop->sample[i].time_s / program->sample[k].time_s;
    return count;
}
