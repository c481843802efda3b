/* A real stop of this process: another process sends it SIGSTOP, and SIGCONT
 * some time later.
 *
 * The other is this program with the hidden word `stopper`, started once for a
 * cell; it sleeps until it is told when to stop us.  The kernel kills it with
 * the thread that has started it. */
#ifndef HARNESS_STOPPER_H
#define HARNESS_STOPPER_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct stopper {
    pid_t pid; /* 0: none */
    int orders, answers;
};

/* Returns 0 or -errno with a text. */
int stopper_open(struct stopper *stopper, struct error *err);
void stopper_close(struct stopper *stopper);

/* Stops this process at at_s of engine_now, for `seconds`. */
void stopper_arm(const struct stopper *stopper, double at_s, double seconds);

/* Not any more, if it has not happened yet.  Returns whether it has, and then
 * from when to when, of engine_now. */
bool stopper_disarm(const struct stopper *stopper, double *from_s,
                    double *to_s);

/* What `dlsbench stopper PARENT` does, until PARENT closes its orders. */
int stopper_serve(const char *parent);

#endif
