/* Schemes of programs, in the form of sched_ops. */
#include "dls/dls_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program_scheme {
    struct sched_ops ops; /* first */
    dls_scheme own;
    struct spec_param param[SPEC_VALUES_MAX + 1];
    char fallback[SPEC_VALUES_MAX][32];
    struct program_scheme *before;
};

struct dls_context {
    struct program_scheme *last;
};

static dls_shape public_shape(const struct sched_loop *loop)
{
    return (dls_shape){loop->iterations, loop->workers, loop->power};
}

/* Each process has its own table and functions of a scheme; the state may be in
 * shared memory. */
static const dls_scheme *scheme_of(const struct sched_ops *ops)
{
    return &((const struct program_scheme *)ops)->own;
}

static int own_init(const struct sched_ops *ops, void *state,
                    const struct sched_loop *loop, const struct spec *spec,
                    struct error *err)
{
    dls_shape shape = public_shape(loop);
    double value[SPEC_VALUES_MAX];
    for (int i = 0; i < SPEC_VALUES_MAX; i++)
        value[i] = spec->value[i].real;
    if (scheme_of(ops)->init(state, &shape, value) == 0)
        return 0;
    return error_set(err, EINVAL,
                     "scheme %s: its init refuses a loop of %lld iterations "
                     "and %d workers",
                     spec->canonical, (long long)shape.iterations,
                     shape.workers);
}

static int64_t own_next(const struct sched_ops *ops, void *state, int worker,
                        int64_t remaining)
{
    int64_t size = scheme_of(ops)->next(state, worker, remaining);
    /* The interface has no value for "no chunk": a program may return
     * SCHED_NO_CHUNK only by accident, for instance from 0/0. */
    return size > 0 ? size : 1;
}

static void own_feedback(const struct sched_ops *ops, void *state, int worker,
                         int64_t size, double time)
{
    scheme_of(ops)->feedback(state, worker, size, time);
}

static void own_again(const struct sched_ops *ops, void *state,
                      const struct sched_loop *loop)
{
    dls_shape shape = public_shape(loop);
    scheme_of(ops)->again(state, &shape);
}

static const struct sched_made own_made = {.init = own_init,
                                           .next = own_next,
                                           .feedback = own_feedback,
                                           .again = own_again};

/* In the table they only say that there is one. */
static void has_feedback(void *state, int worker, int64_t size, double time)
{
    (void)state, (void)worker, (void)size, (void)time;
}

static void has_again(void *state, const struct sched_loop *loop)
{
    (void)state, (void)loop;
}

DLS_PUBLIC int dls_context_open(dls_context **context)
{
    if (context == NULL)
        return -EINVAL;
    *context = calloc(1, sizeof(**context));
    return *context != NULL ? 0 : -ENOMEM;
}

DLS_PUBLIC void dls_context_close(dls_context *context)
{
    while (context != NULL && context->last != NULL) {
        struct program_scheme *scheme = context->last;
        context->last = scheme->before;
        free(scheme);
    }
    free(context);
}

static struct program_scheme *find_own(const dls_context *context,
                                       const char *name)
{
    struct program_scheme *scheme = context != NULL ? context->last : NULL;
    while (scheme != NULL && strcmp(scheme->ops.name, name) != 0)
        scheme = scheme->before;
    return scheme;
}

/* -EINVAL: more keys than a spec has room for. */
static int copy_keys(struct program_scheme *scheme, const dls_key *key)
{
    int count = 0;
    while (key != NULL && key[count].name != NULL)
        if (++count > SPEC_VALUES_MAX)
            return -EINVAL;
    for (int i = 0; i < count; i++) {
        snprintf(scheme->fallback[i], sizeof(scheme->fallback[i]), "%.17g",
                 key[i].fallback);
        scheme->param[i] =
            (struct spec_param)PARAM_REAL(key[i].name, scheme->fallback[i],
                                          key[i].min, key[i].max, key[i].help);
    }
    return 0;
}

/* A program that knows fewer members has a scheme with next only. */
static bool read_scheme(const dls_scheme *own, dls_scheme *known)
{
    *known = (dls_scheme){.size = 0};
    if (own == NULL || own->size < offsetof(dls_scheme, feedback) ||
        own->size > 4096 || !copy_sized(own, known, sizeof(*known)))
        return false;
    return known->name != NULL && known->name[0] != '\0' &&
           known->init != NULL && known->next != NULL &&
           known->state_size <= PTRDIFF_MAX / 2;
}

static bool is_built_in(const char *name)
{
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        const char *alias = sched_schemes[i]->alias;
        if (strcmp(sched_schemes[i]->name, name) == 0 ||
            (alias != NULL && strcmp(alias, name) == 0))
            return true;
    }
    return false;
}

DLS_PUBLIC int dls_context_add(dls_context *context, const dls_scheme *given)
{
    dls_scheme own;
    if (context == NULL || !read_scheme(given, &own) ||
        strlen(own.name) >= SPEC_NAME_MAX || strpbrk(own.name, ":,=/#@* \t\n"))
        return -EINVAL;
    if (is_built_in(own.name) || find_own(context, own.name) != NULL)
        return -EEXIST;
    struct program_scheme *scheme = calloc(1, sizeof(*scheme));
    if (scheme == NULL)
        return -ENOMEM;
    scheme->own = own;
    scheme->ops = (struct sched_ops){
        .name = own.name,
        .citation = "the program",
        .summary = "the program's own",
        .params = scheme->param,
        .flags = SCHED_BY_POWER,
        .state_size = (own.state_size + 7) / 8 * 8,
        .feedback = own.feedback != NULL ? has_feedback : NULL,
        .again = own.again != NULL ? has_again : NULL,
        .made = &own_made};
    locale_t before = numbers_as_in_c();
    int code = copy_keys(scheme, own.keys);
    numbers_as_before(before);
    if (code != 0) {
        free(scheme);
        return code;
    }
    scheme->before = context->last;
    context->last = scheme;
    return 0;
}

int own_parse(const void *context, const char *text,
              const struct sched_ops **ops, struct spec *spec,
              struct error *err)
{
    char name[SPEC_NAME_MAX];
    int code = spec_name("scheme", text, name, err);
    if (code != 0)
        return code;
    const struct program_scheme *found = find_own(context, name);
    if (found == NULL)
        return sched_parse(text, ops, spec, err);
    *ops = &found->ops;
    return spec_parse("scheme", text, name, found->param, spec, err);
}
