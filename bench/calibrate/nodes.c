#include "bench/calibrate/nodes.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int nodes_template(const char *launcher, bool apart, char *out, size_t size,
                   struct error *err)
{
    size_t first = strcspn(launcher, " ");
    const char *name = launcher + first, *words;
    while (name > launcher && name[-1] != '/')
        name--;
    bool open_mpi =
        text_begins(name, "mpirun") || text_begins(name, "mpiexec.openmpi");
    if (text_begins(name, "srun"))
        words = apart ? "-N 2 --ntasks-per-node=1" : "-N 1";
    else if (open_mpi)
        words = apart ? "--map-by ppr:1:node" : "";
    else if (text_begins(name, "mpiexec"))
        words = apart ? "-ppn 1" : "";
    else
        return error_set(err, EINVAL,
                         "--nodes: '%.*s' is not known as a launcher: srun, "
                         "mpiexec or mpirun is needed",
                         (int)first, launcher);
    if ((size_t)snprintf(out, size, "%.*s %s%s", (int)first, launcher, words,
                         launcher + first) >= size)
        return error_set(err, ENAMETOOLONG, "--launcher: it is too long");
    return 0;
}

int nodes_between_path(const char *node, char *path, size_t size,
                       struct error *err)
{
    size_t length = strlen(node);
    if (length > 5 && strcmp(node + length - 5, ".json") == 0)
        length -= 5;
    if ((size_t)snprintf(path, size, "%.*s-between.json", (int)length, node) >=
        size)
        return error_set(err, ENAMETOOLONG, "%s: the path is too long", node);
    return 0;
}

/* ---- the table ---- */

/* The mean over pairs of the one-way time of one size, s. */
static double mean_one_way(const struct calibration_kind *kind, int size)
{
    double sum = 0;
    for (int i = 0; i < kind->pairs; i++)
        sum += kind->pair[i].size[size].one_way;
    return kind->pairs > 0 ? sum / kind->pairs : (double)NAN;
}

static void print_both(const char *what, double node, double between,
                       double factor, const char *unit)
{
    printf("  %-28s %12.4g %12.4g %s\n", what, node * factor, between * factor,
           unit);
}

void nodes_table(const struct calibration *node,
                 const struct calibration *between)
{
    const struct calibration_kind *in = &node->kind[CALIBRATION_RANKS];
    const struct calibration_kind *apart = &between->kind[CALIBRATION_RANKS];
    double latency[2] = {0, 0}, byte_s[2] = {0, 0};
    char what[64];
    calibration_exchange(in, in->workers, &latency[0], &byte_s[0]);
    calibration_exchange(apart, apart->workers, &latency[1], &byte_s[1]);
    printf("\nMessages            mean of pairs %12s %12s\n", "in a node",
           "between two");
    for (int i = 0; in->pairs > 0 && i < CALIBRATION_SIZES; i++) {
        snprintf(what, sizeof(what), "one way, %.0f bytes",
                 in->pair[0].size[i].bytes);
        print_both(what, mean_one_way(in, i), mean_one_way(apart, i), 1e6,
                   "us");
    }
    print_both("latency (fit over sizes)", latency[0], latency[1], 1e6, "us");
    print_both("bandwidth (fit over sizes)", 1 / byte_s[0], 1 / byte_s[1], 1e-6,
               "MB/s");
    for (int i = 0; i < CALIBRATION_SIZES; i++) {
        if (isnan(in->rate[i].messages) || isnan(apart->rate[i].messages))
            continue;
        snprintf(what, sizeof(what), "taken in, %.0f bytes",
                 apart->rate[i].bytes);
        print_both(what, in->rate[i].messages, apart->rate[i].messages, 1,
                   "a second");
    }
    print_both("requests of a master", 1 / in->charge.round,
               1 / apart->charge.round, 1, "a second");
}
