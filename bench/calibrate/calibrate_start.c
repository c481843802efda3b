/* Starts a launch for threads and one for ranks.  Each writes a part beside the
 * calibration, FILE.KIND-PID; the parts become the calibration and are
 * removed. */
#include "bench/calibrate/calibrate.h"

#include "base/file.h"
#include "base/text.h"
#include "bench/launching/cause.h"
#include "bench/launching/launcher.h"
#include "bench/launching/progress_line.h"
#include "bench/launching/stops.h"
#include "bench/launching/subprocess.h"
#include "harness/process/need.h"
#include "harness/topo/topo.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A kernel with dependences is measured in the cache and beyond it. */
static const char *const grids[] = {"rows=512,cols=1024", "rows=2048,cols=4096",
                                    NULL};

/* ---- the measurements ---- */

struct specs {
    int count;
    char *spec[3 * CALIBRATE_KERNELS_MAX]; /* each with its widths */
};

static int add_spec(struct specs *specs, char *text, struct error *err)
{
    const int most = sizeof(specs->spec) / sizeof(specs->spec[0]);
    if (specs->count == most) {
        free(text);
        return error_set(err, E2BIG, "calibrate: more than %d kernels", most);
    }
    specs->spec[specs->count++] = text;
    return 0;
}

/* As calibrations name it; the same kernel again changes nothing. */
static int add_kernel(struct specs *specs, const char *name, const char *keys,
                      struct error *err)
{
    const struct kernel_ops *ops;
    struct spec spec;
    char *text = need_text("%s%s%s", name, keys[0] ? ":" : "", keys);
    int code = kernel_parse(text, &ops, &spec, err);
    free(text);
    for (int i = 0; code == 0 && i < specs->count; i++)
        if (strcmp(specs->spec[i], spec.canonical) == 0)
            return 0;
    return code == 0 ? add_spec(specs, need_text("%s", spec.canonical), err)
                     : code;
}

/* As measure_kernels reads them. */
static int add_widths(struct specs *specs, const struct measure_kernel *kernel,
                      struct error *err)
{
    char text[CALIBRATION_BLOCKS * 24];
    int length = 0;
    for (int i = 0; i < kernel->widths; i++)
        length +=
            snprintf(text + length, sizeof(text) - (size_t)length, "%c%lld",
                     i == 0 ? '/' : ',', (long long)kernel->width[i]);
    return add_spec(specs, need_text("%s", text), err);
}

/* Whether the kernel can be measured by its name alone: it needs no file and
 * has work to do (null has none). */
static bool is_measurable(const struct kernel_ops *ops)
{
    if (ops->check_tally != NULL)
        return false;
    for (int i = 0; ops->params[i].key != NULL; i++)
        if (ops->params[i].required)
            return false;
    return true;
}

/* All measurable kernels, unless a campaign selects them; then the requested
 * ones. */
static int make_specs(const struct calibrate_request *request,
                      struct specs *specs, struct error *err)
{
    const char *const none[] = {"", NULL};
    int code = 0;
    for (int i = 0; code == 0 && !request->only && kernel_list[i] != NULL;
         i++) {
        const struct kernel_ops *ops = kernel_list[i];
        const char *const *keys = ops->dependence != NULL ? grids : none;
        for (; code == 0 && is_measurable(ops) && *keys != NULL; keys++)
            code = add_kernel(specs, ops->name, *keys, err);
    }
    for (int i = 0; code == 0 && i < request->kernels; i++) {
        code = add_kernel(specs, request->kernel[i].spec, "", err);
        if (code == 0 && request->kernel[i].widths > 0)
            code = add_widths(specs, &request->kernel[i], err);
    }
    return code;
}

/* ---- a launch ---- */

/* To end, once all is written: as launches of `run` have. */
static const double END_S = 5;

/* Seconds between two lines on the current measurement, without a terminal. */
static const double STEP_S = 30;

struct launch {
    double start;
    struct progress progress;
    char step[200];   /* the current measurement */
    const char *part; /* the file that it writes */
    double written;   /* when it was first seen; 0: not yet */
    char said[200];   /* its first line on stderr */
    bool ours;        /* from a rank */
    struct cause cause;
};

static void on_output(void *arg, const char *line)
{
    struct launch *launch = arg;
    if (line[0] == '@') {
        snprintf(launch->step, sizeof(launch->step), "calibrate: %.180s",
                 line + 1);
        return;
    }
    cause_line(&launch->cause, line, subprocess_now());
    progress_clear(&launch->progress);
    fprintf(stderr, "%s\n", line);
}

static void on_message(void *arg, const char *line)
{
    struct launch *launch = arg;
    const char *own = "dlsbench: ";
    bool ours = text_begins(line, own);
    cause_line(&launch->cause, line, subprocess_now());
    launch->ours = launch->ours || ours;
    progress_clear(&launch->progress);
    /* A launcher's additions to our reason are noise. */
    if (launch->said[0] == '\0' && ours)
        snprintf(launch->said, sizeof(launch->said), "%.199s",
                 line + strlen(own));
    else if (launch->said[0] == '\0')
        fprintf(stderr, "%s\n", line);
}

/* A launch may hang after writing: docs/evidence/finalize.md. */
static double on_tick(void *arg)
{
    struct launch *launch = arg;
    if (launch->step[0] != '\0')
        progress_line(&launch->progress, launch->step, subprocess_now(), false);
    if (launch->written == 0 && access(launch->part, F_OK) == 0)
        launch->written = subprocess_now();
    if (launch->written > 0)
        return launch->written + END_S - subprocess_now();
    return launch->start + CALIBRATE_LIMIT_S - subprocess_now();
}

