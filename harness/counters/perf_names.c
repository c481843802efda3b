/* The names of the kernel's events. */
#include "harness/counters/perf.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

const struct perf_name perf_names[] = {
    {"cycles", "cycles of the core", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", "instructions completed", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", "accesses of the last cache, by most processors",
     PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", "misses of it", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_CACHE_MISSES},
    {"branches", "branches completed", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", "branches predicted wrongly", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BRANCH_MISSES},
    {"ref-cycles", "cycles at a constant frequency", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_REF_CPU_CYCLES},
    {"bus-cycles", "cycles of the bus", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", "cycles without new instructions",
     PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", "cycles without results", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"task-clock", "nanoseconds on a core", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", "page faults", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", "context switches", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", "moves to another core", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_CPU_MIGRATIONS},
    {NULL, NULL, 0, 0},
};

const char *const perf_default[] = {"cycles:u", "instructions:u",
                                    "cache-misses:u", "branch-misses:u", NULL};

/* r and up to 16 hexadecimal digits, as perf reads it. */
static bool find_raw(const char *name, size_t length,
                     struct perf_event_attr *attr)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    if (name[0] != 'r' || length < 2 || length > 17 ||
        strspn(name + 1, digits) != length - 1)
        return false;
    attr->type = PERF_TYPE_RAW;
    attr->config = strtoull(name + 1, NULL, 16);
    return true;
}

bool perf_find(const char *name, struct perf_event_attr *attr)
{
    size_t length = strcspn(name, ":");
    bool user = strcmp(name + length, ":u") == 0;
    if (!user && name[length] != '\0')
        return false;
    *attr = (struct perf_event_attr){
        .size = sizeof(*attr), .exclude_kernel = user, .exclude_hv = user};
    for (const struct perf_name *p = perf_names; p->name != NULL; p++) {
        if (strlen(p->name) != length || strncmp(p->name, name, length) != 0)
            continue;
        attr->type = p->type;
        attr->config = p->config;
        return true;
    }
    return find_raw(name, length, attr);
}

const char *perf_hint(const char *word, char *text)
{
    const char *names[sizeof(perf_names) / sizeof(perf_names[0])];
    int count = 0;
    while (perf_names[count].name != NULL) {
        names[count] = perf_names[count].name;
        count++;
    }
    names[count] = NULL;
    return nearest_hint(word, names, text);
}

void perf_print(FILE *out)
{
    struct counters_list list = {.any = true};
    struct perf *perf;
    struct error err;
    fprintf(out, "events that the kernel counts (perf), in all modes or with "
                 ":u in user mode only:\n");
    for (const struct perf_name *p = perf_names; p->name != NULL; p++) {
        char why[COUNTERS_MAX][COUNTERS_WHY_SIZE] = {""};
        snprintf(list.name[0], COUNTERS_NAME_SIZE, "%s", p->name);
        list.count = 1;
        if (perf_open(&perf, &list, 1, why, &err) != 0)
            return;
        perf_close(perf);
        fprintf(out, "  %-23s %s%s%s\n", p->name, p->what,
                why[0][0] != '\0' ? "; not here: " : "", why[0]);
    }
    fprintf(out, "  %-23s raw event NNN (hexadecimal) of the processor\n",
            "rNNN");
}
