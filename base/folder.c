#include "base/folder.h"

#include "base/file.h"
#include "base/list.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool name_fits(const char *name, const char *begin, const char *end)
{
    size_t length = strlen(name), first = strlen(begin), last = strlen(end);
    if (name[0] == '.' && begin[0] != '.')
        return false;
    return length >= first + last && strncmp(name, begin, first) == 0 &&
           strcmp(name + length - last, end) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_path(struct folder *found, int64_t *room, const char *dir,
                    const char *name)
{
    if (list_grow(&found->path, room, found->count + 1, sizeof(*found->path)))
        return -ENOMEM;
    if (asprintf(&found->path[found->count], "%s/%s", dir, name) < 0)
        return -ENOMEM;
    found->count++;
    return 0;
}

int folder_find(const char *dir, const char *begin, const char *end,
                struct folder *found, struct error *err)
{
    DIR *stream = opendir(dir);
    const struct dirent *entry;
    int64_t room = 0;
    int code = 0;
    *found = (struct folder){.count = 0};
    if (stream == NULL)
        return error_set(err, errno, "%s: cannot read the folder: %s", dir,
                         strerror(errno));
    for (errno = 0; code == 0 && (entry = readdir(stream)) != NULL; errno = 0)
        if (name_fits(entry->d_name, begin, end))
            code = add_path(found, &room, dir, entry->d_name);
    if (code == 0)
        code = -errno;
    closedir(stream);
    if (code == 0) {
        if (found->count > 0)
            qsort(found->path, (size_t)found->count, sizeof(*found->path),
                  by_name);
        return 0;
    }
    folder_free(found);
    return error_set(err, -code, "%s: cannot read the folder: %s", dir,
                     strerror(-code));
}

void folder_free(struct folder *found)
{
    for (int i = 0; i < found->count; i++)
        free(found->path[i]);
    free(found->path);
    *found = (struct folder){.count = 0};
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    file_discard(path);
    return 0;
}

enum { REMOVING_DEPTH = 16 };

void folder_remove(const char *path)
{
    nftw(path, remove_entry, REMOVING_DEPTH, FTW_DEPTH | FTW_PHYS);
}
