/* Answers that wait for results (answer: collected), in the order of Han and
 * Chronopoulos: a master receives the results of a worker and only then assigns
 * it a chunk (section III.A, master, step (2)(b); section IV, step (3)(a)). So
 * a master with a full link hands out no more than it receives.
 *
 * Results are received in the order of requests, as many at a time as a rank
 * posts receives; each request is answered when its results have arrived. */
#include "harness/transport/master/relay.h"

#include <errno.h>
#include <stdlib.h>

int relay_first_open(struct relay_first *first, int children)
{
    first->deferred = calloc((size_t)children + 1, sizeof(*first->deferred));
    return first->deferred != NULL ? 0 : -ENOMEM;
}

void relay_first_close(struct relay_first *first)
{
    free(first->deferred);
    first->deferred = NULL;
}

static void receive_deferred(struct relay *relay)
{
    struct relay_first *first = &relay->first;
    while (first->posted < first->count &&
           first->posted < relay->comm->landing) {
        struct relay_deferred *deferred = &first->deferred[first->posted++];
        result_collector_receive(
            &relay->results, deferred->request.child, deferred->request.from,
            deferred->request.start, deferred->request.size, &deferred->coming);
    }
}

bool relay_first_defer(struct relay *relay, const struct request *request)
{
    struct relay_first *first = &relay->first;
    if (first->deferred == NULL || request->kind != REQUEST_WORK ||
        request->size == 0)
        return false;
    first->deferred[first->count++] =
        (struct relay_deferred){*request, MPI_REQUEST_NULL};
    receive_deferred(relay);
    return true;
}

bool relay_first_answer(struct relay *relay)
{
    struct relay_first *first = &relay->first;
    int kept = 0, posted = first->posted;
    for (int i = 0; i < first->count; i++) {
        struct relay_deferred *deferred = &first->deferred[i];
        if (i < posted && deferred->coming == MPI_REQUEST_NULL)
            relay_answer(relay, &deferred->request);
        else
            first->deferred[kept++] = *deferred;
    }
    bool any = kept < first->count;
    first->posted -= first->count - kept;
    first->count = kept;
    receive_deferred(relay);
    return any;
}

bool relay_first_poll(struct relay *relay)
{
    struct relay_first *first = &relay->first;
    for (int i = 0; i < first->posted; i++) {
        int arrived;
        comm_check(relay->comm, MPI_Test(&first->deferred[i].coming, &arrived,
                                         MPI_STATUS_IGNORE));
    }
    return relay_first_answer(relay);
}
