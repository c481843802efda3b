#include "bench/commands/omp_on.h"

#include "bench/calibrate/calibrated.h"
#include "bench/foretell/replay/outlook_table.h"
#include "bench/foretell/replay/replay_cell.h"

#include <errno.h>

int omp_on_check(const char *workers, struct error *err)
{
    struct outlook ignored;
    return outlook_read_workers(&ignored, workers, err);
}

/* As calibrated, if this machine is. */
static int find_costs(struct replay_costs *costs, char *source, size_t size,
                      struct error *err)
{
    struct calibration calibration;
    *costs = replay_costs_usual;
    source[0] = '\0';
    int code = calibrated_load(NULL, &calibration, source, size, err);
    if (code == -ENOENT)
        return 0;
    if (code != 0)
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
