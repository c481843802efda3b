/* Which worker goes to which processor. */
#include "harness/topo/topo_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- domains ---- */

/* Of NUMA nodes those that hold no smaller one and repeat no earlier one: nodes
 * without cores, memory of a whole machine and second nodes of the same cores
 * (high-bandwidth memory) do not count as domains. */
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

static hwloc_obj_t next_domain(const struct topo *topo, enum topo_domain domain,
                               hwloc_obj_t last)
{
    hwloc_obj_type_t type =
        domain == TOPO_SOCKET ? HWLOC_OBJ_PACKAGE : HWLOC_OBJ_NUMANODE;
    do
        last = hwloc_get_next_obj_by_type(topo->handle, type, last);
    while (last != NULL && !is_domain(topo, last));
    return last;
}

int topo_domains(const struct topo *topo, enum topo_domain domain)
{
    int count = 0;
    if (domain == TOPO_NODE)
        return 1;
    for (hwloc_obj_t o = NULL; (o = next_domain(topo, domain, o)) != NULL;)
        count++;
    return count > 1 ? count : 1;
}

/* The processors of a domain, its number taken modulo how many there are. */
static void domain_set(const struct topo *topo, enum topo_domain domain,
                       int number, hwloc_bitmap_t set)
{
    int domains = topo_domains(topo, domain);
    hwloc_bitmap_copy(set, hwloc_topology_get_topology_cpuset(topo->handle));
    if (domains == 1)
        return;
    hwloc_obj_t object = next_domain(topo, domain, NULL);
    for (int i = 0; i < number % domains; i++)
        object = next_domain(topo, domain, object);
    hwloc_bitmap_copy(set, object->cpuset);
}

void topo_room(const struct topo *topo, struct topo_room *room)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (int kind = 0; kind < TOPO_DOMAINS; kind++) {
        room->domains[kind] = topo_domains(topo, (enum topo_domain)kind);
        room->cores[kind] = room->processors[kind] = INT_MAX;
        for (int i = 0; i < room->domains[kind]; i++) {
            domain_set(topo, (enum topo_domain)kind, i, set);
            int processors = hwloc_bitmap_weight(set);
            hwloc_bitmap_singlify_per_core(topo->handle, set, 0);
            int cores = hwloc_bitmap_weight(set);
            if (processors < room->processors[kind])
                room->processors[kind] = processors;
            if (cores < room->cores[kind])
                room->cores[kind] = cores;
        }
    }
    hwloc_bitmap_free(set);
}

/* ---- places, in the order in which workers take them ---- */

struct places {
    int *processor;
    int count;
};

static void add_place(struct places *places, int processor)
{
    for (int i = 0; i < places->count; i++)
        if (places->processor[i] == processor)
            return;
    places->processor[places->count++] = processor;
}

/* All of `set` that are not there yet: as neighbours are in the machine. */
static void add_neighbours(const struct topo *topo, hwloc_const_bitmap_t set,
                           struct places *places)
{
    for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(
                                     topo->handle, HWLOC_OBJ_PU, pu)) != NULL;)
        if (hwloc_bitmap_isset(set, pu->os_index))
            add_place(places, (int)pu->os_index);
}

/* Spread over a copy of the topology with only the processors of `set`: it
 * shares out by processors, and cores of some machines have more than
 * others. */
static int add_scattered(const struct topo *topo, hwloc_const_bitmap_t set,
                         int workers, struct places *places)
{
    hwloc_topology_t only;
    int all = hwloc_bitmap_weight(set);
    int used = workers < all ? workers : all;
    hwloc_bitmap_t *part = calloc((size_t)used + 1, sizeof(*part));
    if (part == NULL || hwloc_topology_dup(&only, topo->handle) != 0) {
        free(part);
        return -ENOMEM;
    }
    int code = hwloc_topology_restrict(only, set, 0) == 0 ? 0 : -EINVAL;
    hwloc_obj_t root = hwloc_get_root_obj(only);
    if (code == 0 && used > 0)
        code = hwloc_distrib(only, &root, 1, part, (unsigned)used, INT_MAX, 0);
    for (int i = 0; code == 0 && i < used; i++) {
        add_place(places, hwloc_bitmap_first(part[i]));
        hwloc_bitmap_free(part[i]);
    }
    hwloc_topology_destroy(only);
    free(part);
    return code == 0 ? 0 : -ENODEV;
}

