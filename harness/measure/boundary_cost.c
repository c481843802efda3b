/* From core to core: a row goes back and forth between two workers. */
#include "harness/measure/measure_internal.h"

#include "base/stats.h"
#include "harness/measure/fitted_line.h"
#include "harness/process/need.h"
#include "harness/protocol/pipeline/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS_MAX = 63,
    SAMPLES = 15,
    LINE = 64,           /* bytes of a cache line */
    ROW_BYTES = 1 << 17, /* stays in the second-level cache */
    TRIPS_MIN = 16,
    TRIPS_MAX = 256,
};

/* Sizes of boundaries: from one column to a thousand of them. */
static const int sizes[CALIBRATION_SIZES] = {8,    256,  512, 1024,
                                             2048, 4096, 8192};

/* One worker in a round. */
struct paired {
    int partner;      /* -1: none */
    int pair;         /* in kind->pair */
    bool first;       /* serves */
    int64_t out, in;  /* edges */
    double one_way_s; /* of the last set */
    uint64_t read;    /* the read data, so that the reading is kept */
};

struct exchange {
    struct crew *crew;
    struct links links;
    char *rows; /* one for each edge */
    int bytes, trips;
    struct paired *each;                          /* by worker here */
    double (*sample)[CALIBRATION_SIZES][SAMPLES]; /* by worker here */
};

/* ---- the tournament ---- */

static int make_even(int workers)
{
    return workers + workers % 2;
}

int boundary_rounds(int workers)
{
    int all = make_even(workers) - 1;
    if (workers < 2)
        return 0;
    return all < ROUNDS_MAX ? all : ROUNDS_MAX;
}

/* The circle method: the last player stays, the others go round. */
bool boundary_match(int workers, int round, int match, int pair[2])
{
    int n = make_even(workers), turn;
    if (workers < 2)
        return false;
    turn = (int)((int64_t)round * (n - 1) / boundary_rounds(workers));
    int a = match == 0 ? n - 1 : (turn + match) % (n - 1);
    int b = match == 0 ? turn : (turn - match + n - 1) % (n - 1);
    pair[0] = a < b ? a : b;
    pair[1] = a < b ? b : a;
    return pair[1] < workers;
}

int boundary_pairs(int workers)
{
    int count = 0, pair[2];
    for (int r = 0; r < boundary_rounds(workers); r++)
        for (int m = 0; m < make_even(workers) / 2; m++)
            count += boundary_match(workers, r, m, pair);
    return count;
}

/* Seats this rank's workers; `pairs` counts those of the rounds before. */
static int pair_up(struct exchange *x, int round, int pairs,
                   struct calibration_kind *kind)
{
    const struct crew *crew = x->crew;
    for (int t = 0; t < crew->context->threads; t++)
        x->each[t] = (struct paired){.partner = -1};
    for (int m = 0; m < make_even(crew->workers) / 2; m++) {
        int pair[2];
        if (!boundary_match(crew->workers, round, m, pair))
            continue;
        for (int side = 0; side < 2; side++) {
            int t = pair[side] - crew->first;
            if (t >= 0 && t < crew->context->threads)
                x->each[t] = (struct paired){.partner = pair[1 - side],
                                             .pair = pairs,
                                             .first = side == 0,
                                             .out = 1 + 2 * m + side,
                                             .in = 2 + 2 * m - side};
        }
        memcpy(kind->pair[pairs++].worker, pair, sizeof(pair));
    }
    return pairs;
}

/* ---- a set of round trips ---- */

static char *row_of(const struct exchange *x, int64_t edge)
{
    return x->rows + (size_t)edge * ROW_BYTES * 2;
}

static void send_boundary(struct exchange *x, struct paired *one, int trip)
{
    memset(row_of(x, one->out) + (size_t)trip * (size_t)x->bytes, trip,
           (size_t)x->bytes);
    links_advance(&x->links, one->out, LINK_DOWN,
                  (int64_t)(trip + 1) * x->bytes, row_of(x, one->out));
}

static void receive_boundary(struct exchange *x, struct paired *one, int trip)
{
    int64_t need = (int64_t)(trip + 1) * x->bytes;
    if (links_complete(&x->links, one->in, LINK_DOWN) < need)
        links_wait(&x->links, one->in, LINK_DOWN, need, row_of(x, one->in));
    const char *piece = row_of(x, one->in) + (size_t)trip * (size_t)x->bytes;
    for (int i = 0; i < x->bytes; i += LINE)
        one->read += (uint64_t)piece[i];
}

