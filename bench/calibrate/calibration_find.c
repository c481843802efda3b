#include "bench/calibrate/calibration_find.h"

#include "bench/options/command.h"

#include <errno.h>
#include <stdio.h>

int calibration_find_quietly(const char *file, struct calibration *calibration,
                             char path[PATH_MAX], struct error *err)
{
    int code = 0;
    path[0] = '\0';
    if (file == NULL)
        code = calibration_default_path(path, PATH_MAX, err);
    else
        snprintf(path, PATH_MAX, "%s", file);
    if (code != 0)
        return code;
    code = calibration_load(path, calibration, err);
    if (code == -ENOENT && file == NULL)
        return error_set(err, ENOENT,
                         "this machine is not calibrated (no %s): run "
                         "dlsbench calibrate first, or name a file with "
                         "--calibration",
                         path);
    return code;
}

bool calibration_is_missing(const char *file, int code)
{
    return file == NULL && (code == -ENOENT || code == -ESTALE);
}

void calibration_say_measuring(int code, const char *what_for, const char *path)
{
    command_say("%s, measuring it for %s (about 20 s), into %s",
                code == -ESTALE
                    ? "this machine is calibrated for an earlier version"
                    : "this machine is not calibrated",
                what_for, path);
}

void calibration_warn(const char *path, const struct calibration *calibration)
{
    char doubts[400];
    calibration_doubts(calibration, doubts, sizeof(doubts));
    if (doubts[0] != '\0')
        command_say("warning: %s: %s", path, doubts);
}

int calibration_find(const char *file, struct calibration *calibration,
                     char *source, size_t size, struct error *err)
{
    char path[PATH_MAX];
    int code = calibration_find_quietly(file, calibration, path, err);
    if (code != 0)
        return code;
    calibration_warn(path, calibration);
    snprintf(source, size, "%.300s, on %s, %s", path, calibration->host,
             calibration->started);
    return 0;
}

int calibration_find_any(const char *file, struct calibration *calibration,
                         bool *there, char *source, size_t size,
                         struct error *err)
{
    int code = calibration_find(file, calibration, source, size, err);
    *there = code == 0;
    if (!calibration_is_missing(file, code))
        return code;
    if (code == -ESTALE)
        command_say("warning: %s", err->text);
    source[0] = '\0';
    return 0;
}
