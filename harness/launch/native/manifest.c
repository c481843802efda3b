/* The manifest of a real launch: machine, ranks, what things cost. */
#include "harness/launch/launch_internal.h"

#include "base/file.h"
#include "base/stamp.h"
#include "harness/check/cell_transport.h"
#include "harness/counters/counters.h"
#include "harness/launch/handover.h"
#include "harness/process/need.h"
#include "harness/record/build.h"
#include "harness/record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

/* The first line of a small file of the system, or null. */
static json_t *system_line(const char *path)
{
    char line[256];
    return file_first_line(path, line, sizeof(line)) ? json_string(line)
                                                     : json_null();
}

static json_t *slurm_variables(void)
{
    json_t *object = json_object();
    for (char **entry = environ; *entry != NULL; entry++) {
        char name[128];
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "SLURM_", 6) != 0 || length >= sizeof(name))
            continue;
        memcpy(name, *entry, length);
        name[length] = '\0';
        json_object_set_new(object, name, json_string(*entry + length + 1));
    }
    return object;
}

/* Seconds of one sharp barrier over all ranks: the least of a few, the cost of
 * a start when no rank is late. */
static double measure_barrier(const struct comm *comm)
{
    double best = 1;
    for (int i = 0; i < 20; i++) {
        double start = engine_now();
        comm_sharp_barrier(comm);
        double took = engine_now() - start;
        best = took < best ? took : best;
    }
    return best;
}

/* The progress of an rma window here; -1 without a window, and the reason. */
static double measure_rma(const struct comm *comm, struct error *why)
{
    struct window window;
    error_set(why, ENOTSUP, "not measured: one rank");
    if (comm->ranks < 2 || window_open(&window, comm, false, 0, why) != 0)
        return -1;
    double worst = window_measure_progress(&window, 5e-3);
    window_close(&window);
    return worst;
}

/* The resources of a rank; quota_of: the file with the limit, or why it is
 * unknown. */
struct rank_resources {
    char host[128], cpuset[128], quota_of[260];
    double quota;
};

static struct rank_resources own_resources(const struct topo *topo)
{
    struct rank_resources own = {.quota = topo_allowed(topo)->quota};
    const struct allowed *allowed = topo_allowed(topo);
    stamp_host_name(own.host, sizeof(own.host));
    snprintf(own.cpuset, sizeof(own.cpuset), "%s", topo_cpuset(topo));
    snprintf(own.quota_of, sizeof(own.quota_of), "%s%s",
             allowed->unknown[0] != '\0' ? "not known: " : "",
             allowed->unknown[0] != '\0' ? allowed->unknown
                                         : allowed->quota_file);
    return own;
}

static json_t *ranks_array(struct launch_context *context)
{
    const struct comm *comm = &context->comm;
    struct rank_resources mine = own_resources(context->place.topo);
    struct rank_resources *all =
        comm->rank == 0 ? calloc((size_t)comm->ranks, sizeof(*all)) : NULL;
    comm_gather(comm, &mine, all, sizeof(mine));
    json_t *array = json_array();
    for (int r = 0; all != NULL && r < comm->ranks; r++)
        json_array_append_new(
            array,
            json_pack("{s:s,s:s,s:o,s:s?}", "host", all[r].host, "cpuset",
                      all[r].cpuset, "cpu_quota",
                      record_real(isinf(all[r].quota) ? NAN : all[r].quota),
                      "quota_of",
                      all[r].quota_of[0] != '\0' ? all[r].quota_of : NULL));
    free(all);
    return array;
}

static json_t *machine_object(struct launch_context *context)
{
    struct utsname system;
    char counters[512];
    uname(&system);
    counters_describe(counters, sizeof(counters));
    return json_pack(
        "{s:s,s:o,s:s,s:s,s:o,s:o,s:s}", "topology",
        topo_summary(context->place.topo), "kinds",
        topo_kinds_json(context->place.topo), "kernel", system.release,
        "architecture", system.machine, "governor",
        system_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "load_average", system_line("/proc/loadavg"), "counters", counters);
}

