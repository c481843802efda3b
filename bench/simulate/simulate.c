#include "bench/simulate/simulate.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/text.h"
#include "bench/start/installed.h"
#include "bench/start/launcher.h"
#include "harness/guard/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The memory of SMPI and DLSBench, measured with 32,768 ranks on one
 * machine. */
static const double RANK_BYTES = 26e3, BASE_BYTES = 100e6;

/* SimGrid 3.32.  Ranks share the process and its data (privatization), and the
 * buffers of their results (shared-malloc), and have small stacks.  Latency and
 * bandwidth are the platform's own, not corrected as on the cluster that SMPI
 * was once fitted to.  Only charges take time: the real time of code would
 * differ from run to run, and a test of a message would cost 100 us. */
static const char *const flags[] = {
    "--cfg=smpi/privatization:no",
    "--cfg=smpi/shared-malloc:local",
    "--cfg=contexts/factory:raw",
    "--cfg=contexts/stack-size:16",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/test:0",
    "--cfg=smpi/iprobe:0",
    "--log=root.thres:critical",
};

/* Stacks are guarded as long as the kernel has maps enough for that. */
enum { GUARDED_RANKS = 8192 };

enum { FLAGS = sizeof(flags) / sizeof(flags[0]), WORDS = FLAGS + 16 };

/* ---- the program and the platform ---- */

static int find_program(struct simulate *simulate, struct error *err)
{
    char self[PATH_MAX - 8];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length < 0)
        return error_set(err, errno, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    snprintf(simulate->program, sizeof(simulate->program), "%s-sim", self);
    if (access(simulate->program, R_OK) != 0)
        return error_set(err, ENOENT, "%s is not there: build it with make sim",
                         simulate->program);
    if (!launcher_can_start("smpirun"))
        return error_set(err, ENOENT,
                         "smpirun is not found: install SimGrid (Debian: "
                         "libsimgrid-dev)");
    return 0;
}

static void add_host(struct simulate_platform *platform, const char *line)
{
    struct simulate_host host;
    if (sscanf(line, "@host %127s %d %lf", host.name, &host.cores,
               &host.speed) != 3)
        return;
    need_room(&platform->hosts, &platform->room, platform->count + 1,
              sizeof(*platform->hosts));
    platform->hosts[platform->count++] = host;
    platform->cores += host.cores;
}

/* The first line that reports an error of the platform. */
static void keep_complaint(const char *line, char *text, size_t size)
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

/* The ranks print the answer.  hosts: a file, "": SimGrid's first host. */
static FILE *ask_ranks(const struct simulate *simulate,
                       const struct simulate_platform *platform, int ranks,
                       const char *hosts, const char *question)
{
    char *command = NULL;
    size_t size;
    FILE *out = open_memstream(&command, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "smpirun -np %d -platform", ranks);
    write_quoted(out, platform->file);
    if (hosts[0] != '\0')
        fprintf(out, " -hostfile %s", hosts);
    for (int i = 0; i < FLAGS; i++)
        write_quoted(out, flags[i]);
    for (int i = 0; platform->machine != NULL && i < THIS_MACHINE_FLAGS; i++)
        write_quoted(out, platform->machine->flag[i]);
    write_quoted(out, simulate->program);
    fprintf(out, " %s 2>&1", question);
    fclose(out);
    FILE *answer = popen(command, "r");
    free(command);
    return answer;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct simulate_host *x = a, *y = b;
    return strverscmp(x->name, y->name);
}

static int read_hosts(const struct simulate *simulate,
                      struct simulate_platform *platform, struct error *err)
{
    char complaint[400] = "", *line = NULL;
    size_t room = 0;
    const char *why;
    if (!file_is_readable(platform->file, &why))
        return error_set(err, ENOENT, "platform: %s: %s", platform->file, why);
    FILE *answer = ask_ranks(simulate, platform, 1, "", "--hosts");
    if (answer == NULL)
        return error_set(err, errno, "cannot start smpirun: %s",
                         strerror(errno));
    while (getline(&line, &room, answer) > 0) {
        keep_complaint(line, complaint, sizeof(complaint));
        add_host(platform, line);
    }
    free(line);
    pclose(answer);
    /* SimGrid sorts by name; machines of a cluster are numbered. */
    qsort(platform->hosts, (size_t)platform->count, sizeof(*platform->hosts),
          compare_hosts);
    if (platform->count > 0)
        return 0;
    return error_set(err, EINVAL, "platform: %s: SimGrid finds no hosts%s%s",
                     platform->file, complaint[0] ? ": " : "", complaint);
}

