/* Where results go. */
#include "bench/results/folders.h"

#include "base/text.h"
#include "bench/results/rundir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 2048 };

/* Cuts off the last part; false: there is none. */
static bool cut_path(char *path)
{
    char *end = strrchr(path, '/');
    while (end != NULL && end > path && end[-1] == '/')
        end--;
    if (end == NULL || end == path)
        return false;
    *end = '\0';
    return true;
}

size_t folders_there(const char *path)
{
    char part[PATH_SIZE];
    snprintf(part, sizeof(part), "%s", path);
    while (access(part, F_OK) != 0)
        if (!cut_path(part))
            return 0;
    return strlen(part);
}

void folders_remove(const char *path, size_t there)
{
    char part[PATH_SIZE];
    snprintf(part, sizeof(part), "%s", path);
    while (strlen(part) > there && (rmdir(part) == 0 || errno == ENOENT))
        if (!cut_path(part))
            return;
}

int folders_make(const char *path, bool *new, struct error *err)
{
    char part[PATH_SIZE];
    snprintf(part, sizeof(part), "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return error_set(err, errno, "%s: cannot make the folder: %s", part,
                             strerror(errno));
        *slash = '/';
    }
    *new = mkdir(path, 0777) == 0;
    if (!*new &&errno != EEXIST)
        return error_set(err, errno, "%s: cannot make the result directory: %s",
                         path, strerror(errno));
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return error_set(err, ENOTDIR, "%s: not a directory", path);
    return 0;
}

int folders_name_out(const char *command, const char *out, char *path,
                     size_t size, struct error *err)
{
    bool named = strchr(out, '/') == NULL;
    int length =
        snprintf(path, size, "%s%s%s%s/campaign.yaml", named ? "results/" : "",
                 named ? command : "", named ? "/" : "", out);
    if (out[0] == '\0' || length >= (int)size)
        return error_set(err, EINVAL, "%s: --out '%s': not a directory",
                         command, out);
    if (access(path, F_OK) == 0)
        return error_set(err, EEXIST,
                         "%s: --out %s: it holds a campaign of dlsbench run; "
                         "name another directory",
                         command, out);
    *strrchr(path, '/') = '\0';
    path_trim(path);
    return 0;
}

int folders_make_out(const char *command, const char *out, char *path,
                     size_t size, struct error *err)
{
    bool new;
    int code = folders_name_out(command, out, path, size, err);
    if (code == 0)
        code = folders_make(path, &new, err);
    if (code == 0 && access(path, W_OK) != 0)
        code = error_set(err, errno, "%s: --out %s: %s", command, path,
                         strerror(errno));
    return code;
}

/* ---- the directory of a run ---- */

/* Ends with the time unless the user names it; if a run of the same second has
 * that name already, this one gets a number. */
static int name_by_time(char *path, size_t size, const char *campaign)
{
    char name[32];
    time_t now = time(NULL);
    struct tm fields;
    gmtime_r(&now, &fields);
    strftime(name, sizeof(name), "%Y-%m-%dT%H%M%SZ", &fields);
    int length = snprintf(path, size, "results/%s/%s", campaign, name);
    for (int n = 2; access(path, F_OK) == 0 && n < 1000; n++)
        length = snprintf(path, size, "results/%s/%s-%d", campaign, name, n);
    return length;
}

int rundir_choose(struct rundir *dir, const char *campaign, const char *out,
                  struct error *err)
{
    size_t size = sizeof(dir->path);
    int length =
        out == NULL ? name_by_time(dir->path, size, campaign)
        : strchr(out, '/') != NULL
            ? snprintf(dir->path, size, "%s", out)
            : snprintf(dir->path, size, "results/%s/%s", campaign, out);
    path_trim(dir->path);
    if ((size_t)length >= size)
        return error_set(err, ENAMETOOLONG, "--out: the path is too long");
    return 0;
}

int rundir_check_line(const char *path, struct error *err)
{
    if (text_wrong_byte(path) < 0)
        return 0;
    return error_set(err, EINVAL,
                     "%s: the path of results must be UTF-8 without control "
                     "characters: give another --out",
                     path);
}

/* The path that realpath will return after missing folders are created. */
static int name_full(struct rundir *dir, struct error *err)
{
    char part[sizeof(dir->path)];
    size_t there = folders_there(dir->path);
    bool whole = there > 0 || dir->path[0] == '/';
    snprintf(part, sizeof(part), "%.*s", (int)there, dir->path);
    if (realpath(whole ? part[0] ? part : "/" : ".", dir->full) == NULL)
        return error_set(err, errno, "%s: %s", dir->path, strerror(errno));
    const char *rest = dir->path + there + strspn(dir->path + there, "/");
    size_t used = strlen(dir->full);
    if (rest[0] != '\0' &&
        (size_t)snprintf(dir->full + used, sizeof(dir->full) - used, "%s%s",
                         used > 1 ? "/" : "", rest) >= sizeof(dir->full) - used)
        return error_set(err, ENAMETOOLONG, "--out: the path is too long");
    return rundir_check_line(dir->full, err);
}

int rundir_name(struct rundir *dir, const struct campaign *whole,
                const struct rundir_options *options, struct error *err)
{
    *dir = (struct rundir){.shard = options->shard};
    int code = rundir_choose(dir, whole->name, options->out, err);
    return code == 0 ? name_full(dir, err) : code;
}
