/* contract CASE [ARGUMENT]: what dls_mpi.h promises, one case at a time. Prints
 * `good` in rank 0, and what was wrong elsewhere. */
#include "ranks.h"

#include <errno.h>

static int rank, ranks;

static bool check(bool good, const char *what)
{
    if (!good)
        printf("rank %d: not so: %s\n", rank, what);
    return good;
}

static bool says(const dls_loop *loop, const char *words)
{
    bool there = strstr(dls_error(loop), words) != NULL;
    if (!there)
        printf("rank %d: %s\n", rank, dls_error(loop));
    return there;
}

static int open_loop(struct counted *counted, const char *scheme,
                     const char *text)
{
    const dls_options options = {.size = sizeof(options), .text = text};
    counted->comm = MPI_COMM_WORLD;
    prepare(counted);
    return dls_mpi_open(&counted->loop, MPI_COMM_WORLD, scheme,
                        counted->iterations, counted->threads, &options, NULL);
}

/* ---- arguments ---- */

static bool differing(const char *text)
{
    struct counted counted = {.iterations = 100, .threads = 1};
    (void)text;
    int code = open_loop(&counted, rank == 1 ? "gss" : "tss", NULL);
    bool good = check(code == -EINVAL, "different schemes are refused") &&
                says(counted.loop, "different schemes");
    dls_close(counted.loop, NULL);
    counted.iterations = 100 + rank;
    code = open_loop(&counted, "gss", NULL);
    good = check(code == -EINVAL, "different iterations are refused") &&
           says(counted.loop, "numbers of iterations") && good;
    dls_close(counted.loop, NULL);
    counted.iterations = 100;
    code = open_loop(&counted, "gss", rank == 1 ? "min-chunk=2" : NULL);
    good = check(code == -EINVAL, "different options are refused") &&
           says(counted.loop, "options.text") && good;
    dls_close(counted.loop, NULL);
    code = open_loop(&counted, rank == 1 ? "gsss" : "gss", NULL);
    good = check(code == -EINVAL, "all have the code of one") &&
           says(counted.loop, "did you mean 'gss'?") && good;
    dls_close(counted.loop, NULL);
    counted.threads = 0;
    code = open_loop(&counted, "gss", NULL);
    good = check(code == -EINVAL, "no workers at all") && good;
    dls_close(counted.loop, NULL);
    return good;
}

static bool refused(const char *text)
{
    struct counted counted = {.iterations = 100, .threads = 2};
    int code = open_loop(&counted, "awf-b", text);
    if (rank == 0)
        printf("%s\n", dls_error(counted.loop));
    dls_close(counted.loop, NULL);
    return check(code == -ENOTSUP || code == -EINVAL, "it is refused");
}

/* ---- the end ---- */

static bool busy(const char *text)
{
    struct counted counted = {.iterations = 100, .threads = 1};
    int64_t begin, end, left = -1;
    bool good = check(open_loop(&counted, "css:chunk=10", text) == 0, "open");
    good =
        check(dls_next(counted.loop, 0, &begin, &end) == 1, "a chunk") && good;
    meet(counted.loop, true); /* or one takes all before another asks */
    good = check(dls_again(counted.loop, 100) == -EBUSY, "busy") && good;
    good = check(dls_unfinished(counted.loop) == 100, "all are left") && good;
    hit(&counted, begin, end);
    ask_all(&counted);
    good = check(each_ran(&counted, 1), "it went on") && good;
    good = check(dls_again(counted.loop, 100) == 0, "again") && good;
    good =
        check(dls_next(counted.loop, 0, &begin, &end) == 1, "a chunk") && good;
    int code = dls_close(counted.loop, &left);
    return check(code == -EBUSY && left == 100, "closed with all left") && good;
}

/* One rank has ended and waits for the others; their calls are refused until
 * they have ended as well. */
