/* The counters of this process: a mapped file, which is complete even if the
 * process ends without a destructor (_exit, a signal). */
#include "dls/omp/omp_internal.h"

#include "base/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static struct counters *_Atomic counters;
static struct engine_lock lock;

/* ---- properties known at the beginning ---- */

static int64_t read_command(char *text, size_t size)
{
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    if (length < 0)
        length = 0;
    text[length] = '\0';
    int64_t word = (int64_t)strlen(text);
    for (ssize_t i = 0; i + 1 < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    return word;
}

/* The rank that a launcher of MPI gives this process. */
static int64_t read_rank(void)
{
    static const char *const names[] = COUNTERS_RANKS;
    for (int i = 0; names[i] != NULL; i++)
        if (getenv(names[i]) != NULL)
            return atoll(getenv(names[i]));
    return -1;
}

static void describe_process(struct counters *c)
{
    memcpy(c->magic, COUNTERS_MAGIC, sizeof(c->magic));
    c->size = sizeof(*c);
    c->pid = getpid();
    c->parent = getppid();
    c->rank = read_rank();
    stamp_host_name(c->host, sizeof(c->host));
    c->word = read_command(c->command, sizeof(c->command));
    c->ticks = engine_ticks();
    c->began_s = engine_now();
}

/* If several variables bind threads, the last one counts: "false" binds
 * none. */
static void read_binding(char name[24])
{
    static const char *const names[] = {"OMP_PROC_BIND", "OMP_PLACES",
                                        "KMP_AFFINITY", "GOMP_CPU_AFFINITY",
                                        NULL};
    for (int i = 0; names[i] != NULL; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0' &&
            strcasecmp(value, "false") != 0)
            snprintf(name, 24, "%s", names[i]);
    }
}

static void describe_cores(struct counters_cores *cores)
{
    const char *asked = getenv("OMP_NUM_THREADS");
    allowed_read("", &cores->allowed);
    snprintf(cores->asked, sizeof(cores->asked), "%s",
             asked != NULL ? asked : "");
    read_binding(cores->binding);
}

/* ---- the file ---- */

enum { PATH_SIZE = 4096 };

/* The i-th file of this process, which may run one program after the other. */
static void name_file(const char *folder, int i, char path[PATH_SIZE])
{
    char host[64];
    stamp_host_name(host, sizeof(host));
    snprintf(path, PATH_SIZE, "%.3900s/%s-%lld-%d" COUNTERS_SUFFIX, folder,
             host, (long long)getpid(), i);
}

