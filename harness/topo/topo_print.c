/* The table of `dlsbench topo`. */
#include "harness/topo/topo_internal.h"

#include "base/text.h"

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
        int domains = room.domains[i], cores = room.cores[i];
        int threads = room.processors[i];
        bool alike = domains * threads == topo_processors(topo);
        fprintf(out, "%s%d %s%s of %s%d core%s and %d hardware thread%s",
                i > TOPO_SOCKET ? ", " : "", domains, domain_names[i],
                text_s(domains), alike ? "" : "at least ", cores, text_s(cores),
                threads, text_s(threads));
    }
    fputc('\n', out);
}

/* Cores of several kinds do not make equal workers. */
static void print_kinds(FILE *out, const struct topo *topo)
{
    char text[400];
    for (int i = 0; topo->kinds > 1 && i < topo->kinds; i++) {
        topo_kind_text(topo, i, text, sizeof(text));
        fprintf(out, "%s\n", text);
    }
    if (topo->kinds > 1)
        fprintf(out, "cores differ in speed: power measured gives each worker "
                     "its own power\n");
}

static void print_number(FILE *out, int width, int number)
{
    if (number < 0)
        fprintf(out, "  %*s", width, "-");
    else
        fprintf(out, "  %*d", width, number);
}

/* The worker before this one that has its core (with smt: its processor) -1:
 * none.  `first`: the last worker of each core, from 1 on. */
static int find_earlier(const struct topo_position *at, int worker, bool smt,
                        int *first)
{
    int *of = &first[smt ? at->processor : at->core];
    if (*of == 0)
        *of = worker + 1;
    return *of - 1 < worker ? *of - 1 : -1;
}

static void print_position(FILE *out, const struct topo_position *at)
{
    if (at->processor < 0) {
        fprintf(out, "  any of its rank's");
        return;
    }
    print_number(out, 9, at->processor);
    print_number(out, 6, at->core);
    print_number(out, 6, at->socket);
    print_number(out, 6, at->numa);
    print_number(out, 4, at->kind);
}

/* A line for each worker; how many share, or -ENOMEM. */
static int print_workers(FILE *out, const struct topo *topo,
                         const struct topo_binding *binding,
                         const int *processor, int ranks, int threads)
{
    int shared = 0;
    int *first = calloc((size_t)topo->pus + 1, sizeof(*first));
    if (first == NULL)
        return -ENOMEM;
    fprintf(out, "%6s  %6s  %6s  %9s  %6s  %6s  %6s  %4s\n", "worker", "rank",
            "thread", "processor", "core", "socket", "numa", "kind");
    for (int w = 0; w < ranks * threads; w++) {
        struct topo_position at = topo_position(topo, processor[w]);
        int other =
            processor[w] < 0 ? -1 : find_earlier(&at, w, binding->smt, first);
        fprintf(out, "%6d  %6d  %6d", w, w / threads, w % threads);
        print_position(out, &at);
        if (other >= 0)
            fprintf(out, "  shares its %s with worker %d",
                    binding->smt ? "processor" : "core", other);
        fputc('\n', out);
        shared += other >= 0;
    }
    free(first);
    return shared;
}

/* Rank r has domain r; further ranks start again at domain 0. */
static int assign_ranks(const struct topo *topo,
                        const struct topo_binding *binding, int ranks,
                        int threads, int *processor, struct error *err)
{
    bool listed = binding->bind == TOPO_LIST;
    int domains = listed ? 1 : topo->domains[binding->domain], code = 0;
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
    fprintf(out, "%d worker%s, room for %d\n", workers, text_s(workers), room);
    return workers - room;
}

static void print_slower(FILE *out, const struct topo *topo,
                         const struct topo_binding *binding,
                         const int *processor, int workers)
{
    int slower = topo_slower(topo, processor, workers);
    if (slower > 0 && binding->bind != TOPO_KIND)
        fprintf(out,
                "warning: %d of %d worker%s would get slower cores while "
                "faster ones are free: --bind fast\n",
                slower, workers, text_s(workers));
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
        const struct allowed *allowed = &topo->allowed;
        if (allowed->unknown[0] != '\0')
            fprintf(out, "CPU quota: not known (%s)\n", allowed->unknown);
        if (isfinite(allowed->quota))
            fprintf(out, "CPU quota: %.4g (%s)\n", allowed->quota,
                    allowed->quota_file);
        shared = print_workers(out, topo, binding, processor, ranks, threads);
        print_slower(out, topo, binding, processor, ranks * threads);
        if (binding->bind == TOPO_NONE)
            shared = print_unbound(out, topo, binding, ranks * threads);
    }
    free(processor);
    return shared;
}
