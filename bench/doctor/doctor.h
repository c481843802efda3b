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

/* Bad: measurements mean nothing, or nothing can be started.  A warning: they
 * are worse than they could be. */
enum health { HEALTH_BAD, HEALTH_WARNING, HEALTH_FINE };

enum { DOCTOR_FINDINGS = 32 };

struct finding {
    enum health health;
    const char *name; /* of the check; static */
    char text[640];   /* what was found, and what to do */
};

struct doctor {
    const char *root; /* "" is the system */
    struct allowed allowed;
    int cores; /* of the topology; 0: not known */
    struct finding list[DOCTOR_FINDINGS];
    int count;
};

/* Reads what this process may use. */
void doctor_open(struct doctor *doctor, const char *root);

void doctor_add(struct doctor *doctor, enum health health, const char *name,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* How many of the list are as bad as this. */
int doctor_count(const struct doctor *doctor, enum health health);

/* ---- of files: doctor_files.c ---- */

/* The cores of this process, and its CPU quota with how often it was met. */
void doctor_cores(struct doctor *doctor);
void doctor_quota(struct doctor *doctor);

/* Others: the kernel's own average of waiting, and the governor that sets the
 * clock. */
void doctor_pressure(struct doctor *doctor);
void doctor_governor(struct doctor *doctor);

/* `ns`: what one reading of the clock takes. */
void doctor_clock_source(struct doctor *doctor, double ns);

/* A thread computed for a second: the share of a core that it had, and its
 * first speed over its last, which is known only of a thread with a core to
 * itself.  `taker`: who had the rest. */
void doctor_speed(struct doctor *doctor, double share, double ratio,
                  const char *taker);

/* Who had these seconds of a core, between two readings of /proc/stat without
 * this process's own time. */
const char *doctor_taker(const struct doctor *doctor, const struct busy *before,
                         const struct busy *after, double lost_s);

/* Times of hand-overs in seconds, measured while others left the cores alone.
 * Some machines have two states of it. */
void doctor_handover(struct doctor *doctor, const double *seconds, int count);

/* The processor time of other processes, and the time that a hypervisor took,
 * between two readings of /proc/stat, `seconds` apart.  Returns whether the
 * cores were left alone. */
bool doctor_others(struct doctor *doctor, const struct busy *before,
                   const struct busy *after, double seconds);

/* Room in /dev/shm and TMPDIR, and limits on files, processes and memory; what
 * is not scarce is not listed. */
void doctor_limits(struct doctor *doctor);

/* ---- of this process: doctor_here.c ---- */

/* The topology; a second of sleep to see what others do and how long a
 * hand-over takes; a second of computing to see a core's speed. */
void doctor_machine(struct doctor *doctor);

void doctor_counters(struct doctor *doctor);
void doctor_variables(struct doctor *doctor);

/* Whether the site's srun can start ranks of our MPI; nothing without srun, or
 * where it knows no cluster. */
void doctor_srun(struct doctor *doctor);

/* Starts two ranks that run a small loop, as `dlsbench run` does.  They must
 * have a core each, unless this process has only one; doctor_machine first. */
void doctor_ranks(struct doctor *doctor);

#endif
