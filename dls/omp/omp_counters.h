/* The counts of the preload library, in a file that it maps.  The file is
 * complete up to the last visit of a loop, however the program ends.  The
 * library writes it and `dlsbench omp` reads it; both come from one build.
 *
 * Times are engine_ticks.  The clocks at the beginning and the reader's own
 * give the seconds of a tick. */
#ifndef DLS_OMP_OMP_COUNTERS_H
#define DLS_OMP_OMP_COUNTERS_H

#include "base/system/allowed.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The folder of the files; without it nothing is counted. */
#define COUNTERS_FOLDER "DLS_OMP_COUNTERS"
/* The loops that get another scheme: runtime (loops with schedule(runtime)),
 * dynamic (also dynamic and guided ones), static (also static ones, if that is
 * safe) or checked (also if only the program's answer can tell). */
#define COUNTERS_LOOPS "DLS_OMP_LOOPS"
/* "STAMP FOLDER": where the tables of static loops are.  The file of a module,
 * BUILDID.regions, begins with "STAMP SIZE SECONDS NANOSECONDS", the last three
 * of its file; then there is a line for each function that is a region:
 * "CLASS WORD FUNCTION RETURN..." (as in struct reader_region, with addresses
 * in the file). */
#define COUNTERS_TABLES "DLS_OMP_TABLES"
#define COUNTERS_TABLE ".regions"
/* The socket of `dlsbench omp`, which knows what is at an address. */
#define COUNTERS_LOOKUP "DLS_OMP_LOOKUP"

/* Not empty: the costs of iterations are also recorded in the folder. */
#define COUNTERS_RECORD "DLS_OMP_RECORD"

/* The address of a socket at this path, which may be longer than an address: it
 * goes through a descriptor of the folder, which is returned, to be closed
 * after the call that needs the address; -1: there is no folder. */
static inline int counters_socket(const char *path, struct sockaddr_un *address)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    errno = ENAMETOOLONG;
    if (slash == NULL || slash - path >= (int)sizeof(folder))
        return -1;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(address->sun_path, sizeof(address->sun_path),
             "/proc/self/fd/%d%.60s", at, slash);
    return at;
}

/* Its name for those who do not see the folder, by the folder's; returns the
 * length of the address. */
static inline socklen_t counters_socket_name(const char *path,
                                             struct sockaddr_un *address)
{
    const char *end = strrchr(path, '/'), *begin = end != NULL ? end : path;
    while (begin > path && begin[-1] != '/')
        begin--;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
                          "%.*s", end != NULL ? (int)(end - begin) : 0, begin);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                       (size_t)length);
}

#define COUNTERS_SUFFIX ".loops"
/* The files, one for each host, that name the processes with the library:
 *
 *     begin PID RUNTIME RANK RANKS NAME
 *     end PID RUNTIME RANK RANKS NAME
 *
 * RUNTIME 1: a runtime of OpenMP is also loaded; RANK and RANKS: of MPI, -1:
 * none. */
#define COUNTERS_LOADED ".loaded"
/* The variables that launchers of MPI say it by, NULL ends them. */
#define COUNTERS_RANKS                                                         \
    {                                                                          \
        "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", NULL  \
    }
#define COUNTERS_SIZES                                                         \
    {                                                                          \
        "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", NULL       \
    }
#define COUNTERS_MAGIC "dlsomp2"

enum {
    COUNTERS_SITES = 1024,
    COUNTERS_MODULES = 256,
    COUNTERS_NAME_MAX = 240,
    COUNTERS_ID_SIZE = 17, /* 16 digits and the end */
};

/* The clause that a loop was compiled with. */
enum counters_clause {
    CLAUSE_REGION, /* a parallel region, which may have loops */
    CLAUSE_RUNTIME,
    CLAUSE_DYNAMIC,
    CLAUSE_GUIDED,
    CLAUSE_STATIC,
    CLAUSE_AUTO,
    CLAUSE_DOACROSS,
    CLAUSE_OTHER, /* with reduction(task), inscan or lastprivate(conditional) */
    CLAUSE_BLOCKS, /* static, in the program itself, which is cut in blocks */
    CLAUSE_PART,   /* of a region, from a barrier (or its begin) to the next */
    CLAUSE_LOCK, /* a call that waits for others: a lock, a critical section */
    CLAUSE_CALL, /* another call of the runtime */
};

static inline bool counters_is_loop(uint32_t clause)
{
    return clause >= CLAUSE_RUNTIME && clause <= CLAUSE_BLOCKS;
}

/* What threads met in a part of a region. */
enum counters_kind {
    KIND_LOOP = 1,   /* with a separate site */
    KIND_STATIC = 2, /* known of LLVM's compilers only */
    KIND_SECTIONS = 4,
    KIND_TASKS = 8,
    KIND_TASKLOOP = 16,
    KIND_SINGLE = 32,
    KIND_MASTER = 64, /* known of LLVM's compilers only */
    KIND_CRITICAL = 128,
    KIND_LOCK = 256,
    KIND_ORDERED = 512,
};

/* Bits beside the clause. */
enum {
    COUNTERS_MONOTONIC = 1,
    COUNTERS_ORDERED = 2,
    COUNTERS_COMBINED = 4, /* the address is that of the loop's function */
};

/* An address as the module's file has it. */
struct counters_address {
    int32_t module; /* -1: not known */
    int32_t rest;
    uint64_t offset;
};

/* Calls for locks and critical sections, and how long threads waited in them,
 * by a sample. */
struct counters_locks {
    int64_t calls;
    double ticks;
};