static void set_body(int thread, void *arg)
{
    struct exchange *x = arg;
    struct paired *one = &x->each[thread];
    crew_bind(x->crew, thread);
    if (thread == 0)
        links_reset(&x->links);
    crew_start(x->crew, thread);
    if (one->partner >= 0) {
        links_register(&x->links, one->out, LINK_PREDECESSOR);
        links_register(&x->links, one->in, LINK_SUCCESSOR);
        double start = engine_now();
        for (int trip = 0; trip < x->trips; trip++) {
            if (one->first)
                send_boundary(x, one, trip);
            receive_boundary(x, one, trip);
            if (!one->first)
                send_boundary(x, one, trip);
        }
        one->one_way_s = (engine_now() - start) / x->trips / 2;
    }
    crew_meet(x->crew);
    if (thread == 0)
        links_finish(&x->links, NULL);
}

/* ---- all measurements ---- */

static int measure_size(struct exchange *x, int size, struct error *err)
{
    const struct comm *comm = &x->crew->context->comm;
    int threads = x->crew->context->threads;
    x->bytes = sizes[size];
    x->trips = ROW_BYTES / x->bytes;
    x->trips = x->trips < TRIPS_MIN   ? TRIPS_MIN
               : x->trips > TRIPS_MAX ? TRIPS_MAX
                                      : x->trips;
    int code = links_open(&x->links, comm, make_even(x->crew->workers) + 1,
                          (int64_t)x->trips * x->bytes, 1, 1, err);
    x->links.patience = x->crew->patience;
    if (code != 0)
        return code;
    /* The first set warms up. */
    for (int s = -1; s < SAMPLES; s++) {
        comm_quiet_barrier(comm);
        engine_team_run(x->crew->context->team, set_body, x);
        for (int t = 0; s >= 0 && t < threads; t++)
            x->sample[t][size][s] = x->each[t].one_way_s;
    }
    links_close(&x->links);
    return 0;
}

/* The results of the first worker of a pair. */
static void conclude_pair(struct exchange *x, int thread,
                          struct calibration_pair *pair)
{
    struct fit line = {0, 0, 0};
    double bytes[CALIBRATION_SIZES], one_way_s[CALIBRATION_SIZES];
    for (int i = 0; i < CALIBRATION_SIZES; i++) {
        bytes[i] = sizes[i];
        one_way_s[i] = stats_median(x->sample[thread][i], SAMPLES).median;
        pair->size[i] = (struct calibration_size){bytes[i], one_way_s[i]};
    }
    line_fit(bytes, one_way_s, CALIBRATION_SIZES, &line);
    pair->c_d = line.start;
    pair->c_c = line.slope;
    pair->r2 = line.r2;
}

static int measure_round(struct exchange *x, int round, int *pairs,
                         struct calibration_kind *kind, struct error *err)
{
    int code = 0;
    *pairs = pair_up(x, round, *pairs, kind);
    for (int size = 0; code == 0 && size < CALIBRATION_SIZES; size++)
        code = measure_size(x, size, err);
    for (int t = 0; code == 0 && t < x->crew->context->threads; t++)
        if (x->each[t].partner >= 0 && x->each[t].first)
            conclude_pair(x, t, &kind->pair[x->each[t].pair]);
    return code;
}

/* Each rank has the pairs whose first worker it has; rank 0 collects them
 * all. */
static void gather_pairs(const struct exchange *x,
                         struct calibration_kind *kind)
{
    const struct comm *comm = &x->crew->context->comm;
    void *all = NULL;
    size_t bytes;
    int own = 0;
    struct calibration_pair *mine =
        need_zeroed((size_t)kind->pairs, sizeof(*mine));
    for (int i = 0; i < kind->pairs; i++)
        if (x->crew->tree.worker_rank[kind->pair[i].worker[0]] == comm->rank)
            mine[own++] = kind->pair[i];
    int code =
        comm_gather_any(comm, mine, (size_t)own * sizeof(*mine), &all, &bytes);
    if (code != 0)
        need_failed();
    if (all != NULL)
        memcpy(kind->pair, all, bytes);
    free(all);
    free(mine);
}

int boundary_measure(struct crew *crew, struct calibration_kind *kind,
                     struct error *err)
{
    struct exchange x = {.crew = crew};
    int pairs = 0, code = 0;
    size_t threads = (size_t)x.crew->context->threads;
    size_t edges = (size_t)make_even(x.crew->workers) + 2;
    x.each = need_zeroed(threads, sizeof(*x.each));
    x.sample = need_zeroed(threads, sizeof(*x.sample));
    x.rows = aligned_alloc(4096, edges * ROW_BYTES * 2);
    if (x.rows == NULL)
        need_failed();
    memset(x.rows, 0, edges * ROW_BYTES * 2);
    for (int r = 0; code == 0 && r < boundary_rounds(crew->workers); r++)
        code = measure_round(&x, r, &pairs, kind, err);
    if (code == 0)
        gather_pairs(&x, kind);
    free(x.rows);
    free(x.sample);
    free(x.each);
    return code;
}
