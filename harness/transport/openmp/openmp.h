/* Transport openmp: an OpenMP runtime keeps the threads and hands out the
 * chunks.  Everything else is as with other transports: the same protocol calls
 * the same kernel once a chunk; threads are bound and timed, results verified,
 * in the same way.
 *
 * The runtimes, gcc's libgomp and LLVM's libomp, are loaded when a cell asks
 * for them and called at the entry points that their compilers emit for
 *     #pragma omp parallel
 *     #pragma omp for schedule(...) nowait
 * So one build can use both, without an OpenMP compiler, and sees the chunks: a
 * loop body would only see iterations. */
#ifndef HARNESS_TRANSPORT_OPENMP_OPENMP_H
#define HARNESS_TRANSPORT_OPENMP_OPENMP_H

#include "base/error.h"
#include "harness/messages/source.h"
#include "harness/transport/openmp/openmp_schedule.h"

#include <stdint.h>

/* A runtime that is loaded; it stays so until the process ends. */
struct openmp;

/* Loads the runtime of this name (libgomp, libomp), whose idle threads go to
 * sleep soon unless the user's variables say otherwise: they would spin on
 * cores that other cells are measured on.  Returns 0, -ENOENT (not installed)
 * or -errno. */
int openmp_open(struct openmp **out, const char *name, struct error *err);
void openmp_close(struct openmp *openmp);

const char *openmp_name(const struct openmp *openmp);

/* The identity of this runtime among others of its name, for the manifest. */
struct openmp_identity {
    char file[512];    /* that was loaded, without links */
    char build_id[64]; /* of its ELF note, or empty */
    char version[64];  /* of OpenMP, as the library says, or empty */
    char waiting[256]; /* the variables that say how its idle threads wait */
};
void openmp_identify(const struct openmp *openmp, struct openmp_identity *who);

/* Runs body(thread, arg) on each of `threads` threads of the runtime's team,
 * with the caller as thread 0: the `fork` of engine_team_adopt. */
void openmp_fork(void *openmp, int threads, void (*body)(int thread, void *arg),
                 void *arg);

/* Whether the runtime gives this number of threads: 0 or -EBUSY. */
int openmp_check_team(struct openmp *openmp, int threads, struct error *err);

/* A loop over the iterations [first, last), the process's share. */
struct openmp_loop {
    struct openmp_schedule schedule;
    int64_t first, last;
    int threads;
};

/* By thread 0, outside a team's body, before each run of the loop. */
void openmp_loop_prepare(const struct openmp *openmp,
                         const struct openmp_loop *loop);

/* A thread's end of the loop, opened anew before each run of it.  Only the
 * thread itself may call next. */
struct source_openmp {
    struct source base;
    const struct openmp *openmp;
    const struct openmp_loop *loop;
    void (*more)(void); /* libgomp: what hands out the next chunk */
    int32_t self;       /* libomp: its number of the thread */
    int32_t thread;
    /* static: the block that is next, the blocks' size, and how far those of
     * one thread are apart. */
    int64_t at, size, stride;
};

void source_openmp_open(struct source_openmp *source, int worker, int thread,
                        const struct openmp *openmp,
                        const struct openmp_loop *loop);

#endif
