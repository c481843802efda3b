/* A table of all loops and regions, found by their return address. */
#include "dls/omp/frames.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 4096 }; /* a power of two, several times COUNTERS_SITES */

static struct loop_site sites[SLOTS];
static struct engine_lock lock;

enum { CLAUSE_BITS = 4, FLAG_BITS = 3 };
_Static_assert((int)CLAUSE_CALL < 1 << CLAUSE_BITS, "clauses have 4 bits");
_Static_assert((COUNTERS_MONOTONIC | COUNTERS_ORDERED | COUNTERS_COMBINED) <
                   1 << FLAG_BITS,
               "flags have 3 bits");

/* An address and the form of the loop there.  One address may belong to a
 * region and, as a loop's function, to a loop; or to another loop after its
 * module was closed and another one loaded: assurances for the first one must
 * not hold for the second.  Addresses of programs have at most 56 bits. */
static uintptr_t key_of(const void *address, const struct clause *clause)
{
    return ((uintptr_t)address << CLAUSE_BITS | clause->clause) << FLAG_BITS |
           clause->flags;
}

static uintptr_t mix_hash(uintptr_t key, const void *address)
{
    return (key ^ (uintptr_t)address) * UINT64_C(0x9E3779B97F4A7C15);
}

static int32_t number_of(const struct loop_site *site)
{
    return (int32_t)(site->counted - mapped()->site);
}

static int32_t region_of(const struct clause *clause)
{
    if (clause->clause == CLAUSE_REGION)
        return -1;
    if (clause->region != NULL)
        return number_of(clause->region);
    if (here.region == NULL || here.region->site == NULL)
        return -1;
    return number_of(here.region->site);
}

/* The properties of an address, found without a lock before its site is made:
 * finding them may need other threads. */
struct found {
    struct module module, caller;
    const struct runtime *runtime;
    struct loop_names names;
    struct cutter *blocks;
    char note[COUNTERS_NAME_MAX]; /* why `blocks` is NULL */
};

static void look_up(const void *address, const struct clause *clause,
                    struct found *found)
{
    module_find(address, &found->module);
    module_find(clause->caller, &found->caller);
    found->runtime = NULL;
    found->blocks = NULL;
    found->note[0] = '\0';
    if (clause->clause == CLAUSE_PART || clause->clause == CLAUSE_LOCK)
        return;
    found->runtime = runtime_of(&found->module, clause->by_llvm);
    if (clause->clause == CLAUSE_REGION && settings()->tables != NULL)
        found->blocks =
            blocks_find(&found->module, address, found->runtime, found->note);
    settings_find_names(&found->module, address, clause, &found->names);
}

/* Under the lock. */
static int32_t number_module(struct counters *counters,
                             const struct module *module)
{
    int32_t modules = atomic_load(&counters->modules);
    for (int32_t i = 0; i < modules; i++)
        if (counters->module[i].base == module->base &&
            strcmp(counters->module[i].path, module->path) == 0)
            return i;
    if (modules == COUNTERS_MODULES)
        return -1;
    counters->module[modules].base = module->base;
    memcpy(counters->module[modules].path, module->path, COUNTERS_NAME_MAX);
    memcpy(counters->module[modules].build_id, module->build_id,
           COUNTERS_ID_SIZE);
    atomic_store(&counters->modules, modules + 1);
    return modules;
}

static struct counters_address address_in(struct counters *counters,
                                          const struct module *module,
                                          const void *address)
{
    if (!module->known)
        return (struct counters_address){.module = -1};
    return (struct counters_address){.module = number_module(counters, module),
                                     .offset =
                                         (uintptr_t)address - module->base};
}

static bool is_full(void)
{
    const struct counters *counters = mapped();
    return counters == NULL || atomic_load(&counters->sites) == COUNTERS_SITES;
}

/* Under the lock. */
static bool fill_site(struct loop_site *site, const void *address,
                      const struct clause *clause, const struct found *found)
{
    if (is_full())
        return false;
    struct counters *counters = mapped();
    int32_t number = atomic_load(&counters->sites);
    struct counters_site *counted = &counters->site[number];
    site->counted = counted;
    site->address = address;
    site->runtime = found->runtime;
    site->blocks = found->blocks;
    site->measures = settings()->folder != NULL;
    counted->clause = clause->clause;
    counted->flags = clause->flags;
    counted->chunk = clause->chunk;
    counted->at = address_in(counters, &found->module, address);
    counted->caller = address_in(counters, &found->caller, clause->caller);
    if (clause->source != NULL)
        snprintf(counted->source, sizeof(counted->source), "%.239s",
                 clause->source);
    counted->region = region_of(clause);
    snprintf(counted->note, sizeof(counted->note), "%.239s", found->note);
    if (counters->runtime[0] == '\0' && site->runtime != NULL)
        snprintf(counters->runtime, sizeof(counters->runtime), "%.63s",
                 path_last(site->runtime->file));
    if (counters_is_loop(clause->clause))
        site->strategy = settings_choose(counted, &found->names, counted->note);
    /* Schemes that refuse some loops refuse the smallest. */
    struct error err;
    site->by_cost = site->strategy != NULL && strategy_by_cost(site->strategy);
    site->records = site->strategy != NULL && settings()->records;
    site->stamps = site->by_cost || site->records;
    site->chooses =
        site->strategy != NULL &&
        (site->strategy->steals || site->stamps ||
         (site->strategy->ops != NULL && site->strategy->ops->order != NULL) ||
         strategy_check(site->strategy, 1, 1, &err));
    atomic_store(&counters->sites, number + 1);
    return true;
}

