/* Which threads share a visit of a loop, where LLVM's runtime keeps the teams:
 * by OMPT, the interface of OpenMP for tools (OpenMP 5.0, chapter 4).  The n-th
 * loop of a team is one visit, because all its threads meet the same loops in
 * the same order. */
#ifndef DLS_OMP_OMPT_H
#define DLS_OMP_OMPT_H

#include "dls/omp/frames.h"

#include <string.h>

/* Names and numbers are those of the OpenMP specification. */
union ompt_data {
    uint64_t value;
    void *ptr;
};
typedef void (*ompt_callback)(void);
typedef int ompt_set_fn(int, ompt_callback);
enum { OMPT_BEGIN = 1 };

#define OMPT_SET(set, which, function)                                         \
    do {                                                                       \
        ompt_callback callback;                                                \
        __typeof__(&(function)) typed = (function);                            \
        memcpy(&callback, &typed, sizeof(callback));                           \
        set(which, callback);                                                  \
    } while (0)

/* What the threads meet in regions is counted. */
void ompt_watch_events(ompt_set_fn *set);

/* Where a thread is. */
struct ompt_place {
    void *task;  /* its implicit task; NULL: it is alone, outside of regions */
    void *first; /* the team's memory */
    int threads, thread;
};

/* Whether a runtime has taken this library for its tool; where none will, the
 * first call says why. */
bool ompt_is_active(void);

/* False where the team is not known: there is no tool, or the task is none of a
 * team's own. */
bool ompt_find_place(struct ompt_place *place);

/* The memory of the task's next loop. */
struct slot *ompt_next_slot(const struct ompt_place *place);

#endif
