/* Counts events through PAPI, an event set for each component. */
#include "harness/counters/papi_events.h"
#include "harness/counters/perf.h"

#include <errno.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROUPS_MAX = 8 };

/* PAPI counts the events of one component at a time: one event set each. */
struct group {
    int component, count;
    int event[COUNTERS_MAX]; /* number in the list */
    int code[COUNTERS_MAX];
    bool multiplex;
};

/* A thread's event sets. */
struct sets {
    int set[GROUPS_MAX]; /* PAPI_NULL: this thread could not start it */
};

struct papi_events {
    int groups;
    struct group group[GROUPS_MAX];
    int threads;
    struct sets *sets;
};

static unsigned long thread_id(void)
{
    return (unsigned long)gettid();
}

static void say_why(char *why, const char *event, int code)
{
    char pmu[COUNTERS_WHY_SIZE];
    bool native = strncmp(event, "PAPI_", 5) != 0;
    if (!native && events_no_pmu(pmu, sizeof(pmu)))
        snprintf(why, COUNTERS_WHY_SIZE, "%s", pmu);
    else if (!native && code == PAPI_ENOEVNT)
        snprintf(why, COUNTERS_WHY_SIZE, "this processor has no such counter");
    else
        snprintf(why, COUNTERS_WHY_SIZE, "PAPI: %s", PAPI_strerror(code));
}

/* ---- event sets ---- */

/* Dismantles an event set; PAPI answers with an error if it is incomplete,
 * which can be ignored. */
static void set_remove(int set)
{
    if (set == PAPI_NULL)
        return;
    PAPI_stop(set, NULL);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

/* An event set of the calling thread that counts; PAPI_OK or PAPI's error. */
static int set_start(const struct group *group, int *out)
{
    int set = PAPI_NULL;
    int code = PAPI_create_eventset(&set);
    if (code == PAPI_OK)
        code = PAPI_assign_eventset_component(set, group->component);
    if (code == PAPI_OK && group->multiplex)
        code = PAPI_set_multiplex(set);
    for (int i = 0; code == PAPI_OK && i < group->count; i++)
        code = PAPI_add_event(set, group->code[i]);
    if (code == PAPI_OK)
        code = PAPI_start(set);
    if (code == PAPI_OK)
        *out = set;
    else
        set_remove(set);
    return code;
}

static int set_try(const struct group *group)
{
    int set = PAPI_NULL;
    int code = set_start(group, &set);
    set_remove(set);
    return code;
}

/* ---- opening ---- */

/* Whether an event can be counted alone. */
static int try_alone(const char *name, struct group *alone)
{
    *alone = (struct group){.count = 1};
    int code = PAPI_event_name_to_code((char *)name, &alone->code[0]);
    if (code == PAPI_OK)
        code = PAPI_query_event(alone->code[0]);
    if (code != PAPI_OK)
        return code;
    alone->component = PAPI_get_event_component(alone->code[0]);
    return alone->component < 0 ? alone->component : set_try(alone);
}

static struct group *find_group(struct papi_events *events, int component)
{
    for (int i = 0; i < events->groups; i++)
        if (events->group[i].component == component)
            return &events->group[i];
    if (events->groups == GROUPS_MAX)
        return NULL;
    struct group *group = &events->group[events->groups++];
    *group = (struct group){.component = component};
    return group;
}

/* More than the processor has counters for take turns. */
static int fit_group(struct group *group)
{
    int code = set_try(group);
    if (code == PAPI_OK || group->count == 1)
        return code;
    group->multiplex = PAPI_multiplex_init() == PAPI_OK;
    return group->multiplex ? set_try(group) : code;
}

/* Tries each event alone, for its own reason, and then all events of a
 * component together.  A group that fails together counts nothing. */
static void open_groups(struct papi_events *events,
                        const struct counters_list *list,
                        char why[][COUNTERS_WHY_SIZE])
{
    for (int i = 0; i < list->count; i++) {
        struct perf_event_attr attr;
        struct group alone;
        if (perf_find(list->name[i], &attr))
            continue;
        int code = try_alone(list->name[i], &alone);
        struct group *group =
            code == PAPI_OK ? find_group(events, alone.component) : NULL;
        if (group == NULL) {
            say_why(why[i], list->name[i],
                    code == PAPI_OK ? PAPI_ECOUNT : code);
            continue;
        }
        group->event[group->count] = i;
        group->code[group->count++] = alone.code[0];
    }
    for (int g = 0; g < events->groups; g++) {
        struct group *group = &events->group[g];
        int code = fit_group(group);
        for (int i = 0; code != PAPI_OK && i < group->count; i++)
            say_why(why[group->event[i]], list->name[group->event[i]], code);
        if (code != PAPI_OK)
            group->count = 0;
    }
}

/* PAPI 7 crashes in a thread after PAPI_unregister_thread, which
 * events_thread_close calls. */
bool events_library_open(void)
{
    return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT &&
           PAPI_thread_init(thread_id) == PAPI_OK &&
           PAPI_register_thread() == PAPI_OK;
}

const char *const *events_default(void)
{
    static const char *const presets[] = {"PAPI_TOT_CYC", "PAPI_TOT_INS",
                                          "PAPI_L2_TCM",  "PAPI_L3_TCM",
                                          "PAPI_REF_CYC", NULL};
    bool known =
        events_library_open() && PAPI_query_event(PAPI_TOT_CYC) == PAPI_OK;
    return known ? presets : perf_default;
}

int events_open(struct papi_events **out, const struct counters_list *list,
                int threads, char why[][COUNTERS_WHY_SIZE], struct error *err)
{
    struct papi_events *events = calloc(1, sizeof(*events));
    struct sets *sets = calloc((size_t)threads, sizeof(*sets));
    if (events == NULL || sets == NULL) {
        free(events);
        free(sets);
        return error_set(err, ENOMEM, "no memory for the counters");
    }
    events->sets = sets;
    events->threads = threads;
    for (int t = 0; t < threads; t++)
        for (int g = 0; g < GROUPS_MAX; g++)
            sets[t].set[g] = PAPI_NULL;
    if (events_library_open())
        open_groups(events, list, why);
    else {
        struct perf_event_attr attr;
        for (int i = 0; i < list->count; i++)
            if (!perf_find(list->name[i], &attr))
                snprintf(why[i], COUNTERS_WHY_SIZE,
                         "the PAPI library does not start");
    }
    *out = events;
    return 0;
}

/* PAPI itself stays open: the process ends soon, and its other users keep
 * counting. */
void events_close(struct papi_events *events)
{
    free(events->sets);
    free(events);
}

static bool is_processor(int component)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    return info != NULL && strcmp(info->name, "perf_event") == 0;
}

