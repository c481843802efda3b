#include "dls/omp/parts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#define CHUNKED(name, clause, flags)                                           \
    [ENTRY_##name##_start] = "GOMP_loop_" #name "_start",                      \
    [ENTRY_##name##_next] = "GOMP_loop_" #name "_next",                        \
    [ENTRY_ull_##name##_start] = "GOMP_loop_ull_" #name "_start",              \
    [ENTRY_ull_##name##_next] = "GOMP_loop_ull_" #name "_next",
#define PLAIN CHUNKED
#define PARALLEL_CHUNKED(name, clause, flags)                                  \
    [ENTRY_parallel_##name] = "GOMP_parallel_loop_" #name,
#define PARALLEL_PLAIN PARALLEL_CHUNKED
#include "dls/omp/gomp.def"
#define ENTRY(name) [ENTRY_##name] = "GOMP_" #name,
#define KMPC(name) [ENTRY_kmpc_##name] = "__kmpc_" #name,
#include "dls/omp/others.def"
};

/* A process may hold several runtimes: Python modules bring their own. */
enum { RUNTIMES = 16 };
static struct runtime runtimes[RUNTIMES];
static void *identity[RUNTIMES]; /* the address of an entry */
static const char any_llvm[] = "__kmpc_fork_call";
static int count;
static struct engine_lock lock;

/* ---- modules ---- */

static const struct link_map *module_of(const void *address)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return NULL;
    return map;
}

/* The path of a module's file; the program itself has none in its map. */
static void module_path(const struct link_map *map,
                        char path[COUNTERS_NAME_MAX])
{
    ssize_t length = -1;
    if (map->l_name[0] != '\0')
        snprintf(path, COUNTERS_NAME_MAX, "%s", map->l_name);
    else
        length = readlink("/proc/self/exe", path, COUNTERS_NAME_MAX - 1);
    if (map->l_name[0] == '\0')
        path[length > 0 ? length : 0] = '\0';
}

static int32_t module_number(const struct link_map *map)
{
    struct counters *counters = mapped();
    char path[COUNTERS_NAME_MAX];
    module_path(map, path);
    int32_t modules = atomic_load(&counters->modules);
    for (int32_t i = 0; i < modules; i++)
        if (counters->module[i].base == map->l_addr &&
            strcmp(counters->module[i].path, path) == 0)
            return i;
    if (modules == COUNTERS_MODULES)
        return -1;
    counters->module[modules].base = map->l_addr;
    memcpy(counters->module[modules].path, path, sizeof(path));
    atomic_store(&counters->modules, modules + 1);
    return modules;
}

struct counters_address runtime_address(const void *address)
{
    const struct link_map *map = module_of(address);
    if (map == NULL)
        return (struct counters_address){.module = -1};
    return (struct counters_address){.module = module_number(map),
                                     .offset = (uint64_t)address - map->l_addr};
}

/* ---- runtimes ---- */

/* dlsym gives an object pointer; a function's has the same bits. */
static void find_entry(void *handle, const char *name, void *entry)
{
    void *found = dlsym(handle, name);
    memcpy(entry, &found, sizeof(found));
}

/* The library itself, where it is found: of several runtimes in a process, each
 * must know its own teams.  It stays when the last module that needs it is
 * closed: its entries are kept here, and its threads wait in its code. */
static void fill(struct runtime *runtime, void *handle, const void *known)
{
    Dl_info info;
    void *library = NULL;
    if (dladdr(known, &info) != 0) {
        snprintf(runtime->file, sizeof(runtime->file), "%s", info.dli_fname);
        library =
            dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
    void *own = library != NULL ? library : handle;
    for (int i = 0; i < ENTRIES; i++)
        find_entry(strncmp(names[i], "__kmpc", 6) == 0 ? handle : own, names[i],
                   &runtime->entry[i]);
    find_entry(own, "omp_get_num_threads", &runtime->threads);
    find_entry(own, "omp_get_thread_num", &runtime->thread);
    runtime->llvm = dlsym(own, any_llvm) != NULL;
    /* The GOMP_loop_start of LLVM's runtime gives no memory. */
    runtime->shares = runtime->entry[ENTRY_loop_start] != NULL &&
                      runtime->threads != NULL && runtime->thread != NULL &&
                      !runtime->llvm;
    if (library != NULL)
        dlclose(library);
}

/* Under the lock. */
static const struct runtime *get(void *handle)
{
    static const struct runtime none;
    void *known = dlsym(handle, names[ENTRY_parallel]);
    if (known == NULL)
        known = dlsym(handle, any_llvm);
    if (known == NULL)
        return &none;
    int i = 0;
    while (i < count && identity[i] != known)
        i++;
    if (i == RUNTIMES)
        return &none;
    if (i == count) {
        fill(&runtimes[i], handle, known);
        identity[i] = known;
        count++;
    }
    return &runtimes[i];
}

/* The way in which the loader would have found it: first among the libraries
 * that are visible to all, then among those that the caller's module brings. */
const struct runtime *runtime_at(const void *address)
{
    engine_lock(&lock);
    const struct runtime *runtime = get(RTLD_NEXT);
    const struct link_map *map =
        runtime->threads == NULL ? module_of(address) : NULL;
    void *module = map != NULL && map->l_name[0] != '\0'
                       ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    if (module != NULL) {
        runtime = get(module);
        dlclose(module);
    }
    engine_unlock(&lock);
    return runtime;
}

void runtimes_hold(void)
{
    engine_lock(&lock);
}

void runtimes_release(void)
{
    engine_unlock(&lock);
}
