/* The processors and the CPU time that this process may use. */
#ifndef BASE_SYSTEM_ALLOWED_H
#define BASE_SYSTEM_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of processors, by the system's numbers. */
enum { ALLOWED_WORDS = 128, ALLOWED_PROCESSORS = 64 * ALLOWED_WORDS };
struct allowed_set {
    uint64_t word[ALLOWED_WORDS];
};

int allowed_count(const struct allowed_set *set);
bool allowed_has(const struct allowed_set *set, int processor);

/* As "0-3,8"; truncated to what fits. */
void allowed_text(const struct allowed_set *set, char *text, size_t size);

struct allowed {
    struct allowed_set online;
    struct allowed_set mask; /* affinity, within the cpuset; empty: unknown */
    int machine, cpuset;     /* number online, in the cpuset; 0: unknown */
    /* CPU time in processors: the least quota of its control groups and all
     * visible groups above; INFINITY: no limit. */
    double quota;
    char quota_file[240]; /* the file that sets it */
    char unknown[200];    /* why a lower one may exist; empty: it cannot */
};

/* Reads /proc and /sys below `root`: "" is the system, tests use another. */
void allowed_read(const char *root, struct allowed *allowed);

/* Which limit applies to a process that may use `processors` of them. */
enum allowed_by {
    ALLOWED_MACHINE,
    ALLOWED_CPUSET,
    ALLOWED_MASK,
    ALLOWED_QUOTA
};
enum allowed_by allowed_by(const struct allowed *allowed, int processors);

#endif