const struct simulate_platform *simulate_find(const struct simulate *simulate,
                                              const char *path)
{
    for (int i = 0; i < simulate->count; i++)
        if (strcmp(simulate->platforms[i].path, path) == 0)
            return &simulate->platforms[i];
    return NULL;
}

static int make_machine(const struct simulate *simulate,
                        struct simulate_platform *platform, long workers,
                        struct error *err)
{
    platform->machine = need_zeroed(1, sizeof(*platform->machine));
    bool cluster = strcmp(platform->path, this_cluster_name) == 0;
    int code = cluster ? this_cluster_open(platform->machine,
                                           simulate->calibration, workers, err)
                       : this_machine_open(platform->machine,
                                           simulate->calibration, err);
    platform->file = platform->machine->platform;
    return code;
}

/* Room for all was made: nothing moves. */
static int add_platform(struct simulate *simulate, const char *path,
                        long workers, struct error *err)
{
    if (simulate_find(simulate, path) != NULL)
        return 0;
    struct simulate_platform *platform =
        &simulate->platforms[simulate->count++];
    int code = 0;
    snprintf(platform->path, sizeof(platform->path), "%s", path);
    platform->file = platform->path;
    if (path[0] != '/' && access(path, F_OK) != 0 &&
        installed_find(path, platform->installed,
                       sizeof(platform->installed)) == 0)
        platform->file = platform->installed;
    if (this_machine_is(path))
        code = make_machine(simulate, platform, workers, err);
    return code == 0 ? read_hosts(simulate, platform, err) : code;
}

int simulate_open(struct simulate *simulate, const struct cell *cells,
                  int count, struct error *err)
{
    int code = find_program(simulate, err);
    long most = 1;
    for (int i = 0; i < count; i++) {
        long cores = (long)cells[i].ranks * cells[i].threads;
        most = cores > most ? cores : most;
    }
    simulate->platforms =
        need_zeroed((size_t)count, sizeof(*simulate->platforms));
    for (int i = 0; code == 0 && i < count; i++)
        code = add_platform(simulate, cells[i].platform, most, err);
    return code;
}

void simulate_close(struct simulate *simulate)
{
    for (int i = 0; i < simulate->count; i++) {
        free(simulate->platforms[i].hosts);
        free(simulate->platforms[i].machine);
    }
    free(simulate->platforms);
    *simulate = (struct simulate){.count = 0};
}

int simulate_store(const struct simulate *simulate, const char *dir,
                   struct error *err)
{
    int code = 0;
    for (int i = 0; code == 0 && i < simulate->count; i++)
        if (simulate->platforms[i].machine != NULL)
            code = this_machine_store(simulate->platforms[i].machine, dir, err);
    return code;
}

/* The cell's own values go before measured ones. */
void simulate_fill(const struct simulate_platform *platform,
                   const struct cell *cell, struct plan_simulation *simulation)
{
    struct cell usual;
    cell_defaults(&usual);
    plan_simulation_fill(simulation, cell);
    if (platform->machine == NULL)
        return;
    this_machine_fill(platform->machine, cell->ranks, simulation);
    if (cell->request_cost != usual.request_cost)
        simulation->request_s = cell->request_cost;
}

/* ---- what fits ---- */

/* Ranks that the platform has room for: a host's are whole. */
static long room_for(const struct simulate_platform *platform, int threads)
{
    long ranks = 0;
    for (int i = 0; i < platform->count; i++)
        ranks += platform->hosts[i].cores / threads;
    return ranks;
}

int simulate_check(const struct simulate_platform *platform, int ranks,
                   int threads, struct error *err)
{
    long room = room_for(platform, threads);
    double available = memory_available();
    double needed = BASE_BYTES + RANK_BYTES * ranks * threads;
    if (room < ranks)
        return error_set(err, EBUSY,
                         "%s has room for %ld ranks of %d thread%s (%d hosts, "
                         "%ld cores), %d are needed",
                         platform->path, room, threads, threads == 1 ? "" : "s",
                         platform->count, platform->cores, ranks);
    if (available >= 0 && needed > available)
        return error_set(err, ENOMEM,
                         "%ld simulated cores need about %.2f GB of memory, "
                         "%.2f GB are available",
                         (long)ranks * threads, needed / 1e9, available / 1e9);
    return 0;
}

