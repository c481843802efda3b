/* Rows of memory for the streams inside a rank. */
#include "harness/protocol/pipeline/links_internal.h"

#include "base/pages.h"

#include <string.h>

enum { LINE = 64 };

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

/* A column on either side stays zero. */
static size_t margin_bytes(const struct links *links)
{
    return whole_lines(links->column_bytes);
}

static size_t mapped_bytes(const struct link_rows *own)
{
    return (size_t)own->most * own->row_bytes;
}

void links_keep_rows(struct links *links)
{
    struct link_rows *own = &links->own;
    size_t columns = (size_t)links->columns * links->column_bytes;
    /* Both ways over each edge. */
    int64_t rows = 2 * (int64_t)(links->mapped / sizeof(*links->edge));
    own->row_bytes = whole_lines(columns) + 2 * margin_bytes(links);
    own->most = LINK_ROWS_BYTES / (int64_t)own->row_bytes;
    own->most = own->most < rows ? own->most : rows;
    own->memory = pages_map(mapped_bytes(own));
}

void links_drop_rows(struct links *links)
{
    pages_unmap(links->own.memory, mapped_bytes(&links->own));
    links->own.memory = NULL;
}

/* Late requests get none. */
static char *take_row(struct links *links)
{
    struct link_rows *own = &links->own;
    if (atomic_load_explicit(&own->taken, memory_order_relaxed) >= own->most)
        return NULL;
    int64_t row = atomic_fetch_add(&own->taken, 1);
    return row < own->most ? own->memory + (size_t)row * own->row_bytes +
                                 margin_bytes(links)
                           : NULL;
}

/* A stream gets its row with its first columns, or never. */
void links_copy(struct links *links, struct link_stream *stream,
                int64_t complete, const void *row)
{
    int64_t from = engine_reached(&stream->complete);
    if (complete == from)
        return;
    if (from == 0)
        stream->kept = take_row(links);
    if (stream->kept == NULL)
        return;
    invariant(from % links->columns + complete - from <= links->columns);
    size_t at = (size_t)(from % links->columns) * links->column_bytes;
    memcpy(stream->kept + at, (const char *)row + at,
           (size_t)(complete - from) * links->column_bytes);
}

void links_poison(struct links *links, int byte)
{
    const struct link_rows *own = &links->own;
    int64_t taken = atomic_load(&own->taken);
    for (int64_t row = 0; row < taken && row < own->most; row++)
        memset(own->memory + (size_t)row * own->row_bytes + margin_bytes(links),
               byte, (size_t)links->columns * links->column_bytes);
}
