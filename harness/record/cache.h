/* The folder for what can be measured or computed again. */
#ifndef HARNESS_RECORD_CACHE_H
#define HARNESS_RECORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* $XDG_CACHE_HOME/dlsbench or ~/.cache/dlsbench, made if it is missing.  False
 * when there is no place for one. */
bool cache_folder(char *path, size_t size);

#endif