/* The requested events, their outcome, and the cost of counting. */
static json_t *counters_object(struct launch_context *context)
{
    const struct counters *counters = context->counters;
    if (counters == NULL)
        return json_null();
    const struct counters_list *asked = counters_asked(counters);
    json_t *counted = json_array(), *missing = json_object();
    double reading_s, facts_s;
    for (int i = 0; i < asked->count; i++) {
        const char *why = counters_why(counters, i);
        if (why == NULL)
            json_array_append_new(counted, json_string(asked->name[i]));
        else
            json_object_set_new(missing, asked->name[i], json_string(why));
    }
    counters_cost(context->counters, 0, &reading_s, &facts_s);
    return json_pack(
        "{s:s?,s:s?,s:o,s:o,s:b,s:o,s:f}", "by", counters_by(counters),
        "reading", counters_reading(counters), "counted", counted, "missing",
        missing, "multiplexed", counters_multiplexed(counters), "reading_s",
        reading_s > 0 ? json_real(reading_s) : json_null(), "facts_s", facts_s);
}

static void add_text(void *object, const char *name, const char *text)
{
    json_object_set_new(object, name, json_string(text));
}

/* The teams of one transport for these cells, or the reason for having none. */
static json_t *teams_object(const struct worklist *work,
                            const struct transport_ops *keeper)
{
    json_t *object = json_object();
    for (int i = 0; i < work->count; i++) {
        struct error why;
        const char *choice = cell_transport_choice(&work->cells[i]);
        if (cell_transport(&work->cells[i]) != keeper ||
            json_object_get(object, choice) != NULL)
            continue;
        json_t *team = json_object();
        if (keeper->team->identify(choice, add_text, team, &why) != 0)
            add_text(team, "missing", why.text);
        json_object_set_new(object, choice, team);
    }
    return object;
}

json_t *manifest_make(const struct worklist *work,
                      struct launch_context *context)
{
    const struct comm *comm = &context->comm;
    char mpi[256];
    struct error why;
    double barrier = measure_barrier(comm), rma = measure_rma(comm, &why);
    double handover = handover_measure(context);
    json_t *ranks = ranks_array(context);
    if (comm->rank != 0) {
        json_decref(ranks);
        return NULL;
    }
    comm_describe(mpi, sizeof(mpi));
    json_t *manifest = record_manifest_head(work->launch, work->campaign,
                                            work->shard, work->command, false);
    json_object_update_new(
        manifest,
        json_pack("{s:s,s:s,s:I,s:i,s:i,s:o,s:o,s:o,s:i}", "instruction_set",
                  build_instruction_set(), "mpi", mpi, "seed",
                  (json_int_t)work->seed, "ranks", work->ranks, "threads",
                  work->threads, "places", ranks, "machine",
                  machine_object(context), "counters", counters_object(context),
                  "gained", work->gained));
    for (int t = 0; transport_list[t] != NULL; t++)
        if (transport_list[t]->team != NULL)
            json_object_set_new(manifest, transport_list[t]->rules->field,
                                teams_object(work, transport_list[t]));
    json_t *measured = json_pack(
        "{s:o,s:o,s:f,s:f,s:f,s:o,s:o,s:s}", "policy",
        policy_to_json(&work->policy), "slurm", slurm_variables(), "clock_s",
        engine_measure_clock(), "tick_s", context->tick_s, "barrier_s", barrier,
        "handover_s", record_real(handover), "rma_busy_target_s",
        record_real(rma < 0 ? 0.0 / 0.0 : rma), "rma_progress",
        rma < 0        ? why.text
        : rma > 2.5e-3 ? "the target must enter MPI"
                       : "continues while the target computes");
    json_object_update_new(manifest, measured);
    return manifest;
}

/* The place of each host's first rank gets what its packages used. */
bool manifest_end(struct launch *launch, json_t *manifest)
{
    const struct comm *comm = &launch->context.comm;
    double took_s = engine_now() - launch->began_s, joules = NAN;
    double *all =
        comm->rank == 0 ? need_zeroed((size_t)comm->ranks, sizeof(*all)) : NULL;
    bool any = false;
    energy_read(&launch->energy);
    if (launch->energy.packages > 0)
        joules = launch->energy.joules;
    comm_gather(comm, &joules, all, sizeof(joules));
    for (int r = 0; all != NULL && r < comm->ranks; r++) {
        json_t *place =
            json_array_get(json_object_get(manifest, "places"), (size_t)r);
        if (isnan(all[r]))
            continue;
        any = true;
        json_object_set_new(place, "energy_j", json_real(all[r]));
        json_object_set_new(place, "energy_over_s", json_real(took_s));
    }
    free(all);
    return any;
}
