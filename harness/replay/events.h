/* Future events, the earliest first: a heap with four children per node. Most
 * events are replaced by the same worker's next one. */
#ifndef HARNESS_REPLAY_EVENTS_H
#define HARNESS_REPLAY_EVENTS_H

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>

struct event {
    double at; /* s */
    uint32_t who;
    uint32_t what; /* the user's kind */
};

struct events {
    struct event *event;
    int64_t count, room;
};

/* The order of simultaneous events observed in SimGrid: number 1 first, then
 * the highest numbers first. */
static inline bool event_before(const struct event *a, const struct event *b)
{
    return (a->at < b->at) | ((a->at == b->at) & (a->who - 1 > b->who - 1));
}

/* The earliest of the children from `child` on, before `end`. It is
 * unpredictable, so the code avoids branches. */
static inline int64_t events_least(const struct event *list, int64_t child,
                                   int64_t end)
{
    int64_t least = child;
    if (end - child >= 4) {
        int64_t other = child + 2;
        least += event_before(&list[least + 1], &list[least]);
        other += event_before(&list[other + 1], &list[other]);
        return least +
               (other - least) * event_before(&list[other], &list[least]);
    }
    for (int64_t i = child + 1; i < end; i++)
        if (event_before(&list[i], &list[least]))
            least = i;
    return least;
}

/* Moves an event down from position `at` to its place. */
static inline void events_sink(struct events *events, int64_t at,
                               struct event moved)
{
    struct event *list = events->event;
    int64_t count = events->count;
    for (;;) {
        int64_t child = 4 * at + 1;
        if (child >= count)
            break;
        int64_t least = events_least(list, child, count);
        if (!event_before(&list[least], &moved))
            break;
        list[at] = list[least];
        at = least;
    }
    list[at] = moved;
}

/* Returns 0 or -ENOMEM. */
static inline int events_add(struct events *events, struct event added)
{
    int code = list_grow(&events->event, &events->room, events->count + 1,
                         sizeof(*events->event));
    if (code != 0)
        return code;
    struct event *list = events->event;
    int64_t at = events->count++;
    while (at > 0 && event_before(&added, &list[(at - 1) / 4])) {
        list[at] = list[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    list[at] = added;
    return 0;
}

/* Replaces the earliest event by this one. */
static inline void events_replace(struct events *events, struct event next)
{
    events_sink(events, 0, next);
}

/* Removes the earliest event; there must be one. */
static inline struct event events_take(struct events *events)
{
    struct event first = events->event[0];
    struct event last = events->event[--events->count];
    if (events->count > 0)
        events_sink(events, 0, last);
    return first;
}

#endif