static int order_domain(const struct topo *topo,
                        const struct topo_binding *binding, int domain,
                        int workers, struct places *places)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc(), cores = hwloc_bitmap_alloc();
    int code = 0;
    domain_set(topo, binding->domain, domain, set);
    hwloc_bitmap_copy(cores, set);
    hwloc_bitmap_singlify_per_core(topo->handle, cores, 0);
    bool each_core = !binding->smt || workers <= hwloc_bitmap_weight(cores);
    if (binding->bind == TOPO_SCATTER)
        code = add_scattered(topo, each_core ? cores : set, workers, places);
    if (!binding->smt || binding->bind == TOPO_SCATTER)
        add_neighbours(topo, cores, places);
    if (binding->smt)
        add_neighbours(topo, set, places);
    hwloc_bitmap_free(set);
    hwloc_bitmap_free(cores);
    return code;
}

/* As listed; a processor may be there twice. */
static int order_list(const struct topo *topo,
                      const struct topo_binding *binding, struct places *places,
                      struct error *err)
{
    hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topo->handle);
    for (int i = 0; i < binding->count; i++) {
        if (!hwloc_bitmap_isset(all, (unsigned)binding->list[i]))
            return error_set(err, EINVAL,
                             "bind: processor %d is not among those that may "
                             "be used here: %s",
                             binding->list[i], topo->cpuset);
        places->processor[places->count++] = binding->list[i];
    }
    return 0;
}

int topo_assign(const struct topo *topo, const struct topo_binding *binding,
                int domain, int workers, int extra, int *processor,
                struct error *err)
{
    int room = topo_processors(topo), code = 0, all = workers + extra;
    struct places places = {.count = 0};
    if (binding->bind == TOPO_NONE) {
        for (int i = 0; i < all; i++)
            processor[i] = -1;
        return 0;
    }
    room = binding->count > room ? binding->count : room;
    places.processor = calloc((size_t)room + 1, sizeof(*places.processor));
    if (places.processor == NULL)
        return error_set(err, ENOMEM, "out of memory");
    if (binding->bind == TOPO_LIST)
        code = order_list(topo, binding, &places, err);
    else if (order_domain(topo, binding, domain, workers, &places) != 0)
        code = error_set(err, ENODEV, "hwloc cannot share out the cores");
    for (int i = 0; code == 0 && i < all; i++)
        processor[i] = places.processor[i % places.count];
    free(places.processor);
    return code;
}

int topo_bind_self(const struct topo *topo, const struct topo_binding *binding,
                   int domain, int processor, struct error *err)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (processor >= 0)
        hwloc_bitmap_only(set, (unsigned)processor);
    else
        domain_set(topo, binding->domain, domain, set);
    errno = 0;
    int code = 0;
    if (hwloc_set_cpubind(topo->handle, set, HWLOC_CPUBIND_THREAD) != 0)
        code = errno ? -errno : -ENOSYS;
    hwloc_bitmap_free(set);
    if (code != 0)
        return error_set(err, -code, "cannot bind a worker to processor %d: %s",
                         processor, strerror(-code));
    return 0;
}

int topo_bind_compact(const struct topo *topo, int worker, int workers,
                      struct error *err)
{
    const struct topo_binding compact = {.bind = TOPO_COMPACT};
    int extra = worker < workers ? 0 : worker - workers + 1;
    int *processor = calloc((size_t)(workers + extra), sizeof(*processor));
    if (processor == NULL)
        return error_set(err, ENOMEM, "out of memory");
    int code = topo_assign(topo, &compact, 0, workers, extra, processor, err);
    if (code == 0)
        code = topo_bind_self(topo, &compact, 0, processor[worker], err);
    free(processor);
    return code;
}
