/* Prints the summary of --try, and joins the best choices of all kinds into one
 * more candidate.  The numbers are those of the findings. */
#include "bench/programs/try/use.h"

#include "base/system/whole.h"
#include "base/text.h"
#include "bench/options/command.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/suggest.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- the best of a kind ---- */

static int find_best(const struct findings *findings, int subject,
                     enum factor factor)
{
    return answer_best(&findings->answer[subject], findings->rounds->candidates,
                       factor);
}

/* The largest gain that a kind could have unseen; NAN: not compared. */
static double find_hidden(const struct findings *findings, enum factor factor)
{
    const struct candidates *candidates = findings->rounds->candidates;
    double most = NAN;
    for (int i = 1; i < candidates->count; i++) {
        const struct answer_choice *choice = &findings->answer[0].choice[i];
        if (candidates->factor[i] == factor && !isnan(choice->gain) &&
            !choice->dropped && !isinf(choice->low))
            most = fmax(most, fmax(choice->high, 0));
    }
    return most;
}

/* ---- together ---- */

int use_count_rules(const struct findings *findings)
{
    int count = 0;
    for (int s = 1; s < findings->rounds->subjects->count; s++)
        count += findings_best_schedule(findings, s) >= 0;
    return count;
}

/* Other rules get another name, because their runs are another candidate's. */
static char *name_rules(const struct findings *findings)
{
    const struct subjects *subjects = findings->rounds->subjects;
    uint64_t hash = 0;
    for (int s = 1; s < subjects->count; s++) {
        int best = findings_best_schedule(findings, s);
        char *line = need_text(
            "%s = %s", subjects->subject[s].name,
            best >= 0 ? findings->rounds->candidates->name[best] : "");
        hash = XXH3_64bits_withSeed(line, strlen(line), hash);
        free(line);
    }
    return need_text("@rules-%04llx", (unsigned long long)hash & 0xffff);
}

/* The longest path that the library takes. */
enum { RULES_PATH_MAX = 250 };

/* Returns the scheme, or NULL; sets `name`.  Prefers the rules of all loops to
 * one scheme.  If the only loop has the same best scheme as the whole program,
 * rules add nothing: the scheme itself, already `tried`, is returned. */
static char *choose_scheme(const struct findings *findings, char **name,
                           bool *tried)
{
    const struct rounds *rounds = findings->rounds;
    int whole = find_best(findings, 0, FACTOR_SCHEDULE);
    char *folder = realpath(rounds->folder, NULL), *path = NULL;
    *tried = true;
    if (folder != NULL && use_count_rules(findings) > 0)
        path = need_text("@%s/rules", folder);
    free(folder);
    if (path != NULL && strlen(path) < RULES_PATH_MAX &&
        !(whole >= 0 && rounds->subjects->count == 2 &&
          findings_best_schedule(findings, 1) == whole)) {
        *tried = false;
        *name = name_rules(findings);
        return path;
    }
    free(path);
    *name = whole >= 0 ? need_copy(rounds->candidates->name[whole]) : NULL;
    return whole >= 0 ? need_copy(rounds->candidates->scheme[whole]) : NULL;
}

/* Joins the best setting of each kind and the best schedule.  A single change
 * that already ran as a candidate is not added again. */
int use_together(const struct findings *findings, struct candidates *candidates)
{
    char *setting = need_copy(""), *name, *scheme;
    bool tried;
    int changes = 0, made = -1;
    for (enum factor f = FACTOR_THREADS; f < FACTORS; f++) {
        int best = find_best(findings, 0, f);
        if (best < 0)
            continue;
        char *more = need_text("%s%s%s", setting, changes > 0 ? " " : "",
                               candidates->setting[best]);
        free(setting);
        setting = more;
        changes++;
    }
    scheme = choose_scheme(findings, &name, &tried);
    bool any = changes > 0;
    changes += scheme != NULL;
    if (changes > 1 || (scheme != NULL && !tried)) {
        char *both = scheme == NULL
                         ? need_copy(setting)
                         : need_text("%s%s%s", setting, any ? " " : "", name);
        made = candidates_add(candidates, FACTOR_SEVERAL, both, scheme,
                              any ? setting : NULL);
        free(both);
    }
    free(setting);
    free(scheme);
    free(name);
    return made;
}

/* ---- the lines ---- */

/* Processors. */
static const double OTHERS_MATTER = 0.2;

static void print_gain(const struct findings *findings, int best, FILE *out)
{
    char text[512];
    if (best < 0) {
        fprintf(out, "Gain: %s\n",
                findings_say(findings, 0, text, sizeof(text)));
        return;
    }
    const struct answer_choice *choice = &findings->answer[0].choice[best];
    fprintf(out,
            "Gain: %.1f %% (95 %%: %.1f to %.1f) over the program as it is, "
            "%d rounds",
            100 * choice->gain, 100 * choice->low, 100 * choice->high,
            choice->runs);
    /* On a quiet machine another choice may be best. */
    if (choice->others >= OTHERS_MATTER)
        fprintf(out, ", beside others who had %.1f processors", choice->others);
    fputc('\n', out);
}

/* Whether each that was tried of a kind was dropped. */
static bool are_dropped(const struct findings *findings, enum factor factor)
{
    const struct rounds *rounds = findings->rounds;
    bool any = false;
    for (int i = 1; i < rounds->candidates->count; i++) {
        if (rounds->candidates->factor[i] != factor || rounds->useless[i])
            continue;
        if (!rounds->dropped[i])
            return false;
        any = true;
    }
    return any;
}

/* Prints a clause for each kind, for the whole program: its best choice, or a
 * gain that others may explain, or the largest gain that may remain unseen. */
