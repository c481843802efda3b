/* A calibration for people. */
#include "bench/calibrate/calibrate.h"
#include "bench/options/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Up to this number, pairs are printed one by one; otherwise only the fastest
 * and the slowest. */
enum { PAIRS_SHOWN = 6 };

static const char *with_unit(double seconds, char *text, size_t size)
{
    return table_said_seconds(seconds, seconds, text, (int)size);
}

static void print_pair(const char *kind, const char *what,
                       const struct calibration_pair *pair)
{
    char d[24], c[24], least[24], most[24];
    const int last = CALIBRATION_SIZES - 1;
    printf("  %-8s %-10s %10s %10s %8.4f   %10s %10s\n", kind, what,
           with_unit(pair->c_d, d, sizeof(d)),
           with_unit(pair->c_c, c, sizeof(c)), pair->r2,
           with_unit(pair->size[0].one_way, least, sizeof(least)),
           with_unit(pair->size[last].one_way, most, sizeof(most)));
}

static void print_pairs(const char *name, const struct calibration_kind *kind)
{
    char what[32];
    int least = 0, most = 0;
    for (int i = 0; i < kind->pairs; i++) {
        least = kind->pair[i].c_d < kind->pair[least].c_d ? i : least;
        most = kind->pair[i].c_d > kind->pair[most].c_d ? i : most;
        snprintf(what, sizeof(what), "%d - %d", kind->pair[i].worker[0],
                 kind->pair[i].worker[1]);
        if (kind->pairs <= PAIRS_SHOWN)
            print_pair(name, what, &kind->pair[i]);
    }
    if (kind->pairs > PAIRS_SHOWN) {
        print_pair(name, "least", &kind->pair[least]);
        print_pair(name, "largest", &kind->pair[most]);
        printf("  %-8s of %d pairs\n", "", kind->pairs);
    }
    if (kind->pairs == 0)
        printf("  %-8s one worker alone: none\n", name);
}

static void print_kernel(const char *kind, int workers,
                         const struct calibration_kernel *kernel)
{
    char least[24], most[24], start[24], fit[16] = "-";
    double low = INFINITY, high = 0, c_b = 0, r2 = INFINITY, power = 1;
    for (int w = 0; w < workers; w++) {
        const struct calibration_cost *cost = &kernel->cost[w];
        low = fmin(low, cost->c_p);
        high = fmax(high, cost->c_p);
        c_b = fmax(c_b, cost->c_b);
        r2 = fmin(r2, cost->r2);
        power = fmax(power, cost->power);
    }
    if (kernel->grid)
        snprintf(fit, sizeof(fit), "%.4f", r2);
    printf("  %-38.38s %-8s %10s %10s %6.3f %10s %7s\n", kernel->spec, kind,
           with_unit(low, least, sizeof(least)),
           with_unit(high, most, sizeof(most)), power,
           kernel->grid ? with_unit(c_b, start, sizeof(start)) : "-", fit);
}

static void print_charge(const char *kind, const char *what, double seconds)
{
    char text[24];
    if (isfinite(seconds))
        printf("  %-8s %-38s %10s\n", kind, what,
               with_unit(seconds, text, sizeof(text)));
}

static void print_charges(const char *kind, const struct calibration_charge *c)
{
    print_charge(kind, "a chunk from a scheme's state", c->state);
    print_charge(kind, "to send a request", c->send);
    print_charge(kind, "to receive one", c->receive);
    print_charge(kind, "one way, both included", c->one_way);
    print_charge(kind, "a chunk from a dedicated master", c->round);
    print_charge(kind, "waiting for what is stolen", c->steal);
}

static void print_blocks(const char *kind,
                         const struct calibration_kernel *kernel)
{
    char row[24], shared[24], wait[24];
    for (int b = 0; b < kernel->blocks; b++) {
        const struct calibration_block *block = &kernel->block[b];
        printf("  %-38.38s %-8s %8lld %10s %10s %10s\n", kernel->spec, kind,
               (long long)block->h, with_unit(block->row, row, sizeof(row)),
               with_unit(fmax(block->shared, 0), shared, sizeof(shared)),
               isnan(block->wait) ? "-"
                                  : with_unit(block->wait, wait, sizeof(wait)));
    }
}

