/* Reading a calibration for a command that plans or predicts with it. */
#ifndef BENCH_CALIBRATE_CALIBRATION_FIND_H
#define BENCH_CALIBRATE_CALIBRATION_FIND_H

#include "base/error.h"
#include "harness/costs/calibration.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Loads `file`, or this machine's own when it is NULL; warns on stderr when it
 * is of another machine or version; writes where it is from into `source`.
 * Returns 0 or -errno with a text that says what to do; free with
 * calibration_free. */
int calibration_find(const char *file, struct calibration *calibration,
                     char *source, size_t size, struct error *err);

/* The same for callers that go on without one: a machine without a calibration
 * that this version reads is no error, and *there says so. */
int calibration_find_any(const char *file, struct calibration *calibration,
                         bool *there, char *source, size_t size,
                         struct error *err);

/* The same without the warning, and the warning alone, for callers that do
 * not know yet whether another one also reads it.  path: the file's name, ""
 * where the user has no place for one. */
int calibration_find_quietly(const char *file, struct calibration *calibration,
                             char path[PATH_MAX], struct error *err);
void calibration_warn(const char *path, const struct calibration *calibration);

/* Whether this code of calibration_find_quietly says that the machine's own
 * calibration is missing or of an earlier version: it can be measured again. */
bool calibration_is_missing(const char *file, int code);
void calibration_say_measuring(int code, const char *what_for,
                               const char *path);

#endif
