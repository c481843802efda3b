/* Writes one run of a program as a launch: a manifest, and a file of runs with
 * the lines of each loop and of the whole program. */
#include "bench/programs/seen/store.h"

#include "base/stamp.h"
#include "base/text.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/source_lines.h"
#include "harness/cell/cell_field.h"
#include "harness/process/need.h"
#include "harness/record/record.h"
#include "harness/topo/topo.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* One repetition of a cell; the ranks of MPI together are one. */
struct entry {
    struct cell cell;
    int round; /* index of the process in its rank */
    int ranks, repetition;
    double time_s, saved_s, chunk_s, chunk_cv;
    int64_t iterations, chunks, visits;
    char clause[64];
    bool shares; /* its threads share cores */
};

struct entries {
    struct entry *entry;
    int count;
    int64_t room;
    json_t *texts; /* of the cells */
};

/* ---- cells ---- */

/* The text, cut to its room and without control characters. */
static const char *keep_line(const struct cell *cell, const char *text)
{
    char line[SPEC_CANONICAL_MAX];
    text_line(line, sizeof(line), text);
    return cell_keep(cell, line);
}

/* Threads are OpenMP's, whoever hands out the chunks. */
static void fill_cell(const struct entries *all, struct cell *cell,
                      const char *kernel, const char *scheme,
                      const char *runtime, int threads)
{
    bool llvm = strncmp(runtime, "libgomp", 7) != 0;
    cell_defaults(cell, all->texts);
    cell->kernel = keep_line(cell, kernel);
    cell->scheme = keep_line(cell, scheme);
    cell->transport = "openmp";
    cell->openmp = llvm ? "libomp" : "libgomp";
    cell->bind = cell->data = "none";
    cell->collect = "local";
    cell->protocol = "parallel";
    cell->memory = "touch";
    cell->prefetch = false;
    cell->threads = threads;
    cell_field_drop(cell);
    cell_hash(cell);
}

static struct entry *find_entry(struct entries *all, const struct cell *cell,
                                int round)
{
    for (int i = 0; i < all->count; i++)
        if (all->entry[i].round == round &&
            text_is(all->entry[i].cell.hash, cell->hash))
            return &all->entry[i];
    need_room(&all->entry, &all->room, all->count + 1, sizeof(*all->entry));
    struct entry *made = &all->entry[all->count++];
    *made = (struct entry){.cell = *cell, .round = round};
    return made;
}

/* The loop takes as long as in the rank where it takes longest. */
static void add_loop(struct entries *all, const struct loops_loop *loop,
                     const char *runtime, const char *setting, int round)
{
    const struct counters_site *site = loop->site;
    char name[LINES_NAME], clause[64], scheme[SPEC_CANONICAL_MAX];
    struct cell cell;
    lines_name(loop, name);
    lines_clause(site, clause);
    snprintf(scheme, sizeof(scheme), "%.200s%s%.200s",
             site->scheme[0] != '\0' ? site->scheme : clause,
             setting != NULL ? " " : "", setting != NULL ? setting : "");
    fill_cell(all, &cell, name, scheme, runtime, site->threads_max);
    struct entry *entry = find_entry(all, &cell, round);
    entry->ranks++;
    entry->iterations += site->clause == CLAUSE_BLOCKS ? -1 : site->iterations;
    entry->chunks += site->chunks;
    entry->shares = entry->shares || loop->shares;
    snprintf(entry->clause, sizeof(entry->clause), "%s", clause);
    if (loop->seconds >= entry->time_s) {
        entry->time_s = loop->seconds;
        entry->saved_s = loop->saved_s;
        entry->visits = site->visits;
        entry->chunk_s = loop->chunk_s;
        entry->chunk_cv = loop->chunk_cv;
    }
}

static void add_process(struct entries *all, const struct loops *loops,
                        const char *setting, int number)
{
    const struct loops_process *process = &loops->process[number];
    int round = 0;
    /* The processes of one rank run in sequence. */
    for (int i = 0; i < number; i++)
        round += loops->process[i].counters->rank == process->counters->rank;
    for (int i = 0; i < process->loops; i++) {
        struct loops_loop loop;
        struct counters_site site;
        if (lines_is_later(process, i))
            continue;
        lines_sum(process, i, &loop, &site);
        if (verdict_is_timed(&site) && loop.seconds > 0)
            add_loop(all, &loop, process->counters->runtime, setting, round);
    }
}

