/* The common data of all ranks of a simulated launch.  The ranks share one
 * process and keep no data at file scope: each finds the world at its host
 * (SimGrid's user data). */
#ifndef HARNESS_ENGINE_SIM_WORLD_H
#define HARNESS_ENGINE_SIM_WORLD_H

#include "harness/engine/engine.h"

#include <stddef.h>

/* Where a rank of SMPI (a core) is. */
struct world_place {
    const void *host; /* equal: the same host */
    double speed;     /* of one core, flop/s */
    int cores;
    double power; /* of this core, times that speed */
    /* The time that a message keeps its sender and its receiver busy here:
     * seconds, and seconds for each byte. */
    double send_s[2], receive_s[2];
};

struct world {
    double cost_s[ENGINE_COSTS]; /* simulated seconds, see engine_charge */
    struct engine_team *team;    /* of all ranks; NULL: not yet */
    bool over;                   /* no team will come */
    struct world_place *place;   /* of each rank */
    int places;
    double speed;            /* of the slowest place: that of power 1 */
    struct machine *machine; /* problem/sim/machine.h; NULL: a platform */
    double operation_s;      /* of the kernel at power 1; 0: by flop/s */
    double result_bytes;     /* of an iteration; 0: as many as the kernel has */
    double boundary_bytes;   /* of a column; 0: as many as the kernel has */
    void *common;            /* rank 0's share in what all have in common */
    int joined;              /* ranks of a program that contains its loop */
    bool samples;            /* SMPI charges what such a program computes */
};

/* Around all work of a rank; begin returns its number. */
int world_begin(int *argc, char ***argv);
void world_end(void);

/* By rank 0, before anything else: shows the world to all hosts. */
void world_show(struct world *world);

/* The world, when rank 0 has shown it; the others wait for that. */
struct world *world_here(void);

/* For a program that has MPI, by each rank that opens a loop; the first shows
 * the world, with the costs that cells have by default, and the last takes it
 * away.  Returns false without memory. */
bool world_join(void);
void world_part(void);

/* After anything that let time pass: SMPI, which charges what the program
 * computes, is not to charge it what others did meanwhile. */
void world_time_passed(void);

/* Where the calling rank is. */
struct world_place world_place(void);

/* The latency, s, and the bandwidth, byte/s, from one place to another. */
void world_route(const struct world_place *from, const struct world_place *to,
                 double *latency, double *bandwidth);

/* Whether messages keep their receivers busy.  SMPI charges that only for those
 * whose senders do not wait for them. */
bool world_charges_receivers(void);

/* Lets the calling rank compute: `flops` on its host's core. */
void world_compute(double flops);

/* Lets `bytes` travel from one rank's host to another's, for any two ranks,
 * while the caller waits; includes the message's cost for both. */
void world_carry(int from, int to, double bytes);

/* Lets `bytes` travel from the caller's host to that of a rank, and back, while
 * the caller waits: accesses to remote memory.  They keep the caller busy as
 * its messages do, and not the other. */
void world_reach(int rank, double bytes);
void world_answer(int rank, double bytes);

/* Every link of the platform: times its latency and its bandwidth; and as
 * before, which the first returns (NULL: out of memory).  While no message is
 * under way. */
double *world_scale_links(double latency, double bandwidth);
void world_restore_links(double *before);

/* Lets `seconds` pass. */
void world_sleep(double seconds);

/* By every rank but 0: runs what rank 0 gives to the team until it is
 * released. */
void world_follow(int rank);

/* By rank 0, at the end: lets the others go. */
void world_release(struct world *world);

/* Calls body(arg) on a separate stack of `bytes`; ranks have small ones. */
int world_on_stack(size_t bytes, int (*body)(void *arg), void *arg);

/* Memory of any size for messages that no rank reads: a few pages are mapped
 * again and again, and SMPI does not copy it.  NULL: out of memory. */
void *world_room_open(size_t bytes);
void world_room_close(void *room);

/* Seconds that really passed, since some moment. */
double world_wall(void);

/* Name, cores and speed of the platform's hosts, as lines on stdout. */
void world_print_hosts(void);

/* By every rank: prints, as lines on stdout, the one-way time of a message
 * between each rank and the next (half a round trip) and of each byte.  Also
 * the part of both that keeps the sender and the receiver busy; s. */
void world_print_messages(int rank);

#endif
