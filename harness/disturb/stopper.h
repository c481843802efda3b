/* Real stops of this process: another process sends it SIGSTOP, and SIGCONT
 * some time later.
 *
 * The other is this program with the hidden word `stopper`, started once for a
 * cell; it sleeps until it gets an order to stop us.  The kernel kills it with
 * the thread that started it. */
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

/* A stop, asked for or as it was, in engine_now; which: the caller's. */
struct stopper_stop {
    double from_s, to_s;
    int which;
};

/* Stops this process in all these times; overlapping stops follow each
 * other. */
void stopper_arm(const struct stopper *stopper, const struct stopper_stop *list,
                 int count);

/* Cancels the pending stops; returns the number of past stops, and the
 * stops. */
int stopper_disarm(const struct stopper *stopper,
                   struct stopper_stop list[STOPPER_MAX]);

/* The work of `dlsbench stopper PARENT`, until PARENT closes its orders. */
int stopper_serve(const char *parent);

#endif