static bool some_busy(const char *text)
{
    struct counted counted = {.iterations = 100, .threads = 1};
    int64_t begin, end;
    bool first = rank + 1 == ranks;
    bool good = check(open_loop(&counted, "css:chunk=4", text) == 0, "open");
    if (first)
        good = check(dls_leave(counted.loop, 0) == 0, "it left") && good;
    else
        good = check(dls_next(counted.loop, 0, &begin, &end) == 1, "a chunk") &&
               good;
    meet(counted.loop, !first); /* or one takes all before another asks */
    if (!first)
        good = check(dls_again(counted.loop, 100) == -EBUSY, "busy") && good;
    if (!first) {
        hit(&counted, begin, end);
        ask_all(&counted);
    }
    good = check(dls_again(counted.loop, 100) == 0, "again") && good;
    good = check(each_ran(&counted, 1), "the others went on") && good;
    ask_all(&counted);
    good = check(each_ran(&counted, 2), "a second time") && good;
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

/* A rank begins anew too early, while others wait for it in dls_next. */
static bool early(const char *text)
{
    struct counted counted = {.iterations = 1000, .threads = 1};
    int64_t begin, end;
    bool good = check(open_loop(&counted, "css:chunk=1", text) == 0, "open");
    if (rank == 1 && dls_next(counted.loop, 0, &begin, &end) == 1) {
        counted.hits[begin]++;
        good = check(dls_again(counted.loop, 1000) == -EBUSY, "busy") && good;
    }
    ask_all(&counted);
    good = check(each_ran(&counted, 1), "it went on") && good;
    /* One rank's number is wrong. */
    good = check(dls_again(counted.loop, rank == 1 ? -5 : 5) == -EINVAL,
                 "no number of iterations") &&
           good;
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

static bool other_number(const char *text)
{
    struct counted counted = {.iterations = 50, .threads = 2};
    bool good = check(open_loop(&counted, "fss", text) == 0, "open");
    free(counted.hits);
    for (int64_t n = 0; n < 200; n += 37) {
        counted.iterations = n;
        prepare(&counted);
        if (n > 0)
            ask_all(&counted);
        free(counted.hits);
        if (n == 0) {
            counted.iterations = 50;
            prepare(&counted);
            ask_all(&counted);
            free(counted.hits);
        }
        good = check(dls_again(counted.loop, n + 37) == 0, "again") && good;
    }
    counted.iterations = 222;
    prepare(&counted);
    ask_all(&counted);
    good = check(each_ran(&counted, 1), "each once") && good;
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

/* ---- leaving ---- */

static bool leave(const char *text)
{
    struct counted counted = {.iterations = 100, .threads = 2};
    bool good = check(open_loop(&counted, "static", text) == 0, "open");
    int64_t begin, end;
    if (rank == 1)
        good = check(dls_leave(counted.loop, 0) == 0, "one leaves") && good;
    MPI_Barrier(MPI_COMM_WORLD);
    struct hand hand = {&counted, 1};
    ask(&hand);
    if (rank == 1)
        good = check(dls_next(counted.loop, 0, &begin, &end) == -ESHUTDOWN,
                     "it asks no more") &&
               good;
    if (rank != 1) {
        hand.worker = 0;
        ask(&hand);
    }
    good = check(each_ran(&counted, 1), "its block was run") && good;
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

/* The last worker of a rank leaves: its block goes to another rank, or it must
 * continue. */
static bool leave_last(const char *text)
{
    struct counted counted = {.iterations = 100, .threads = 1};
    bool good = check(open_loop(&counted, "static", text) == 0, "open");
    int code = rank == 1 ? dls_leave(counted.loop, 0) : 0;
    int all;
    combine(&code, &all, 1, MPI_MIN, MPI_COMM_WORLD);
    if (all == 0 || all == -EBUSY)
        if (rank != 1 || all == -EBUSY)
            ask_all(&counted);
    if (rank == 0)
        printf("%d\n", all);
    good = check(each_ran(&counted, 1), "its block was run") && good;
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

/* A rank closes while the others still work. */
static bool close_early(const char *text)
{
    struct counted counted = {.iterations = 1000, .threads = 1};
    bool good = check(open_loop(&counted, "css:chunk=5", text) == 0, "open");
    int64_t left;
    if (rank != 1)
        ask_all(&counted);
    int code = dls_close(counted.loop, &left);
    return check(code == 0 && left == 0, "the others did it all") && good;
}

/* ---- several loops ---- */

static bool nested(const char *text)
{
    struct counted counted = {.iterations = 60, .threads = 1};
    bool good = check(open_loop(&counted, "css:chunk=3", text) == 0, "open");
    int64_t begin, end, b, e, inner_sum = 0;
    while (dls_next(counted.loop, 0, &begin, &end) == 1) {
        dls_loop *inner;
        dls_mpi_open(&inner, MPI_COMM_SELF, "gss", 70, 1, NULL, NULL);
        while (dls_next(inner, 0, &b, &e) == 1)
            inner_sum += e - b;
        good = check(dls_close(inner, NULL) == 0, "inner closed") && good;
        inner_sum -= 70;
        hit(&counted, begin, end);
    }
    good = check(inner_sum == 0, "inner loops were whole") && good;
    good = check(each_ran(&counted, 1), "each once") && good;
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

static bool two(const char *text)
{
    struct counted one = {.iterations = 500, .threads = 1};
    struct counted other = {.iterations = 300, .threads = 1};
    bool good = check(open_loop(&one, "ss", text) == 0, "open");
    good = check(open_loop(&other, "tss", text) == 0, "open") && good;
    int64_t begin, end;
    int more[2] = {1, 1};
    /* A rank that serves gets its last 0 when the others have asked in that
     * loop: all end the loops in one order. */
    while (more[0] == 1) {
        if ((more[0] = dls_next(one.loop, 0, &begin, &end)) == 1)
            hit(&one, begin, end);
        if (more[0] == 1 && rank == 0) {
            more[1] = dls_poll(other.loop);
            good = check(more[1] == 1, "the other goes on") && good;
        }
    }
    ask_all(&other);
    good = check(each_ran(&one, 1) && each_ran(&other, 1), "each once") && good;
    good = check(dls_close(one.loop, NULL) == 0, "closed") && good;
    return check(dls_close(other.loop, NULL) == 0, "closed") && good;
}

/* ---- masters, threads ---- */

static bool dedicated(const char *text)
{
    struct counted counted = {.iterations = 500, .threads = rank == 0 ? 0 : 2};
    bool good = check(open_loop(&counted, "gss", text) == 0, "open");
    int more = rank == 0;
    while (more == 1)
        more = dls_poll(counted.loop);
    ask_all(&counted);
    good = check(more == 0 && each_ran(&counted, 1), "each once") && good;
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

static bool levels(const char *text)
{
    struct counted counted = {.iterations = 500, .threads = 3};
    int code = open_loop(&counted, "gss", text);
    if (code != 0 && rank == 0)
        printf("%s\n", dls_error(counted.loop));
    if (code == 0)
        ask_all(&counted);
    bool good = code != 0 || check(each_ran(&counted, 1), "each once");
    return check(dls_close(counted.loop, NULL) == 0, "closed") && good;
}

/* The program calls MPI while the loop runs, with its lock. */
static bool mutex(const char *text)
{
    struct counted counted = {
        .iterations = 500, .threads = 3, .comm = MPI_COMM_WORLD};
    dls_options options = {.size = sizeof(options), .text = text};
    dls_mpi_options mpi = {.size = sizeof(mpi)};
    int there;
    bool good = check(dls_mutex_open(&mpi.mutex) == 0, "a lock");
    prepare(&counted);
    int code = dls_mpi_open(&counted.loop, MPI_COMM_WORLD, "ss", 500, 3,
                            &options, &mpi);
    good = check(code == 0, "open") && good;
    struct hand hand[2] = {{&counted, 1}, {&counted, 2}};
    pthread_t thread[2];
    for (int w = 0; w < 2; w++)
        pthread_create(&thread[w], NULL, ask, &hand[w]);
    for (int i = 0; i < 100; i++) {
        dls_mutex_lock(mpi.mutex);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there,
                   MPI_STATUS_IGNORE);
        dls_mutex_unlock(mpi.mutex);
        good = check(!there, "no message of the loop is seen") && good;
    }
    struct hand own = {&counted, 0};
    ask(&own);
    for (int w = 0; w < 2; w++)
        pthread_join(thread[w], NULL);
    good = check(each_ran(&counted, 1), "each once") && good;
    good = check(dls_close(counted.loop, NULL) == 0, "closed") && good;
    dls_mutex_close(mpi.mutex);
    return good;
}

/* ---- MPI fails ---- */

static int sends_left = -1;

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag,
             MPI_Comm comm)
{
    if (sends_left >= 0 && sends_left-- == 0)
        return MPI_ERR_OTHER;
    return PMPI_Send(data, count, type, to, tag, comm);
}

static bool failing(const char *text)
{
    struct counted counted = {.iterations = 1000, .threads = 1};
    bool good = check(open_loop(&counted, "ss", text) == 0, "open");
    if (rank == 1) {
        sends_left = 7;
        ask_all(&counted);
        good = check(counted.code == -EIO, "-EIO") && good;
        good = says(counted.loop, "MPI failed: ") && good;
    }
    fflush(stdout);
    /* Rank 0 waits for the other for ever, as dls_mpi.h says.  It takes no
     * chunks, or the other could be through before its messages fail. */
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, good ? 3 : 4);
    for (;;)
        dls_poll(counted.loop);
    return good;
}

static const struct {
    const char *name;
    bool (*run)(const char *text);
    int level;
} cases[] = {
    {"differing", differing, MPI_THREAD_MULTIPLE},
    {"refused", refused, MPI_THREAD_MULTIPLE},
    {"busy", busy, MPI_THREAD_MULTIPLE},
    {"some_busy", some_busy, MPI_THREAD_MULTIPLE},
    {"early", early, MPI_THREAD_MULTIPLE},
    {"other_number", other_number, MPI_THREAD_MULTIPLE},
    {"leave", leave, MPI_THREAD_MULTIPLE},
    {"leave_last", leave_last, MPI_THREAD_MULTIPLE},
    {"close_early", close_early, MPI_THREAD_MULTIPLE},
    {"nested", nested, MPI_THREAD_MULTIPLE},
    {"two", two, MPI_THREAD_MULTIPLE},
    {"dedicated", dedicated, MPI_THREAD_MULTIPLE},
    {"funneled", levels, MPI_THREAD_FUNNELED},
    {"serialized", levels, MPI_THREAD_SERIALIZED},
    {"mutex", mutex, MPI_THREAD_SERIALIZED},
    {"failing", failing, MPI_THREAD_MULTIPLE},
};

int main(int argc, char **argv)
{
    bool good = false;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int level;
        if (argc < 2 || strcmp(argv[1], cases[i].name) != 0)
            continue;
        MPI_Init_thread(&argc, &argv, cases[i].level, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        good = cases[i].run(argc > 2 ? argv[2] : NULL);
        MPI_Finalize();
    }
    if (good && rank == 0)
        puts("good");
    return !good;
}
