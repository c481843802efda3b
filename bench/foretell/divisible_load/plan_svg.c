/* The chart of a plan as a picture: one row for the master's port and one for
 * each worker, messages above computing.  The title of each bar, which browsers
 * show under the pointer, has its numbers. */
#include "bench/foretell/divisible_load/plan_command.h"

#include <math.h>

enum {
    LEFT = 90,
    RIGHT = 30,
    TOP = 70,
    BOTTOM = 50,
    PLOT = 880,
    ROW = 26,
    BAR = 20, /* height of a bar in its row */
    TICKS = 8,
};

/* Messages, and computing in even and odd rounds. */
static const char *const message_colour = "#d1772d";
static const char *const round_colour[2] = {"#3a6ea5", "#7fa8d1"};

static double x_of(const struct plan_view *view, double time)
{
    return LEFT + PLOT * time / view->plan->makespan;
}

static int y_of(int row)
{
    return TOP + ROW * row + (ROW - BAR) / 2;
}

static void draw_bar(const struct plan_view *view, FILE *out, double from,
                     double to, double y, double height, const char *colour,
                     const char *what, const struct divisible_chunk *chunk)
{
    fprintf(out,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
            "fill=\"%s\"><title>worker %d, round %d, load %.6g: %s %.6g s to "
            "%.6g s</title></rect>\n",
            x_of(view, from), y, x_of(view, to) - x_of(view, from), height,
            colour, chunk->worker, chunk->round + 1, chunk->load, what, from,
            to);
}

/* With overlap both happen at once and share the row. */
static void draw_bars(const struct plan_view *view, FILE *out)
{
    bool overlap = view->platform->overlap;
    double height = overlap ? BAR / 2.0 : BAR;
    for (int64_t n = 0; n < view->plan->chunks; n++) {
        const struct divisible_chunk *c = &view->plan->chunk[n];
        int y = y_of(c->worker + 1);
        draw_bar(view, out, c->send_start, c->send_end, y_of(0), BAR,
                 message_colour, "message", c);
        draw_bar(view, out, c->send_start, c->send_end, y, height,
                 message_colour, "message", c);
        draw_bar(view, out, c->compute_start, c->compute_end,
                 overlap ? y + height : y, height, round_colour[c->round % 2],
                 "computing", c);
    }
}

/* 1, 2 or 5 times a power of ten, for about TICKS of them. */
static double tick_step(double span)
{
    double rough = span / TICKS, power = pow(10, floor(log10(rough)));
    double part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void draw_axis(const struct plan_view *view, int bottom, FILE *out)
{
    double step = tick_step(view->plan->makespan);
    for (int k = 0; k * step <= view->plan->makespan; k++) {
        double x = x_of(view, k * step);
        fprintf(out,
                "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" "
                "stroke=\"#dddddd\"/>\n"
                "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                x, TOP, x, bottom, x, bottom + 18, k * step);
    }
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time, "
            "s</text>\n",
            LEFT + PLOT / 2, bottom + 38);
}

static void draw_labels(const struct plan_view *view, FILE *out)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">port</text>\n",
            LEFT - 8, y_of(0) + 15);
    for (int i = 0; i < view->platform->workers; i++)
        fprintf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">worker "
                "%d</text>\n",
                LEFT - 8, y_of(i + 1) + 15, i);
}

static void draw_legend(FILE *out)
{
    static const char *const text[] = {"message", "computing, odd rounds",
                                       "computing, even rounds"};
    const char *const colour[] = {message_colour, round_colour[0],
                                  round_colour[1]};
    for (int i = 0, x = LEFT; i < 3; i++, x += i == 0 ? 100 : 180)
        fprintf(out,
                "<rect x=\"%d\" y=\"40\" width=\"14\" height=\"14\" "
                "fill=\"%s\"/><text x=\"%d\" y=\"52\">%s</text>\n",
                x, colour[i], x + 20, text[i]);
}

void plan_svg(const struct plan_view *view, FILE *out)
{
    int bottom = TOP + ROW * (view->platform->workers + 1);
    int width = LEFT + PLOT + RIGHT, height = bottom + BOTTOM;
    char title[96];
    plan_title(view, title, sizeof(title));
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"26\" font-size=\"16\">%s; load %g units, "
            "makespan %.6g s</text>\n",
            width, height, width, height, LEFT, title, view->load,
            view->plan->makespan);
    draw_legend(out);
    draw_axis(view, bottom, out);
    draw_labels(view, out);
    draw_bars(view, out);
    fputs("</svg>\n", out);
}
