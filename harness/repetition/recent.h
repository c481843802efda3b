/* The newest requests of a worker, for loops that end before their workers do.
 * Under reissue a worker may wait, or compute in vain, when the last result
 * arrives; its later waiting is not part of the loop. */
#ifndef HARNESS_REPETITION_RECENT_H
#define HARNESS_REPETITION_RECENT_H

#include "harness/messages/source.h"

/* After the loop's end no chunk is handed out, but one may still be on its way.
 * So at most two requests end after it. */
enum { RECENT_REQUESTS = 2 };

struct recent_request {
    double begin_s, end_s;
    double wait_s; /* waited within the request */
};

struct recent {
    struct recent_request request[RECENT_REQUESTS]; /* the newest first */
};

/* Replaces the oldest request by this one. */
static inline void recent_add(struct recent *recent, double begin_s,
                              double end_s, double wait_s)
{
    for (int i = RECENT_REQUESTS - 1; i > 0; i--)
        recent->request[i] = recent->request[i - 1];
    recent->request[0] = (struct recent_request){begin_s, end_s, wait_s};
}

/* The requests with times relative to start_s. */
static inline struct recent recent_since(const struct recent *recent,
                                         double start_s)
{
    struct recent since = *recent;
    for (int i = 0; i < RECENT_REQUESTS; i++) {
        since.request[i].begin_s -= start_s;
        since.request[i].end_s -= start_s;
    }
    return since;
}

/* A source before a worker's source that records its newest requests. */
struct recent_source {
    struct source base;
    struct source *inner;
    struct recent recent;
};

struct source *recent_open(struct recent_source *source, struct source *inner);

#endif
