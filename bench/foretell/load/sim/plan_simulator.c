/* dlsbench-plan-sim WORKERS: runs plans of divisible loads as messages on
 * SimGrid (see bench/foretell/load/plan_sim.h, which starts it and talks to it
 * through standard input).
 *
 * One star for all platforms: a master and a separate link to each worker,
 * whose bandwidth and latency are set anew for every platform.  Without overlap
 * a worker posts a receive when it has computed its load, and the master's
 * blocking send starts then; with overlap it posts all receives at once.  The
 * master's sends are one after the other, which is the one port. */
#include "bench/foretell/load/plan_sim.h"

#include "base/scratch.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/mailbox.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sizes of messages are whole numbers in SimGrid: these are the bytes of a unit
 * of load, and the operations of a host in a second of computing. */
static const double unit_bytes = 1e9;
static const double host_speed = 1e9;
/* A link that costs nothing. */
static const double fast = 1e30;

/* Nothing but latency and bandwidth: SimGrid's other models add factors of
 * TCP, which are not in the paper's model. */
static const char *const settings[] = {
    "--cfg=network/model:CM02",       "--cfg=network/TCP-gamma:0",
    "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1",
    "--cfg=network/crosstraffic:0",   "--cfg=surf/precision:1e-9",
    "--cfg=maxmin/precision:1e-9",    "--cfg=contexts/stack-size:128",
    "--log=root.thresh:warning",
};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

struct simulation;

struct worker {
    struct simulation *simulation;
    int number;
    sg_host_t host;
    sg_link_t link;
    sg_mailbox_t mailbox;
    double finished; /* simulated time of its last chunk */
};

struct simulation {
    int workers; /* of the star */
    struct worker *worker;
    sg_bar_t
        barrier; /* of all workers and the master, before and after a plan */
    bool end;
    /* The platform and plan at hand. */
    struct plan_sim_request request;
    struct divisible_worker *cost;
    struct plan_sim_chunk *chunk;
    int64_t chunks;
};

static void end_program(const char *what)
{
    fprintf(stderr, "dlsbench-plan-sim: %s\n", what);
    _exit(1); /* exit would tear SimGrid down below the actor that runs */
}

/* False at the end of the input. */
static bool read_all(void *data, size_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        ssize_t got = read(STDIN_FILENO, to, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        bytes -= (size_t)got;
    }
    return true;
}

static void write_all(const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t sent = write(STDIN_FILENO, from, bytes);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            _exit(1); /* there is no one to report to */
        from += sent;
        bytes -= (size_t)sent;
    }
}

/* ---- workers ---- */

static void compute_chunk(const struct worker *worker,
                          const struct plan_sim_chunk *chunk)
{
    const struct divisible_worker *cost =
        &worker->simulation->cost[worker->number];
    sg_actor_execute((cost->z + chunk->load * cost->w) * host_speed);
}

static int64_t chunks_of(const struct worker *worker)
{
    const struct simulation *s = worker->simulation;
    int64_t count = 0;
    for (int64_t n = 0; n < s->chunks; n++)
        count += s->chunk[n].worker == worker->number;
    return count;
}

static void work_in_turn(struct worker *worker, int64_t count)
{
    for (int64_t n = 0; n < count; n++)
        compute_chunk(worker, sg_mailbox_get(worker->mailbox));
}

static void work_overlapped(struct worker *worker, int64_t count)
{
    sg_comm_t *comm = calloc((size_t)count + 1, sizeof(*comm));
    void **chunk = calloc((size_t)count + 1, sizeof(*chunk));
    if (comm == NULL || chunk == NULL)
        end_program("out of memory");
    for (int64_t n = 0; n < count; n++)
        comm[n] = sg_mailbox_get_async(worker->mailbox, &chunk[n]);
    for (int64_t n = 0; n < count; n++) {
        sg_comm_wait(comm[n]);
        compute_chunk(worker, chunk[n]);
    }
    free(chunk);
    free(comm);
}

static void worker_actor(int argc, char **argv)
{
    struct worker *worker = sg_actor_self_get_data();
    struct simulation *s = worker->simulation;
    (void)argc, (void)argv;
    for (;;) {
        sg_barrier_wait(s->barrier);
        if (s->end)
            return;
        int64_t count = chunks_of(worker);
        if (s->request.overlap)
            work_overlapped(worker, count);
        else
            work_in_turn(worker, count);
        worker->finished = simgrid_get_clock();
        sg_barrier_wait(s->barrier);
    }
}

/* ---- the master ---- */

static void set_links(struct simulation *s)
{
    for (int i = 0; i < s->request.workers; i++) {
        double G = s->cost[i].G;
        sg_link_set_bandwidth(s->worker[i].link, G > 0 ? unit_bytes / G : fast);
        sg_link_set_latency(s->worker[i].link, s->cost[i].g);
    }
}

static bool read_request(struct simulation *s)
{
    if (!read_all(&s->request, sizeof(s->request)))
        return false;
    if (s->request.workers < 1 || s->request.workers > s->workers)
        end_program("a platform of more workers than this star has");
    if (!read_all(s->cost, (size_t)s->request.workers * sizeof(*s->cost)))
        end_program("the platform is cut off");
    set_links(s);
    return true;
}

