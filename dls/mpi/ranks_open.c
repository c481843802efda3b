/* Loops over ranks are opened here: arguments are checked in every rank and
 * compared between them. */
#include "dls/mpi/ranks_internal.h"

#include "base/cache_line.h"
#include "dls/loop_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the program's MPI ---- */

/* Handles have different sizes in these families; others are MPICH's. */
enum family { FAMILY_MPICH, FAMILY_OPENMPI, FAMILY_SMPI };
static const char *const family_library[] = {"mpich", "openmpi", "smpi"};
#if defined(OPEN_MPI)
static const enum family family = FAMILY_OPENMPI;
#elif defined(SMPI_H)
static const enum family family = FAMILY_SMPI;
#else
static const enum family family = FAMILY_MPICH;
#endif

static int check_family(struct error *err)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n\t")] = '\0';
    enum family runs = strstr(version, "Open MPI") != NULL ? FAMILY_OPENMPI
                       : strstr(version, "SMPI") != NULL   ? FAMILY_SMPI
                                                           : FAMILY_MPICH;
    if (runs == family)
        return 0;
    return error_set(err, EINVAL,
                     "dls: the program runs with %.200s: link it with -ldls-%s",
                     version, family_library[runs]);
}

static int check_mpi(struct error *err)
{
    int begun, over;
    int code = check_family(err);
    if (code != 0)
        return code;
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    return begun && !over
               ? 0
               : error_set(err, EINVAL,
                           "dls: a loop over ranks needs MPI, which "
                           "%s",
                           over ? "was finalized" : "was not initialized");
}

/* ---- arguments ---- */

static int read_scheme(struct ranks *ranks, const dls_options *options,
                       const char *scheme)
{
    const char *name = options->name;
    dls_loop *loop = &ranks->loop;
    struct schedule schedule;
    int code = schedule_resolve(name != NULL ? name : "loop", scheme, &schedule,
                                &loop->error);
    if (code != 0)
        return code;
    code = sched_pair_parse_by(own_parse, options->context, schedule.scheme,
                               &ranks->pair, &loop->error);
    if (code != 0 && schedule.from[0] != '\0')
        return error_prefix(&loop->error, code, "%s", schedule.from);
    loop->scheme = ranks->pair.outer;
    loop->spec = ranks->pair.outer_spec;
    strcpy(loop->spec.canonical, ranks->pair.canonical);
    return code;
}

static int read_options(struct ranks *ranks, const dls_mpi_options *options)
{
    dls_mpi_options known = {0};
    if (options == NULL)
        return 0;
    int code = loop_copy_sized(&ranks->loop, options, &known, sizeof(known),
                               "dls_mpi_options");
    ranks->mutex = known.mutex;
    return code != 0 ? code : data_read(ranks, &known);
}

/* All ranks have the costs, as all have the scheme. */
static int read_costs(struct ranks *ranks, const double *costs)
{
    dls_loop *loop = &ranks->loop;
    const struct sched_pair *pair = &ranks->pair;
    if (pair->inner != NULL &&
        (sched_flags(pair->inner, &pair->inner_spec) & SCHED_NEEDS_COST) != 0)
        return error_set(&loop->error, ENOTSUP,
                         "dls: scheme %s: the second of two schemes cannot "
                         "count with costs",
                         pair->canonical);
    if (ranks_is_charged(ranks) && costs == NULL)
        return error_set(&loop->error, EINVAL,
                         "dls: charge=costs needs options.costs");
    int code = costs_copy(loop, costs, loop->iterations,
                          engine_simulated && ranks_is_charged(ranks));
    return code != 0 ? code : costs_check(loop);
}

/* The arguments of this rank. */
struct passed {
    const char *scheme;
    int64_t iterations;
    int workers;
    const dls_options *options;
    const dls_mpi_options *mpi;
};

/* Worker numbers are also message tags, and MPI guarantees only 32768. */
enum { RANK_WORKERS_MAX = 16384 };

