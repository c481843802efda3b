/* A thread's group of the kernel's events. */
#include "harness/counters/perf_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void perf_close_group(struct perf_set *set)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = set->count; i-- > 0;) {
        if (set->page[i] != NULL)
            munmap(set->page[i], page);
        close(set->file[i]);
    }
    *set = (struct perf_set){0};
}

int perf_open_group(struct perf_set *set, const struct perf_group *group)
{
    *set = (struct perf_set){0};
    for (int i = 0; i < group->count; i++) {
        struct perf_event_attr attr = group->attr[i];
        attr.pinned = i == 0;
        attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                           PERF_FORMAT_TOTAL_TIME_RUNNING;
        long file = syscall(SYS_perf_event_open, &attr, 0, -1,
                            i > 0 ? set->file[0] : -1, PERF_FLAG_FD_CLOEXEC);
        if (file < 0) {
            int code = -errno;
            perf_close_group(set);
            return code;
        }
        set->file[set->count++] = (int)file;
    }
    return 0;
}

void perf_map_group(struct perf_set *set)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < set->count; i++) {
        void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, set->file[i], 0);
        set->page[i] = page != MAP_FAILED ? page : NULL;
    }
}

bool perf_by_call(const struct perf_set *set, struct perf_reading *reading)
{
    ssize_t bytes = read(set->file[0], reading, sizeof(*reading));
    return bytes > 0 && reading->running > 0 &&
           reading->count == (uint64_t)set->count;
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

/* The kernel increments `lock` around every change of the page, when the thread
 * leaves a core and gets one: values read in between mix two cores.  False: the
 * event is on no counter. */
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

bool perf_by_rdpmc(const struct perf_set *set, struct perf_reading *reading)
{
    for (int i = 0; i < set->count; i++) {
        int64_t value;
        if (set->page[i] == NULL || !read_page(set->page[i], &value))
            return false;
        reading->value[i] = (uint64_t)value;
    }
    return true;
}
