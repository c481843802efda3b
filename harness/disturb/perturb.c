/* The kinds of perturbations, each by itself (harness/disturb/perturb_list.c
 * has several):
 *
 *   delay    of every period P a worker computes for P / factor and then does
 *            nothing, as if its core were taken away: it needs factor times as
 *            long.  Where in the period it begins differs from worker to worker
 *            by the seed.  It begins `at`.
 *   stop     a worker does nothing from `at` on for `seconds`.
 *   gone     a worker neither asks nor answers from `at` on.
 *   network  every link has `latency` times its latency and `bandwidth` times
 *            its bandwidth.
 *
 * Times count from the start of the loop. */
#include "harness/disturb/perturb.h"

#include "base/nearest.h"
#include "base/random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KINDS_MAX = 8 };

static const double TIMES_MAX = 1e9;

#define WORKER_PARAMS                                                          \
    PARAM_WHOLE("worker", NULL, 0, 1 << 24,                                    \
                "the first of them (default: the seed chooses)"),              \
        PARAM_WHOLE("workers", "1", 1, 1 << 24, "how many")
#define SEED_PARAM PARAM_WHOLE("seed", "1", 0, 0x1p53, "of what is random")
#define AT_PARAM PARAM_REAL("at", "0", 0, 1e9, "seconds since the loop's start")

/* ---- delay ---- */

static const struct spec_param delay_params[] = {
    WORKER_PARAMS,
    PARAM_REAL("factor", "2", 1, 1000, "so many times as slow"),
    PARAM_REAL("period", "0.01", 0.001, 1e6,
               "seconds from one delay to the next"),
    SEED_PARAM,
    PARAM_REAL("at", "0", 0, 1e9, "seconds since the loop's start",
               .quiet = true),
    {0},
};

static double delay_free_at(const struct perturb *perturb, double phase_s,
                            double time_s)
{
    double at = fmod(time_s + phase_s, perturb->period_s);
    if (time_s < perturb->at_s || at < perturb->period_s / perturb->factor)
        return time_s;
    return time_s + perturb->period_s - at;
}

static double delay_held_at(const struct perturb *perturb, double phase_s,
                            double time_s)
{
    time_s = fmax(time_s, perturb->at_s);
    double at = fmod(time_s + phase_s, perturb->period_s);
    if (delay_free_at(perturb, phase_s, time_s) > time_s)
        return time_s;
    return perturb->factor > 1
               ? time_s + perturb->period_s / perturb->factor - at
               : INFINITY;
}

static double delay_end(const struct perturb *perturb, double phase_s,
                        double time_s, double work_s, int32_t *times)
{
    double on = perturb->period_s / perturb->factor;
    *times = 0;
    if (time_s + work_s <= perturb->at_s)
        return time_s + work_s;
    work_s -= fmax(0, perturb->at_s - time_s);
    time_s = fmax(time_s, perturb->at_s);
    double from = delay_free_at(perturb, phase_s, time_s);
    double at = fmod(from + phase_s, perturb->period_s);
    /* A held worker begins a new period, independently of rounding. */
    double rest = from > time_s ? on : on - at;
    *times = from > time_s;
    if (work_s <= rest)
        return from + work_s;
    double periods = ceil((work_s - rest) / on);
    if (perturb->factor > 1)
        *times += (int32_t)fmin(periods, TIMES_MAX);
    double last = work_s - rest - (periods - 1) * on;
    double begun = from + rest + (perturb->period_s - on);
    return begun + (periods - 1) * perturb->period_s + last;
}

static const struct perturb_kind delay = {
    .name = "delay",
    .summary = "workers lose their core again and again, factor times as slow",
    .params = delay_params,
    .holds = true,
    .steady = true,
    .free_at = delay_free_at,
    .held_at = delay_held_at,
    .end = delay_end};

/* ---- stop and gone ---- */

static const struct spec_param stop_params[] = {
    WORKER_PARAMS, AT_PARAM, PARAM_REAL("seconds", "1", 0.001, 1e9, "how long"),
    SEED_PARAM,    {0},
};

static const struct spec_param gone_params[] = {
    WORKER_PARAMS,
    AT_PARAM,
    SEED_PARAM,
    {0},
};

static double stop_free_at(const struct perturb *perturb, double phase_s,
                           double time_s)
{
    double back = perturb->at_s + perturb->seconds;
    (void)phase_s;
    return time_s >= perturb->at_s && time_s < back ? back : time_s;
}

static double stop_held_at(const struct perturb *perturb, double phase_s,
                           double time_s)
{
    (void)phase_s;
    return time_s < perturb->at_s ? perturb->at_s : INFINITY;
}

