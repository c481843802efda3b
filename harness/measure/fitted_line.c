#include "harness/measure/fitted_line.h"

#include <math.h>

/* Weighted sums. */
struct sums {
    double w, x, y, xx, xy;
};

static struct sums sum_up(const double *x, const double *y, int count)
{
    struct sums s = {0};
    for (int i = 0; i < count; i++) {
        double w = 1 / (y[i] * y[i]);
        s.w += w;
        s.x += w * x[i];
        s.y += w * y[i];
        s.xx += w * x[i] * x[i];
        s.xy += w * x[i] * y[i];
    }
    return s;
}

static bool is_usable(const double *x, const double *y, int count)
{
    bool different = false;
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]) || !(y[i] > 0))
            return false;
        different = different || x[i] != x[0];
    }
    return different;
}

bool line_fit(const double *x, const double *y, int count, struct fit *fit)
{
    if (count < 2 || !is_usable(x, y, count))
        return false;
    struct sums s = sum_up(x, y, count);
    struct fit line;
    line.slope = (s.w * s.xy - s.x * s.y) / (s.w * s.xx - s.x * s.x);
    line.start = (s.y - line.slope * s.x) / s.w;
    if (line.slope < 0) {
        line.slope = 0;
        line.start = s.y / s.w;
    } else if (line.start < 0) {
        line.start = 0;
        line.slope = s.xy / s.xx;
    }
    double left = 0, all = 0;
    for (int i = 0; i < count; i++) {
        double miss = (y[i] - line.start - line.slope * x[i]) / y[i];
        double off = (y[i] - (s.y / s.w)) / y[i];
        left += miss * miss;
        all += off * off;
    }
    line.r2 = all > 0 ? 1 - left / all : 0;
    *fit = line;
    return true;
}
