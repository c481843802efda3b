#include "harness/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

/* Ends the line that a writer left torn, so that the next stays whole. */
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

int record_open(struct record_file *file, const char *directory,
                const char *kind, const char *launch, struct error *err)
{
    snprintf(file->path, sizeof(file->path), "%s/%s-%s.jsonl", directory, kind,
             launch);
    file->descriptor =
        open(file->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file->descriptor < 0)
        return error_set(err, errno, "%s: cannot open for writing: %s",
                         file->path, strerror(errno));
    int code = end_torn_line(file->descriptor);
    if (code == 0)
        return 0;
    close(file->descriptor);
    file->descriptor = -1;
    return error_set(err, -code, "%s: cannot write: %s", file->path,
                     strerror(-code));
}

int record_close(struct record_file *file, struct error *err)
{
    int code = file->descriptor >= 0 ? close(file->descriptor) : 0;
    file->descriptor = -1;
    if (code != 0)
        return error_set(err, errno, "%s: %s", file->path, strerror(errno));
    return 0;
}

int record_line(struct record_file *file, json_t *object, struct error *err)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(object);
    if (text == NULL)
        return error_set(err, ENOMEM, "%s: out of memory for a line",
                         file->path);
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the end: one write for the line */
    int code = write_all(file->descriptor, text, length + 1);
    free(text);
    if (code != 0)
        return error_set(err, -code, "%s: cannot write: %s", file->path,
                         strerror(-code));
    return 0;
}

int record_sync(struct record_file *file, struct error *err)
{
    if (fdatasync(file->descriptor) != 0 && errno != EINVAL)
        return error_set(err, errno, "%s: cannot sync: %s", file->path,
                         strerror(errno));
    return 0;
}

int record_whole(const char *path, json_t *object, struct error *err)
{
    char temporary[4632];
    snprintf(temporary, sizeof(temporary), "%s.part", path);
    errno = 0;
    int code = json_dump_file(object, temporary, JSON_INDENT(1));
    json_decref(object);
    if (code != 0 || rename(temporary, path) != 0) {
        code = errno ? errno : EIO;
        unlink(temporary);
        return error_set(err, code, "%s: cannot write: %s", path,
                         strerror(code));
    }
    return 0;
}

int record_manifest(const char *directory, const char *launch, json_t *object,
                    struct error *err)
{
    char path[4608];
    snprintf(path, sizeof(path), "%s/manifest-%s.json", directory, launch);
    return record_whole(path, object, err);
}

json_t *record_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void record_time(char *text, int size)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, (size_t)size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
