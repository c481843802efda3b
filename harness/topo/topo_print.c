/* The table of `dlsbench topo`. */
#include "harness/topo/topo_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char *const domain_names[TOPO_DOMAINS] = {"node", "socket",
                                                       "NUMA domain"};

static void print_room(FILE *out, const struct topo *topo)
{
    struct topo_room room;
    topo_room(topo, &room);
    for (int i = TOPO_SOCKET; i < TOPO_DOMAINS; i++) {
        bool alike =
            room.domains[i] * room.processors[i] == topo_processors(topo);
        fprintf(out, "%s%d %s%s of %s%d cores and %d hardware threads",
                i > TOPO_SOCKET ? ", " : "", room.domains[i], domain_names[i],
                room.domains[i] == 1 ? "" : "s", alike ? "" : "at least ",
                room.cores[i], room.processors[i]);
    }
    fputc('\n', out);
}

/* Cores of several kinds do not make equal workers. */
static void print_kinds(FILE *out, const struct topo *topo)
{
    int kinds = hwloc_cpukinds_get_nr(topo->handle, 0);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (int i = 0; kinds > 1 && i < kinds; i++) {
        char text[256];
        int efficiency = -1;
        hwloc_cpukinds_get_info(topo->handle, (unsigned)i, set, &efficiency,
                                NULL, NULL, 0);
        hwloc_bitmap_list_snprintf(text, sizeof(text), set);
        fprintf(out, "kind %d: processors %s%s\n",
                efficiency >= 0 ? efficiency : i, text,
                efficiency < 0            ? ", of unknown power"
                : efficiency == 0         ? ", the least powerful"
                : efficiency == kinds - 1 ? ", the most powerful"
                                          : "");
    }
    if (kinds > 1)
        fprintf(out, "cores are not alike: power measured gives each worker "
                     "what it is worth\n");
    hwloc_bitmap_free(set);
}

static void print_quota(FILE *out, const struct topo *topo)
{
    const struct allowed *allowed = &topo->allowed;
    if (allowed->unknown[0] != '\0')
        fprintf(out, "CPU quota: not known (%s)\n", allowed->unknown);
    if (isfinite(allowed->quota))
        fprintf(out, "CPU quota: %.4g (%s)\n", allowed->quota,
                allowed->quota_file);
}

static void print_number(FILE *out, int width, int number)
{
    if (number < 0)
        fprintf(out, "  %*s", width, "-");
    else
        fprintf(out, "  %*d", width, number);
}

static int find_earlier(const struct topo *topo, const int *processor,
                        int worker, bool smt)
{
    int core = topo_seat(topo, processor[worker]).core;
    for (int w = 0; processor[worker] >= 0 && w < worker; w++)
        if (smt ? processor[w] == processor[worker]
                : topo_seat(topo, processor[w]).core == core)
            return w;
    return -1;
}

/* A line for each worker; how many share. */
static int print_workers(FILE *out, const struct topo *topo,
                         const struct topo_binding *binding,
                         const int *processor, int ranks, int threads)
{
    int shared = 0;
    fprintf(out, "%6s  %6s  %6s  %9s  %6s  %6s  %6s  %4s\n", "worker", "rank",
            "thread", "processor", "core", "socket", "numa", "kind");
    for (int w = 0; w < ranks * threads; w++) {
        struct topo_seat seat = topo_seat(topo, processor[w]);
        int other = find_earlier(topo, processor, w, binding->smt);
        fprintf(out, "%6d  %6d  %6d", w, w / threads, w % threads);
        if (processor[w] < 0)
            fprintf(out, "  any of its rank's");
        else
            print_number(out, 9, seat.processor);
        if (processor[w] >= 0) {
            print_number(out, 6, seat.core);
            print_number(out, 6, seat.socket);
            print_number(out, 6, seat.numa);
            print_number(out, 4, seat.kind);
        }
        if (other >= 0)
            fprintf(out, "  shares its %s with worker %d",
                    binding->smt ? "processor" : "core", other);
        fputc('\n', out);
        shared += other >= 0;
    }
    return shared;
}

/* Rank r has domain r, and what ranks have beyond the domains goes round. */
static int assign_ranks(const struct topo *topo,
                        const struct topo_binding *binding, int ranks,
                        int threads, int *processor, struct error *err)
{
    bool listed = binding->bind == TOPO_LIST;
    int domains = listed ? 1 : topo_domains(topo, binding->domain), code = 0;
    int *part = calloc((size_t)ranks * (size_t)threads + 1, sizeof(*part));
    if (part == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int d = 0; code == 0 && d < domains && d < ranks; d++) {
        int mine = (ranks - d + domains - 1) / domains;
        code = topo_assign(topo, binding, d, mine * threads, 0, part, err);
        for (int i = 0; code == 0 && i < mine; i++)
            for (int t = 0; t < threads; t++)
                processor[(d + i * domains) * threads + t] =
                    part[i * threads + t];
    }
    free(part);
    return code;
}

static int print_unbound(FILE *out, const struct topo *topo,
                         const struct topo_binding *binding, int workers)
{
    int room = binding->smt ? topo_processors(topo) : topo_cores(topo);
    if (workers <= room)
        return 0;
    fprintf(out, "%d workers, room for %d\n", workers, room);
    return workers - room;
}

int topo_print(FILE *out, const struct topo *topo,
               const struct topo_binding *binding, int ranks, int threads,
               struct error *err)
{
    int *processor =
        calloc((size_t)ranks * (size_t)threads + 1, sizeof(*processor));
    if (processor == NULL)
        return error_set(err, ENOMEM, "out of memory");
    int shared = assign_ranks(topo, binding, ranks, threads, processor, err);
    if (shared == 0) {
        fprintf(out, "%s\nprocessors that may be used: %s\n",
                topo_summary(topo), topo_cpuset(topo));
        print_room(out, topo);
        print_kinds(out, topo);
        print_quota(out, topo);
        shared = print_workers(out, topo, binding, processor, ranks, threads);
        if (binding->bind == TOPO_NONE)
            shared = print_unbound(out, topo, binding, ranks * threads);
    }
    free(processor);
    return shared;
}
