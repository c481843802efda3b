/* Loops are opened, begun anew and closed here. */
#include "dls/dls_internal.h"

#include "base/cache_line.h"
#include "dls/loop_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 1 << 20 };

DLS_PUBLIC const char *dls_version(void)
{
    return DLS_VERSION;
}

DLS_PUBLIC const char *dls_error(const dls_loop *loop)
{
    return loop != NULL ? loop->error.text : "dls: out of memory";
}

DLS_PUBLIC const char *dls_scheme_of(const dls_loop *loop)
{
    return loop != NULL ? loop->spec.canonical : "";
}

static int out_of_memory(dls_loop *loop)
{
    return error_set(&loop->error, ENOMEM, "dls: out of memory");
}

/* ---- options ---- */

static const struct spec_param option_params[] = {OPTION_PARAMS, {0}};

static int read_text(dls_loop *loop, const char *text,
                     const struct spec_param *params, struct spec *spec)
{
    char whole[SPEC_CANONICAL_MAX];
    if (text == NULL || text[0] == '\0')
        text = "stats=0";
    int length = snprintf(whole, sizeof(whole), "options:%s", text);
    if (length >= (int)sizeof(whole))
        return error_set(&loop->error, EINVAL, "dls: the options are too long");
    int code = spec_parse("dls", whole, "options", params, spec, &loop->error);
    if (code != 0)
        return code;
    loop->min_chunk = spec->value[OPTION_MIN_CHUNK].integer;
    loop->measures = spec->value[OPTION_STATS].integer != 0;
    return 0;
}

static int copy_powers(dls_loop *loop, const double *power)
{
    if (power == NULL)
        return 0;
    loop->power = calloc((size_t)loop->workers, sizeof(*loop->power));
    if (loop->power == NULL)
        return out_of_memory(loop);
    memcpy(loop->power, power, (size_t)loop->workers * sizeof(*power));
    return 0;
}

bool copy_sized(const void *given, void *known, size_t known_size)
{
    const char *bytes = given;
    size_t size;
    memcpy(&size, given, sizeof(size));
    for (size_t i = known_size; i < size; i++)
        if (bytes[i] != 0)
            return false;
    memcpy(known, given, size < known_size ? size : known_size);
    return true;
}

int loop_copy_sized(dls_loop *loop, const void *given, void *known,
                    size_t known_size, const char *type)
{
    size_t size;
    memcpy(&size, given, sizeof(size));
    if (size < sizeof(size) || size > 4096)
        return error_set(&loop->error, EINVAL,
                         "dls: the size of %s is %zu, it must be sizeof(%s), "
                         "here %zu",
                         type, size, type, known_size);
    return copy_sized(given, known, known_size)
               ? 0
               : error_set(&loop->error, EINVAL,
                           "dls: a %s has a field that library %s does not "
                           "know",
                           type, DLS_VERSION);
}

int loop_read_options(dls_loop *loop, const dls_options *options,
                      const struct spec_param *params, dls_options *known,
                      struct spec *text)
{
    *known = (dls_options){0};
    int code = options == NULL ? 0
                               : loop_copy_sized(loop, options, known,
                                                 sizeof(*known), "dls_options");
    return code != 0 ? code : read_text(loop, known->text, params, text);
}

/* ---- a loop that begins ---- */

/* Whether the scheme has a table, or needs its state. */
static int begin_table(dls_loop *loop, const struct sched_loop *shape)
{
    struct error why;
    if (loop->table.steps > 0 && loop->table.iterations == loop->iterations)
        return 0;
    sched_table_free(&loop->table);
    loop->table = (struct sched_table){0};
    int code = sched_table_build(&loop->table, loop->scheme, &loop->spec, shape,
                                 loop->min_chunk, &why);
    if (code == -ENOTSUP || code == -E2BIG)
        return 0;
    return code == 0 ? 0 : error_set(&loop->error, -code, "%s", why.text);
}

