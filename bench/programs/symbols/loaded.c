/* Finds processes of the program that lack the library, and says why.  Looks at
 * /proc while they run, and at the library's own lines after their end. */
#include "bench/programs/symbols/loaded.h"

#include "base/folder.h"
#include "base/text.h"
#include "bench/options/command.h"
#include "bench/programs/symbols/symbols.h"
#include "dls/omp/omp_counters.h"
#include "harness/engine/engine.h"
#include "harness/process/need.h"
#include "harness/process/process.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- a look at the processes ---- */

static const double FIRST_WAIT_S = 0.05, MORE = 1.5, LAST_WAIT_S = 10;

/* The content of a file of /proc. */
static char *read_whole(pid_t pid, const char *name, size_t *size)
{
    char *path = need_text("/proc/%ld/%s", (long)pid, name), *text;
    FILE *file = fopen(path, "r");
    FILE *to = need_stream(&text, size);
    for (int c; file != NULL && (c = getc_unlocked(file)) != EOF;)
        putc_unlocked(c, to);
    if (file != NULL)
        fclose(file);
    fclose(to);
    free(path);
    return text;
}

static bool has_runtime(const char *maps)
{
    return strstr(maps, "/libgomp.so") != NULL ||
           strstr(maps, "/libomp.so") != NULL ||
           strstr(maps, "/libiomp5.so") != NULL;
}

static bool is_same_link(pid_t pid, const char *name)
{
    char theirs[64], there[PATH_MAX] = "", here[PATH_MAX] = "";
    snprintf(theirs, sizeof(theirs), "/proc/%ld/%s", (long)pid, name);
    char *ours = need_text("/proc/self/%s", name);
    if (readlink(theirs, there, sizeof(there) - 1) < 0 ||
        readlink(ours, here, sizeof(here) - 1) < 0)
        here[0] = there[0] = '\0';
    free(ours);
    return text_is(there, here);
}

/* The value of a process's variable, or NULL. */
static const char *find_variable(const char *all, size_t size, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = all; at < all + size; at += strlen(at) + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

static const char *why_environment(pid_t pid)
{
    size_t size;
    char *all = read_whole(pid, "environ", &size);
    const char *preload = find_variable(all, size, "LD_PRELOAD");
    bool counted = find_variable(all, size, COUNTERS_FOLDER) != NULL;
    bool loads = preload != NULL && strstr(preload, "libdls-omp.so") != NULL;
    free(all);
    return !counted ? "its environment was cleared or replaced; set LD_PRELOAD "
                      "again, or put dlsbench omp there"
           : !loads ? "what began it changed LD_PRELOAD; leave it as it is, or "
                      "put dlsbench omp there"
                    : NULL;
}

static const char *why_lacking(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)pid);
    const char *why = loaded_why_not(path);
    if (why != NULL)
        return why;
    why = why_environment(pid);
    if (why != NULL)
        return why;
    return is_same_link(pid, "root") && is_same_link(pid, "ns/mnt")
               ? "its loader has not taken it"
               : "it has another root or mount namespace, where the library "
                 "is not";
}

struct looking {
    struct loaded *loaded;
    pid_t program, self;
};

bool loaded_belongs(pid_t pid, pid_t program)
{
    struct process process;
    for (int i = 0; i < 1000 && process_read(pid, &process); i++) {
        if (pid == program || process.parent == getpid())
            return true;
        if (pid <= 1 || pid == getpid())
            return false;
        pid = process.parent;
    }
    return false;
}

/* Whether this process has a runtime of OpenMP, but not the library.  One that
 * still has the file of dlsbench has not become its program yet: a later look
 * will see it. */
