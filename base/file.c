#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *refuse_file(int descriptor, int code, const char **why)
{
    if (descriptor >= 0)
        close(descriptor);
    errno = code;
    *why = code == EINVAL ? "not a regular file" : strerror(code);
    return NULL;
}

FILE *file_open(const char *path, const char **why)
{
    struct stat status;
    /* Not blocking: without it to open a pipe waits for a writer. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        /* ENXIO is a socket's or a device's. */
        return refuse_file(descriptor, errno == ENXIO ? EINVAL : errno, why);
    if (!S_ISREG(status.st_mode))
        return refuse_file(descriptor, EINVAL, why);
    FILE *file = fdopen(descriptor, "r");
    return file != NULL ? file : refuse_file(descriptor, errno, why);
}

bool file_is_readable(const char *path, const char **why)
{
    FILE *file = file_open(path, why);
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

void file_discard(const char *path)
{
    int before = errno;
    if (remove(path) != 0 && errno != ENOENT)
        remove(path);
    errno = before;
}

/* ---- lines ---- */

static int write_all(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

static int end_torn_line(int descriptor)
{
    struct stat status;
    char last;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size == 0 ||
        pread(descriptor, &last, 1, status.st_size - 1) != 1 || last == '\n')
        return 0;
    return write_all(descriptor, "\n", 1);
}

int file_open_to_append(const char *path, struct error *err)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return error_set(err, errno, "%s: cannot open for writing: %s", path,
                         strerror(errno));
    int code = end_torn_line(descriptor);
    if (code == 0)
        return descriptor;
    close(descriptor);
    return error_set(err, -code, "%s: cannot write: %s", path, strerror(-code));
}

int file_append(int descriptor, const char *path, const char *text,
                size_t length, struct error *err)
{
    int code = write_all(descriptor, text, length);
    return code == 0 ? 0
                     : error_set(err, -code, "%s: cannot write: %s", path,
                                 strerror(-code));
}