static int begin_state(dls_loop *loop, const struct sched_loop *shape)
{
    size_t bytes = sched_bytes(loop->scheme, shape);
    if (loop->prepared && loop->scheme->again != NULL)
        return sched_again(&loop->sched, &loop->spec, shape);
    if (bytes > loop->memory.bytes) {
        free(loop->memory.at);
        loop->memory.bytes = 0;
        loop->memory.at = lines_zeroed(bytes);
        if (loop->memory.at == NULL)
            return out_of_memory(loop);
        loop->memory.bytes = bytes;
    }
    int code = sched_init(&loop->sched, loop->memory.at, loop->scheme,
                          &loop->spec, shape, loop->min_chunk, &loop->error);
    loop->prepared = code == 0;
    return code;
}

static void open_source(dls_loop *loop, int number)
{
    struct dls_worker *worker = &loop->worker[number];
    worker->source = &worker->own.base;
    if (loop->iterations == 0)
        source_none_open(&worker->own.base, number);
    else if (loop->table.steps > 0)
        source_table_open(&worker->own.table, number, &loop->table,
                          loop->counter);
    else
        source_state_open(&worker->own.state, number, &loop->sched, loop->lock,
                          loop->scheme->feedback != NULL, 0);
}

void loop_begin(dls_loop *loop)
{
    loop->opened = engine_moment();
    for (int w = 0; w < loop->workers; w++)
        loop->worker[w] = (struct dls_worker){0};
}

static int begin_loop(dls_loop *loop)
{
    const struct sched_loop shape = {.iterations = loop->iterations,
                                     .workers = loop->workers,
                                     .power = loop->power,
                                     .cost = loop->cost};
    int code = costs_check(loop);
    if (code == 0 && loop->iterations > 0)
        code = begin_table(loop, &shape);
    if (code == 0 && loop->iterations > 0 && loop->table.steps == 0)
        code = begin_state(loop, &shape);
    if (code != 0)
        return code;
    loop_begin(loop);
    atomic_store(&loop->counter->step, loop->table.primed);
    atomic_store(&loop->back->count, 0);
    for (int w = 0; w < loop->workers; w++)
        open_source(loop, w);
    return 0;
}

/* ---- open, again, close ---- */

int loop_allocate(dls_loop *loop)
{
    size_t workers = (size_t)loop->workers;
    loop->worker = lines_zeroed((workers + 1) * sizeof(*loop->worker));
    loop->back = lines_zeroed(source_back_bytes(loop->workers));
    return loop->worker && loop->back ? 0 : out_of_memory(loop);
}

static int allocate_shared(dls_loop *loop)
{
    loop->counter = lines_zeroed(sizeof(*loop->counter));
    loop->lock = lines_zeroed(sizeof(*loop->lock));
    if (!loop->counter || !loop->lock)
        return out_of_memory(loop);
    return loop_allocate(loop);
}

int loop_check(dls_loop *loop, const char *scheme, int64_t iterations,
               int workers, int workers_min)
{
    if (scheme == NULL)
        return error_set(&loop->error, EINVAL, "dls: the scheme is NULL");
    if (iterations < 0)
        return error_set(&loop->error, EINVAL,
                         "dls: %lld iterations, allowed: 0 or more",
                         (long long)iterations);
    if (workers < workers_min || workers > WORKERS_MAX)
        return error_set(&loop->error, EINVAL,
                         "dls: %d workers, allowed: %d to %d", workers,
                         workers_min, WORKERS_MAX);
    if (engine_simulated && workers > 1)
        return error_set(&loop->error, ENOTSUP,
                         "dls: %d workers in a rank under SimGrid, where every "
                         "worker is a rank: start more ranks",
                         workers);
    return 0;
}

static int report_loop(dls_loop *loop, const char *name)
{
    const struct report_form form = {.transport = "shared",
                                     .hierarchy = "flat",
                                     .power = loop->power,
                                     .ranks = 1,
                                     .threads = loop->workers,
                                     .workers = loop->workers};
    int code = report_ask(loop, name != NULL ? name : "loop");
    if (code == 0 && loop->report != NULL)
        code = report_open(loop, &form, true, NULL);
    return code;
}

