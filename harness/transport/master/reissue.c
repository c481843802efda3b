#include "harness/transport/master/reissue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int reissue_open(struct reissue *book, int64_t iterations, int workers,
                 double allowed_s, double least_s)
{
    *book = (struct reissue){.iterations = iterations,
                             .workers = workers,
                             .allowed_s = allowed_s,
                             .least_s = least_s,
                             .first = -1};
    book->place = calloc((size_t)iterations + 1, sizeof(*book->place));
    return book->place != NULL ? 0 : -ENOMEM;
}

void reissue_close(struct reissue *book)
{
    free(book->entry);
    free(book->holder);
    free(book->place);
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

static void *grow(void *list, int32_t count, int32_t *room, size_t size)
{
    if (count < *room)
        return list;
    int32_t more = *room * 2 + 256;
    void *moved = realloc(list, (size_t)more * size);
    if (moved == NULL)
        abort(); /* a few bytes for a chunk: nothing sensible is left */
    *room = more;
    return moved;
}

static void hold(struct reissue *book, struct reissue_entry *entry, int worker)
{
    book->holder = grow(book->holder, book->holders, &book->holder_room,
                        sizeof(*book->holder));
    book->holder[book->holders] =
        (struct reissue_holder){worker, entry->holders};
    entry->holders = book->holders++;
}

static bool has_had(const struct reissue *book,
                    const struct reissue_entry *entry, int worker)
{
    for (int32_t h = entry->holders; h >= 0; h = book->holder[h].next)
        if (book->holder[h].worker == worker)
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

static double due(const struct reissue *book, const struct chunk *chunk,
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
    book->entry =
        grow(book->entry, book->count, &book->room, sizeof(*book->entry));
    int32_t i = book->count++;
    book->entry[i] = (struct reissue_entry){.chunk = *chunk,
                                            .due_s = due(book, chunk, now_s),
                                            .winner = -1,
                                            .holders = -1};
    book->place[chunk->start] = i + 1;
    book->fresh += chunk->size;
    hold(book, &book->entry[i], worker);
    put_in(book, i);
}

void reissue_out(struct reissue *book, int worker, const struct chunk *chunk,
                 double now_s)
{
    engine_lock(&book->lock);
    write_out(book, worker, chunk, now_s);
    engine_unlock(&book->lock);
}

/* The one that is due first of those that the worker has not had; -1: none. */
static int32_t find_due(const struct reissue *book, int worker)
{
    int32_t found = -1;
    for (int32_t i = book->first; i >= 0; i = book->entry[i].after)
        if ((found < 0 || book->entry[i].due_s < book->entry[found].due_s) &&
            !has_had(book, &book->entry[i], worker))
            found = i;
    return found;
}

/* What is kept for workers that have not come until everybody should be done.
 */
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

/* Until somebody may come for what is kept for him, or what is out is due. */
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
        book->entry[next].due_s = due(book, chunk, now_s);
        hold(book, &book->entry[next], worker);
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
    int32_t first = entry->holders; /* the last of their list */
    while (book->holder[first].next >= 0)
        first = book->holder[first].next;
    bool tells = book->holder[first].worker == worker &&
                 (entry->winner < 0 || entry->winner == worker);
    engine_unlock(&book->lock);
    return tells;
}

static bool ready(void *book)
{
    return reissue_is_over(book);
}

void reissue_await(struct reissue *book, const struct engine_patience *patience)
{
    engine_wait(patience, &book->ended, ready, book);
}

int reissue_winner(const struct reissue *book, int64_t start)
{
    int32_t at = book->place[start];
    return at > 0 ? book->entry[at - 1].winner : -1;
}
