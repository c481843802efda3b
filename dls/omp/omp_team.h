/* The threads of a parallel region from one barrier to the next: when each
 * begins and arrives, what it meets, and how much of the time others had its
 * core.  Nothing is shared between two barriers: each thread writes its own
 * lines, and thread 0 reads those of all when it has left the barrier. */
#ifndef DLS_OMP_OMP_TEAM_H
#define DLS_OMP_OMP_TEAM_H

#include "dls/omp/frames.h"

/* The activity of a thread in one part of a region: a line for thread 0, and
 * the data of rare events. */
struct stretch {
    _Alignas(64) struct stint stint;
    uint64_t stamp; /* which visit of the region, and which part */
    const void *to; /* the call of the barrier; NULL: the region's end */
    uint32_t kinds;
    bool more;     /* there is more than this line */
    uint64_t idle; /* it waited for tasks of others */
    uint64_t late; /* it ran tasks in the barrier */
    struct counters_units units;
    struct sums sums;
};

/* A thread of a team.  Two stretches are enough: nobody begins the next but one
 * before thread 0 has read this one. */
struct mate {
    _Alignas(128) struct stretch stretch[2];
    struct team *team;
    int thread, threads;
    uint64_t stamp; /* of the stretch that it is in */
    bool waits;     /* at a barrier */
    int depth;      /* of tasks in it */
    const void *from;
    uint64_t section; /* it began, 0: there is none */
    uint64_t apart;   /* ticks of tasks and waits inside of what is timed */
    struct sums before;
};

/* Kept by the site: a thread of the runtime's may look into it when the region
 * is over. */
struct team {
    /* Always the same, so that each core has a copy. */
    struct mate *mate;
    const struct runtime *runtime;
    struct site *site;
    int capacity;
    bool strips; /* the time line is asked for */
    /* Of the visit, by the thread that begins it. */
    _Alignas(64) atomic_bool open;
    bool outermost;
    uint64_t began, stamp; /* of the first part */
    struct team *next;
};

/* A part that is over: all its threads. */
struct part {
    struct team *team;
    uint64_t stamp;
    int threads;
    uint64_t began, ended; /* the first thread's, the last one's */
    uint32_t kinds;
};

static inline const struct stretch *part_stretch(const struct part *part,
                                                 int thread)
{
    return &part->team->mate[thread].stretch[part->stamp & 1];
}

/* omp_watch.c: adds it to the counters over time, where these are asked for.
 */
void strips_add(const struct part *part);

/* Around a region, by the thread that begins it; at most so many threads. */
struct team *team_begin(struct site *site, int capacity);
void team_end(struct team *team);

/* A thread begins, with the team's stamp now; and arrives at a barrier's call
 * (NULL: it is at the end); the barrier is over. */
void mate_begin(struct team *team, uint64_t stamp, int thread, int threads);
void mate_arrive(const void *to);
/* At the end of a region whose team cannot be over. */
void mate_arrive_last(const struct team *team);
void mate_leave(void);
/* It was none for this thread, which continues as if it had not come. */
void mate_go_on(struct mate *mate);

/* That of this thread, where it is in a region that is measured; or NULL. */
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

/* Also in the region's site, where a program may end before its part does. */
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

/* Around a task or a wait for tasks.  What lies in it counts by itself. */
struct apart {
    uint64_t began, outside;
};
struct apart mate_apart_begin(struct mate *mate);
void mate_task_end(struct mate *mate, struct apart task);
void mate_wait_end(struct mate *mate, struct apart wait);
/* Without a task or a section inside. */
void mate_count_unit(struct mate *mate, uint64_t ticks);

#endif
