/* The names of PAPI's events: which there are, and the nearest to a wrong
 * one. */
#include "base/list.h"
#include "harness/counters/papi_events.h"
#include "harness/counters/perf.h"

#include "base/nearest.h"

#include <errno.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is ---- */

struct names {
    int count;
    int64_t room;
    char **name; /* NULL at the end */
};

static void names_add(struct names *names, const char *name)
{
    if (list_grow(&names->name, &names->room, names->count + 2,
                  sizeof(*names->name)) != 0)
        return;
    char *copy = strdup(name);
    if (copy == NULL)
        return;
    names->name[names->count++] = copy;
    names->name[names->count] = NULL;
}

static void names_free(struct names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct names){0};
}

/* Opening a component late is PAPI's habit: it happens here. */
static void add_natives(struct names *names, int component)
{
    int code = PAPI_NATIVE_MASK;
    PAPI_event_info_t info;
    for (int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
         more == PAPI_OK;
         more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component))
        if (PAPI_get_event_info(code, &info) == PAPI_OK)
            names_add(names, info.symbol);
}

static bool has_name(const struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

/* ---- one name ---- */

static int refuse_unknown(const char *name, const struct names *names,
                          struct error *err)
{
    char hint[NEAREST_HINT_MAX] = "";
    if (names->count > 0)
        nearest_hint(name, (const char *const *)names->name, hint);
    return error_set(err, EINVAL,
                     "events: '%s' is unknown%s; dlsbench list events shows "
                     "what there is",
                     name, hint);
}

/* The component that a name begins with, as in net:::lo:rx. */
static int find_component(const char *name, size_t length)
{
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *info = PAPI_get_component_info(i);
        if (info == NULL)
            continue;
        if ((strlen(info->name) == length &&
             strncmp(info->name, name, length) == 0) ||
            (strlen(info->short_name) == length &&
             strncmp(info->short_name, name, length) == 0))
            return i;
    }
    return -1;
}

static bool papi_knows(const char *name)
{
    int code = 0;
    return PAPI_event_name_to_code((char *)name, &code) == PAPI_OK;
}

static int no_component(const char *name, size_t length, struct names *names,
                        struct error *err)
{
    char prefix[COUNTERS_NAME_SIZE];
    for (int i = 0; i < PAPI_num_components(); i++)
        names_add(names, PAPI_get_component_info(i)->name);
    snprintf(prefix, sizeof(prefix), "%.*s", (int)length, name);
    char hint[NEAREST_HINT_MAX];
    return error_set(
        err, EINVAL,
        "events: '%s' is unknown, this PAPI has no component "
        "'%s'%s",
        name, prefix,
        nearest_hint(prefix, (const char *const *)names->name, hint));
}

/* PAPI accepts any name of a software defined event as a future one; only
 * existing ones count here. */
static int check_component(const char *name, size_t length, struct names *names,
                           struct error *err)
{
    int component = find_component(name, length);
    if (component < 0)
        return no_component(name, length, names, err);
    bool any = length == 3 && strncmp(name, "sde", 3) == 0;
    add_natives(names, component);
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    bool known = has_name(names, name) || (!any && papi_knows(name));
    return known || info->disabled ? 0 : refuse_unknown(name, names, err);
}

/* Names of a PMU that this machine does not have may be right elsewhere. */
static bool another_pmu(const char *name, size_t length,
                        const struct names *names)
{
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->name[i], name, length) == 0 &&
            strncmp(names->name[i] + length, "::", 2) == 0)
            return false;
    return true;
}

static int check_processor(const char *name, struct names *names,
                           struct error *err)
{
    int code = PAPI_PRESET_MASK;
    PAPI_event_info_t info;
    for (int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST); more == PAPI_OK;
         more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
        if (PAPI_get_event_info(code, &info) == PAPI_OK)
            names_add(names, info.symbol);
    if (strncmp(name, "PAPI_", 5) == 0)
        return has_name(names, name) ? 0 : refuse_unknown(name, names, err);
    for (const struct perf_name *own = perf_names; own->name != NULL; own++)
        names_add(names, own->name);
    add_natives(names, 0);
    const char *pmu_end = strstr(name, "::");
    if (papi_knows(name) ||
        (pmu_end != NULL && another_pmu(name, (size_t)(pmu_end - name), names)))
        return 0;
    return refuse_unknown(name, names, err);
}

int events_check(const char *name, struct error *err)
{
    struct names names = {0};
    if (!events_library_open())
        return 0; /* reported as the reason when events are opened */
    const char *end = strstr(name, ":::");
    int code = end != NULL
                   ? check_component(name, (size_t)(end - name), &names, err)
                   : check_processor(name, &names, err);
    names_free(&names);
    return code;
}

/* ---- dlsbench list events ---- */

static void print_presets(FILE *out)
{
    char why[COUNTERS_WHY_SIZE];
    int code = PAPI_PRESET_MASK, count = 0;
    PAPI_event_info_t info;
    fprintf(out, "counters of the processor, PAPI's presets:\n");
    for (int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST); more == PAPI_OK;
         more = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL)) {
        if (PAPI_get_event_info(code, &info) != PAPI_OK || info.count == 0)
            continue;
        fprintf(out, "  %-14s %s\n", info.symbol, info.long_descr);
        count++;
    }
    if (events_no_pmu(why, sizeof(why)))
        fprintf(out, "  none can be counted here: %s\n", why);
    else if (count == 0)
        fprintf(out, "  none: PAPI does not know this processor\n");
}

static bool is_countable(const char *name)
{
    int code = 0, set = PAPI_NULL;
    bool good = PAPI_event_name_to_code((char *)name, &code) == PAPI_OK &&
                PAPI_create_eventset(&set) == PAPI_OK &&
                PAPI_add_event(set, code) == PAPI_OK &&
                PAPI_start(set) == PAPI_OK;
    if (good)
        PAPI_stop(set, NULL);
    if (set != PAPI_NULL) {
        PAPI_cleanup_eventset(set);
        PAPI_destroy_eventset(&set);
    }
    return good;
}

static void print_component(FILE *out, int component)
{
    struct names names = {0};
    int usable = 0;
    add_natives(&names, component);
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    if (names.count == 0 && !info->disabled)
        return; /* a component without events */
    fprintf(out, "\nnative events of PAPI's component %s:\n", info->name);
    for (int i = 0; i < names.count; i++) {
        if (!is_countable(names.name[i]))
            continue;
        fprintf(out, "  %s\n", names.name[i]);
        usable++;
    }
    if (info->disabled)
        fprintf(out, "  none, it is off: %s\n",
                info->disabled_reason[0] ? info->disabled_reason
                                         : "no reason given");
    else if (usable < names.count)
        fprintf(out, "  (%d others are known and cannot be counted here)\n",
                names.count - usable);
    names_free(&names);
}

void events_print(FILE *out)
{
    if (!events_library_open()) {
        fprintf(out, "PAPI's events: none, the library does not start\n");
        return;
    }
    print_presets(out);
    for (int i = 0; i < PAPI_num_components(); i++)
        if (strcmp(PAPI_get_component_info(i)->name, "sde") != 0)
            print_component(out, i);
}
