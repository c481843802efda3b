/* Lists of schemes in one word. */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_NAMES_H
#define BENCH_FORETELL_REPLAY_REPLAY_NAMES_H

#include "base/error.h"

/* "all": every scheme as it is without keys, those that need keys or know
 * nothing here left out; else "S,S,..." where what has a '=' before any ':'
 * belongs to the scheme before it ("tss:first=9,last=1,gss").  *names, *count
 * of them, each to be freed, as the list.  Returns 0 or -EINVAL. */
int replay_names(const char *text, char ***names, int *count,
                 struct error *err);

#endif
