/* The engine that runs plans as messages on SimGrid. */
#include "bench/divisible/plan_sim.h"
#include "bench/papers/beaumont/series.h"

#include <errno.h>
#include <stdlib.h>

static int submit(void *self, int lane,
                  const struct divisible_platform *platform,
                  const struct divisible_plan *plan, int count,
                  struct error *err)
{
    struct plan_sim *sim = self;
    return plan_sim_submit(&sim[lane], platform, plan, count, err);
}

static int collect(void *self, int lane, const struct divisible_plan *plan,
                   int count, double *seconds, struct error *err)
{
    struct plan_sim *sim = self;
    (void)plan, (void)count;
    return plan_sim_collect(&sim[lane], seconds, err);
}

int beaumont_simgrid_open(struct beaumont_engine *engine, int lanes,
                          struct error *err)
{
    struct plan_sim *sim = calloc((size_t)lanes, sizeof(*sim));
    *engine = (struct beaumont_engine){"simgrid", lanes, sim, submit, collect};
    if (sim == NULL)
        return error_set(err, ENOMEM, "out of memory");
    int code = 0;
    for (int k = 0; code == 0 && k < lanes; k++)
        code = plan_sim_open(&sim[k], BEAUMONT_WORKERS_MAX, err);
    if (code != 0)
        beaumont_simgrid_close(engine);
    return code;
}

void beaumont_simgrid_close(struct beaumont_engine *engine)
{
    struct plan_sim *sim = engine->self;
    for (int k = 0; sim != NULL && k < engine->lanes; k++)
        plan_sim_close(&sim[k]);
    free(sim);
    *engine = (struct beaumont_engine){.name = NULL};
}
