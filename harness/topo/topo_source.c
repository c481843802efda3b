/* Reads a topology: from a file, a description, or this machine, which
 * variables of hwloc may hide. */
#include "harness/topo/topo_internal.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- another machine ---- */

/* The hwloc version for which an XML file was written; false: it is no file of
 * lstopo. Files of hwloc 1 name no version. */
static bool read_version(const char *path, int *major, int *minor)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    size_t length = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    const char *at = strstr(text, "<topology");
    *major = 1;
    *minor = 0;
    if (at == NULL || strchr(" \t\r\n>", at[9]) == NULL)
        return false;
    const char *end = strchr(at, '>'), *version = strstr(at, " version=");
    if (end != NULL && version != NULL && version < end)
        sscanf(version + 10, "%d.%d", major, minor);
    return true;
}

static int refuse_file(const char *path, struct error *err)
{
    int major, minor;
    int own = (int)(hwloc_get_api_version() >> 16);
    if (!read_version(path, &major, &minor))
        return error_set(err, EINVAL, "topology: %s is no XML file of lstopo",
                         path);
    if (major > own)
        return error_set(err, EINVAL,
                         "topology: %s is of a newer hwloc, version %d.%d; "
                         "here is %d: write it with an lstopo of version %d",
                         path, major, minor, own, own);
    return error_set(err, EINVAL,
                     "topology: %s is of hwloc %d.%d, but damaged: hwloc "
                     "cannot read it",
                     path, major, minor);
}

/* hwloc prints its reasons if requested (HWLOC_SYNTHETIC_VERBOSE); an XML file
 * that it cannot read has an unknown format. */
int topo_source_other(const struct topo *topo, const char *machine,
                      struct error *err)
{
    const char *why;
    bool file = access(machine, F_OK) == 0;
    if (file && !file_is_readable(machine, &why))
        return error_set(err, EINVAL, "topology: %s: %s", machine, why);
    int set = file ? hwloc_topology_set_xml(topo->handle, machine)
                   : hwloc_topology_set_synthetic(topo->handle, machine);
    if (set == 0 && hwloc_topology_load(topo->handle) == 0)
        return 0;
    if (file)
        return refuse_file(machine, err);
    return error_set(err, EINVAL,
                     "topology: '%s' is neither a file nor a synthetic "
                     "description such as 'pack:2 numa:2 core:32 pu:2'",
                     machine);
}

/* ---- this machine ---- */

/* The first variable that is set and makes hwloc show another machine. */
static const char *find_variable(void)
{
    static const char *const names[] = {"HWLOC_SYNTHETIC",
                                        "HWLOC_XMLFILE",
                                        "HWLOC_FSROOT",
                                        "HWLOC_CPUID_PATH",
                                        "HWLOC_COMPONENTS",
                                        "HWLOC_THISSYSTEM",
                                        NULL};
    for (int i = 0; names[i] != NULL; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return names[i];
    }
    return NULL;
}

static bool has_processor(const struct allowed_set *set, int processor)
{
    return (set->word[processor / 64] >> (processor % 64) & 1) != 0;
}

/* Whether hwloc shows only existing processors, and all that may be used. */
static bool has_these(const struct topo *topo)
{
    hwloc_const_bitmap_t set = hwloc_topology_get_topology_cpuset(topo->handle);
    const struct allowed *allowed = &topo->allowed;
    for (int i = 0; allowed->machine > 0 && i < ALLOWED_PROCESSORS; i++) {
        bool shown = hwloc_bitmap_isset(set, (unsigned)i) != 0;
        if ((shown && !has_processor(&allowed->online, i)) ||
            (!shown && has_processor(&allowed->mask, i)))
            return false;
    }
    return true;
}

int topo_source_check(const struct topo *topo, struct error *err)
{
    const char *name = find_variable();
    int shown = topo_processors(topo), here = topo->allowed.machine;
    bool own = hwloc_topology_is_thissystem(topo->handle) != 0;
    char numbers[100] = "";
    if (name == NULL || (own && has_these(topo)))
        return 0;
    if (shown != here)
        snprintf(numbers, sizeof(numbers),
                 " of %d processor%s, not the %d here", shown, text_s(shown),
                 here);
    return error_set(err, EINVAL,
                     "%s is set: hwloc shows another machine%s: unset it%s",
                     name, numbers,
                     !own && strcmp(name, "HWLOC_XMLFILE") == 0
                         ? ", or set HWLOC_THISSYSTEM=1 if the file is of this "
                           "machine"
                         : "");
}
