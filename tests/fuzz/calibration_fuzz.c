/* Calibrations, and what is asked of them. */
#include "tests/fuzz/fuzz.h"

#include "harness/costs/calibration.h"

#include <stdio.h>

static void ask(const struct calibration *c)
{
    char doubts[400];
    calibration_doubts(c, doubts, sizeof(doubts));
    for (int k = 0; k < CALIBRATION_KINDS; k++) {
        const struct calibration_kind *kind = &c->kind[k];
        double c_d, c_c;
        calibration_exchange(kind, 2, &c_d, &c_c);
        calibration_c_sch(kind, "shared");
        calibration_kernel_of(kind, "heat");
        calibration_kernel_near(kind, "heat", 1e6);
        for (int r = 0; kind->transfers > 0 && r < 9; r++)
            fuzz_need(calibration_like(kind, r) < kind->workers,
                      "a rank is like one that was measured");
        for (int r = 0; r < 9; r++)
            calibration_start(&kind->slices, r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct calibration calibration;
    struct error err = {""};
    fuzz_file_open(&file, data, size);
    if (calibration_load(file.path, &calibration, &err) != 0) {
        fuzz_message(&err);
    } else {
        ask(&calibration);
        calibration_free(&calibration);
    }
    fuzz_file_close(&file);
    return 0;
}
