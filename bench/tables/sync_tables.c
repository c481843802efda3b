#include "bench/tables/sync_tables.h"

#include "bench/cli/table.h"
#include "bench/tables/sync_cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entries of one kernel and way. */
struct block {
    const struct sync_cell *entry;
    int count;
    /* One of each kind, in order; the rest of it is not looked at. */
    const struct sync_cell **column, **row;
    int columns, rows;
};

/* ---- blocks ---- */

/* Puts an entry among those of its kind, unless there is one like it. */
static void insert(const struct sync_cell **kind, int *count,
                   const struct sync_cell *entry, sync_order *order)
{
    int at = 0;
    while (at < *count && order(kind[at], entry) < 0)
        at++;
    if (at < *count && order(kind[at], entry) == 0)
        return;
    memmove(kind + at + 1, kind + at, (size_t)(*count - at) * sizeof(*kind));
    kind[at] = entry;
    ++*count;
}

static bool open_block(struct block *block, const struct sync_cell *entry,
                       int left)
{
    *block = (struct block){.entry = entry};
    while (block->count < left &&
           sync_order_block(entry, &entry[block->count]) == 0)
        block->count++;
    size_t n = (size_t)block->count + 1;
    block->column = calloc(n, sizeof(struct sync_cell *));
    block->row = calloc(n, sizeof(struct sync_cell *));
    if (block->column == NULL || block->row == NULL)
        return false;
    for (int i = 0; i < block->count; i++) {
        insert(block->column, &block->columns, &entry[i], sync_order_column);
        insert(block->row, &block->rows, &entry[i], sync_order_row);
    }
    return true;
}

static void close_block(struct block *block)
{
    free(block->column);
    free(block->row);
}

static const struct sync_cell *find(const struct block *block,
                                    const struct sync_cell *interval,
                                    const struct sync_cell *scheme,
                                    const struct sync_cell *column)
{
    for (int i = 0; i < block->count; i++) {
        const struct sync_cell *e = &block->entry[i];
        if (sync_order_interval(e, interval) == 0 &&
            sync_order_scheme(e, scheme) == 0 &&
            sync_order_column(e, column) == 0)
            return e;
    }
    return NULL;
}

/* ---- parallel time ---- */

static bool any_power(const struct block *block)
{
    for (int c = 0; c < block->columns; c++)
        if (block->column[c]->cell->power[0] != '\0')
            return true;
    return false;
}

static void add_head(const struct block *block, struct table *table)
{
    table_add(table, "%s", "");
    table_add(table, "workers");
    for (int c = 0; c < block->columns; c++)
        table_add(table, "%d", block->column[c]->workers);
    if (any_power(block)) {
        table_add(table, "%s", "");
        table_add(table, "power");
        for (int c = 0; c < block->columns; c++)
            table_add(table, "%s", block->column[c]->cell->power);
    }
    table_add(table, "interval");
    table_add(table, "scheme");
    for (int c = 0; c < block->columns; c++) {
        const char *load = block->column[c]->cell->load;
        table_add(table, "%s%s", load[0] ? "load " : "dedicated", load);
    }
}

static void add_times(const struct block *block, struct table *table)
{
    for (int r = 0; r < block->rows; r++) {
        const struct cell *cell = block->row[r]->cell;
        table_add(table, "%lld", (long long)cell->sync_interval);
        table_add(table, "DMPS(%s)", cell->scheme);
        for (int c = 0; c < block->columns; c++) {
            char text[32];
            const struct sync_cell *entry =
                find(block, block->row[r], block->row[r], block->column[c]);
            double time = entry != NULL ? entry->time_s : NAN;
            table_seconds(time, time, text, sizeof(text));
            table_add(table, "%s", text);
        }
    }
}

/* ---- speedup ---- */

/* Not known where nobody has recorded what was measured. */
static void add_power(struct table *table, double power, int digits)
{
    if (isfinite(power))
        table_add(table, "%.*g", digits, power);
    else
        table_add(table, "-");
}

static void add_speedups(const struct block *block, struct table *table,
                         const struct sync_cell *interval,
                         const struct sync_cell **scheme, int schemes)
{
    for (int c = 0; c < block->columns; c++) {
        const struct sync_cell *column = block->column[c];
        bool any = false;
        for (int s = 0; s < schemes; s++)
            any = any || find(block, interval, scheme[s], column) != NULL;
        if (!any)
            continue;
        const char *load = column->cell->load;
        table_add(table, "%lld", (long long)interval->cell->sync_interval);
        table_add(table, "%s%s", load[0] ? "load " : "dedicated", load);
        table_add(table, "%d", column->workers);
        add_power(table, column->total_power, 4);
        for (int s = 0; s < schemes; s++) {
            const struct sync_cell *e =
                find(block, interval, scheme[s], column);
            table_number(table, e ? e->alone_s / e->time_s : NAN, 4);
        }
    }
}