static int open_loop(dls_loop *loop, const char *scheme, int64_t iterations,
                     int workers, const dls_options *options)
{
    dls_options known;
    struct schedule schedule;
    struct spec text;
    int code = loop_check(loop, scheme, iterations, workers, 1);
    if (code == 0)
        code = loop_read_options(loop, options, option_params, &known, &text);
    if (code == 0)
        code = schedule_resolve(known.name != NULL ? known.name : "loop",
                                scheme, &schedule, &loop->error);
    if (code == 0) {
        code = own_parse(known.context, schedule.scheme, &loop->scheme,
                         &loop->spec, &loop->error);
        if (code != 0 && schedule.from[0] != '\0')
            error_prefix(&loop->error, code, "%s", schedule.from);
    }
    if (code != 0)
        return code;
    loop->workers = workers;
    loop->iterations = iterations;
    code = copy_powers(loop, known.power);
    if (code == 0)
        code = costs_copy(loop, known.costs, iterations, false);
    if (code == 0)
        code = allocate_shared(loop);
    if (code == 0)
        code = report_loop(loop, known.name);
    return code != 0 ? code : begin_loop(loop);
}

void loop_drop(dls_loop *loop)
{
    sched_table_free(&loop->table);
    free(loop->memory.at);
    free(loop->power);
    free(loop->cost);
    free(loop->worker);
    free(loop->counter);
    free(loop->lock);
    free(loop->back);
    report_free(loop->report);
}

int loop_fail(dls_loop *loop, int code)
{
    struct error error = loop->error;
    loop_drop(loop);
    *loop = (dls_loop){.error = error, .code = code};
    return code;
}

locale_t numbers_as_in_c(void)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return c != (locale_t)0 ? uselocale(c) : (locale_t)0;
}

void numbers_as_before(locale_t before)
{
    if (before != (locale_t)0)
        freelocale(uselocale(before));
}

DLS_PUBLIC int dls_open(dls_loop **out, const char *scheme, int64_t iterations,
                        int workers, const dls_options *options)
{
    if (out == NULL)
        return -EINVAL;
    dls_loop *loop = *out = lines_zeroed(sizeof(*loop));
    if (loop == NULL)
        return -ENOMEM;
    locale_t before = numbers_as_in_c();
    int code = open_loop(loop, scheme, iterations, workers, options);
    numbers_as_before(before);
    return code != 0 ? loop_fail(loop, code) : 0;
}

int loop_refuse_unfinished(dls_loop *loop, int64_t left)
{
    return error_set(&loop->error, EBUSY,
                     "dls: %lld of %lld iterations were not run",
                     (long long)left, (long long)loop->iterations);
}

DLS_PUBLIC int dls_again(dls_loop *loop, int64_t iterations)
{
    if (loop == NULL)
        return -EINVAL;
    if (loop->code != 0)
        return loop->code;
    if (loop->over != NULL)
        return loop->over->again(loop, iterations);
    if (iterations < 0)
        return loop_check(loop, "", iterations, loop->workers, 0);
    int64_t left = dls_unfinished(loop);
    if (left > 0)
        return loop_refuse_unfinished(loop, left);
    int code = report_step(loop);
    if (code != 0)
        return code;
    loop->iterations = iterations;
    code = begin_loop(loop);
    return code != 0 ? loop_fail(loop, code) : 0;
}

DLS_PUBLIC int dls_close(dls_loop *loop, int64_t *unfinished)
{
    if (loop != NULL && loop->over != NULL)
        return loop->over->close(loop, unfinished);
    int64_t left = loop != NULL ? dls_unfinished(loop) : 0;
    int code = loop != NULL && loop->code == 0 ? report_last(loop) : 0;
    if (loop != NULL)
        loop_drop(loop);
    free(loop);
    if (unfinished != NULL)
        *unfinished = left;
    return left > 0 ? -EBUSY : code;
}
