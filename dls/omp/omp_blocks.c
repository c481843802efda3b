/* Static loops that gcc has compiled into the program.  A region's function
 * asks for its thread's number and computes that thread's block of iterations.
 * Here it is called several times, with the numbers of a larger team: its
 * blocks become units that any scheme can hand out.
 *
 * `dlsbench omp` has read the machine code (bench/programs/static), and names
 * the calls that only choose the block.  Only these return a unit's number; all
 * others return the true one. */
#include "dls/omp/gomp.h"
#include "dls/omp/omp_team.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALLS = 64, PER_THREAD = 16, PER_THREAD_VARIED = 64, LEARN_VISITS = 3 };

/* A unit takes at least as long. */
static const double UNIT_S = 20e-6;

struct cutter {
    char class;
    int calls;
    uintptr_t call[CALLS]; /* their return addresses */
    uint64_t unloaded;     /* as in struct module, when found */
    char build_id[COUNTERS_ID_SIZE];
    const void *address;
    _Atomic int per;  /* units for each thread in the next visit */
    int visits;       /* that were cut, up to LEARN_VISITS */
    bool varied;      /* the units' costs differ */
    atomic_bool gone; /* its module was closed */
};

/* ---- the table ---- */

/* NULL: there is none.  The caller frees it. */
static char *read_table(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && fstat(file, &about) == 0;
    char *text = good ? malloc((size_t)about.st_size + 1) : NULL;
    ssize_t got = text != NULL ? read(file, text, (size_t)about.st_size) : -1;
    if (file >= 0)
        close(file);
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    return text;
}

