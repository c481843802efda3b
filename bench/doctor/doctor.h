/* Checks of a machine for things that make its measurements wrong or worse.
 *
 * `dlsbench doctor` opens a list, lets the checks add to it and prints it.
 * Checks of files read them below a root folder, so tests can make such
 * files. */
#ifndef BENCH_DOCTOR_DOCTOR_H
#define BENCH_DOCTOR_DOCTOR_H

#include "base/system/allowed.h"
#include "base/system/busy.h"

#include <stdbool.h>
#include <stddef.h>

/* Bad: measurements are meaningless, or nothing can be started.  Warning:
 * measurements are worse than possible. */
enum health { HEALTH_BAD, HEALTH_WARNING, HEALTH_FINE };

enum { DOCTOR_FINDINGS = 32 };

struct finding {
    enum health health;
    const char *name; /* the check's; static */
    char text[640];   /* the finding, and what to do */
};

struct doctor {
    const char *root; /* "" is the system */
    struct allowed allowed;
    int cores; /* from the topology; 0: unknown */
    struct finding list[DOCTOR_FINDINGS];
    int count;
};

/* Reads the processors and CPU time of this process. */
void doctor_open(struct doctor *doctor, const char *root);

void doctor_add(struct doctor *doctor, enum health health, const char *name,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* How many findings are of this health. */
int doctor_count(const struct doctor *doctor, enum health health);

/* ---- checks of files: doctor_files.c ---- */

/* The cores of this process; its CPU quota, and how often it was throttled. */
void doctor_cores(struct doctor *doctor);
void doctor_quota(struct doctor *doctor);

/* Other programs: the kernel's average of waiting; and the governor that sets
 * the clock. */
void doctor_pressure(struct doctor *doctor);
void doctor_governor(struct doctor *doctor);

/* `ns`: the time of one reading of the clock. */
void doctor_clock_source(struct doctor *doctor, double ns);

/* From a second of computing in a thread: its share of a core; and its first
 * speed over its last, known only if it had a core to itself.  `taker`: who had
 * the rest. */
void doctor_speed(struct doctor *doctor, double share, double ratio,
                  const char *taker);

/* Seconds for which quotas stopped the control groups of this process. */
double doctor_throttled(const struct doctor *doctor);

/* Who used these seconds of a core, between two readings of its time without
 * this process's own; quotas stopped it for `throttled_s` of them. */
const char *doctor_taker(const struct busy *before, const struct busy *after,
                         double throttled_s, double lost_s);

/* Times of hand-overs in seconds, measured on otherwise idle cores.  Some
 * machines have two states of it. */
void doctor_handover(struct doctor *doctor, const double *seconds, int count);

/* The processor time of other processes, and the time that a hypervisor took,
 * between two readings of /proc/stat, `seconds` apart.  Returns whether the
 * cores were otherwise idle. */
bool doctor_others(struct doctor *doctor, const struct busy *before,
                   const struct busy *after, double seconds);

/* Room in /dev/shm and TMPDIR, and limits on files, processes and memory; lists
 * only what is scarce. */
void doctor_limits(struct doctor *doctor);

/* ---- checks of this process: doctor_here.c ---- */

/* The topology; the load by others and the time of a hand-over, during a second
 * of sleep; a core's speed in a second of computing. */
void doctor_machine(struct doctor *doctor);

void doctor_counters(struct doctor *doctor);
void doctor_variables(struct doctor *doctor);

/* Whether the site's srun can start ranks of our MPI; nothing without srun or a
 * cluster that it knows. */
void doctor_srun(struct doctor *doctor);

/* Starts two ranks that run a small loop, as `dlsbench run` does.  Each must
 * have a core, unless this process has only one.  Call doctor_machine first. */
void doctor_ranks(struct doctor *doctor);

#endif
