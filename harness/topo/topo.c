/* A machine's topology: loaded, restricted, described. */
#include "harness/topo/topo_internal.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int count_objects(const struct topo *topo, hwloc_obj_type_t type)
{
    return hwloc_get_nbobjs_by_type(topo->handle, type);
}

static void summarise_topo(struct topo *topo)
{
    hwloc_obj_t root = hwloc_get_root_obj(topo->handle);
    const char *model = NULL;
    hwloc_obj_t package =
        hwloc_get_obj_by_type(topo->handle, HWLOC_OBJ_PACKAGE, 0);
    if (package != NULL)
        model = hwloc_obj_get_info_by_name(package, "CPUModel");
    snprintf(topo->processor, sizeof(topo->processor), "%s",
             model ? model : "unknown processor");
    int pus = count_objects(topo, HWLOC_OBJ_PU);
    int packages = count_objects(topo, HWLOC_OBJ_PACKAGE);
    int nodes = count_objects(topo, HWLOC_OBJ_NUMANODE);
    snprintf(topo->summary, sizeof(topo->summary),
             "%d core%s, %d processor%s, %d package%s, %d NUMA node%s, %.1f "
             "GiB, %s",
             topo->cores, text_s(topo->cores), pus, text_s(pus), packages,
             text_s(packages), nodes, text_s(nodes),
             (double)root->total_memory / (1 << 30), topo->processor);
}

static int restrict_to_list(struct topo *topo, const char *cpuset,
                            struct error *err)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topo->handle);
    bool good = hwloc_bitmap_list_sscanf(set, cpuset) == 0 &&
                hwloc_bitmap_isincluded(set, all) &&
                !hwloc_bitmap_iszero(set) &&
                hwloc_topology_restrict(topo->handle, set, 0) == 0;
    hwloc_bitmap_free(set);
    if (good)
        return 0;
    char text[256];
    hwloc_bitmap_list_snprintf(text, sizeof(text), all);
    return error_set(err, EINVAL,
                     "cpuset: '%s' must be processors of %s, e.g. 0-3,8",
                     cpuset, text);
}

static int describe_topo(struct topo *topo, struct error *err)
{
    if (topo_index(topo) != 0)
        return error_set(err, ENOMEM, "out of memory for the topology");
    hwloc_bitmap_list_snprintf(
        topo->cpuset, sizeof(topo->cpuset),
        hwloc_topology_get_topology_cpuset(topo->handle));
    topo->cores = count_objects(topo, HWLOC_OBJ_CORE);
    if (topo->cores < 1)
        topo->cores = count_objects(topo, HWLOC_OBJ_PU);
    summarise_topo(topo);
    return 0;
}

/* An initialised topology, not loaded. */
static int start_topology(struct topo **out, struct error *err)
{
    struct topo *topo = calloc(1, sizeof(*topo));
    if (topo == NULL || hwloc_topology_init(&topo->handle) != 0) {
        free(topo);
        return error_set(err, ENOMEM, "out of memory for the topology");
    }
    topo->allowed.quota = INFINITY;
    *out = topo;
    return 0;
}

int topo_open(struct topo **out, struct error *err)
{
    struct topo *topo = NULL;
    int code = start_topology(&topo, err);
    if (code != 0)
        return code;
    allowed_read("", &topo->allowed);
    if (hwloc_topology_load(topo->handle) != 0)
        code = error_set(err, ENODEV, "hwloc cannot load the topology");
    else
        code = topo_source_check(topo, err);
    if (code == 0) {
        /* Everything outside the cpuset the process was started in is taken out
         * of the topology, so that no worker can leave it. */
        hwloc_bitmap_t start = hwloc_bitmap_alloc();
        if (hwloc_get_cpubind(topo->handle, start, HWLOC_CPUBIND_PROCESS) ==
                0 &&
            !hwloc_bitmap_iszero(start))
            hwloc_topology_restrict(topo->handle, start, 0);
        hwloc_bitmap_free(start);
        code = describe_topo(topo, err);
    }
    if (code == 0)
        *out = topo;
    else
        topo_close(topo);
    return code;
}

int topo_open_other(struct topo **out, const char *machine, const char *cpuset,
                    struct error *err)
{
    struct topo *topo = NULL;
    int code =
        machine != NULL ? start_topology(&topo, err) : topo_open(&topo, err);
    if (code == 0 && machine != NULL)
        code = topo_source_other(topo, machine, err);
    if (code == 0 && cpuset != NULL)
        code = restrict_to_list(topo, cpuset, err);
    if (code == 0 && (machine != NULL || cpuset != NULL))
        code = describe_topo(topo, err);
    if (code == 0) {
        *out = topo;
    } else if (topo != NULL) {
        topo_close(topo);
    }
    return code;
}

void topo_close(struct topo *topo)
{
    topo_index_free(topo);
    hwloc_topology_destroy(topo->handle);
    free(topo);
}

int topo_cores(const struct topo *topo)
{
    return topo->cores;
}

int topo_processors(const struct topo *topo)
{
    return count_objects(topo, HWLOC_OBJ_PU);
}

const char *topo_cpuset(const struct topo *topo)
{
    return topo->cpuset;
}

const struct allowed *topo_allowed(const struct topo *topo)
{
    return &topo->allowed;
}

int topo_refuse_quota(int workers, double quota, struct error *err)
{
    return error_set(err, EBUSY,
                     "%d worker%s a CPU quota of %.4g: %sraise the quota, or "
                     "give --oversubscribe to continue",
                     workers, workers == 1 ? " has" : "s have", quota,
                     workers == 1 ? "" : "ask for fewer, ");
}

const char *topo_summary(const struct topo *topo)
{
    return topo->summary;
}

const char *topo_processor(const struct topo *topo)
{
    return topo->processor;
}
