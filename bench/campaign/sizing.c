#include "bench/campaign/sizing.h"

#include "base/text.h"
#include "bench/campaign/kernel_work.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes have three digits, and are looked for up to this. */
enum { SIZE_MOST = 1 << 24, SIZE_ANY = 64 };

static const char *const words[] = {"strong", "weak", NULL};

/* The next value of a spec that is one of the words, or NULL. */
static const char *find_word(const char *text, size_t *length)
{
    for (const char *at = strchr(text, '='); at != NULL; at = strchr(at, '=')) {
        size_t n = strcspn(++at, ",");
        for (int i = 0; words[i] != NULL; i++)
            if (strlen(words[i]) == n && strncmp(at, words[i], n) == 0) {
                *length = n;
                return at;
            }
    }
    return NULL;
}

bool sizing_asked(const char *kernel)
{
    size_t length;
    return find_word(kernel, &length) != NULL;
}

static void put_size(const char *kernel, int64_t size,
                     char out[SPEC_CANONICAL_MAX])
{
    size_t used = 0, length;
    const char *from = kernel, *word;
    out[0] = '\0';
    while ((word = find_word(from, &length)) != NULL &&
           used < SPEC_CANONICAL_MAX) {
        used +=
            (size_t)snprintf(out + used, SPEC_CANONICAL_MAX - used,
                             "%.*s%" PRId64, (int)(word - from), from, size);
        from = word + length;
    }
    if (used < SPEC_CANONICAL_MAX)
        snprintf(out + used, SPEC_CANONICAL_MAX - used, "%s", from);
}

void sizing_any(const char *kernel, char out[SPEC_CANONICAL_MAX])
{
    put_size(kernel, SIZE_ANY, out);
}

/* ---- speeds ---- */

/* Reads one pair of the list; returns the text after it, NULL: no pair. */
static const char *read_speed(const char *text, char name[SPEC_NAME_MAX],
                              double *speed)
{
    char *end;
    size_t length = strcspn(text, "=,");
    if (length == 0 || length >= SPEC_NAME_MAX || text[length] != '=')
        return NULL;
    snprintf(name, SPEC_NAME_MAX, "%.*s", (int)length, text);
    *speed = strtod(text + length + 1, &end);
    if (end == text + length + 1 || !(*speed > 0) || !isfinite(*speed))
        return NULL;
    if (*end == ',' && end[1] != '\0')
        return end + 1;
    return *end == '\0' ? end : NULL;
}

static double find_speed(const char *speeds, const char *kernel)
{
    char name[SPEC_NAME_MAX];
    double speed;
    for (const char *at = speeds; at != NULL && *at != '\0';) {
        at = read_speed(at, name, &speed);
        if (at != NULL && text_is(name, kernel))
            return speed;
    }
    return NAN;
}

int sizing_speeds_check(const char *text, struct error *err)
{
    char name[SPEC_NAME_MAX];
    double speed;
    const char *at = text;
    while (at != NULL && *at != '\0') {
        at = read_speed(at, name, &speed);
        if (at == NULL)
            break;
        if (kernel_find(name, err) == NULL)
            return error_prefix(err, -EINVAL, "speeds");
        if (!isnan(find_speed(at, name)))
            return error_set(err, EINVAL, "speeds: kernel '%s' is there twice",
                             name);
    }
    if (at != NULL && strlen(text) < SIZING_SPEEDS_MAX)
        return 0;
    return error_set(err, EINVAL,
                     "speeds: '%.80s' must be seconds of an operation of each "
                     "kernel, as in adjoint=2e-10,heat=6e-10",
                     text);
}

/* Seconds per operation of a measured kernel, at the length of its
 * iterations. */
static double measured_speed(const struct calibration_kind *kind,
                             const char *text)
{
    const struct kernel_ops *ops;
    struct spec spec;
    if (kernel_parse(text, &ops, &spec, NULL) != 0 || ops->cost == NULL)
        return NAN;
    double operations = work_operations(ops, &spec);
    return work_seconds(kind, text, operations, work_starts(ops, &spec)) /
           operations;
}

void sizing_speeds_make(const struct calibration *calibration,
                        char speeds[SIZING_SPEEDS_MAX])
{
    const struct calibration_kind *kind =
        &calibration->kind[CALIBRATION_THREADS];
    size_t used = 0;
    if (kind->workers == 0)
        kind = &calibration->kind[CALIBRATION_RANKS];
    speeds[0] = '\0';
    for (int k = 0; k < kind->kernels; k++) {
        char name[SPEC_NAME_MAX], pair[SPEC_NAME_MAX + 32];
        double speed = measured_speed(kind, kind->kernel[k].spec);
        if (!(speed > 0) || !isfinite(speed) ||
            spec_name("kernel", kind->kernel[k].spec, name, NULL) != 0 ||
            !isnan(find_speed(speeds, name)))
            continue;
        int n = snprintf(pair, sizeof(pair), "%s%s=%.3g", used > 0 ? "," : "",
                         name, speed);
        if (used + (size_t)n < SIZING_SPEEDS_MAX) {
            memcpy(speeds + used, pair, (size_t)n + 1);
            used += (size_t)n;
        }
    }
}