static int create_file(const char *folder, char path[PATH_SIZE])
{
    for (int i = 0; i < 1000; i++) {
        name_file(folder, i, path);
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* The program that this process ran before has ended just now. */
static __attribute__((constructor)) void end_before(void)
{
    char path[PATH_SIZE];
    const char *folder = getenv(COUNTERS_FOLDER);
    uint64_t now = engine_ticks();
    int before = -1;
    if (folder == NULL || folder[0] == '\0')
        return;
    do
        name_file(folder, ++before, path);
    while (before < 1000 && access(path, W_OK) == 0);
    if (before == 0)
        return;
    name_file(folder, before - 1, path);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file >= 0 &&
        pwrite(file, &now, sizeof(now),
               offsetof(struct counters, replaced_ticks)) != sizeof(now))
        settings_say("%s: cannot be written", path);
    if (file >= 0)
        close(file);
}

static bool is_limited(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size;
}

/* If the folder is full: memory stored by `dlsbench omp`. -1: dlsbench omp
 * cannot be reached. */
static int open_memory(size_t size)
{
    int file = is_limited(size) ? -1 : memfd_create("counters", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    if (ftruncate(file, (off_t)size) == 0 && settings_hand_over(file))
        return file;
    close(file);
    return -1;
}

/* Returns the new file with its room, or -1 after a line on stderr. */
static int open_file(const char *folder, size_t size)
{
    char path[PATH_SIZE];
    int file = create_file(folder, path);
    /* Reserves the file's room at once.  The program would end (SIGBUS,
     * SIGXFSZ) if it wrote a page without room on the disk, or beyond the
     * process's file limit. */
    int code = file < 0           ? errno
               : is_limited(size) ? EFBIG
                                  : posix_fallocate(file, 0, (off_t)size);
    if (code == 0)
        return file;
    if (file >= 0) {
        unlink(path);
        close(file);
    }
    file = open_memory(size);
    if (file < 0)
        settings_say("%s: counters cannot be written here: %s", folder,
                     strerror(code));
    return file;
}

/* Maps a new file, or memory without a file, at `place` (NULL: anywhere). */
static struct counters *map_new(void *place)
{
    const char *folder = settings()->folder;
    size_t size = sizeof(struct counters);
    int file = folder != NULL ? open_file(folder, size) : -1;
    int fixed = place != NULL ? MAP_FIXED : 0;
    void *memory = MAP_FAILED;
    if (file >= 0) {
        memory = mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | fixed,
                      file, 0);
        close(file);
    }
    if (memory == MAP_FAILED)
        memory = mmap(place, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

/* ---- a forked child starts at zero ---- */

static void keep_site(struct counters_site *to, const struct counters_site *of)
{
    to->clause = of->clause;
    to->flags = of->flags;
    to->region = of->region;
    to->at = of->at;
    to->caller = of->caller;
    to->chunk = of->chunk;
    memcpy(to->source, of->source, sizeof(to->source));
    memcpy(to->scheme, of->scheme, sizeof(to->scheme));
    memcpy(to->note, of->note, sizeof(to->note));
}

/* The sites stay at the addresses that the child's pointers have. */
static void map_again(void)
{
    struct counters *c = atomic_load(&counters);
    if (c == NULL || settings()->folder == NULL)
        return;
    size_t size = sizeof(*c);
    struct counters *before = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (before == MAP_FAILED)
        return;
    int32_t sites = atomic_load(&c->sites);
    memcpy(before, c, size);
    if (map_new(c) == NULL)
        return;
    describe_process(c);
    c->cores = before->cores;
    memcpy(c->module, before->module, sizeof(c->module));
    memcpy(c->runtime, before->runtime, sizeof(c->runtime));
    for (int32_t i = 0; i < sites; i++)
        keep_site(&c->site[i], &before->site[i]);
    atomic_store(&c->modules, atomic_load(&before->modules));
    atomic_store(&c->sites, sites);
    munmap(before, size);
}

/* A thread that the child does not have must not hold a lock in it, or have
 * done half of its work: the forking thread takes all locks, in the order in
 * which they are nested. */
static void before_fork(void)
{
    sites_hold();
    engine_lock(&lock);
    runtimes_hold();
}

static void after_fork(void)
{
    runtimes_release();
    engine_unlock(&lock);
    sites_release();
}

static void after_fork_in_child(void)
{
    map_again();
    after_fork();
}

/* Before any of the locks is taken. */
static __attribute__((constructor)) void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* ---- the process ---- */

struct counters *mapped(void)
{
    struct counters *c = atomic_load_explicit(&counters, memory_order_acquire);
    if (OMP_LIKELY(c != NULL))
        return c;
    engine_lock(&lock);
    c = atomic_load(&counters);
    if (c == NULL) {
        c = map_new(NULL);
        if (c != NULL) {
            describe_process(c);
            if (settings()->folder != NULL)
                describe_cores(&c->cores);
            atomic_store_explicit(&counters, c, memory_order_release);
        }
    }
    engine_unlock(&lock);
    return c;
}

static __attribute__((noinline)) void add_thread(void)
{
    struct allowed_set mask = {{0}};
    struct counters *c = mapped();
    if (c == NULL ||
        sched_getaffinity(0, sizeof(mask), (cpu_set_t *)mask.word) != 0)
        return;
    for (int i = 0; i < ALLOWED_WORDS; i++)
        if (mask.word[i] != 0)
            __atomic_fetch_or(&c->cores.threads.word[i], mask.word[i],
                              __ATOMIC_RELAXED);
    atomic_fetch_add(&c->cores.seen, 1);
}

void mapped_thread(void)
{
    static __thread bool known __attribute__((tls_model("initial-exec")));
    if (OMP_LIKELY(known || settings()->folder == NULL))
        return;
    known = true;
    add_thread();
}

static __attribute__((destructor)) void ended(void)
{
    struct counters *c = atomic_load(&counters);
    if (c != NULL)
        c->last_ticks = engine_ticks();
}

/* ---- which processes have the library ---- */

/* A line for each image of a process, and one for its regular end, in a file of
 * the run's folder (omp_counters.h). */
static int take_runtime(struct dl_phdr_info *info, size_t size, void *found)
{
    static const char *const names[] = {"/libgomp.so", "/libomp.so",
                                        "/libiomp5.so"};
    (void)size;
    for (int i = 0; i < 3; i++)
        if (strstr(info->dlpi_name, names[i]) != NULL)
            *(int *)found = 1;
    return 0;
}

static long long number_of(const char *const *names)
{
    for (int i = 0; names[i] != NULL; i++)
        if (getenv(names[i]) != NULL)
            return atoll(getenv(names[i]));
    return -1;
}

/* The file belongs to this host alone: lines of other hosts cannot damage its
 * lines.  If it cannot be written, the reader reports what is missing. */
static void write_line(const char *what)
{
    static const char *const ranks[] = COUNTERS_RANKS;
    static const char *const sizes[] = COUNTERS_SIZES;
    const char *folder = getenv(COUNTERS_FOLDER);
    char host[64], path[4096], name[17] = "", line[160];
    int runtime = 0;
    if (folder == NULL || folder[0] == '\0')
        return;
    stamp_host_name(host, sizeof(host));
    snprintf(path, sizeof(path), "%.3900s/%s" COUNTERS_LOADED, folder, host);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    dl_iterate_phdr(take_runtime, &runtime);
    prctl(PR_GET_NAME, name);
    int length = snprintf(line, sizeof(line), "%s %ld %d %lld %lld %s\n", what,
                          (long)getpid(), runtime, number_of(ranks),
                          number_of(sizes), name);
    if (write(file, line, (size_t)length) != length)
        settings_say("%s: cannot be written", path);
    close(file);
}

static __attribute__((constructor)) void say_begin(void)
{
    write_line("begin");
}

static __attribute__((destructor)) void say_end(void)
{
    write_line("end");
}
