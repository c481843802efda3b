#include "harness/counters/papi_events.h"
#include "harness/counters/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The characters of names, so that files and commands can have them
 * unquoted. */
#define NAME_LETTERS                                                           \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-.=+/@"

/* One worker's meter, on separate cache lines.  Counts: at the loop's begin, at
 * the last reading, and the sum over waits. */
struct meter {
    _Alignas(128) struct engine_watch watch;
    struct papi_events *events;
    struct perf *perf;
    int thread;
    uint32_t known;
    int64_t begin[COUNTERS_MAX], last[COUNTERS_MAX], wait[COUNTERS_MAX];
    int64_t readings;
    struct rusage before;
};

struct counters {
    struct counters_list list;
    char why[COUNTERS_MAX][COUNTERS_WHY_SIZE];
    struct papi_events *events; /* PAPI's */
    struct perf *perf;          /* the kernel's; NULL: none */
    struct meter *meter;
};

/* ---- the list ---- */

/* `default` reserves room for the events that replace it. */
static int list_add(struct counters_list *list, const char *name,
                    struct error *err)
{
    enum { DEFAULTS = 5 };
    int room = COUNTERS_MAX - list->count;
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->name[i], name) == 0)
            return 0;
        if (strcmp(list->name[i], "default") == 0)
            room -= DEFAULTS - 1;
    }
    if (room < (strcmp(name, "default") == 0 ? DEFAULTS : 1))
        return error_set(err, EINVAL, "events: more than %d", COUNTERS_MAX);
    snprintf(list->name[list->count++], COUNTERS_NAME_SIZE, "%s", name);
    return 0;
}

static int list_word(struct counters_list *list, const char *word,
                     struct error *err)
{
    struct perf_event_attr attr;
    if (strcmp(word, "none") == 0)
        return error_set(err, EINVAL, "events: none does not go with others");
    if (word[strspn(word, NAME_LETTERS)] != '\0')
        return error_set(err, EINVAL,
                         "events: '%s' has letters that no event has", word);
    int code = strcmp(word, "default") == 0 || perf_find(word, &attr)
                   ? 0
                   : events_check(word, err);
    return code == 0 ? list_add(list, word, err) : code;
}

/* Replaces `default` by its events here; each event once. */
static int list_expand(struct counters_list *list,
                       const struct counters_list *words, struct error *err)
{
    int code = 0;
    *list = (struct counters_list){.any = words->any};
    for (int i = 0; i < words->count && code == 0; i++) {
        if (strcmp(words->name[i], "default") != 0) {
            code = list_add(list, words->name[i], err);
            continue;
        }
        const char *const *event = events_default();
        for (int k = 0; event[k] != NULL && code == 0; k++)
            code = list_add(list, event[k], err);
    }
    return code;
}

int counters_parse(const char *text, struct counters_list *list,
                   struct error *err)
{
    char word[COUNTERS_NAME_SIZE];
    *list = (struct counters_list){.any = strcmp(text, "none") != 0};
    if (!list->any)
        return 0;
    for (const char *at = text;;) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ","), used = length;
        while (used > 0 && at[used - 1] == ' ')
            used--;
        if (used == 0)
            return error_set(err, EINVAL,
                             "events: '%s' has an empty name; allowed: none, "
                             "default, or names with commas (dlsbench list "
                             "events)",
                             text);
        if (used >= sizeof(word))
            return error_set(err, EINVAL,
                             "events: a name is longer than %zu characters",
                             sizeof(word) - 1);
        snprintf(word, sizeof(word), "%.*s", (int)used, at);
        int code = list_word(list, word, err);
        if (code != 0)
            return code;
        at += length;
        if (*at++ == '\0')
            return 0;
    }
}

/* ---- waits ---- */

static void meter_read(struct meter *meter, int64_t *counts)
{
    events_read(meter->events, meter->thread, counts);
    perf_read(meter->perf, meter->thread, counts);
    meter->readings++;
}

