#include "bench/calibrate/calibrated.h"

#include "bench/cli/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

int calibrated_load(const char *file, struct calibration *calibration,
                    char *source, size_t size, struct error *err)
{
    char path[PATH_MAX], doubts[400];
    int code = 0;
    if (file == NULL)
        code = calibration_default_path(path, sizeof(path), err);
    else
        snprintf(path, sizeof(path), "%s", file);
    if (code == 0)
        code = calibration_load(path, calibration, err);
    if (code == -ENOENT && file == NULL)
        return error_set(err, ENOENT,
                         "this machine is not calibrated (no %s): run "
                         "dlsbench calibrate first, or name a file with "
                         "--calibration",
                         path);
    if (code != 0)
        return code;
    calibration_doubts(calibration, doubts, sizeof(doubts));
    if (doubts[0] != '\0')
        command_say("warning: %s: %s", path, doubts);
    snprintf(source, size, "%.300s, on %s, %s", path, calibration->host,
             calibration->started);
    return 0;
}
