#include "harness/record/record.h"

#include "base/file.h"
#include "base/system/whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int record_open(struct record_file *file, const char *directory,
                const char *kind, const char *launch, struct error *err)
{
    snprintf(file->path, sizeof(file->path), "%s/%s-%s.jsonl", directory, kind,
             launch);
    int descriptor = file_open_to_append(file->path, err);
    file->descriptor = descriptor < 0 ? -1 : descriptor;
    return descriptor < 0 ? descriptor : 0;
}

int record_close(struct record_file *file, struct error *err)
{
    int code = file->descriptor >= 0 ? close(file->descriptor) : 0;
    file->descriptor = -1;
    if (code != 0)
        return error_set(err, errno, "%s: %s", file->path, strerror(errno));
    return 0;
}

int record_text(struct record_file *file, char *text, size_t length,
                struct error *err)
{
    int code =
        text == NULL
            ? error_set(err, ENOMEM, "%s: out of memory for a line", file->path)
            : file_append(file->descriptor, file->path, text, length, err);
    free(text);
    return code;
}

int record_line(struct record_file *file, json_t *object, struct error *err)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(object);
    size_t length = text != NULL ? strlen(text) : 0;
    if (text != NULL)
        text[length] = '\n'; /* in place of the end: one write for the line */
    return record_text(file, text, length + 1, err);
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
    char *text = json_dumps(object, JSON_INDENT(1));
    json_decref(object);
    if (text == NULL)
        return error_set(err, ENOMEM, "%s: out of memory", path);
    int code = file_whole(path, text, strlen(text), err);
    free(text);
    return code;
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
