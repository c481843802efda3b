/* Keeps tries.json, the identity of a directory of --try.  No directory mixes
 * runs of different programs, builds, checks, or variables of OpenMP. */
#include "bench/programs/try/origin.h"

#include "base/folder.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/options/command.h"
#include "dls/this_process.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- files ---- */

enum { BLOCK = 1 << 16, HASH_SIZE = 17 };

/* A hash of a file's contents, which another build changes even without a build
 * id.  Empty: unreadable. */
static void hash_file(const char *path, char hash[HASH_SIZE])
{
    FILE *file = fopen(path, "r");
    XXH3_state_t *state = XXH3_createState();
    char *block = need_zeroed(1, BLOCK);
    hash[0] = '\0';
    if (state == NULL)
        need_failed();
    XXH3_64bits_reset(state);
    for (size_t got; file != NULL && (got = fread(block, 1, BLOCK, file)) > 0;)
        XXH3_64bits_update(state, block, got);
    if (file != NULL && !ferror(file))
        snprintf(hash, HASH_SIZE, "%016llx",
                 (unsigned long long)XXH3_64bits_digest(state));
    if (file != NULL)
        fclose(file);
    XXH3_freeState(state);
    free(block);
}

static const char *name_of(const char *path)
{
    return path != NULL ? path_last(path) : "";
}

/* Adds a file that is new: a name, in any folder, with a hash of its own.  Only
 * the first run may have several builds of one name. */
static int add_file(struct origin *origin, const char *path, struct error *err)
{
    json_t *files = json_object_get(origin->now, "files"), *file;
    char hash[HASH_SIZE], line[512];
    bool other = false;
    size_t i;
    hash_file(path, hash);
    text_line(line, sizeof(line), path);
    if (hash[0] == '\0')
        return 0;
    json_array_foreach(files, i, file)
    {
        const char *known = json_string_value(json_object_get(file, "path"));
        const char *has = json_string_value(json_object_get(file, "hash"));
        if (!text_is(name_of(known), name_of(line)))
            continue;
        if (has != NULL && text_is(has, hash))
            return 0;
        other = true;
    }
    if (other && origin->before != NULL)
        return error_set(err, EINVAL,
                         "omp: --resume: %s holds runs of another build of "
                         "%s; name another directory with --out",
                         origin->folder, name_of(line));
    json_array_append_new(files,
                          json_pack("{s:s,s:s}", "path", line, "hash", hash));
    return 0;
}

int origin_add_modules(struct origin *origin, const struct loops *loops,
                       struct error *err)
{
    int code = 0;
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        const struct counters *counters = process->counters;
        for (int k = 0; k < process->loops && code == 0; k++) {
            int module = process->loop[k].site->at.module;
            if (module >= 0 && module < counters->modules)
                code = add_file(origin, counters->module[module].path, err);
        }
    }
    return code;
}

/* ---- what decides how many threads there are ---- */

/* The variables of OpenMP's runtimes, and the processors that they count. */
static json_t *describe_environment(void)
{
    json_t *all = json_object();
    char line[4096];
    for (char **at = environ; *at != NULL; at++) {
        if (!command_is_variable(*at))
            continue;
        text_line(line, sizeof(line), *at);
        char *value = strchr(line, '=');
        if (value == NULL) /* a longer name than any has */
            continue;
        *value = '\0';
        json_object_set_new(all, line, json_string(value + 1));
    }
    snprintf(line, sizeof(line), "%d", process_processors());
    json_object_set_new(all, "processors", json_string(line));
    return all;
}

/* "OMP_X=2", "no OMP_X". */
static void write_variable(const json_t *all, const char *name, char text[160])
{
    const char *value = json_string_value(json_object_get(all, name));
    if (value != NULL)
        snprintf(text, 160, "%.60s=%.90s", name, value);
    else
        snprintf(text, 160, "no %.60s", name);
}

static int refuse_variable(const struct origin *origin, const char *name,
                           const json_t *before, const json_t *now,
                           struct error *err)
{
    char had[160], has[160];
    write_variable(before, name, had);
    write_variable(now, name, has);
    return error_set(err, EINVAL,
                     "omp: --resume: %s holds runs with %s, and now there is "
                     "%s; name another directory with --out",
                     origin->folder, had, has);
}

static int check_environment(const struct origin *origin, struct error *err)
{
    json_t *before = json_object_get(origin->before, "environment");
    json_t *now = json_object_get(origin->now, "environment"), *value;
    const char *name;
    json_object_foreach(before, name, value)
    {
        if (!json_equal(value, json_object_get(now, name)))
            return refuse_variable(origin, name, before, now, err);
    }
    json_object_foreach(now, name, value)
    {
        if (json_object_get(before, name) == NULL)
            return refuse_variable(origin, name, before, now, err);
    }
    return 0;
}

/* ---- what identifies a directory ---- */

static json_t *describe_words(char **words)
{
    json_t *list = json_array();
    for (int i = 0; words[i] != NULL; i++) {
        char line[4096];
        text_line(line, sizeof(line), words[i]);
        json_array_append_new(list, json_string(line));
    }
    return list;
}

