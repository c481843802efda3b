/* Adds one event after the other to a group, as long as the kernel counts it
 * beside the earlier ones.  Then tries whether all counters of the group really
 * count. */
#include "harness/counters/perf.h"

#include "harness/counters/papi_events.h"
#include "harness/counters/perf_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

struct perf {
    struct perf_group group;
    bool rdpmc;
    int threads;
    struct perf_set *set;
};

/* ---- what can be counted ---- */

/* A fixed number of branches: a compiler's loop would have another one. */
static void take_branches(uint64_t count)
{
#if defined(__x86_64__)
    __asm__ volatile("1: dec %0\njnz 1b" : "+r"(count) : : "cc");
#else
    for (volatile uint64_t i = 0; i < count; i++)
        ;
#endif
}

/* Returns the number of taken branches; a loop around them adds less than a
 * thousandth. */
static uint64_t work_for(double seconds)
{
    enum { BRANCHES = 10000 };
    uint64_t taken = 0;
    double end = engine_now() + seconds;
    do {
        take_branches(BRANCHES);
        taken += BRANCHES;
    } while (engine_now() < end);
    return taken;
}

/* Counts for so long; 0, or -errno, -EBUSY when the kernel takes the group and
 * does not count it. */
static int group_try(const struct perf_group *group, double seconds,
                     struct perf_reading *counted, uint64_t *taken)
{
    struct perf_set set;
    struct perf_reading before = {0};
    int code = perf_open_group(&set, group);
    if (code != 0)
        return code;
    bool counts = perf_by_call(&set, &before);
    *taken = work_for(seconds);
    counts = counts && perf_by_call(&set, counted) &&
             counted->running > before.running;
    perf_close_group(&set);
    return counts ? 0 : -EBUSY;
}

/* Not fewer than there were; elsewhere than on x86 a loop's branches are the
 * compiler's, and the least is compared with the most. */
static bool counted_all(const struct perf_reading *counted, int count,
                        uint64_t taken)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < count; i++) {
        least = counted->value[i] < least ? counted->value[i] : least;
        most = counted->value[i] > most ? counted->value[i] : most;
    }
#if defined(__x86_64__)
    most = most > taken ? most : taken;
#else
    (void)taken;
#endif
    return least > most - most / 50;
}

/* Whether so many counters really count.  A virtual machine's host may need a
 * counter itself and stop the guest's in turns, unseen by its kernel.  Then
 * some turns miss taken branches.  If this cannot be tried, the group is
 * trusted. */
static bool all_count(const struct perf_group *group)
{
    static const double turns_s = 0.012;
    struct perf_group branches = {0};
    struct perf_reading counted;
    uint64_t taken;
    for (int i = 0; i < group->count; i++)
        if (group->attr[i].type != PERF_TYPE_SOFTWARE)
            perf_find("branches:u", &branches.attr[branches.count++]);
    if (branches.count == 0 ||
        group_try(&branches, turns_s, &counted, &taken) != 0)
        return true;
    return counted_all(&counted, branches.count, taken);
}

static void say_why(char *why, bool alone, int code)
{
    if (!alone && code == -EINVAL)
        snprintf(why, COUNTERS_WHY_SIZE,
                 "the processor has no counter left beside those of the events "
                 "before it, and the kernel's events take no turns");
    else if (code == -EBUSY)
        snprintf(why, COUNTERS_WHY_SIZE,
                 "other users have taken the processor's counters%s",
                 alone ? "" : " that the events before it leave");
    else if (code == -ENODATA)
        snprintf(why, COUNTERS_WHY_SIZE,
                 "a counter stands still by turns and counts too little (a "
                 "virtual machine whose host needs it?)");
    else if (code == -EACCES || code == -EPERM)
        snprintf(why, COUNTERS_WHY_SIZE, "the kernel does not permit it");
    else if (code == -EMFILE)
        snprintf(why, COUNTERS_WHY_SIZE, "too many open files (ulimit -n)");
    else
        snprintf(why, COUNTERS_WHY_SIZE, "this processor has no such counter");
}

/* Whether the event can be counted: first alone, then with the others. */
static int try_last(const struct perf_group *group, bool *alone)
{
    struct perf_group single = {.count = 1,
                                .attr = {group->attr[group->count - 1]}};
    struct perf_reading counted;
    uint64_t taken;
    int code = group_try(&single, 0, &counted, &taken);
    *alone = code != 0;
    if (code != 0 || group->count == 1)
        return code;
    return group_try(group, 0, &counted, &taken);
}

/* If counting the kernel is not permitted, the event counts user mode only, and
 * its name gets `:u`. */
