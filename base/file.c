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
