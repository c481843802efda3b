/* The name and data of this process in results. */
#ifndef DLS_THIS_PROCESS_H
#define DLS_THIS_PROCESS_H

#include "base/stamp.h"

#include <stddef.h>
#include <time.h>

enum { PROCESS_NAME_MAX = STAMP_LAUNCH_SIZE };

/* A name like that of a `dlsbench run` launch: UTC of its start, host, number.
 * It never changes. */
void process_name(char name[PROCESS_NAME_MAX]);

/* Its command line, truncated to `size`. */
void process_command(char *text, size_t size);

/* Processors that its threads may use. */
int process_processors(void);

#endif
