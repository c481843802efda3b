/* dlsbench plan: dividing a load by plan, data sent with the work. */
#include "bench/foretell/divisible_load/plan_command.h"
#include "bench/options/command.h"
#include "bench/options/table.h"

#include "harness/process/need.h"
#include "sched/divisible/installments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 100 };

/* No makespan is shorter. */
static double find_bound(const struct plan_request *request)
{
    const struct divisible_platform *platform = &request->platform.platform;
    int *order = need_zeroed((size_t)platform->workers, sizeof(*order));
    divisible_sort(platform, DIVISIBLE_BY_LINK, order);
    double bound = request->load / divisible_steady_rate(platform, order);
    free(order);
    return bound;
}

/* The width of the terminal, otherwise $COLUMNS, otherwise a default. */
static int chart_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    int width = columns != NULL ? atoi(columns) : 0;
    return width > 0 && width <= 1000 ? width : WIDTH_DEFAULT;
}

/* For programs: stdout then only has rows. */
static bool is_rows(int format)
{
    return format > TABLE_TEXT && format < PLAN_GANTT;
}

static void show_plan(const struct plan_request *request,
                      const struct plan_view *view)
{
    if (!is_rows(request->format)) {
        plan_head(view, stdout);
        putchar('\n');
    }
    if (request->format == PLAN_GANTT)
        plan_gantt(view, chart_width(), stdout);
    else
        plan_table(view,
                   is_rows(request->format) ? request->format : TABLE_TEXT,
                   stdout);
}

static int make_one(const struct plan_request *request, double bound,
                    struct error *err)
{
    struct divisible_plan plan = {0};
    const struct plan_view view = {
        .platform = &request->platform.platform,
        .plan = &plan,
        .choice = &request->choice,
        .perturb = request->perturb,
        .load = request->load,
        .bound = bound,
    };
    int code = divisible_make(&request->choice, view.platform, request->load,
                              &plan, err);
    if (code == 0)
        show_plan(request, &view);
    divisible_plan_free(&plan);
    return code;
}

/* Adds a row of --algorithm all; an impossible plan has its reason there. */
static void add_row(const struct plan_request *request,
                    const struct divisible_choice *choice, double bound,
                    struct table *table)
{
    struct divisible_plan plan = {0};
    struct error err = {""};
    int code = divisible_make(choice, &request->platform.platform,
                              request->load, &plan, &err);
    table_under(table, "algorithm");
    if (choice->algorithm == DIVISIBLE_MULTI_INSTALLMENT)
        table_add(table, "multi-installment %d", choice->installments);
    else
        table_add(table, "%s", divisible_names[choice->algorithm]);
    if (code != 0)
        command_say("note: %s: %s", divisible_names[choice->algorithm],
                    err.text);
    table_value(table, "rounds", code == 0 ? plan.rounds : NAN, 15);
    table_value(table, "chunks", code == 0 ? (double)plan.chunks : NAN, 15);
    table_value(table, "makespan_s", code == 0 ? plan.makespan : NAN, 9);
    table_value(table, "over_bound", code == 0 ? plan.makespan / bound : NAN,
                6);
    divisible_plan_free(&plan);
}

static void make_all(const struct plan_request *request, double bound)
{
    struct divisible_choice choice = request->choice;
    struct table table;
    table_open(&table, 0, 1);
    for (choice.algorithm = 0; choice.algorithm < DIVISIBLE_MULTI_INSTALLMENT;
         choice.algorithm++)
        add_row(request, &choice, bound, &table);
    for (choice.installments = 1;
         !request->platform.platform.overlap &&
         choice.installments <= DIVISIBLE_INSTALLMENTS_MAX;
         choice.installments++)
        add_row(request, &choice, bound, &table);
    table_write(&table, request->format, stdout);
    if (request->format == TABLE_TEXT)
        printf("\nover_bound: makespan over load / n* = %.9g s, which no "
               "schedule can beat%s\n",
               bound,
               request->platform.platform.overlap
                   ? "; multi-installment is without overlap only"
                   : "");
    table_free(&table);
}

static int answer_request(const struct plan_request *request, struct error *err)
{
    if (request->batch != NULL)
        return plan_batch(request, err);
    double bound = find_bound(request);
    if (!request->all)
        return make_one(request, bound, err);
    make_all(request, bound);
    return 0;
}

int plan_command(int argc, char **argv)
{
    struct error err = {""};
    struct plan_request request;
    int code = plan_request_read(argc, argv, &request, &err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    code = answer_request(&request, &err);
    plan_request_free(&request);
    if (code == -EIO)
        return command_fail(COMMAND_FAILED, &err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return COMMAND_OK;
    error_set(&err, EIO, "plan: cannot write: %s", strerror(errno));
    return command_fail(COMMAND_FAILED, &err);
}
