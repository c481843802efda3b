/* floyd-steinberg: error diffusion, a loop with dependences.
 *
 *   for each row r, for each column c
 *     pixel[r][c] = gray[r][c] >= half ? white : black
 *     error = gray[r][c] - pixel[r][c]
 *     gray[r][c+1]   += 7/16 error        gray[r+1][c-1] += 3/16 error
 *     gray[r+1][c]   += 5/16 error        gray[r+1][c+1] += 1/16 error
 *
 * Floyd and Steinberg, An adaptive algorithm for spatial grey scale, Proc.  SID
 * 17, 1976.  As a loop to be scheduled: Ciorba et al., Dynamic Multi-Phase
 * Scheduling for Heterogeneous Clusters, section 4.3.  Their listing has slips
 * (it adds before it cuts, runs backwards against its dependences and swaps two
 * weights); the algorithm here is the standard one.  Rows are iterations and
 * are cut into chunks, columns carry the synchronization points.
 * kernels/support/error_diffusion.h says how a pixel is rounded.
 *
 * Blocks.  A pixel needs the errors of (r, c-1), (r-1, c-1), (r-1, c) and (r-1,
 * c+1): row r needs row r - 1 one column further than its own, reach = 1, and
 * rectangles of more than one row are impossible.  skew = 1 is enough: in the
 * block [from, to), row k of a chunk ends before column to - k.  Its last
 * pixel, to - k - 1, needs row k - 1 up to column to - k; that row ends before
 * to - (k - 1), so to - k is its last column and is done in this block (outside
 * the image its error is 0).  Row 0 needs the boundary row up to column to: to
 * + reach - 1, as kernel.h says.  The columns to the left were done in earlier
 * blocks.  So the last row of n lags n - 1 columns behind.  shape=paper means
 * the papers' rectangles: wrong results; simulation only.
 *
 * A row's boundary is its errors, 16 bits a column.  Only the last row of a
 * chunk and of every DIFFUSION_ROWS rows in it is kept; a rank's state has room
 * for all, and of the other rows only the last two errors of a block.
 *
 * Speed: 5 times faster than the plain loop, which waits for its chain from
 * error to error; see kernels/support/error_diffusion.c, and
 * error_diffusion_band.c for narrow blocks. */
#include "kernels/kernel.h"

#include "kernels/pace.h"
#include "kernels/support/error_diffusion.h"
#include "kernels/support/gray.h"
#include "kernels/support/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Errors outside of the image, left and right. */
    EDGES = 2,
};

/* The paper's image. */
enum { PAPER_ROWS = 10000, PAPER_COLS = 20000 };

enum { ROWS, COLS, IMAGE, SHAPE, SEED };

static const struct spec_param floyd_steinberg_params[] = {
    [ROWS] = PARAM_WHOLE("rows", NULL, 1, GRAY_SIZE_MAX,
                         "rows, the loop's iterations; without an image 10000"),
    [COLS] = PARAM_WHOLE("cols", NULL, 1, GRAY_SIZE_MAX,
                         "columns; without an image 20000"),
    [IMAGE] = PARAM_TEXT("image", NULL,
                         "PGM file to read; without it an image is made"),
    [SHAPE] =
        PARAM_WORD("shape", "exact", "exact|paper",
                   "sub-chunks: skewed as the dependences ask (exact), or "
                   "rectangles (paper), for simulation only"),
    [SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53,
                         "seed of the noise in an image that is made"),
    {0},
};

struct floyd_steinberg {
    int64_t rows, cols;
    bool exact; /* not the papers' rectangles */
    struct gray image;
};

static const char name[] = "floyd-steinberg";

static void floyd_steinberg_destroy(void *instance)
{
    struct floyd_steinberg *f = instance;
    gray_free(&f->image);
    free(f);
}

/* The size of an image from a file is unknown before it is read. */
static double floyd_steinberg_memory(const struct spec *spec)
{
    const struct spec_value *value = spec->value;
    if (value[IMAGE].given)
        return 0;
    return gray_memory(value[ROWS].given ? value[ROWS].integer : PAPER_ROWS,
                       value[COLS].given ? value[COLS].integer : PAPER_COLS);
}

static bool is_exact(const struct spec *spec)
{
    return strcmp(spec->value[SHAPE].text, "exact") == 0;
}

