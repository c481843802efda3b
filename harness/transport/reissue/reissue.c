#include "harness/transport/reissue/reissue.h"

#include "base/invariant.h"
#include "base/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t entry_bytes(const struct reissue *book)
{
    return (size_t)book->iterations * sizeof(*book->entry);
}

static size_t place_bytes(const struct reissue *book)
{
    return (size_t)book->iterations * sizeof(*book->place);
}

int reissue_open(struct reissue *book, int64_t iterations, int workers,
                 double allowed_s, double least_s)
{
    *book = (struct reissue){.iterations = iterations,
                             .workers = workers,
                             .allowed_s = allowed_s,
                             .least_s = least_s,
                             .first = -1};
    book->entry = pages_map(entry_bytes(book));
    book->place = pages_map(place_bytes(book));
    if (book->entry != NULL && book->place != NULL)
        return 0;
    reissue_close(book);
    return -ENOMEM;
}

void reissue_close(struct reissue *book)
{
    pages_unmap(book->entry, entry_bytes(book));
    pages_unmap(book->place, place_bytes(book));
    free(book->holder);
    *book = (struct reissue){.first = -1};
}

void reissue_reset(struct reissue *book)
{
    for (int32_t i = 0; i < book->count; i++)
        book->place[book->entry[i].chunk.start] = 0;
    book->count = book->holders = 0;
    book->first = -1;
    book->fresh = book->placed = book->again = book->dropped = 0;
    book->began_s = book->over_s = 0;
    atomic_store(&book->over, false);
}

/* ---- lists ---- */

static bool has_room(struct reissue *book)
{
    if (book->holders < book->holder_room)
        return true;
    int32_t room = book->holder_room * 2 + 256;
    struct reissue_holder *more =
        realloc(book->holder, (size_t)room * sizeof(*more));
    if (more == NULL)
        return false;
    book->holder = more;
    book->holder_room = room;
    return true;
}

static void hold_chunk(struct reissue *book, struct reissue_entry *entry,
                       int worker)
{
    if (!has_room(book))
        return;
    book->holder[book->holders] = (struct reissue_holder){worker, entry->later};
    entry->later = book->holders++;
}

/* The cursor is 1 behind the first, and then 2 more than the place of the one
 * that was told. */
int reissue_holder(const struct reissue *book,
                   const struct reissue_entry *entry, int32_t *cursor)
{
    int32_t at = entry->later;
    if (*cursor == 0) {
        *cursor = 1;
        return entry->worker;
    }
    if (*cursor > 1)
        at = book->holder[*cursor - 2].next;
    if (at < 0)
        return -1;
    *cursor = at + 2;
    return book->holder[at].worker;
}

static bool has_had(const struct reissue *book,
                    const struct reissue_entry *entry, int worker)
{
    int32_t cursor = 0;
    int holder;
    while ((holder = reissue_holder(book, entry, &cursor)) >= 0)
        if (holder == worker)
            return true;
    return false;
}

static void put_in(struct reissue *book, int32_t i)
{
    struct reissue_entry *entry = &book->entry[i];
    entry->before = -1;
    entry->after = book->first;
    if (book->first >= 0)
        book->entry[book->first].before = i;
    book->first = i;
}

static void take_out(struct reissue *book, const struct reissue_entry *entry)
{
    if (entry->before >= 0)
        book->entry[entry->before].after = entry->after;
    else
        book->first = entry->after;
    if (entry->after >= 0)
        book->entry[entry->after].before = entry->before;
}

/* ---- going out ---- */

static double due_time(const struct reissue *book, const struct chunk *chunk,
                       double now_s)
{
    double allowed = book->allowed_s * (double)chunk->size;
    return now_s + (allowed > book->least_s ? allowed : book->least_s);
}

/* Called with the lock held. */
static void write_out(struct reissue *book, int worker,
                      const struct chunk *chunk, double now_s)
{
    if (book->count == 0)
        book->began_s = now_s;
    invariant(book->count < book->iterations);
    int32_t i = book->count++;
    book->entry[i] =
        (struct reissue_entry){.chunk = *chunk,
                               .due_s = due_time(book, chunk, now_s),
                               .winner = -1,
                               .worker = worker,
                               .later = -1};
    book->place[chunk->start] = i + 1;
    book->fresh += chunk->size;
    put_in(book, i);
}

void reissue_out(struct reissue *book, int worker, const struct chunk *chunk,
                 double now_s)
{
    engine_lock(&book->lock);
    write_out(book, worker, chunk, now_s);
    engine_unlock(&book->lock);
}

