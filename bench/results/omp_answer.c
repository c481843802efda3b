#include "bench/results/omp_answer.h"

#include "base/folder.h"
#include "base/text.h"
#include "bench/options/table.h"

#include <stdbool.h>

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

/* The last manifest with an answer, by when its launch began; *runs: how many
 * there are. */
static json_t *find_reported(const char *dir, int *runs)
{
    struct folder found;
    json_t *last = NULL;
    *runs = 0;
    if (folder_find(dir, "manifest-", ".json", &found, NULL) != 0)
        return NULL;
    for (int i = 0; i < found.count; i++) {
        json_t *manifest = json_load_file(found.path[i], 0, NULL);
        bool has = json_is_string(json_object_get(manifest, "answer"));
        json_decref(has ? last : manifest);
        last = has ? manifest : last;
        *runs += has;
    }
    folder_free(&found);
    return last;
}

void omp_answer_reported(FILE *out, const char *dir)
{
    char begin[64] = "";
    const json_t *verdict;
    size_t i;
    int runs;
    json_t *reported = find_reported(dir, &runs);
    if (reported == NULL)
        return;
    if (runs > 1)
        snprintf(begin, sizeof(begin), "the last of %d runs: ", runs);
    print_sentence(out, begin, text_at(reported, "answer"));
    if (text_at(reported, "next")[0] != '\0')
        fprintf(out, "    %s\n", text_at(reported, "next"));
    json_array_foreach(json_object_get(reported, "verdicts"), i, verdict)
    {
        if (json_is_string(verdict))
            print_sentence(out, "", json_string_value(verdict));
    }
    json_decref(reported);
}