void store_program_name(const struct loops *loops, char name[STORE_NAME])
{
    const struct counters *counters =
        loops->processes > 0 ? loops->process[0].counters : NULL;
    char file[COUNTERS_NAME_MAX] = "?";
    if (counters != NULL)
        snprintf(file, sizeof(file), "%.*s", (int)counters->word,
                 counters->command);
    snprintf(name, STORE_NAME, "whole program %s", path_last(file));
}

static void add_program(struct entries *all, const struct store_run *run,
                        const struct loops *loops)
{
    char name[STORE_NAME];
    struct cell cell;
    int threads = 1, ranks = 1;
    if (run->program != NULL)
        snprintf(name, sizeof(name), "%s", run->program);
    else
        store_program_name(loops, name);
    for (int i = 0; i < all->count; i++)
        ranks = all->entry[i].ranks > ranks ? all->entry[i].ranks : ranks;
    for (int i = 0; i < loops->processes; i++)
        if (loops->process[i].cores.team > threads)
            threads = loops->process[i].cores.team;
    fill_cell(all, &cell, name,
              run->tried != NULL    ? run->tried
              : run->scheme != NULL ? run->scheme
                                    : "as it is",
              loops->processes > 0 ? loops->process[0].counters->runtime
                                   : "libgomp",
              threads);
    struct entry *entry = find_entry(all, &cell, 0);
    for (int i = 0; i < loops->processes; i++)
        entry->shares = entry->shares || loops->process[i].cores.shared;
    entry->ranks = ranks;
    entry->time_s = run->seconds;
    entry->saved_s = entry->chunk_s = entry->chunk_cv = NAN;
    entry->iterations = entry->chunks = entry->visits = -1;
}

/* The cells with their ranks, and how often each was there before. */
static void number_entries(struct entries *all)
{
    for (int i = 0; i < all->count; i++) {
        struct entry *entry = &all->entry[i];
        entry->cell.ranks = entry->ranks;
        cell_hash(&entry->cell);
        entry->repetition = 1;
        for (int k = 0; k < i; k++)
            entry->repetition +=
                text_is(all->entry[k].cell.hash, entry->cell.hash);
    }
}

/* ---- lines ---- */

static struct run_line run_of(const struct entry *entry,
                              const struct store_run *run, const char *started)
{
    double computed_s = entry->time_s - entry->saved_s;
    bool tried = run->tried != NULL;
    return (struct run_line){
        .groups = RUN_PROGRAM | (tried ? RUN_TRIED : 0) |
                  (tried && run->output[0] != '\0' ? RUN_OUTPUT : 0),
        .repetition = entry->repetition,
        .started = started,
        .workers = entry->ranks * entry->cell.threads,
        .status = "ok",
        .iterations = entry->iterations,
        .chunks = entry->chunks,
        .time_s = entry->time_s,
        .bound_s = NAN,
        .serial_s = NAN,
        .compute_mean_s = computed_s,
        .overhead_mean_s = entry->saved_s,
        .imbalance = entry->saved_s / computed_s,
        .verified = tried && run->checked ? "true" : "\"not compared\"",
        .oversubscribed = entry->shares,
        .clause = entry->clause[0] != '\0' ? entry->clause : NULL,
        .visits = entry->visits,
        .chunk_mean_s = entry->chunk_s,
        .chunk_cv = entry->chunk_cv,
        .tried = run->tried,
        .round = run->round,
        .cpu_s = run->cpu_s,
        .beside_s = run->others_s,
        .preempted = run->preempted,
        .output = run->output};
}

static bool is_last(const struct entries *all, int i)
{
    for (int k = i + 1; k < all->count; k++)
        if (text_is(all->entry[k].cell.hash, all->entry[i].cell.hash))
            return false;
    return true;
}