/* The one due first among the chunks that this worker never had; -1: none. */
static int32_t find_due(const struct reissue *book, int worker)
{
    int32_t found = -1;
    for (int32_t i = book->first; i >= 0; i = book->entry[i].after)
        if ((found < 0 || book->entry[i].due_s < book->entry[found].due_s) &&
            !has_had(book, &book->entry[i], worker))
            found = i;
    return found;
}

/* Takes chunks reserved for workers still missing at the time when all work
 * should be done. */
static bool take_reserved(struct reissue *book, int worker, double now_s,
                          struct chunk *chunk)
{
    double share_s = book->allowed_s * (double)book->iterations / book->workers;
    if (book->reserved == NULL || book->fresh == book->iterations ||
        now_s - book->began_s < share_s)
        return false;
    for (int w = 0; w < book->workers; w++) {
        if (!book->reserved(book->arg, w, chunk))
            continue;
        write_out(book, worker, chunk, now_s);
        book->again++;
        return true;
    }
    return false;
}

/* The time until kept chunks go to any worker, or until a chunk is late. */
static double time_left(const struct reissue *book, int32_t next, double now_s)
{
    double left = next >= 0 ? book->entry[next].due_s - now_s : book->least_s;
    if (book->fresh < book->iterations) {
        double share_s =
            book->began_s - now_s +
            book->allowed_s * (double)book->iterations / book->workers;
        left = share_s < left ? share_s : left;
    }
    return left > book->least_s / 64 ? left : book->least_s / 64;
}

enum reissue_answer reissue_take(struct reissue *book, int worker, double now_s,
                                 struct chunk *chunk, double *wait_s)
{
    enum reissue_answer answer = REISSUE_CHUNK;
    engine_lock(&book->lock);
    int32_t next = find_due(book, worker);
    if (book->placed == book->iterations) {
        answer = REISSUE_OVER;
    } else if (next >= 0 && book->entry[next].due_s <= now_s) {
        *chunk = book->entry[next].chunk;
        book->entry[next].due_s = due_time(book, chunk, now_s);
        hold_chunk(book, &book->entry[next], worker);
        book->again++;
    } else if (!take_reserved(book, worker, now_s, chunk)) {
        answer = REISSUE_WAIT;
        *wait_s = time_left(book, next, now_s);
    }
    engine_unlock(&book->lock);
    return answer;
}

/* ---- coming back ---- */

bool reissue_claim(struct reissue *book, int worker, int64_t start)
{
    engine_lock(&book->lock);
    struct reissue_entry *entry = &book->entry[book->place[start] - 1];
    bool first = entry->winner < 0;
    if (first) {
        entry->winner = worker;
        take_out(book, entry);
    } else {
        book->dropped++;
    }
    engine_unlock(&book->lock);
    return first;
}

void reissue_placed(struct reissue *book, int64_t start, double now_s)
{
    engine_lock(&book->lock);
    book->placed += book->entry[book->place[start] - 1].chunk.size;
    bool over = book->placed == book->iterations;
    if (over) {
        book->over_s = now_s;
        atomic_store_explicit(&book->over, true, memory_order_release);
    }
    engine_unlock(&book->lock);
    if (over)
        engine_wake(&book->ended);
}

bool reissue_tells(struct reissue *book, int worker, int64_t start)
{
    engine_lock(&book->lock);
    const struct reissue_entry *entry = &book->entry[book->place[start] - 1];
    bool tells = entry->worker == worker &&
                 (entry->winner < 0 || entry->winner == worker);
    engine_unlock(&book->lock);
    return tells;
}

static bool is_over(void *book)
{
    return reissue_is_over(book);
}

void reissue_await(struct reissue *book, const struct engine_patience *patience)
{
    engine_wait(patience, &book->ended, is_over, book);
}

int reissue_winner(const struct reissue *book, int64_t start)
{
    int32_t at = book->place[start];
    return at > 0 ? book->entry[at - 1].winner : -1;
}

/* The worker has run its chunk.  A dropped chunk tells a scheme nothing: it may
 * have waited for the end of the loop. */
static void finish_chunk(struct reissue_source *source)
{
    const struct chunk *chunk = &source->current;
    size_t at = (size_t)chunk->start * source->output_bytes;
    if (chunk->size == 0)
        return;
    if (reissue_claim(source->book, source->base.worker, chunk->start)) {
        if (source->output != NULL)
            memcpy(source->output + at, source->own + at,
                   (size_t)chunk->size * source->output_bytes);
        reissue_placed(source->book, chunk->start, engine_now());
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
    while ((answer = reissue_take(source->book, source->base.worker,
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
        reissue_out(source->book, base->worker, chunk, engine_now());
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
