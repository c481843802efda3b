/* The next commands, for the text and the page. */
#include "bench/launching/progress_line.h"
#include "bench/options/command.h"
#include "bench/programs/seen/start.h"
#include "bench/programs/try/use.h"
#include "dls/this_process.h"
#include "harness/process/need.h"

#include <stdlib.h>
#include <string.h>

/* Values with braces are quoted for the shell. */
static void print_setting(FILE *out, const char *setting)
{
    char *all = need_copy(setting), *at = all, *word;
    while ((word = strsep(&at, " ")) != NULL) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (strpbrk(value, "{}") != NULL)
            fprintf(out, " %s='%s'", word, value);
        else
            fprintf(out, " %s=%s", word, value);
    }
    free(all);
}

static void print_program(const struct findings *findings, FILE *out)
{
    char **words = findings->rounds->attempts->words;
    for (int i = 0; words[i] != NULL; i++)
        command_print_word(out, words[i]);
}

static void print_scheme(const struct findings *findings, const char *scheme,
                         FILE *out)
{
    const struct rounds *rounds = findings->rounds;
    char *rules = need_text("@%s/rules", rounds->folder);
    fputs(" dlsbench omp --scheme", out);
    command_print_word(out, scheme[0] == '@' ? rules : scheme);
    start_print_option(out, rounds->attempts->loops);
    fputs(" --", out);
    free(rules);
}

/* Without the blank before its first word. */
static char *finish(FILE *out, char **text)
{
    fclose(out);
    memmove(*text, *text + 1, strlen(*text));
    return *text;
}

char *use_text(const struct findings *findings)
{
    const struct candidates *candidates = findings->rounds->candidates;
    int best = use_best(findings);
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    command_print_variables(out, candidates->setting[best]);
    if (candidates->setting[best] != NULL)
        print_setting(out, candidates->setting[best]);
    if (candidates->scheme[best] != NULL)
        print_scheme(findings, candidates->scheme[best], out);
    print_program(findings, out);
    return finish(out, &text);
}

char *use_rules(const struct findings *findings)
{
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    command_print_variables(out, NULL);
    print_scheme(findings, "@", out);
    print_program(findings, out);
    return finish(out, &text);
}

/* The same --try with so many rounds, including existing ones. */
static char *more_rounds(const struct findings *findings, int repetitions)
{
    const struct rounds *rounds = findings->rounds;
    const struct attempts *attempts = rounds->attempts;
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    command_print_variables(out, NULL);
    fputs(" dlsbench omp --try", out);
    command_print_word(out, rounds->list);
    start_print_option(out, attempts->loops);
    if (attempts->check != NULL) {
        fputs(" --check", out);
        command_print_word(out, attempts->check);
    }
    char *folder =
        need_text(strchr(rounds->folder, '/') ? "%s" : "./%s", rounds->folder);
    fprintf(out, " --repetitions %d --resume --out", repetitions);
    command_print_word(out, folder);
    free(folder);
    fputs(" --", out);
    print_program(findings, out);
    return finish(out, &text);
}

/* One thread, although there are processors for more, and none was tried. */
static bool lacks_threads(const struct findings *findings)
{
    const struct candidates *candidates = findings->rounds->candidates;
    bool lacks = findings_is_single(findings, 0) && process_processors() > 1;
    for (int i = 1; i < candidates->count; i++)
        lacks = lacks && candidates->factor[i] != FACTOR_THREADS;
    return lacks;
}

static char *more_threads(const struct findings *findings)
{
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    command_print_variables(out, NULL);
    fputs(" dlsbench omp --try threads --", out);
    print_program(findings, out);
    return finish(out, &text);
}

bool use_more(const struct findings *findings, struct use_command *command)
{
    const struct rounds *rounds = findings->rounds;
    int repetitions, all;
    char time[48];
    enum findings_lack lack = findings_lack(findings, 0, &repetitions);
    command->text = NULL;
    if (rounds_count_failed(rounds, &all) > 0)
        return false;
    if (lacks_threads(findings)) {
        command->text = more_threads(findings);
        strcpy(command->why, "more threads");
    } else if (lack == LACKS_QUIET) {
        command->text = need_copy("dlsbench doctor");
        strcpy(command->why, "what disturbs this machine");
    } else if (lack == LACKS_RUNS && repetitions > rounds->repetitions) {
        progress_duration((repetitions - rounds->repetitions) *
                              (1 + rounds_choices(rounds)) *
                              findings->answer[0].choice[0].median_s,
                          time, sizeof(time));
        command->text = more_rounds(findings, repetitions);
        snprintf(command->why, sizeof(command->why), "more rounds, about %s",
                 time);
    }
    return command->text != NULL;
}

int use_commands(const struct findings *findings,
                 struct use_command command[USE_COMMANDS])
{
    const struct candidates *candidates = findings->rounds->candidates;
    int best = use_best(findings), count = 0;
    const char *scheme = candidates->scheme[best];
    if (best != CANDIDATES_OWN)
        command[count++] =
            (struct use_command){use_text(findings), "gains most"};
    if (use_count_rules(findings) > 0 && (scheme == NULL || scheme[0] != '@'))
        command[count++] = (struct use_command){
            use_rules(findings), "each loop under its best choice"};
    count += use_more(findings, &command[count]);
    return count;
}
