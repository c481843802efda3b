/* The NUMA nodes of data. */
#include "harness/topo/topo_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Strictly: another place would be worse than an error, because the record says
 * where.  A processor with two nodes (high-bandwidth memory) gets the first. */
static int bind_pages(const struct topo *topo, void *memory, size_t bytes,
                      int processor, struct error *err)
{
    struct topo_position position = topo_position(topo, processor);
    if (position.numa < 0)
        return error_set(err, ENOTSUP,
                         "memory bind: the NUMA node of processor %d is not "
                         "known here, use touch",
                         processor);
    hwloc_bitmap_t node = hwloc_bitmap_alloc();
    hwloc_bitmap_only(node, (unsigned)position.numa);
    errno = 0;
    int code = hwloc_set_area_membind(
        topo->handle, memory, bytes, node, HWLOC_MEMBIND_BIND,
        HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT);
    hwloc_bitmap_free(node);
    if (code == 0)
        return 0;
    code = errno ? errno : ENOSYS;
    return error_set(err, code,
                     "memory bind: the system does not bind memory to NUMA "
                     "node %d (%s), use touch",
                     position.numa, strerror(code));
}

int topo_place_memory(const struct topo *topo, void *memory, size_t bytes,
                      bool bind, int processor, struct error *err)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)memory + bytes) / page * page;
    if (memory == NULL || from >= to)
        return 0;
    if (madvise((void *)from, to - from, MADV_DONTNEED) != 0)
        return error_set(err, errno, "memory: its pages cannot be placed: %s",
                         strerror(errno));
    if (!bind || processor < 0)
        return 0;
    return bind_pages(topo, (void *)from, to - from, processor, err);
}

uint64_t topo_memory_nodes(const struct topo *topo, const void *memory,
                           size_t bytes)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    uint64_t nodes = 0;
    int node;
    if (bytes > 0 &&
        hwloc_get_area_memlocation(topo->handle, memory, bytes, set,
                                   HWLOC_MEMBIND_BYNODESET) == 0)
        hwloc_bitmap_foreach_begin(node, set)
        {
            if (node < 64)
                nodes |= (uint64_t)1 << node;
        }
    hwloc_bitmap_foreach_end();
    hwloc_bitmap_free(set);
    return nodes;
}