/* Not where a report says it. */
static void say_lost(void)
{
    static bool said;
    if (!said && settings()->schedules && settings()->folder == NULL)
        settings_say("no room for more than %d loops and parallel regions: "
                     "further ones run as without a scheme",
                     COUNTERS_SITES);
    said = true;
}

static struct loop_site *make_site(uintptr_t key, unsigned at,
                                   const void *address,
                                   const struct clause *clause)
{
    struct loop_site *made = NULL;
    struct found found;
    if (!is_full())
        look_up(address, clause, &found);
    engine_lock(&lock);
    for (unsigned i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS) {
        uintptr_t there = atomic_load(&sites[at].key);
        if (there == key ||
            (there == 0 && fill_site(&sites[at], address, clause, &found)))
            made = &sites[at];
        if (there == 0 || there == key)
            break;
    }
    if (made != NULL && atomic_load(&made->key) == 0) {
        atomic_store(&made->counted->ready, 1);
        atomic_store_explicit(&made->key, key, memory_order_release);
    } else if (made == NULL && mapped() != NULL) {
        atomic_fetch_add(&mapped()->lost, 1);
        say_lost();
    }
    engine_unlock(&lock);
    return made;
}

static int check_loop(const struct loop_site *site, int64_t iterations,
                      int threads, struct error *err)
{
    if (site->records && iterations > STRATEGY_COSTS_MAX)
        return error_set(err, ENOTSUP,
                         "the costs of up to %d iterations are recorded, this "
                         "loop has %lld",
                         STRATEGY_COSTS_MAX, (long long)iterations);
    return strategy_check(site->strategy, iterations, threads, err);
}

/* Checks each loop only for strategies that refuse some loops. */
bool site_takes(struct loop_site *site, uint64_t iterations, int threads)
{
    struct error err;
    if (site->strategy == NULL || iterations > INT64_MAX)
        return false;
    if (OMP_LIKELY(!site->chooses) || iterations == 0 ||
        check_loop(site, (int64_t)iterations, threads, &err) == 0)
        return true;
    engine_lock(&site->lock);
    settings_refuse(site->strategy, &err, site->counted->note);
    engine_unlock(&site->lock);
    return false;
}

void site_show(struct loop_site *site)
{
    if (OMP_LIKELY(atomic_load_explicit(&site->shown, memory_order_relaxed)) ||
        atomic_exchange(&site->shown, true))
        return;
    snprintf(site->counted->scheme, sizeof(site->counted->scheme), "%.239s",
             site->strategy->text);
}

void sites_hold(void)
{
    engine_lock(&lock);
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&sites[i].key) != 0)
            engine_lock(&sites[i].lock);
}

void sites_release(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&sites[i].key) != 0)
            engine_unlock(&sites[i].lock);
    engine_unlock(&lock);
}

/* An open hash table.  A key never changes once it is set, and no site is
 * removed: so a search needs no lock. */
static struct loop_site *find_site(uintptr_t key, const void *address,
                                   const struct clause *clause)
{
    unsigned first = (unsigned)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 52);
    unsigned at = first % SLOTS;
    for (;;) {
        uintptr_t found =
            atomic_load_explicit(&sites[at].key, memory_order_acquire);
        if (OMP_LIKELY(found == key))
            return &sites[at];
        if (found == 0)
            return make_site(key, at, address, clause);
        at = (at + 1) % SLOTS;
    }
}

struct loop_site *site_find(const void *address, const struct clause *clause)
{
    return find_site(key_of(address, clause), address, clause);
}

/* Two parts with the same 57 bits are not to be expected. */
struct loop_site *site_find_part(struct loop_site *region, const void *from,
                                 const void *to)
{
    const struct clause clause = {
        .clause = CLAUSE_PART, .caller = from, .region = region};
    uintptr_t hash = mix_hash(mix_hash(mix_hash(0, region), from), to);
    return find_site(key_of((const void *)hash, &clause),
                     to != NULL ? to : region->address, &clause);
}
