/* The manifest: what a launch ran on and with. */
#ifndef HARNESS_MANIFEST_H
#define HARNESS_MANIFEST_H

#include "harness/plan.h"
#include "harness/run.h"

#include <jansson.h>

/* Collective.  The manifest of this launch at rank 0, NULL elsewhere. */
json_t *manifest_make(const struct plan *plan, struct launch_context *context);

#endif
