/* How much memory a process of this host can still get. */
#ifndef BASE_SYSTEM_MEMORY_H
#define BASE_SYSTEM_MEMORY_H

/* Bytes that can be had without swapping: the system's MemAvailable, or what
 * the control groups of this process (a batch job's, a container's) leave,
 * whichever is less.  A group's files in the cache count as free, since they
 * can be dropped.  Negative: not known. */
double memory_available(void);

/* The same with /proc and /sys below another folder, for tests. */
double memory_available_below(const char *root);

#endif
