/* Loads an OpenMP runtime, finds the entries that openmp_gomp.c and
 * openmp_kmp.c call, and says which library it is. */
#include "harness/transport/openmp/openmp_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct openmp_runtime *const runtimes[] = {&openmp_gomp,
                                                        &openmp_kmp, NULL};

/* ---- loading ---- */

/* Idle threads of the runtime sleep soon, unless the user's variables say how
 * they wait. */
static void make_quiet(const struct openmp_runtime *runtime)
{
    for (int i = 0; runtime->waiting[i] != NULL; i++)
        if (getenv(runtime->waiting[i]) != NULL)
            return;
    setenv(runtime->variable, runtime->value, 0);
}

/* The runtime's threads may outlive every use: it is never unloaded. */
static int load_runtime(struct openmp *openmp, struct error *err)
{
    const struct openmp_runtime *runtime = openmp->runtime;
    char why[128] = "";
    make_quiet(runtime);
    for (int i = 0; openmp->library == NULL && runtime->files[i] != NULL; i++) {
        openmp->library =
            dlopen(runtime->files[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (openmp->library == NULL && i == 0)
            snprintf(why, sizeof(why), "%s", dlerror());
    }
    if (openmp->library == NULL)
        return error_set(err, ENOENT,
                         "transport openmp: the runtime %s cannot be loaded: "
                         "%s (Debian: apt-get install %s)",
                         runtime->name, why, runtime->package);
    for (int i = 0; runtime->entries[i] != NULL; i++) {
        void *entry = dlsym(openmp->library, runtime->entries[i]);
        if (entry == NULL)
            return error_set(err, ENOENT,
                             "transport openmp: %s of this machine has no "
                             "%s: it is too old",
                             runtime->files[0], runtime->entries[i]);
        memcpy(&openmp->entry[i], &entry, sizeof(entry));
    }
    return 0;
}

int openmp_open(struct openmp **out, const char *name, struct error *err)
{
    int i = 0;
    while (runtimes[i] != NULL && strcmp(runtimes[i]->name, name) != 0)
        i++;
    if (runtimes[i] == NULL)
        return error_set(err, EINVAL,
                         "OpenMP runtime '%s' is unknown, allowed: libgomp, "
                         "libomp",
                         name);
    struct openmp *openmp = calloc(1, sizeof(*openmp));
    if (openmp == NULL)
        return error_set(err, ENOMEM, "out of memory for %s", name);
    openmp->runtime = runtimes[i];
    int code = load_runtime(openmp, err);
    if (code == 0)
        *out = openmp;
    else
        openmp_close(openmp);
    return code;
}

void openmp_close(struct openmp *openmp)
{
    free(openmp);
}

const char *openmp_name(const struct openmp *openmp)
{
    return openmp->runtime->name;
}

/* ---- the identity of a runtime ---- */

/* The library's text from `mark` to the end of the text or line. */
static void find_version(const struct openmp *openmp, FILE *file, char *version,
                         size_t size)
{
    const char *mark = openmp->runtime->mark;
    size_t length = strlen(mark), matched = 0, used = 0;
    int c = 0;
    while (matched < length && (c = getc(file)) != EOF)
        matched = c == mark[matched] ? matched + 1 : c == mark[0];
    if (matched < length)
        return;
    while ((c = getc(file)) != EOF && c != '\0' && strchr("'\n", c) == NULL &&
           used + 1 < size)
        version[used++] = (char)c;
    version[used] = '\0';
}

struct wanted {
    ElfW(Addr) base;
    struct openmp_identity *who;
};

static int find_build_id(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct wanted *wanted = arg;
    (void)size;
    for (int i = 0; info->dlpi_addr == wanted->base && i < info->dlpi_phnum;
         i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const char *at = (const char *)info->dlpi_addr + part->p_vaddr;
        const char *end = at + part->p_memsz;
        while (part->p_type == PT_NOTE && at < end) {
            const ElfW(Nhdr) *note = (const void *)at;
            const char *name = at + sizeof(*note);
            const unsigned char *id =
                (const unsigned char *)name + (note->n_namesz + 3) / 4 * 4;
            bool found = note->n_type == NT_GNU_BUILD_ID &&
                         note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0;
            for (size_t b = 0; found && b < note->n_descsz && b < 31; b++)
                snprintf(wanted->who->build_id + 2 * b, 3, "%02x", id[b]);
            at = (const char *)id + (note->n_descsz + 3) / 4 * 4;
        }
    }
    return 0;
}

static void list_waiting(const struct openmp_runtime *runtime, char *text,
                         size_t size)
{
    size_t used = 0;
    for (int i = 0; runtime->waiting[i] != NULL; i++) {
        const char *value = getenv(runtime->waiting[i]);
        if (value != NULL && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s",
                                     used > 0 ? " " : "", runtime->waiting[i],
                                     value);
    }
}

void openmp_identify(const struct openmp *openmp, struct openmp_identity *who)
{
    struct link_map *map = NULL;
    *who = (struct openmp_identity){.file = ""};
    list_waiting(openmp->runtime, who->waiting, sizeof(who->waiting));
    if (dlinfo(openmp->library, RTLD_DI_LINKMAP, &map) != 0)
        return;
    char *path = realpath(map->l_name, NULL);
    snprintf(who->file, sizeof(who->file), "%s", path ? path : map->l_name);
    free(path);
    struct wanted wanted = {map->l_addr, who};
    dl_iterate_phdr(find_build_id, &wanted);
    FILE *file = fopen(who->file, "rb");
    if (file == NULL)
        return;
    find_version(openmp, file, who->version, sizeof(who->version));
    fclose(file);
}

/* ---- the team ---- */

void openmp_fork(void *keeper, int threads, void (*body)(int thread, void *arg),
                 void *arg)
{
    const struct openmp *openmp = keeper;
    openmp->runtime->fork(openmp, threads, body, arg);
}

static void count_body(int thread, void *arg)
{
    (void)thread;
    atomic_fetch_add((_Atomic int *)arg, 1);
}

int openmp_check_team(struct openmp *openmp, int threads, struct error *err)
{
    _Atomic int came = 0;
    openmp_fork(openmp, threads, count_body, &came);
    if (came == threads)
        return 0;
    return error_set(err, EBUSY,
                     "transport openmp: %s starts a team of %d threads "
                     "instead of %d: look at OMP_THREAD_LIMIT and OMP_DYNAMIC",
                     openmp_name(openmp), came, threads);
}

/* ---- the loop ---- */

void openmp_loop_prepare(const struct openmp *openmp,
                         const struct openmp_loop *loop)
{
    const struct openmp_schedule *schedule = &loop->schedule;
    if (schedule->runtime)
        openmp->runtime->set_schedule(
            openmp,
            (int)schedule->kind | (schedule->monotonic ? OPENMP_MONOTONIC : 0),
            (int)schedule->chunk);
}

bool openmp_over(struct source *source, struct chunk *chunk)
{
    (void)chunk;
    source->next = openmp_over;
    return false;
}

void source_openmp_open(struct source_openmp *source, int worker, int thread,
                        const struct openmp *openmp,
                        const struct openmp_loop *loop)
{
    /* An empty loop never asks: compilers test before the call. */
    bool empty = loop->first >= loop->last;
    *source = (struct source_openmp){
        .base = {.next = empty ? openmp_over : openmp->runtime->begin,
                 .worker = worker},
        .openmp = openmp,
        .loop = loop,
        .thread = thread};
}