static void add_event(struct perf_group *group, int place,
                      struct counters_list *list, char *why)
{
    char *name = list->name[place];
    struct perf_event_attr *attr = &group->attr[group->count];
    bool alone;
    if (!perf_find(name, attr) || (attr->type != PERF_TYPE_SOFTWARE &&
                                   events_no_pmu(why, COUNTERS_WHY_SIZE)))
        return;
    group->place[group->count++] = place;
    int code = try_last(group, &alone);
    if ((code == -EACCES || code == -EPERM) && !attr->exclude_kernel) {
        attr->exclude_kernel = attr->exclude_hv = 1;
        code = try_last(group, &alone);
        if (code == 0 && strlen(name) + 2 < COUNTERS_NAME_SIZE)
            strcat(name, ":u");
    }
    if (code == 0)
        return;
    say_why(why, alone, code);
    group->count--;
}

/* Drops the processor's last event until as many counters as are left count
 * the branches of a test in full. */
static void drop_those_that_stand(struct perf_group *group,
                                  char why[][COUNTERS_WHY_SIZE])
{
    while (!all_count(group)) {
        int last = group->count - 1;
        while (group->attr[last].type == PERF_TYPE_SOFTWARE)
            last--;
        say_why(why[group->place[last]], true, -ENODATA);
        group->count--;
        for (int i = last; i < group->count; i++) {
            group->attr[i] = group->attr[i + 1];
            group->place[i] = group->place[i + 1];
        }
    }
}

/* The least of a few rounds, because interruptions are not part of the cost. */
static double time_way(const struct perf_set *set,
                       bool (*way)(const struct perf_set *,
                                   struct perf_reading *))
{
    enum { ROUNDS = 20 };
    struct perf_reading reading;
    double least = 1;
    for (int i = 0; i < ROUNDS; i++) {
        double begin = engine_now();
        if (!way(set, &reading))
            return 1;
        double took = engine_now() - begin;
        least = took < least ? took : least;
    }
    return least;
}

static bool rdpmc_is_faster(const struct perf_group *group)
{
    struct perf_set set;
    if (perf_open_group(&set, group) != 0)
        return false;
    perf_map_group(&set);
    bool faster = time_way(&set, perf_by_rdpmc) < time_way(&set, perf_by_call);
    perf_close_group(&set);
    return faster;
}

int perf_open(struct perf **out, struct counters_list *list, int threads,
              char why[][COUNTERS_WHY_SIZE], struct error *err)
{
    struct perf_group group = {0};
    void *all = NULL;
    *out = NULL;
    for (int i = 0; i < list->count; i++)
        add_event(&group, i, list, why[i]);
    drop_those_that_stand(&group, why);
    if (group.count == 0)
        return 0;
    struct perf *perf = calloc(1, sizeof(*perf));
    size_t bytes = (size_t)threads * sizeof(struct perf_set);
    if (perf == NULL || posix_memalign(&all, 128, bytes) != 0) {
        free(perf);
        return error_set(err, ENOMEM, "no memory for the counters");
    }
    memset(all, 0, bytes);
    *perf = (struct perf){.group = group,
                          .rdpmc = rdpmc_is_faster(&group),
                          .threads = threads,
                          .set = all};
    *out = perf;
    return 0;
}

void perf_close(struct perf *perf)
{
    if (perf == NULL)
        return;
    free(perf->set);
    free(perf);
}

const char *perf_reading(const struct perf *perf)
{
    return perf == NULL ? NULL : perf->rdpmc ? "rdpmc" : "read";
}

void perf_read_by(struct perf *perf, bool by_rdpmc)
{
    perf->rdpmc = by_rdpmc;
}

/* ---- by the threads ---- */

static uint32_t group_bits(const struct perf_group *group)
{
    uint32_t bits = 0;
    for (int i = 0; i < group->count; i++)
        bits |= UINT32_C(1) << group->place[i];
    return bits;
}

uint32_t perf_thread_open(struct perf *perf, int thread)
{
    if (perf == NULL || perf_open_group(&perf->set[thread], &perf->group) != 0)
        return 0;
    perf_map_group(&perf->set[thread]);
    return group_bits(&perf->group);
}

void perf_thread_close(struct perf *perf, int thread)
{
    if (perf != NULL)
        perf_close_group(&perf->set[thread]);
}

void perf_begin(struct perf *perf, int thread)
{
    if (perf == NULL || !perf->set[thread].lost)
        return;
    struct perf_set *set = &perf->set[thread];
    set->lost =
        ioctl(set->file[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0;
}

void perf_read(struct perf *perf, int thread, int64_t *counts)
{
    if (perf == NULL || perf->set[thread].count == 0)
        return;
    struct perf_set *set = &perf->set[thread];
    struct perf_reading reading = {0};
    if (!(perf->rdpmc && perf_by_rdpmc(set, &reading)) &&
        !perf_by_call(set, &reading)) {
        set->lost = true;
        return;
    }
    for (int i = 0; i < set->count; i++)
        counts[perf->group.place[i]] = (int64_t)reading.value[i];
}

uint32_t perf_lost(const struct perf *perf, int thread)
{
    return perf != NULL && perf->set[thread].lost ? group_bits(&perf->group)
                                                  : 0;
}
