/* Real stops of this process: another process sends it SIGSTOP, and SIGCONT
 * some time later.
 *
 * The other process is this program with the hidden command `stopper`, started
 * once for a cell; it sleeps until it gets an order to stop us.  The kernel
 * kills it with the thread that started it. */
#ifndef HARNESS_DISTURB_STOPPER_H
#define HARNESS_DISTURB_STOPPER_H

#include "base/error.h"

#include <sys/types.h>

struct stopper {
    pid_t pid; /* 0: none */
    int orders, answers;
};

/* Returns 0 or -errno with a text. */
int stopper_open(struct stopper *stopper, struct error *err);
void stopper_close(struct stopper *stopper);

enum { STOPPER_MAX = 8 };

/* A requested or actual stop, in engine_now; which: the caller's number. */
struct stopper_stop {
    double from_s, to_s;
    int which;
};

/* Stops this process in all these times; overlapping stops run one after the
 * other. */
void stopper_arm(const struct stopper *stopper, const struct stopper_stop *list,
                 int count);

/* Cancels the pending stops; returns the past stops and their number. */
int stopper_disarm(const struct stopper *stopper,
                   struct stopper_stop list[STOPPER_MAX]);

/* The work of `dlsbench stopper PARENT`, until PARENT closes its pipe. */
int stopper_serve(const char *parent);

#endif
