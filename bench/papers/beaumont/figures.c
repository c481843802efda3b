#include "bench/papers/beaumont/figures.h"

#include "base/random.h"

#include <stdio.h>

static const double processors[] = {22.151, 48.492, 34.333, 114.444};
static const double networks[] = {4.70, 32.10, 30.25};
enum { PROCESSORS = 4, NETWORKS = 3, FASTEST = 3, MEASURED = 1 };

const struct beaumont_figure beaumont_figures[BEAUMONT_FIGURES] = {
    [BEAUMONT_HOMOGENEOUS_5] = {"5, 6", 5, false, false, 1000},
    [BEAUMONT_HOMOGENEOUS_20] = {"7", 20, false, false, 1000},
    [BEAUMONT_RANDOM_5] = {"8, 9", 5, true, false, 1000},
    [BEAUMONT_RANDOM_20] = {"10", 20, true, false, 1000},
    [BEAUMONT_LATENCY_5] = {"11, 12", 5, true, true, 1000},
    [BEAUMONT_LATENCY_20] = {"13", 20, true, true, 1000},
    [BEAUMONT_HIGH_LATENCY_5] = {"14", 5, true, true, 50},
    [BEAUMONT_HIGH_LATENCY_20] = {"15", 20, true, true, 50},
};

void beaumont_title(const struct beaumont_figure *figure, char *text, int size)
{
    snprintf(text, (size_t)size, "%d workers, %s, %s, %g Mflop a unit",
             figure->workers, figure->random ? "random" : "homogeneous",
             figure->latency ? "with latency" : "no latency", figure->mflop);
}

double beaumont_load(int index)
{
    return 100 * (index + 1);
}

const char *beaumont_heuristic(int index)
{
    static const char *const names[BEAUMONT_HEURISTICS] = {
        "lp-fixed", "lp-sqrt", "lp-adaptive", "mi-1", "mi-2", "mi-3",
        "mi-4",     "mi-5",    "mi-6",        "mi-7", "mi-8"};
    return names[index];
}

struct divisible_choice beaumont_choice(int index,
                                        const struct beaumont_reading *reading)
{
    static const enum divisible_algorithm lp[] = {
        [BEAUMONT_FIXED] = DIVISIBLE_LP_FIXED,
        [BEAUMONT_SQRT] = DIVISIBLE_LP_SQRT,
        [BEAUMONT_ADAPTIVE] = DIVISIBLE_LP_ADAPTIVE};
    if (index < BEAUMONT_FIRST_MI)
        return (struct divisible_choice){.algorithm = lp[index],
                                         .tail = reading->tail};
    return (struct divisible_choice){.algorithm = DIVISIBLE_MULTI_INSTALLMENT,
                                     .installments =
                                         index - BEAUMONT_FIRST_MI + 1,
                                     .equations = reading->equations};
}

void beaumont_platform(const struct beaumont_figure *figure,
                       const struct beaumont_reading *reading, uint64_t seed,
                       int number, struct divisible_worker *worker)
{
    uint64_t state = random_stream(seed, (uint64_t)number);
    int first = 0;
    for (int i = 0; i < figure->workers; i++) {
        int processor = (int)(random_next(&state) % PROCESSORS);
        int network = (int)(random_next(&state) % NETWORKS);
        first = i == 0 ? network : first;
        if (reading->one_network)
            network = first;
        if (!figure->random) {
            processor = FASTEST;
            network = MEASURED;
        }
        worker[i] = (struct divisible_worker){
            .G = reading->data_mbit / networks[network],
            .w = figure->mflop / processors[processor]};
        if (figure->latency)
            worker[i].g = reading->latency_mbit / networks[network];
    }
}
