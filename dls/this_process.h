/* This process, as results name it. */
#ifndef DLS_THIS_PROCESS_H
#define DLS_THIS_PROCESS_H

#include "base/stamp.h"

#include <stddef.h>
#include <time.h>

enum { PROCESS_NAME_MAX = STAMP_LAUNCH_SIZE };

/* The same in every call: UTC of its start, host, number; as a launch of
 * `dlsbench run` is named. */
void process_name(char name[PROCESS_NAME_MAX]);

/* Its command line, cut to what fits. */
void process_command(char *text, size_t size);

/* Processors that its threads may use. */
int process_processors(void);

#endif
