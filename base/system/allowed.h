/* The processors and the CPU time that this process may use. */
#ifndef BASE_SYSTEM_ALLOWED_H
#define BASE_SYSTEM_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of processors, numbered as the system does. */
enum { ALLOWED_WORDS = 128, ALLOWED_PROCESSORS = 64 * ALLOWED_WORDS };
struct allowed_set {
    uint64_t word[ALLOWED_WORDS];
};

int allowed_count(const struct allowed_set *set);
bool allowed_has(const struct allowed_set *set, int processor);

/* As "0-3,8"; what does not fit is left out. */
void allowed_text(const struct allowed_set *set, char *text, size_t size);

struct allowed {
    struct allowed_set online;
    struct allowed_set mask; /* affinity, within the cpuset; empty: not known */
    int machine, cpuset;     /* online, in the cpuset; 0: not known */
    /* Processors' worth of CPU time, the least of its control groups and of all
     * above that can be seen; INFINITY: no limit. */
    double quota;
    char quota_file[240]; /* that sets it */
    char unknown[200];    /* why there may be a lower one; empty: it is known */
};

/* With /proc and /sys below `root`: "" is the system, tests have another. */
void allowed_read(const char *root, struct allowed *allowed);

/* The limit that applies to a process that may use `processors` of them. */
enum allowed_by {
    ALLOWED_MACHINE,
    ALLOWED_CPUSET,
    ALLOWED_MASK,
    ALLOWED_QUOTA
};
enum allowed_by allowed_by(const struct allowed *allowed, int processors);

#endif