/* Sections, or tasks. */
struct counters_units {
    int64_t count;
    double ticks, longest;
};

/* The times of all threads. */
struct counters_threads {
    double here, busy;    /* ticks from the first's begin to the last's end;
                             what they computed of it */
    double watched, lost; /* seconds that were compared with the processor's
                             time; of these, others had the core */
};

/* A sample of chunks, and of the requests for them, in ticks.  A loop begins
 * with all of its chunks timed and continues with few: sums are weighted. */
struct counters_sample {
    double chunk_ticks, chunk_squares, chunk_weight, chunk_max;
    double ask_ticks, ask_weight;
    int64_t chunks; /* that were timed */
};

/* Visits begun and visits ended; since when any is open (ticks). */
struct counters_open {
    _Atomic int64_t begun, over;
    uint64_t since;
};

struct counters_site {
    _Atomic uint32_t ready; /* made in this process, not before a fork */
    uint32_t clause, flags;
    _Atomic uint32_t kinds;
    int32_t region; /* index of the region's site, -1: none was seen */
    struct counters_address at;
    /* The code that began a region.  Of a part: the barrier at its begin;
     * module -1: it is the region's first part. */
    struct counters_address caller;
    int64_t chunk; /* of the clause, 0: none */
    /* As LLVM's compilers have it: ";file;function;line;column;;"; or empty. */
    char source[COUNTERS_NAME_MAX];
    /* The scheme that ran its chunks (empty: the runtime), and why.  Of a
     * region: the class and word why its static loop stays unchanged. */
    char scheme[COUNTERS_NAME_MAX], note[COUNTERS_NAME_MAX];

    struct counters_open open;
    /* Grow when the last thread leaves a visit. */
    int64_t visits, iterations, chunks;
    int32_t threads_min, threads_max;
    double wall;  /* from the first thread's arrival to the last chunk's end */
    double saved; /* of it, with perfect balance from the threads' arrivals */
    double outermost; /* of a region: when it was inside of no other */
    struct counters_sample sample;
    struct counters_locks locks;
    struct counters_units units;
    struct counters_threads threads;
};

/* The parts of such a text; false: it says nothing. */
static inline bool counters_source(const char *source, char file[256],
                                   char function[256], int *line)
{
    return sscanf(source, ";%255[^;];%255[^;];%d;", file, function, line) ==
               3 &&
           *line > 0;
}

/* A visit in a file of costs: this, then the ticks of each iteration. */
struct counters_costs {
    int64_t iterations, threads;
};

/* The recorded visits of a loop in a process: the first one, and further visits
 * up to this sum of iterations. */
enum { COUNTERS_VISITS_MAX = 100, COUNTERS_COSTS_MAX = 1 << 23 };

/* The file of a loop's costs in the folder. */
static inline void counters_name_costs(const char *host, int64_t pid,
                                       int64_t site, char name[128])
{
    snprintf(name, 128, "%.63s-%lld-%lld.costs", host, (long long)pid,
             (long long)site);
}

struct counters_module {
    char path[COUNTERS_NAME_MAX];
    char build_id[COUNTERS_ID_SIZE]; /* its first digits; empty: it has none */
    uint64_t base;
};

/* The name of a loop that holds for one build of its module alone, and without
 * debugging information: "solver:3f2a90c1d4e5b677+0x12ab".  Empty: there is
 * none. */
static inline void counters_name_build(const char *path, const char *build_id,
                                       uint64_t offset,
                                       char text[COUNTERS_NAME_MAX])
{
    text[0] = '\0';
    if (build_id[0] != '\0')
        snprintf(text, COUNTERS_NAME_MAX, "%.180s:%s+0x%llx", path_last(path),
                 build_id, (unsigned long long)offset);
}

/* Not empty: the time of threads in regions is also counted over time. */
#define COUNTERS_STRIPS "DLS_OMP_STRIPS"

/* A time line from the begin of the process: ticks that each thread was in
 * outermost regions, and computed in them.  When the bins are used up, they
 * become twice as wide. */
enum { STRIPS_THREADS = 64, STRIPS_BINS = 256 };
struct counters_strips {
    uint64_t width; /* of a bin; 0: nothing was counted */
    int64_t threads;
    float row[2 * STRIPS_THREADS][STRIPS_BINS]; /* inside, computed */
};

/* Where its threads may run. */
struct counters_cores {
    struct allowed allowed;     /* the process, at its first region */
    struct allowed_set threads; /* any of the `seen` threads, at their first */
    _Atomic int32_t seen;
    char asked[16];   /* OMP_NUM_THREADS; empty: it is not set */
    char binding[24]; /* the variable that binds threads; empty: none does */
};

struct counters {
    char magic[8];
    int64_t size; /* of this struct */
    int64_t pid, parent;
    int64_t rank; /* of MPI, -1: none */
    char host[64];
    char command[COUNTERS_NAME_MAX];
    int64_t word;        /* length of its first word, which may have blanks */
    uint64_t ticks;      /* at the beginning of the process */
    double began_s;      /* the same on the clock that never goes back */
    uint64_t last_ticks; /* the process's regular end, 0: there was none */
    struct counters_cores cores;
    uint64_t replaced_ticks; /* when it became another program, 0: never */
    char runtime[64]; /* file of the first OpenMP runtime that was used */
    _Atomic int32_t sites, modules;
    _Atomic int64_t lost; /* sites that there was no room for */
    struct counters_module module[COUNTERS_MODULES];
    struct counters_site site[COUNTERS_SITES];
    _Atomic uint32_t strips_held; /* a lock */
    struct counters_strips strips;
};

#endif
