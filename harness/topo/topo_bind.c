/* Assigns workers to processors, and binds threads there. */
#include "harness/topo/topo_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- domains ---- */

/* The processors of a domain, its number taken modulo how many there are. */
static hwloc_const_bitmap_t domain_set(const struct topo *topo,
                                       enum topo_domain domain, int number)
{
    return topo->domain[domain][number % topo->domains[domain]]->cpuset;
}

void topo_room(const struct topo *topo, struct topo_room *room)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (int kind = 0; kind < TOPO_DOMAINS; kind++) {
        room->domains[kind] = topo->domains[kind];
        room->cores[kind] = room->processors[kind] = INT_MAX;
        for (int i = 0; i < room->domains[kind]; i++) {
            hwloc_bitmap_copy(set, domain_set(topo, (enum topo_domain)kind, i));
            int processors = hwloc_bitmap_weight(set);
            hwloc_bitmap_and(set, set, topo->first);
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
    int own;             /* for workers; masters may also have the rest */
    hwloc_bitmap_t seen; /* the added ones */
    hwloc_obj_t *sorted; /* room for all of the machine */
};

static void add_place(struct places *places, int processor)
{
    if (hwloc_bitmap_isset(places->seen, (unsigned)processor))
        return;
    hwloc_bitmap_set(places->seen, (unsigned)processor);
    places->processor[places->count++] = processor;
}

static int by_place(const void *a, const void *b)
{
    unsigned x = (*(const hwloc_obj_t *)a)->logical_index;
    unsigned y = (*(const hwloc_obj_t *)b)->logical_index;
    return (x > y) - (x < y);
}

/* Adds the processors of `set` not added yet, in the machine's order. */
static void add_neighbours(const struct topo *topo, hwloc_const_bitmap_t set,
                           struct places *places)
{
    int count = 0;
    unsigned i;
    hwloc_bitmap_foreach_begin(i, set)
    {
        places->sorted[count++] = topo->pu[i];
    }
    hwloc_bitmap_foreach_end();
    qsort(places->sorted, (size_t)count, sizeof(hwloc_obj_t), by_place);
    for (int k = 0; k < count; k++)
        add_place(places, (int)places->sorted[k]->os_index);
}

/* Adds the processors of one kind only. */
static void add_kind(const struct topo *topo, hwloc_const_bitmap_t set,
                     int kind, struct places *places)
{
    hwloc_bitmap_t some = hwloc_bitmap_alloc();
    unsigned i;
    hwloc_bitmap_foreach_begin(i, set)
    {
        int is = topo_position(topo, (int)i).kind;
        if (is == kind || (is < 0 && kind == 0))
            hwloc_bitmap_set(some, i);
    }
    hwloc_bitmap_foreach_end();
    add_neighbours(topo, some, places);
    hwloc_bitmap_free(some);
}

/* Spreads over a copy of the topology restricted to `set`: hwloc divides by
 * processors, and cores of some machines have more than others. */
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

/* `cores` has one processor of each core in `set`. */
static int order_set(const struct topo *topo,
                     const struct topo_binding *binding,
                     hwloc_const_bitmap_t set, hwloc_const_bitmap_t cores,
                     int workers, struct places *places)
{
    bool each_core = !binding->smt || workers <= hwloc_bitmap_weight(cores);
    hwloc_const_bitmap_t first = binding->smt ? set : cores;
    int code = 0;
    if (binding->bind == TOPO_SCATTER)
        code = add_scattered(topo, each_core ? cores : set, workers, places);
    else if (binding->bind == TOPO_COMPACT) {
        /* Kinds without a known rank keep their order. */
        for (int kind = topo->kinds - 1; topo->ranked && kind >= 0; kind--)
            add_kind(topo, first, kind, places);
        add_neighbours(topo, first, places);
    } else if (binding->bind == TOPO_KIND)
        add_kind(topo, first, binding->kind, places);
    if (binding->bind == TOPO_KIND)
        places->own = places->count;
    if (!binding->smt || binding->bind == TOPO_SCATTER)
        add_neighbours(topo, cores, places);
    if (binding->smt)
        add_neighbours(topo, set, places);
    if (binding->bind != TOPO_KIND)
        places->own = places->count;
    return code;
}

static int order_domain(const struct topo *topo,
                        const struct topo_binding *binding, int domain,
                        int workers, struct places *places, struct error *err)
{
    hwloc_const_bitmap_t set = domain_set(topo, binding->domain, domain);
    hwloc_bitmap_t cores = hwloc_bitmap_dup(set);
    hwloc_bitmap_and(cores, cores, topo->first);
    int code = order_set(topo, binding, set, cores, workers, places);
    hwloc_bitmap_free(cores);
    if (code != 0)
        return error_set(err, ENODEV, "hwloc cannot share out the cores");
    if (places->own == 0)
        return error_set(err, EINVAL,
                         "bind: no core here is of kind %d: dlsbench topo "
                         "shows the kinds",
                         binding->kind);
    return 0;
}

/* As listed; a processor may occur twice. */
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
    places->own = places->count;
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
    places.sorted = calloc((size_t)topo->pus + 1, sizeof(*places.sorted));
    places.seen = hwloc_bitmap_alloc();
    if (places.processor == NULL || places.sorted == NULL ||
        places.seen == NULL)
        code = error_set(err, ENOMEM, "out of memory");
    else if (binding->bind == TOPO_LIST)
        code = order_list(topo, binding, &places, err);
    else
        code = order_domain(topo, binding, domain, workers, &places, err);
    for (int i = 0; code == 0 && i < all; i++)
        processor[i] =
            places.processor[i % (i < workers ? places.own : places.count)];
    hwloc_bitmap_free(places.seen);
    free(places.sorted);
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
        hwloc_bitmap_copy(set, domain_set(topo, binding->domain, domain));
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
