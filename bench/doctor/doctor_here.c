/* Checks that try something: the speed of a core, counters, two ranks. */
#include "bench/doctor/doctor.h"

#include "base/folder.h"
#include "base/text.h"
#include "bench/launching/launcher.h"
#include "bench/launching/subprocess.h"
#include "harness/counters/counters.h"
#include "harness/launch/handover.h"
#include "harness/messages/comm.h"
#include "harness/topo/topo.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the speed of a core ---- */

static double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Steps of a chain of additions per second of the thread's processor time,
 * during so many seconds of the clock. */
static double core_speed(double seconds)
{
    double end = clock_s(CLOCK_MONOTONIC) + seconds, steps = 0;
    double begin = clock_s(CLOCK_THREAD_CPUTIME_ID);
    while (clock_s(CLOCK_MONOTONIC) < end) {
        for (volatile int i = 0; i < 20000; i++)
            ;
        steps += 20000;
    }
    return steps / fmax(clock_s(CLOCK_THREAD_CPUTIME_ID) - begin, 1e-9);
}

/* Bound to the core that it is on, so that only what others have of that core
 * can be the reason for what it loses. */
static void check_speed(struct doctor *doctor)
{
    const struct allowed_set *mask = &doctor->allowed.mask;
    struct allowed_set core = {{0}};
    struct busy before, after;
    int processor = sched_getcpu();
    if (processor >= 0 && allowed_has(mask, processor))
        core.word[processor / 64] = 1ull << processor % 64;
    if (sched_setaffinity(0, sizeof(core), (cpu_set_t *)&core) != 0)
        core = (struct allowed_set){{0}};
    double process_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    busy_read(doctor->root, &core, &before);
    double throttled_s = doctor_throttled(doctor);
    double begin_s = clock_s(CLOCK_MONOTONIC);
    double own_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    double first = core_speed(0.05);
    core_speed(0.9);
    double last = core_speed(0.05);
    double seconds = clock_s(CLOCK_MONOTONIC) - begin_s;
    double share = (clock_s(CLOCK_THREAD_CPUTIME_ID) - own_s) / seconds;
    busy_read(doctor->root, &core, &after);
    after.seconds -= clock_s(CLOCK_PROCESS_CPUTIME_ID) - process_s;
    throttled_s = doctor_throttled(doctor) - throttled_s;
    sched_setaffinity(0, sizeof(*mask), (const cpu_set_t *)mask);
    doctor_speed(
        doctor, share, first / last,
        doctor_taker(&before, &after, throttled_s, (1 - share) * seconds));
}

/* During a second of almost only sleep: measures others' load, and the states
 * of the machine meanwhile.  Their load could be mistaken for a state. */
static void check_quiet(struct doctor *doctor, const struct topo *topo)
{
    enum { SAMPLES = 50 };
    double handover_s[SAMPLES], begin_s = clock_s(CLOCK_MONOTONIC);
    const struct engine_patience patience = {.spin_s = 1e-3};
    struct engine_team *team = NULL;
    struct busy before, after;
    struct error err;
    bool measures = topo != NULL && topo_cores(topo) > 1 &&
                    engine_team_start(&team, 2, &err) == 0;
    double own_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    busy_read(doctor->root, &doctor->allowed.mask, &before);
    for (int i = 0; i < SAMPLES; i++) {
        if (measures)
            handover_s[i] = handover_of_team(topo, team, &patience);
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / SAMPLES}, NULL);
    }
    busy_read(doctor->root, &doctor->allowed.mask, &after);
    after.seconds -= clock_s(CLOCK_PROCESS_CPUTIME_ID) - own_s;
    if (team != NULL)
        engine_team_stop(team);
    bool alone = doctor_others(doctor, &before, &after,
                               clock_s(CLOCK_MONOTONIC) - begin_s);
    if (measures && alone)
        doctor_handover(doctor, handover_s, SAMPLES);
}

/* ---- topology, counters, variables ---- */