/* Makes no pixels, but reads a given file: only it has their number. */
static int floyd_steinberg_outline(const struct spec *spec, void **instance,
                                   struct error *err)
{
    const struct spec_value *value = spec->value;
    int64_t rows = value[ROWS].given ? value[ROWS].integer : 0;
    int64_t cols = value[COLS].given ? value[COLS].integer : 0;
    struct floyd_steinberg *f = calloc(1, sizeof(*f));
    int code = 0;
    if (f == NULL)
        return error_set(err, ENOMEM, "kernel %s: out of memory", name);
    if (value[IMAGE].given)
        code = gray_read(&f->image, name, value[IMAGE].text, rows, cols, err);
    else
        f->image = (struct gray){.rows = rows ? rows : PAPER_ROWS,
                                 .cols = cols ? cols : PAPER_COLS};
    f->rows = f->image.rows;
    f->cols = f->image.cols;
    f->exact = is_exact(spec);
    if (code == 0)
        *instance = f;
    else
        floyd_steinberg_destroy(f);
    return code;
}

static int floyd_steinberg_create(const struct spec *spec, void **instance,
                                  struct error *err)
{
    if (!is_exact(spec))
        return error_set(err, EINVAL,
                         "kernel %s: shape=paper breaks the loop's dependences "
                         "and gives wrong pixels; it exists for simulation "
                         "only",
                         name);
    int code = floyd_steinberg_outline(spec, instance, err);
    if (code != 0 || spec->value[IMAGE].given)
        return code;
    struct floyd_steinberg *f = *instance;
    *instance = NULL;
    code = gray_make(&f->image, name, f->rows, f->cols,
                     (uint64_t)spec->value[SEED].integer, err);
    if (code == 0)
        *instance = f;
    else
        floyd_steinberg_destroy(f);
    return code;
}

static int64_t floyd_steinberg_iterations(const void *instance)
{
    const struct floyd_steinberg *f = instance;
    return f->rows;
}

static size_t floyd_steinberg_output_bytes(const void *instance)
{
    const struct floyd_steinberg *f = instance;
    return (size_t)f->cols;
}

/* ---- blocks ----
 *
 * State: the errors of rows -1 to rows - 1, then what each row carries.  Row
 * -1 and the edges stay 0. */

static int64_t errors_stride(const struct floyd_steinberg *f)
{
    return f->cols + EDGES;
}

static int16_t *errors_row(const struct floyd_steinberg *f, void *state,
                           int64_t row)
{
    return (int16_t *)state + (row + 1) * errors_stride(f) + 1;
}

static struct diffusion_carry *carries_of(const struct floyd_steinberg *f,
                                          void *state)
{
    return (void *)(errors_row(f, state, f->rows) - 1 + errors_stride(f) % 2);
}

static void floyd_steinberg_grid(const void *instance, struct kernel_grid *grid)
{
    const struct floyd_steinberg *f = instance;
    size_t errors = (size_t)(f->rows + 1) * (size_t)errors_stride(f) + 1;
    *grid = (struct kernel_grid){
        .columns = f->cols,
        .boundary_bytes = sizeof(int16_t),
        .skew = f->exact,
        .reach = f->exact,
        .steps = 1,
        .state_bytes = errors * sizeof(int16_t) +
                       (size_t)f->rows * sizeof(struct diffusion_carry),
    };
}

/* Nothing to set: carries restart at column 0, errors are written first. */
static void floyd_steinberg_begin(const void *instance, void *state,
                                  void *output)
{
    (void)instance;
    (void)state;
    (void)output;
}

static void *floyd_steinberg_boundary(const void *instance, void *state,
                                      void *output, int step, int64_t row)
{
    (void)output;
    (void)step;
    return errors_row(instance, state, row);
}

static void add_pixels(void *pace, int64_t pixels)
{
    pace_add(pace, pixels);
}

static void floyd_steinberg_run_block(const void *instance, void *state,
                                      const struct kernel_block *b,
                                      void *output,
                                      const struct kernel_poll *poll)
{
    const struct floyd_steinberg *f = instance;
    struct pace pace = {.poll = poll, .every = DIFFUSION_PIECE};
    int16_t *errors = errors_row(f, state, b->start - 1);
    const struct diffusion d = {
        .cols = f->cols,
        .gray = f->image.value + b->start * f->cols,
        .pixels = (uint8_t *)output + b->start * f->cols,
        .up = b->above != NULL ? b->above : errors,
        .carry = carries_of(f, state) + b->start,
        .from = b->from,
        .to = b->to,
        .done = add_pixels,
        .arg = &pace,
    };
    diffusion_run_block(&d, b->size, errors, errors_stride(f));
}

/* ---- whole rows ---- */

/* Errors of the row above a batch and of its last row.  Both may be in the same
 * memory if the batch has several rows, but not if it has one. */
static size_t floyd_steinberg_scratch_bytes(const void *instance)
{
    const struct floyd_steinberg *f = instance;
    return 2 * (size_t)errors_stride(f) * sizeof(int16_t);
}

static int16_t *scratch_row(const struct floyd_steinberg *f, void *scratch,
                            int64_t row)
{
    return (int16_t *)scratch + (row & 1) * errors_stride(f) + 1;
}

