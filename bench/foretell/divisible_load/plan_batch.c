/* dlsbench plan --batch: many plans by one program, for scripts. */
#include "base/file.h"
#include "bench/foretell/divisible_load/plan_command.h"
#include "bench/options/numbers.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, LIST_MAX = 64 };

struct batch {
    const char *path;
    int line;
};

/* One line of the file: a platform with all its plans. */
struct batch_line {
    char *word[WORDS_MAX + 3]; /* the options without those below */
    int words;
    char *load[LIST_MAX], *algorithm[LIST_MAX], *installments[LIST_MAX];
    int loads, algorithms, rounds;
    struct plan_request request[LIST_MAX]; /* a plan for the first load each */
    int requests;
};

/* The uses of all workers' time until the end, without their load. */
struct losses {
    double latency, waiting; /* shares */
};

static struct losses find_losses(const struct divisible_plan *plan,
                                 const struct divisible_platform *platform)
{
    double latency = 0, load = 0;
    double all = platform->workers * plan->makespan;
    for (int64_t n = 0; n < plan->chunks; n++) {
        const struct divisible_chunk *c = &plan->chunk[n];
        const struct divisible_worker *worker = &platform->worker[c->worker];
        latency += worker->g;
        load += c->load * (worker->G + worker->w);
    }
    return (struct losses){latency / all, 1 - (latency + load) / all};
}

/* ---- the plans of a line ---- */

static void print_row(int line, const struct plan_request *request, double load,
                      const struct divisible_plan *plan, double rate)
{
    const struct divisible_choice *choice = &request->choice;
    struct losses losses = find_losses(plan, &request->platform.platform);
    printf("%d,%.17g,%s,", line, load, divisible_names[choice->algorithm]);
    if (choice->algorithm == DIVISIBLE_MULTI_INSTALLMENT)
        printf("%d", choice->installments);
    printf(",%d,%lld,%.17g,%.17g,%.17g,%.17g\n", plan->rounds,
           (long long)plan->chunks, plan->makespan,
           plan->makespan * rate / load, losses.latency, losses.waiting);
}

/* Makes all plans of a line before it prints any, so an impossible plan leaves
 * no rows. */
static int run_plans(struct batch *batch, const struct batch_line *line,
                     const double *load, struct divisible_plan *plan,
                     struct error *err)
{
    const struct divisible_platform *platform =
        &line->request[0].platform.platform;
    int order[DIVISIBLE_WORKERS_MAX], count = line->loads * line->requests;
    divisible_sort(platform, DIVISIBLE_BY_LINK, order);
    double rate = divisible_steady_rate(platform, order);
    int code = 0;
    for (int i = 0; code == 0 && i < count; i++) {
        const struct plan_request *r = &line->request[i % line->requests];
        code = divisible_make(&r->choice, &r->platform.platform,
                              load[i / line->requests], &plan[i], err);
    }
    for (int i = 0; code == 0 && i < count; i++)
        print_row(batch->line, &line->request[i % line->requests],
                  load[i / line->requests], &plan[i], rate);
    return code;
}

static int run_line(struct batch *batch, const struct batch_line *line,
                    struct error *err)
{
    size_t count = (size_t)line->loads * (size_t)line->requests;
    struct divisible_plan *plan = need_zeroed(count, sizeof(*plan));
    double load[LIST_MAX];
    int code = 0;
    for (int i = 0; code == 0 && i < line->loads; i++)
        code = number_real("--load", line->load[i], 0, 1e50, &load[i], err);
    for (int i = 0; code == 0 && i < line->loads; i++)
        code =
            divisible_check(&line->request[0].platform.platform, load[i], err);
    if (code == 0)
        code = run_plans(batch, line, load, plan, err);
    for (size_t i = 0; i < count; i++)
        divisible_plan_free(&plan[i]);
    free(plan);
    return code;
}

/* ---- the words of a line ---- */

static int cut_list(const char *option, char *text, char **list, int *count,
                    struct error *err)
{
    char *word;
    *count = 0;
    while ((word = strsep(&text, ",")) != NULL) {
        if (*count == LIST_MAX)
            return error_set(err, EINVAL, "%s: more than %d values", option,
                             LIST_MAX);
        list[(*count)++] = word;
    }
    return 0;
}

