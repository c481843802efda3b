#include "harness/costs/calibration_fields.h"

#include "harness/costs/calibration.h"

#include <math.h>

/* No machine is near these. */
#define SECONDS .most = 1e6
#define POWER .least = 1e-6, .most = 1e6
#define SHARE .least = -INFINITY, .most = 1

#define HEAD(member) RECORD_AT(struct calibration, member)
const struct record_field calibration_head_fields[] = {
    {"host", RECORD_TEXT, HEAD(host)},
    {"processor", RECORD_TEXT, HEAD(processor)},
    {"cpuset", RECORD_TEXT, HEAD(cpuset)},
    {"mpi", RECORD_TEXT, HEAD(mpi)},
    {"version", RECORD_TEXT, HEAD(version)},
    {"started", RECORD_TEXT, HEAD(started)},
    {"took_s", RECORD_REAL, HEAD(took_s), SECONDS},
    {"layout", RECORD_INDEX, HEAD(layout), .later = true},
    {.name = NULL}};

#define WORKER(member) RECORD_AT(struct calibration_worker, member)
const struct record_field calibration_worker_fields[] = {
    {"host", RECORD_TEXT, WORKER(host)},
    {"core", RECORD_INDEX, WORKER(core)},
    {"power", RECORD_REAL, WORKER(power), POWER},
    {.name = NULL}};

#define SIZE(member) RECORD_AT(struct calibration_size, member)
const struct record_field calibration_size_fields[] = {
    {"bytes", RECORD_REAL, SIZE(bytes), .above = true, .most = 1e12},
    {"one_way_s", RECORD_REAL, SIZE(one_way), .above = true, SECONDS},
    {.name = NULL}};

#define PAIR(member) RECORD_AT(struct calibration_pair, member)
const struct record_field calibration_pair_fields[] = {
    {"c_d_s", RECORD_REAL, PAIR(c_d), SECONDS},
    {"c_c_s_per_byte", RECORD_REAL, PAIR(c_c), SECONDS},
    {"r2", RECORD_KNOWN, PAIR(r2), SHARE},
    {.name = NULL}};

#define TRANSFER(member) RECORD_AT(struct calibration_transfer, member)
const struct record_field calibration_transfer_fields[] = {
    {"g_s", RECORD_REAL, TRANSFER(g), SECONDS},
    {"G_s_per_byte", RECORD_REAL, TRANSFER(G), SECONDS},
    {"r2", RECORD_KNOWN, TRANSFER(r2), SHARE},
    {.name = NULL}};

#define COST(member) RECORD_AT(struct calibration_cost, member)
const struct record_field calibration_cost_fields[] = {
    {"c_p_s", RECORD_REAL, COST(c_p), .above = true, SECONDS},
    {"c_b_s_per_row", RECORD_REAL, COST(c_b), SECONDS},
    {"operation_s", RECORD_REAL, COST(operation), SECONDS},
    {"start_s", RECORD_REAL, COST(start), SECONDS},
    {"r2", RECORD_KNOWN, COST(r2), SHARE},
    {"power", RECORD_REAL, COST(power), POWER},
    {.name = NULL}};

#define KERNEL(member) RECORD_AT(struct calibration_kernel, member)
const struct record_field calibration_kernel_fields[] = {
    {"kernel", RECORD_TEXT, KERNEL(spec)},
    {"unit", RECORD_CHOICE, KERNEL(grid), .words = {"iteration", "grid point"}},
    {"rows", RECORD_LONG, KERNEL(rows), .least = 1},
    {"columns", RECORD_LONG, KERNEL(columns), .least = 1},
    {"chunk", RECORD_TALLY, KERNEL(chunk), .later = true},
    {.name = NULL}};

#define BLOCK(member) RECORD_AT(struct calibration_block, member)
const struct record_field calibration_block_fields[] = {
    {"h", RECORD_LONG, BLOCK(h), .least = 1},
    {"row_s", RECORD_REAL, BLOCK(row), .above = true, SECONDS},
    {"shared_s", RECORD_REAL, BLOCK(shared), .least = -1e6, .most = 1e6},
    {"wait_s", RECORD_KNOWN, BLOCK(wait), SECONDS},
    {.name = NULL}};

#define DISPATCH(member) RECORD_AT(struct calibration_dispatch, member)
const struct record_field calibration_dispatch_fields[] = {
    {"transport", RECORD_TEXT, DISPATCH(transport)},
    {"c_sch_s", RECORD_REAL, DISPATCH(c_sch), SECONDS},
    {.name = NULL}};

#define RATE(member) RECORD_AT(struct calibration_rate, member)
const struct record_field calibration_rate_fields[] = {
    {"bytes", RECORD_REAL, RATE(bytes), .above = true, .most = 1e12},
    {"messages_per_s", RECORD_KNOWN, RATE(messages), .most = 1e12},
    {.name = NULL}};

#define CHARGE(member) RECORD_AT(struct calibration_charge, member)
const struct record_field calibration_charge_fields[] = {
    {"state_s", RECORD_KNOWN, CHARGE(state), SECONDS},
    {"send_s", RECORD_KNOWN, CHARGE(send), SECONDS},
    {"receive_s", RECORD_KNOWN, CHARGE(receive), SECONDS},
    {"one_way_s", RECORD_KNOWN, CHARGE(one_way), SECONDS},
    {"round_s", RECORD_KNOWN, CHARGE(round), SECONDS},
    {"steal_s", RECORD_KNOWN, CHARGE(steal), SECONDS, .later = true},
    {.name = NULL}};
