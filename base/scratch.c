#include "base/scratch.h"

#include "base/file.h"
#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only our folders have this prefix, so whatever matches may be removed. */
static const char prefix[] = "dlsbench-run-";

const char *scratch_base(void)
{
    const char *base = getenv("TMPDIR");
    return base != NULL && base[0] != '\0' ? base : "/tmp";
}

/* ---- what others left behind ---- */

/* Whether the path is still the folder that this descriptor is of. */
static bool is_there(int folder, const char *path)
{
    struct stat mine, there;
    return fstat(folder, &mine) == 0 && lstat(path, &there) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* A living process holds its lock, so its folder stays.  So do folders on file
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

/* ---- our own ---- */

/* Somebody who looked for dead folders may have removed it before it had its
 * lock. */
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
