/* Stealing between ranks: see steal.h. */
#include "harness/transport/steal/steal_parts.h"

#include "base/random.h"

enum { STEAL_TAG = 1 };

/* Victims of one tier that are tried before the next; a smaller tier is tried
 * whole. */
enum { TRIES = 16 };

/* Short messages under way: more than one rank ever answers at a time. */
enum { KEPT = 32 };

enum steal_kind {
    STEAL_ASK,    /* for half of a range */
    STEAL_LOOT,   /* the answer: number iterations from start */
    STEAL_NONE,   /* the answer: there is nothing */
    STEAL_GIFT,   /* to a sleeping rank: as loot */
    STEAL_REPORT, /* from below: number iterations taken */
    STEAL_END,    /* from above: nothing is left */
};

/* ---- opening ---- */

void steal_ranks_open(struct steal *steal)
{
    const struct comm *comm = steal->comm;
    while (comm->ranks > 1 << steal->lifelines)
        steal->lifelines++;
    /* An answer, and a gift from every lifeline: a rank asks only when it has
     * nothing at all. */
    steal->slots = comm->ranks > 1 ? 1 + steal->lifelines : 0;
    steal->outbox.room = KEPT;
    victims_open(&steal->victims, &steal->loop->ranks, comm->rank,
                 steal->loop->near);
}

static void new_round(struct steal *steal)
{
    steal->round = (struct victims_round){0};
    steal->asked_lifelines = 0;
    steal->asleep = false;
}

void steal_ranks_reset(struct steal *steal)
{
    uint64_t mixed = steal->loop->seed + (uint64_t)steal->loop->workers +
                     (uint64_t)steal->comm->rank;
    new_round(steal);
    steal->random = random_next(&mixed);
    steal->waiting = 0;
    steal->asked = steal->reported_once = false;
    steal->received = steal->given = steal->reported = 0;
    steal->below = steal->counted = 0;
    steal->below_ranks = steal->counted_ranks = 0;
    steal->tally = (struct steal_tally){0};
    steal->messages = steal->bytes = 0;
    steal->loop->mail[steal->comm->rank] = steal->taken = 0;
}

static void post(struct steal *steal)
{
    MPI_Irecv(&steal->incoming, sizeof(steal->incoming), MPI_BYTE,
              MPI_ANY_SOURCE, STEAL_TAG, steal->comm->all, &steal->receive);
}

void steal_listen(struct steal *steal)
{
    if (steal->comm->ranks > 1)
        post(steal);
}

bool steal_polls(const struct steal *steal)
{
    return steal->comm->ranks > 1;
}

void steal_finish(struct steal *steal)
{
    comm_outbox_close(&steal->outbox);
}

/* ---- sending ---- */

_Static_assert(sizeof(struct steal_message) <= COMM_SHORT_BYTES, "short");
static void say(struct steal *steal, int to, enum steal_kind kind,
                struct steal_message message)
{
    const struct comm *comm = steal->comm;
    message.kind = (int32_t)kind;
    message.from = comm->rank;
    comm_send_short(comm, &steal->outbox, &message, sizeof(message),
                    comm_address(comm, to, 0), STEAL_TAG);
    if (engine_simulated)
        steal->loop->mail[to]++;
    steal->messages++;
    steal->bytes += (int64_t)sizeof(message);
}

/* ---- the victim ---- */

/* The part of a range that a rank gives: half.  Of loot by message that no
 * thread has begun, something stays, or it could wander about for ever. */
static int64_t offer_of(const struct steal *steal, int range, int64_t size)
{
    int64_t least = steal->loop->min_chunk;
    if (range < steal->workers)
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
        steal->given += take;
        loot->start = end;
        loot->number = take;
        return true;
    }
    return false;
}

static void answer(struct steal *steal, const struct steal_message *question)
{
    struct steal_message loot = {0};
    engine_charge(ENGINE_ANSWER);
    if (take_loot(steal, &loot)) {
        say(steal, question->from, STEAL_LOOT, loot);
        return;
    }
    if (question->lifeline >= 0)
        steal->waiting |= 1u << question->lifeline;
    say(steal, question->from, STEAL_NONE, loot);
}

static void give_to_waiting(struct steal *steal)
{
    int ranks = steal->comm->ranks;
    for (int k = 0; steal->waiting != 0; k++) {
        struct steal_message loot = {0};
        if ((steal->waiting >> k & 1) == 0)
            continue;
        if (atomic_load(&steal->loaded) == 0 || !take_loot(steal, &loot))
            return;
        steal->waiting &= ~(1u << k);
        int to = (int)((steal->comm->rank - (1LL << k) + ranks) % ranks);
        say(steal, to, STEAL_GIFT, loot);
    }
}

/* ---- the thief ---- */

static void receive_loot(struct steal *steal,
                         const struct steal_message *message)
{
    int slot = steal->workers;
    while (steal_size(steal_look(&steal->range[slot])) > 0)
        slot++;
    steal->received += message->number;
    steal->tally.steals++;
    steal->tally.iterations += message->number;
    new_round(steal);
    atomic_fetch_add(&steal->loaded, 1);
    atomic_store(&steal->range[slot].ends,
                 steal_ends(message->start, message->start + message->number));
    engine_wake(&steal->moved);
}

/* The k of a lifeline, -1: this rank is none. */
static int lifeline_to(const struct steal *steal, int rank)
{
    int ranks = steal->comm->ranks;
    int distance = (rank - steal->comm->rank + ranks) % ranks;
    for (int k = 0; k < steal->lifelines; k++)
        if (distance == 1 << k)
            return k;
    return -1;
}