static void check_topology(struct doctor *doctor, const struct topo *topo)
{
    int kinds = topo_kinds(topo), cores = topo_cores(topo);
    doctor->cores = cores;
    doctor_add(doctor, HEALTH_FINE, "topology", "%s", topo_summary(topo));
    if (kinds > 1)
        doctor_add(doctor, HEALTH_WARNING, "kinds of cores",
                   "%d: the fastest are taken first; --bind kind=N takes "
                   "others (dlsbench topo shows them)",
                   kinds);
    if (topo_processors(topo) > cores)
        doctor_add(doctor, HEALTH_FINE, "hardware threads",
                   "%d on %d cores: each worker gets a core, with --smt a "
                   "hardware thread",
                   topo_processors(topo), cores);
}

void doctor_machine(struct doctor *doctor)
{
    struct error err;
    struct topo *topo = NULL;
    if (topo_open(&topo, &err) != 0)
        doctor_add(doctor, HEALTH_BAD, "topology", "%s", err.text);
    else
        check_topology(doctor, topo);
    check_quiet(doctor, topo);
    check_speed(doctor);
    if (topo != NULL)
        topo_close(topo);
}

void doctor_counters(struct doctor *doctor)
{
    char text[256];
    counters_describe(text, sizeof(text));
    doctor_add(doctor,
               strncmp(text, "none", 4) == 0 ? HEALTH_WARNING : HEALTH_FINE,
               "counters", "%s", text);
}

