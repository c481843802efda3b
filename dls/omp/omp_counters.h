/* The counts of the preload library, in a mapped file.  The file is complete up
 * to the last visit of a loop, however the program ends.  The library writes it
 * and `dlsbench omp` reads it; both come from one build.
 *
 * Times are engine_ticks.  The reader computes the seconds of a tick from the
 * clocks at the beginning and its own. */
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
/* The loops that may get another scheme: runtime (schedule(runtime)), dynamic
 * (also dynamic and guided ones), static (also safe static ones) or checked
 * (also if only a check of the program's answer can prove it safe). */
#define COUNTERS_LOOPS "DLS_OMP_LOOPS"
/* "STAMP FOLDER": the folder with the tables of static loops.  The file of a
 * module, BUILDID.regions, begins with "STAMP SIZE SECONDS NANOSECONDS", the
 * size and time of the module's file.  Each function that is a region then has
 * a line "CLASS WORD FUNCTION RETURN..." (see struct reader_region; addresses
 * are those in the file). */
#define COUNTERS_TABLES "DLS_OMP_TABLES"
#define COUNTERS_TABLE ".regions"
/* The socket of `dlsbench omp`, which answers what code is at an address. */
#define COUNTERS_LOOKUP "DLS_OMP_LOOKUP"

/* Not empty: the costs of iterations are also recorded in the folder. */
#define COUNTERS_RECORD "DLS_OMP_RECORD"

/* Fills in the address of a socket at this path, which may be too long for an
 * address.  The address leads through a descriptor of the folder: close the
 * returned one after the call. -1: the folder cannot be opened. */
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

/* The abstract address of the socket, derived from the folder's name, for
 * processes that do not see the folder.  Returns the address's length. */
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
 * RUNTIME 1: an OpenMP runtime is also loaded.  RANK and RANKS are MPI's, -1:
 * without MPI. */
#define COUNTERS_LOADED ".loaded"
/* The variables in which MPI's launchers pass the rank; NULL ends the list. */
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
    CLAUSE_BLOCKS, /* static, compiled into the program, and cut in blocks */
    CLAUSE_PART,   /* of a region, between two barriers */
    CLAUSE_LOCK, /* a call that waits for others: a lock, a critical section */
    CLAUSE_CALL, /* another call of the runtime */
};

static inline bool counters_is_loop(uint32_t clause)
{
    return clause >= CLAUSE_RUNTIME && clause <= CLAUSE_BLOCKS;
}

/* Constructs that threads met in a part of a region. */
enum counters_kind {
    KIND_LOOP = 1,   /* with a separate site */
    KIND_STATIC = 2, /* only seen with LLVM's compilers */
    KIND_SECTIONS = 4,
    KIND_TASKS = 8,
    KIND_TASKLOOP = 16,
    KIND_SINGLE = 32,
    KIND_MASTER = 64, /* only seen with LLVM's compilers */
    KIND_CRITICAL = 128,
    KIND_LOCK = 256,
    KIND_ORDERED = 512,
};

/* Flags in addition to the clause. */
enum {
    COUNTERS_MONOTONIC = 1,
    COUNTERS_ORDERED = 2,
    COUNTERS_COMBINED = 4, /* the address is that of the loop's function */
};

/* An address, as an offset in its module's file. */
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

/* Sums over all threads. */
struct counters_threads {
    double here, busy;    /* ticks from the first thread's begin to the last
                             one's end; computing time in them */
    double watched, lost; /* seconds compared with the processor time; lost of
                             them to other programs */
};

/* Sampled times of chunks and of requests for them, in ticks.  A loop begins
 * with all of its chunks timed and continues with few: sums are weighted. */
struct counters_sample {
    double chunk_ticks, chunk_squares, chunk_weight, chunk_max;
    double ask_ticks, ask_weight;
    int64_t chunks; /* timed ones */
};

/* Visits begun and ended; since when one is open (ticks). */
struct counters_open {
    _Atomic int64_t begun, over;
    uint64_t since;
};

