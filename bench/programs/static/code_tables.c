/* Writes and reads tables, one for each build id.  The first line names this
 * program and the file; each other one has a region's class, word, address and
 * calls. */
#include "bench/programs/static/code_tables.h"

#include "base/file.h"
#include "base/system/whole.h"
#include "base/text.h"
#include "bench/programs/static/code_reader.h"
#include "bench/programs/symbols/function_names.h"
#include "bench/programs/symbols/loaded.h"
#include "dls/omp/omp_counters.h"
#include "harness/process/need.h"
#include "harness/record/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- where tables are ---- */

int tables_open(struct code_tables *tables, const char *folder,
                struct error *err)
{
    struct stat self;
    char cache[PATH_MAX];
    if (!reader_can())
        return error_set(err, ENOTSUP,
                         "omp: --loops static: this dlsbench reads no machine "
                         "code: build it with libcapstone-dev");
    if (stat("/proc/self/exe", &self) != 0)
        return error_set(err, errno, "omp: /proc/self/exe: %s",
                         strerror(errno));
    snprintf(tables->stamp, sizeof(tables->stamp), "%llx-%llx-%lx",
             (unsigned long long)self.st_size,
             (unsigned long long)self.st_mtim.tv_sec, self.st_mtim.tv_nsec);
    snprintf(tables->folder, sizeof(tables->folder), "%s", folder);
    tables->asked = NULL;
    if (!cache_folder(cache, sizeof(cache)))
        return 0;
    strncat(cache, "/static", sizeof(cache) - strlen(cache) - 1);
    mkdir(cache, 0777);
    if (access(cache, W_OK | X_OK) == 0)
        snprintf(tables->folder, sizeof(tables->folder), "%s", cache);
    return 0;
}

void tables_tell(const struct code_tables *tables)
{
    char *text = need_text("%s %s", tables->stamp, tables->folder);
    setenv(COUNTERS_TABLES, text, 1);
    free(text);
}

/* ---- regions that a user names ---- */

/* The names of --critical, and what the files have told about them. */
struct asked {
    const char *names;
    char *found; /* names that belong to regions */
    char *known; /* all regions with the word */
    char *near;  /* those that share file, module or function with a region */
    struct symbols *symbols;
};

void tables_name(const struct symbols_place *place, const char *path,
                 uint64_t at, char name[TABLES_NAME])
{
    const char *file = path_last(place->file[0] != '\0' ? place->file : path);
    if (place->file[0] != '\0')
        snprintf(name, TABLES_NAME, "%.300s:%d", file, place->line);
    else
        snprintf(name, TABLES_NAME, "%.300s+0x%" PRIx64, file, at);
}

static bool is_in(const char *list, const char *name)
{
    char *all = need_text(",%s,", list), *one = need_text(",%s,", name);
    bool found = strstr(all, one) != NULL;
    free(all);
    free(one);
    return found;
}

static void add_name(char **list, const char *name)
{
    char *before = *list;
    *list = need_text("%s%s%s", before, before[0] != '\0' ? "," : "", name);
    free(before);
}

static bool is_name(struct asked *asked, const char *name)
{
    if (!is_in(asked->names, name))
        return false;
    add_name(&asked->found, name);
    return true;
}

/* Whether a name is that of the region's function, or begins with the same file
 * or module as the region's name. */
static bool is_near(const char *name, const char *own,
                    const struct symbols_place *place)
{
    char alias[NAMES_SIZE];
    size_t file = strcspn(own, ":+") + 1;
    bool is = strncmp(name, own, file) == 0;
    for (int i = NAMES_PLAIN; i < NAMES_ALIASES && !is; i++)
        is = text_is(names_alias(place->function, i, alias), name);
    return is;
}

static void add_near(struct asked *asked, const char *own,
                     const struct symbols_place *place)
{
    char *all = need_copy(asked->names), *at = all, *name;
    while ((name = strsep(&at, ",")) != NULL)
        if (!is_in(asked->near, name) && is_near(name, own, place))
            add_name(&asked->near, name);
    free(all);
}

/* Whether the user has named the region: by its place, or by its function. */
static bool is_asked(struct asked *asked, const char *path,
                     const struct reader_region *region)
{
    struct symbols_place place;
    char name[TABLES_NAME], alias[NAMES_SIZE];
    symbols_find(asked->symbols, path, region->at, &place);
    tables_name(&place, path, region->at, name);
    add_near(asked, name, &place);
    if (!text_is(region->word, TABLES_CRITICAL))
        return false;
    add_name(&asked->known, name);
    bool is = is_name(asked, name);
    for (int i = NAMES_PLAIN; i < NAMES_ALIASES; i++)
        is = is_name(asked, names_alias(place.function, i, alias)) || is;
    return is;
}

void tables_ask(struct code_tables *tables, const char *folder,
                const char *names)
{
    snprintf(tables->folder, sizeof(tables->folder), "%s", folder);
    tables->asked = need_zeroed(1, sizeof(*tables->asked));
    *tables->asked = (struct asked){names, need_copy(""), need_copy(""),
                                    need_copy(""), symbols_open()};
}

