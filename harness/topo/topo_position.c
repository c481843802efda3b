/* Where a processor is, kinds of cores, and the places of threads. */
#include "harness/topo/topo_internal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the index ---- */

/* Only NUMA nodes that contain no smaller node and equal no earlier one are
 * domains.  Nodes without cores, memory of a whole machine and second nodes of
 * the same cores (high-bandwidth memory) do not count. */
static bool is_domain(const struct topo *topo, hwloc_obj_t object)
{
    if (hwloc_bitmap_iszero(object->cpuset))
        return false;
    if (object->type != HWLOC_OBJ_NUMANODE)
        return true;
    for (hwloc_obj_t o = NULL;
         (o = hwloc_get_next_obj_by_type(topo->handle, HWLOC_OBJ_NUMANODE,
                                         o)) != NULL;) {
        bool equal = hwloc_bitmap_isequal(o->cpuset, object->cpuset);
        if (equal ? o->logical_index < object->logical_index
                  : !hwloc_bitmap_iszero(o->cpuset) &&
                        hwloc_bitmap_isincluded(o->cpuset, object->cpuset))
            return false;
    }
    return true;
}

/* One part or none means the whole machine. */
static int index_domain(struct topo *topo, enum topo_domain domain,
                        hwloc_obj_type_t type)
{
    int most = hwloc_get_nbobjs_by_type(topo->handle, type), count = 0;
    hwloc_obj_t *all =
        calloc((size_t)(most > 1 ? most : 1), sizeof(hwloc_obj_t));
    if (all == NULL)
        return -ENOMEM;
    for (hwloc_obj_t o = NULL;
         most > 1 && (o = hwloc_get_next_obj_by_type(topo->handle, type, o));)
        if (is_domain(topo, o))
            all[count++] = o;
    if (count <= 1)
        all[0] = hwloc_get_root_obj(topo->handle);
    topo->domain[domain] = all;
    topo->domains[domain] = count > 1 ? count : 1;
    return 0;
}

int topo_index(struct topo *topo)
{
    hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topo->handle);
    int kinds = hwloc_cpukinds_get_nr(topo->handle, 0);
    topo_index_free(topo);
    int efficiency = -1;
    topo->kinds = kinds > 1 ? kinds : 1;
    topo->ranked = kinds > 1 &&
                   hwloc_cpukinds_get_info(topo->handle, 0, NULL, &efficiency,
                                           NULL, NULL, 0) == 0 &&
                   efficiency >= 0;
    topo->pus = hwloc_bitmap_last(all) + 1;
    topo->pu = calloc((size_t)topo->pus + 1, sizeof(hwloc_obj_t));
    topo->first = hwloc_bitmap_dup(all);
    if (topo->pu == NULL || topo->first == NULL)
        return -ENOMEM;
    hwloc_bitmap_singlify_per_core(topo->handle, topo->first, 0);
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(
                                    topo->handle, HWLOC_OBJ_PU, o)) != NULL;)
        topo->pu[o->os_index] = o;
    int code = index_domain(topo, TOPO_NODE, HWLOC_OBJ_MACHINE);
    if (code == 0)
        code = index_domain(topo, TOPO_SOCKET, HWLOC_OBJ_PACKAGE);
    return code == 0 ? index_domain(topo, TOPO_NUMA, HWLOC_OBJ_NUMANODE) : code;
}

void topo_index_free(struct topo *topo)
{
    free(topo->pu);
    topo->pu = NULL;
    hwloc_bitmap_free(topo->first);
    topo->first = NULL;
    for (int i = 0; i < TOPO_DOMAINS; i++) {
        free(topo->domain[i]);
        topo->domain[i] = NULL;
    }
}

/* ---- kinds ---- */

int topo_kinds(const struct topo *topo)
{
    return topo->kinds;
}

/* Kinds are numbered by their power where that is known. */
static int kind_number(const struct topo *topo, int index, hwloc_bitmap_t set)
{
    int efficiency = -1;
    hwloc_cpukinds_get_info(topo->handle, (unsigned)index, set, &efficiency,
                            NULL, NULL, 0);
    return efficiency >= 0 ? efficiency : index;
}

