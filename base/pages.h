/* Memory of which only written pages are allocated: for lists that may get long
 * but must not move. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed; NULL: out of memory. */
static inline void *pages_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
}

/* NULL means no pages. */
static inline void pages_unmap(void *pages, size_t bytes)
{
    if (pages != NULL)
        munmap(pages, bytes > 0 ? bytes : 1);
}

#endif
