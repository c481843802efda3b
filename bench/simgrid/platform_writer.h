/* A calibration's platform as a file for SimGrid. */
#ifndef BENCH_SIMGRID_PLATFORM_WRITER_H
#define BENCH_SIMGRID_PLATFORM_WRITER_H

#include "base/error.h"

#include <limits.h>

/* The platform's numbers, and where they come from.  Times are seconds, and
 * seconds per byte (0: not measured), inside a node and between two. */
struct platform_numbers {
    char source[400];
    const char *processor;
    int cores;
    double latency_s, byte_s;
    int nodes; /* 0: only this machine */
    double between_s, between_byte_s;
};

/* Replaces double hyphens, which comments of XML must not contain. */
void platform_harmless(char *text);

/* Writes it into the cache folder under a name derived from its content, so
 * that no run changes a file that another one reads.  Returns 0 or -errno. */
int platform_write(const struct platform_numbers *numbers, char path[PATH_MAX],
                   struct error *err);

#endif
