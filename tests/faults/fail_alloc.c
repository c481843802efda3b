/* Loaded before dlsbench: its FAIL_AT-th request for memory fails (with
 * FAIL_ALL also all later ones).  At the end the file FAIL_COUNT gets the
 * number of requests.  Programs that it starts are not affected. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_long requests;
static long fail_at;
static bool ours, fail_all;
static pid_t first; /* not those that it forks */

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    ours = strcmp(program_invocation_short_name, "dlsbench") == 0;
    first = getpid();
    fail_all = getenv("FAIL_ALL") != NULL;
    atomic_store(&requests, 0);
    fail_at = at != NULL && ours ? atol(at) : 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = ours && getpid() == first ? getenv("FAIL_COUNT") : NULL;
    long count = atomic_load(&requests);
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld\n", count);
        fclose(file);
    }
}

static bool fails(void)
{
    long now = atomic_fetch_add(&requests, 1) + 1;
    bool failing =
        fail_at > 0 && (now == fail_at || (fail_all && now > fail_at));
    if (failing)
        errno = ENOMEM;
    return failing;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **memory, size_t align, size_t size)
{
    *memory = fails() ? NULL : __libc_memalign(align, size);
    return *memory == NULL ? ENOMEM : 0;
}
