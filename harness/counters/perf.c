#include "harness/counters/perf.h"

#include "harness/counters/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What every thread counts; the first is the leader. */
struct group {
    int count;
    int place[COUNTERS_MAX]; /* in the list */
    struct perf_event_attr attr[COUNTERS_MAX];
};

/* A thread's group. */
struct seat {
    _Alignas(128) int count; /* 0: it is not open */
    int file[COUNTERS_MAX];
    struct perf_event_mmap_page *page[COUNTERS_MAX]; /* all or none */
    bool lost;
};

struct perf {
    struct group group;
    bool rdpmc;
    int threads;
    struct seat *seat;
};

/* As the kernel fills it by read(). */
struct reading {
    uint64_t count, enabled, running, value[COUNTERS_MAX];
};

/* ---- a group of the calling thread ---- */

static void seat_close(struct seat *seat)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = seat->count; i-- > 0;) {
        if (seat->page[i] != NULL)
            munmap(seat->page[i], page);
        close(seat->file[i]);
    }
    *seat = (struct seat){0};
}

/* It counts from here on; 0 or -errno. */
static int seat_open(struct seat *seat, const struct group *group)
{
    *seat = (struct seat){0};
    for (int i = 0; i < group->count; i++) {
        struct perf_event_attr attr = group->attr[i];
        attr.pinned = i == 0;
        attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                           PERF_FORMAT_TOTAL_TIME_RUNNING;
        long file = syscall(SYS_perf_event_open, &attr, 0, -1,
                            i > 0 ? seat->file[0] : -1, PERF_FLAG_FD_CLOEXEC);
        if (file < 0) {
            int code = -errno;
            seat_close(seat);
            return code;
        }
        seat->file[seat->count++] = (int)file;
    }
    return 0;
}

/* The pages that rdpmc needs; without them read() serves. */
static void seat_map(struct seat *seat)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < seat->count; i++) {
        void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, seat->file[i], 0);
        seat->page[i] = page != MAP_FAILED ? page : NULL;
    }
}

/* False: the group does not count, because others have taken the counters.
 * The kernel answers with nothing then, or with a time of 0. */
static bool read_by_call(const struct seat *seat, struct reading *reading)
{
    ssize_t bytes = read(seat->file[0], reading, sizeof(*reading));
    return bytes > 0 && reading->running > 0 &&
           reading->count == (uint64_t)seat->count;
}

#if defined(__x86_64__) || defined(__i386__)
static int64_t rdpmc(uint32_t counter)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (int64_t)((uint64_t)high << 32 | low);
}
#else
static int64_t rdpmc(uint32_t counter)
{
    (void)counter;
    return 0;
}
#endif

/* The kernel raises `lock` around every change of the page, as it takes the
 * thread from a core and puts it on one: what was read in between is of two
 * cores.  False: the event is on no counter. */
static bool read_page(const struct perf_event_mmap_page *mapped, int64_t *value)
{
    const volatile struct perf_event_mmap_page *page = mapped;
    uint32_t lock, index;
    do {
        lock = page->lock;
        __asm__ volatile("" ::: "memory");
        index = page->index;
        *value = page->offset;
        if (index == 0 || !page->cap_user_rdpmc)
            return false;
        unsigned unused = 64 - page->pmc_width;
        *value += (int64_t)((uint64_t)rdpmc(index - 1) << unused) >> unused;
        __asm__ volatile("" ::: "memory");
    } while (page->lock != lock);
    return true;
}

static bool read_by_rdpmc(const struct seat *seat, struct reading *reading)
{
    for (int i = 0; i < seat->count; i++) {
        int64_t value;
        if (seat->page[i] == NULL || !read_page(seat->page[i], &value))
            return false;
        reading->value[i] = (uint64_t)value;
    }
    return true;
}

/* ---- what can be counted ---- */

/* So many branches, as every compiler's loop would have another number. */
static void take_branches(uint64_t count)
{
#if defined(__x86_64__)
    __asm__ volatile("1: dec %0\njnz 1b" : "+r"(count) : : "cc");
#else
    for (volatile uint64_t i = 0; i < count; i++)
        ;
#endif
}

/* Returns the branches that were taken, of which a loop around them adds less
 * than a thousandth. */
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
static int group_try(const struct group *group, double seconds,
                     struct reading *counted, uint64_t *taken)
{
    struct seat seat;
    struct reading before = {0};
    int code = seat_open(&seat, group);
    if (code != 0)
        return code;
    bool counts = read_by_call(&seat, &before);
    *taken = work_for(seconds);
    counts = counts && read_by_call(&seat, counted) &&
             counted->running > before.running;
    seat_close(&seat);
    return counts ? 0 : -EBUSY;
}

