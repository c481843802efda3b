/* What a result directory's launches counted, and what that cost. */
#ifndef BENCH_TABLES_COUNTED_H
#define BENCH_TABLES_COUNTED_H

#include <stdio.h>

/* Lines for the end of the summary, from all manifests; nothing where events
 * were off or simulated. */
void counted_print(FILE *out, const char *dir);

#endif
