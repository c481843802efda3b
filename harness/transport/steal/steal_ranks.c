/* Stealing between ranks: see steal.h. */
#include "harness/transport/steal/steal_internal.h"

#include "base/random.h"

enum { STEAL_TAG = 1 };

/* How many victims in one tier are tried before the next tier; a smaller tier
 * is tried completely. */
enum { TRIES = 16 };

/* Most short messages under way: more than one rank ever sends at a time. */
enum { KEPT = 32 };

enum steal_kind {
    STEAL_ASK,    /* for half of a range */
    STEAL_LOOT,   /* the answer: number iterations from start */
    STEAL_NONE,   /* the answer: no iterations */
    STEAL_GIFT,   /* to a sleeping rank: as loot */
    STEAL_REPORT, /* from below: number iterations taken */
    STEAL_END,    /* from above: no rank has iterations */
};

/* ---- opening ---- */

int steal_ranks_open(struct steal *steal)
{
    const struct comm *comm = steal->comm;
    struct steal_ranks *ranks = &steal->ranks;
    const struct mailbox_setup box = {.comm = comm,
                                      .from = MPI_ANY_SOURCE,
                                      .tag = STEAL_TAG,
                                      .posted = comm->ranks > 1,
                                      .count = sizeof(struct steal_message),
                                      .kept = KEPT};
    while (comm->ranks > 1 << ranks->lifelines)
        ranks->lifelines++;
    victims_open(&ranks->victims, &steal->loop->ranks, comm->rank,
                 steal->loop->near);
    /* For an answer, and a gift from every lifeline: a rank asks only when it
     * is empty. */
    if (comm->ranks > 1)
        steal->slots = 1 + ranks->lifelines;
    return mailbox_open(&ranks->box, &box);
}

static void new_round(struct steal *steal)
{
    steal->ranks.round = (struct victims_round){0};
    steal->ranks.asked_lifelines = 0;
    steal->ranks.asleep = false;
}

void steal_ranks_reset(struct steal *steal)
{
    uint64_t mixed = steal->loop->seed + (uint64_t)steal->loop->workers +
                     (uint64_t)steal->comm->rank;
    new_round(steal);
    steal->ranks.random = random_next(&mixed);
    steal->ranks.waiting = 0;
    steal->ranks.asked = steal->ranks.reported_once = false;
    steal->ranks.received = steal->ranks.given = steal->ranks.reported = 0;
    steal->ranks.below = steal->ranks.counted = 0;
    steal->ranks.below_ranks = steal->ranks.counted_ranks = 0;
    steal->ranks.tally = (struct steal_tally){0};
    mailbox_reset(&steal->ranks.box);
    steal->ranks.taken = 0;
    if (steal->loop->mail != NULL)
        steal->loop->mail[steal->comm->rank] = 0;
}

void steal_listen(struct steal *steal)
{
    mailbox_post(&steal->ranks.box, 1);
}

bool steal_polls(const struct steal *steal)
{
    return steal->comm->ranks > 1;
}

void steal_finish(struct steal *steal)
{
    mailbox_drain(&steal->ranks.box);
}

/* ---- sending ---- */

_Static_assert(sizeof(struct steal_message) <= MAILBOX_SHORT, "short");
static void send_message(struct steal *steal, int to, enum steal_kind kind,
                         struct steal_message message)
{
    const struct comm *comm = steal->comm;
    message.kind = (int32_t)kind;
    message.from = comm->rank;
    mailbox_send_short(&steal->ranks.box, &message, sizeof(message),
                       comm_address(comm, to, 0), STEAL_TAG);
    if (steal->loop->mail != NULL)
        steal->loop->mail[to]++;
}

/* ---- the victim ---- */

/* The part of a range that a rank gives: half.  It keeps part of unused loot by
 * message, or the loot could wander for ever. */
static int64_t offer_of(const struct steal *steal, int range, int64_t size)
{
    int64_t least = steal->loop->min_chunk;
    if (range < steal->workers || steal_is_deserted(steal))
        return steal_half(size, least);
    return size / 2 >= least ? size / 2 : 0;
}

/* The largest that there is. */
static int best_offer(const struct steal *steal, uint64_t *seen)
{
    int best = -1;
    int64_t most = 0;
    for (int i = 0; i < steal->workers + steal->slots; i++) {
        uint64_t ends = steal_look(&steal->range[i]);
        int64_t offer = offer_of(steal, i, steal_size(ends));
        if (offer <= most)
            continue;
        most = offer;
        best = i;
        *seen = ends;
    }
    return best;
}

