/* The workers of a calibrating launch: bound and started like those of runs. */
#ifndef HARNESS_MEASURE_CREW_H
#define HARNESS_MEASURE_CREW_H

#include "harness/repetition/repetition.h"

struct crew {
    struct launch_context *context;
    struct tree tree;   /* flat, over all ranks and threads */
    int workers, first; /* number over all ranks; the first in this rank */
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

/* By each thread of the team, first in a body. */
void crew_bind(const struct crew *crew, int thread);

/* By each thread: releases all workers of all ranks at nearly the same time. */
void crew_start(const struct crew *crew, int thread);

/* By each thread: waits for the threads of this rank. */
void crew_meet(const struct crew *crew);

#endif
