/* triangles: how many triangles a graph has, a vertex at a time.
 *
 *   FOR u = 0 TO VERTICES - 1:  T(u) = number of (v, w) with w < v < u and all
 *                               three edges
 *
 * The triangle count of the GAP benchmark suite (Beamer, Asanovic and Patterson
 * 2015): sorted lists of neighbours are intersected.  The graph is undirected,
 * from a Matrix Market file or random with a power law: R-MAT with the
 * parameters of Graph500 and GAP, and shuffled vertices.  A few vertices have
 * almost all of the work.  With relabel=on the vertices are first numbered by
 * falling degree, as GAP does where it pays: then no list is long.
 *
 * An operation is a step of an intersection: one place forward in one list. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/support/sparse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 16384, /* steps between two polls, about 20 us */
};

enum { GRAPH_FILE, SCALE, DEGREE, RELABEL, SEED };

static const struct spec_param triangles_params[] = {
    [GRAPH_FILE] = PARAM_TEXT("file", NULL,
                              "Matrix Market file: its entries are the edges"),
    [SCALE] =
        PARAM_WHOLE("rmat", NULL, 1, 28,
                    "without a file: a random graph of 2^rmat vertices (14)"),
    [DEGREE] = PARAM_WHOLE("degree", NULL, 1, 1 << 20,
                           "edges drawn for each of its vertices (16)"),
    [RELABEL] = PARAM_WORD("relabel", "off", "off|on",
                           "on: vertices are numbered by falling degree"),
    [SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53, "seed of the random graph"),
    {0},
};

struct triangles {
    struct sparse lower; /* of each vertex: neighbours with lower numbers */
};

static void triangles_destroy(void *instance)
{
    struct triangles *t = instance;
    sparse_free(&t->lower);
    free(t);
}

static int no_memory(struct error *err)
{
    return error_set(err, ENOMEM, "kernel triangles: out of memory");
}

/* ---- the graph ---- */

static struct sparse_keys keys_of(const struct spec *spec)
{
    const struct spec_value *value = spec->value;
    return (struct sparse_keys){.what = "kernel triangles",
                                .noun = "graph",
                                .file = &value[GRAPH_FILE],
                                .rmat = &value[SCALE],
                                .degree = &value[DEGREE],
                                .usual_rmat = 14,
                                .usual_degree = 16,
                                .mirrored = 2,
                                .seed = (uint64_t)value[SEED].integer};
}

/* Takes each edge once, in either direction, and no edge from a vertex to
 * itself.  number[v] is the new number of vertex v. */
static int make_lower(const struct sparse *from, const int32_t *number,
                      struct sparse *lower, struct error *err)
{
    int64_t room = from->start[from->rows], n = 0;
    struct sparse_entry *entry = malloc((size_t)(room + 1) * sizeof(*entry));
    if (entry == NULL)
        return no_memory(err);
    for (int64_t r = 0; r < from->rows; r++)
        for (int64_t k = from->start[r]; k < from->start[r + 1]; k++) {
            int32_t a = number[r], b = number[from->column[k]];
            if (a != b)
                entry[n++] =
                    (struct sparse_entry){a > b ? a : b, a > b ? b : a, 1};
        }
    int code =
        sparse_make("kernel triangles", from->rows, entry, n, lower, err);
    free(entry);
    return code;
}

/* The vertices' own numbers, for a random graph shuffled: R-MAT's first
 * vertices have the most edges. */
static int32_t *first_numbers(const struct spec *spec, int64_t vertices)
{
    int32_t *number = malloc((size_t)vertices * sizeof(*number));
    uint64_t seed = (uint64_t)spec->value[SEED].integer + 2;
    for (int64_t v = 0; number != NULL && v < vertices; v++)
        number[v] = (int32_t)v;
    if (number == NULL || spec->value[GRAPH_FILE].given)
        return number;
    for (int64_t v = vertices - 1; v > 0; v--) {
        int64_t other = (int64_t)(random_next(&seed) % (uint64_t)(v + 1));
        int32_t swap = number[v];
        number[v] = number[other];
        number[other] = swap;
    }
    return number;
}

/* By falling degree; of equal degrees the lower number first. */
static int compare_degrees(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] > y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static int number_by_degree(const struct sparse *lower, int32_t *number,
                            struct error *err)
{
    int64_t n = lower->rows, edges = lower->start[n];
    int64_t(*vertex)[2] = calloc((size_t)n, sizeof(*vertex));
    if (vertex == NULL)
        return no_memory(err);
    for (int64_t v = 0; v < n; v++) {
        vertex[v][0] += lower->start[v + 1] - lower->start[v];
        vertex[v][1] = v;
    }
    for (int64_t k = 0; k < edges; k++)
        vertex[lower->column[k]][0]++;
    qsort(vertex, (size_t)n, sizeof(*vertex), compare_degrees);
    for (int64_t v = 0; v < n; v++)
        number[vertex[v][1]] = (int32_t)v;
    free(vertex);
    return 0;
}