/* ---- sizes ---- */

/* Most bytes of results, because every rank may have all of them. */
static const double RESULTS_MOST = 250e6;

static bool size_fits(const struct kernel_ops *ops, const struct spec *spec)
{
    void *whole;
    if (kernel_outline(ops, spec, &whole, NULL) != 0)
        return false;
    double bytes =
        (double)ops->iterations(whole) * (double)ops->output_bytes(whole);
    ops->destroy(whole);
    return bytes <= RESULTS_MOST;
}

/* NAN if the loop does not exist, is too large or lacks a cost model. */
static double seconds_of(const char *kernel, double speed, int64_t size)
{
    char text[SPEC_CANONICAL_MAX];
    const struct kernel_ops *ops;
    struct spec spec;
    put_size(kernel, size, text);
    if (kernel_parse(text, &ops, &spec, NULL) != 0 || ops->cost == NULL ||
        !size_fits(ops, &spec))
        return NAN;
    return work_operations(ops, &spec) * speed;
}

/* The largest size that takes at most so many seconds, at least 1.  A size that
 * cannot be made is too large. */
static int64_t find_size(const char *kernel, double speed, double seconds)
{
    int64_t low = 1, high = 2;
    while (high < SIZE_MOST && seconds_of(kernel, speed, high) <= seconds) {
        low = high;
        high *= 2;
    }
    while (high - low > 1 && high - low > low / 1000) {
        int64_t middle = low + (high - low) / 2;
        if (seconds_of(kernel, speed, middle) <= seconds)
            low = middle;
        else
            high = middle;
    }
    int64_t unit = 1;
    while (low / unit >= 1000)
        unit *= 10;
    return (low + unit / 2) / unit * unit; /* three digits */
}

static int64_t kept_size(struct sizing *sizing, const char *kernel,
                         double speed, double seconds)
{
    int count = sizing->found < SIZING_KEPT ? sizing->found : SIZING_KEPT;
    for (int i = 0; i < count; i++) {
        const struct sizing_found *kept = &sizing->kept[i];
        if (kept->seconds == seconds && text_is(kept->kernel, kernel))
            return kept->size;
    }
    struct sizing_found *found = &sizing->kept[sizing->found++ % SIZING_KEPT];
    snprintf(found->kernel, sizeof(found->kernel), "%s", kernel);
    found->seconds = seconds;
    return found->size = find_size(kernel, speed, seconds);
}

int sizing_resolve(struct sizing *sizing, const char *kernel, int64_t workers,
                   char out[SPEC_CANONICAL_MAX], struct error *err)
{
    char name[SPEC_NAME_MAX], any[SPEC_CANONICAL_MAX];
    const struct kernel_ops *ops;
    struct spec spec;
    sizing_any(kernel, any);
    int code = kernel_parse(any, &ops, &spec, err);
    if (code != 0)
        return code;
    snprintf(name, sizeof(name), "%s", ops->name);
    if (!(sizing->cell_s > 0))
        return error_set(err, EINVAL,
                         "kernel %s: the sizes strong and weak need cell_time, "
                         "the seconds that a node takes",
                         name);
    double speed = find_speed(sizing->speeds, name);
    if (isnan(speed))
        return error_set(err, ENODATA,
                         "kernel %s: its size is by time (cell_time), and "
                         "speeds does not have it: run dlsbench calibrate, or "
                         "give speeds, as in --set speeds=%s=2e-10",
                         name, name);
    bool weak = strstr(kernel, "=weak") != NULL;
    if (weak && strstr(kernel, "=strong") != NULL)
        return error_set(err, EINVAL,
                         "kernel %s: its sizes are strong or weak, not both",
                         name);
    double cores = weak ? (double)workers : sizing->cores;
    put_size(kernel, kept_size(sizing, kernel, speed, sizing->cell_s * cores),
             out);
    return 0;
}

void words_put_cores(int cores, const char *field, const char *text, char *out,
                     size_t size)
{
    const char *word = strstr(text, "cores");
    bool shape = text_is(field, "layout") || text_is(field, "ranks") ||
                 text_is(field, "threads");
    if (!shape || word == NULL)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.*s%d%s", (int)(word - text), text, cores,
                 word + strlen("cores"));
}

bool words_by_nodes(const char *field, const char *text)
{
    return text_is(field, "layout") &&
           (strncmp(text, "nodesx", 6) == 0 || strncmp(text, "allx", 4) == 0);
}

void words_put_nodes(int nodes, int cores, const char *text, char *out,
                     size_t size)
{
    int ranks = strncmp(text, "all", 3) == 0 ? nodes * cores : nodes;
    snprintf(out, size, "%d%s", ranks, strchr(text, 'x'));
}
