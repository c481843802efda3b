#include "bench/launching/driver/announce.h"

#include "base/text.h"
#include "bench/campaign/kernel_work.h"
#include "bench/launching/launcher.h"
#include "bench/options/command.h"
#include "harness/cell/binding.h"
#include "harness/check/setup.h"
#include "harness/process/need.h"
#include "harness/topo/topo.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A repetition that is shorter is mostly starting and waiting for the end. */
static const double BRIEF_S = 10e-3, LONG_S = 3600;
/* A size is suggested that takes so many times as long. */
static const double MARGIN = 1.2;

static void add_known(struct announced *f, const struct cell *cell,
                      const struct estimate *e)
{
    f->known++;
    f->seconds += e->seconds;
    if (e->repetition_s < BRIEF_S) {
        f->brief++;
        if (f->briefest == NULL || e->repetition_s < f->brief_s) {
            f->briefest = cell;
            f->brief_s = e->repetition_s;
        }
    }
    if (fmax(e->repetition_s, e->serial_s) > LONG_S) {
        f->long_cells++;
        if (f->longest == NULL || e->repetition_s > f->long_s) {
            f->longest = cell;
            f->long_s = e->repetition_s;
            f->long_serial_s = e->serial_s;
        }
    }
}

struct announced announce_estimate(struct estimator *estimator,
                                   const struct cell *cells, int count,
                                   const struct results *held)
{
    struct announced f = {.cells = 0};
    for (int i = 0; i < count; i++) {
        const struct result *done =
            held != NULL ? results_find(held, cells[i].hash) : NULL;
        if (done != NULL && done->status == RESULT_OK)
            continue;
        struct estimate e = estimate_cell(estimator, &cells[i]);
        f.cells++;
        if (e.repetition_s > 0)
            add_known(&f, &cells[i], &e);
        else
            f.limit_s += e.seconds;
    }
    return f;
}

static const char *duration_text(double seconds, char *text, size_t size)
{
    static const struct {
        double least;
        double unit;
        const char *name;
    } units[] = {{7200, 3600, "hours"},
                 {120, 60, "min"},
                 {1, 1, "s"},
                 {1e-3, 1e-3, "ms"},
                 {0, 1e-6, "us"}};
    int i = 0;
    while (seconds < units[i].least)
        i++;
    snprintf(text, size, "%.2g %s", seconds / units[i].unit, units[i].name);
    if (seconds / units[i].unit >= 99.5)
        snprintf(text, size, "%.0f %s", seconds / units[i].unit, units[i].name);
    return text;
}

void announce_time(FILE *out, const struct announced *f)
{
    char about[32], most[32];
    int unknown = f->cells - f->known;
    if (f->seconds < 1)
        snprintf(about, sizeof(about), "a second");
    else
        duration_text(f->seconds, about, sizeof(about));
    duration_text(f->seconds + f->limit_s, most, sizeof(most));
    fprintf(out, "%d cell%s", f->cells, text_s(f->cells));
    if (f->cells > 0 && unknown == 0)
        fprintf(out, ", about %s", about);
    else if (f->known > 0)
        fprintf(out, ", about %s for %d of them, at most %s with the others",
                about, f->known, most);
    else if (f->cells > 0)
        fprintf(out,
                ", at most %s by cell_seconds, if 3 repetitions fit into it "
                "(dlsbench calibrate, or --from an earlier run, tells more)",
                most);
    fputc('\n', out);
}

/* ---- the size that would not be too short ---- */

static double operations_of(const char *kernel, struct spec *spec,
                            const struct kernel_ops **ops)
{
    if (kernel_parse(kernel, ops, spec, NULL) != 0 || (*ops)->cost == NULL)
        return NAN;
    return work_operations(*ops, spec);
}

/* The spec with another number for a key. */
static bool with_number(const char *kernel, const char *key, int64_t number,
                        char out[SPEC_CANONICAL_MAX])
{
    size_t length = strlen(key);
    for (const char *at = kernel; (at = strstr(at, key)) != NULL; at++) {
        if (at == kernel || strchr(":,", at[-1]) == NULL || at[length] != '=')
            continue;
        const char *rest = at + length + 1;
        rest += strcspn(rest, ",");
        int n = snprintf(out, SPEC_CANONICAL_MAX, "%.*s%s=%" PRId64 "%s",
                         (int)(at - kernel), kernel, key, number, rest);
        return n > 0 && n < SPEC_CANONICAL_MAX;
    }
    return false;
}

/* Two digits, rounded up. */
static int64_t round_up(double value)
{
    double unit = pow(10, fmax(floor(log10(value)) - 1, 0));
    return (int64_t)(ceil(value / unit) * unit);
}

/* By how operations grow when the first number of the spec doubles. */
static bool find_size(const struct cell *cell, double factor,
                      char out[SPEC_CANONICAL_MAX])
{
    const struct kernel_ops *ops;
    struct spec spec, twice;
    double now = operations_of(cell->kernel, &spec, &ops);
    for (int i = 0; now > 0 && ops->params[i].key != NULL; i++) {
        const struct spec_param *param = &ops->params[i];
        int64_t size = spec.value[i].integer;
        if (param->type != SPEC_INTEGER || !spec.value[i].given || size < 2)
            continue;
        if (!with_number(spec.canonical, param->key, 2 * size, out))
            return false;
        double grown = operations_of(out, &twice, &ops);
        double power = log2(grown / now);
        if (!(power > 0.5 && power < 8))
            return false;
        return with_number(spec.canonical, param->key,
                           round_up((double)size * pow(factor, 1 / power)),
                           out);
    }
    return false;
}

