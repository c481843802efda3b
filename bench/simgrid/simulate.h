/* Launches on a simulated cluster: smpirun starts dlsbench-sim, which is in the
 * folder of this program, with a rank for every simulated core. */
#ifndef BENCH_SIMGRID_SIMULATE_H
#define BENCH_SIMGRID_SIMULATE_H

#include "base/error.h"
#include "bench/simgrid/fat_tree.h"
#include "bench/simgrid/this_machine.h"
#include "harness/cell/cell.h"

#include <limits.h>

struct simulate_host {
    char *name; /* any text of one line */
    int cores;
    double speed; /* of a core, flop/s */
};

struct simulate_platform {
    char path[SPEC_CANONICAL_MAX];
    const char *file;             /* for SimGrid */
    char installed[PATH_MAX];     /* its path, if it came with this program */
    struct this_machine *machine; /* of such a platform, or NULL */
    struct simulate_host *hosts;  /* by name; numbers in names by value */
    int count;
    int64_t room;
    long cores;           /* of all hosts */
    struct fat_tree tree; /* empty text: launches use all hosts */
};

struct simulate {
    const char *calibration;     /* for this-machine; NULL: the default place */
    char program[PATH_MAX];      /* dlsbench-sim */
    char preload[PATH_MAX + 16]; /* loaded before SimGrid; "": nothing */
    struct simulate_platform *platforms;
    int count;
};

/* Finds smpirun and dlsbench-sim and asks them for the hosts of the cells'
 * platforms; this-machine comes from its calibration.  Returns 0, -ENOENT (not
 * found: the text says what to install, build or do) or -EINVAL (SimGrid cannot
 * read the platform, or the calibration is damaged). */
int simulate_open(struct simulate *simulate, const struct cell *cells,
                  int count, struct error *err);
void simulate_close(struct simulate *simulate);

/* An opened platform; NULL: not opened. */
const struct simulate_platform *simulate_find(const struct simulate *simulate,
                                              const char *path);

/* Sets the charges of a launch of cells like this one. */
void simulate_fill(const struct simulate_platform *platform,
                   const struct cell *cell,
                   struct worklist_simulation *simulation);

/* Stores the assumptions about this machine in the result directory. */
int simulate_store(const struct simulate *simulate, const char *dir,
                   struct error *err);

/* Whether a launch of this shape has a core for each thread and fits into the
 * available memory (base/system/memory.h).  Returns 0, -EBUSY or -ENOMEM. */
int simulate_check(const struct simulate_platform *platform, int ranks,
                   int threads, struct error *err);
/* simulate_check without the memory. */
int simulate_check_room(const struct simulate_platform *platform, int ranks,
                        int threads, struct error *err);

/* The input of smpirun, in unnamed files, because it takes no path with
 * blanks. */
struct simulate_files {
    int hosts;    /* of the ranks, one per line */
    int platform; /* with these hosts and few others; -1: the given file */
};

/* Opens the files of a launch; close them when it has ended.  Returns 0 or
 * -errno with a text. */
int simulate_files_open(struct simulate_files *files,
                        const struct simulate_platform *platform, int ranks,
                        int threads, struct error *err);
/* simulate_files_open with the ranks' hosts as text; they are among the first
 * `used` of the platform. */
int simulate_files_make(struct simulate_files *files,
                        const struct simulate_platform *platform,
                        const char *hosts, int used, struct error *err);
void simulate_files_close(struct simulate_files *files);

/* The path of the platform that smpirun reads then. */
void simulate_platform_path(const struct simulate_platform *platform,
                            const struct simulate_files *files,
                            char path[PATH_MAX]);

/* Messages between neighbouring ranks, s and s per byte: the one-way time, and
 * the part that keeps sender and receiver busy. */
struct simulate_messages {
    double start_s, byte_s;
    double busy_start_s, busy_byte_s;
};

/* The messages of such a launch on the platform, medians over all pairs; 0 with
 * one rank.  Runs one launch, which takes as long as SimGrid's start.  Returns
 * 0, or -EINVAL with SimGrid's error. */
int simulate_messages(const struct simulate *simulate,
                      const struct simulate_platform *platform, int ranks,
                      int threads, struct simulate_messages *take,
                      struct error *err);

/* The host farthest from the first one among the first `hosts`, as far as the
 * platform shows it. */
int simulate_far(const struct simulate_platform *platform, int hosts);

/* The time of a message within the first host, and from it to host `far`:
 * seconds, and per byte.  If both are the same host, so are the times.  Runs
 * one launch of three ranks.  Returns as simulate_messages. */
struct simulate_distances {
    double near_s, far_s, byte_s;
};
int simulate_distances(const struct simulate *simulate,
                       const struct simulate_platform *platform, int far,
                       struct simulate_distances *distances, struct error *err);

/* The command that runs the worklist with the ranks on these hosts; free it
 * with launcher_free.  The threads of a rank are ranks of SMPI on the same
 * host.  NULL with a text on errors. */
char **simulate_argv(const struct simulate *simulate,
                     const struct simulate_platform *platform, long ranks,
                     const char *work, const struct simulate_files *files,
                     struct error *err);

#endif
