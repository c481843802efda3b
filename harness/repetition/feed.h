/* Feeding a kernel: it runs on the input data that its worker's source has for
 * the current chunk (data: sent). */
#ifndef HARNESS_REPETITION_FEED_H
#define HARNESS_REPETITION_FEED_H

#include "harness/problem/loop.h"
#include "harness/transport/transport_end.h"

/* One worker's; the instance of feed_kernel. */
struct feed {
    const struct loop *loop;
    const struct transport_end *end;
    int worker; /* counted in this rank */
};

/* Represents the loop's kernel in the protocol: only its run exists. */
extern const struct kernel_ops feed_kernel;

#endif
