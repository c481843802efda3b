/* Numbers and lists of numbers in options. */
#include "tests/fuzz/fuzz.h"

#include "bench/foretell/sync_interval/predict.h"
#include "bench/options/numbers.h"

#include <math.h>
#include <stdlib.h>

static void read_lists(const char *text, struct error *err)
{
    double *list = NULL;
    int *order = NULL, count = 0;
    if (number_powers("--power", text, 3, &list, err) != 0)
        fuzz_message(err);
    free(list);
    list = NULL;
    if (number_costs("--g", text, 3, &list, err) != 0)
        fuzz_message(err);
    free(list);
    if (number_order("--order", text, 3, &order, &count, err) != 0)
        fuzz_message(err);
    free(order);
}

static void read_predict(const char *text, struct error *err)
{
    struct interval_group *group = NULL;
    double *h = NULL;
    int count = 0;
    if (predict_groups(text, "1e-6", &group, &count, err) != 0)
        fuzz_message(err);
    free(group);
    group = NULL;
    if (predict_groups("2,3:2", text, &group, &count, err) != 0)
        fuzz_message(err);
    free(group);
    if (predict_intervals(text, 12, 1000, &h, &count, err) != 0)
        fuzz_message(err);
    free(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {""};
    int64_t whole;
    double real;
    char *text = fuzz_text(data, size);
    if (number_integer("--n", text, -9, 99, &whole, &err) != 0)
        fuzz_message(&err);
    else
        fuzz_need(whole >= -9 && whole <= 99, "a number is in its range");
    if (number_real("--x", text, 0, 1e300, &real, &err) != 0)
        fuzz_message(&err);
    else
        fuzz_need(real >= 0 && real <= 1e300, "a number is in its range");
    read_lists(text, &err);
    read_predict(text, &err);
    free(text);
    return 0;
}
