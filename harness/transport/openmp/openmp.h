/* Transport openmp: an OpenMP runtime has the threads and hands out the chunks.
 * All else is as with other transports: the protocol calls the kernel once a
 * chunk, threads are bound and timed, and results are verified.
 *
 * The runtimes, gcc's libgomp and LLVM's libomp, are loaded when a cell asks
 * for them and called at the entry points that their compilers emit for
 *     #pragma omp parallel
 *     #pragma omp for schedule(...) nowait
 * So one build can use both without an OpenMP compiler.  It also sees the
 * chunks, whereas a loop body only sees iterations. */
#ifndef HARNESS_TRANSPORT_OPENMP_OPENMP_H
#define HARNESS_TRANSPORT_OPENMP_OPENMP_H

#include "base/error.h"
#include "harness/messages/source.h"
#include "harness/transport/openmp/openmp_schedule.h"

#include <stdint.h>

/* A loaded runtime; it stays loaded until the process ends. */
struct openmp;

/* Loads the runtime of this name (libgomp, libomp).  Its idle threads soon
 * sleep, unless the user's variables say otherwise: they would spin on cores on
 * which other cells are measured.  Returns 0, -ENOENT (not installed) or
 * -errno. */
int openmp_open(struct openmp **out, const char *name, struct error *err);
void openmp_close(struct openmp *openmp);

const char *openmp_name(const struct openmp *openmp);

/* Identifies this runtime among others of its name, for the manifest. */
struct openmp_identity {
    char file[512];    /* the loaded file, links resolved */
    char build_id[64]; /* from its ELF note, or empty */
    char version[64];  /* of OpenMP, from the library, or empty */
    char waiting[256]; /* the variables that set how idle threads wait */
};
void openmp_identify(const struct openmp *openmp, struct openmp_identity *who);

/* Runs body(thread, arg) on each of `threads` threads of the runtime's team;
 * the caller is thread 0.  It is the `fork` of engine_team_adopt. */
void openmp_fork(void *openmp, int threads, void (*body)(int thread, void *arg),
                 void *arg);

/* Whether the runtime gives this number of threads.  Returns 0 or -EBUSY. */
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

/* A thread's source in the loop, opened again before each run.  Only the thread
 * itself may call next. */
struct source_openmp {
    struct source base;
    const struct openmp *openmp;
    const struct openmp_loop *loop;
    void (*more)(void); /* libgomp: returns the next chunk */
    int32_t self;       /* libomp: its thread number */
    int32_t thread;
    /* static: the next block, the size of blocks, and the distance between the
     * blocks of one thread. */
    int64_t at, size, stride;
};

void source_openmp_open(struct source_openmp *source, int worker, int thread,
                        const struct openmp *openmp,
                        const struct openmp_loop *loop);

#endif