/* An option that allows a list goes to its list; all else stays a word. */
static int take_word(struct batch_line *line, char *word, char **rest,
                     struct error *err)
{
    const struct {
        const char *option;
        char **list;
        int *count;
    } lists[] = {{"--load", line->load, &line->loads},
                 {"--algorithm", line->algorithm, &line->algorithms},
                 {"--installments", line->installments, &line->rounds}};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (strcmp(word, lists[i].option) != 0)
            continue;
        char *value = strtok_r(NULL, " \t", rest);
        if (value == NULL)
            return error_set(err, EINVAL, "%s: a value is missing", word);
        return cut_list(word, value, lists[i].list, lists[i].count, err);
    }
    if (line->words == WORDS_MAX - 6) /* three more options and the end */
        return error_set(err, EINVAL, "more than %d words", WORDS_MAX - 7);
    line->word[line->words++] = word;
    return 0;
}

static int add_request(struct batch_line *line, char *algorithm, char *rounds,
                       struct error *err)
{
    struct plan_request *request = &line->request[line->requests];
    int words = line->words;
    if (line->requests == LIST_MAX)
        return error_set(err, EINVAL, "more than %d algorithms", LIST_MAX);
    char *more[] = {"--load",  line->load[0],    "--algorithm",
                    algorithm, "--installments", rounds};
    for (int i = 0; i < (rounds != NULL ? 6 : 4); i++)
        line->word[words++] = more[i];
    line->word[words] = NULL;
    int code = plan_request_read(words, line->word, request, err);
    if (code != 0)
        return code;
    line->requests++;
    if (request->all || request->batch != NULL || request->format != TABLE_TEXT)
        return error_set(err, EINVAL,
                         "--algorithm all, --batch and --format do not go "
                         "with a line of --batch");
    return 0;
}

static int add_requests(struct batch_line *line, struct error *err)
{
    int code = 0;
    if (line->loads == 0 || line->algorithms == 0)
        return error_set(err, EINVAL, "plan: --%s is missing",
                         line->loads == 0 ? "load" : "algorithm");
    for (int a = 0; code == 0 && a < line->algorithms; a++) {
        const char *name = divisible_names[DIVISIBLE_MULTI_INSTALLMENT];
        int rounds = strcmp(line->algorithm[a], name) == 0 ? line->rounds : 0;
        for (int i = 0; code == 0 && i < (rounds > 0 ? rounds : 1); i++)
            code = add_request(line, line->algorithm[a],
                               rounds > 0 ? line->installments[i] : NULL, err);
    }
    return code;
}

static int read_line(struct batch *batch, char *text, struct batch_line *line,
                     struct error *err)
{
    char *rest = NULL;
    int code = 0;
    text[strcspn(text, "#")] = '\0';
    *line = (struct batch_line){.word = {"plan"}, .words = 1};
    for (char *word = strtok_r(text, " \t", &rest); code == 0 && word != NULL;
         word = strtok_r(NULL, " \t", &rest))
        code = take_word(line, word, &rest, err);
    bool empty = line->words == 1 && line->loads == 0 && line->algorithms == 0;
    if (code == 0 && !empty)
        code = add_requests(line, err);
    if (code == 0 && !empty)
        code = run_line(batch, line, err);
    for (int i = 0; i < line->requests; i++)
        plan_request_free(&line->request[i]);
    return code;
}

static int run_file(struct batch *batch, FILE *file, struct error *err)
{
    struct batch_line *line = need_zeroed(1, sizeof(*line));
    struct file_lines lines = {.file = file};
    int code;
    puts("line,load,algorithm,installments,rounds,chunks,makespan_s,"
         "over_bound,latency_share,waiting_share");
    while ((code = file_next_line(&lines, err)) > 0) {
        batch->line = (int)lines.number;
        code = read_line(batch, lines.text, line, err);
        if (code != 0)
            break;
    }
    if (code != 0)
        error_prefix(err, code, "%s:%ld", batch->path, lines.number);
    file_free_lines(&lines);
    free(line);
    return code;
}

int plan_batch(const struct plan_request *request, struct error *err)
{
    bool here = strcmp(request->batch, "-") == 0;
    struct batch batch = {.path = here ? "stdin" : request->batch};
    FILE *file = here ? stdin : fopen(request->batch, "r");
    if (file == NULL)
        return error_set(err, errno, "--batch: cannot read %s: %s",
                         request->batch, strerror(errno));
    int code = run_file(&batch, file, err);
    if (!here)
        fclose(file);
    return code;
}