bool events_multiplexed(const struct papi_events *events)
{
    for (int g = 0; g < events->groups; g++)
        if (events->group[g].multiplex && events->group[g].count > 0)
            return true;
    return false;
}

bool events_count(const struct papi_events *events, bool processor)
{
    for (int g = 0; g < events->groups; g++)
        if (events->group[g].count > 0 &&
            (!processor || is_processor(events->group[g].component)))
            return true;
    return false;
}

/* ---- by the threads ---- */

uint32_t events_thread_open(struct papi_events *events, int thread)
{
    uint32_t known = 0;
    PAPI_register_thread();
    for (int g = 0; g < events->groups; g++) {
        const struct group *group = &events->group[g];
        int *set = &events->sets[thread].set[g];
        if (group->count == 0 || set_start(group, set) != PAPI_OK)
            continue;
        for (int i = 0; i < group->count; i++)
            known |= UINT32_C(1) << group->event[i];
    }
    return known;
}

void events_thread_close(struct papi_events *events, int thread)
{
    for (int g = 0; g < events->groups; g++)
        set_remove(events->sets[thread].set[g]);
    PAPI_unregister_thread();
}

void events_read(struct papi_events *events, int thread, int64_t *counts)
{
    long long value[COUNTERS_MAX] = {0};
    for (int g = 0; g < events->groups; g++) {
        const struct group *group = &events->group[g];
        int set = events->sets[thread].set[g];
        if (set == PAPI_NULL || PAPI_read(set, value) != PAPI_OK)
            continue;
        for (int i = 0; i < group->count; i++)
            counts[group->event[i]] = value[i];
    }
}