static bool look_at(pid_t pid, void *arg)
{
    struct looking *looking = arg;
    struct process process;
    size_t size;
    if (pid == looking->self || !loaded_belongs(pid, looking->program) ||
        is_same_link(pid, "exe") || !process_read(pid, &process))
        return false;
    char *maps = read_whole(pid, "maps", &size), exe[64];
    snprintf(exe, sizeof(exe), "/proc/%ld/exe", (long)pid);
    bool lacks = strstr(maps, "libdls-omp.so") == NULL &&
                 (has_runtime(maps) || symbols_defines(exe, "GOMP_parallel") ||
                  symbols_defines(exe, "__kmpc_fork_call"));
    free(maps);
    if (!lacks)
        return false;
    snprintf(looking->loaded->lacking, sizeof(looking->loaded->lacking),
             "%s (process %ld): %s", process.name, (long)pid, why_lacking(pid));
    return true;
}

int loaded_look(struct loaded *loaded, pid_t program)
{
    double now = engine_now();
    struct looking looking = {loaded, program, getpid()};
    if (loaded->wait_s <= 0) {
        loaded->wait_s = FIRST_WAIT_S;
        loaded->next_s = now + FIRST_WAIT_S;
    }
    if (loaded->lacking[0] != '\0')
        return -1;
    if (now >= loaded->next_s) {
        process_find(look_at, &looking);
        loaded->wait_s = fmin(MORE * loaded->wait_s, LAST_WAIT_S);
        loaded->next_s = engine_now() + loaded->wait_s;
    }
    return (int)(1e3 * fmax(loaded->next_s - now, 0)) + 1;
}

void loaded_end(struct loaded *loaded, pid_t program)
{
    struct process process;
    loaded->pid = program;
    if (process_read(program, &process))
        snprintf(loaded->last, sizeof(loaded->last), "%s", process.name);
}

/* ---- records of the library ---- */

enum { RANKS_MAX = 1 << 16, NAMES_ROOM = 200 };

struct written {
    int images;              /* with the library */
    bool runtime;            /* one of OpenMP was there */
    bool has_last;           /* the program's last image has it */
    bool program_ended;      /* the program's process, with the library */
    char names[NAMES_ROOM];  /* of the images */
    char before[32];         /* the last image of the program's process */
    int ranks;               /* 0: no MPI */
    unsigned char *has_rank; /* RANKS_MAX */
};

static void add_name(struct written *written, const char *name)
{
    size_t used = strlen(written->names), length = strlen(name);
    const char *found = strstr(written->names, name);
    if (found != NULL && strchr(", ", found[length]) != NULL &&
        (found == written->names || found[-1] == ' '))
        return;
    if (used + length + 8 >= NAMES_ROOM)
        return;
    snprintf(written->names + used, NAMES_ROOM - used, "%s%s",
             used > 0 ? ", " : "", name);
}

/* A line of a COUNTERS_LOADED file (dls/omp/omp_counters.h): begin or end,
 * process, whether a runtime is there, rank, ranks, and the name of the
 * image. */
static void take_line(struct written *written, const struct loaded *loaded,
                      const char *line)
{
    char what[8], name[32] = "";
    long pid;
    int runtime, rank, ranks;
    if (sscanf(line, "%7s %ld %d %d %d %31[^\n]", what, &pid, &runtime, &rank,
               &ranks, name) < 5)
        return;
    written->runtime = written->runtime || runtime;
    if (rank >= 0 && rank < RANKS_MAX && ranks <= RANKS_MAX) {
        /* A successor image may lack the library: only the end is proof. */
        if (text_is(what, "end"))
            written->has_rank[rank] = 1;
        written->ranks = ranks > written->ranks ? ranks : written->ranks;
    }
    if (text_is(what, "begin")) {
        written->images++;
        add_name(written, name);
    }
    if (pid != (long)loaded->pid)
        return;
    snprintf(written->before, sizeof(written->before), "%s", name);
    written->program_ended = text_is(what, "end");
    written->has_last = text_is(name, loaded->last);
}