static bool take_loot(struct steal *steal, struct steal_message *loot)
{
    uint64_t seen = 0;
    int range;
    while ((range = best_offer(steal, &seen)) >= 0) {
        int64_t size = steal_size(seen);
        int64_t take = offer_of(steal, range, size);
        int64_t end = steal_end(seen) - take;
        if (!atomic_compare_exchange_strong(&steal->range[range].ends, &seen,
                                            steal_ends(steal_begin(seen), end)))
            continue;
        if (take == size)
            steal_emptied(steal);
        steal->ranks.given += take;
        loot->start = end;
        loot->number = take;
        return true;
    }
    return false;
}

static void answer_question(struct steal *steal,
                            const struct steal_message *question)
{
    struct steal_message loot = {0};
    engine_charge(ENGINE_ANSWER);
    if (take_loot(steal, &loot)) {
        send_message(steal, question->from, STEAL_LOOT, loot);
        return;
    }
    if (question->lifeline >= 0)
        steal->ranks.waiting |= 1u << question->lifeline;
    send_message(steal, question->from, STEAL_NONE, loot);
}

static void give_to_waiting(struct steal *steal)
{
    int ranks = steal->comm->ranks;
    for (int k = 0; steal->ranks.waiting != 0; k++) {
        struct steal_message loot = {0};
        if ((steal->ranks.waiting >> k & 1) == 0)
            continue;
        if (atomic_load(&steal->loaded) == 0 || !take_loot(steal, &loot))
            return;
        steal->ranks.waiting &= ~(1u << k);
        int to = (int)((steal->comm->rank - (1LL << k) + ranks) % ranks);
        send_message(steal, to, STEAL_GIFT, loot);
    }
}

/* ---- the thief ---- */

static void receive_loot(struct steal *steal,
                         const struct steal_message *message)
{
    int slot = steal->workers;
    while (steal_size(steal_look(&steal->range[slot])) > 0)
        slot++;
    steal->ranks.received += message->number;
    steal->ranks.tally.steals++;
    steal->ranks.tally.iterations += message->number;
    new_round(steal);
    atomic_fetch_add(&steal->loaded, 1);
    atomic_store(&steal->range[slot].ends,
                 steal_ends(message->start, message->start + message->number));
    engine_wake(&steal->moved);
}

/* The k of a lifeline, -1: the rank is no lifeline. */
static int lifeline_to(const struct steal *steal, int rank)
{
    int ranks = steal->comm->ranks;
    int distance = (rank - steal->comm->rank + ranks) % ranks;
    for (int k = 0; k < steal->ranks.lifelines; k++)
        if (distance == 1 << k)
            return k;
    return -1;
}

/* Random or near victims, then the remaining lifelines; -1: all were asked. */
static int next_victim(struct steal *steal)
{
    int ranks = steal->comm->ranks;
    int victim = victims_next(&steal->ranks.victims, &steal->ranks.round, TRIES,
                              &steal->ranks.random);
    for (int k = 0; victim < 0 && k < steal->ranks.lifelines; k++)
        if ((steal->ranks.asked_lifelines >> k & 1) == 0)
            victim = (int)((steal->comm->rank + (1LL << k)) % ranks);
    return victim;
}

/* ---- the end ---- */

/* Below rank r are 2 r + 1 and 2 r + 2. */
static void pass_end(struct steal *steal)
{
    int below = 2 * steal->comm->rank + 1;
    for (int to = below; to <= below + 1 && to < steal->comm->ranks; to++)
        send_message(steal, to, STEAL_END, (struct steal_message){0});
    atomic_store(&steal->ended, true);
    engine_wake(&steal->moved);
}

static void count_all(struct steal *steal, int64_t number, int32_t ranks)
{
    steal->ranks.counted += number;
    steal->ranks.counted_ranks += ranks;
    /* Also to itself, as its last message. */
    if (steal->ranks.counted == steal->loop->iterations &&
        steal->ranks.counted_ranks == steal->comm->ranks)
        send_message(steal, 0, STEAL_END, (struct steal_message){0});
}

/* By a rank that sleeps: the iterations taken since its last report, and the
 * reports from below. */
