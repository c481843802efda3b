#include "kernels/support/pgm.h"

#ifdef WITH_NETPBM
#include <netpbm/pgm.h>

const bool pgm_reads_plain = true;

/* ---- the library's errors ----
 *
 * On an error the library prints a message and ends the process, unless there
 * is a place to jump to.  Only global data could keep the message, so it is
 * dropped; our own text names the file. */

static void drop_message(const char *message)
{
    (void)message;
}

static void catch_errors(jmp_buf *place)
{
    pm_setjmpbuf(place);
    pm_setusererrormsgfn(drop_message);
    pm_setusermessagefn(drop_message);
}

static void leave_errors(void)
{
    pm_setjmpbuf(NULL);
    pm_setusererrormsgfn(NULL);
    pm_setusermessagefn(NULL);
}

/* The functions that jump do not change local variables. */

bool pgm_read_head(FILE *file, struct image *image)
{
    int cols = 0, rows = 0, format;
    jmp_buf place;
    if (setjmp(place) == 0) {
        catch_errors(&place);
        pgm_readpgminit(file, &cols, &rows, &image->most, &format);
        leave_errors();
        image->cols = cols;
        image->rows = rows;
        return true;
    }
    leave_errors();
    return false;
}

bool pgm_read_row(FILE *file, const struct image *image, bool plain,
                  unsigned *values)
{
    jmp_buf place;
    if (setjmp(place) == 0) {
        catch_errors(&place);
        pgm_readpgmrow(file, values, (int)image->cols, image->most,
                       plain ? PGM_FORMAT : RPGM_FORMAT);
        leave_errors();
        return true;
    }
    leave_errors();
    return false;
}

bool pgm_write(FILE *file, const struct image *image, unsigned *values,
               image_row_fn *row, const void *arg)
{
    jmp_buf place;
    if (setjmp(place) == 0) {
        catch_errors(&place);
        pgm_writepgminit(file, (int)image->cols, (int)image->rows, image->most,
                         0);
        for (int64_t i = 0; i < image->rows; i++) {
            row(arg, i, values);
            pgm_writepgmrow(file, values, (int)image->cols, image->most, 0);
        }
        leave_errors();
        return true;
    }
    leave_errors();
    return false;
}

#else

/* Reads P5 without a library: "P5 cols rows most", a space, then a byte per
 * value, or two (the high one first) if most is above 255. */
#include <ctype.h>

const bool pgm_reads_plain = false;

/* A number of the header; # begins a comment to the line's end.  -1: none. */
static int64_t read_number(FILE *file)
{
    int c = getc(file);
    while (isspace(c) || c == '#') {
        if (c == '#')
            while (c != '\n' && c != EOF)
                c = getc(file);
        c = getc(file);
    }
    int64_t number = isdigit(c) ? 0 : -1;
    for (; isdigit(c) && number < INT32_MAX; c = getc(file))
        number = 10 * number + c - '0';
    return isspace(c) && number <= INT32_MAX ? number : -1;
}

bool pgm_read_head(FILE *file, struct image *image)
{
    if (getc(file) != 'P' || getc(file) != '5')
        return false;
    image->cols = read_number(file);
    image->rows = image->cols > 0 ? read_number(file) : -1;
    int64_t most = image->rows > 0 ? read_number(file) : -1;
    image->most = most > 0 ? (unsigned)most : 0;
    return most > 0;
}

bool pgm_read_row(FILE *file, const struct image *image, bool plain,
                  unsigned *values)
{
    (void)plain;
    for (int64_t i = 0; i < image->cols; i++) {
        int high = image->most > 255 ? getc(file) : 0, low = getc(file);
        if (high == EOF || low == EOF)
            return false;
        values[i] = (unsigned)(high << 8 | low);
    }
    return true;
}

bool pgm_write(FILE *file, const struct image *image, unsigned *values,
               image_row_fn *row, const void *arg)
{
    fprintf(file, "P5\n%lld %lld\n%u\n", (long long)image->cols,
            (long long)image->rows, image->most);
    for (int64_t i = 0; i < image->rows; i++) {
        row(arg, i, values);
        for (int64_t k = 0; k < image->cols; k++) {
            if (image->most > 255)
                putc((int)(values[k] >> 8), file);
            putc((int)(values[k] & 255), file);
        }
    }
    return !ferror(file);
}

#endif
