/* The functions of the program's OpenMP runtime, found by name. */
#include "dls/omp/omp_internal.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#define ENTRY(symbol) [ENTRY_##symbol] = #symbol,
#include "dls/omp/gomp.def"
};

/* A process may have several runtimes: Python modules bring their own. */
enum { RUNTIMES = 16, MODULES = 64 };
static const char any_llvm[] = "__kmpc_global_thread_num";

/* Never call the loader while this is held: a thread that opens a library holds
 * the loader's lock while its constructors run, which may have loops.  In their
 * regions other threads must not call the loader, because the thread with its
 * lock waits for them.  So results are stored. */
static struct engine_lock lock;
static struct runtime runtimes[RUNTIMES];
static const void *library[RUNTIMES]; /* its load address */
static int count;
/* For the calls of gcc's programs, and of LLVM's. */
static struct kept {
    const struct runtime
        *_Atomic visible; /* to all modules; NULL: none so far */
    struct {
        uint64_t base, unloaded;
        const struct runtime *runtime;
    } module[MODULES]; /* with a private runtime */
    unsigned modules;
} kept[2];
static const struct runtime *llvm; /* the last one that began */
static int llvms;                  /* how many have begun */

/* ---- runtimes ---- */

/* Where the entries of a runtime are looked for. */
struct exports {
    void *handle;                /* the loader's, or */
    const struct module *module; /* its symbol table */
};

static const void *look_up(const struct exports *in, const char *name)
{
    return in->module != NULL ? module_function(in->module, name)
                              : dlsym(in->handle, name);
}

/* The loader gives an object pointer; a function pointer has the same bits. */
static void find_entry(const struct exports *in, const char *name, void *entry)
{
    const void *found = look_up(in, name);
    memcpy(entry, &found, sizeof(found));
}

static void find_entries(struct runtime *runtime, const struct exports *in)
{
    for (int i = 0; i < ENTRIES; i++)
        find_entry(in, names[i], &runtime->entry[i]);
    find_entry(in, "omp_get_num_threads", &runtime->threads);
    find_entry(in, "omp_get_thread_num", &runtime->thread);
    find_entry(in, "omp_get_max_threads", &runtime->most);
    runtime->llvm = look_up(in, any_llvm) != NULL;
    /* The GOMP_loop_start of LLVM's runtime gives no memory. */
    runtime->shares = runtime->entry[ENTRY_GOMP_loop_start] != NULL &&
                      runtime->threads != NULL && runtime->thread != NULL &&
                      !runtime->llvm;
}

/* Under the lock. */
static const struct runtime *find_there(const void *base)
{
    for (int i = 0; i < count; i++)
        if (library[i] == base)
            return &runtimes[i];
    return NULL;
}

static const struct runtime *find_runtime(const void *base)
{
    engine_lock(&lock);
    const struct runtime *found = find_there(base);
    engine_unlock(&lock);
    return found;
}

/* Another thread may have added it just now.  NULL: no room. */
static const struct runtime *add_runtime(const struct runtime *made,
                                         const void *base)
{
    engine_lock(&lock);
    const struct runtime *found = find_there(base);
    if (found == NULL && count < RUNTIMES) {
        runtimes[count] = *made;
        library[count] = base;
        found = &runtimes[count++];
    }
    engine_unlock(&lock);
    return found;
}

/* The library of an entry: if a process has several runtimes, each must know
 * its own teams.  It stays loaded when the last module that needs it is closed:
 * its entries are stored here, and its threads wait in its code.  NULL:
 * none. */
static const struct runtime *runtime_of_entry(const void *entry)
{
    Dl_info info;
    struct runtime made = {.threads = NULL};
    if (entry == NULL || dladdr(entry, &info) == 0)
        return NULL;
    const struct runtime *found = find_runtime(info.dli_fbase);
    if (found != NULL)
        return found;
    void *handle =
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle == NULL)
        return NULL;
    snprintf(made.file, sizeof(made.file), "%s", info.dli_fname);
    find_entries(&made, &(struct exports){.handle = handle});
    dlclose(handle);
    return add_runtime(&made, info.dli_fbase);
}

