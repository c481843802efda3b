#include "bench/results/folders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 2048 };

/* Cuts the last part off; false: there is none. */
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
