#include "bench/simgrid/simulate.h"

#include "base/system/memory.h"
#include "base/text.h"
#include "bench/launching/installed.h"
#include "bench/launching/launcher.h"
#include "bench/simgrid/ask.h"
#include "bench/simgrid/hosts.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The memory of SMPI and DLSBench, measured with 32,768 ranks on one
 * machine. */
static const double RANK_BYTES = 26e3, BASE_BYTES = 100e6;

/* Stacks are guarded as long as the kernel has maps enough for that. */
enum { GUARDED_RANKS = 8192 };

enum { WORDS = ASK_FLAGS + 20 };

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
        return error_set(err, ENOENT,
                         "%s is not there: build it with make sim, "
                         "after apt-get install libsimgrid-dev",
                         simulate->program);
    if (!launcher_can_start("smpirun"))
        return error_set(err, ENOENT,
                         "smpirun is not found: install SimGrid (Debian: "
                         "libsimgrid-dev)");
    return 0;
}

/* Loads what spares SMPI work (harness/engine/sim/smpi.c); without it a
 * launch takes longer and does the same.  smpirun splits its words at blanks
 * and takes them for patterns, and the loader knows other signs. */
static void find_preload(struct simulate *simulate)
{
    const char *before = getenv("LD_PRELOAD"), *name = "dlsbench-sim-smpi.so";
    char *path = simulate->preload;
    if ((before != NULL && before[0] != '\0') ||
        installed_library(name, path, sizeof(simulate->preload)) != 0 ||
        strpbrk(path, " \t\n:$*?[\\") != NULL)
        path[0] = '\0';
}

/* The environment of the simulation.  Malloc uses large pages and keeps freed
 * memory: SimGrid allocates for each message, and SMPI for each rank.  The
 * user's settings for malloc stay. */
static void write_wrapper(const struct simulate *simulate, size_t size,
                          char wrapper[size])
{
    static const char tunables[] =
        " GLIBC_TUNABLES=glibc.malloc.hugetlb=1:"
        "glibc.malloc.tcache_count=60000:glibc.malloc.mmap_threshold=33554432:"
        "glibc.malloc.trim_threshold=4000000000";
    bool loads = simulate->preload[0] != '\0';
    snprintf(wrapper, size, "env%s%s%s", loads ? " LD_PRELOAD=" : "",
             simulate->preload,
             getenv("GLIBC_TUNABLES") == NULL ? tunables : "");
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

/* The list has room for all, so nothing moves. */
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
    return code == 0 ? hosts_read(simulate, platform, err) : code;
}

