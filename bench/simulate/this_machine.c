#include "bench/simulate/this_machine.h"

#include "bench/calibrate/calibrated.h"
#include "bench/calibrate/nodes.h"
#include "harness/guard/need.h"
#include "harness/record/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

const char this_machine_name[] = "this-machine";
const char this_cluster_name[] = "this-cluster";

bool this_machine_is(const char *platform)
{
    return strcmp(platform, this_machine_name) == 0 ||
           strcmp(platform, this_cluster_name) == 0;
}

/* Between cores of one machine nothing is faster; used for 0. */
static const double LEAST_LATENCY_S = 1e-9;

/* The platform's numbers, and the source of each. */
struct parameters {
    char source[400];
    int cores;
    double latency_s, byte_s;
    double ends_s; /* what a message keeps its sender and its receiver */
    int nodes;     /* 0: this machine alone */
    double between_s, between_byte_s;
};

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

/* A request's own time under way: neither at its sender nor its receiver. */
static void set_link(const struct calibration *c, struct parameters *p)
{
    const struct calibration_kind *ranks = &c->kind[CALIBRATION_RANKS];
    const struct calibration_charge *charge = &ranks->charge;
    double c_d = 0;
    p->byte_s = 0;
    calibration_exchange(ranks, ranks->workers, &c_d, &p->byte_s);
    p->latency_s =
        fmax(LEAST_LATENCY_S,
             finite_or(charge->one_way - charge->send - charge->receive, 0));
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
                       struct plan_simulation *s)
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
                        struct plan_simulation *s)
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

/* Both copy a message's contents, and SMPI charges receivers of detached ones
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

static int count_cores(const struct calibration *c)
{
    int threads = c->kind[CALIBRATION_THREADS].workers;
    int ranks = c->kind[CALIBRATION_RANKS].workers;
    return threads > ranks ? threads : ranks;
}

/* ---- the file ---- */

static void write_platform(FILE *out, const struct calibration *c,
                           const struct parameters *p)
{
    double bandwidth = p->byte_s > 0 ? 1 / p->byte_s : 1e12;
    fprintf(out,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM "
            "\"https://simgrid.org/simgrid.dtd\">\n"
            "<!-- This machine, made by dlsbench sim from its calibration:\n"
            "     %s (%s).\n\n"
            "       core       workers of the calibration\n"
            "       speed      nominal: kernels take the seconds that the\n"
            "                  calibration has for them (kernels: operation_s\n"
            "                  and start_s), cores differ by its powers\n"
            "       latency    of a message between ranks: charges, one_way_s\n"
            "                  less send_s and receive_s, which SMPI charges\n"
            "                  to the ranks\n"
            "       bandwidth  1 / c_c_s_per_byte, median of the boundaries\n"
            "                  between ranks%s -->\n",
            p->source, c->processor,
            p->byte_s > 0 ? "" : " (none was measured)");
    fprintf(out,
            "<platform version=\"4.1\">\n"
            "  <zone id=\"machine\" routing=\"Full\">\n"
            "    <host id=\"this-machine\" speed=\"1Gf\" core=\"%d\"/>\n"
            "    <link id=\"memory\" bandwidth=\"%.6gBps\" latency=\"%.6gs\" "
            "sharing_policy=\"FATPIPE\"/>\n"
            "    <route src=\"this-machine\" dst=\"this-machine\">"
            "<link_ctn id=\"memory\"/></route>\n"
            "  </zone>\n"
            "</platform>\n",
            p->cores, bandwidth, p->latency_s);
}

/* Hosts like it, each with a link to a switch that does not limit. */
static void write_cluster(FILE *out, const struct calibration *c,
                          const struct parameters *p)
{
    double inside = p->byte_s > 0 ? 1 / p->byte_s : 1e12;
    double between = p->between_byte_s > 0 ? 1 / p->between_byte_s : 1e12;
    fprintf(out,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM "
            "\"https://simgrid.org/simgrid.dtd\">\n"
            "<!-- Nodes like this machine, made by dlsbench sim from its "
            "calibration:\n"
            "     %s (%s).\n\n"
            "       core       workers of the calibration\n"
            "       speed      nominal, as on this-machine\n"
            "       loopback   between ranks of a node\n"
            "       lat, bw    of messages between two nodes, half of the\n"
            "                  latency on each link (calibrate, nodes 2)\n"
            "       assumed    a switch that does not limit -->\n",
            p->source, c->processor);
    fprintf(out,
            "<platform version=\"4.1\">\n"
            "  <cluster id=\"this-cluster\" prefix=\"node-\" suffix=\"\" "
            "radical=\"0-%d\" speed=\"1Gf\" core=\"%d\" bw=\"%.6gBps\" "
            "lat=\"%.6gs\" loopback_bw=\"%.6gBps\" "
            "loopback_lat=\"%.6gs\"/>\n"
            "</platform>\n",
            p->nodes - 1, p->cores, between, p->between_s / 2, inside,
            p->latency_s);
}