struct counters_site {
    _Atomic uint32_t ready; /* made in this process, not before a fork */
    uint32_t clause, flags;
    _Atomic uint32_t kinds;
    int32_t region; /* index of the region's site, -1: none */
    struct counters_address at;
    /* The code that began a region.  For a part: the barrier at its begin;
     * module -1: it is the region's first part. */
    struct counters_address caller;
    int64_t chunk; /* of the clause, 0: none */
    /* From LLVM's compilers: ";file;function;line;column;;"; or empty. */
    char source[COUNTERS_NAME_MAX];
    /* The scheme that ran its chunks (empty: the runtime's), and why.  For a
     * region: why its static loop is not cut. */
    char scheme[COUNTERS_NAME_MAX], note[COUNTERS_NAME_MAX];

    struct counters_open open;
    /* Updated when the last thread leaves a visit. */
    int64_t visits, iterations, chunks;
    int32_t threads_min, threads_max;
    double wall;  /* from the first thread's arrival to the last chunk's end */
    double saved; /* less wall time with perfect balance */
    double outermost; /* of a region: time while it was not nested */
    struct counters_sample sample;
    struct counters_locks locks;
    struct counters_units units;
    struct counters_threads threads;
};

/* Parses such a source text.  False: it names no file, function and line. */
static inline bool counters_source(const char *source, char file[256],
                                   char function[256], int *line)
{
    return sscanf(source, ";%255[^;];%255[^;];%d;", file, function, line) ==
               3 &&
           *line > 0;
}

/* A visit in a file of costs; the ticks of each iteration follow. */
struct counters_costs {
    int64_t iterations, threads;
};

/* Limits of the recorded visits of a loop in a process: their number, and the
 * sum of iterations after the first visit. */
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
    char build_id[COUNTERS_ID_SIZE]; /* the first digits; empty: it has none */
    uint64_t base;
};

/* The name of a loop in one build of its module, without debugging information:
 * "solver:3f2a90c1d4e5b677+0x12ab".  Empty: the module has no build ID. */
static inline void counters_name_build(const char *path, const char *build_id,
                                       uint64_t offset,
                                       char text[COUNTERS_NAME_MAX])
{
    text[0] = '\0';
    if (build_id[0] != '\0')
        snprintf(text, COUNTERS_NAME_MAX, "%.180s:%s+0x%llx", path_last(path),
                 build_id, (unsigned long long)offset);
}

/* Not empty: also record a time line of the threads in regions. */
#define COUNTERS_STRIPS "DLS_OMP_STRIPS"

/* A time line from the begin of the process: ticks that each thread spent in
 * outermost regions, and computing in them.  When the bins are used up, they
 * become twice as wide. */
enum { STRIPS_THREADS = 64, STRIPS_BINS = 256 };
struct counters_strips {
    uint64_t width; /* of a bin; 0: nothing recorded */
    int64_t threads;
    float row[2 * STRIPS_THREADS][STRIPS_BINS]; /* inside, computing */
};

/* The cores that the process and its threads may use. */
struct counters_cores {
    struct allowed allowed;     /* the process, at its first region */
    struct allowed_set threads; /* of `seen` threads, each at its first
                                   region */
    _Atomic int32_t seen;
    char asked[16];   /* OMP_NUM_THREADS; empty: it is not set */
    char binding[24]; /* the variable that binds threads; empty: none */
};

struct counters {
    char magic[8];
    int64_t size; /* of this struct */
    int64_t pid, parent;
    int64_t rank; /* of MPI, -1: none */
    char host[64];
    char command[COUNTERS_NAME_MAX];
    int64_t word;        /* length of the program's name, with blanks */
    uint64_t ticks;      /* at the beginning of the process */
    double began_s;      /* the same moment on the monotonic clock */
    uint64_t last_ticks; /* at its regular end, 0: it had none */
    struct counters_cores cores;
    uint64_t replaced_ticks; /* when it executed another program, 0: never */
    char runtime[64]; /* file of the first OpenMP runtime that was used */
    _Atomic int32_t sites, modules;
    _Atomic int64_t lost; /* sites without room in the table */
    struct counters_module module[COUNTERS_MODULES];
    struct counters_site site[COUNTERS_SITES];
    _Atomic uint32_t strips_held; /* a lock of `strips` */
    struct counters_strips strips;
};

#endif
