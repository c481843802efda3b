#include "base/folder.h"

#include "base/file.h"
#include "base/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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

/* Only our folders have this prefix, so every match may be removed. */
static const char prefix[] = "dlsbench-run-";

const char *scratch_base(void)
{
    const char *base = getenv("TMPDIR");
    return base != NULL && base[0] != '\0' ? base : "/tmp";
}

/* ---- folders of killed processes ---- */

/* Whether the path is still the folder that this descriptor is of. */
static bool is_there(int folder, const char *path)
{
    struct stat mine, there;
    return fstat(folder, &mine) == 0 && lstat(path, &there) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* A living process has its lock, so its folder stays; so do folders on file
 * systems without locks. */
static void remove_dead(const char *path)
{
    struct stat info;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    if (fstat(folder, &info) == 0 && info.st_uid == geteuid() &&
        flock(folder, LOCK_EX | LOCK_NB) == 0 && is_there(folder, path))
        folder_remove(path);
    close(folder);
}

static void remove_all_dead(const char *base)
{
    struct folder found;
    if (folder_find(base, prefix, "", &found, NULL) != 0)
        return;
    for (int i = 0; i < found.count; i++)
        remove_dead(found.path[i]);
    folder_free(&found);
}

/* ---- this process's folder ---- */

/* A process that removes dead folders may have removed it before it was
 * locked. */
static int make_folder(struct scratch *scratch, const char *base)
{
    char whole[PATH_MAX]; /* the program may change its folder */
    for (int tries = 0; tries < 100; tries++) {
        if (realpath(base, whole) == NULL)
            return -errno;
        int length = snprintf(scratch->path, sizeof(scratch->path),
                              "%s/%sXXXXXX", whole, prefix);
        if (length >= (int)sizeof(scratch->path))
            return -ENAMETOOLONG;
        if (mkdtemp(scratch->path) == NULL)
            return -errno;
        scratch->lock = open(scratch->path,
                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (scratch->lock >= 0)
            flock(scratch->lock, LOCK_EX);
        if (scratch->lock >= 0 && is_there(scratch->lock, scratch->path))
            return 0;
        if (scratch->lock >= 0)
            close(scratch->lock);
        scratch->lock = -1;
    }
    return -EAGAIN;
}

/* Reserves the bytes in a file and removes it again, so that a full file system
 * is an error before the run. */
static int check_room(const struct scratch *scratch, size_t bytes)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof(path), "%s/room", scratch->path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int code = file < 0
                   ? -errno
                   : -posix_fallocate(file, 0, bytes > 0 ? (off_t)bytes : 1);
    if (file >= 0)
        close(file);
    file_discard(path);
    return code;
}

int scratch_open(struct scratch *scratch, size_t bytes, struct error *err)
{
    const char *base = scratch_base();
    *scratch = (struct scratch){.lock = -1};
    remove_all_dead(base);
    int code = make_folder(scratch, base);
    if (code != 0)
        scratch->path[0] = '\0';
    else
        code = check_room(scratch, bytes);
    if (code == 0)
        return 0;
    scratch_close(scratch);
    return error_set(err, -code,
                     "%s: no temporary folder can be made here: %s; TMPDIR "
                     "names another place",
                     base, strerror(-code));
}

void scratch_close(struct scratch *scratch)
{
    if (scratch->path[0] == '\0')
        return;
    folder_remove(scratch->path);
    close(scratch->lock);
    *scratch = (struct scratch){.lock = -1};
}