static void warn_brief(const struct announced *f)
{
    char about[32], size[SPEC_CANONICAL_MAX];
    const struct cell *cell = f->briefest;
    bool known = find_size(cell, MARGIN * BRIEF_S / f->brief_s, size);
    command_say("%d cell%s too short to mean anything, below 10 ms a "
                "repetition: %.80s on %d worker%s takes about %s%s%.80s%s",
                f->brief, f->brief == 1 ? " is" : "s are", cell->kernel,
                cell_workers(cell), text_s(cell_workers(cell)),
                duration_text(f->brief_s, about, sizeof(about)),
                known ? "; from about " : "", known ? size : "",
                known ? " on it takes longer" : "");
}

static void warn_long(const struct announced *f)
{
    char alone[32], time[32];
    const struct cell *cell = f->longest;
    bool seconds = strncmp(cell->kernel, "trace:", 6) == 0 &&
                   strstr(cell->kernel, ",unit=") == NULL;
    bool known = f->long_serial_s > 0;
    command_say(
        "%d cell%s more than an hour a repetition: %.80s takes about %s%s%s on "
        "%d%s",
        f->long_cells, f->long_cells == 1 ? " takes" : "s take", cell->kernel,
        known ? duration_text(f->long_serial_s, alone, sizeof(alone)) : "",
        known ? " on one worker and about " : "",
        duration_text(f->long_s, time, sizeof(time)), cell_workers(cell),
        seconds ? "; its costs count as seconds, say unit=ms, us or ns if they "
                  "are not"
                : "");
}

void announce_warnings(const struct announced *f)
{
    if (f->brief > 0)
        warn_brief(f);
    if (f->long_cells > 0)
        warn_long(f);
}

void announce_campaign(const struct campaign *campaign)
{
    struct estimator estimator;
    if (estimator_open(&estimator, &campaign->policy, NULL, NULL, NULL) != 0)
        return;
    struct announced announced = announce_estimate(
        &estimator, campaign->all.cells, campaign->all.count, NULL);
    announce_warnings(&announced);
    estimator_close(&estimator);
}

/* A list may name a core twice, or fewer than there are workers. */
static int check_shared(const struct cell *cell, const struct topo *topo,
                        const int *processor, struct error *err)
{
    for (int i = 0; i < cell_workers(cell); i++)
        for (int k = 0; k < i; k++) {
            int core = topo_position(topo, processor[i]).core;
            if (cell->smt ? processor[i] == processor[k]
                          : core == topo_position(topo, processor[k]).core)
                return error_set(err, EBUSY,
                                 "bind %s: workers %d and %d share core %d: "
                                 "name a core for each, or give "
                                 "--oversubscribe to continue",
                                 cell->bind, k, i, core);
        }
    return 0;
}

/* Whether processors that are named are there, each for one worker; a warning
 * where workers would get slower cores than they could. */
static int check_places(const struct campaign *campaign,
                        const struct cell *cell, const struct topo *topo,
                        bool *warned, struct error *err)
{
    struct topo_binding binding;
    int workers = cell_workers(cell), slower = 0;
    binding_of_cell(&binding, cell);
    if (binding.bind == TOPO_NONE || binding.bind == TOPO_KIND)
        return 0;
    int *processor = need_zeroed((size_t)workers + 1, sizeof(*processor));
    int code = topo_assign(topo, &binding, 0, workers, 0, processor, err);
    if (code == 0 && binding.bind == TOPO_LIST &&
        !campaign->policy.oversubscribe)
        code = check_shared(cell, topo, processor, err);
    if (code == 0 && !*warned)
        slower = topo_slower(topo, processor, workers);
    free(processor);
    if (slower > 0)
        command_say("warning: bind %s: %d of %d worker%s would get slower "
                    "cores while faster ones are free: --bind fast",
                    cell->bind, slower, workers, text_s(workers));
    *warned = *warned || slower > 0;
    return binding.bind == TOPO_LIST ? code : 0;
}

static int check_cells(const struct campaign *campaign, const struct topo *topo,
                       struct error *err)
{
    bool warned = topo_kinds(topo) == 1;
    int code = 0;
    for (int i = 0; i < campaign->all.count && code == 0; i++) {
        const struct cell *cell = &campaign->all.cells[i];
        int room = cell->smt ? topo_processors(topo) : topo_cores(topo);
        double quota = topo_allowed(topo)->quota;
        if (campaign->policy.oversubscribe)
            room = INT_MAX;
        else if (cell_workers(cell) > quota)
            code = error_prefix(
                err, topo_refuse_quota(cell_workers(cell), quota, err),
                "layout %dx%d", cell->ranks, cell->threads);
        if (code == 0 && cell_workers(cell) > room)
            code = error_set(
                err, EBUSY,
                "layout %dx%d: %d workers cannot share the %d %s of this host: "
                "ask for fewer, give --oversubscribe to continue, or "
                "--launcher to start them on other hosts",
                cell->ranks, cell->threads, cell_workers(cell), room,
                cell->smt ? "hardware threads" : "cores");
        if (code == 0)
            code = check_places(campaign, cell, topo, &warned, err);
    }
    return code;
}

int crowd_check(const struct campaign *campaign, const char *launcher,
                struct error *err)
{
    struct topo *topo;
    if (!launcher_is_local(launcher))
        return 0;
    int code = topo_open(&topo, err);
    if (code != 0)
        return code;
    code = check_cells(campaign, topo, err);
    topo_close(topo);
    return code;
}
