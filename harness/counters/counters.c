#include "harness/counters/counters.h"

#include <papi.h>

/* Why the component of processor counters is off, or NULL when it is on. */
static const char *why_none(void)
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return "the PAPI library does not start";
    const PAPI_component_info_t *info = PAPI_get_component_info(0);
    if (info == NULL)
        return "PAPI has no component for processor counters";
    if (info->disabled)
        return info->disabled_reason[0] ? info->disabled_reason
                                        : "the component is disabled";
    return PAPI_num_cmp_hwctrs(0) > 0 ? NULL : "this processor offers none";
}

void counters_describe(char *text, size_t size)
{
    const char *why = why_none();
    if (why != NULL)
        snprintf(text, size, "none: %s", why);
    else
        snprintf(text, size, "%d hardware counters", PAPI_num_cmp_hwctrs(0));
}

int counters_list(FILE *out)
{
    const char *why = why_none();
    int count = 0, event = PAPI_PRESET_MASK;
    if (why != NULL) {
        fprintf(out, "no hardware counters here: %s\n", why);
        return 0;
    }
    for (int more = PAPI_enum_event(&event, PAPI_ENUM_FIRST); more == PAPI_OK;
         more = PAPI_enum_event(&event, PAPI_PRESET_ENUM_AVAIL)) {
        PAPI_event_info_t info;
        if (PAPI_get_event_info(event, &info) != PAPI_OK || info.count == 0)
            continue;
        fprintf(out, "%-14s %s\n", info.symbol, info.long_descr);
        count++;
    }
    return count;
}