/* Comments of XML have no double hyphen. */
static void make_harmless(char *text)
{
    for (char *c = text; (c = strstr(c, "--")) != NULL; c++)
        c[1] = '_';
}

static int write_file(const char *path, const char *text, struct error *err)
{
    char part[PATH_MAX + 32];
    snprintf(part, sizeof(part), "%s.%d", path, (int)getpid());
    FILE *file = fopen(part, "w");
    if (file == NULL)
        return error_set(err, errno, "%s: cannot write: %s", path,
                         strerror(errno));
    bool good = fputs(text, file) >= 0;
    if (fclose(file) != 0 || !good || rename(part, path) != 0) {
        unlink(part);
        return error_set(err, EIO, "%s: cannot write", path);
    }
    return 0;
}

/* Named by its content: no run changes a file that another one reads. */
static int keep_platform(struct this_machine *machine,
                         const struct calibration *c,
                         const struct parameters *p, struct error *err)
{
    char folder[PATH_MAX - 64], *text = NULL;
    size_t size;
    if (!cache_folder(folder, sizeof(folder)))
        return error_set(err, ENOENT,
                         "there is no place for the platform of this machine: "
                         "HOME and XDG_CACHE_HOME are not set");
    FILE *out = need_stream(&text, &size);
    if (p->nodes > 0)
        write_cluster(out, c, p);
    else
        write_platform(out, c, p);
    fclose(out);
    snprintf(machine->platform, sizeof(machine->platform),
             "%s/%s-%016" PRIx64 ".xml", folder,
             p->nodes > 0 ? this_cluster_name : this_machine_name,
             (uint64_t)XXH3_64bits(text, size));
    int code = write_file(machine->platform, text, err);
    free(text);
    return code;
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

/* What lies between two nodes, from the file beside the calibration. */
static int set_between(const char *file, struct parameters *p,
                       char path[PATH_MAX], struct error *err)
{
    char node[PATH_MAX];
    struct calibration c;
    int code = make_absolute(file, node, err);
    if (code == 0)
        code = nodes_between_path(node, path, PATH_MAX, err);
    if (code == 0)
        code = calibration_load(path, &c, err);
    if (code == -ENOENT)
        return error_set(err, ENOENT,
                         "platform %s: there is no %s: run dlsbench calibrate "
                         "--nodes 2 inside a job of two nodes",
                         this_cluster_name, path);
    if (code != 0)
        return code;
    const struct calibration_kind *ranks = &c.kind[CALIBRATION_RANKS];
    double c_d = 0;
    calibration_exchange(ranks, ranks->workers, &c_d, &p->between_byte_s);
    p->between_s = fmax(LEAST_LATENCY_S,
                        finite_or(ranks->charge.one_way, c_d) - p->ends_s);
    calibration_free(&c);
    return 0;
}

/* A power of two, so that parts of a campaign have the same platform. */
static int count_nodes(long workers, int cores)
{
    int nodes = 2;
    while ((long)nodes * cores < workers && nodes < 1 << 20)
        nodes *= 2;
    return nodes;
}

/* workers: 0 for this machine alone. */
static int open_machine(struct this_machine *machine, const char *file,
                        long workers, struct error *err)
{
    struct calibration c;
    struct parameters p = {.nodes = 0};
    *machine = (struct this_machine){.platform = ""};
    int code = calibrated_load(file, &c, p.source, sizeof(p.source), err);
    if (code != 0)
        return error_prefix(err, code, "platform %s",
                            workers > 0 ? this_cluster_name
                                        : this_machine_name);
    make_harmless(p.source);
    p.cores = count_cores(&c);
    p.ends_s = finite_or(c.kind[CALIBRATION_RANKS].charge.send, 0) +
               finite_or(c.kind[CALIBRATION_RANKS].charge.receive, 0);
    set_link(&c, &p);
    set_flags(machine, &c.kind[CALIBRATION_RANKS].charge, p.byte_s);
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        set_charges(&c, i, &machine->charges[i]);
    code = one_host(&c, err);
    if (code == 0 && workers > 0) {
        p.nodes = count_nodes(workers, p.cores);
        code = set_between(file, &p, machine->between, err);
    }
    if (code == 0)
        code = make_absolute(file, machine->calibration, err);
    if (code == 0)
        code = keep_platform(machine, &c, &p, err);
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
                       struct plan_simulation *s)
{
    const struct plan_simulation *charges =
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
             machine->calibration);
}

static int copy_file(const char *from, const char *dir, const char *name,
                     struct error *err)
{
    char path[PATH_MAX + 64];
    char *text = plan_read(from, err);
    if (text == NULL)
        return -EIO;
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    int code = write_file(path, text, err);
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
