/* Hardware counters: what PAPI offers on this machine.  The only part that
 * knows PAPI. */
#ifndef HARNESS_COUNTERS_COUNTERS_H
#define HARNESS_COUNTERS_COUNTERS_H

#include <stddef.h>
#include <stdio.h>

/* One line for the manifest: how many counters there are, or why none. */
void counters_describe(char *text, size_t size);

/* The events a user can name, one line each, or why there are none.  Returns
 * their number. */
int counters_list(FILE *out);

#endif
