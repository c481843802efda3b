/* Processes of this host as /proc shows them. */
#ifndef HARNESS_PROCESS_PROCESS_H
#define HARNESS_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent;
    long long start; /* ticks from the system's start to its own */
    char name[32];   /* of the program, cut at 15 bytes by the system */
};

/* False when there is no such process (any more). */
bool process_read(pid_t pid, struct process *process);

/* The words of its command line, each ended by '\0'.  Returns their length in
 * bytes, 0 when it is gone or has none; a longer line is cut at `size`. */
size_t process_words(pid_t pid, char *words, size_t size);

/* Shows every process to `wanted` until it returns true; returns that process,
 * 0 when there is none. */
pid_t process_find(bool (*wanted)(pid_t pid, void *arg), void *arg);

#endif