static void print_all_blocks(const struct calibration *c)
{
    printf(
        "\nA block of h columns under DMPS: each of its rows; more where the "
        "rows beside it are another\nworker's; the wait for its boundary\n"
        "  %-38s %-8s %8s %10s %10s %10s\n",
        "kernel", "", "h", "row", "sharing", "wait");
    for (int k = 0; k < c->kind[0].kernels || k < c->kind[1].kernels; k++)
        for (int i = 0; i < CALIBRATION_KINDS; i++)
            if (k < c->kind[i].kernels)
                print_blocks(calibration_names[i], &c->kind[i].kernel[k]);
}

/* The rates at which rank 0 receives. */
static void print_rates(const struct calibration_kind *kind)
{
    if (kind->workers == 0 || isnan(kind->rate[0].messages))
        return;
    printf("\nMessages that one rank takes in when all others send\n"
           "  %12s %14s %10s\n",
           "bytes", "a second", "MB/s");
    for (int i = 0; i < CALIBRATION_SIZES; i++)
        printf("  %12.0f %14.0f %10.1f\n", kind->rate[i].bytes,
               kind->rate[i].messages,
               kind->rate[i].messages * kind->rate[i].bytes / 1e6);
}

static void print_slices(const char *kind, const struct calibration_slices *s)
{
    char run[24], gap[24], start[24];
    if (s->run > 0)
        printf(
            "  %-8s %s with the core, %s without, %s left when a loop "
            "starts\n",
            kind, with_unit(s->run, run, sizeof(run)),
            with_unit(s->gap, gap, sizeof(gap)),
            with_unit(s->start[CALIBRATION_STARTS / 2], start, sizeof(start)));
    else
        printf("  %-8s no slices were seen\n", kind);
}

void calibrate_table(const struct calibration *c)
{
    char text[24];
    printf("%s, %s, processors %s\n%s, dlsbench %s, %s, took %.1f s\n", c->host,
           c->processor, c->cpuset, c->mpi, c->version, c->started, c->took_s);
    printf("\nBoundaries between two workers, one way: c_d + bytes c_c\n"
           "  %-8s %-10s %10s %10s %8s   %10s %10s\n",
           "", "workers", "c_d", "c_c", "R^2", "8 bytes", "8 KiB");
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        if (c->kind[i].workers > 0)
            print_pairs(calibration_names[i], &c->kind[i]);
    printf("\nA chunk, when all ask all the time: c_sch\n");
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        for (int j = 0; j < c->kind[i].dispatches; j++)
            printf("  %-8s %-10s %10s\n", calibration_names[i],
                   c->kind[i].dispatch[j].transport,
                   with_unit(c->kind[i].dispatch[j].c_sch, text, sizeof(text)));
    printf("\nFurther charges of simulations\n");
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        if (c->kind[i].workers > 0)
            print_charges(calibration_names[i], &c->kind[i].charge);
    print_rates(&c->kind[CALIBRATION_RANKS]);
    printf("\nA worker and one busy process on its core\n");
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        if (c->kind[i].workers > 0)
            print_slices(calibration_names[i], &c->kind[i].slices);
    printf("\nAn iteration (of a loop with dependences: a grid point) on the "
           "fastest "
           "and the slowest worker: c_p\n"
           "  %-38s %-8s %10s %10s %6s %10s %7s\n",
           "kernel", "", "fastest", "slowest", "ratio", "c_b a row", "R^2");
    for (int k = 0; k < c->kind[0].kernels || k < c->kind[1].kernels; k++)
        for (int i = 0; i < CALIBRATION_KINDS; i++)
            if (k < c->kind[i].kernels)
                print_kernel(calibration_names[i], c->kind[i].workers,
                             &c->kind[i].kernel[k]);
    print_all_blocks(c);
    printf("\nPowers over all kernels (slowest 1):");
    for (int i = 0; i < CALIBRATION_KINDS; i++) {
        if (c->kind[i].workers == 0)
            continue;
        printf("%s %s", i > 0 && c->kind[0].workers > 0 ? "," : "",
               calibration_names[i]);
        for (int w = 0; w < c->kind[i].workers; w++)
            printf(" %.3f", c->kind[i].worker[w].power);
    }
    putchar('\n');
}