static bool changes_runs(const char *variable)
{
    static const char *const begins[] = {"HWLOC_", "OMP_",   "GOMP_", "KMP_",
                                         "MPICH_", "OMPI_",  "UCX_",  "FI_",
                                         "MPIR_",  "I_MPI_", "HYDRA_"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (strncmp(variable, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

void doctor_variables(struct doctor *doctor)
{
    char text[240] = "";
    for (char **variable = environ; *variable != NULL; variable++) {
        size_t used = strlen(text);
        if (changes_runs(*variable))
            snprintf(text + used, sizeof(text) - used, "%s%.60s",
                     used > 0 ? ", " : "", *variable);
    }
    if (text[0] != '\0')
        doctor_add(doctor, HEALTH_WARNING, "variables",
                   "these change what runs: %s", text);
}

/* ---- two ranks ---- */

struct failure {
    char first[500]; /* the reason of the failed cell, or a line of stderr */
};

static void take_output(void *arg, const char *line)
{
    (void)arg;
    (void)line;
}

/* Progress lines are no answer; of a failure keeps the line with the reason. */
static void take_message(void *arg, const char *line)
{
    struct failure *answer = arg;
    const char *own = "dlsbench: ";
    bool is_own = text_begins(line, own);
    const char *text = is_own ? line + strlen(own) : line;
    const char *reason = strstr(text, " of layout 2x1: ");
    if (reason == NULL && is_own && strstr(text, " cell") != NULL)
        return;
    if (answer->first[0] == '\0' || reason != NULL)
        snprintf(answer->first, sizeof(answer->first), "%s",
                 reason != NULL ? strchr(reason, ':') + 2 : text);
}

static double no_tick(void *arg)
{
    (void)arg;
    return 20;
}

static int run(const char *const words[],
               const struct subprocess_watcher *watcher,
               struct subprocess_end *end, struct error *err)
{
    struct stops stops;
    int code = stops_open(&stops, err);
    if (code != 0)
        return code;
    code = subprocess_run((char *const *)(uintptr_t)words, &stops, watcher, end,
                          err);
    stops_close(&stops);
    return code;
}

struct version {
    char text[24]; /* "4.0.2"; empty: not found */
};

/* The first number with a dot in it. */
static void find_version(void *arg, const char *line)
{
    struct version *version = arg;
    const char *dot = strchr(line, '.');
    while (dot != NULL && (dot == line || !isdigit((unsigned char)dot[-1]) ||
                           !isdigit((unsigned char)dot[1])))
        dot = strchr(dot + 1, '.');
    if (dot == NULL || version->text[0] != '\0')
        return;
    while (dot > line && isdigit((unsigned char)dot[-1]))
        dot--;
    snprintf(version->text, sizeof(version->text), "%.*s",
             (int)strspn(dot, "0123456789."), dot);
}

/* What the launcher prints about itself. */
static struct version launcher_version(const char *template)
{
    struct version version = {""};
    struct error err;
    struct subprocess_end end;
    char program[LAUNCHER_SIZE];
    const struct subprocess_watcher watcher = {.output = find_version,
                                               .message = take_output,
                                               .tick = no_tick,
                                               .arg = &version};
    snprintf(program, sizeof(program), "%.*s", (int)strcspn(template, " "),
             template);
    run((const char *const[]){program, "--version", NULL}, &watcher, &end,
        &err);
    return version;
}

/* Like a user, but into a folder that is removed afterwards. */
static int run_two(bool have_cores, const char *out, struct failure *answer,
                   struct subprocess_end *end, struct error *err)
{
    char self[PATH_MAX];
    const char *const words[] = {self,
                                 "run",
                                 "--kernel",
                                 "null:size=100",
                                 "--scheme",
                                 "ss",
                                 "--ranks",
                                 "2",
                                 "--repetitions",
                                 "2",
                                 "--repetitions-max",
                                 "2",
                                 "--out",
                                 out,
                                 have_cores ? NULL : "--oversubscribe",
                                 NULL};
    const struct subprocess_watcher watcher = {.output = take_output,
                                               .message = take_message,
                                               .tick = no_tick,
                                               .arg = answer};
    int code = subprocess_program(self, sizeof(self), err);
    return code != 0 ? code : run(words, &watcher, end, err);
}

void doctor_srun(struct doctor *doctor)
{
    const char *way = launcher_srun_method();
    if (way == NULL)
        return;
    if (way[0] != '\0')
        doctor_add(doctor, HEALTH_FINE, "srun",
                   "starts ranks of this MPI (%s) with --mpi=%s", BUILD_MPI,
                   way);
    else
        doctor_add(doctor, HEALTH_WARNING, "srun",
                   "srun --mpi=list has no method for this MPI (%s): ranks "
                   "that srun starts do not see each other; start them with "
                   "mpiexec",
                   BUILD_MPI);
}

static void add_two(struct doctor *doctor, const char *template,
                    bool have_cores)
{
    char text[200], versions[80] = "";
    struct version library = {""}, launcher = launcher_version(template);
    comm_describe(text, sizeof(text));
    find_version(&library, text);
    if (launcher.text[0] != '\0' && strstr(template, "mpiexec") != NULL)
        snprintf(versions, sizeof(versions), " (of version %s, MPI is %s)",
                 launcher.text, library.text);
    doctor_add(doctor, HEALTH_FINE, "two ranks",
               "started by '%.100s'%s, they see each other%s", template,
               versions, have_cores ? " and have a core each" : "");
}

void doctor_ranks(struct doctor *doctor)
{
    char out[PATH_MAX + 8], launcher[LAUNCHER_SIZE];
    const char *template = launcher_default(launcher);
    struct scratch scratch;
    struct error err;
    struct failure answer = {""};
    struct subprocess_end end = {0};
    bool have_cores = doctor->cores >= 2 && doctor->allowed.quota >= 2;
    int code = scratch_open(&scratch, 1 << 20, &err);
    snprintf(out, sizeof(out), "%s/out/", scratch.path);
    if (code == 0)
        code = run_two(have_cores, out, &answer, &end, &err);
    scratch_close(&scratch);
    if (code != 0)
        doctor_add(doctor, HEALTH_BAD, "two ranks", "%s", err.text);
    else if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0)
        doctor_add(doctor, HEALTH_BAD, "two ranks", "'%.100s' fails: %s",
                   template, answer.first);
    else
        add_two(doctor, template, have_cores);
}
