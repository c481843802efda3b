/* The data are written to PATH.<pid>.part, synced, and renamed.  A reader finds
 * the old file or the new one, never a part of it. */
#include "base/system/whole.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int file_new(const char *path)
{
    int file =
        open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return file >= 0 ? file : -errno;
}

/* Left by a killed process that had the same number. */
static int new_part(const char *part)
{
    int file = file_new(part);
    if (file != -EEXIST)
        return file;
    file_discard(part);
    return file_new(part);
}

static int write_synced(int file, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(file, data, size);
        if (wrote < 0 && errno != EINTR)
            return -errno;
        data += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    /* EINVAL: a file system that does not sync. */
    return fdatasync(file) == 0 || errno == EINVAL ? 0 : -errno;
}

int file_whole(const char *path, const void *data, size_t size,
               struct error *err)
{
    char part[PATH_MAX + 32];
    snprintf(part, sizeof(part), "%s.%d.part", path, (int)getpid());
    int file = new_part(part);
    int code = file < 0 ? file : write_synced(file, data, size);
    if (file >= 0 && close(file) != 0 && code == 0)
        code = -errno;
    if (code == 0 && rename(part, path) != 0)
        code = -errno;
    if (code != 0 && file >= 0)
        file_discard(part);
    return code == 0 ? 0
                     : error_set(err, -code, "%s: cannot write: %s", path,
                                 strerror(-code));
}
