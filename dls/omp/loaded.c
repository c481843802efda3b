/* Which processes have the library: a line for each image of a process, and
 * one for its regular end, in a file of the run's folder (counters.h). */
#include "dls/omp/parts.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int take_runtime(struct dl_phdr_info *info, size_t size, void *found)
{
    static const char *const names[] = {"/libgomp.so", "/libomp.so",
                                        "/libiomp5.so"};
    (void)size;
    for (int i = 0; i < 3; i++)
        if (strstr(info->dlpi_name, names[i]) != NULL)
            *(int *)found = 1;
    return 0;
}

static long long number_of(const char *const *names)
{
    for (int i = 0; names[i] != NULL; i++)
        if (getenv(names[i]) != NULL)
            return atoll(getenv(names[i]));
    return -1;
}

/* The file is this host's alone: lines of others cannot cut its own.  Where it
 * cannot be written the reader says what is missing. */
static void write_line(const char *what)
{
    static const char *const ranks[] = COUNTERS_RANKS;
    static const char *const sizes[] = COUNTERS_SIZES;
    const char *folder = getenv(COUNTERS_FOLDER);
    char host[64] = "", path[4096], name[17] = "", line[160];
    int runtime = 0;
    if (folder == NULL || folder[0] == '\0')
        return;
    gethostname(host, sizeof(host) - 1);
    snprintf(path, sizeof(path), "%.3900s/%s" COUNTERS_LOADED, folder, host);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    dl_iterate_phdr(take_runtime, &runtime);
    prctl(PR_GET_NAME, name);
    int length = snprintf(line, sizeof(line), "%s %ld %d %lld %lld %s\n", what,
                          (long)getpid(), runtime, number_of(ranks),
                          number_of(sizes), name);
    if (write(file, line, (size_t)length) != length)
        settings_say("%s: cannot be written", path);
    close(file);
}

static __attribute__((constructor)) void begin(void)
{
    write_line("begin");
}

static __attribute__((destructor)) void end(void)
{
    write_line("end");
}
