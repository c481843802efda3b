#include "harness/record/row_reader.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rows_open(struct rows *rows, const char *path, struct error *err)
{
    const char *why;
    *rows = (struct rows){.path = path, .file = file_open(path, &why)};
    return rows->file != NULL
               ? 0
               : error_set(err, errno, "%s: cannot read: %s", path, why);
}

bool rows_lack_memory(const json_t *read, const json_error_t *why)
{
    return read == NULL && (errno == ENOMEM ||
                            json_error_code(why) == json_error_out_of_memory);
}

int rows_next(struct rows *rows, json_t **row, struct error *err)
{
    json_error_t why;
    *row = NULL;
    errno = 0;
    ssize_t length = getline(&rows->line, &rows->room, rows->file);
    if (length < 0 && ferror(rows->file))
        return error_set(err, EIO, "%s: cannot read", rows->path);
    if (length < 0 && feof(rows->file))
        return 0;
    if (length >= 0)
        *row = json_loadb(rows->line, (size_t)length, 0, &why);
    if (length < 0 || rows_lack_memory(*row, &why))
        return error_set(err, ENOMEM, "%s: out of memory", rows->path);
    if (json_is_object(*row))
        return 1;
    json_decref(*row);
    *row = NULL;
    return 1;
}

void rows_close(struct rows *rows)
{
    free(rows->line);
    if (rows->file != NULL)
        fclose(rows->file);
}
