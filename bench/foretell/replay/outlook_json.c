/* Writes outlook.json, the file of `omp --on`. */
#include "bench/foretell/replay/outlook_table.h"

#include "base/text.h"
#include "harness/program/need.h"
#include "harness/record/record.h"

#include <stdlib.h>

static json_t *times_row(const struct outlook *outlook, const double *time_s)
{
    json_t *times = json_array();
    for (int i = 0; i < outlook->numbers; i++)
        json_array_append_new(times, record_real(time_s[i]));
    return times;
}

static json_t *loop_row(const struct outlook *outlook,
                        const struct outlook_loop *loop)
{
    json_t *schemes = json_array();
    char name[1024];
    for (int s = 0; s < outlook->schemes; s++)
        if (loop->why[s] == NULL)
            json_array_append_new(
                schemes,
                json_pack("{s:s,s:o}", "scheme", outlook->scheme[s], "time_s",
                          times_row(outlook, loop->time_s[s])));
    text_line(name, sizeof(name), loop->name);
    json_t *row = json_pack(
        "{s:s,s:i,s:i,s:I,s:o,s:o,s:o}", "name", name, "threads", loop->threads,
        "visits", loop->visits, "iterations", (json_int_t)loop->iterations,
        "serial_s", record_real(loop->serial_s), "bound_s",
        times_row(outlook, loop->bound_s), "schemes", schemes);
    if (loop->own_scheme[0] != '\0')
        json_object_set_new(
            row, "own",
            json_pack("{s:s,s:o,s:o}", "schedule", loop->own, "time_s",
                      times_row(outlook, loop->time_s[outlook->schemes]),
                      "error", record_real(outlook_error(loop))));
    return row;
}

int outlook_write_json(const struct outlook *outlook, const char *folder,
                       struct error *err)
{
    json_t *workers = json_array(), *loops = json_array();
    char *path = need_text("%s/outlook.json", folder);
    for (int i = 0; i < outlook->numbers; i++)
        json_array_append_new(workers, json_integer(outlook->workers[i]));
    for (int i = 0; i < outlook->loops; i++)
        json_array_append_new(loops, loop_row(outlook, &outlook->loop[i]));
    int code = record_whole(path,
                            json_pack("{s:i,s:o,s:o}", "schema", RECORD_SCHEMA,
                                      "workers", workers, "loops", loops),
                            err);
    free(path);
    return code;
}
