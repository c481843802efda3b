/* The folder for data that can be measured or computed again. */
#ifndef HARNESS_RECORD_CACHE_H
#define HARNESS_RECORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* $XDG_CACHE_HOME/dlsbench or ~/.cache/dlsbench, created if missing.  False:
 * neither can be used. */
bool cache_folder(char *path, size_t size);

#endif
