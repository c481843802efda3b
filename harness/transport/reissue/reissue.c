#include "harness/transport/reissue/reissue.h"

#include "base/invariant.h"
#include "base/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t entry_bytes(const struct reissue *ledger)
{
    return (size_t)ledger->iterations * sizeof(*ledger->entry);
}

static size_t place_bytes(const struct reissue *ledger)
{
    return (size_t)ledger->iterations * sizeof(*ledger->place);
}

int reissue_open(struct reissue *ledger, int64_t iterations, int workers,
                 double allowed_s, double least_s)
{
    *ledger = (struct reissue){.iterations = iterations,
                               .workers = workers,
                               .allowed_s = allowed_s,
                               .least_s = least_s,
                               .first = -1};
    ledger->entry = pages_map(entry_bytes(ledger));
    ledger->place = pages_map(place_bytes(ledger));
    if (ledger->entry != NULL && ledger->place != NULL)
        return 0;
    reissue_close(ledger);
    return -ENOMEM;
}

void reissue_close(struct reissue *ledger)
{
    pages_unmap(ledger->entry, entry_bytes(ledger));
    pages_unmap(ledger->place, place_bytes(ledger));
    free(ledger->holder);
    *ledger = (struct reissue){.first = -1};
}

void reissue_reset(struct reissue *ledger)
{
    for (int32_t i = 0; i < ledger->count; i++)
        ledger->place[ledger->entry[i].chunk.start] = 0;
    ledger->count = ledger->holders = 0;
    ledger->first = -1;
    ledger->fresh = ledger->placed = ledger->again = ledger->dropped = 0;
    ledger->began_s = ledger->over_s = 0;
    atomic_store(&ledger->over, false);
}

/* ---- lists ---- */

static bool has_room(struct reissue *ledger)
{
    if (ledger->holders < ledger->holder_room)
        return true;
    int32_t room = ledger->holder_room * 2 + 256;
    struct reissue_holder *more =
        realloc(ledger->holder, (size_t)room * sizeof(*more));
    if (more == NULL)
        return false;
    ledger->holder = more;
    ledger->holder_room = room;
    return true;
}

static void hold_chunk(struct reissue *ledger, struct reissue_entry *entry,
                       int worker)
{
    if (!has_room(ledger))
        return;
    ledger->holder[ledger->holders] =
        (struct reissue_holder){worker, entry->later};
    entry->later = ledger->holders++;
}

/* After the first holder the cursor is 1, then the position of the last one
 * plus 2. */
int reissue_holder(const struct reissue *ledger,
                   const struct reissue_entry *entry, int32_t *cursor)
{
    int32_t at = entry->later;
    if (*cursor == 0) {
        *cursor = 1;
        return entry->worker;
    }
    if (*cursor > 1)
        at = ledger->holder[*cursor - 2].next;
    if (at < 0)
        return -1;
    *cursor = at + 2;
    return ledger->holder[at].worker;
}

static bool has_had(const struct reissue *ledger,
                    const struct reissue_entry *entry, int worker)
{
    int32_t cursor = 0;
    int holder;
    while ((holder = reissue_holder(ledger, entry, &cursor)) >= 0)
        if (holder == worker)
            return true;
    return false;
}

static void put_in(struct reissue *ledger, int32_t i)
{
    struct reissue_entry *entry = &ledger->entry[i];
    entry->before = -1;
    entry->after = ledger->first;
    if (ledger->first >= 0)
        ledger->entry[ledger->first].before = i;
    ledger->first = i;
}

static void take_out(struct reissue *ledger, const struct reissue_entry *entry)
{
    if (entry->before >= 0)
        ledger->entry[entry->before].after = entry->after;
    else
        ledger->first = entry->after;
    if (entry->after >= 0)
        ledger->entry[entry->after].before = entry->before;
}

/* ---- going out ---- */

static double due_time(const struct reissue *ledger, const struct chunk *chunk,
                       double now_s)
{
    double allowed = ledger->allowed_s * (double)chunk->size;
    return now_s + (allowed > ledger->least_s ? allowed : ledger->least_s);
}

/* Called with the lock held. */
static void write_out(struct reissue *ledger, int worker,
                      const struct chunk *chunk, double now_s)
{
    if (ledger->count == 0)
        ledger->began_s = now_s;
    invariant(ledger->count < ledger->iterations);
    int32_t i = ledger->count++;
    ledger->entry[i] =
        (struct reissue_entry){.chunk = *chunk,
                               .due_s = due_time(ledger, chunk, now_s),
                               .winner = -1,
                               .worker = worker,
                               .later = -1};
    ledger->place[chunk->start] = i + 1;
    ledger->fresh += chunk->size;
    put_in(ledger, i);
}

void reissue_out(struct reissue *ledger, int worker, const struct chunk *chunk,
                 double now_s)
{
    engine_lock(&ledger->lock);
    write_out(ledger, worker, chunk, now_s);
    engine_unlock(&ledger->lock);
}

/* The one due first among the chunks that this worker never had; -1: none. */
static int32_t find_due(const struct reissue *ledger, int worker)
{
    int32_t found = -1;
    for (int32_t i = ledger->first; i >= 0; i = ledger->entry[i].after)
        if ((found < 0 ||
             ledger->entry[i].due_s < ledger->entry[found].due_s) &&
            !has_had(ledger, &ledger->entry[i], worker))
            found = i;
    return found;
}

/* Takes chunks reserved for workers still missing at the time when all work
 * should be done. */
