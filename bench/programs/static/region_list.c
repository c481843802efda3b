/* The table of `dlsbench omp --static`: a region per line, with its class and
 * the reason. */
#include "bench/programs/static/region_list.h"

#include "bench/programs/static/code_reader.h"
#include "bench/programs/symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>

static void print_region(const struct reader_region *region, const char *path,
                         struct symbols *symbols, FILE *out)
{
    struct symbols_place place;
    symbols_find(symbols, path, region->at, &place);
    fprintf(out, "%c  %-9s 0x%" PRIx64, region->class,
            region->word[0] != '\0' ? region->word : "-", region->at);
    if (place.function[0] != '\0')
        fprintf(out, "  %s", place.function);
    if (place.file[0] != '\0')
        fprintf(out, "  %s:%d", place.file, place.line);
    fputc('\n', out);
}

int static_list(const char *path, FILE *out, int *regions, struct error *err)
{
    struct reader_file file;
    int count[4] = {0};
    if (!reader_can())
        return error_set(err, ENOTSUP,
                         "omp: --static: this dlsbench reads no machine code: "
                         "build it with libcapstone-dev");
    int code = reader_read(path, &file, err);
    if (code != 0)
        return error_prefix(err, code, "omp: --static");
    struct symbols *symbols = symbols_open();
    for (int64_t i = 0; i < file.regions; i++) {
        print_region(&file.region[i], path, symbols, out);
        char class = file.region[i].class;
        count[class >= 'A' && class <= 'C' ? class - 'A' : 3]++;
    }
    *regions = (int)file.regions;
    if (file.regions > 0)
        fprintf(out,
                "regions: %d; A and B, to be cut: %d; C, safe if the output "
                "stays the same: %d; refused: %d\n",
                *regions, count[0] + count[1], count[2], count[3]);
    symbols_close(symbols);
    reader_free(&file);
    return 0;
}