static void meter_wait(struct engine_watch *watch)
{
    struct meter *meter = (struct meter *)watch;
    meter_read(meter, meter->last);
}

static void meter_go_on(struct engine_watch *watch)
{
    struct meter *meter = (struct meter *)watch;
    int64_t now[COUNTERS_MAX] = {0};
    meter_read(meter, now);
    for (int i = 0; i < COUNTERS_MAX; i++) {
        meter->wait[i] += now[i] - meter->last[i];
        meter->last[i] = now[i];
    }
}

struct engine_watch *counters_watch(struct counters *counters, int thread)
{
    if (counters == NULL || counters->meter[thread].known == 0)
        return NULL;
    return &counters->meter[thread].watch;
}

/* ---- a loop ---- */

void counters_begin(struct counters *counters, int thread)
{
    if (counters == NULL)
        return;
    struct meter *meter = &counters->meter[thread];
    memset(meter->wait, 0, sizeof(meter->wait));
    meter->readings = 0;
    getrusage(RUSAGE_THREAD, &meter->before);
    if (meter->known == 0)
        return;
    perf_begin(meter->perf, thread);
    meter_read(meter, meter->begin);
}

void counters_pause(struct counters *counters, int thread)
{
    if (counters == NULL)
        return;
    struct meter *meter = &counters->meter[thread];
    if (meter->known != 0)
        meter_wait(&meter->watch);
}

static double seconds_between(struct timeval from, struct timeval to)
{
    return (double)(to.tv_sec - from.tv_sec) +
           1e-6 * (double)(to.tv_usec - from.tv_usec);
}

static void take_facts(const struct meter *meter,
                       struct counters_values *values)
{
    const struct rusage *before = &meter->before;
    struct rusage now;
    getrusage(RUSAGE_THREAD, &now);
    values->switches_voluntary = now.ru_nvcsw - before->ru_nvcsw;
    values->switches_involuntary = now.ru_nivcsw - before->ru_nivcsw;
    values->faults_minor = now.ru_minflt - before->ru_minflt;
    values->faults_major = now.ru_majflt - before->ru_majflt;
    values->user_s = seconds_between(before->ru_utime, now.ru_utime);
    values->system_s = seconds_between(before->ru_stime, now.ru_stime);
}

void counters_resume(struct counters *counters, int thread)
{
    struct engine_watch *watch = counters_watch(counters, thread);
    if (watch != NULL)
        watch->go_on(watch);
}

void counters_take(struct counters *counters, int thread,
                   struct counters_values *values)
{
    if (counters == NULL)
        return;
    struct meter *meter = &counters->meter[thread];
    *values = (struct counters_values){
        .known = meter->known & ~perf_lost(meter->perf, thread)};
    take_facts(meter, values);
    for (int i = 0; i < counters->list.count; i++) {
        values->wait[i] = meter->wait[i];
        values->compute[i] = meter->last[i] - meter->begin[i] - meter->wait[i];
    }
    values->readings = meter->readings;
}

/* ---- opening ---- */

/* A pinned group of the kernel's would keep PAPI's events from the counters. */
static int open_events(struct counters *counters, int threads,
                       struct error *err)
{
    struct perf_event_attr attr;
    struct counters_list *list = &counters->list;
    int code =
        events_open(&counters->events, list, threads, counters->why, err);
    if (code != 0)
        return code;
    if (!events_count(counters->events, true)) {
        code = perf_open(&counters->perf, list, threads, counters->why, err);
        if (code != 0)
            events_close(counters->events);
        return code;
    }
    for (int i = 0; i < list->count; i++)
        if (perf_find(list->name[i], &attr))
            snprintf(counters->why[i], COUNTERS_WHY_SIZE,
                     "PAPI counts others of the list with the processor's "
                     "counters: name all as PAPI does, or all as the kernel");
    return 0;
}

