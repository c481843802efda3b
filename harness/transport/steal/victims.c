#include "harness/transport/steal/victims.h"

#include "base/random.h"

#include <errno.h>
#include <stdlib.h>

/* How far two sites are from each other: the tier. */
static int distance_tier(const struct site *a, const struct site *b)
{
    if (a->node != b->node)
        return 3;
    if (a->socket != b->socket)
        return 2;
    return a->cache != b->cache;
}

struct sorted {
    struct site site;
    int unit;
};

static int compare_sites(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->site.node != y->site.node)
        return x->site.node < y->site.node ? -1 : 1;
    if (x->site.socket != y->site.socket)
        return x->site.socket < y->site.socket ? -1 : 1;
    if (x->site.cache != y->site.cache)
        return x->site.cache < y->site.cache ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

int nearness_open(struct nearness *nearness, const struct site *site, int count)
{
    *nearness = (struct nearness){.count = count};
    if (site == NULL)
        return 0;
    size_t n = (size_t)count;
    struct sorted *sorted = calloc(n + 1, sizeof(*sorted));
    nearness->site = calloc(n + 1, sizeof(*nearness->site));
    nearness->order = calloc(n + 1, sizeof(*nearness->order));
    nearness->place = calloc(n + 1, sizeof(*nearness->place));
    if (!sorted || !nearness->site || !nearness->order || !nearness->place) {
        free(sorted);
        nearness_close(nearness);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct sorted){site[i], (int)i};
    qsort(sorted, n, sizeof(*sorted), compare_sites);
    for (size_t i = 0; i < n; i++) {
        nearness->site[i] = sorted[i].site;
        nearness->order[i] = sorted[i].unit;
        nearness->place[sorted[i].unit] = (int)i;
    }
    free(sorted);
    return 0;
}

void nearness_close(struct nearness *nearness)
{
    free(nearness->site);
    free(nearness->order);
    free(nearness->place);
    *nearness = (struct nearness){0};
}

void victims_open(struct victims *victims, const struct nearness *nearness,
                  int self, bool near)
{
    int from, to, place = nearness->place ? nearness->place[self] : self;
    *victims = (struct victims){.nearness = nearness, .self = place};
    from = place;
    to = place + 1;
    for (int d = 0; near && nearness->site != NULL && d < VICTIM_TIERS - 1;
         d++) {
        const struct site *site = nearness->site;
        int before = to - from;
        while (from > 0 && distance_tier(&site[from - 1], &site[place]) <= d)
            from--;
        while (to < nearness->count &&
               distance_tier(&site[to], &site[place]) <= d)
            to++;
        if (to - from == before)
            continue;
        victims->tier[victims->tiers].from = from;
        victims->tier[victims->tiers++].to = to;
    }
    if (to - from == nearness->count)
        return;
    victims->tier[victims->tiers].from = 0;
    victims->tier[victims->tiers++].to = nearness->count;
}

/* Number j of a tier, from 0: units before the inner tiers come first. */
static int unit_of(const struct victims *victims, int tier, int j)
{
    const struct nearness *nearness = victims->nearness;
    int from = victims->self, to = victims->self + 1;
    if (tier > 0) {
        from = victims->tier[tier - 1].from;
        to = victims->tier[tier - 1].to;
    }
    int left = from - victims->tier[tier].from;
    int place = j < left ? victims->tier[tier].from + j : to + j - left;
    return nearness->order ? nearness->order[place] : place;
}

static int size_of(const struct victims *victims, int tier)
{
    int inner = 1;
    if (tier > 0)
        inner = victims->tier[tier - 1].to - victims->tier[tier - 1].from;
    return victims->tier[tier].to - victims->tier[tier].from - inner;
}

int victims_next(const struct victims *victims, struct victims_round *round,
                 int most, uint64_t *random)
{
    if (round->tier == victims->tiers)
        return -1;
    int tier = round->tier, size = size_of(victims, tier);
    uint64_t drawn = 0;
    if (round->tried == 0 || size > most)
        drawn = random_next(random) % (uint64_t)size;
    if (round->tried == 0)
        round->first = (int)drawn;
    int j = size > most ? (int)drawn : (round->first + round->tried) % size;
    if (++round->tried == (size < most ? size : most)) {
        round->tier++;
        round->tried = 0;
    }
    return unit_of(victims, tier, j);
}