int tables_check(const struct code_tables *tables, bool all_read,
                 struct error *err)
{
    const struct asked *asked = tables->asked;
    char *all = need_copy(asked != NULL ? asked->names : ""), *at = all, *name;
    int code = 0;
    while (asked != NULL && code == 0 && (name = strsep(&at, ",")) != NULL)
        if (!is_in(asked->found, name) &&
            (all_read || is_in(asked->near, name)))
            code = error_set(err, EINVAL,
                             "omp: --critical %s: no region of this name is "
                             "refused for its critical section alone; such "
                             "are: %s",
                             name,
                             asked->known[0] != '\0' ? asked->known : "none");
    free(all);
    return code;
}

void tables_close(struct code_tables *tables)
{
    if (tables->asked == NULL)
        return;
    symbols_close(tables->asked->symbols);
    free(tables->asked->found);
    free(tables->asked->known);
    free(tables->asked->near);
    free(tables->asked);
    tables->asked = NULL;
}

/* ---- one file ---- */

static void write_table(struct asked *asked, const char *path, const char *head,
                        const char *from, const char *build_id)
{
    struct reader_file file;
    struct error ignored;
    char *text;
    size_t size;
    if (reader_read(from, &file, &ignored) != 0)
        return;
    FILE *out = need_stream(&text, &size);
    fprintf(out, "%s\n", head);
    for (int64_t i = 0; i < file.regions; i++) {
        const struct reader_region *region = &file.region[i];
        bool cut = asked != NULL && is_asked(asked, from, region);
        fprintf(out, "%c %s %" PRIx64, cut ? 'C' : region->class,
                region->word[0] != '\0' ? region->word : "-", region->at);
        for (int k = 0; k < region->calls; k++)
            fprintf(out, " %" PRIx64, region->call[k]);
        fputc('\n', out);
    }
    fclose(out);
    if (text_is(file.build_id, build_id))
        file_whole(path, text, size, &ignored);
    reader_free(&file);
    free(text);
}

/* The table's name, for the caller to free; NULL: it can have none.  `new`: it
 * was read just now, unless it is larger than `most`. */
static char *find_table(const struct code_tables *tables, const char *path,
                        int64_t most, bool *new)
{
    struct stat about;
    char build_id[COUNTERS_ID_SIZE], head[256], line[256];
    *new = false;
    if (stat(path, &about) != 0 || !loaded_build_id(path, build_id))
        return NULL;
    snprintf(head, sizeof(head), "%s %lld %lld %ld", tables->stamp,
             (long long)about.st_size, (long long)about.st_mtim.tv_sec,
             about.st_mtim.tv_nsec);
    char *to = need_text("%s/%s" COUNTERS_TABLE, tables->folder, build_id);
    *new = !file_first_line(to, line, sizeof(line)) || !text_is(line, head);
    if (about.st_size > most && *new) {
        free(to);
        return NULL;
    }
    if (*new)
        write_table(tables->asked, to, head, path, build_id);
    return to;
}

bool tables_add(const struct code_tables *tables, const char *path)
{
    bool new;
    free(find_table(tables, path, INT64_MAX, &new));
    return new;
}

char tables_class(const struct code_tables *tables, const char *path,
                  uint64_t function, int64_t most)
{
    bool new;
    char *name = find_table(tables, path, most, &new), *line = NULL;
    FILE *table = name != NULL ? fopen(name, "re") : NULL;
    char class = 0, is;
    uint64_t at;
    size_t size = 0;
    bool head = true;
    while (table != NULL && class == 0 && getline(&line, &size, table) > 0) {
        if (!head && sscanf(line, "%c %*s %" SCNx64, &is, &at) == 2 &&
            at == function)
            class = is;
        head = false;
    }
    if (table != NULL)
        fclose(table);
    free(line);
    free(name);
    return class;
}

/* ---- a program ---- */

/* "	libgomp.so.1 => /usr/lib/libgomp.so.1 (0x7f12)" */
static void add_line(const struct code_tables *tables, char *line)
{
    char *path = strchr(line, '/'), *end = strstr(line, " (0x");
    if (path == NULL || end == NULL || end < path)
        return;
    char *arrow = strstr(line, " => ");
    if (arrow != NULL)
        path = arrow + 4;
    *end = '\0';
    tables_add(tables, path);
}

void tables_add_program(const struct code_tables *tables, const char *path)
{
    char loader[PATH_MAX];
    int ends[2];
    tables_add(tables, path);
    if (!loaded_loader(path, loader) || loader[0] == '\0' ||
        pipe2(ends, O_CLOEXEC) != 0)
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(ends[1], STDOUT_FILENO);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDERR_FILENO);
        execl(loader, loader, "--list", path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    char *line = NULL;
    size_t size = 0;
    while (list != NULL && getline(&line, &size, list) > 0)
        add_line(tables, line);
    free(line);
    if (list != NULL)
        fclose(list);
    if (child > 0)
        waitpid(child, NULL, 0);
}
