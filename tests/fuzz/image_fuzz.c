/* Images, as a kernel reads them. */
#include "tests/fuzz/fuzz.h"

#include "kernels/support/image.h"

#include <stdlib.h>

static void read_rows(struct image_reader *reader, const struct image *image)
{
    struct error err = {""};
    unsigned *row = calloc((size_t)image->cols, sizeof(*row));
    fuzz_need(row != NULL, "memory for a row");
    for (int64_t i = 0; i < image->rows; i++) {
        if (image_read_row(reader, row, &err) != 0) {
            fuzz_message(&err);
            break;
        }
        for (int64_t k = 0; k < image->cols; k++)
            fuzz_need(row[k] <= image->most, "a value is up to the maximum");
    }
    free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct image_reader *reader;
    struct image image;
    struct error err = {""};
    fuzz_file_open(&file, data, size);
    if (image_open(&reader, "fuzz", file.path, &image, &err) != 0) {
        fuzz_message(&err);
    } else {
        read_rows(reader, &image);
        image_close(reader);
    }
    fuzz_file_close(&file);
    return 0;
}