static void read_written(struct written *written, const struct loaded *loaded,
                         const char *folder)
{
    struct folder files;
    *written = (struct written){.has_rank = need_zeroed(RANKS_MAX, 1)};
    if (folder_find(folder, "", COUNTERS_LOADED, &files, NULL) != 0)
        return;
    for (int i = 0; i < files.count; i++) {
        char *line = NULL;
        size_t room = 0;
        FILE *file = fopen(files.path[i], "r");
        while (file != NULL && getline(&line, &room, file) > 0)
            take_line(written, loaded, line);
        if (file != NULL)
            fclose(file);
        free(line);
    }
    folder_free(&files);
}

/* ---- in words ---- */

/* Slurm's number is also in the script of a job, which has no step, and in
 * steps of one task. */
const char *loaded_own_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK",
                                        "OMPI_COMM_WORLD_RANK", NULL};
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    for (int i = 0; names[i] != NULL; i++)
        if (getenv(names[i]) != NULL)
            return getenv(names[i]);
    return tasks != NULL && !text_is(tasks, "1") ? getenv("SLURM_PROCID")
                                                 : NULL;
}

/* Below a launcher each rank prints its own report. */
static int say_ranks(const struct written *written)
{
    char text[200] = "";
    int missing = 0;
    for (int i = 0; loaded_own_rank() == NULL && i < written->ranks; i++)
        if (!written->has_rank[i] && ++missing <= 8) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof(text) - used, "%s%d",
                     used > 0 ? ", " : "", i);
        }
    if (missing == 0)
        return 0;
    command_say("omp: not in the report: rank%s %s%s of %d: they ended early, "
                "or the temporary folder or the library is not on their "
                "nodes; TMPDIR can name a folder that all nodes share",
                text_s(missing), text, missing > 8 ? ", ..." : "",
                written->ranks);
    return 1;
}

/* Why the program's last image lacks the library, from its command line. */
static const char *why_last(const struct loaded *loaded, char *const *words)
{
    char path[PATH_MAX];
    struct error ignored;
    for (int i = 0; words[i] != NULL; i++) {
        if (strncmp(path_last(words[i]), loaded->last, 15) != 0 ||
            loaded_find(words[i], path, sizeof(path), &ignored) != 0)
            continue;
        const char *why = loaded_why_not(path);
        if (why != NULL)
            return why;
    }
    return "its environment was cleared or replaced, or it has another root, "
           "where the library is not; put dlsbench omp there";
}

static int say_last(const struct loaded *loaded, const struct written *written,
                    char *const *words)
{
    if (written->images == 0)
        command_say("omp: libdls-omp.so was not loaded into %s: %s", words[0],
                    why_last(loaded, words));
    else
        command_say("omp: libdls-omp.so was loaded into %s, and not into %s, "
                    "which it became: %s",
                    written->before, loaded->last, why_last(loaded, words));
    return 1;
}

int loaded_say(const struct loaded *loaded, const char *folder,
               char *const *words, const int64_t *rank, int seen)
{
    struct written written;
    int said = 0;
    read_written(&written, loaded, folder);
    for (int i = 0; i < seen; i++)
        if (rank[i] >= 0 && rank[i] < RANKS_MAX)
            written.has_rank[rank[i]] = 1;
    bool last =
        loaded->last[0] != '\0' && !written.program_ended && !written.has_last;
    if (loaded->lacking[0] != '\0') {
        command_say("omp: libdls-omp.so was not loaded into %s",
                    loaded->lacking);
        said++;
    } else if (seen == 0 && (last || written.images == 0)) {
        said += say_last(loaded, &written, words);
    } else if (seen == 0 && !written.runtime) {
        command_say("omp: %s: no OpenMP loop was seen, nor a runtime of OpenMP "
                    "in its processes (%s): schedules cannot help them; what "
                    "they begin elsewhere, as by ssh or a batch system, is not "
                    "seen",
                    words[0], written.names);
        said++;
    }
    said += say_ranks(&written);
    free(written.has_rank);
    return said;
}
