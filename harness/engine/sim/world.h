/* The data shared by all ranks of a simulated launch.  The ranks share one
 * process and keep no data at file scope: each finds the world through its host
 * (SimGrid's user data). */
#ifndef HARNESS_ENGINE_SIM_WORLD_H
#define HARNESS_ENGINE_SIM_WORLD_H

#include "harness/engine/engine.h"

#include <stddef.h>

/* The core of an SMPI rank. */
struct world_place {
    const void *host; /* equal: the same host */
    double speed;     /* of one core, flop/s */
    int cores;
    double power; /* this core's power relative to that speed */
    /* How long a message keeps its sender and its receiver busy here: seconds,
     * and seconds per byte. */
    double send_s[2], receive_s[2];
};

struct world {
    double cost_s[ENGINE_COSTS]; /* simulated seconds, see engine_charge */
    struct engine_team *team;    /* of all ranks; NULL: not started */
    bool over;                   /* no team will start any more */
    struct world_place *place;   /* one per rank */
    int places;
    double speed;            /* of the slowest place, which has power 1 */
    struct machine *machine; /* problem/sim/machine.h; NULL: none */
    double operation_s;      /* of the kernel at power 1; 0: from flop/s */
    double result_bytes;     /* of an iteration; 0: the kernel's */
    double boundary_bytes;   /* of a column; 0: the kernel's */
    void *common;            /* rank 0's block of comm_common */
    int joined;              /* ranks of a program that contains its loop */
    bool samples;            /* SMPI charges this program's computing */
};

/* Around all work of a rank; world_begin returns its number. */
int world_begin(int *argc, char ***argv);
void world_end(void);

/* By rank 0, before anything else: stores the world at all hosts. */
void world_show(struct world *world);

/* The world; other ranks wait until rank 0 has stored it. */
struct world *world_here(void);

/* For a program that has MPI, by each rank that opens a loop; the first stores
 * the world, with the default costs of cells, and the last removes it.  Returns
 * false if memory runs out. */
bool world_join(void);
void world_part(void);

/* After simulated time has passed: SMPI charges the program's own computing,
 * and must not charge real time that other ranks used meanwhile. */
void world_time_passed(void);

/* The core of the calling rank. */
struct world_place world_place(void);

/* The latency (s) and bandwidth (byte/s) from one place to another. */
void world_route(const struct world_place *from, const struct world_place *to,
                 double *latency, double *bandwidth);

/* Whether messages keep their receivers busy.  SMPI charges this only if the
 * sender does not wait for the receiver. */
bool world_charges_receivers(void);

/* Advances the calling rank by computing `flops` on its host's core. */
void world_compute(double flops);

/* Moves `bytes` from one rank's host to another's, for any two ranks, while the
 * caller waits; includes the cost for sender and receiver. */
void world_carry(int from, int to, double bytes);

/* Moves `bytes` from the caller's host to that of a rank, and back, while the
 * caller waits: accesses to remote memory.  They keep the caller busy like its
 * messages, but not the other rank. */
void world_reach(int rank, double bytes);
void world_answer(int rank, double bytes);

/* Multiplies the latency and bandwidth of every link; returns the values before
 * (NULL: out of memory), which world_restore_links sets again.  Call them while
 * no message is under way. */
double *world_scale_links(double latency, double bandwidth);
void world_restore_links(double *before);

/* Lets `seconds` pass. */
void world_sleep(double seconds);

/* By every rank but 0: runs the work that rank 0 gives to the team until it is
 * released. */
void world_follow(int rank);

/* By rank 0, at the end: releases the other ranks. */
void world_release(struct world *world);

/* Calls body(arg) on a new stack of `bytes`; those of ranks are small. */
int world_on_stack(size_t bytes, int (*body)(void *arg), void *arg);

/* Memory of any size for messages that no rank reads: it maps a few pages
 * repeatedly, and SMPI does not copy it.  NULL: out of memory. */
void *world_room_open(size_t bytes);
void world_room_close(void *room);

/* Real seconds since some moment. */
double world_wall(void);

/* Name, cores and speed of the platform's hosts, as lines on stdout. */
void world_print_hosts(void);

/* By every rank: prints on stdout the one-way time (s) of a message between
 * each rank and the next (half a round trip), and of each byte.  Also the part
 * of both that keeps sender and receiver busy. */
void world_print_messages(int rank);

#endif
