/* Reads a calibration for a command that plans or predicts with it. */
#ifndef BENCH_CALIBRATE_CALIBRATION_FIND_H
#define BENCH_CALIBRATE_CALIBRATION_FIND_H

#include "base/error.h"
#include "harness/costs/calibration.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Loads `file`, or (NULL) this machine's calibration; warns on stderr if it is
 * from another machine or version; writes its origin into `source`. Returns 0
 * or -errno with a text that says what to do; free with calibration_free. */
int calibration_find(const char *file, struct calibration *calibration,
                     char *source, size_t size, struct error *err);

/* calibration_find for callers that can do without: a missing or older
 * calibration is no error, and sets *there to false. */
int calibration_find_any(const char *file, struct calibration *calibration,
                         bool *there, char *source, size_t size,
                         struct error *err);

/* calibration_find without the warning, and the warning alone, for callers that
 * may not be the only readers. path: the file's name, "" if the user has no
 * place for one. */
int calibration_find_quietly(const char *file, struct calibration *calibration,
                             char path[PATH_MAX], struct error *err);
void calibration_warn(const char *path, const struct calibration *calibration);

/* Whether this code of calibration_find_quietly means: the machine's own
 * calibration is missing or from an earlier version, so it can be made
 * again. */
bool calibration_is_missing(const char *file, int code);
void calibration_say_measuring(int code, const char *what_for,
                               const char *path);

#endif
