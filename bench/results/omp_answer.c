#include "bench/results/omp_answer.h"

#include "base/text.h"
#include "bench/options/table.h"

enum { SENTENCE = 2048 };

static void print_sentence(FILE *out, const char *begin, const char *text)
{
    char whole[SENTENCE], line[SENTENCE];
    snprintf(whole, sizeof(whole), "%s%s", begin, text);
    text_line(line, sizeof(line), whole);
    table_heading(out, 2, line);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

void omp_answer_tried(FILE *out, const char *name, const json_t *tried)
{
    char begin[SENTENCE];
    snprintf(begin, sizeof(begin), "%s: ", name);
    print_sentence(out, begin, text_at(tried, "verdict"));
}

void omp_answer_reported(FILE *out, const json_t *reported, int runs)
{
    char begin[64] = "";
    const json_t *verdict;
    size_t i;
    if (runs > 1)
        snprintf(begin, sizeof(begin), "the last of %d runs: ", runs);
    print_sentence(out, begin, text_at(reported, "answer"));
    if (text_at(reported, "next")[0] != '\0')
        fprintf(out, "    %s\n", text_at(reported, "next"));
    json_array_foreach(json_object_get(reported, "verdicts"), i,
                       verdict) if (json_is_string(verdict))
        print_sentence(out, "", json_string_value(verdict));
}
