/* An outlook as tables, one for each loop, and as outlook.json. */
#ifndef BENCH_FORETELL_REPLAY_OUTLOOK_TABLE_H
#define BENCH_FORETELL_REPLAY_OUTLOOK_TABLE_H

#include "bench/foretell/replay/outlook.h"

#include <stdio.h>

/* `source`: of the calibrated costs; empty: of none. */
void outlook_print(const struct outlook *outlook, const char *source,
                   FILE *out);

/* Writes FOLDER/outlook.json for the report.  Returns 0 or -errno. */
int outlook_write_json(const struct outlook *outlook, const char *folder,
                       struct error *err);

#endif
