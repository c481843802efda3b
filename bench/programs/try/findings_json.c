/* Writes answers.json, the file of `omp --try`. */
#include "bench/programs/try/findings.h"

#include "base/text.h"
#include "bench/programs/try/use.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <stdlib.h>

static const char *describe_state(const struct findings *findings, int choice,
                                  const struct answer_choice *of)
{
    if (choice == CANDIDATES_OWN)
        return "own";
    if (of->failed)
        return "failed";
    if (findings->rounds->useless[choice])
        return "no loop";
    return of->dropped ? "dropped" : "compared";
}

static json_t *choice_row(const struct findings *findings,
                          const struct answer *answer, int choice)
{
    const struct answer_choice *of = &answer->choice[choice];
    return json_pack("{s:s,s:s,s:i,s:o,s:o,s:o,s:o}", "scheme",
                     findings->rounds->candidates->name[choice], "state",
                     describe_state(findings, choice, of), "runs", of->runs,
                     "time_s", record_real(of->median_s), "gain",
                     record_real(of->gain), "low", record_real(of->low), "high",
                     record_real(of->high));
}

static json_t *loop_row(const struct findings *findings, int number)
{
    const struct subject *subject =
        &findings->rounds->subjects->subject[number];
    const struct answer *answer = &findings->answer[number];
    json_t *choices = json_array();
    char text[1024], name[1024];
    for (int i = 0; i < findings->rounds->candidates->count; i++)
        json_array_append_new(choices, choice_row(findings, answer, i));
    text_line(name, sizeof(name), subject->name);
    findings_say_all(findings, number, text, sizeof(text));
    return json_pack("{s:s,s:o,s:s,s:s?,s:o}", "name", name, "share",
                     number == 0 ? json_null() : record_real(subject->share),
                     "verdict", text, "best",
                     answer->best >= 0
                         ? findings->rounds->candidates->name[answer->best]
                         : NULL,
                     "choices", choices);
}

static json_t *list_commands(const struct findings *findings)
{
    struct use_command command[USE_COMMANDS];
    json_t *list = json_array();
    int count = use_commands(findings, command);
    for (int i = 0; i < count; i++) {
        json_array_append_new(list,
                              json_pack("{s:s,s:s}", "command", command[i].text,
                                        "why", command[i].why));
        free(command[i].text);
    }
    return list;
}

int findings_write_json(const struct findings *findings, struct error *err)
{
    json_t *loops = json_array();
    char *path = need_text("%s/answers.json", findings->rounds->folder),
         *use = use_text(findings);
    for (int i = 0; i < findings->rounds->subjects->count; i++)
        json_array_append_new(loops, loop_row(findings, i));
    int code = record_whole(
        path,
        json_pack("{s:i,s:i,s:s?,s:o,s:o}", "schema", RECORD_SCHEMA,
                  "comparisons", findings->comparisons, "use",
                  use_best(findings) != CANDIDATES_OWN ? use : NULL, "commands",
                  list_commands(findings), "loops", loops),
        err);
    free(path);
    free(use);
    return code;
}