/* ---- the command ---- */

int simulate_hosts(const struct simulate_platform *platform, int ranks,
                   int threads, struct error *err)
{
    int fd = memfd_create("hosts", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
    for (int i = 0, left = ranks;
         file != NULL && i < platform->count && left > 0; i++) {
        const struct simulate_host *host = &platform->hosts[i];
        for (int r = host->cores / threads; r > 0 && left > 0; r--, left--)
            for (int t = 0; t < threads; t++)
                fprintf(file, "%s\n", host->name);
    }
    if (file != NULL && fclose(file) == 0)
        return fd;
    int code =
        error_set(err, errno, "hosts of the simulation: %s", strerror(errno));
    close(fd);
    return code;
}

static void hosts_path(int hosts, char *path, size_t size)
{
    snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), hosts);
}

/* Of ranks of SMPI, which threads are, too: between the last of a rank and the
 * first of the next.  Returns how many pairs there are, at most `most`. */
static int read_messages(FILE *answer, int threads, int most, double *start,
                         double *byte, char *complaint, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    int count = 0, rank;
    while (getline(&line, &room, answer) > 0) {
        double seconds[2];
        keep_complaint(line, complaint, size);
        if (count == most || sscanf(line, "@message %d %lf %lf", &rank,
                                    &seconds[0], &seconds[1]) != 3)
            continue;
        if ((rank + 1) % threads != 0)
            continue;
        start[count] = seconds[0];
        byte[count++] = seconds[1];
    }
    free(line);
    return count;
}

int simulate_messages(const struct simulate *simulate,
                      const struct simulate_platform *platform, int ranks,
                      int threads, double *start_s, double *byte_s,
                      struct error *err)
{
    char path[64], complaint[400] = "";
    *start_s = *byte_s = 0;
    if (ranks == 1)
        return 0;
    int count = 0, hosts = simulate_hosts(platform, ranks, threads, err);
    if (hosts < 0)
        return hosts;
    double *start = need_zeroed(2 * (size_t)ranks, sizeof(*start));
    hosts_path(hosts, path, sizeof(path));
    FILE *answer =
        ask_ranks(simulate, platform, ranks * threads, path, "--messages");
    if (answer != NULL) {
        count = read_messages(answer, threads, ranks - 1, start, start + ranks,
                              complaint, sizeof(complaint));
        pclose(answer);
    }
    close(hosts);
    *start_s = stats_middle(start, count);
    *byte_s = stats_middle(start + ranks, count);
    free(start);
    return count == ranks - 1
               ? 0
               : error_set(err, EINVAL,
                           "platform: %s: SimGrid sends no messages between "
                           "its ranks%s%s",
                           platform->path, complaint[0] ? ": " : "", complaint);
}

char **simulate_argv(const struct simulate *simulate,
                     const struct simulate_platform *platform, long ranks,
                     const char *plan, int hosts, struct error *err)
{
    char number[32], file[64], word[3 * PATH_MAX];
    /* Quiet: it would repeat its command after a failure, and leave files. */
    const char *words[WORDS] = {"smpirun",   "-quiet",    "-np",
                                number,      "-platform", platform->file,
                                "-hostfile", file};
    int n = 8;
    snprintf(number, sizeof(number), "%ld", ranks);
    hosts_path(hosts, file, sizeof(file));
    for (int i = 0; i < FLAGS; i++)
        words[n++] = flags[i];
    for (int i = 0; platform->machine != NULL && i < THIS_MACHINE_FLAGS; i++)
        words[n++] = platform->machine->flag[i];
    words[n++] = ranks <= GUARDED_RANKS ? "--cfg=contexts/guard-size:1"
                                        : "--cfg=contexts/guard-size:0";
    words[n++] = simulate->program;
    words[n++] = word;
    if (!text_to_word(word, sizeof(word), plan)) {
        error_set(err, ENAMETOOLONG, "%s: the path is too long", plan);
        return NULL;
    }
    char **argv = need_zeroed(WORDS + 1, sizeof(*argv));
    for (int i = 0; words[i] != NULL; i++)
        argv[i] = need_copy(words[i]);
    return argv;
}