static void read_plan(struct simulation *s)
{
    if (!read_all(&s->chunks, sizeof(s->chunks)) || s->chunks < 0 ||
        s->chunks > DIVISIBLE_CHUNKS_MAX)
        end_program("a plan is cut off");
    size_t bytes = (size_t)s->chunks * sizeof(*s->chunk);
    free(s->chunk);
    s->chunk = malloc(bytes + 1);
    if (s->chunk == NULL)
        end_program("out of memory");
    if (!read_all(s->chunk, bytes))
        end_program("a plan is cut off");
}

static double run_plan(struct simulation *s)
{
    double start = simgrid_get_clock(), makespan = 0;
    sg_barrier_wait(s->barrier);
    for (int64_t n = 0; n < s->chunks; n++) {
        struct plan_sim_chunk *chunk = &s->chunk[n];
        sg_mailbox_put(s->worker[chunk->worker].mailbox, chunk,
                       lround(chunk->load * unit_bytes));
    }
    sg_barrier_wait(s->barrier);
    for (int i = 0; i < s->workers; i++)
        makespan = fmax(makespan, s->worker[i].finished - start);
    return makespan;
}

static void master_actor(int argc, char **argv)
{
    struct simulation *s = sg_actor_self_get_data();
    (void)argc, (void)argv;
    while (read_request(s)) {
        double *seconds = calloc((size_t)s->request.plans + 1, sizeof(double));
        if (seconds == NULL)
            end_program("out of memory");
        for (int i = 0; i < s->request.plans; i++) {
            read_plan(s);
            seconds[i] = run_plan(s);
        }
        write_all(seconds, (size_t)s->request.plans * sizeof(*seconds));
        free(seconds);
    }
    s->end = true;
    sg_barrier_wait(s->barrier);
}

/* ---- the star ---- */

static void write_star(FILE *out, int workers)
{
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM "
          "\"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\"><zone id=\"star\" routing=\"Full\">\n"
          "<host id=\"master\" speed=\"1Gf\"/>\n",
          out);
    for (int i = 0; i < workers; i++)
        fprintf(out, "<host id=\"worker%d\" speed=\"1Gf\"/>\n", i);
    for (int i = 0; i < workers; i++)
        fprintf(out,
                "<link id=\"link%d\" bandwidth=\"1GBps\" latency=\"0s\"/>\n",
                i);
    for (int i = 0; i < workers; i++)
        fprintf(out,
                "<route src=\"master\" dst=\"worker%d\"><link_ctn "
                "id=\"link%d\"/></route>\n",
                i, i);
    fputs("</zone></platform>\n", out);
}

static void load_star(int workers)
{
    struct scratch scratch;
    struct error err;
    char path[PATH_MAX + 16];
    if (scratch_open(&scratch, 0, &err) != 0)
        end_program(err.text);
    snprintf(path, sizeof(path), "%s/star.xml", scratch.path);
    FILE *file = fopen(path, "w");
    if (file != NULL)
        write_star(file, workers);
    if (file == NULL || fclose(file) != 0)
        end_program("cannot write a platform file into the temporary folder");
    simgrid_load_platform(path);
    scratch_close(&scratch);
}

static void start_actor(const char *name, sg_host_t host,
                        void (*body)(int, char **), void *data)
{
    sg_actor_t actor = sg_actor_init(name, host);
    sg_actor_set_data(actor, data);
    sg_actor_start_(actor, body, 0, NULL);
}

static void start_worker(struct simulation *s, int i)
{
    char name[32];
    struct worker *worker = &s->worker[i];
    *worker = (struct worker){.simulation = s, .number = i};
    snprintf(name, sizeof(name), "link%d", i);
    worker->link = sg_link_by_name(name);
    snprintf(name, sizeof(name), "worker%d", i);
    worker->host = sg_host_by_name(name);
    worker->mailbox = sg_mailbox_by_name(name);
    start_actor(name, worker->host, worker_actor, worker);
}

static void init_simgrid(char *program)
{
    char *argv[SETTINGS + 2] = {program};
    int argc = SETTINGS + 1;
    for (int i = 0; i < SETTINGS; i++)
        argv[i + 1] = (char *)settings[i];
    simgrid_init(&argc, argv);
}

int main(int argc, char **argv)
{
    struct simulation s = {.workers = argc == 2 ? atoi(argv[1]) : 0};
    if (s.workers < 1 || s.workers > DIVISIBLE_WORKERS_MAX)
        end_program("started by dlsbench plan --simulate, not by hand");
    init_simgrid(argv[0]);
    load_star(s.workers);
    s.worker = calloc((size_t)s.workers, sizeof(*s.worker));
    s.cost = calloc((size_t)s.workers, sizeof(*s.cost));
    if (s.worker == NULL || s.cost == NULL)
        end_program("out of memory");
    s.barrier = sg_barrier_init((unsigned)s.workers + 1);
    for (int i = 0; i < s.workers; i++)
        start_worker(&s, i);
    start_actor("master", sg_host_by_name("master"), master_actor, &s);
    simgrid_run();
    free(s.chunk);
    free(s.cost);
    free(s.worker);
    return 0;
}
