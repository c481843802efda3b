/* Memory that begins on a cache line (a pair of them, as processors fetch two)
 * and shares none with other data. */
#ifndef BASE_CACHE_LINE_H
#define BASE_CACHE_LINE_H

#include <stdlib.h>
#include <string.h>

/* Zeroed memory for free(); NULL: out of memory. */
static inline void *lines_zeroed(size_t bytes)
{
    void *memory = NULL;
    bytes = (bytes + 127) / 128 * 128;
    if (posix_memalign(&memory, 128, bytes) != 0)
        return NULL;
    return memset(memory, 0, bytes);
}

#endif
