#include "bench/overhead/bench_cell.h"

#include <string.h>

int bench_loop_open(struct loop *loop, const char *kernel,
                    const struct comm *comm, struct error *err)
{
    const struct kernel_ops *ops;
    struct spec spec;
    int code = kernel_parse(kernel, &ops, &spec, err);
    return code != 0 ? code
                     : loop_open(loop, ops, &spec, false, comm, 60, 1, err);
}

int bench_cell_open(struct bench_cell *c, struct launch_context *context,
                    struct loop *loop, const struct bench_field *fields,
                    struct error *err)
{
    struct cell cell;
    cell_defaults(&cell, cell_texts());
    cell.ranks = context->comm.ranks;
    cell.threads = context->threads;
    *c = (struct bench_cell){.loop = loop, .texts = cell.texts};
    int code = 0;
    if (loop != NULL)
        code = cell_set(&cell, "kernel", loop->name, err);
    for (const struct bench_field *f = fields; code == 0 && f->name; f++)
        code = cell_set(&cell, f->name, f->value, err);
    if (code != 0)
        return code;
    code = setup_resolve(&c->setup, &cell, err);
    if (code != 0)
        return code;
    if (loop == NULL) {
        code = bench_loop_open(&c->own, cell.kernel, &context->comm, err);
        c->loop = &c->own;
    }
    if (code == 0)
        code = run_open(&c->run, &c->setup, c->loop, context, false, err);
    if (code != 0)
        bench_cell_close(c);
    return code;
}

void bench_cell_close(struct bench_cell *c)
{
    if (c->loop == NULL)
        return;
    if (c->run != NULL)
        run_close(c->run);
    if (c->own.kernel != NULL)
        loop_close(&c->own);
    setup_free(&c->setup);
    json_decref(c->texts);
    *c = (struct bench_cell){.loop = NULL};
}

double bench_cell_time(struct bench_cell *c, struct run_result *result)
{
    struct run_result mine;
    struct error err;
    result = result != NULL ? result : &mine;
    *result = (struct run_result){.time_s = 0};
    return run_repeat(c->run, result, &err) == 0 ? result->time_s : 0;
}

double bench_cell_chunk_ns(struct bench_cell *c)
{
    struct run_result result;
    double time_s = bench_cell_time(c, &result);
    return result.chunks > 0 ? 1e9 * time_s / (double)result.chunks : 0;
}
