/* Lists of schemes in one option. */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_NAMES_H
#define BENCH_FORETELL_REPLAY_REPLAY_NAMES_H

#include "base/error.h"

/* Reads "all": every scheme without keys, except those that need keys or
 * missing information; or "S,S,...", in which a word with '=' and no ':' before
 * it belongs to the preceding scheme ("tss:first=9,last=1,gss").  Sets *names
 * to *count texts; free each, and the list.  Returns 0 or -EINVAL. */
int replay_names(const char *text, char ***names, int *count,
                 struct error *err);

#endif
