#include "harness/measure/measure_internal.h"

#include "base/stats.h"
#include "harness/measure/fitted_line.h"
#include "harness/messages/input.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STORE = 1 << 26,
    UNIT = 1 << 12, /* messages are multiples of it */
    UNITS = STORE / UNIT,
    SAMPLES = 15,
    DATA = 1,
    EMPTY = CALIBRATION_SIZES, /* after the sizes */
};

/* Units of the messages: 4 KiB, ..., 16 MiB. */
static const int sizes[CALIBRATION_SIZES] = {1, 4, 16, 64, 256, 1024, 4096};

struct transfer {
    struct crew *crew;
    const struct comm *comm;
    struct mailbox box;
    int64_t before[UNITS + 1];
    char *memory;
    struct input input;
    struct port port;
    struct landing landing;
    int64_t at; /* the next part of the store */
    int to;     /* the rank that is sent to */
};

int input_cost_count(const struct crew *crew)
{
    return crew->context->comm.ranks - 1;
}

/* ---- one message ---- */

/* One message of this many units, when its receiver is ready for it. */
static double one_way(struct transfer *t, int units)
{
    bool receives = t->comm->rank == t->to;
    double took = 0;
    port_reset(&t->port);
    if (receives)
        landing_post(&t->landing);
    if (t->crew->crowded)
        comm_quiet_barrier(t->comm);
    else
        comm_sharp_barrier(t->comm);
    if (t->comm->rank == 0) {
        if (t->at + units > UNITS)
            t->at = 0;
        const struct port_message message = {t->to, DATA, t->at, units};
        t->at += units;
        took = port_time(&t->port, &message, &t->crew->patience);
    } else if (receives) {
        landing_take(&t->landing, (int64_t)units * UNIT, &t->crew->patience,
                     NULL);
        landing_answer(&t->landing, &t->crew->patience);
    }
    return took;
}

/* ---- all measurements ---- */

static void conclude_transfer(double (*sample)[SAMPLES],
                              struct calibration_transfer *transfer)
{
    struct fit line = {0, 0, 0};
    double back = stats_median(sample[EMPTY], SAMPLES).median / 2;
    double bytes[CALIBRATION_SIZES], one_way_s[CALIBRATION_SIZES];
    for (int i = 0; i < CALIBRATION_SIZES; i++) {
        double median = stats_median(sample[i], SAMPLES).median;
        bytes[i] = (double)sizes[i] * UNIT;
        /* Never less than the one-way time of an empty message. */
        one_way_s[i] = fmax(median - back, back);
        transfer->size[i] = (struct calibration_size){bytes[i], one_way_s[i]};
    }
    line_fit(bytes, one_way_s, CALIBRATION_SIZES, &line);
    transfer->g = line.start;
    transfer->G = line.slope;
    transfer->r2 = line.r2;
}

static void measure_rank(struct transfer *t, int rank,
                         struct calibration_transfer *transfer)
{
    double sample[CALIBRATION_SIZES + 1][SAMPLES];
    t->to = rank;
    /* The first of each warms up. */
    for (int i = 0; i <= EMPTY; i++)
        for (int s = -1; s < SAMPLES; s++) {
            double took = one_way(t, i == EMPTY ? 0 : sizes[i]);
            if (s >= 0)
                sample[i][s] = took;
        }
    transfer->worker = rank;
    conclude_transfer(sample, transfer);
}

static void bind_body(int thread, void *arg)
{
    crew_bind(arg, thread);
}

static void open_memory(struct transfer *t)
{
    for (int64_t i = 0; i <= UNITS; i++)
        t->before[i] = i * UNIT;
    t->memory = need_zeroed(1, STORE);
    memset(t->memory, 1, STORE);
    t->input = (struct input){.before = t->before,
                              .iterations = UNITS,
                              .store = t->memory,
                              .landing = t->memory,
                              .stride = STORE};
    const struct mailbox_setup box = {.comm = t->comm};
    if (mailbox_open(&t->box, &box) != 0 ||
        port_open(&t->port, &t->box, &t->input, 1) != 0 ||
        landing_open(&t->landing, t->comm, &t->input, 0, DATA, 1) != 0)
        need_failed();
}

void input_cost_measure(struct crew *crew, struct calibration_kind *kind)
{
    const struct comm *comm = &crew->context->comm;
    if (comm->ranks == 1)
        return;
    struct transfer *t = need_zeroed(1, sizeof(*t));
    t->crew = crew;
    t->comm = comm;
    open_memory(t);
    engine_team_run(crew->context->team, bind_body, crew);
    for (int r = 1; r < comm->ranks; r++)
        measure_rank(t, r, &kind->transfer[r - 1]);
    landing_close(&t->landing);
    port_close(&t->port);
    mailbox_close(&t->box);
    free(t->memory);
    free(t);
}