static int judge_end(const struct launch *launch,
                     const struct subprocess_end *end, int ranks,
                     struct error *err)
{
    char how[100], words[600];
    if (end->interrupted)
        return error_set(err, EINTR, "calibrate: interrupted");
    if (end->timed_out && launch->written > 0)
        return 0;
    cause_words(&launch->cause, launch->said, launch->ours, ranks, words,
                sizeof(words));
    if (words[0] != '\0' && end->status != 0)
        return error_set(err, EIO, "calibrate: %s", words);
    if (end->timed_out)
        return error_set(err, ETIME, "calibrate: stopped after %g s",
                         CALIBRATE_LIMIT_S);
    if (end->status == 0)
        return 0;
    subprocess_describe(end->status, how, sizeof(how));
    return error_set(err, EIO, "calibrate: %s%sthe launch ended with %s",
                     launch->said, launch->said[0] ? ": " : "", how);
}

static int run_launch(const struct calibrate_request *request, int ranks,
                      int threads, const struct specs *specs, const char *part,
                      const struct stops *stops, struct error *err)
{
    char program[PATH_MAX], shape[2][16];
    const char *tail[8 + 3 * CALIBRATE_KERNELS_MAX] = {NULL};
    struct launch launch = {.start = subprocess_now(), .part = part};
    const struct subprocess_watcher watcher = {.output = on_output,
                                               .message = on_message,
                                               .tick = on_tick,
                                               .arg = &launch};
    struct subprocess_end end;
    int n = 0, code = subprocess_program(program, sizeof(program), err);
    cause_open(&launch.cause, launch.start);
    progress_open(&launch.progress, launch.start);
    launch.progress.every_s = STEP_S;
    if (code != 0)
        return code;
    snprintf(shape[0], sizeof(shape[0]), "%d", ranks);
    snprintf(shape[1], sizeof(shape[1]), "%d", threads);
    tail[n++] = program;
    tail[n++] = "calibrate-launch";
    tail[n++] = part;
    tail[n++] = shape[0];
    tail[n++] = shape[1];
    tail[n++] = request->oversubscribe ? "oversubscribe" : "alone";
    for (int i = 0; i < specs->count; i++)
        tail[n++] = specs->spec[i];
    char **argv = launcher_argv(request->launcher, ranks, threads, tail, err);
    if (argv == NULL)
        return -EINVAL;
    code = subprocess_run(argv, stops, &watcher, &end, err);
    launcher_free(argv);
    progress_clear(&launch.progress);
    return code == 0 ? judge_end(&launch, &end, ranks, err) : code;
}

/* The output of a launch. */
static int read_part(const char *part, struct calibration *calibration,
                     enum calibration_which which, struct error *err)
{
    json_error_t where;
    json_t *root = json_load_file(part, 0, &where);
    const char *mpi = json_string_value(json_object_get(root, "mpi"));
    int code = 0;
    if (root == NULL || mpi == NULL)
        code = error_set(err, EIO, "calibrate: the launch has written nothing");
    if (code == 0) {
        snprintf(calibration->mpi, sizeof(calibration->mpi), "%s", mpi);
        code = calibration_kind_from_json(json_object_get(root, "kind"),
                                          &calibration->kind[which], err);
    }
    json_decref(root);
    return code;
}

/* ---- the whole calibration ---- */

static int measure_both(const struct calibrate_request *request,
                        const struct specs *specs, const char *path,
                        struct calibration *calibration, struct error *err)
{
    char part[PATH_MAX];
    struct stops stops;
    int workers = request->workers, code = stops_open(&stops, err);
    if (code != 0)
        return code;
    for (int i = 0; code == 0 && i < CALIBRATION_KINDS; i++) {
        bool ranks = i == CALIBRATION_RANKS;
        if (request->ranks_only && !ranks)
            continue;
        snprintf(part, sizeof(part), "%s.%s-%d", path, calibration_names[i],
                 (int)getpid());
        code = run_launch(request, ranks ? workers : 1, ranks ? 1 : workers,
                          specs, part, &stops, err);
        if (code == 0)
            code = read_part(part, calibration, i, err);
        file_discard(part);
    }
    stops_close(&stops);
    return code;
}

int calibrate_check_place(const char *path, struct error *err)
{
    char folder[PATH_MAX];
    struct stat there;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    if (slash == path)
        snprintf(folder, sizeof(folder), "/");
    if (access(folder, W_OK) != 0)
        return error_set(err, errno, "%s: cannot write there: %s", path,
                         strerror(errno));
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        return error_set(err, EISDIR, "%s: cannot write there: %s", path,
                         strerror(EISDIR));
    return 0;
}

static int count_cores(int *cores, struct error *err)
{
    struct topo *topo;
    int code = topo_open(&topo, err);
    if (code != 0)
        return code;
    *cores = topo_cores(topo);
    topo_close(topo);
    return 0;
}

int calibrate_make(const struct calibrate_request *request, const char *path,
                   struct calibration *calibration, struct error *err)
{
    struct calibrate_request complete = *request;
    struct specs specs = {.count = 0};
    double start = subprocess_now();
    *calibration = (struct calibration){.took_s = 0};
    int code = 0;
    if (complete.workers == 0)
        code = count_cores(&complete.workers, err);
    if (code == 0)
        code = calibration_describe_here(calibration, err);
    if (code == 0)
        code = make_specs(&complete, &specs, err);
    if (code == 0)
        code = measure_both(&complete, &specs, path, calibration, err);
    for (int i = 0; i < specs.count; i++)
        free(specs.spec[i]);
    calibration->took_s = subprocess_now() - start;
    if (code == 0)
        code = calibration_save(calibration, path, err);
    if (code != 0)
        calibration_free(calibration);
    return code;
}
