#include "kernels/support/gray.h"

#include "base/random.h"
#include "kernels/support/error_diffusion.h"
#include "kernels/support/image.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Gray, output, and the errors of one row in DIFFUSION_ROWS. */
double gray_memory(int64_t rows, int64_t cols)
{
    return (double)rows * (double)cols * (2 + 1 + 2.0 / DIFFUSION_ROWS);
}

static int allocate_rows(struct gray *g, const char *who, int64_t rows,
                         int64_t cols, struct error *err)
{
    double pixels = (double)rows * (double)cols;
    int code = kernel_memory_check(who, "image, output and errors",
                                   gray_memory(rows, cols), err);
    if (code != 0)
        return code;
    size_t pad = DIFFUSION_PAD * sizeof(*g->memory);
    size_t size = (size_t)pixels * sizeof(*g->memory) + 2 * pad;
    g->memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (g->memory == NULL)
        return error_set(err, ENOMEM, "kernel %s: out of memory", who);
    g->rows = rows;
    g->cols = cols;
    g->value = g->memory + DIFFUSION_PAD;
    memset(g->memory, 0, pad);
    memset(g->value + rows * cols, 0, pad);
    return 0;
}

void gray_free(struct gray *gray)
{
    free(gray->memory);
}

/* ---- an image that is made ---- */

/* A slope from one corner to the other, rings around the middle, noise: at most
 * 2047 + 1533 + 500 = 4080.  Whole numbers are the same on every machine. */
static void make_row(struct gray *g, int64_t row, uint64_t seed)
{
    uint16_t *value = g->value + row * g->cols;
    uint64_t noise = random_stream(seed, (uint64_t)row);
    int64_t y = row * 4096 / g->rows;
    for (int64_t c = 0; c < g->cols; c++) {
        int64_t x = c * 4096 / g->cols;
        int64_t square = (x - 2048) * (x - 2048) + (y - 2048) * (y - 2048);
        int64_t phase = (square >> 11) & 1023;
        int64_t wave = phase < 512 ? phase : 1023 - phase;
        value[c] = (uint16_t)((x + y) / 4 + 3 * wave +
                              (int64_t)(random_next(&noise) % 501));
    }
}

int gray_make(struct gray *gray, const char *who, int64_t rows, int64_t cols,
              uint64_t seed, struct error *err)
{
    int code = allocate_rows(gray, who, rows, cols, err);
    for (int64_t r = 0; code == 0 && r < rows; r++)
        make_row(gray, r, seed);
    return code;
}

/* ---- an image that is read ---- */

static int check_size(const struct image *image, const char *who,
                      const char *path, int64_t rows, int64_t cols,
                      struct error *err)
{
    if ((rows != 0 && rows != image->rows) ||
        (cols != 0 && cols != image->cols))
        return error_set(err, EINVAL,
                         "kernel %s: image '%s' has rows=%lld and cols=%lld, "
                         "not what was given; leave rows and cols out",
                         who, path, (long long)image->rows,
                         (long long)image->cols);
    if (image->rows > GRAY_SIZE_MAX || image->cols > GRAY_SIZE_MAX)
        return error_set(err, EINVAL,
                         "kernel %s: image '%s' has %lld rows of %lld pixels, "
                         "at most %d each are possible",
                         who, path, (long long)image->rows,
                         (long long)image->cols, GRAY_SIZE_MAX);
    return 0;
}

static int read_rows(struct gray *g, struct image_reader *reader, unsigned most,
                     struct error *err)
{
    unsigned *row = calloc((size_t)g->cols, sizeof(*row));
    if (row == NULL)
        return error_set(err, ENOMEM, "out of memory for a row of an image");
    int code = 0;
    for (int64_t r = 0; code == 0 && r < g->rows; r++) {
        uint16_t *value = g->value + r * g->cols;
        code = image_read_row(reader, row, err);
        for (int64_t c = 0; code == 0 && c < g->cols; c++)
            value[c] = (uint16_t)((row[c] * DIFFUSION_WHITE + most / 2) / most);
    }
    free(row);
    return code;
}

int gray_read(struct gray *gray, const char *who, const char *path,
              int64_t rows, int64_t cols, struct error *err)
{
    struct image_reader *reader;
    struct image image;
    int code = image_open(&reader, who, path, &image, err);
    if (code != 0)
        return code;
    code = check_size(&image, who, path, rows, cols, err);
    if (code == 0)
        code = allocate_rows(gray, who, image.rows, image.cols, err);
    if (code == 0)
        code = read_rows(gray, reader, image.most, err);
    image_close(reader);
    return code;
}
