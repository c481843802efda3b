/* The fields of a calibration as tables: how each is written, and its valid
 * range. */
#ifndef HARNESS_COSTS_CALIBRATION_FIELDS_H
#define HARNESS_COSTS_CALIBRATION_FIELDS_H

#include "harness/record/fields.h"

extern const struct record_field calibration_head_fields[];
extern const struct record_field calibration_worker_fields[];
extern const struct record_field calibration_size_fields[];
extern const struct record_field calibration_pair_fields[];
extern const struct record_field calibration_transfer_fields[];
extern const struct record_field calibration_cost_fields[];
extern const struct record_field calibration_kernel_fields[];
extern const struct record_field calibration_block_fields[];
extern const struct record_field calibration_dispatch_fields[];
extern const struct record_field calibration_rate_fields[];
extern const struct record_field calibration_charge_fields[];

#endif