static double stop_end(const struct perturb *perturb, double phase_s,
                       double time_s, double work_s, int32_t *times)
{
    double from = stop_free_at(perturb, phase_s, time_s);
    bool between = from < perturb->at_s && from + work_s > perturb->at_s;
    *times = from > time_s || between;
    return from + work_s + (between ? perturb->seconds : 0);
}

static const struct perturb_kind stop = {
    .name = "stop",
    .summary = "workers stop for a while and go on",
    .params = stop_params,
    .holds = true,
    .free_at = stop_free_at,
    .held_at = stop_held_at,
    .end = stop_end};

static const struct perturb_kind gone = {
    .name = "gone",
    .summary = "workers never come back: they neither ask nor answer",
    .params = gone_params,
    .holds = true,
    .ever = true,
    .free_at = stop_free_at,
    .held_at = stop_held_at,
    .end = stop_end};

/* ---- network ---- */

static const struct spec_param network_params[] = {
    PARAM_REAL("latency", "1", 1e-3, 1e6, "times the latency of every link"),
    PARAM_REAL("bandwidth", "1", 1e-6, 1e3,
               "times the bandwidth of every link"),
    {0},
};

static const struct perturb_kind network = {
    .name = "network",
    .summary = "every link of a simulated platform is slower",
    .params = network_params};

/* ---- all ---- */

const struct perturb_kind *const perturb_kinds[] = {&delay, &stop, &gone,
                                                    &network, NULL};

static int unknown_kind(const char *name, struct error *err)
{
    const char *names[KINDS_MAX] = {"none"};
    for (int i = 0; perturb_kinds[i] != NULL; i++)
        names[i + 1] = perturb_kinds[i]->name;
    return nearest_unknown(err, name, names, "", "perturb: '%s' is unknown",
                           name);
}

/* The value of a key; `none` if the kind lacks the key, or the text does not
 * give it. */
static double real_of(const struct perturb_kind *kind, const struct spec *spec,
                      const char *key, double none)
{
    for (int i = 0; kind->params[i].key != NULL; i++)
        if (strcmp(kind->params[i].key, key) == 0 && spec->value[i].given)
            return spec->value[i].real;
    return none;
}

static void fill_perturb(struct perturb *perturb,
                         const struct perturb_kind *kind,
                         const struct spec *spec)
{
    *perturb = (struct perturb){
        .kind = kind,
        .first = (int)real_of(kind, spec, "worker", -1),
        .workers = (int)real_of(kind, spec, "workers", 0),
        .factor = real_of(kind, spec, "factor", 1),
        .period_s = real_of(kind, spec, "period", 0),
        .at_s = real_of(kind, spec, "at", 0),
        .seconds = real_of(kind, spec, "seconds", INFINITY),
        .latency = real_of(kind, spec, "latency", 1),
        .bandwidth = real_of(kind, spec, "bandwidth", 1),
        .seed = (uint64_t)real_of(kind, spec, "seed", 0),
    };
}

int perturb_parse(const char *text, struct perturb *perturb,
                  char canonical[SPEC_CANONICAL_MAX], struct error *err)
{
    char name[SPEC_NAME_MAX];
    struct spec spec;
    int i = 0;
    int code = spec_name("perturb", text, name, err);
    if (code != 0)
        return code;
    while (perturb_kinds[i] != NULL && strcmp(perturb_kinds[i]->name, name))
        i++;
    if (perturb_kinds[i] == NULL)
        return unknown_kind(name, err);
    code =
        spec_parse("perturb", text, name, perturb_kinds[i]->params, &spec, err);
    if (code != 0)
        return code;
    fill_perturb(perturb, perturb_kinds[i], &spec);
    memcpy(canonical, spec.canonical, sizeof(spec.canonical));
    return 0;
}

/* ---- chance ---- */

/* In [0, 1), of a number and the seed. */
static double draw_chance(const struct perturb *perturb, uint64_t number)
{
    uint64_t state = perturb->seed;
    state = random_next(&state) ^ number;
    return random_real(&state);
}

/* Selection sampling: each of the rest with the chance that makes the number
 * come out (Knuth, volume 2, 3.4.2, algorithm S). */
void perturb_pick(const struct perturb *perturb, int from, int total,
                  uint8_t bit, uint8_t *hit)
{
    bool named = perturb->first >= 0;
    int first = named ? perturb->first : from, need = perturb->workers;
    if (!perturb->kind->holds)
        return;
    for (int w = first; w < total && need > 0; w++) {
        if (!named && (total - w) * draw_chance(perturb, (uint64_t)w) >= need)
            continue;
        hit[w] |= bit;
        need--;
    }
}

double perturb_phase(const struct perturb *perturb, int worker)
{
    return perturb->period_s * draw_chance(perturb, ~(uint64_t)worker);
}
