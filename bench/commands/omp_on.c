/* Replays the records of `omp --record` with other numbers of threads.  Chunks
 * cost what this machine's calibration says; without one, the usual costs
 * apply. */
#include "bench/commands/omp_on.h"

#include "base/folder.h"
#include "bench/calibrate/calibration_find.h"
#include "bench/foretell/replay/outlook.h"
#include "bench/foretell/replay/replay_cell.h"
#include "bench/options/command.h"
#include "bench/results/folders.h"

#include <errno.h>

int omp_on_check(const char *workers, struct error *err)
{
    struct outlook ignored;
    return outlook_read_workers(&ignored, workers, err);
}

/* Calibrated costs, if this machine has them. */
static int find_costs(struct replay_costs *costs, char *source, size_t size,
                      struct error *err)
{
    struct calibration calibration;
    bool there;
    *costs = replay_costs_usual;
    int code =
        calibration_find_any(NULL, &calibration, &there, source, size, err);
    if (code != 0 || !there)
        return code;
    replay_costs_fill(costs, &calibration, CALIBRATION_THREADS);
    calibration_free(&calibration);
    return 0;
}

int omp_on(const char *workers, const char *folder, const char *results,
           FILE *out, struct error *err)
{
    struct outlook outlook = {.loops = 0};
    char source[700];
    int code = outlook_read_workers(&outlook, workers, err);
    if (code == 0)
        code = find_costs(&outlook.costs, source, sizeof(source), err);
    if (code == 0)
        code = outlook_open(&outlook, folder, err);
    if (code == 0)
        outlook_print(&outlook, source, out);
    if (code == 0 && results != NULL)
        code = outlook_write_json(&outlook, results, err);
    outlook_close(&outlook);
    return code;
}

/* Only a folder with results gets a report that shows the outlook. */
static int find_results(struct omp_input *in, struct error *err)
{
    struct folder files = {.count = 0};
    struct error ignored;
    if (in->out == NULL)
        return 0;
    int code =
        folders_name_out("omp", in->out, in->path, sizeof(in->path), err);
    if (code != 0)
        return code;
    bool any =
        folder_find(in->path, "runs-", ".jsonl", &files, &ignored) == 0 &&
        files.count > 0;
    folder_free(&files);
    return any ? 0
               : error_set(err, ENOENT,
                           "omp: --out %s: no results are here; --on without "
                           "a program adds to those of --try, or of a run "
                           "with --out",
                           in->path);
}

int omp_on_records(struct omp_input *in)
{
    struct error err = {""};
    int code = find_results(in, &err);
    if (code == 0)
        code = omp_on(in->on, in->record, in->out != NULL ? in->path : NULL,
                      stdout, &err);
    return code == 0 ? COMMAND_OK : command_fail(COMMAND_USAGE, &err);
}