static void floyd_steinberg_run(const void *instance, void *scratch,
                                int64_t start, int64_t size, void *output,
                                const struct kernel_poll *poll)
{
    const struct floyd_steinberg *f = instance;
    struct diffusion_carry carry[DIFFUSION_ROWS];
    struct pace pace = {.poll = poll, .every = DIFFUSION_PIECE};
    if (start == 0)
        memset(scratch, 0, floyd_steinberg_scratch_bytes(f));
    for (int64_t k = 0; k < size; k += DIFFUSION_ROWS) {
        int64_t row = start + k;
        int rows = size - k < DIFFUSION_ROWS ? (int)(size - k) : DIFFUSION_ROWS;
        struct diffusion d = {
            .cols = f->cols,
            .gray = f->image.value + row * f->cols,
            .pixels = (uint8_t *)output + k * f->cols,
            .up = scratch_row(f, scratch, row - 1),
            .down = scratch_row(f, scratch, row + rows - 1),
            .carry = carry,
            .to = f->cols + rows - 1,
            .ahead = rows * f->cols,
            .done = add_pixels,
            .arg = &pace,
        };
        diffusion_run(&d, rows);
    }
}

/* As in the listing above: errors are added to later pixels in sixteenths of
 * our unit, and a pixel's sum is rounded when its turn comes. */
static void floyd_steinberg_reference(const void *instance, int64_t start,
                                      int64_t size, void *output)
{
    const struct floyd_steinberg *f = instance;
    uint8_t *pixels = output;
    int64_t cols = f->cols;
    int32_t *push = calloc(2 * (size_t)(cols + 2), sizeof(*push));
    if (push == NULL)
        return; /* the check finds the wrong output */
    int32_t *here = push + 1, *below = here + cols + 2;
    for (int64_t r = start; r < start + size; r++) {
        for (int64_t c = 0; c < cols; c++) {
            int value = f->image.value[r * cols + c] + ((here[c] + 8) >> 4);
            bool white = value >= DIFFUSION_HALF;
            int error = white ? value - DIFFUSION_WHITE : value;
            here[c + 1] += 7 * error;
            below[c - 1] += 3 * error;
            below[c] += 5 * error;
            below[c + 1] += error;
            *pixels++ = white ? 255 : 0;
        }
        int32_t *done = here;
        here = below;
        below = done;
        memset(below - 1, 0, (size_t)(cols + 2) * sizeof(*below));
    }
    free(push);
}

static void save_row(const void *arg, int64_t row, unsigned *gray)
{
    const struct diffusion *d = arg;
    for (int64_t c = 0; c < d->cols; c++)
        gray[c] = d->pixels[row * d->cols + c];
}

static int floyd_steinberg_save(const void *instance, const void *output,
                                const char *path, struct error *err)
{
    const struct floyd_steinberg *f = instance;
    const struct image image = {f->rows, f->cols, 255};
    const struct diffusion d = {.cols = f->cols, .pixels = (void *)output};
    return image_write(name, path, &image, save_row, &d, err);
}

static const struct kernel_dependence floyd_steinberg_dependence = {
    .grid = floyd_steinberg_grid,
    .begin = floyd_steinberg_begin,
    .run_block = floyd_steinberg_run_block,
    .boundary = floyd_steinberg_boundary,
};

static double floyd_steinberg_operations(const void *instance,
                                         int64_t iteration)
{
    const struct floyd_steinberg *f = instance;
    (void)iteration;
    return (double)f->cols;
}

/* Four products, four additions to the neighbours, the sum and the
 * comparison, in whole numbers. */
static const struct kernel_cost floyd_steinberg_cost = {
    .operation = "pixel",
    .flops = 10,
    .outline = floyd_steinberg_outline,
    .operations = floyd_steinberg_operations,
};

const struct kernel_ops kernel_floyd_steinberg_ops = {
    .name = name,
    .summary = "error diffusion on an image, rows that depend on the row above",
    .citation = "Floyd and Steinberg, An adaptive algorithm for spatial grey "
                "scale, Proc. SID 17, 1976",
    .params = floyd_steinberg_params,
    .memory = floyd_steinberg_memory,
    .create = floyd_steinberg_create,
    .destroy = floyd_steinberg_destroy,
    .iterations = floyd_steinberg_iterations,
    .output_bytes = floyd_steinberg_output_bytes,
    .scratch_bytes = floyd_steinberg_scratch_bytes,
    .run = floyd_steinberg_run,
    .reference = floyd_steinberg_reference,
    .cost = &floyd_steinberg_cost,
    .dependence = &floyd_steinberg_dependence,
    .save = floyd_steinberg_save,
};
