/* The schemes that overhead_threads times, and their loops. */
#ifndef BENCH_OVERHEAD_ENTRIES_H
#define BENCH_OVERHEAD_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/* Two threads on two workers would see a handful of chunks a loop; sequences
 * made for this many workers are long enough to be timed, and the threads ask
 * in the place of the first of them. */
enum { SEQUENCE_WORKERS = 1 << 15, CHUNKS = 1 << 20 };

/* One scheme and its loop. */
struct entry {
    const char *spec;
    int workers;
    int64_t iterations;
    bool powers; /* unequal: the sizes depend on the worker */
    bool learns; /* compared with the last entry that does not */
    bool costs;  /* of rising iterations; else nobody knows them */
    bool steals; /* each thread has a separate range */
    bool late;   /* prefetch: off */
};

static const struct entry entries[] = {
    {.spec = "ss", .workers = 2, .iterations = CHUNKS},
    {.spec = "ss", .workers = 2, .iterations = CHUNKS, .late = true},
    {.spec = "css:chunk=7", .workers = 2, .iterations = 7LL * CHUNKS},
    {.spec = "ss", .iterations = CHUNKS, .steals = true},
    {.spec = "css:chunk=7", .iterations = 7LL * CHUNKS, .steals = true},
    {.spec = "gss", .workers = SEQUENCE_WORKERS, .iterations = 1LL << 40},
    {.spec = "gss",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .late = true},
    {.spec = "fss", .workers = SEQUENCE_WORKERS, .iterations = 1LL << 40},
    {.spec = "tss:first=2000,last=1",
     .workers = 2,
     .iterations = 1000LL * CHUNKS},
    {.spec = "tss-taylor",
     .workers = 8 * SEQUENCE_WORKERS,
     .iterations = 1LL << 30},
    {.spec = "qss", .workers = 8 * SEQUENCE_WORKERS, .iterations = 1LL << 30},
    {.spec = "hss",
     .workers = 8 * SEQUENCE_WORKERS,
     .iterations = 1LL << 22,
     .costs = true},
    {.spec = "binlpt:chunks=1000000",
     .workers = 2,
     .iterations = 1LL << 22,
     .costs = true},
    {.spec = "hybrid:static=0.5,chunk=4",
     .workers = 2,
     .iterations = 8LL * CHUNKS},
    {.spec = "pls", .workers = SEQUENCE_WORKERS, .iterations = 1LL << 40},
    {.spec = "wcss:k=500000",
     .workers = 2,
     .iterations = 3LL * CHUNKS,
     .powers = true},
    {.spec = "dtss",
     .workers = 4 * SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "dtss-acp",
     .workers = 4 * SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "dfss",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "dgss",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "wf",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true},
    {.spec = "aid-hybrid:share=0.5",
     .workers = 2,
     .iterations = 1LL << 22,
     .powers = true,
     .learns = true},
    /* Less than any iteration takes: one by one. */
    {.spec = "timed:us=0.001",
     .workers = 2,
     .iterations = 1LL << 22,
     .powers = true,
     .learns = true},
    {.spec = "awf",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-b",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-c",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-d",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    {.spec = "awf-e",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
    /* Times of an empty body scatter so widely that its chunks are small. */
    {.spec = "af",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 22,
     .powers = true,
     .learns = true},
    {.spec = "bold",
     .workers = SEQUENCE_WORKERS,
     .iterations = 1LL << 40,
     .powers = true,
     .learns = true},
};

enum { COUNT = sizeof(entries) / sizeof(entries[0]) };

#endif
