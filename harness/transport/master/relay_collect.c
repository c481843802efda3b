/* Answers that wait for results (answer: collected), in the order of Han and
 * Chronopoulos: a master receives the results of a worker and only then assigns
 * it a chunk (section III.A, master, step (2)(b); section IV, step (3)(a)).  A
 * master whose link is full then hands out no more than it takes in.
 *
 * Results are received in the order of the requests, as many at a time as a
 * rank lands; each request is answered when its own are there. */
#include "harness/transport/master/relay.h"

#include <errno.h>
#include <stdlib.h>

int relay_first_open(struct relay_first *first, int children)
{
    first->held = calloc((size_t)children + 1, sizeof(*first->held));
    return first->held != NULL ? 0 : -ENOMEM;
}

void relay_first_close(struct relay_first *first)
{
    free(first->held);
    first->held = NULL;
}

static void post_held(struct relay *relay)
{
    struct relay_first *first = &relay->first;
    while (first->posted < first->count &&
           first->posted < relay->comm->landing) {
        struct relay_held *held = &first->held[first->posted++];
        result_collector_receive(&relay->results, held->request.child,
                                 held->request.from, held->request.start,
                                 held->request.size, &held->coming);
    }
}

bool relay_first_hold(struct relay *relay, const struct request *request)
{
    struct relay_first *first = &relay->first;
    if (first->held == NULL || request->kind != REQUEST_WORK ||
        request->size == 0)
        return false;
    first->held[first->count++] =
        (struct relay_held){*request, MPI_REQUEST_NULL};
    post_held(relay);
    return true;
}

bool relay_first_answer(struct relay *relay)
{
    struct relay_first *first = &relay->first;
    int kept = 0, posted = first->posted;
    for (int i = 0; i < first->count; i++) {
        struct relay_held *held = &first->held[i];
        if (i < posted && held->coming == MPI_REQUEST_NULL)
            relay_answer(relay, &held->request);
        else
            first->held[kept++] = *held;
    }
    bool any = kept < first->count;
    first->posted -= first->count - kept;
    first->count = kept;
    post_held(relay);
    return any;
}

bool relay_first_poll(struct relay *relay)
{
    struct relay_first *first = &relay->first;
    for (int i = 0; i < first->posted; i++) {
        int arrived;
        comm_check(relay->comm, MPI_Test(&first->held[i].coming, &arrived,
                                         MPI_STATUS_IGNORE));
    }
    return relay_first_answer(relay);
}
