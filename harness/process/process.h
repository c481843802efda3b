/* Processes of this host as /proc shows them. */
#ifndef HARNESS_PROCESS_PROCESS_H
#define HARNESS_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent;
    long long start; /* ticks from the system's start to its start */
    char name[32];   /* of the program, truncated to 15 bytes by the system */
};

/* False if there is no such process (any more). */
bool process_read(pid_t pid, struct process *process);

/* The words of its command line, each ended by '\0', truncated to `size`.
 * Returns their length in bytes, 0 if the process is gone or has none. */
size_t process_words(pid_t pid, char *words, size_t size);

/* Calls `wanted` for every process until it returns true. Returns that process,
 * or 0. */
pid_t process_find(bool (*wanted)(pid_t pid, void *arg), void *arg);

#endif