static int write_lines(struct record_file *file, const struct entries *all,
                       const struct store_run *run, struct error *err)
{
    const char *launch = run->launch;
    char started[32];
    int code = 0;
    stamp_time(time(NULL), started);
    for (int i = 0; i < all->count && code == 0; i++) {
        const struct run_line line = run_of(&all->entry[i], run, started);
        code = record_run(file, cell_to_json(&all->entry[i].cell), launch,
                          &line, err);
    }
    for (int i = 0; i < all->count && code == 0; i++)
        if (is_last(all, i))
            code = record_done(file, cell_to_json(&all->entry[i].cell), launch,
                               run->status, all->entry[i].repetition,
                               run->reason, err);
    return code == 0 ? record_sync(file, err) : code;
}

/* ---- the launch ---- */

/* The machine; if hwloc fails, the reason replaces its summary. */
static json_t *describe_machine(const struct utsname *system)
{
    struct topo *topo = NULL;
    struct error why;
    topo_open(&topo, &why);
    json_t *machine =
        json_pack("{s:s,s:o,s:s,s:s}", "topology",
                  topo != NULL ? topo_summary(topo) : why.text, "kinds",
                  topo != NULL ? topo_kinds_json(topo) : json_array(), "kernel",
                  system->release, "architecture", system->machine);
    if (topo != NULL)
        topo_close(topo);
    return machine;
}

struct verdicts {
    json_t *list;
    double seconds;
};

/* A sentence for each row that matters. */
static void add_verdict(void *arg, const struct loops_process *process,
                        const struct loops_loop *row, bool is_loop)
{
    const struct verdicts *to = arg;
    char name[LINES_NAME], text[320];
    (void)process;
    if (row->seconds < verdict_matters * to->seconds)
        return;
    lines_name(row, name);
    (is_loop ? verdict_text : verdict_part)(row, to->seconds, text,
                                            sizeof(text));
    json_array_append_new(to->list, json_sprintf("%s: %s", name, text));
}

/* The answer's second line is a command, if there is one. */
static void add_report(json_t *manifest, const struct store_run *run,
                       const struct loops *loops)
{
    const struct verdicts verdicts = {json_array(), run->seconds};
    size_t length = strcspn(run->answer, "\n");
    const char *next = run->answer + length;
    next += strspn(next, "\n ");
    lines_each(loops, add_verdict, (void *)&verdicts);
    json_object_update_new(manifest,
                           json_pack("{s:s#,s:s#,s:o}", "answer", run->answer,
                                     length, "next", next, strcspn(next, "\n"),
                                     "verdicts", verdicts.list));
}

static json_t *make_manifest(const struct store_run *run,
                             const struct loops *loops, const char *host)
{
    struct allowed allowed;
    char cpuset[256];
    struct utsname system;
    uname(&system);
    allowed_read("", &allowed);
    allowed_text(&allowed.mask, cpuset, sizeof(cpuset));
    json_t *manifest =
        record_manifest_words(run->launch, "omp", run->words, false);
    json_object_update_new(
        manifest,
        json_pack("{s:[{s:s,s:s,s:o}],s:o}", "places", "host", host, "cpuset",
                  cpuset, "cpu_quota",
                  record_real(isfinite(allowed.quota) ? allowed.quota : NAN),
                  "machine", describe_machine(&system)));
    if (run->answer != NULL)
        add_report(manifest, run, loops);
    return manifest;
}

static int write_launch(struct store_run *run, const struct loops *loops,
                        const struct entries *all, struct error *err)
{
    char host[65];
    struct timespec now;
    struct record_file file;
    struct error ignored;
    stamp_host_name(host, sizeof(host));
    clock_gettime(CLOCK_REALTIME, &now);
    stamp_launch(&now, run->launch);
    int code = record_manifest(run->folder, run->launch,
                               make_manifest(run, loops, host), err);
    if (code == 0)
        code = record_open(&file, run->folder, "runs", run->launch, err);
    if (code != 0)
        return code;
    code = write_lines(&file, all, run, err);
    record_close(&file, &ignored);
    return code;
}

int store_loops(struct store_run *run, const struct loops *loops,
                struct error *err)
{
    if (loops->processes == 0 && run->program == NULL)
        return 0;
    struct entries all = {.texts = cell_texts()};
    for (int i = 0; i < loops->processes; i++)
        add_process(&all, loops, run->setting, i);
    add_program(&all, run, loops);
    number_entries(&all);
    int code = write_launch(run, loops, &all, err);
    free(all.entry);
    json_decref(all.texts);
    return code;
}
