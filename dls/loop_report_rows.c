/* Writes the measurements of a loop as lines of its report. */
#include "dls/loop_report.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- measured times ---- */

static double finish_of(const struct dls_worker *worker,
                        const struct loop_report *report)
{
    return worker->ended > report->start
               ? (double)(worker->ended - report->start) * report->tick_s
               : 0;
}

void report_times(dls_loop *loop, struct report_times *times)
{
    struct loop_report *report = loop->report;
    double tick_s = report->tick_s = loop_tick_s(loop);
    report->start = UINT64_MAX;
    for (int w = 0; w < loop->workers; w++)
        if (loop->worker[w].asked && loop->worker[w].begun < report->start)
            report->start = loop->worker[w].begun;
    *times = (struct report_times){.least_s = INFINITY,
                                   .workers = loop->workers,
                                   .oversubscribed =
                                       loop->workers > process_processors()};
    for (int w = 0; w < loop->workers; w++) {
        const struct dls_worker *worker = &loop->worker[w];
        double busy_s = (double)worker->busy * tick_s;
        double finish_s = finish_of(worker, report);
        times->time_s = fmax(times->time_s, finish_s);
        times->compute_s += busy_s;
        times->least_s = fmin(times->least_s, busy_s);
        times->finish_s += finish_s;
        times->finish_squares += finish_s * finish_s;
        times->chunks += worker_work(worker).chunks;
    }
}

void report_add(struct report_times *all, const struct report_times *times)
{
    all->time_s = fmax(all->time_s, times->time_s);
    all->compute_s += times->compute_s;
    all->least_s = fmin(all->least_s, times->least_s);
    all->finish_s += times->finish_s;
    all->finish_squares += times->finish_squares;
    all->workers += times->workers;
    all->chunks += times->chunks;
    all->oversubscribed |= times->oversubscribed;
}

/* ---- lines ---- */

/* The last thing done with both. */
static int write_lines(dls_loop *loop, int file, const char *path,
                       struct line *lines)
{
    int code = report_append(loop, file, path, lines);
    close(file);
    free(lines->text);
    return report_failed(loop, code);
}

static int64_t number_after(const char *text, const char *end,
                            const struct line *head)
{
    int64_t number = 0;
    if ((size_t)(end - text) < head->used ||
        memcmp(text, head->text, head->used) != 0)
        return 0;
    for (text += head->used; text < end && *text >= '0' && *text <= '9'; text++)
        number = 10 * number + (*text - '0');
    return number;
}

/* The last line with this head: mostly one of the last. */
static int64_t find_last(int file, const struct line *head)
{
    struct stat status;
    int64_t number = 0;
    if (fstat(file, &status) != 0 || status.st_size == 0)
        return 0;
    size_t size = (size_t)status.st_size;
    const char *all = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (all == MAP_FAILED)
        return 0;
    for (size_t end = size; end > 0 && number == 0;) {
        const char *before = memrchr(all, '\n', end - 1);
        const char *begin = before != NULL ? before + 1 : all;
        number = number_after(begin, all + end, head);
        end = (size_t)(begin - all);
    }
    munmap((void *)all, size);
    return number;
}

static void add_run(struct line *line, const dls_loop *loop,
                    const struct report_times *all)
{
    const struct loop_report *report = loop->report;
    char started[STAMP_TIME_SIZE];
    double workers = (double)all->workers;
    double compute_s = all->compute_s / workers;
    double finish_s = all->finish_s / workers;
    double square = all->finish_squares / workers - finish_s * finish_s;
    /* When the loop began. */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double since_s = engine_now() - loop->opened.s;
    stamp_time((time_t)((double)now.tv_sec - since_s), started);
    const struct run_line run = {.groups = RUN_LIBRARY,
                                 .repetition = report->repetition,
                                 .started = started,
                                 .simulated = engine_simulated,
                                 .workers = all->workers,
                                 .status = "ok",
                                 .iterations = loop->iterations,
                                 .chunks = all->chunks,
                                 .time_s = all->time_s,
                                 .bound_s = NAN,
                                 .serial_s = NAN,
                                 .compute_mean_s = compute_s,
                                 .overhead_mean_s = all->time_s - compute_s,
                                 .overhead_max_s = all->time_s - all->least_s,
                                 .imbalance = all->time_s / finish_s - 1,
                                 .cv = sqrt(fmax(square, 0)) / finish_s,
                                 .verified = "\"not compared\"",
                                 .oversubscribed = all->oversubscribed != 0};
    run_line_add(line, report->fields.text, report->launch, &run);
}

int report_run(dls_loop *loop, const struct report_times *all)
{
    struct loop_report *report = loop->report;
    struct line head = {0}, line = {0};
    char path[PATH_MAX];
    int file = report_file(loop, "runs", path);
    if (file < 0)
        return report_failed(loop, file);
    locale_t before = numbers_as_in_c();
    report->time_s = all->time_s;
    run_line_begin(&head, report->fields.text, "run", report->launch);
    line_raw(&head, ",\"repetition\":");
    if (!head.failed)
        report->repetition = find_last(file, &head) + 1;
    add_run(&line, loop, all);
    numbers_as_before(before);
    line.failed = line.failed || head.failed;
    free(head.text);
    return write_lines(loop, file, path, &line);
}

static void add_worker(struct line *line, const dls_loop *loop, int number,
                       int first, int rank)
{
    const struct dls_worker *worker = &loop->worker[number];
    const struct dls_work work = worker_work(worker);
    double tick_s = loop->report->tick_s;
    double busy_s = (double)worker->busy * tick_s;
    run_line_begin(line, loop->report->cell, "worker", loop->report->launch);
    line_whole(line, "repetition", loop->report->repetition);
    line_whole(line, "worker", first + number);
    line_whole(line, "rank", rank);
    line_value(line, "core", NULL);
    line_whole(line, "iterations", work.run);
    line_whole(line, "chunks", work.chunks);
    line_real(line, "compute_s", busy_s);
    line_real(line, "ask_s", (double)worker->ask * tick_s);
    line_real(line, "finish_s", finish_of(worker, loop->report));
    line_real(line, "overhead_s", loop->report->time_s - busy_s);
    line_end(line);
}

int report_workers(dls_loop *loop, int first, int rank)
{
    struct line lines = {0};
    char path[PATH_MAX];
    int file = report_file(loop, "workers", path);
    if (file < 0)
        return report_failed(loop, file);
    locale_t before = numbers_as_in_c();
    for (int w = 0; w < loop->workers; w++)
        add_worker(&lines, loop, w, first, rank);
    numbers_as_before(before);
    return write_lines(loop, file, path, &lines);
}

int report_done(dls_loop *loop)
{
    struct loop_report *report = loop->report;
    struct line line = {0};
    char path[PATH_MAX];
    if (report->repetition == 0)
        return 0;
    int file = report_file(loop, "runs", path);
    if (file < 0)
        return report_failed(loop, file);
    run_line_done(&line, report->fields.text, report->launch, "ok",
                  report->repetition, NULL);
    return write_lines(loop, file, path, &line);
}

/* ---- a loop in one process ---- */

int report_step(dls_loop *loop)
{
    struct report_times times;
    if (loop->report == NULL || loop->iterations == 0)
        return 0;
    report_times(loop, &times);
    int code = report_run(loop, &times);
    return code == 0 ? report_workers(loop, 0, 0) : code;
}

int report_last(dls_loop *loop)
{
    int code = loop->report != NULL && dls_unfinished(loop) == 0
                   ? report_step(loop)
                   : 0;
    return code == 0 && loop->report != NULL ? report_done(loop) : code;
}
