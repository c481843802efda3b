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
    char installed[PATH_MAX];     /* it, where it came with this program */
    struct this_machine *machine; /* whose platform it is, or NULL */
    struct simulate_host *hosts;  /* by name, numbers in it by value */
    int count;
    int64_t room;
    long cores;           /* of all hosts */
    struct fat_tree tree; /* no text: launches have all hosts */
};

struct simulate {
    const char *calibration;     /* for this-machine; NULL: the default place */
    char program[PATH_MAX];      /* dlsbench-sim */
    char preload[PATH_MAX + 16]; /* loaded before SimGrid; "": nothing is */
    struct simulate_platform *platforms;
    int count;
};

/* Finds smpirun and dlsbench-sim and asks them for the hosts of each platform
 * of the cells; this-machine is made of its calibration.  Returns 0, -ENOENT
 * (not found: the text says what to install, build or do) or -EINVAL (SimGrid
 * cannot read the platform, or a broken calibration). */
int simulate_open(struct simulate *simulate, const struct cell *cells,
                  int count, struct error *err);
void simulate_close(struct simulate *simulate);

/* One of the platforms; NULL: not opened. */
const struct simulate_platform *simulate_find(const struct simulate *simulate,
                                              const char *path);

/* The charges of a launch of cells like this one. */
void simulate_fill(const struct simulate_platform *platform,
                   const struct cell *cell,
                   struct worklist_simulation *simulation);

/* Stores in the result directory what this machine was taken for. */
int simulate_store(const struct simulate *simulate, const char *dir,
                   struct error *err);

/* Whether a launch of this shape has a core for each thread and fits into the
 * memory that is available (base/system/memory.h).  Returns 0, -EBUSY or
 * -ENOMEM. */
int simulate_check(const struct simulate_platform *platform, int ranks,
                   int threads, struct error *err);
/* The same without the memory. */
int simulate_check_room(const struct simulate_platform *platform, int ranks,
                        int threads, struct error *err);

/* The input of smpirun, in files without names, because it takes no path with
 * blanks. */
struct simulate_files {
    int hosts;    /* of the ranks, a line each */
    int platform; /* with these hosts and few others; -1: the file given */
};

/* Opens those of a launch, to be closed when it has ended.  Returns 0 or -errno
 * with a text. */
int simulate_files_open(struct simulate_files *files,
                        const struct simulate_platform *platform, int ranks,
                        int threads, struct error *err);
/* The same with the hosts of the ranks as text, which are among the first
 * `used` of the platform. */
int simulate_files_make(struct simulate_files *files,
                        const struct simulate_platform *platform,
                        const char *hosts, int used, struct error *err);
void simulate_files_close(struct simulate_files *files);

/* The platform that smpirun reads then. */
void simulate_platform_path(const struct simulate_platform *platform,
                            const struct simulate_files *files,
                            char path[PATH_MAX]);

/* Messages between neighbouring ranks: what one takes one way, and what of it
 * keeps its two ends busy, s, and s for each byte. */
struct simulate_messages {
    double start_s, byte_s;
    double busy_start_s, busy_byte_s;
};

/* The messages of such a launch on the platform, medians over all pairs; 0 with
 * one rank.  Runs one launch, which takes as long as SimGrid needs to begin.
 * Returns 0, or -EINVAL with SimGrid's error. */
int simulate_messages(const struct simulate *simulate,
                      const struct simulate_platform *platform, int ranks,
                      int threads, struct simulate_messages *take,
                      struct error *err);

/* Among the first `hosts` hosts, the one that is farthest from the first, as
 * far as the platform shows it. */
int simulate_far(const struct simulate_platform *platform, int hosts);

/* What a message takes inside the first host, and from there to host `far`:
 * seconds, and for each byte.  If both are the same host, so are the times.
 * Runs one launch of three ranks.  Returns as simulate_messages. */
struct simulate_distances {
    double near_s, far_s, byte_s;
};
int simulate_distances(const struct simulate *simulate,
                       const struct simulate_platform *platform, int far,
                       struct simulate_distances *distances, struct error *err);

/* The command that has the ranks on these hosts run the worklist; free it with
 * launcher_free.  The threads of a rank are ranks of SMPI that share a host.
 * NULL with a text on errors. */
char **simulate_argv(const struct simulate *simulate,
                     const struct simulate_platform *platform, long ranks,
                     const char *work, const struct simulate_files *files,
                     struct error *err);

#endif