int simulate_open(struct simulate *simulate, const struct cell *cells,
                  int count, struct error *err)
{
    int code = find_program(simulate, err);
    long most = 1;
    find_preload(simulate);
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
        hosts_free(&simulate->platforms[i]);
        free(simulate->platforms[i].machine);
        fat_tree_free(&simulate->platforms[i].tree);
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

/* The cell's own values have precedence over measured ones. */
void simulate_fill(const struct simulate_platform *platform,
                   const struct cell *cell,
                   struct worklist_simulation *simulation)
{
    struct cell usual;
    cell_defaults(&usual, NULL);
    worklist_simulation_fill(simulation, cell);
    if (platform->machine == NULL)
        return;
    this_machine_fill(platform->machine, cell->ranks, simulation);
    if (cell->request_cost != usual.request_cost)
        simulation->request_s = cell->request_cost;
}

/* ---- what fits ---- */

int simulate_check_room(const struct simulate_platform *platform, int ranks,
                        int threads, struct error *err)
{
    long room = 0; /* for ranks: a rank is never split over hosts */
    for (int i = 0; i < platform->count; i++)
        room += platform->hosts[i].cores / threads;
    if (room >= ranks)
        return 0;
    return error_set(err, EBUSY,
                     "room for %ld ranks of %d thread%s, %d are needed: %s has "
                     "%d hosts, %ld cores",
                     room, threads, text_s(threads), ranks, platform->path,
                     platform->count, platform->cores);
}

int simulate_check(const struct simulate_platform *platform, int ranks,
                   int threads, struct error *err)
{
    double available = memory_available();
    double needed = BASE_BYTES + RANK_BYTES * ranks * threads;
    int code = simulate_check_room(platform, ranks, threads, err);
    if (code == 0 && available >= 0 && needed > available)
        code = error_set(err, ENOMEM,
                         "%ld simulated cores need about %.2f GB of memory, "
                         "%.2f GB are available",
                         (long)ranks * threads, needed / 1e9, available / 1e9);
    return code;
}

/* ---- the command ---- */

/* Writes the hosts of the ranks, a line each, and returns how many hosts, from
 * the first on, hold them. */
static int write_hosts(FILE *file, const struct simulate_platform *platform,
                       int ranks, int threads)
{
    int used = 0;
    for (int i = 0, left = ranks; i < platform->count && left > 0; i++) {
        const struct simulate_host *host = &platform->hosts[i];
        used = i + 1;
        for (int r = host->cores / threads; r > 0 && left > 0; r--, left--)
            for (int t = 0; t < threads; t++)
                fprintf(file, "%s\n", host->name);
    }
    return used;
}

/* The platform without hosts that no rank is on; -1: it has none, or cannot be
 * cut. */
static int open_cut(const struct fat_tree *tree, int used, int *file,
                    struct error *err)
{
    int hosts = tree->text != NULL ? fat_tree_fit(tree, used) : 0;
    *file = -1;
    if (hosts == tree->hosts)
        return 0;
    char *text = fat_tree_cut(tree, hosts);
    *file = ask_open(text, strlen(text), err);
    free(text);
    return *file < 0 ? *file : 0;
}

int simulate_files_make(struct simulate_files *files,
                        const struct simulate_platform *platform,
                        const char *hosts, int used, struct error *err)
{
    files->platform = -1;
    files->hosts = ask_open(hosts, strlen(hosts), err);
    int code = files->hosts < 0 ? files->hosts : 0;
    if (code == 0)
        code = open_cut(&platform->tree, used, &files->platform, err);
    if (code != 0)
        simulate_files_close(files);
    return code;
}

int simulate_files_open(struct simulate_files *files,
                        const struct simulate_platform *platform, int ranks,
                        int threads, struct error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    int used = write_hosts(out, platform, ranks, threads);
    fclose(out);
    int code = simulate_files_make(files, platform, text, used, err);
    free(text);
    return code;
}

void simulate_files_close(struct simulate_files *files)
{
    if (files->hosts >= 0)
        close(files->hosts);
    if (files->platform >= 0)
        close(files->platform);
    files->hosts = files->platform = -1;
}

void simulate_platform_path(const struct simulate_platform *platform,
                            const struct simulate_files *files,
                            char path[PATH_MAX])
{
    if (files->platform >= 0)
        ask_path(files->platform, path, PATH_MAX);
    else
        snprintf(path, PATH_MAX, "%s", platform->file);
}

char **simulate_argv(const struct simulate *simulate,
                     const struct simulate_platform *platform, long ranks,
                     const char *work, const struct simulate_files *files,
                     struct error *err)
{
    char number[32], hosts[64], file[PATH_MAX], word[3 * PATH_MAX];
    char wrapper[sizeof(simulate->preload) + 256];
    /* Quiet: otherwise it repeats its command after a failure, and leaves
     * files. */
    const char *words[WORDS] = {"smpirun",   "-quiet", "-np", number,
                                "-platform", file,     hosts};
    int n = 7;
    snprintf(number, sizeof(number), "%ld", ranks);
    ask_hostfile(files->hosts, hosts, sizeof(hosts));
    simulate_platform_path(platform, files, file);
    for (int i = 0; i < ASK_FLAGS; i++)
        words[n++] = ask_flags[i];
    for (int i = 0; platform->machine != NULL && i < THIS_MACHINE_FLAGS; i++)
        words[n++] = platform->machine->flag[i];
    words[n++] = ranks <= GUARDED_RANKS ? "--cfg=contexts/guard-size:1"
                                        : "--cfg=contexts/guard-size:0";
    write_wrapper(simulate, sizeof(wrapper), wrapper);
    words[n++] = "-wrapper";
    words[n++] = wrapper;
    words[n++] = simulate->program;
    words[n++] = word;
    if (!text_to_word(word, sizeof(word), work)) {
        error_set(err, ENAMETOOLONG, "%s: the path is too long", work);
        return NULL;
    }
    char **argv = need_zeroed(WORDS + 1, sizeof(*argv));
    for (int i = 0; words[i] != NULL; i++)
        argv[i] = need_copy(words[i]);
    return argv;
}