static int print_speedups(FILE *out, const struct block *block)
{
    struct table table;
    int schemes = 0, intervals = 0;
    size_t n = (size_t)block->count + 1;
    const struct sync_cell **scheme = calloc(2 * n, sizeof(*scheme));
    if (scheme == NULL)
        return -ENOMEM;
    const struct sync_cell **interval = scheme + n;
    for (int i = 0; i < block->count; i++) {
        insert(scheme, &schemes, &block->entry[i], sync_order_scheme);
        insert(interval, &intervals, &block->entry[i], sync_order_interval);
    }
    table_open(&table, 4 + schemes, 2);
    table_add(&table, "interval");
    table_add(&table, "mode");
    table_add(&table, "workers");
    table_add(&table, "total power");
    for (int s = 0; s < schemes; s++)
        table_add(&table, "DMPS(%s)", scheme[s]->cell->scheme);
    for (int i = 0; i < intervals; i++)
        add_speedups(block, &table, interval[i], scheme, schemes);
    int code = table_print(&table, out, 2);
    table_free(&table);
    free(scheme);
    return code;
}

/* ---- all ---- */

static int print_block(FILE *out, const struct block *block)
{
    struct table table;
    fputc('\n', out);
    table_heading(out, 0, block->entry->cell->kernel);
    table_heading(out, 2, block->entry->way);
    fprintf(out, "\n  parallel time by synchronization interval, scheme and "
                 "number of workers\n");
    table_open(&table, 2 + block->columns, 2);
    add_head(block, &table);
    add_times(block, &table);
    int code = table_print(&table, out, 2);
    table_free(&table);
    if (code != 0)
        return code;
    fprintf(out, "\n  speedup over the fastest worker alone, against the "
                 "total power of all\n");
    return print_speedups(out, block);
}

static int print_entries(FILE *out, const struct sync_cell *entry, int count)
{
    int code = 0;
    for (int i = 0; i < count && code == 0;) {
        struct block block;
        code = open_block(&block, &entry[i], count - i)
                   ? print_block(out, &block)
                   : -ENOMEM;
        i += block.count;
        close_block(&block);
    }
    return code;
}

int sync_tables_print(FILE *out, const struct results *results,
                      struct error *err)
{
    int count;
    struct sync_cell *entry = sync_cells_make(results, &count);
    int code = entry != NULL ? print_entries(out, entry, count) : -ENOMEM;
    free(entry);
    return code == 0 ? 0 : error_set(err, ENOMEM, "out of memory");
}

static int print_csv(FILE *out, const struct sync_cell *entry, int count)
{
    static const char *const head[] = {
        "kernel", "mode",  "sync_interval", "scheme",  "workers", "time_s",
        "load",   "power", "total_power",   "speedup", "way"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    table_open(&table, COLUMNS, 0);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", head[i]);
    for (int i = 0; i < count; i++) {
        const struct sync_cell *e = &entry[i];
        const struct cell *c = e->cell;
        table_add(&table, "%s", c->kernel);
        table_add(&table, "%s", c->load[0] ? "non-dedicated" : "dedicated");
        table_add(&table, "%lld", (long long)c->sync_interval);
        table_add(&table, "dmps:%s", c->scheme);
        table_add(&table, "%d", e->workers);
        table_add(&table, "%.9g", e->time_s);
        table_add(&table, "%s", c->load);
        table_add(&table, "%s", c->power);
        add_power(&table, e->total_power, 9);
        table_number(&table, e->alone_s / e->time_s, 6);
        table_add(&table, "%s", e->way);
    }
    int code = table_csv(&table, out);
    table_free(&table);
    return code;
}

typedef int print_function(FILE *out, const struct sync_cell *entry, int count);

/* By rename: shards that end together write the same. */
static int store(const char *dir, const char *name, print_function *print,
                 const struct sync_cell *entry, int count, struct error *err)
{
    char path[4400], part[4420];
    snprintf(path, sizeof(path), "%.4300s/%s", dir, name);
    snprintf(part, sizeof(part), "%s.part", path);
    FILE *out = fopen(part, "w");
    int code = out != NULL ? print(out, entry, count) : 0;
    bool wrong = out == NULL || ferror(out);
    if (out != NULL && fclose(out) != 0)
        wrong = true;
    if (code == 0 && !wrong && rename(part, path) == 0)
        return 0;
    int reason = code != 0 ? -code : errno ? errno : EIO;
    remove(part);
    return error_set(err, reason, "%s: cannot write: %s", path,
                     strerror(reason));
}

int sync_tables_store(const char *dir, const struct results *results,
                      struct error *err)
{
    int count;
    struct sync_cell *entry = sync_cells_make(results, &count);
    if (entry == NULL)
        return error_set(err, ENOMEM, "out of memory");
    int code = 0;
    if (count > 0)
        code = store(dir, "sync-tables.txt", print_entries, entry, count, err);
    if (code == 0 && count > 0)
        code = store(dir, "sync-tables.csv", print_csv, entry, count, err);
    free(entry);
    return code;
}
