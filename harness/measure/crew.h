/* The workers of a calibrating launch: bound as runs bind them, started
 * together as runs start. */
#ifndef HARNESS_MEASURE_CREW_H
#define HARNESS_MEASURE_CREW_H

#include "harness/repetition/repetition.h"

struct crew {
    struct launch_context *context;
    struct tree tree;   /* of a flat loop over all ranks and threads */
    int workers, first; /* of all ranks; the first of this rank */
    bool crowded;       /* workers share cores */
    struct engine_patience patience;
};

/* A cell of this launch: the null kernel over `size` iterations, scheme ss. */
int crew_cell(const struct launch_context *context, const char *transport,
              int64_t size, struct cell *cell, struct error *err);

/* Collective; all ranks return the same code. */
int crew_open(struct crew *crew, struct launch_context *context,
              struct error *err);
void crew_close(struct crew *crew);

/* By each thread of the team, first thing in a body. */
void crew_bind(const struct crew *crew, int thread);

/* By each thread: lets all workers of all ranks continue close together. */
void crew_start(const struct crew *crew, int thread);

/* By each thread: waits for the threads of this rank. */
void crew_meet(const struct crew *crew);

#endif
