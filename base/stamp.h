/* Times, launches and the compiler as written in results; times are UTC.
 * Allocates no memory and never fails. */
#ifndef BASE_STAMP_H
#define BASE_STAMP_H

#include <time.h>

#ifdef __clang__
#define STAMP_COMPILER "clang " __clang_version__
#else
#define STAMP_COMPILER "gcc " __VERSION__
#endif

enum { STAMP_TIME_SIZE = 24, STAMP_HOST_SIZE = 65, STAMP_LAUNCH_SIZE = 160 };

/* "2026-11-21T01:02:03Z" */
void stamp_time(time_t when, char text[STAMP_TIME_SIZE]);

/* This host's name, truncated to `size`; "host" if the system has none. */
void stamp_host_name(char *host, size_t size);

/* This host without its domain, fit for the name of a file. */
void stamp_host(char host[STAMP_HOST_SIZE]);

/* "20261121T010203.004Z-host-123", from a time and this process. */
void stamp_launch(const struct timespec *when, char name[STAMP_LAUNCH_SIZE]);

#endif