static int read_arguments(struct ranks *ranks, const struct passed *passed,
                          dls_options *known)
{
    dls_loop *loop = &ranks->loop;
    int code = loop_check(loop, passed->scheme, passed->iterations,
                          passed->workers, 0);
    if (code == 0)
        code = loop_read_options(loop, passed->options, ranks_option_params,
                                 known, &ranks->text);
    if (code == 0)
        code = read_scheme(ranks, known, passed->scheme);
    if (code != 0)
        return code;
    if (passed->workers > RANK_WORKERS_MAX)
        return error_set(&loop->error, EINVAL,
                         "dls: %d workers in a rank, at most %d are possible",
                         passed->workers, RANK_WORKERS_MAX);
    loop->workers = passed->workers;
    loop->iterations = loop->unfinished = passed->iterations;
    code = read_options(ranks, passed->mpi);
    return code != 0 ? code : read_costs(ranks, known->costs);
}

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

static uint64_t hash_of_costs(const dls_loop *loop)
{
    uint64_t hash = 0, bits;
    for (int64_t i = 0; loop->cost != NULL && i <= loop->cost_count; i++) {
        memcpy(&bits, &loop->cost[i], sizeof(bits));
        hash = (hash ^ bits) * 0x100000001b3;
    }
    return hash;
}

/* Compares one number for each argument, texts by their hash.  `words` has the
 * same order; its NULL stands for no difference. */
static int compare_arguments(struct ranks *ranks, const dls_options *known)
{
    static const char *const words[] = {"schemes (DLS_SCHEDULE included)",
                                        "numbers of iterations",
                                        "options.text",
                                        "options.power, in some only",
                                        "options.costs",
                                        "input or output (bytes)",
                                        "DLS_REPORT, in some only",
                                        NULL};
    const uint64_t values[] = {hash_of(ranks->pair.canonical),
                               (uint64_t)ranks->loop.iterations,
                               hash_of(ranks->text.canonical),
                               known->power != NULL,
                               hash_of_costs(&ranks->loop),
                               data_form(ranks),
                               report_is_asked()};
    int at = comm_differing(&ranks->comm, values, 7);
    if (comm_failed(&ranks->comm))
        return comm_failure(&ranks->comm, &ranks->loop.error);
    return words[at] == NULL
               ? 0
               : error_set(&ranks->loop.error, EINVAL,
                           "dls: the ranks pass different %s", words[at]);
}

/* ---- what all ranks have to know ---- */

static int make_room(struct ranks *ranks)
{
    size_t n = (size_t)ranks->comm.ranks;
    ranks->count = calloc(n, sizeof(*ranks->count));
    ranks->ended = calloc((size_t)ranks->loop.workers + 1, sizeof(bool));
    ranks->data.worker = lines_zeroed(((size_t)ranks->loop.workers + 1) *
                                      sizeof(*ranks->data.worker));
    if (!ranks->count || !ranks->ended || !ranks->data.worker)
        return error_set(&ranks->loop.error, ENOMEM, "dls: out of memory");
    return loop_allocate(&ranks->loop);
}

/* Ranks may have different numbers of workers, also 0.  Each rank passes the
 * powers of its own workers only; here all get those of all. */
static int share_workers(struct ranks *ranks, const double *power)
{
    const struct comm *comm = &ranks->comm;
    uint64_t *each = calloc((size_t)comm->ranks, sizeof(*each));
    int64_t total = 0;
    int code = each != NULL ? 0
                            : error_set(&ranks->loop.error, ENOMEM,
                                        "dls: out of memory");
    code = comm_agree(comm, code, &ranks->loop.error);
    if (code == 0)
        comm_share_u64(comm, (uint64_t)ranks->loop.workers, each);
    for (int r = 0; code == 0 && r < comm->ranks; r++) {
        ranks->count[r] = (int)each[r];
        total += ranks->count[r];
    }
    free(each);
    if (code != 0)
        return code;
    if (total < 1 || total > INT32_MAX / 2)
        return error_set(&ranks->loop.error, EINVAL,
                         "dls: %lld workers in all ranks together, it must be "
                         "1 at least",
                         (long long)total);
    if (power == NULL)
        return 0;
    ranks->power = calloc((size_t)total, sizeof(*ranks->power));
    code = ranks->power != NULL
               ? 0
               : error_set(&ranks->loop.error, ENOMEM, "dls: out of memory");
    code = comm_agree(comm, code, &ranks->loop.error);
    if (code == 0)
        comm_share_f64(comm, power, ranks->count, ranks->power);
    return code;
}

