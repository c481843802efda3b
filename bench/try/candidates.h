/* What `dlsbench omp --try` chooses from: the program as it is, and schemes. */
#ifndef BENCH_TRY_CANDIDATES_H
#define BENCH_TRY_CANDIDATES_H

#include "base/error.h"
#include "sched/select/select.h"

enum { CANDIDATES_OWN = 0, CANDIDATES_MAX = SELECT_MAX };

struct candidates {
    int count;
    char *name[CANDIDATES_MAX]; /* canonical; the first is "as it is" */
};

/* Reads `all` or "scheme,scheme,..."; a part with '=' and no ':' before it
 * belongs to the scheme before ("tss:first=9,last=1,gss" are two).  Schemes
 * that `all` cannot have are left out.  Returns 0 or -EINVAL with a text; free
 * it in any case. */
int candidates_read(struct candidates *candidates, const char *list,
                    struct error *err);
void candidates_free(struct candidates *candidates);

/* -1: it is none of them. */
int candidates_find(const struct candidates *candidates, const char *name);

#endif