/* Whether the table is for exactly this file, from the reader of this run. */
static bool is_of(const char *text, const char *stamp, int stamp_length,
                  const struct module *module)
{
    struct stat about;
    char head[256];
    if (stat(module->path, &about) != 0)
        return false;
    int length =
        snprintf(head, sizeof(head), "%.*s %lld %lld %ld\n", stamp_length,
                 stamp, (long long)about.st_size,
                 (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    return strncmp(text, head, (size_t)length) == 0;
}

/* The table of a module, NULL: it was not read. */
static char *find_table(const struct module *module)
{
    const char *stamp = settings()->tables, *folder = strchr(stamp, ' ');
    char path[4096 + 64];
    if (folder == NULL || module->build_id[0] == '\0')
        return NULL;
    snprintf(path, sizeof(path), "%.4000s/%s" COUNTERS_TABLE, folder + 1,
             module->build_id);
    char *text = read_table(path);
    if (text != NULL && !is_of(text, stamp, (int)(folder - stamp), module)) {
        free(text);
        return NULL;
    }
    return text;
}

/* The line of a function; false: it has none. */
static bool read_line(const char *text, uint64_t offset, uint64_t base,
                      struct cutter *blocks, char word[16])
{
    for (const char *line = strchr(text, '\n'); line != NULL;
         line = strchr(line + 1, '\n')) {
        unsigned long long at, call;
        int used = 0, more = 0;
        if (sscanf(line, " %c %15s %llx%n", &blocks->class, word, &at, &used) <
                3 ||
            at != offset)
            continue;
        blocks->calls = 0;
        for (line += used; line[0] == ' ' && blocks->calls < CALLS &&
                           sscanf(line, " %llx%n", &call, &more) == 1;
             line += more)
            blocks->call[blocks->calls++] = base + call;
        return true;
    }
    return false;
}

/* ---- which functions are called ---- */

static int thread_num(void);
static int num_threads(void);
OMP_ENTRY int omp_get_thread_num(void) __attribute__((alias("thread_num")));
OMP_ENTRY int omp_get_num_threads(void) __attribute__((alias("num_threads")));

/* If the program has functions of these names, calls do not come here. */
static bool ours;

static __attribute__((constructor)) void look_for_ours(void)
{
    const void *first = dlsym(RTLD_DEFAULT, "omp_get_thread_num"),
               *second = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
    ours = first == (const void *)thread_num &&
           second == (const void *)num_threads;
}

static const char *why_not(const struct cutter *blocks, const char *word)
{
    bool safe = blocks->class == 'A' || blocks->class == 'B';
    if (!safe && !(blocks->class == 'C' && settings()->checked))
        return word;
    return ours ? NULL : "runtime";
}

struct cutter *blocks_find(const struct module *module, const void *address,
                           const struct runtime *runtime,
                           char note[COUNTERS_NAME_MAX])
{
    struct cutter *made = calloc(1, sizeof(*made));
    char word[16] = "unread";
    const char *why = "runtime"; /* LLVM's is only measured */
    if (made == NULL)
        return NULL;
    made->class = '-';
    if (runtime->shares) {
        char *text = find_table(module);
        if (text != NULL && !read_line(text, (uintptr_t)address - module->base,
                                       module->base, made, word))
            strcpy(word, "split"); /* the table has all static loops */
        free(text);
        why = why_not(made, word);
    }
    if (why == NULL) {
        made->address = address;
        made->unloaded = module->unloaded;
        memcpy(made->build_id, module->build_id, sizeof(made->build_id));
        made->per = PER_THREAD;
        return made;
    }
    snprintf(note, COUNTERS_NAME_MAX, "%c %s", made->class, why);
    free(made);
    return NULL;
}

/* ---- numbers ---- */

static bool is_listed(const struct unit *unit, const void *caller)
{
    for (int i = 0; i < unit->blocks->calls; i++)
        if (unit->blocks->call[i] == (uintptr_t)caller)
            return true;
    /* A loop of another class has no other call for the number. */
    if (unit->blocks->class != 'C')
        blocks_fail("another use of the thread's number");
    return false;
}

/* The runtime's answer.  Without a runtime, another library may have a function
 * of this name. */
static int ask_runtime(int (*runtime)(void), const char *name, int alone)
{
    int (*next)(void);
    const void *found;
    if (OMP_LIKELY(runtime != NULL))
        return runtime();
    found = dlsym(RTLD_NEXT, name);
    memcpy(&next, &found, sizeof(next));
    return next != NULL ? next() : alone;
}

static int thread_num(void)
{
    const struct unit *unit = here.unit;
    if (unit != NULL && is_listed(unit, CALLER))
        return unit->number;
    return ask_runtime(runtime_at(CALLER, false)->thread, "omp_get_thread_num",
                       0);
}

static int num_threads(void)
{
    const struct unit *unit = here.unit;
    if (unit != NULL && is_listed(unit, CALLER))
        return unit->of;
    return ask_runtime(runtime_at(CALLER, false)->threads,
                       "omp_get_num_threads", 1);
}

void blocks_fail(const char *what)
{
    struct module module;
    module_find(here.unit->blocks->address, &module);
    settings_say("%s+0x%llx: %s in a static loop that was cut: the program is "
                 "ended, as its result would be wrong; run it without --loops "
                 "static",
                 module.path,
                 (unsigned long long)((uintptr_t)here.unit->blocks->address -
                                      module.base),
                 what);
    _Exit(1);
}

/* ---- a visit ---- */

static int read_unloaded(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(uint64_t *)arg = info->dlpi_subs;
    return 1;
}

/* After a module was closed, another one may be at its address. */
static bool is_gone(struct cutter *blocks)
{
    uint64_t unloaded = 0;
    struct module module;
    if (atomic_load(&blocks->gone))
        return true;
    dl_iterate_phdr(read_unloaded, &unloaded);
    if (OMP_LIKELY(unloaded == blocks->unloaded))
        return false;
    module_find(blocks->address, &module);
    if (module.known && strcmp(module.build_id, blocks->build_id) == 0)
        return false;
    atomic_store(&blocks->gone, true);
    return true;
}

bool blocks_begin(struct cut *cut, const void *caller)
{
    struct cutter *blocks = cut->region.site->blocks;
    const struct clause clause = {.clause = CLAUSE_BLOCKS,
                                  .flags = COUNTERS_COMBINED,
                                  .caller = caller,
                                  .region = cut->region.site};
    if (is_gone(blocks))
        return false;
    cut->loop = site_find((const void *)cut->region.body, &clause);
    cut->blocks = blocks;
    cut->per = atomic_load_explicit(&blocks->per, memory_order_relaxed);
    return cut->loop != NULL;
}

/* The times of a thread's blocks. */
struct took {
    double ticks, squares;
    int64_t count;
};

static void run_units(struct cut *cut, struct frame *frame, struct took *took)
{
    struct unit unit = {.blocks = cut->blocks, .of = frame->threads * cut->per};
    struct chunk chunk;
    const bool last_first = cut->loop->strategy->last_first;
    while (frame_take(frame, &chunk)) {
        uint64_t began = engine_ticks();
        for (int64_t i = 0; i < chunk.size; i++) {
            unit.number = (int)(chunk.start + i);
            if (last_first)
                unit.number = unit.of - 1 - unit.number;
            here.unit = &unit;
            cut->region.body(cut->region.data);
            here.unit = NULL;
            uint64_t now = engine_ticks();
            double ticks = (double)(now - began);
            took->ticks += ticks;
            took->squares += ticks * ticks;
            took->count++;
            began = now;
        }
    }
}

static void run_whole(struct cut *cut, struct frame *frame, struct took *took)
{
    uint64_t began = engine_ticks();
    cut->region.body(cut->region.data);
    took->ticks = (double)(engine_ticks() - began);
    took->count = 1;
    frame->chunks = 1;
}

void blocks_run(struct cut *cut)
{
    const struct runtime *runtime = cut->loop->runtime;
    struct frame *frame = frame_push(runtime, cut->loop);
    struct took took = {0};
    frame->threads = runtime->threads();
    frame->thread = runtime->thread();
    frame->step = 1;
    int64_t units = (int64_t)frame->threads * cut->per;
    frame->replaced = cut->per > 1 && frame->threads > 1 &&
                      site_takes(cut->loop, (uint64_t)units, frame->threads);
    frame->iterations = frame->replaced ? units : 0;
    frame->end = (uint64_t)frame->iterations;
    frame_join(frame, &cut->slot);
    if (frame->replaced)
        run_units(cut, frame, &took);
    else
        run_whole(cut, frame, &took);
    engine_lock(&cut->lock);
    cut->ticks += took.ticks;
    cut->squares += took.squares;
    cut->count += took.count;
    cut->threads = frame->threads;
    engine_unlock(&cut->lock);
    frame_pop();
}

/* ---- how many there are the next time ---- */

/* A time in ticks of this process's clock. */
static double ticks_of(double seconds)
{
    const struct counters *counters = mapped();
    return counters == NULL
               ? 0
               : seconds * (double)(engine_ticks() - counters->ticks) /
                     (engine_now() - counters->began_s);
}

void blocks_end(const struct cut *cut)
{
    struct cutter *blocks = cut->blocks;
    double mean = cut->ticks / (double)cut->count;
    double least = ticks_of(UNIT_S) * cut->threads;
    bool units = cut->count > cut->threads;
    if (cut->loop->strategy == NULL || cut->count == 0)
        return;
    engine_lock(&cut->loop->lock);
    if (units && blocks->visits < LEARN_VISITS) {
        double spread = cut->squares / (double)cut->count - mean * mean;
        blocks->visits++;
        blocks->varied = blocks->varied || spread > 0.0625 * mean * mean;
    }
    int most = blocks->varied ? PER_THREAD_VARIED : PER_THREAD, per = 1;
    while (per < most && 2 * per * least <= cut->ticks)
        per *= 2;
    atomic_store_explicit(&blocks->per, per, memory_order_relaxed);
    engine_unlock(&cut->loop->lock);
}
