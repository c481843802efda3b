/* The threads of a parallel region from one barrier to the next: when each
 * begins and arrives, the constructs it meets, and the time it lost to other
 * programs.  No data is shared between two barriers: each thread writes its own
 * lines, and thread 0 reads all of them when it has left the barrier. */
#ifndef DLS_OMP_OMP_TEAM_H
#define DLS_OMP_OMP_TEAM_H

#include "dls/omp/frames.h"

/* A thread in one part of a region: a cache line for thread 0, and the data of
 * rare events. */
struct stretch {
    _Alignas(64) struct stint stint;
    uint64_t stamp; /* the visit of the region, and the part */
    const void *to; /* the barrier's call; NULL: the region's end */
    uint32_t kinds;
    bool more;     /* the members after this cache line are set */
    uint64_t idle; /* ticks it waited for tasks of other threads */
    uint64_t late; /* ticks it ran tasks in the barrier */
    struct counters_units units;
    struct sums sums;
};

/* A thread of a team.  Two stretches are enough: no thread begins the next but
 * one before thread 0 has read this one. */
struct mate {
    _Alignas(128) struct stretch stretch[2];
    struct team *team;
    int thread, threads;
    uint64_t stamp; /* of its current stretch */
    bool waits;     /* at a barrier */
    int depth;      /* nesting of its tasks */
    const void *from;
    uint64_t section; /* it began, 0: there is none */
    uint64_t apart;   /* ticks of tasks and waits inside what is timed */
    struct sums before;
};

/* The site keeps it: a thread of the runtime may read it after the region. */
struct team {
    /* Never reallocated, so that each core has a copy. */
    struct mate *mate;
    const struct runtime *runtime;
    struct loop_site *site;
    int capacity;
    bool strips; /* the time line is recorded */
    /* Of the visit, set by the thread that begins it. */
    _Alignas(64) atomic_bool open;
    bool outermost;
    uint64_t began, stamp; /* of the first part */
    struct team *next;
};

/* A part that all threads have ended. */
struct part {
    struct team *team;
    uint64_t stamp;
    int threads;
    uint64_t began, ended; /* the first thread's begin, the last one's end */
    uint32_t kinds;
};

static inline const struct stretch *part_stretch(const struct part *part,
                                                 int thread)
{
    return &part->team->mate[thread].stretch[part->stamp & 1];
}

/* omp_watch.c: adds the part to the time line.  Call it only if one is
 * recorded. */
void strips_add(const struct part *part);

/* Around a region, by the thread that begins it, for at most `capacity`
 * threads. */
struct team *team_begin(struct loop_site *site, int capacity);
void team_end(struct team *team);

/* A thread begins, with the team's stamp now; arrives at a barrier's call
 * (NULL: at the region's end); leaves the barrier. */
void mate_begin(struct team *team, uint64_t stamp, int thread, int threads);
void mate_arrive(const void *to);
/* Arrives at the end of a region whose team may still be in use. */
void mate_arrive_last(const struct team *team);
void mate_leave(void);
/* It did not wait at a barrier, and continues as if it had not arrived. */
void mate_go_on(struct mate *mate);

/* This thread's mate, if it is in a measured region; otherwise NULL. */
static inline struct mate *mate_here(void)
{
    struct mate *mate = here.mate;
    return mate != NULL &&
                   atomic_load_explicit(&mate->team->open, memory_order_relaxed)
               ? mate
               : NULL;
}

static inline struct stretch *mate_stretch(struct mate *mate)
{
    return &mate->stretch[mate->stamp & 1];
}

/* Also in the region's site: a program may end within the part. */
static inline void mate_meet(uint32_t kinds)
{
    struct mate *mate = mate_here();
    if (mate == NULL || (mate_stretch(mate)->kinds & kinds) == kinds)
        return;
    _Atomic uint32_t *all = &mate->team->site->counted->kinds;
    mate_stretch(mate)->kinds |= kinds;
    if ((kinds & ~atomic_load(all)) != 0)
        atomic_fetch_or(all, kinds);
}

/* Around a task or a wait for tasks.  Tasks inside are counted separately. */
struct apart {
    uint64_t began, outside;
};
struct apart mate_apart_begin(struct mate *mate);
void mate_task_end(struct mate *mate, struct apart task);
void mate_wait_end(struct mate *mate, struct apart wait);
/* Counts a task or a section, in which there is no other. */
void mate_count_unit(struct mate *mate, uint64_t ticks);

#endif
