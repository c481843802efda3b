#include "bench/simgrid/this_machine.h"

#include "base/system/whole.h"
#include "bench/calibrate/calibration_find.h"
#include "bench/calibrate/nodes.h"
#include "bench/simgrid/platform_writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char this_machine_name[] = "this-machine";
const char this_cluster_name[] = "this-cluster";

bool this_machine_is(const char *platform)
{
    return strcmp(platform, this_machine_name) == 0 ||
           strcmp(platform, this_cluster_name) == 0;
}

/* Between cores of one machine nothing is faster; used for 0. */
static const double LEAST_LATENCY_S = 1e-9;

/* ---- from the calibration ---- */

static int one_host(const struct calibration *c, struct error *err)
{
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        for (int w = 1; w < c->kind[i].workers; w++)
            if (strcmp(c->kind[i].worker[w].host, c->kind[i].worker[0].host))
                return error_set(err, EINVAL,
                                 "platform: the calibration is of several "
                                 "hosts (%s and %s), this-machine is one",
                                 c->kind[i].worker[0].host,
                                 c->kind[i].worker[w].host);
    return 0;
}

static double finite_or(double value, double fallback)
{
    return isfinite(value) ? value : fallback;
}

/* A message's own time under way: neither at its sender nor its receiver. */
static void set_links(const struct calibration *c, struct platform_numbers *p)
{
    const struct calibration_kind *ranks = &c->kind[CALIBRATION_RANKS];
    const struct calibration_charge *charge = &ranks->charge;
    double ends_s = finite_or(charge->send, 0) + finite_or(charge->receive, 0);
    double c_d = 0;
    p->byte_s = 0;
    calibration_exchange(ranks, ranks->workers, &c_d, &p->byte_s);
    p->latency_s =
        fmax(LEAST_LATENCY_S, finite_or(charge->one_way - ends_s, 0));
    p->between_s = fmax(LEAST_LATENCY_S, p->between_s - ends_s);
}

/* One worker waits for a round trip and the master; several keep it busy, with
 * receiving and sending too. */
static double request_s(const struct calibration_kind *ranks)
{
    const struct calibration_charge *c = &ranks->charge;
    double messages =
        ranks->workers > 2 ? c->send + c->receive : 2 * c->one_way;
    return fmax(0, finite_or(c->round - messages, 0));
}

/* Thieves look for a victim through memory; what ranks say to each other is
 * charged as messages are.  A calibration from before steals were measured has
 * what stood for them then. */
static void set_steals(const struct calibration *c, int which,
                       struct worklist_simulation *s)
{
    const struct calibration_kind *threads = &c->kind[CALIBRATION_THREADS];
    const struct calibration_kind *ranks = &c->kind[CALIBRATION_RANKS];
    double one_way = finite_or(ranks->charge.one_way, 0);
    s->own_s =
        finite_or(calibration_c_sch(&c->kind[which], "steal"), s->count_s);
    s->steal_s = fmax(0, finite_or(threads->charge.steal, 0) -
                             finite_or(threads->charge.state, 0));
    s->answer_s = isfinite(ranks->charge.steal)
                      ? fmax(0, ranks->charge.steal - 2 * one_way)
                      : s->request_s;
}

static void set_charges(const struct calibration *c, int which,
                        struct worklist_simulation *s)
{
    const struct calibration_kind *kind = &c->kind[which];
    const char *counter = which == CALIBRATION_THREADS ? "shared" : "window";
    calibration_exchange(&c->kind[CALIBRATION_THREADS],
                         c->kind[CALIBRATION_THREADS].workers, &s->handover_s,
                         &s->handover_byte_s);
    s->request_s = request_s(&c->kind[CALIBRATION_RANKS]);
    s->count_s = finite_or(calibration_c_sch(kind, counter), 0);
    s->state_s = finite_or(kind->charge.state, 0);
    set_steals(c, which, s);
}

/* In a node both copy a message's contents, byte_s for each byte; between two
 * the network carries them.  SMPI charges receivers of detached messages
 * only. */
static void set_flags(struct this_machine *machine,
                      const struct calibration_charge *charge, double byte_s)
{
    const char *const name[] = {"os", "ois", "or"};
    for (int i = 0; i < THIS_MACHINE_FLAGS - 1; i++)
        snprintf(machine->flag[i], sizeof(machine->flag[i]),
                 "--cfg=smpi/%s:0:%.6g:%.6g", name[i],
                 finite_or(i == 2 ? charge->receive : charge->send, 0),
                 byte_s / 2);
    snprintf(machine->flag[THIS_MACHINE_FLAGS - 1],
             sizeof(machine->flag[THIS_MACHINE_FLAGS - 1]),
             "--cfg=smpi/send-is-detached-thresh:%d", INT_MAX);
}

/* ---- all of it ---- */