static void print_kinds(const struct findings *findings, FILE *out)
{
    const struct candidates *candidates = findings->rounds->candidates;
    const char *before = "Of it: ";
    char text[256];
    if (find_best(findings, 0, FACTORS) < 0)
        before = "By kind: ";
    for (enum factor f = 0; f < FACTORS; f++) {
        int best = find_best(findings, 0, f);
        int seems = answer_seems(&findings->answer[0], candidates, f);
        double hidden = find_hidden(findings, f);
        if (best < 0 && seems >= 0)
            fprintf(out, "%s%s: %s", before, factor_names[f],
                    findings_say_seems(findings, 0, seems, text, sizeof(text)));
        else if (best >= 0)
            fprintf(out, "%s%s %s: %.1f %%", before, factor_names[f],
                    candidates->name[best],
                    100 * findings->answer[0].choice[best].gain);
        else if (hidden > 0)
            fprintf(out, "%s%s: no gain above %.1f %%", before, factor_names[f],
                    100 * hidden);
        else if (hidden == 0 || are_dropped(findings, f))
            fprintf(out, "%s%s: each was slower", before, factor_names[f]);
        else
            continue;
        before = "; ";
    }
    if (strcmp(before, "; ") == 0)
        fputc('\n', out);
}

/* A scheme with a clause for a loop, within NEAR of the best; -1: none. */
static const double NEAR = 0.01;

static int find_clause(const struct findings *findings, int subject,
                       char text[CANDIDATES_CLAUSE])
{
    const struct candidates *candidates = findings->rounds->candidates;
    const struct answer_choice *choice = findings->answer[subject].choice;
    int best = findings_best_schedule(findings, subject), found = -1;
    for (int i = 1; best >= 0 && i < candidates->count; i++)
        if (candidates->factor[i] == FACTOR_SCHEDULE &&
            answer_gains(&choice[i]) &&
            1 - choice[i].gain <= (1 + NEAR) * (1 - choice[best].gain) &&
            candidates_clause(candidates->name[i], text) != NULL &&
            (found < 0 || choice[i].gain > choice[found].gain))
            found = i;
    return found;
}

/* Writes DIR/SOURCE.patch, named by the first file, and says so. */
static void write_patch(const struct findings *findings,
                        const struct suggest_loop *loop, int count, FILE *out)
{
    struct error err = {""};
    char *text, name[PATH_MAX];
    size_t size;
    FILE *file = need_stream(&text, &size);
    int found = suggest_clauses(loop, count, file);
    fclose(file);
    if (found > 0) {
        bool away = suggest_name(loop[0].file, name);
        const char *base = path_last(name);
        char *path = need_text("%s/%.*s.patch", findings->rounds->folder,
                               (int)strcspn(base, "."), base);
        if (file_whole(path, text, size, &err) == 0)
            fprintf(out, "  (a patch%s: %s%s)", found < count ? " of some" : "",
                    path, away ? ", for patch -p0 -d /" : "");
        else
            command_say("omp: %s", err.text);
        free(path);
    }
    free(text);
}

/* A scheme of blocks is no clause: how many iterations they have is not known.
 */
static void print_blocks(const struct findings *findings, FILE *out)
{
    const struct subjects *subjects = findings->rounds->subjects;
    const char *before = "Permanently: schedule(runtime) in ";
    for (int s = 1; s < subjects->count; s++) {
        const struct subject *subject = &subjects->subject[s];
        if (!subject->blocks || findings_best_schedule(findings, s) < 0)
            continue;
        fprintf(out, "%s%s", before,
                subject->line != NULL ? subject->line : subject->name);
        before = ", ";
    }
    if (before[0] == ',')
        fputs(", and --try again: here its blocks of iterations were handed "
              "out\n",
              out);
}

/* For each loop that gains its clause. */
static void print_clauses(const struct findings *findings, FILE *out)
{
    const struct subjects *subjects = findings->rounds->subjects;
    struct suggest_loop *loop =
        need_zeroed((size_t)subjects->count, sizeof(*loop));
    char(*text)[CANDIDATES_CLAUSE] =
        need_zeroed((size_t)subjects->count, sizeof(*text));
    int count = 0;
    for (int s = 1; s < subjects->count; s++) {
        const struct subject *subject = &subjects->subject[s];
        int found = find_clause(findings, s, text[s]);
        if (found < 0 || subject->blocks)
            continue;
        const char *clause = candidates_clause(
            findings->rounds->candidates->name[found], text[s]);
        fprintf(out, "%sschedule(%s) in %s",
                count > 0 ? ", " : "Permanently: ", clause,
                subject->line != NULL ? subject->line : subject->name);
        loop[count++] = (struct suggest_loop){
            .file = subject->file != NULL ? subject->file : "",
            .line = subject->number,
            .clause = clause};
    }
    if (count > 0) {
        fprintf(out, " comes within 1 %% of the best schedule");
        write_patch(findings, loop, count, out);
        fputc('\n', out);
    }
    free(text);
    free(loop);
}

int use_best(const struct findings *findings)
{
    int best = find_best(findings, 0, FACTORS);
    return best >= 0 ? best : CANDIDATES_OWN;
}

void use_print(const struct findings *findings, FILE *out)
{
    int best = find_best(findings, 0, FACTORS);
    struct use_command more = {.text = NULL};
    char *text = use_text(findings);
    fprintf(out, "Use:  %s%s\n", text, best < 0 ? "   (as it is)" : "");
    free(text);
    print_gain(findings, best, out);
    if (use_more(findings, &more))
        fprintf(out, "Next: %s   (%s)\n", more.text, more.why);
    free(more.text);
    print_kinds(findings, out);
    print_clauses(findings, out);
    print_blocks(findings, out);
}