/* Random victims, or near ones, and then the lifelines that were not among
 * them; -1: all have been asked. */
static int next_victim(struct steal *steal)
{
    int ranks = steal->comm->ranks;
    int victim =
        victims_next(&steal->victims, &steal->round, TRIES, &steal->random);
    for (int k = 0; victim < 0 && k < steal->lifelines; k++)
        if ((steal->asked_lifelines >> k & 1) == 0)
            victim = (int)((steal->comm->rank + (1LL << k)) % ranks);
    return victim;
}

/* ---- the end ---- */

/* Below rank r are 2 r + 1 and 2 r + 2. */
static void pass_end(struct steal *steal)
{
    int below = 2 * steal->comm->rank + 1;
    for (int to = below; to <= below + 1 && to < steal->comm->ranks; to++)
        say(steal, to, STEAL_END, (struct steal_message){0});
    atomic_store(&steal->ended, true);
    engine_wake(&steal->moved);
}

static void count_all(struct steal *steal, int64_t number, int32_t ranks)
{
    steal->counted += number;
    steal->counted_ranks += ranks;
    /* To itself as to all others: then it receives nothing more. */
    if (steal->counted == steal->loop->iterations &&
        steal->counted_ranks == steal->comm->ranks)
        say(steal, 0, STEAL_END, (struct steal_message){0});
}

/* By a rank that sleeps: the iterations taken since its last report, and the
 * reports from below. */
static void report(struct steal *steal)
{
    const int64_t *share = steal->loop->share + steal->first_worker;
    int64_t taken =
        share[steal->workers] - share[0] + steal->received - steal->given;
    int64_t number = taken - steal->reported + steal->below;
    int32_t ranks = !steal->reported_once + steal->below_ranks;
    if (number == 0 && ranks == 0)
        return;
    steal->reported = taken;
    steal->reported_once = true;
    steal->below = 0;
    steal->below_ranks = 0;
    if (steal->comm->rank == 0)
        count_all(steal, number, ranks);
    else
        say(steal, (steal->comm->rank - 1) / 2, STEAL_REPORT,
            (struct steal_message){.number = number, .ranks = ranks});
}

/* ---- both ---- */

static void handle(struct steal *steal, const struct steal_message *message)
{
    switch ((enum steal_kind)message->kind) {
    case STEAL_ASK:
        answer(steal, message);
        break;
    case STEAL_LOOT:
        steal->asked = false;
        receive_loot(steal, message);
        break;
    case STEAL_NONE:
        steal->asked = false;
        steal->tally.failed++;
        break;
    case STEAL_GIFT:
        receive_loot(steal, message);
        break;
    case STEAL_REPORT:
        steal->below += message->number;
        steal->below_ranks += message->ranks;
        break;
    case STEAL_END:
        pass_end(steal);
        break;
    }
}

/* Nothing is left here, and a thread has nothing to do. */
static bool hungry(const struct steal *steal)
{
    return atomic_load(&steal->loaded) == 0 && atomic_load(&steal->idle) > 0;
}

static void ask(struct steal *steal, int victim)
{
    int lifeline = lifeline_to(steal, victim);
    if (lifeline >= 0)
        steal->asked_lifelines |= 1u << lifeline;
    steal->asked = true;
    say(steal, victim, STEAL_ASK, (struct steal_message){.lifeline = lifeline});
}

static void follow_up(struct steal *steal)
{
    if (atomic_load(&steal->ended))
        return;
    give_to_waiting(steal);
    if (!steal->asked && !steal->asleep && hungry(steal)) {
        int victim = next_victim(steal);
        if (victim >= 0)
            ask(steal, victim);
        else
            steal->asleep = true;
    }
    if (steal->asleep)
        report(steal);
}

/* The receive is complete. */
static void arrived(struct steal *steal)
{
    struct steal_message message = steal->incoming;
    steal->taken++;
    handle(steal, &message);
    if (!atomic_load(&steal->ended))
        post(steal);
    follow_up(steal);
}

/* Whether to look for messages at all.  In simulation a look takes as long to
 * simulate as a message, and every rank looks all the time. */
static bool may_arrive(const struct steal *steal)
{
    if (steal->receive == MPI_REQUEST_NULL)
        return false;
    return !engine_simulated ||
           steal->loop->mail[steal->comm->rank] != steal->taken;
}

bool steal_poll(struct steal *steal)
{
    bool any = false;
    if (!comm_try(steal->comm))
        return false;
    follow_up(steal);
    while (may_arrive(steal)) {
        int there;
        MPI_Test(&steal->receive, &there, MPI_STATUS_IGNORE);
        if (!there)
            break;
        arrived(steal);
        any = true;
    }
    comm_end(steal->comm);
    return any;
}

/* Messages go to thread 0 where each thread has its own address. */
static bool receives(const struct steal *steal)
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
    if (!receives(steal)) {
        engine_idle(idle, patience, &steal->moved);
        return;
    }
    if (engine_simulated)
        follow_up(steal);
    else if (steal_poll(steal)) {
        *idle = (struct engine_idle){0};
        return;
    }
    /* In simulation it blocks, so that there must be nothing else to do. */
    if (engine_simulated && atomic_load(&steal->loaded) > 0)
        return;
    if (comm_pause(steal->comm, idle, patience, &steal->moved, &steal->receive,
                   1, &status) == 0)
        arrived(steal);
}
