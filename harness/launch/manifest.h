/* The manifest: the machine and the software of a launch. */
#ifndef HARNESS_LAUNCH_MANIFEST_H
#define HARNESS_LAUNCH_MANIFEST_H

#include "harness/repetition/run.h"
#include "harness/check/worklist.h"

#include <jansson.h>

/* Collective.  The manifest of this launch at rank 0, NULL elsewhere. */
json_t *manifest_make(const struct worklist *, struct launch_context *);

#endif
