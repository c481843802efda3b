/* Reads the lines of harness/launch/launch.h.  The time from one line to the
 * next belongs to the cell that the first one names. */
#include "bench/launching/driver/launch_watch.h"

#include "harness/check/scheme_kind.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a launch may take to end after all its cells: MPI_Finalize of ranks
 * on a shared core may wait for ever over TCP (UCX 1.13: closing a connection
 * needs the other rank's help, which does not help while it waits in its last
 * barrier). */
static const double END_S = 5;

static int by_hash(const void *a, const void *b)
{
    const struct watched_cell *x = a, *y = b;
    return strcmp(x->cell->hash, y->cell->hash);
}

/* Trials have their own number, which is never exceeded. */
static int expect(const struct cell *cell, const struct policy *policy)
{
    struct scheme scheme;
    struct error err;
    bool tries = choice_by(cell) == CHOICE_TRIAL &&
                 scheme_parse(cell->scheme, &scheme, &err) == 0;
    return tries && scheme.rule.repetitions > policy->repetitions
               ? scheme.rule.repetitions
               : policy->repetitions;
}

void watch_open(struct watch *watch, const struct cell *cells, int count,
                const struct policy *policy, bool warms)
{
    *watch = (struct watch){.count = count,
                            .most = policy->repetitions_max,
                            .warms = warms,
                            .timeout = policy->cell_timeout,
                            .current = -1,
                            .last = -1};
    watch->cells = need_zeroed((size_t)count + 1, sizeof(*watch->cells));
    for (int i = 0; i < count; i++) {
        watch->cells[i].cell = &cells[i];
        watch->cells[i].expected = expect(&cells[i], policy);
    }
    qsort(watch->cells, (size_t)count, sizeof(*watch->cells), by_hash);
}

void watch_free(struct watch *watch)
{
    free(watch->cells);
    watch->cells = NULL;
}

void watch_launch(struct watch *watch, double now)
{
    watch->launched = watch->ended = watch->progressed = false;
    watch->current = watch->last = -1;
    watch->since = now;
    for (int i = 0; i < watch->count; i++) {
        if (watch->cells[i].state != CELL_WAITING)
            continue;
        watch->cells[i].repetitions = 0;
        watch->cells[i].seconds = 0;
    }
}

static int find_cell(const struct watch *watch, const char *hash)
{
    struct cell cell;
    struct watched_cell key = {.cell = &cell};
    snprintf(cell.hash, sizeof(cell.hash), "%s", hash);
    const struct watched_cell *found =
        bsearch(&key, watch->cells, (size_t)watch->count, sizeof(key), by_hash);
    return found ? (int)(found - watch->cells) : -1;
}

/* Repetitions of several cells may alternate, so a cell's time is the sum over
 * its repetitions. */
static void settle_time(struct watch *watch, double now)
{
    if (watch->current >= 0)
        watch->cells[watch->current].seconds += now - watch->since;
    watch->current = -1;
    watch->since = now;
}

/* Whether the line's first word is this one. */
static bool is_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 &&
           (line[length] == '\0' || line[length] == ' ');
}

static enum cell_state state_of(const char *word)
{
    if (strcmp(word, "ok") == 0)
        return CELL_OK;
    return strcmp(word, "unverified") == 0 ? CELL_UNVERIFIED : CELL_FAILED;
}

void watch_end(struct watch *watch, int cell, enum cell_state state)
{
    watch->cells[cell].state = state;
    watch->progressed = true;
}

bool watch_line(struct watch *watch, const char *line, double now)
{
    char hash[CELL_HASH_SIZE], word[16];
    int number;
    if (is_word(line, "@launch")) {
        watch->launched = true;
    } else if (is_word(line, "@serial")) {
        /* No cell runs. */
    } else if (is_word(line, "@end")) {
        watch->ended = true;
    } else if (sscanf(line, "@rep %16s %d", hash, &number) == 2) {
        settle_time(watch, now);
        watch->current = watch->last = find_cell(watch, hash);
        if (watch->current >= 0)
            watch->cells[watch->current].repetitions = number;
        return true;
    } else if (sscanf(line, "@done %16s %15s", hash, word) == 2) {
        settle_time(watch, now);
        int i = find_cell(watch, hash);
        if (i >= 0)
            watch_end(watch, i, state_of(word));
        return true;
    } else {
        return false;
    }
    settle_time(watch, now);
    return true;
}

int watch_failed(const struct watch *watch)
{
    return watch->current >= 0 || watch->progressed ? watch->current
                                                    : watch->last;
}

double watch_left(const struct watch *watch, double now)
{
    double used = now - watch->since;
    if (watch->current >= 0)
        used += watch->cells[watch->current].seconds;
    bool ends = watch->ended && watch->timeout > END_S;
    return (ends ? END_S : watch->timeout) - used;
}

bool watch_is_longer(const struct watched_cell *watched)
{
    return watched->state == CELL_WAITING &&
           watched->repetitions > watched->expected;
}

bool watch_any_longer(const struct watch *watch)
{
    for (int i = 0; i < watch->count; i++)
        if (watch_is_longer(&watch->cells[i]))
            return true;
    return false;
}

double watch_fraction(const struct watch *watch)
{
    double sum = 0;
    for (int i = 0; i < watch->count; i++) {
        const struct watched_cell *watched = &watch->cells[i];
        double begun = watched->repetitions;
        double all = watch_is_longer(watched) ? watch->most : watched->expected;
        double share =
            watch->warms ? begun / (all + 1) : fmax(begun - 1, 0) / all;
        /* A waiting cell may need more repetitions than expected. */
        sum += watched->state != CELL_WAITING ? 1 : share < 0.9 ? share : 0.9;
    }
    return watch->count > 0 ? sum / watch->count : 1;
}

int watch_count(const struct watch *watch, enum cell_state state)
{
    int count = 0;
    for (int i = 0; i < watch->count; i++)
        count += watch->cells[i].state == state;
    return count;
}