/* All ranks agree after each step.  Otherwise a rank with an error would leave
 * the others waiting in the next collective call. */
static int open_agreed(struct ranks *ranks, const struct passed *passed)
{
    const struct comm *comm = &ranks->comm;
    struct error *err = &ranks->loop.error;
    dls_options known;
    /* Simulated ranks share a thread, and so its locale: restore it before any
     * of them waits for another. */
    locale_t before = numbers_as_in_c();
    int code = read_arguments(ranks, passed, &known);
    numbers_as_before(before);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = compare_arguments(ranks, &known);
    if (code == 0)
        code = comm_agree(comm, make_room(ranks), err);
    if (code == 0)
        code = share_workers(ranks, known.power);
    if (code == 0)
        code = ranks_choose(ranks);
    if (code == 0)
        code = ranks_report_open(ranks, known.name);
    if (code == 0)
        code = ranks_begin(ranks, false);
    return code;
}

/* ---- open ---- */

/* Ranks without memory for a handle take part until all know. */
static int open_on(struct ranks *ranks, MPI_Comm from,
                   const struct passed *passed, struct error *err)
{
    struct comm comm;
    int code = comm_adopt(&comm, from, err);
    if (code == 0 && ranks == NULL)
        code = error_set(err, ENOMEM, "dls: out of memory");
    if (code != -EIO)
        code = comm_agree(&comm, code, err);
    if (ranks == NULL || code != 0) {
        comm_release(&comm);
        return code;
    }
    ranks->comm = comm;
    ranks->data.window = MPI_WIN_NULL;
    ranks->meeting.comm = MPI_COMM_NULL;
    ranks_set_patience(ranks, comm.host_ranks);
    code = open_agreed(ranks, passed);
    if (code != 0)
        ranks_release(ranks);
    return code;
}

DLS_PUBLIC int dls_mpi_open(dls_loop **out, MPI_Comm comm, const char *scheme,
                            int64_t iterations, int workers,
                            const dls_options *options,
                            const dls_mpi_options *mpi)
{
    struct error err = {.text = ""};
    const struct passed passed = {scheme, iterations, workers, options, mpi};
    if (out == NULL)
        return -EINVAL;
    struct ranks *ranks = lines_zeroed(sizeof(*ranks));
    *out = ranks != NULL ? &ranks->loop : NULL;
    int code = check_mpi(&err);
    if (code == 0 && comm == MPI_COMM_NULL)
        code = error_set(&err, EINVAL,
                         "dls: the communicator is "
                         "MPI_COMM_NULL");
    if (code == 0)
        code = open_on(ranks, comm, &passed, ranks ? &ranks->loop.error : &err);
    else if (ranks != NULL)
        ranks->loop.error = err;
    if (ranks == NULL)
        return code;
    if (code != 0)
        return loop_fail(&ranks->loop, code);
    ranks->loop.over = &ranks_over;
    ranks_watch(ranks);
    return 0;
}

DLS_PUBLIC int dls_mpi_open_f(dls_loop **out, MPI_Fint comm, const char *scheme,
                              int64_t iterations, int workers,
                              const dls_options *options,
                              const dls_mpi_options *mpi)
{
    return dls_mpi_open(out, MPI_Comm_f2c(comm), scheme, iterations, workers,
                        options, mpi);
}

/* ---- the lock ---- */

DLS_PUBLIC int dls_mutex_open(dls_mutex **mutex)
{
    if (mutex == NULL)
        return -EINVAL;
    *mutex = lines_zeroed(sizeof(**mutex));
    return *mutex != NULL ? 0 : -ENOMEM;
}

DLS_PUBLIC void dls_mutex_lock(dls_mutex *mutex)
{
    if (mutex != NULL)
        engine_lock(&mutex->lock);
}

DLS_PUBLIC void dls_mutex_unlock(dls_mutex *mutex)
{
    if (mutex != NULL)
        engine_unlock(&mutex->lock);
}

DLS_PUBLIC void dls_mutex_close(dls_mutex *mutex)
{
    free(mutex);
}
