#include "kernels/support/sparse.h"

#include "base/random.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Checks the memory for entries, two copies of them for sorting, and rows. */
int sparse_fits(const char *what, double rows, double entries,
                struct error *err)
{
    double bytes = 24 * rows + (3 * sizeof(struct sparse_entry) + 12) * entries;
    const char *kernel = strrchr(what, ' ');
    return kernel_memory_check(kernel != NULL ? kernel + 1 : what,
                               "rows and entries of the matrix", bytes, err);
}

static int no_memory(const char *what, struct error *err)
{
    return error_set(err, ENOMEM, "%s: out of memory for the matrix", what);
}

void sparse_free(struct sparse *matrix)
{
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
    *matrix = (struct sparse){0};
}

/* Sorts entries: first by column, then by row.  Each pass keeps the order of
 * the one before, so rows have ascending columns. */
static void sort_by(const struct sparse_entry *from, struct sparse_entry *to,
                    int64_t count, int64_t *place, int64_t rows, bool by_row)
{
    memset(place, 0, ((size_t)rows + 1) * sizeof(*place));
    for (int64_t i = 0; i < count; i++)
        place[(by_row ? from[i].row : from[i].column) + 1]++;
    for (int64_t r = 0; r < rows; r++)
        place[r + 1] += place[r];
    for (int64_t i = 0; i < count; i++)
        to[place[by_row ? from[i].row : from[i].column]++] = from[i];
}

/* Turns sorted entries into rows; entries of one place are added, in their
 * order. */
static void fill_rows(struct sparse *matrix, const struct sparse_entry *entry,
                      int64_t count)
{
    int64_t n = 0, row = 0;
    for (int64_t i = 0; i < count; i++) {
        bool again = i > 0 && entry[i].row == entry[i - 1].row &&
                     entry[i].column == entry[i - 1].column;
        if (again) {
            matrix->value[n - 1] += entry[i].value;
            continue;
        }
        while (row <= entry[i].row)
            matrix->start[row++] = n;
        matrix->column[n] = entry[i].column;
        matrix->value[n++] = entry[i].value;
    }
    while (row <= matrix->rows)
        matrix->start[row++] = n;
}

int sparse_make(const char *what, int64_t rows,
                const struct sparse_entry *entry, int64_t count,
                struct sparse *matrix, struct error *err)
{
    size_t n = (size_t)count + 1;
    struct sparse made = {.rows = rows,
                          .start = calloc((size_t)rows + 1, sizeof(int64_t)),
                          .column = malloc(n * sizeof(int32_t)),
                          .value = malloc(n * sizeof(double))};
    int64_t *place = calloc((size_t)rows + 1, sizeof(*place));
    struct sparse_entry *one = malloc(n * sizeof(*one));
    struct sparse_entry *two = malloc(n * sizeof(*two));
    bool there = made.start && made.column && made.value && place && one && two;
    if (there) {
        sort_by(entry, one, count, place, rows, false);
        sort_by(one, two, count, place, rows, true);
        fill_rows(&made, two, count);
        *matrix = made;
    } else {
        sparse_free(&made);
    }
    free(place);
    free(one);
    free(two);
    return there ? 0 : no_memory(what, err);
}

static struct sparse_entry random_entry(int scale, uint64_t *seed)
{
    struct sparse_entry entry = {.row = 0};
    for (int bit = 0; bit < scale; bit++) {
        double at = random_real(seed);
        int32_t row = at >= 0.57 + 0.19;
        int32_t column = at >= 0.57 && (!row || at >= 0.57 + 0.19 + 0.19);
        entry.row = entry.row << 1 | row;
        entry.column = entry.column << 1 | column;
    }
    entry.value = random_real(seed);
    return entry;
}

int sparse_rmat(const char *what, int scale, int64_t degree, uint64_t seed,
                struct sparse *matrix, struct error *err)
{
    int64_t rows = (int64_t)1 << scale, count = rows * degree;
    int code = sparse_fits(what, (double)rows, (double)count, err);
    if (code != 0)
        return code;
    struct sparse_entry *entry = malloc((size_t)count * sizeof(*entry));
    if (entry == NULL)
        return no_memory(what, err);
    for (int64_t i = 0; i < count; i++)
        entry[i] = random_entry(scale, &seed);
    code = sparse_make(what, rows, entry, count, matrix, err);
    free(entry);
    return code;
}

static int64_t or_else(const struct spec_value *value, int64_t usual)
{
    return value->given ? value->integer : usual;
}

int sparse_open(const struct sparse_keys *keys, struct sparse *matrix,
                struct error *err)
{
    bool random = keys->rmat->given || keys->degree->given;
    if (keys->file->given && random)
        return error_set(
            err, EINVAL,
            "%s: %s makes a random %s, and file=%s gives one: give one of them",
            keys->what, keys->rmat->given ? "rmat=" : "degree=", keys->noun,
            keys->file->text);
    if (keys->file->given)
        return sparse_read(keys->what, keys->file->text, matrix, err);
    return sparse_rmat(keys->what, (int)or_else(keys->rmat, keys->usual_rmat),
                       or_else(keys->degree, keys->usual_degree), keys->seed,
                       matrix, err);
}

int sparse_examine(const struct sparse_keys *keys, struct error *err)
{
    struct sparse matrix = {0};
    if (keys->file->given) {
        int code = sparse_open(keys, &matrix, err);
        sparse_free(&matrix);
        return code;
    }
    double rows = (double)((int64_t)1 << or_else(keys->rmat, keys->usual_rmat));
    double drawn = (double)or_else(keys->degree, keys->usual_degree);
    return sparse_fits(keys->what, rows, keys->mirrored * rows * drawn, err);
}
