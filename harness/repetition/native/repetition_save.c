/* Writes the output of a whole loop from all ranks to a file. */
#include "harness/repetition/native/repetition_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The results of this rank, one piece after the other: its place, its bytes. */
struct piece {
    int64_t start, size;
};

static char *pack_output(const struct run *run, size_t *bytes)
{
    const struct loop *loop = run->loop;
    *bytes = 0;
    for (int64_t i = 0; i < run->impl->picture.count; i++)
        *bytes +=
            sizeof(struct piece) +
            (size_t)run->impl->picture.extent[i].size * loop->output_bytes;
    char *packed = malloc(*bytes + 1), *at = packed;
    for (int64_t i = 0; packed != NULL && i < run->impl->picture.count; i++) {
        const struct extent *extent = &run->impl->picture.extent[i];
        const struct piece piece = {extent->start, extent->size};
        size_t size = (size_t)extent->size * loop->output_bytes;
        memcpy(at, &piece, sizeof(piece));
        memcpy(at + sizeof(piece),
               extent->memory + (size_t)extent->start * loop->output_bytes,
               size);
        at += sizeof(piece) + size;
    }
    return packed;
}

static void unpack_output(const struct loop *loop, const char *packed,
                          size_t bytes, char *output)
{
    const char *end = packed + bytes;
    while (packed < end) {
        struct piece piece;
        memcpy(&piece, packed, sizeof(piece));
        size_t size = (size_t)piece.size * loop->output_bytes;
        memcpy(output + (size_t)piece.start * loop->output_bytes,
               packed + sizeof(piece), size);
        packed += sizeof(piece) + size;
    }
}

/* Rank 0. */
static int write_output(const struct run *run, const char *packed, size_t bytes,
                        struct error *err)
{
    const struct loop *loop = run->loop;
    char *output = calloc((size_t)loop->iterations, loop->output_bytes);
    if (output == NULL)
        return error_set(err, ENOMEM, "%s: out of memory",
                         run->impl->picture.path);
    unpack_output(loop, packed, bytes, output);
    int code = loop->kernel->save(loop->instance, output,
                                  run->impl->picture.path, err);
    free(output);
    return code;
}

int run_save_output(struct run *run, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    size_t bytes = 0;
    void *all = NULL;
    char *packed = pack_output(run, &bytes);
    int code = packed ? 0
                      : error_set(err, ENOMEM, "%s: out of memory",
                                  run->impl->picture.path);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = comm_gather_any(comm, packed, bytes, &all, &bytes);
    free(packed);
    if (code == 0 && comm->rank == 0)
        code = write_output(run, all, bytes, err);
    free(all);
    return comm_agree(comm, code, err);
}

int run_save(struct run *run, const char *path, struct run_result *result,
             struct error *err)
{
    run->impl->picture.path = path;
    int code = run_repeat(run, result, err);
    run->impl->picture.path = NULL;
    return code;
}
