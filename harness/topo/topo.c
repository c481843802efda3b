#include "harness/topo/topo.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct topo {
    hwloc_topology_t handle; /* restricted to the starting cpuset */
    int cores;
    char cpuset[256];
    char processor[128];
    char summary[256];
};

static const char *const bind_names[] = {"compact", "scatter", "none", NULL};

bool topo_bind_parse(const char *text, enum topo_bind *bind)
{
    for (int i = 0; bind_names[i] != NULL; i++) {
        if (strcmp(text, bind_names[i]) == 0) {
            *bind = (enum topo_bind)i;
            return true;
        }
    }
    return false;
}

static void summarise(struct topo *topo)
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
             topo->cores, hwloc_get_nbobjs_by_type(topo->handle, HWLOC_OBJ_PU),
             hwloc_get_nbobjs_by_type(topo->handle, HWLOC_OBJ_PACKAGE),
             hwloc_get_nbobjs_by_type(topo->handle, HWLOC_OBJ_NUMANODE),
             (double)root->total_memory / (1 << 30), topo->processor);
}

/* Everything outside the cpuset the process was started in is taken out of
 * the topology, so that no slot can leave it. */
static void restrict_to_start(struct topo *topo)
{
    hwloc_bitmap_t start = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topo->handle, start, HWLOC_CPUBIND_PROCESS) == 0 &&
        !hwloc_bitmap_iszero(start))
        hwloc_topology_restrict(topo->handle, start, 0);
    hwloc_bitmap_list_snprintf(
        topo->cpuset, sizeof(topo->cpuset),
        hwloc_topology_get_topology_cpuset(topo->handle));
    hwloc_bitmap_free(start);
}

int topo_open(struct topo **out, struct error *err)
{
    struct topo *topo = calloc(1, sizeof(*topo));
    if (topo == NULL)
        return error_set(err, ENOMEM, "out of memory for the topology");
    if (hwloc_topology_init(&topo->handle) != 0 ||
        hwloc_topology_load(topo->handle) != 0) {
        free(topo);
        return error_set(err, ENODEV, "hwloc cannot load the topology");
    }
    restrict_to_start(topo);
    topo->cores = hwloc_get_nbobjs_by_type(topo->handle, HWLOC_OBJ_CORE);
    if (topo->cores < 1)
        topo->cores = hwloc_get_nbobjs_by_type(topo->handle, HWLOC_OBJ_PU);
    summarise(topo);
    *out = topo;
    return 0;
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

const char *topo_cpuset(const struct topo *topo)
{
    return topo->cpuset;
}

const char *topo_summary(const struct topo *topo)
{
    return topo->summary;
}

const char *topo_processor(const struct topo *topo)
{
    return topo->processor;
}

static hwloc_obj_t core_object(const struct topo *topo, int index)
{
    hwloc_obj_t core =
        hwloc_get_obj_by_type(topo->handle, HWLOC_OBJ_CORE, (unsigned)index);
    if (core == NULL)
        core =
            hwloc_get_obj_by_type(topo->handle, HWLOC_OBJ_PU, (unsigned)index);
    return core;
}

/* The first processor of the slot's core into `set`. */
static int slot_set(const struct topo *topo, enum topo_bind bind, int slot,
                    int slots, hwloc_bitmap_t set)
{
    int used = slots < topo->cores ? slots : topo->cores;
    slot %= topo->cores;
    if (bind == TOPO_COMPACT || used < 1 || slot >= used) {
        hwloc_bitmap_copy(set, core_object(topo, slot)->cpuset);
        hwloc_bitmap_singlify(set);
        return 0;
    }
    hwloc_bitmap_t *sets = calloc((size_t)used, sizeof(*sets));
    hwloc_obj_t root = hwloc_get_root_obj(topo->handle);
    if (sets == NULL)
        return -ENOMEM;
    int code =
        hwloc_distrib(topo->handle, &root, 1, sets, (unsigned)used, INT_MAX, 0);
    if (code == 0)
        hwloc_bitmap_copy(set, sets[slot]);
    hwloc_bitmap_singlify(set);
    for (int i = 0; code == 0 && i < used; i++)
        hwloc_bitmap_free(sets[i]);
    free(sets);
    return code == 0 ? 0 : -ENODEV;
}

int topo_bind_self(struct topo *topo, enum topo_bind bind, int slot, int slots,
                   struct error *err)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int code = 0;
    if (bind == TOPO_NONE)
        hwloc_bitmap_copy(set,
                          hwloc_topology_get_topology_cpuset(topo->handle));
    else
        code = slot_set(topo, bind, slot, slots, set);
    errno = 0;
    if (code == 0 &&
        hwloc_set_cpubind(topo->handle, set, HWLOC_CPUBIND_THREAD) != 0)
        code = errno ? -errno : -ENOSYS;
    hwloc_bitmap_free(set);
    if (code != 0)
        return error_set(err, -code, "cannot bind worker slot %d of %d: %s",
                         slot, slots, strerror(-code));
    return 0;
}

/* The lowest processor number of the core that holds processor `pu`. */
static int core_of(const struct topo *topo, int pu)
{
    hwloc_obj_t object =
        hwloc_get_pu_obj_by_os_index(topo->handle, (unsigned)pu);
    hwloc_obj_t core = object ? hwloc_get_ancestor_obj_by_type(
                                    topo->handle, HWLOC_OBJ_CORE, object)
                              : NULL;
    return core ? hwloc_bitmap_first(core->cpuset) : pu;
}

void topo_observe_self(struct topo *topo, int *core, bool *bound)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    *core = -1;
    *bound = false;
    if (hwloc_get_last_cpu_location(topo->handle, set, HWLOC_CPUBIND_THREAD) ==
        0)
        *core = core_of(topo, hwloc_bitmap_first(set));
    if (hwloc_get_cpubind(topo->handle, set, HWLOC_CPUBIND_THREAD) == 0) {
        int first = hwloc_bitmap_first(set), last = hwloc_bitmap_last(set);
        *bound = first >= 0 && core_of(topo, first) == core_of(topo, last);
    }
    hwloc_bitmap_free(set);
}

int topo_print(FILE *out, int slots, enum topo_bind bind, struct error *err)
{
    struct topo *topo;
    int code = topo_open(&topo, err);
    if (code != 0)
        return code;
    if (slots <= 0)
        slots = topo->cores;
    fprintf(out, "%s\nstarted in processors %s, bind %s\n", topo->summary,
            topo->cpuset, bind_names[bind]);
    fprintf(out, "%8s  %s\n", "worker", "processor");
    for (int slot = 0; slot < slots; slot++) {
        hwloc_bitmap_t set = hwloc_bitmap_alloc();
        char text[64] = "any of the cpuset";
        if (bind != TOPO_NONE && slot_set(topo, bind, slot, slots, set) == 0)
            hwloc_bitmap_list_snprintf(text, sizeof(text), set);
        fprintf(out, "%8d  %s%s\n", slot, text,
                slot >= topo->cores ? "  (shared: more workers than cores)"
                                    : "");
        hwloc_bitmap_free(set);
    }
    topo_close(topo);
    return 0;
}
