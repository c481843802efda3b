/* The order in which a rank with masters takes requests: that of their
 * departure, as MPI matches messages with receives.  A request that overtakes
 * an earlier one (longer, or on a busier link) waits for it. */
#include "harness/replay/replay_internal.h"

static struct awaited *awaited_at(struct inbox *order, int i)
{
    return &order->awaited[(order->first + i) % RECEIVED];
}

/* In SimGrid, simultaneous requests of masters above pools arrive in ascending
 * order.  All others arrive in descending order, as their events do. */
static bool goes_before(const struct replayer *rp, const struct ask *ask,
                        const struct ask *other)
{
    if (ask->at != other->at || ask->who >= other->who)
        return false;
    enum what what = ask->what & (PASSING - 1);
    return what == REFILL_ASK && ask->what == other->what &&
           !rp->tree->master[ask->who].leaf &&
           !rp->tree->master[other->who].leaf;
}

void order_put(struct replayer *rp, struct inbox *order, const struct ask *ask)
{
    int at = order->count++;
    while (at > 0 && goes_before(rp, ask, &awaited_at(order, at - 1)->ask)) {
        *awaited_at(order, at) = *awaited_at(order, at - 1);
        at--;
    }
    *awaited_at(order, at) = (struct awaited){*ask, false};
}

void order_come(struct replayer *rp, struct server *server,
                const struct event *event)
{
    struct inbox *order = &server->order;
    for (int i = 0; i < order->count; i++) {
        struct awaited *awaited = awaited_at(order, i);
        enum what what = awaited->ask.what & (PASSING - 1);
        if (awaited->ask.who == event->who && what == event->what)
            awaited->come = true;
    }
    while (order->count > 0 && awaited_at(order, 0)->come) {
        const struct ask *ask = &awaited_at(order, 0)->ask;
        const struct event taken = {event->at, ask->who,
                                    ask->what & (PASSING - 1)};
        order->first = (order->first + 1) % RECEIVED;
        order->count--;
        serve_come(rp, server, &taken);
    }
}
