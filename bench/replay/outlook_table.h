/* The tables of an outlook: one for each loop. */
#ifndef BENCH_REPLAY_OUTLOOK_TABLE_H
#define BENCH_REPLAY_OUTLOOK_TABLE_H

#include "bench/replay/outlook.h"

#include <stdio.h>

/* `source`: of the calibrated costs; empty: of none. */
void outlook_print(const struct outlook *outlook, const char *source,
                   FILE *out);

#endif
