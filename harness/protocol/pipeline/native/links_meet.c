/* Brings the two ends of an edge together, at its home; called with MPI held,
 * except links_register. */
#include "harness/protocol/pipeline/links_internal.h"

enum { TAG_NOTE = 1 };
enum { LINK_ANSWER = 2 }; /* a note from the home */

static void send_note(struct links *links, int to, int64_t edge, int end,
                      int rank)
{
    struct link_note note = {edge, end, rank};
    mailbox_send_short(&links->box, &note, sizeof(note), to, TAG_NOTE);
}

/* Whether an end of this rank produces a stream, and which. */
static bool feeds_stream(const struct links *links, enum link_end end,
                         enum link_flow *flow)
{
    *flow = end == LINK_PREDECESSOR ? LINK_DOWN : LINK_UP;
    return links_columns(links, *flow) > 0;
}

/* The other end of one of this rank's edges is at `rank`. */
static void meet_end(struct links *links, int64_t edge, int rank)
{
    struct link_edge *e = &links->edge[edge];
    bool inside = rank == links->comm->rank;
    for (int end = 0; end < 2; end++) {
        enum link_flow flow;
        if (!e->here[end])
            continue;
        invariant(links_other(e, end) == 0);
        atomic_store_explicit(&e->other[end], rank + 1, memory_order_relaxed);
        if (!feeds_stream(links, end, &flow))
            continue;
        if (inside)
            links->owed--;
        else
            links_send_piece(links, edge, flow);
    }
}

static void notify_rank(struct links *links, int to, int64_t edge, int rank)
{
    if (to == links->comm->rank)
        meet_end(links, edge, rank);
    else
        send_note(links, to, edge, LINK_ANSWER, rank);
}

static void touch_edge(struct links *links, int64_t edge)
{
    if (edge >= atomic_load_explicit(&links->touched, memory_order_relaxed))
        atomic_store_explicit(&links->touched, edge + 1, memory_order_relaxed);
}

/* At the home: the second of the two ends brings both together. */
static void at_home(struct links *links, int64_t edge, int end, int rank)
{
    struct link_edge *e = &links->edge[edge];
    int other = e->registered[1 - end] - 1;
    invariant(e->registered[end] == 0);
    touch_edge(links, edge);
    e->registered[end] = rank + 1;
    if (other < 0)
        return;
    notify_rank(links, rank, edge, other);
    if (other != rank)
        notify_rank(links, other, edge, rank);
}

void links_register(struct links *links, int64_t edge, enum link_end end)
{
    enum link_flow flow;
    if (!links->remote) {
        /* Several threads: the largest stays. */
        int64_t touched = atomic_load(&links->touched);
        while (edge >= touched && !atomic_compare_exchange_weak(
                                      &links->touched, &touched, edge + 1))
            ;
        return;
    }
    int home = links_home(links, edge);
    comm_begin(links->comm);
    touch_edge(links, edge);
    links->edge[edge].here[end] = true;
    links->owed += feeds_stream(links, end, &flow);
    if (home == links->comm->rank)
        at_home(links, edge, end, home);
    else
        send_note(links, home, edge, end, links->comm->rank);
    comm_end(links->comm);
}

int links_open_box(struct links *links)
{
    const struct mailbox_setup setup = {.comm = links->comm,
                                        .at = links->notes,
                                        .from = MPI_ANY_SOURCE,
                                        .tag = TAG_NOTE,
                                        .posted = 1,
                                        .count = sizeof(struct link_note)};
    return mailbox_open(&links->box, &setup);
}

bool links_take_notes(struct links *links)
{
    const struct link_note *came;
    bool any = false;
    while ((came = mailbox_take(&links->box)) != NULL) {
        struct link_note note = *came;
        mailbox_post(&links->box, 1);
        if (note.end == LINK_ANSWER)
            meet_end(links, note.edge, note.rank);
        else
            at_home(links, note.edge, note.end, note.rank);
        any = true;
    }
    return any;
}