static int relabel_graph(struct sparse *lower, int32_t *number,
                         struct error *err)
{
    struct sparse made;
    int code = number_by_degree(lower, number, err);
    if (code == 0)
        code = make_lower(lower, number, &made, err);
    if (code != 0)
        return code;
    sparse_free(lower);
    *lower = made;
    return 0;
}

static int triangles_examine(const struct spec *spec, struct error *err)
{
    const struct sparse_keys keys = keys_of(spec);
    return sparse_examine(&keys, err);
}

static int triangles_create(const struct spec *spec, void **instance,
                            struct error *err)
{
    struct triangles *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return no_memory(err);
    struct sparse matrix = {0};
    int32_t *number = NULL;
    const struct sparse_keys keys = keys_of(spec);
    int code = sparse_open(&keys, &matrix, err);
    if (code == 0 && (number = first_numbers(spec, matrix.rows)) == NULL)
        code = no_memory(err);
    if (code == 0)
        code = make_lower(&matrix, number, &t->lower, err);
    sparse_free(&matrix);
    if (code == 0 && strcmp(spec->value[RELABEL].text, "on") == 0)
        code = relabel_graph(&t->lower, number, err);
    free(number);
    if (code != 0)
        triangles_destroy(t);
    else
        *instance = t;
    return code;
}

static int64_t triangles_iterations(const void *instance)
{
    const struct triangles *t = instance;
    return t->lower.rows;
}

static size_t triangles_output_bytes(const void *instance)
{
    (void)instance;
    return sizeof(int64_t);
}

/* ---- counting ---- */

/* The common neighbours of u and v.  Both lists ascend, and u's does not end
 * before v's neighbours, which are less than v. */
static int64_t count_common(const int32_t *of_u, const int32_t *of_v,
                            const int32_t *end_v)
{
    int64_t count = 0;
    for (; of_v < end_v; of_v++) {
        while (*of_u < *of_v)
            of_u++;
        count += *of_u == *of_v;
    }
    return count;
}

static int64_t count_vertex(const struct sparse *lower, int64_t u,
                            const struct kernel_poll *poll, int64_t *due)
{
    const int32_t *first = lower->column + lower->start[u];
    const int32_t *end = lower->column + lower->start[u + 1];
    int64_t count = 0;
    for (const int32_t *v = first; v < end; v++) {
        const int64_t *start = &lower->start[*v];
        count += count_common(first, lower->column + start[0],
                              lower->column + start[1]);
        *due -= start[1] - start[0] + 8;
        if (*due <= 0) {
            kernel_poll(poll);
            *due = PIECE;
        }
    }
    return count;
}

static void triangles_run(const void *instance, void *scratch, int64_t start,
                          int64_t size, void *output,
                          const struct kernel_poll *poll)
{
    (void)scratch;
    const struct triangles *t = instance;
    int64_t *result = output, due = PIECE;
    for (int64_t i = 0; i < size; i++)
        result[i] = count_vertex(&t->lower, start + i, poll, &due);
}

/* The first place in the list with a vertex not below `value`. */
static const int32_t *find_place(const int32_t *first, const int32_t *end,
                                 int32_t value)
{
    while (first < end) {
        const int32_t *middle = first + (end - first) / 2;
        if (*middle < value)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Looks up every neighbour of u's neighbours in u's own list. */
static void triangles_reference(const void *instance, int64_t start,
                                int64_t size, void *output)
{
    const struct triangles *t = instance;
    const struct sparse *m = &t->lower;
    int64_t *result = output;
    for (int64_t u = start; u < start + size; u++, result++) {
        const int32_t *first = m->column + m->start[u];
        const int32_t *end = m->column + m->start[u + 1];
        *result = 0;
        for (const int32_t *v = first; v < end; v++)
            for (int64_t k = m->start[*v]; k < m->start[*v + 1]; k++) {
                const int32_t *at = find_place(first, end, m->column[k]);
                *result += at < end && *at == m->column[k];
            }
    }
}

/* Each intersection reads the neighbour's whole list, and u's list up to where
 * the neighbour's ends. */
static double triangles_operations(const void *instance, int64_t u)
{
    const struct triangles *t = instance;
    const struct sparse *m = &t->lower;
    const int32_t *first = m->column + m->start[u];
    const int32_t *end = m->column + m->start[u + 1];
    double steps = 0;
    for (const int32_t *v = first; v < end; v++) {
        int64_t from = m->start[*v], to = m->start[*v + 1];
        steps += (double)(to - from);
        if (to > from)
            steps +=
                (double)(find_place(first, end, m->column[to - 1]) - first);
    }
    return steps;
}

/* One comparison each. */
static const struct kernel_cost triangles_cost = {
    .operation = "step of an intersection",
    .flops = 1,
    .operations = triangles_operations,
};

const struct kernel_ops kernel_triangles_ops = {
    .name = "triangles",
    .summary = "triangles of a graph by vertices: a few have most of the work",
    .citation = "Beamer, Asanovic and Patterson, GAP, 2015",
    .params = triangles_params,
    .examine = triangles_examine,
    .create = triangles_create,
    .destroy = triangles_destroy,
    .iterations = triangles_iterations,
    .output_bytes = triangles_output_bytes,
    .run = triangles_run,
    .reference = triangles_reference,
    .cost = &triangles_cost,
};
