/* How much memory a process of this host can still get. */
#ifndef BASE_SYSTEM_MEMORY_H
#define BASE_SYSTEM_MEMORY_H

/* Bytes available without swapping: the system's MemAvailable, or what the
 * control groups of this process (a batch job's, a container's) leave,
 * whichever is less.  Cached files of a group count as free, because they can
 * be dropped.  Negative: unknown. */
double memory_available(void);

/* memory_available with /proc and /sys below another folder, for tests. */
double memory_available_below(const char *root);

#endif
