/* A machine's topology: its source, its contents, the places of threads. */
#include "harness/topo/topo_parts.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    snprintf(topo->summary, sizeof(topo->summary),
             "%d cores, %d processors, %d packages, %d NUMA nodes, %.1f GiB, "
             "%s",
             topo->cores, count_objects(topo, HWLOC_OBJ_PU),
             count_objects(topo, HWLOC_OBJ_PACKAGE),
             count_objects(topo, HWLOC_OBJ_NUMANODE),
             (double)root->total_memory / (1 << 30), topo->processor);
}

/* Everything outside the cpuset the process was started in is taken out of
 * the topology, so that no worker can leave it. */
static void restrict_to_start(struct topo *topo)
{
    hwloc_bitmap_t start = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topo->handle, start, HWLOC_CPUBIND_PROCESS) == 0 &&
        !hwloc_bitmap_iszero(start))
        hwloc_topology_restrict(topo->handle, start, 0);
    hwloc_bitmap_free(start);
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

static void describe_topo(struct topo *topo)
{
    hwloc_bitmap_list_snprintf(
        topo->cpuset, sizeof(topo->cpuset),
        hwloc_topology_get_topology_cpuset(topo->handle));
    topo->cores = count_objects(topo, HWLOC_OBJ_CORE);
    if (topo->cores < 1)
        topo->cores = count_objects(topo, HWLOC_OBJ_PU);
    summarise_topo(topo);
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
    if (hwloc_topology_load(topo->handle) != 0) {
        topo_close(topo);
        return error_set(err, ENODEV, "hwloc cannot load the topology");
    }
    restrict_to_start(topo);
    allowed_read("", &topo->allowed);
    describe_topo(topo);
    *out = topo;
    return 0;
}

/* hwloc prints its own reasons when it is asked to (HWLOC_SYNTHETIC_VERBOSE);
 * an XML file that it cannot read is one that it does not know. */
static int load_other(const struct topo *topo, const char *machine,
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
    return error_set(err, EINVAL,
                     file ? "topology: %s is no XML file of lstopo"
                          : "topology: '%s' is neither a file nor a synthetic "
                            "description such as 'pack:2 numa:2 core:32 pu:2'",
                     machine);
}

int topo_open_other(struct topo **out, const char *machine, const char *cpuset,
                    struct error *err)
{
    struct topo *topo = NULL;
    int code =
        machine != NULL ? start_topology(&topo, err) : topo_open(&topo, err);
    if (code == 0 && machine != NULL)
        code = load_other(topo, machine, err);
    if (code == 0 && cpuset != NULL)
        code = restrict_to_list(topo, cpuset, err);
    if (code == 0) {
        describe_topo(topo);
        *out = topo;
    } else if (topo != NULL) {
        topo_close(topo);
    }
    return code;
}

void topo_close(struct topo *topo)
{
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

const char *topo_summary(const struct topo *topo)
{
    return topo->summary;
}

const char *topo_processor(const struct topo *topo)
{
    return topo->processor;
}

/* ---- seats ---- */

/* The NUMA node with the fewest cores: a node of the whole machine (slow or
 * attached memory) is not nearest to any. */
static int nearest_node(const struct topo *topo, int processor)
{
    int node = -1, least = 0;
    for (hwloc_obj_t o = NULL;
         (o = hwloc_get_next_obj_by_type(topo->handle, HWLOC_OBJ_NUMANODE,
                                         o)) != NULL;) {
        int weight = hwloc_bitmap_weight(o->cpuset);
        if (!hwloc_bitmap_isset(o->cpuset, (unsigned)processor) ||
            (node >= 0 && weight >= least))
            continue;
        node = (int)o->os_index;
        least = weight;
    }
    return node;
}

static int kind_of(const struct topo *topo, int processor)
{
    int kinds = hwloc_cpukinds_get_nr(topo->handle, 0), efficiency = -1;
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    hwloc_bitmap_set(one, (unsigned)processor);
    int kind =
        kinds > 1 ? hwloc_cpukinds_get_by_cpuset(topo->handle, one, 0) : -1;
    if (kind >= 0 &&
        hwloc_cpukinds_get_info(topo->handle, (unsigned)kind, NULL, &efficiency,
                                NULL, NULL, 0) == 0 &&
        efficiency >= 0)
        kind = efficiency;
    hwloc_bitmap_free(one);
    return kind;
}

/* The first processor below the largest cache of this one, -1: it has none. */
static int outermost_cache(hwloc_obj_t pu)
{
    int first = -1;
    for (hwloc_obj_t o = pu->parent; o != NULL; o = o->parent)
        if (hwloc_obj_type_is_dcache(o->type))
            first = hwloc_bitmap_first(o->cpuset);
    return first;
}

struct topo_seat topo_seat(const struct topo *topo, int processor)
{
    struct topo_seat seat = {.processor = processor,
                             .core = processor,
                             .socket = -1,
                             .cache = -1,
                             .numa = -1,
                             .kind = -1};
    hwloc_obj_t pu =
        processor < 0
            ? NULL
            : hwloc_get_pu_obj_by_os_index(topo->handle, (unsigned)processor);
    if (pu == NULL)
        return seat;
    hwloc_obj_t core =
        hwloc_get_ancestor_obj_by_type(topo->handle, HWLOC_OBJ_CORE, pu);
    hwloc_obj_t package =
        hwloc_get_ancestor_obj_by_type(topo->handle, HWLOC_OBJ_PACKAGE, pu);
    if (core != NULL)
        seat.core = hwloc_bitmap_first(core->cpuset);
    if (package != NULL)
        seat.socket = (int)package->logical_index;
    seat.cache = outermost_cache(pu);
    seat.numa = nearest_node(topo, processor);
    seat.kind = kind_of(topo, processor);
    return seat;
}

struct topo_seen topo_observe_self(const struct topo *topo)
{
    struct topo_seen seen = {.seat = topo_seat(topo, -1)};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (hwloc_get_last_cpu_location(topo->handle, set, HWLOC_CPUBIND_THREAD) ==
        0)
        seen.seat = topo_seat(topo, hwloc_bitmap_first(set));
    if (hwloc_get_cpubind(topo->handle, set, HWLOC_CPUBIND_THREAD) == 0) {
        int first = hwloc_bitmap_first(set), last = hwloc_bitmap_last(set);
        seen.on_processor = first >= 0 && first == last;
        seen.on_core = first >= 0 && topo_seat(topo, first).core ==
                                         topo_seat(topo, last).core;
    }
    hwloc_bitmap_free(set);
    return seen;
}