static bool take_reserved(struct reissue *ledger, int worker, double now_s,
                          struct chunk *chunk)
{
    double share_s =
        ledger->allowed_s * (double)ledger->iterations / ledger->workers;
    if (ledger->reserved == NULL || ledger->fresh == ledger->iterations ||
        now_s - ledger->began_s < share_s)
        return false;
    for (int w = 0; w < ledger->workers; w++) {
        if (!ledger->reserved(ledger->arg, w, chunk))
            continue;
        write_out(ledger, worker, chunk, now_s);
        ledger->again++;
        return true;
    }
    return false;
}

/* The time until kept chunks go to any worker, or until a chunk is late. */
static double time_left(const struct reissue *ledger, int32_t next,
                        double now_s)
{
    double left =
        next >= 0 ? ledger->entry[next].due_s - now_s : ledger->least_s;
    if (ledger->fresh < ledger->iterations) {
        double share_s =
            ledger->began_s - now_s +
            ledger->allowed_s * (double)ledger->iterations / ledger->workers;
        left = share_s < left ? share_s : left;
    }
    return left > ledger->least_s / 64 ? left : ledger->least_s / 64;
}

enum reissue_answer reissue_take(struct reissue *ledger, int worker,
                                 double now_s, struct chunk *chunk,
                                 double *wait_s)
{
    enum reissue_answer answer = REISSUE_CHUNK;
    engine_lock(&ledger->lock);
    int32_t next = find_due(ledger, worker);
    if (ledger->placed == ledger->iterations) {
        answer = REISSUE_OVER;
    } else if (next >= 0 && ledger->entry[next].due_s <= now_s) {
        *chunk = ledger->entry[next].chunk;
        ledger->entry[next].due_s = due_time(ledger, chunk, now_s);
        hold_chunk(ledger, &ledger->entry[next], worker);
        ledger->again++;
    } else if (!take_reserved(ledger, worker, now_s, chunk)) {
        answer = REISSUE_WAIT;
        *wait_s = time_left(ledger, next, now_s);
    }
    engine_unlock(&ledger->lock);
    return answer;
}

/* ---- coming back ---- */

bool reissue_claim(struct reissue *ledger, int worker, int64_t start)
{
    engine_lock(&ledger->lock);
    struct reissue_entry *entry = &ledger->entry[ledger->place[start] - 1];
    bool first = entry->winner < 0;
    if (first) {
        entry->winner = worker;
        take_out(ledger, entry);
    } else {
        ledger->dropped++;
    }
    engine_unlock(&ledger->lock);
    return first;
}

void reissue_placed(struct reissue *ledger, int64_t start, double now_s)
{
    engine_lock(&ledger->lock);
    ledger->placed += ledger->entry[ledger->place[start] - 1].chunk.size;
    bool over = ledger->placed == ledger->iterations;
    if (over) {
        ledger->over_s = now_s;
        atomic_store_explicit(&ledger->over, true, memory_order_release);
    }
    engine_unlock(&ledger->lock);
    if (over)
        engine_wake(&ledger->ended);
}

bool reissue_counts(struct reissue *ledger, int worker, int64_t start)
{
    engine_lock(&ledger->lock);
    const struct reissue_entry *entry =
        &ledger->entry[ledger->place[start] - 1];
    bool reports = entry->worker == worker &&
                   (entry->winner < 0 || entry->winner == worker);
    engine_unlock(&ledger->lock);
    return reports;
}

static bool is_over(void *ledger)
{
    return reissue_is_over(ledger);
}

void reissue_await(struct reissue *ledger,
                   const struct engine_patience *patience)
{
    engine_wait(patience, &ledger->ended, is_over, ledger);
}

int reissue_winner(const struct reissue *ledger, int64_t start)
{
    int32_t at = ledger->place[start];
    return at > 0 ? ledger->entry[at - 1].winner : -1;
}

/* The worker has run its chunk.  A scheme does not learn from a dropped chunk,
 * which may have waited for the end of the loop. */
static void finish_chunk(struct reissue_source *source)
{
    const struct chunk *chunk = &source->current;
    size_t at = (size_t)chunk->start * source->output_bytes;
    if (chunk->size == 0)
        return;
    if (reissue_claim(source->ledger, source->base.worker, chunk->start)) {
        if (source->output != NULL)
            memcpy(source->output + at, source->own + at,
                   (size_t)chunk->size * source->output_bytes);
        reissue_placed(source->ledger, chunk->start, engine_now());
    } else {
        source->inner->dropped = true;
    }
    source->current.size = 0;
}

/* False: the loop is over. */
static bool take_again(struct reissue_source *source, struct chunk *chunk)
{
    enum reissue_answer answer;
    double wait_s, since = 0;
    while ((answer = reissue_take(source->ledger, source->base.worker,
                                  engine_now(), chunk, &wait_s)) ==
           REISSUE_WAIT) {
        if (since == 0)
            since = source_wait(&source->base);
        if (source->serve == NULL || !source->serve(source->arg))
            engine_sleep(engine_nap(wait_s, source->serve != NULL));
    }
    if (since != 0)
        source_go_on(&source->base, since);
    return answer == REISSUE_CHUNK;
}

static bool reissue_next(struct source *base, struct chunk *chunk)
{
    struct reissue_source *source = (struct reissue_source *)base;
    source->inner->watch = base->watch;
    finish_chunk(source);
    if (!source->dry && source_pass(base, source->inner, chunk)) {
        reissue_out(source->ledger, base->worker, chunk, engine_now());
    } else {
        source->dry = true;
        if (!take_again(source, chunk))
            return false;
    }
    source->current = *chunk;
    return true;
}

void reissue_source_open(struct reissue_source *source, int worker)
{
    source->base = (struct source){.next = reissue_next, .worker = worker};
    source->current = (struct chunk){0};
    source->dry = false;
}
