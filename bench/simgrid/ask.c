#include "bench/simgrid/ask.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* SimGrid 3.32.  Ranks share the process and its data (privatization), and the
 * buffers of their results (shared-malloc), and have small stacks.  Latency and
 * bandwidth are the platform's own, not corrected as on the cluster that SMPI
 * was once fitted to.  Only charges take time: the real time of code would
 * differ from run to run, and a test of a message would cost 100 us. */
const char *const ask_flags[ASK_FLAGS] = {
    "--cfg=smpi/privatization:no",
    "--cfg=smpi/shared-malloc:local",
    "--cfg=contexts/factory:raw",
    "--cfg=contexts/stack-size:16",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/async-small-thresh:0",
    "--cfg=smpi/test:0",
    "--cfg=smpi/iprobe:0",
    "--log=root.thres:critical",
};

void ask_keep_complaint(const char *line, char *text, size_t size)
{
    bool wrong =
        strstr(line, "rror") != NULL || strstr(line, "CRITICAL") != NULL;
    if (text[0] == '\0' && wrong)
        snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static void write_quoted(FILE *out, const char *text)
{
    fputs(" '", out);
    for (; *text != '\0'; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    fputc('\'', out);
}

FILE *ask_ranks(const struct simulate *simulate,
                const struct simulate_platform *platform, const char *file,
                int ranks, const char *hosts, const char *question)
{
    char *command = NULL;
    size_t size;
    FILE *out = open_memstream(&command, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "smpirun -np %d -platform", ranks);
    write_quoted(out, file);
    if (hosts[0] != '\0')
        write_quoted(out, hosts);
    for (int i = 0; i < ASK_FLAGS; i++)
        write_quoted(out, ask_flags[i]);
    for (int i = 0; platform->machine != NULL && i < THIS_MACHINE_FLAGS; i++)
        write_quoted(out, platform->machine->flag[i]);
    write_quoted(out, simulate->program);
    fprintf(out, " %s 2>&1", question);
    fclose(out);
    FILE *answer = popen(command, "r");
    free(command);
    return answer;
}

int ask_open(const char *text, size_t length, struct error *err)
{
    int fd = memfd_create("for-smpirun", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
    bool written = file != NULL && fwrite(text, 1, length, file) == length;
    if (file != NULL && fclose(file) == 0 && written)
        return fd;
    int code =
        error_set(err, errno, "a file of the simulation: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return code;
}

void ask_path(int file, char *path, size_t size)
{
    snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), file);
}

void ask_hostfile(int file, char *option, size_t size)
{
    char path[48];
    ask_path(file, path, sizeof(path));
    snprintf(option, size, "--cfg=smpi/hostfile:%s", path);
}