static json_t *describe_origin(const struct try_plan *plan, uint64_t seed)
{
    char check[4096] = "";
    if (plan->check != NULL)
        text_line(check, sizeof(check), plan->check);
    return json_pack("{s:i,s:o,s:s,s:s,s:I,s:o,s:[]}", "schema", RECORD_SCHEMA,
                     "words", describe_words(plan->words), "check", check,
                     "loops", plan->loops, "seed", (json_int_t)seed,
                     "environment", describe_environment(), "files");
}

static bool is_same(const json_t *before, const json_t *now)
{
    static const char *const names[] = {"words", "check", "loops", NULL};
    for (int i = 0; names[i] != NULL; i++)
        if (!json_equal(json_object_get(before, names[i]),
                        json_object_get(now, names[i])))
            return false;
    return true;
}

static int check_new(const struct origin *origin, bool resume,
                     struct error *err)
{
    struct folder files = {.count = 0};
    bool runs =
        folder_find(origin->folder, "runs-", ".jsonl", &files, NULL) == 0 &&
        files.count > 0;
    folder_free(&files);
    if (runs)
        return error_set(err, EEXIST,
                         "omp: --out %s: it holds runs that --try has not "
                         "made; name another directory",
                         origin->folder);
    return resume ? error_set(err, ENOENT,
                              "omp: --resume: %s has no runs of omp --try",
                              origin->folder)
                  : 0;
}

static void take_over(struct origin *origin, const char *name)
{
    json_t *value = json_object_get(origin->before, name);
    if (value != NULL)
        json_object_set(origin->now, name, value);
}

/* Whether the files that the runs were of are as they were, where they are
 * still there. */
static int check_files(struct origin *origin, struct error *err)
{
    json_t *files = json_object_get(origin->now, "files");
    int code = 0;
    for (size_t i = 0; i < json_array_size(files) && code == 0; i++) {
        const char *path = json_string_value(
            json_object_get(json_array_get(files, i), "path"));
        if (path != NULL)
            code = add_file(origin, path, err);
    }
    return code;
}

/* Continues with the stored data. */
static int check_before(struct origin *origin, bool resume, struct error *err)
{
    json_t *files = json_object_get(origin->before, "files");
    if (!resume)
        return error_set(err, EEXIST,
                         "omp: --out %s: it holds runs already; --resume goes "
                         "on, or name another directory",
                         origin->folder);
    if (!is_same(origin->before, origin->now))
        return error_set(err, EINVAL,
                         "omp: --resume: %s is of another program, check or "
                         "--loops",
                         origin->folder);
    if (!json_is_array(files) ||
        !json_is_object(json_object_get(origin->before, "environment")))
        return error_set(err, EINVAL,
                         "omp: --resume: %s is of another version of dlsbench; "
                         "name another directory with --out",
                         origin->folder);
    take_over(origin, "files");
    take_over(origin, "seed");
    take_over(origin, "found");
    take_over(origin, "no_loop");
    take_over(origin, "output");
    int code = check_environment(origin, err);
    return code == 0 ? check_files(origin, err) : code;
}

static int read_before(struct origin *origin, struct error *err)
{
    json_error_t where;
    if (access(origin->path, F_OK) != 0)
        return 0;
    origin->before = json_load_file(origin->path, 0, &where);
    if (json_is_object(origin->before))
        return 0;
    /* A column of 0 means the end of the line before. */
    int line = where.column == 0 ? where.line - 1 : where.line;
    if (origin->before != NULL || line < 1)
        line = 1;
    return error_set(err, EINVAL, "omp: %s: damaged at line %d", origin->path,
                     line);
}

int origin_open(struct origin *origin, const struct try_plan *plan,
                struct error *err)
{
    uint64_t seed = random_mix((uint64_t)time(NULL) ^ (uint64_t)getpid()) >> 11;
    *origin = (struct origin){.folder = plan->folder,
                              .path = need_text("%s/tries.json", plan->folder),
                              .now = describe_origin(plan, seed)};
    int code = read_before(origin, err);
    if (code == 0)
        code = origin->before != NULL ? check_before(origin, plan->resume, err)
                                      : check_new(origin, plan->resume, err);
    if (code == 0)
        code = add_file(origin, plan->file, err);
    origin->seed =
        (uint64_t)json_integer_value(json_object_get(origin->now, "seed"));
    return code;
}

void origin_close(struct origin *origin)
{
    json_decref(origin->before);
    json_decref(origin->now);
    free(origin->path);
    *origin = (struct origin){.path = NULL};
}

const json_t *origin_list(const struct origin *origin, const char *name)
{
    return json_object_get(origin->now, name);
}

void origin_set(struct origin *origin, const char *name, json_t *list)
{
    json_object_set_new(origin->now, name, list);
}

int origin_write(const struct origin *origin, struct error *err)
{
    return record_whole(origin->path, json_incref(origin->now), err);
}