void topo_kind_text(const struct topo *topo, int index, char *text, size_t size)
{
    char list[256];
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int kind = kind_number(topo, index, set);
    hwloc_bitmap_list_snprintf(list, sizeof(list), set);
    hwloc_bitmap_free(set);
    snprintf(text, size, "kind %d: processors %s%s", kind, list,
             !topo->ranked             ? ", of unknown power"
             : kind == 0               ? ", the least powerful"
             : kind == topo->kinds - 1 ? ", the most powerful"
                                       : "");
}

json_t *topo_kinds_json(const struct topo *topo)
{
    char text[400];
    json_t *array = json_array();
    for (int i = 0; topo->kinds > 1 && i < topo->kinds; i++) {
        topo_kind_text(topo, i, text, sizeof(text));
        json_array_append_new(array, json_string(text));
    }
    return array;
}

int topo_slower(const struct topo *topo, const int *processor, int workers)
{
    int best = -1, slower = 0;
    if (!topo->ranked)
        return 0;
    bool *taken = calloc((size_t)topo->pus + 1, sizeof(*taken));
    if (taken == NULL)
        return 0;
    for (int w = 0; w < workers; w++)
        if (processor[w] >= 0)
            taken[topo_position(topo, processor[w]).core] = true;
    for (int i = 0; i < topo->pus; i++) {
        struct topo_position position = topo_position(topo, i);
        if (topo->pu[i] != NULL && !taken[position.core] &&
            position.kind > best)
            best = position.kind;
    }
    for (int w = 0; w < workers; w++)
        slower +=
            processor[w] >= 0 && topo_position(topo, processor[w]).kind < best;
    free(taken);
    return slower;
}

/* ---- positions ---- */

/* The node with the fewest cores: memory of the whole machine (slow or
 * attached) is nearest to none. */
static int nearest_node(hwloc_obj_t pu)
{
    for (hwloc_obj_t o = pu->parent; o != NULL; o = o->parent) {
        hwloc_obj_t memory = o->memory_first_child;
        while (memory != NULL && memory->type != HWLOC_OBJ_NUMANODE)
            memory = memory->memory_first_child;
        if (memory != NULL)
            return (int)memory->os_index;
    }
    return -1;
}

struct topo_position topo_position(const struct topo *topo, int processor)
{
    struct topo_position position = {.processor = processor,
                                     .core = processor,
                                     .socket = -1,
                                     .cache = -1,
                                     .numa = -1,
                                     .kind = -1};
    bool there = processor >= 0 && processor < topo->pus;
    hwloc_obj_t pu = there ? topo->pu[processor] : NULL;
    if (pu == NULL)
        return position;
    hwloc_obj_t core =
        hwloc_get_ancestor_obj_by_type(topo->handle, HWLOC_OBJ_CORE, pu);
    hwloc_obj_t package =
        hwloc_get_ancestor_obj_by_type(topo->handle, HWLOC_OBJ_PACKAGE, pu);
    if (core != NULL)
        position.core = hwloc_bitmap_first(core->cpuset);
    if (package != NULL)
        position.socket = (int)package->logical_index;
    /* The first processor below this one's largest cache, -1: it has none. */
    int first = -1;
    for (hwloc_obj_t o = pu->parent; o != NULL; o = o->parent)
        if (hwloc_obj_type_is_dcache(o->type))
            first = hwloc_bitmap_first(o->cpuset);
    position.cache = first;
    position.numa = nearest_node(pu);
    int index = topo->kinds > 1
                    ? hwloc_cpukinds_get_by_cpuset(topo->handle, pu->cpuset, 0)
                    : -1;
    position.kind = index >= 0 ? kind_number(topo, index, NULL) : -1;
    return position;
}

struct topo_seen topo_observe_self(const struct topo *topo)
{
    struct topo_seen seen = {.position = topo_position(topo, -1)};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (hwloc_get_last_cpu_location(topo->handle, set, HWLOC_CPUBIND_THREAD) ==
        0)
        seen.position = topo_position(topo, hwloc_bitmap_first(set));
    if (hwloc_get_cpubind(topo->handle, set, HWLOC_CPUBIND_THREAD) == 0) {
        int first = hwloc_bitmap_first(set), last = hwloc_bitmap_last(set);
        seen.on_processor = first >= 0 && first == last;
        seen.on_core = first >= 0 && topo_position(topo, first).core ==
                                         topo_position(topo, last).core;
    }
    hwloc_bitmap_free(set);
    return seen;
}