static int make_absolute(const char *calibration, char path[PATH_MAX],
                         struct error *err)
{
    char given[PATH_MAX];
    int code = 0;
    if (calibration == NULL)
        code = calibration_default_path(given, sizeof(given), err);
    else
        snprintf(given, sizeof(given), "%s", calibration);
    if (code == 0 && realpath(given, path) == NULL)
        code = error_set(err, errno, "%s: %s", given, strerror(errno));
    return code;
}

/* What lies between two nodes, from the file beside the calibration.  A node
 * with one worker is known by ranks on two, if these were measured with
 * kernels: `c` gets them. */
static int set_between(const char *file, struct platform_numbers *p,
                       struct this_machine *machine, struct calibration *c,
                       struct error *err)
{
    char node[PATH_MAX];
    struct calibration between;
    int code = make_absolute(file, node, err);
    if (code == 0)
        code = nodes_between_path(node, machine->between, PATH_MAX, err);
    if (code == 0)
        code = calibration_load(machine->between, &between, err);
    if (code == -ENOENT)
        return error_set(err, ENOENT,
                         "platform %s: there is no %s: run dlsbench calibrate "
                         "--nodes 2 inside a job of two nodes",
                         this_cluster_name, machine->between);
    if (code != 0)
        return code;
    struct calibration_kind *node_ranks = &c->kind[CALIBRATION_RANKS];
    struct calibration_kind *ranks = &between.kind[CALIBRATION_RANKS];
    double c_d = 0;
    calibration_exchange(ranks, ranks->workers, &c_d, &p->between_byte_s);
    p->between_s = finite_or(ranks->charge.one_way, c_d);
    machine->apart = node_ranks->workers == 1 && ranks->kernels > 0;
    if (machine->apart) {
        struct calibration_kind alone = *node_ranks;
        *node_ranks = *ranks;
        *ranks = alone;
    }
    calibration_free(&between);
    return 0;
}

/* workers: 0 for this machine alone. */
static int open_machine(struct this_machine *machine, const char *file,
                        long workers, struct error *err)
{
    struct calibration c;
    struct platform_numbers p = {.nodes = 0};
    *machine = (struct this_machine){.platform = ""};
    int code = calibration_find(file, &c, p.source, sizeof(p.source), err);
    if (code != 0)
        return error_prefix(err, code, "platform %s",
                            workers > 0 ? this_cluster_name
                                        : this_machine_name);
    platform_harmless(p.source);
    p.processor = c.processor;
    int threads = c.kind[CALIBRATION_THREADS].workers;
    int ranks = c.kind[CALIBRATION_RANKS].workers;
    p.cores = threads > ranks ? threads : ranks;
    code = one_host(&c, err);
    if (code == 0 && workers > 0) {
        /* A power of two: parts of a campaign have the same platform. */
        for (p.nodes = 2;
             (long)p.nodes * p.cores < workers && p.nodes < 1 << 20;)
            p.nodes *= 2;
        code = set_between(file, &p, machine, &c, err);
    }
    set_links(&c, &p);
    set_flags(machine, &c.kind[CALIBRATION_RANKS].charge,
              machine->apart ? 0 : p.byte_s);
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        set_charges(&c, i, &machine->charges[i]);
    if (code == 0)
        code = make_absolute(file, machine->calibration, err);
    if (code == 0)
        code = platform_write(&p, machine->platform, err);
    calibration_free(&c);
    return code;
}

int this_machine_open(struct this_machine *machine, const char *file,
                      struct error *err)
{
    return open_machine(machine, file, 0, err);
}

int this_cluster_open(struct this_machine *machine, const char *file,
                      long workers, struct error *err)
{
    return open_machine(machine, file, workers, err);
}

void this_machine_fill(const struct this_machine *machine, int ranks,
                       struct worklist_simulation *s)
{
    const struct worklist_simulation *charges =
        &machine->charges[ranks == 1 ? CALIBRATION_THREADS : CALIBRATION_RANKS];
    s->request_s = charges->request_s;
    s->count_s = charges->count_s;
    s->state_s = charges->state_s;
    s->own_s = charges->own_s;
    s->steal_s = charges->steal_s;
    s->answer_s = charges->answer_s;
    s->handover_s = charges->handover_s;
    s->handover_byte_s = charges->handover_byte_s;
    snprintf(s->platform, sizeof(s->platform), "%s", machine->platform);
    snprintf(s->calibration, sizeof(s->calibration), "%s",
             machine->apart && ranks > 1 ? machine->between
                                         : machine->calibration);
}

static int copy_file(const char *from, const char *dir, const char *name,
                     struct error *err)
{
    char path[PATH_MAX + 64];
    char *text = worklist_read(from, err);
    if (text == NULL)
        return -EIO;
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    int code = file_whole(path, text, strlen(text), err);
    free(text);
    return code;
}

int this_machine_store(const struct this_machine *machine, const char *dir,
                       struct error *err)
{
    int code = copy_file(machine->platform, dir, "platform.xml", err);
    if (code == 0)
        code = copy_file(machine->calibration, dir, "calibration.json", err);
    if (code == 0 && machine->between[0] != '\0')
        code =
            copy_file(machine->between, dir, "calibration-between.json", err);
    return code;
}
