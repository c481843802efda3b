/* Lists of values for options of a single cell: `--scheme ss,gss` or `--ranks
 * 1,2`.  They are crossed, as in a campaign. */
#ifndef BENCH_LAUNCHING_DRIVER_RUN_LISTS_H
#define BENCH_LAUNCHING_DRIVER_RUN_LISTS_H

#include "bench/launching/driver/run_settings.h"
#include "harness/cell/cell_field.h"

/* Sets a field of the cell from the text of an option.  Of a list, whose items
 * are checked, the cell gets the first item, and the list is kept.  A word with
 * '=' belongs to the kernel or scheme before it, as in css:chunk=16,ss. Returns
 * 0 or -EINVAL. */
int run_lists_set(struct run_options *options, const struct cell_field *field,
                  const char *text, struct error *err);

#endif
