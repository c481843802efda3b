/* A source with reissued chunks, in front of the source of a worker that shares
 * memory with the book (a thread of the one process, or of the master's rank).
 *
 * Two workers may run the same iterations at the same time, so each computes
 * into private memory.  The request for the next chunk moves the finished one's
 * results to their place if they are the first. */
#ifndef HARNESS_TRANSPORT_REISSUE_REISSUE_SOURCE_H
#define HARNESS_TRANSPORT_REISSUE_REISSUE_SOURCE_H

#include "harness/messages/source.h"
#include "harness/transport/reissue/reissue.h"

#include <stddef.h>

struct reissue_source {
    struct source base;
    struct source *inner;
    struct reissue *book;
    const char *own;     /* the worker's results, of the whole loop */
    char *output;        /* where it belongs; NULL: nothing is computed */
    size_t output_bytes; /* of an iteration */
    /* While it waits: serves others, true when there was a request; NULL: it
     * does not serve. */
    bool (*serve)(void *arg);
    void *arg;
    struct chunk current; /* size 0: none */
    bool dry;             /* the inner source is empty */
};

/* base, current and dry are set here, the rest by the caller. */
void reissue_source_open(struct reissue_source *source, int worker);

#endif