/* The only runtime of LLVM's in the process, without the loader, for which a
 * thread of a constructor's region would wait.  NULL: there are several, or
 * none that stays. */
static const struct runtime *get_only_llvm(void)
{
    struct module module;
    struct runtime made = {.threads = NULL};
    if (!module_that_defines(any_llvm, &module))
        return NULL;
    const void *base = (const void *)(uintptr_t)module.base;
    const struct runtime *found = find_runtime(base);
    if (found != NULL)
        return found;
    snprintf(made.file, sizeof(made.file), "%s", module.path);
    find_entries(&made, &(struct exports){.module = &module});
    return add_runtime(&made, base);
}

/* ---- of a module ---- */

static const struct runtime *find_kept(const struct module *module,
                                       bool by_llvm)
{
    const struct kept *of = &kept[by_llvm];
    const struct runtime *found = NULL;
    engine_lock(&lock);
    for (unsigned i = 0; i < of->modules && i < MODULES && found == NULL; i++)
        if (of->module[i].base == module->base &&
            of->module[i].unloaded == module->unloaded)
            found = of->module[i].runtime;
    if (found == NULL && by_llvm && llvms == 1)
        found = llvm;
    engine_unlock(&lock);
    return found;
}

/* After a module was closed, another one may be at its address. */
static void keep_runtime(const struct module *module, bool by_llvm,
                         const struct runtime *runtime)
{
    struct kept *of = &kept[by_llvm];
    engine_lock(&lock);
    unsigned at = of->modules++ % MODULES;
    of->module[at].base = module->base;
    of->module[at].unloaded = module->unloaded;
    of->module[at].runtime = runtime;
    engine_unlock(&lock);
}

/* Searches first the libraries visible to all modules, then those of this
 * module, as the loader would have done. */
static const struct runtime *ask_loader(const struct module *module,
                                        bool by_llvm)
{
    const char *name = by_llvm ? any_llvm : names[ENTRY_GOMP_parallel];
    const struct runtime *runtime = by_llvm ? get_only_llvm() : NULL;
    if (runtime != NULL) {
        keep_runtime(module, by_llvm, runtime);
        return runtime;
    }
    runtime = runtime_of_entry(dlsym(RTLD_NEXT, name));
    if (runtime != NULL) {
        atomic_store(&kept[by_llvm].visible, runtime);
        return runtime;
    }
    bool is_library = module->known && module->name[0] != '\0';
    void *handle =
        is_library ? dlopen(module->name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (handle == NULL)
        return NULL;
    runtime = runtime_of_entry(dlsym(handle, name));
    dlclose(handle);
    if (runtime != NULL)
        keep_runtime(module, by_llvm, runtime);
    return runtime;
}

const struct runtime *runtime_of(const struct module *module, bool by_llvm)
{
    static const struct runtime none;
    const struct runtime *runtime = atomic_load(&kept[by_llvm].visible);
    if (runtime == NULL)
        runtime = find_kept(module, by_llvm);
    if (runtime == NULL)
        runtime = ask_loader(module, by_llvm);
    return runtime != NULL ? runtime : &none;
}

const struct runtime *runtime_at(const void *address, bool by_llvm)
{
    struct module module;
    const struct runtime *runtime = atomic_load(&kept[by_llvm].visible);
    if (OMP_LIKELY(runtime != NULL))
        return runtime;
    module_find(address, &module);
    return runtime_of(&module, by_llvm);
}

/* Regions of LLVM's runtime begin without a call to this library: if it is the
 * only one, none of its threads has to search for it. */
void runtime_begins(const void *address)
{
    const struct runtime *runtime = runtime_of_entry(address);
    engine_lock(&lock);
    if (runtime != NULL && runtime != llvm) {
        llvm = runtime;
        llvms++;
    }
    engine_unlock(&lock);
}

void runtimes_hold(void)
{
    engine_lock(&lock);
}

void runtimes_release(void)
{
    engine_unlock(&lock);
}