/* Not fewer than there were; elsewhere than on x86 a loop's branches are the
 * compiler's, and the least is compared with the most. */
static bool counted_all(const struct reading *counted, int count,
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

/* Whether so many counters really count.  A virtual machine whose host needs
 * one of them itself lets them stand still by turns, and its kernel sees
 * nothing of it: then they do not count the branches that are taken in a few
 * turns.  Where that cannot be tried the group is believed. */
static bool all_count(const struct group *group)
{
    static const double turns_s = 0.012;
    struct group branches = {0};
    struct reading counted;
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

/* Whether the event can be counted; alone and then beside the others. */
static int try_last(const struct group *group, bool *alone)
{
    struct group single = {.count = 1, .attr = {group->attr[group->count - 1]}};
    struct reading counted;
    uint64_t taken;
    int code = group_try(&single, 0, &counted, &taken);
    *alone = code != 0;
    if (code != 0 || group->count == 1)
        return code;
    return group_try(group, 0, &counted, &taken);
}

static void add_event(struct group *group, int place,
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

static void drop_those_that_stand(struct group *group,
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

/* The least of a few rounds: interruptions are not the way's cost. */
static double time_way(const struct seat *seat,
                       bool (*way)(const struct seat *, struct reading *))
{
    enum { ROUNDS = 20 };
    struct reading reading;
    double least = 1;
    for (int i = 0; i < ROUNDS; i++) {
        double begin = engine_now();
        if (!way(seat, &reading))
            return 1;
        double took = engine_now() - begin;
        least = took < least ? took : least;
    }
    return least;
}

static bool rdpmc_is_faster(const struct group *group)
{
    struct seat seat;
    if (seat_open(&seat, group) != 0)
        return false;
    seat_map(&seat);
    bool faster =
        time_way(&seat, read_by_rdpmc) < time_way(&seat, read_by_call);
    seat_close(&seat);
    return faster;
}

int perf_open(struct perf **out, struct counters_list *list, int threads,
              char why[][COUNTERS_WHY_SIZE], struct error *err)
{
    struct group group = {0};
    void *seats = NULL;
    *out = NULL;
    for (int i = 0; i < list->count; i++)
        add_event(&group, i, list, why[i]);
    drop_those_that_stand(&group, why);
    if (group.count == 0)
        return 0;
    struct perf *perf = calloc(1, sizeof(*perf));
    size_t bytes = (size_t)threads * sizeof(struct seat);
    if (perf == NULL || posix_memalign(&seats, 128, bytes) != 0) {
        free(perf);
        return error_set(err, ENOMEM, "no memory for the counters");
    }
    memset(seats, 0, bytes);
    *perf = (struct perf){.group = group,
                          .rdpmc = rdpmc_is_faster(&group),
                          .threads = threads,
                          .seat = seats};
    *out = perf;
    return 0;
}

void perf_close(struct perf *perf)
{
    if (perf == NULL)
        return;
    free(perf->seat);
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

static uint32_t group_bits(const struct group *group)
{
    uint32_t bits = 0;
    for (int i = 0; i < group->count; i++)
        bits |= UINT32_C(1) << group->place[i];
    return bits;
}

uint32_t perf_thread_open(struct perf *perf, int thread)
{
    if (perf == NULL || seat_open(&perf->seat[thread], &perf->group) != 0)
        return 0;
    seat_map(&perf->seat[thread]);
    return group_bits(&perf->group);
}

void perf_thread_close(struct perf *perf, int thread)
{
    if (perf != NULL)
        seat_close(&perf->seat[thread]);
}

void perf_begin(struct perf *perf, int thread)
{
    if (perf == NULL || !perf->seat[thread].lost)
        return;
    struct seat *seat = &perf->seat[thread];
    seat->lost =
        ioctl(seat->file[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0;
}

void perf_read(struct perf *perf, int thread, int64_t *counts)
{
    if (perf == NULL || perf->seat[thread].count == 0)
        return;
    struct seat *seat = &perf->seat[thread];
    struct reading reading = {0};
    if (!(perf->rdpmc && read_by_rdpmc(seat, &reading)) &&
        !read_by_call(seat, &reading)) {
        seat->lost = true;
        return;
    }
    for (int i = 0; i < seat->count; i++)
        counts[perf->group.place[i]] = (int64_t)reading.value[i];
}

uint32_t perf_lost(const struct perf *perf, int thread)
{
    return perf != NULL && perf->seat[thread].lost ? group_bits(&perf->group)
                                                   : 0;
}
