/* Time slices as JSON, and which start a repetition has. */
#include "harness/costs/calibration.h"

#include <math.h>

/* s; with shorter slices a simulation would not end. */
static const double SLICE_LEAST = 1e-9, SLICE_MOST = 1e6;

json_t *calibration_slices_to_json(const struct calibration_slices *s)
{
    json_t *starts = json_array();
    if (!(s->run > 0))
        return json_null();
    for (int i = 0; i < CALIBRATION_STARTS; i++)
        json_array_append_new(starts, json_real(s->start[i]));
    return json_pack("{s:f,s:f,s:o}", "run_s", s->run, "gap_s", s->gap,
                     "start_s", starts);
}

static bool is_slice(double seconds, double least)
{
    return seconds >= least && seconds <= SLICE_MOST;
}

int calibration_slices_from_json(const json_t *object,
                                 struct calibration_slices *s)
{
    const json_t *starts = json_object_get(object, "start_s");
    struct calibration_slices read = {
        .run = json_number_value(json_object_get(object, "run_s")),
        .gap = json_number_value(json_object_get(object, "gap_s"))};
    *s = (struct calibration_slices){.run = 0};
    if (object == NULL || json_is_null(object))
        return 0;
    bool good = is_slice(read.run, SLICE_LEAST) &&
                is_slice(read.gap, SLICE_LEAST) &&
                json_array_size(starts) == CALIBRATION_STARTS;
    for (size_t i = 0; good && i < CALIBRATION_STARTS; i++) {
        read.start[i] = json_number_value(json_array_get(starts, i));
        good = json_is_number(json_array_get(starts, i)) &&
               is_slice(read.start[i], 0);
    }
    if (good)
        *s = read;
    return good ? 0 : -1;
}

double calibration_start(const struct calibration_slices *s, int64_t repetition)
{
    const double golden = 0.6180339887498949;
    double place = fmod(0.5 + (double)repetition * golden, 1);
    return s->start[(int)(place * CALIBRATION_STARTS)];
}