static void send_report(struct steal *steal)
{
    const int64_t *share = steal->loop->share + steal->first_worker;
    int64_t taken = share[steal->workers] - share[0] + steal->ranks.received -
                    steal->ranks.given;
    int64_t number = taken - steal->ranks.reported + steal->ranks.below;
    int32_t ranks = !steal->ranks.reported_once + steal->ranks.below_ranks;
    if (number == 0 && ranks == 0)
        return;
    steal->ranks.reported = taken;
    steal->ranks.reported_once = true;
    steal->ranks.below = 0;
    steal->ranks.below_ranks = 0;
    if (steal->comm->rank == 0)
        count_all(steal, number, ranks);
    else
        send_message(steal, (steal->comm->rank - 1) / 2, STEAL_REPORT,
                     (struct steal_message){.number = number, .ranks = ranks});
}

/* ---- both ---- */

static void follow_up(struct steal *steal)
{
    if (atomic_load(&steal->ended))
        return;
    give_to_waiting(steal);
    /* No iterations are left here, and a thread is idle. */
    if (!steal->ranks.asked && !steal->ranks.asleep &&
        atomic_load(&steal->loaded) == 0 && atomic_load(&steal->idle) > 0) {
        int victim = next_victim(steal);
        if (victim >= 0) {
            int lifeline = lifeline_to(steal, victim);
            if (lifeline >= 0)
                steal->ranks.asked_lifelines |= 1u << lifeline;
            steal->ranks.asked = true;
            send_message(steal, victim, STEAL_ASK,
                         (struct steal_message){.lifeline = lifeline});
        } else
            steal->ranks.asleep = true;
    }
    if (steal_is_deserted(steal) && !steal->ranks.asked &&
        atomic_load(&steal->loaded) == 0)
        steal->ranks.asleep = true;
    if (steal->ranks.asleep)
        send_report(steal);
}

/* A separate function, so that a poll without a message saves no registers. */
static __attribute__((noinline)) void
handle_message(struct steal *steal, const struct steal_message *message)
{
    steal->ranks.taken++;
    switch ((enum steal_kind)message->kind) {
    case STEAL_ASK:
        answer_question(steal, message);
        break;
    case STEAL_LOOT:
        steal->ranks.asked = false;
        receive_loot(steal, message);
        break;
    case STEAL_NONE:
        steal->ranks.asked = false;
        steal->ranks.tally.failed++;
        break;
    case STEAL_GIFT:
        receive_loot(steal, message);
        break;
    case STEAL_REPORT:
        steal->ranks.below += message->number;
        steal->ranks.below_ranks += message->ranks;
        break;
    case STEAL_END:
        pass_end(steal);
        break;
    }
    if (!atomic_load(&steal->ended))
        mailbox_post(&steal->ranks.box, 1);
    follow_up(steal);
}

/* Handles a message if one has arrived. */
static bool take_message(struct steal *steal)
{
    const struct steal_message *message = mailbox_take(&steal->ranks.box);
    if (message != NULL)
        handle_message(steal, message);
    return message != NULL;
}

/* Whether to poll for messages at all: ranks poll constantly, and in simulation
 * a poll takes as long to simulate as a message. */
static bool may_arrive(const struct steal *steal)
{
    if (steal->ranks.box.posted == 0)
        return false;
    return steal->loop->mail == NULL ||
           steal->loop->mail[steal->comm->rank] != steal->ranks.taken;
}

bool steal_poll(struct steal *steal)
{
    bool any = false;
    if (!comm_try(steal->comm))
        return false;
    follow_up(steal);
    while (may_arrive(steal) && take_message(steal))
        any = true;
    comm_end(steal->comm);
    return any;
}

/* If each thread has its own address, thread 0 gets the messages. */
static bool is_receiver(const struct steal *steal)
{
    const struct comm *comm = steal->comm;
    return comm->ranks > 1 &&
           (comm->lanes == 1 ||
            comm_self(comm) == comm_address(comm, comm->rank, 0));
}

void steal_pause(struct steal *steal, struct engine_idle *idle)
{
    const struct engine_patience *patience = &steal->patience;
    MPI_Status status;
    if (!is_receiver(steal)) {
        engine_idle(idle, patience, &steal->moved);
        return;
    }
    if (!steal->comm->moving) {
        if (steal_poll(steal))
            *idle = (struct engine_idle){0};
        else
            engine_idle(idle, patience, NULL);
        return;
    }
    follow_up(steal);
    /* comm_pause blocks, so there must be nothing else to do. */
    if (atomic_load(&steal->loaded) > 0)
        return;
    MPI_Request *oldest = mailbox_oldest(&steal->ranks.box);
    if (comm_pause(steal->comm, idle, patience, &steal->moved, oldest,
                   oldest != NULL, &status) == 0)
        take_message(steal);
}
