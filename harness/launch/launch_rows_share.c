#include "harness/launch/launch_rows.h"

#include "harness/record/fields.h"

#include <math.h>

#define PASS(member) RECORD_AT(struct loop_pass, member)
static const struct record_field pass_fields[] = {
    {"serial_s", RECORD_TIME, PASS(took_s)},
    {"serial_others", RECORD_TIME, PASS(others)},
    {.name = NULL}};

static const struct record_field known_fields[] = {
    {"serial_s", RECORD_TIME, RECORD_AT(struct loop, serial_s)},
    {.name = NULL}};

/* Natively the latest pass; a simulation knows the time without one. */
void rows_add_serial(json_t *row, const struct loop *loop)
{
    int passes = loop->serial.passes;
    if (engine_simulated) {
        record_put(row, loop, known_fields);
        return;
    }
    record_put(row, passes > 0 ? &loop->serial.last : NULL, pass_fields);
    json_object_set_new(row, "serial_pass",
                        passes > 0 ? json_integer(passes) : json_null());
}

struct others {
    double share, max_s;
};

#define OTHERS(member) RECORD_AT(struct others, member)
static const struct record_field others_fields[] = {
    {"others", RECORD_KNOWN, OTHERS(share)},
    {"others_max_s", RECORD_KNOWN, OTHERS(max_s)},
    {.name = NULL}};

/* Where threads of the launch share cores, others are its own, too. */
void rows_add_others(json_t *row, const struct run *run,
                     const struct run_result *result)
{
    double others_s = 0, span_s = 0;
    struct others others = {NAN, 0};
    for (int w = 0; w < run_workers(run); w++) {
        const struct engine_share *share = &result->workers[w].share;
        others_s += share->others_s;
        span_s += share->span_s;
        others.max_s = fmax(others.max_s, share->others_s);
    }
    others.share = others_s / span_s;
    bool known = !run_oversubscribed(run) && run_shared_masters(run) == 0 &&
                 !isnan(others.share);
    if (!engine_simulated)
        record_put(row, known ? &others : NULL, others_fields);
}

#define SHARE(member) RECORD_AT(struct engine_share, member)
static const struct record_field share_fields[] = {
    {"span_s", RECORD_KNOWN, SHARE(span_s)},
    {"cpu_s", RECORD_KNOWN, SHARE(cpu_s)},
    {"others_s", RECORD_KNOWN, SHARE(others_s)},
    {"displaced", RECORD_LONG, SHARE(displaced)},
    {.name = NULL}};

void rows_add_share(json_t *row, const struct engine_share *share)
{
    if (!engine_simulated)
        record_put(row, share, share_fields);
}
