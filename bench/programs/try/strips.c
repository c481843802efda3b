/* Stores the time line of a choice's first good run.  The file has, for each
 * thread and bin, the shares in parallel regions and in computing. */
#include "bench/programs/try/strips.h"

#include "bench/programs/try/findings.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <math.h>
#include <stdlib.h>

struct strip {
    double seconds, bin_s, began_s; /* of the run, relative to its begin */
    struct counters_strips strips;
};

void strips_ask(bool any)
{
    setenv(COUNTERS_STRIPS, any ? "1" : "", 1);
}

/* Takes the process that was longest in regions. */
void strips_keep(struct strip **strip, const struct attempt *attempt)
{
    const struct loops_process *most = NULL;
    for (int i = 0; i < attempt->loops.processes; i++) {
        const struct loops_process *process = &attempt->loops.process[i];
        if (process->counters->strips.width > 0 &&
            (most == NULL || process->inside_s > most->inside_s))
            most = process;
    }
    if (*strip != NULL || most == NULL || !attempt->good)
        return;
    *strip = need_zeroed(1, sizeof(**strip));
    (*strip)->strips = most->counters->strips;
    (*strip)->seconds = attempt->seconds;
    (*strip)->bin_s =
        (double)most->counters->strips.width * attempt->loops.tick_s;
    (*strip)->began_s = fmax(attempt->seconds - most->end_s, 0);
}

static json_t *part_row(const float *ticks, double width, int bins)
{
    json_t *row = json_array();
    for (int i = 0; i < bins; i++)
        json_array_append_new(
            row, json_real(round(1e3 * fmin(ticks[i] / width, 1)) / 1e3));
    return row;
}

static json_t *strip_row(const struct findings *findings, int choice)
{
    const struct strip *strip = findings->rounds->strip[choice];
    double width = (double)strip->strips.width;
    int bins = (int)fmin(ceil((strip->seconds - strip->began_s) / strip->bin_s),
                         STRIPS_BINS);
    json_t *threads = json_array();
    for (int i = 0; i < strip->strips.threads; i++)
        json_array_append_new(
            threads,
            json_pack("{s:o,s:o}", "inside",
                      part_row(strip->strips.row[2 * i], width, bins),
                      "computed",
                      part_row(strip->strips.row[2 * i + 1], width, bins)));
    return json_pack("{s:s,s:f,s:f,s:f,s:o}", "choice",
                     findings->rounds->candidates->name[choice], "time_s",
                     strip->seconds, "began_s", strip->began_s, "bin_s",
                     strip->bin_s, "threads", threads);
}

/* The choice with the least gain in its rounds, below the unmodified 0. */
static int find_worst(const struct findings *findings)
{
    const struct answer_choice *choice = findings->answer[0].choice;
    int worst = CANDIDATES_OWN;
    double least = 0;
    for (int i = 1; i < findings->rounds->candidates->count; i++)
        if (!choice[i].failed && choice[i].gain < least &&
            findings->rounds->strip[i] != NULL) {
            worst = i;
            least = choice[i].gain;
        }
    return worst;
}

int strips_write(const struct findings *findings, int best, struct error *err)
{
    struct strip *const *strip = findings->rounds->strip;
    int worst = find_worst(findings);
    if (strip[best] == NULL || strip[worst] == NULL)
        return 0;
    json_t *list = json_array();
    json_array_append_new(list, strip_row(findings, best));
    if (worst != best)
        json_array_append_new(list, strip_row(findings, worst));
    char *path = need_text("%s/strips.json", findings->rounds->folder);
    int code = record_whole(
        path, json_pack("{s:i,s:o}", "schema", RECORD_SCHEMA, "strips", list),
        err);
    free(path);
    return code;
}