int counters_open(struct counters **out, const struct counters_list *list,
                  int threads, struct error *err)
{
    *out = NULL;
    if (!list->any)
        return 0;
    struct counters *counters = calloc(1, sizeof(*counters));
    void *meter = NULL;
    size_t bytes = (size_t)threads * sizeof(struct meter);
    if (counters == NULL || posix_memalign(&meter, 128, bytes) != 0) {
        free(counters);
        return error_set(err, ENOMEM, "no memory for the counters");
    }
    memset(meter, 0, bytes);
    counters->meter = meter;
    int code = list_expand(&counters->list, list, err);
    if (code == 0)
        code = open_events(counters, threads, err);
    for (int i = 0; i < threads; i++)
        counters->meter[i] =
            (struct meter){.watch = {.wait = meter_wait, .go_on = meter_go_on},
                           .events = counters->events,
                           .perf = counters->perf,
                           .thread = i};
    if (code != 0) {
        free(counters->meter);
        free(counters);
        return code;
    }
    *out = counters;
    return 0;
}

void counters_close(struct counters *counters)
{
    if (counters == NULL)
        return;
    events_close(counters->events);
    perf_close(counters->perf);
    free(counters->meter);
    free(counters);
}

void counters_thread_open(struct counters *counters, int thread)
{
    if (counters != NULL)
        counters->meter[thread].known =
            events_thread_open(counters->events, thread) |
            perf_thread_open(counters->perf, thread);
}

void counters_thread_close(struct counters *counters, int thread)
{
    if (counters == NULL)
        return;
    events_thread_close(counters->events, thread);
    perf_thread_close(counters->perf, thread);
}

/* ---- texts about it ---- */

const struct counters_list *counters_asked(const struct counters *counters)
{
    return &counters->list;
}

const char *counters_why(const struct counters *counters, int i)
{
    return counters->why[i][0] != '\0' ? counters->why[i] : NULL;
}

uint32_t counters_counted(const struct counters *counters)
{
    uint32_t counted = 0;
    for (int i = 0; i < counters->list.count; i++)
        if (counters->why[i][0] == '\0')
            counted |= UINT32_C(1) << i;
    return counted;
}

const char *counters_by(const struct counters *counters)
{
    return counters->perf != NULL                  ? "perf"
           : events_count(counters->events, false) ? "papi"
                                                   : NULL;
}

const char *counters_reading(const struct counters *counters)
{
    return perf_reading(counters->perf);
}

bool counters_multiplexed(const struct counters *counters)
{
    return events_multiplexed(counters->events);
}

/* The least of a few rounds: interruptions are not the reading's cost. */
void counters_cost(struct counters *counters, int thread, double *reading_s,
                   double *facts_s)
{
    enum { ROUNDS = 5, CALLS = 100 };
    struct meter *meter = &counters->meter[thread];
    struct counters_values values;
    *reading_s = meter->known != 0 ? 1 : 0;
    *facts_s = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = engine_now();
        for (int i = 0; meter->known != 0 && i < CALLS; i++)
            meter_go_on(&meter->watch);
        double middle = engine_now();
        for (int i = 0; i < CALLS; i++)
            take_facts(meter, &values);
        double end = engine_now();
        if ((middle - begin) / CALLS < *reading_s)
            *reading_s = (middle - begin) / CALLS;
        if ((end - middle) / CALLS < *facts_s)
            *facts_s = (end - middle) / CALLS;
    }
}

void counters_describe(char *text, size_t size)
{
    char why[COUNTERS_WHY_SIZE];
    if (events_no_pmu(why, sizeof(why)))
        snprintf(text, size, "none: %s", why);
    else
        snprintf(text, size, "the processor's can be read");
}

void counters_print(FILE *out)
{
    perf_print(out);
    putc('\n', out);
    events_print(out);
    fprintf(out, "\nfacts of every worker, of the operating system (not with "
                 "events none):\n"
                 "  switches_voluntary, switches_involuntary, faults_minor, "
                 "faults_major,\n"
                 "  user_s, system_s\n");
}
