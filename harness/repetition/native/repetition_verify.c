/* Compares the results of a repetition with the serial loop. */
#include "harness/repetition/native/repetition_impl.h"

#include "harness/process/need.h"
#include "harness/transport/reissue/reissue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void hold_chunk(struct run *run, char *memory, int64_t start,
                       int64_t size)
{
    struct run_picture *picture = &run->impl->picture;
    need_room(&picture->extent, &picture->room, picture->count + 1,
              sizeof(*picture->extent));
    picture->extent[picture->count++] = (struct extent){memory, start, size};
}

static int64_t last_step(const struct run *run)
{
    bool every = run->dependent.dmps != NULL || run->passes > 1;
    return every ? run->loop->grid.steps - 1 : 0;
}

static void collect_extents(struct run *run)
{
    const struct reissue *ledger = transport_ledger(&run->transport);
    int64_t last = last_step(run), cursor = 0, start, size;
    run->impl->picture.count = 0;
    if (run->setup->cell.reissue > 0) {
        /* With reissued chunks the master holds all results. */
        for (int32_t i = 0; ledger != NULL && i < ledger->count; i++)
            hold_chunk(run, run->transport.setup.output,
                       ledger->entry[i].chunk.start,
                       ledger->entry[i].chunk.size);
        return;
    }
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        bool keeps = end_keeps(&run->rank->end, run->first + i);
        for (int64_t c = 0; keeps && c < w->logged; c++)
            if (w->log[c].time_step == last)
                hold_chunk(run, run->transport.setup.output, w->log[c].start,
                           w->log[c].size);
    }
    while (end_collected(&run->rank->end, &cursor, &start, &size))
        hold_chunk(run, run->transport.setup.inbox, start, size);
}

/* Poisons rows `first` to `last` where other workers read them: right values of
 * this repetition would hide that a worker does not wait in the next one. */
static void poison_rows(struct run *run, int64_t first, int64_t last)
{
    const struct dmps *dmps = run->dependent.dmps;
    size_t bytes = (size_t)dmps->grid.columns * dmps->grid.boundary_bytes;
    first = first < 0 ? 0 : first;
    last = last < dmps->rows ? last : dmps->rows - 1;
    for (int64_t row = first; row <= last; row++)
        memset(dmps->kernel->boundary(dmps->instance, dmps->state, dmps->output,
                                      0, row),
               LOOP_POISON, bytes);
}

static void poison_chunk(struct run *run, const struct worker *worker,
                         const struct ran *ran)
{
    const struct loop *loop = run->loop;
    memset(worker->output + (size_t)ran->start * loop->output_bytes,
           LOOP_POISON, (size_t)ran->size * loop->output_bytes);
    if (run->dependent.dmps != NULL)
        poison_rows(run, ran->start - 1, ran->start + ran->size);
}

/* Also wipes results that were computed here and sent away: the next repetition
 * must not send them again.  Sticky chunks are the same in all time steps. */
static void poison_computed(struct run *run, int64_t last_step)
{
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = 0; c < w->logged; c++)
            if (run->passes > 1 || w->log[c].time_step == last_step)
                poison_chunk(run, w, &w->log[c]);
    }
}

int run_verify(struct run *run, struct run_result *result, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    struct verdict verdict = {0};
    uint64_t tally[2] = {0, 0};
    int code = 0;
    if (run->loop->output_bytes == 0) {
        for (int i = 0; i < run->workers; i++) {
            const uint64_t *own = run->impl->memory.scratch[i];
            tally[0] += own[0];
            tally[1] += own[1];
        }
        verify_tally(run->loop, comm, tally, &verdict);
    } else {
        collect_extents(run);
        code = verify_output(run->loop, comm, run->impl->picture.extent,
                             run->impl->picture.count, &verdict, err);
        if (code == 0 && run->impl->picture.path != NULL)
            code = run_save_output(run, err);
        verify_poison(run->loop, run->impl->picture.extent,
                      run->impl->picture.count);
        poison_computed(run, last_step(run));
        if (run->dependent.dmps != NULL)
            links_poison(&run->dependent.dmps->links, LOOP_POISON);
        end_poison(&run->rank->end, LOOP_POISON);
    }
    result->verified = verdict.good;
    result->wrong_iteration = verdict.wrong_iteration;
    return code;
}
