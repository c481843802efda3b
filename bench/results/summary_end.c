/* What stands below the tables and the answers. */
#include "base/text.h"
#include "bench/results/summary.h"
#include "bench/results/summary_rows.h"

#include <math.h>

void summary_legend(FILE *out, const struct summary_row *rows, int count)
{
    bool ranked = false, half = false, bound = false, slower = false;
    char text[512];
    for (int i = 0; i < count; i++) {
        const struct summary_row *row = &rows[i];
        if (summary_row_words(row->result) != NULL)
            continue;
        ranked |= summary_row_ranked(row);
        half |= isfinite(row->half_s);
        bound |= isfinite(row->bound_s);
        slower |= !row->result->simulated && row->time.median < row->bound_s;
    }
    snprintf(text, sizeof(text), "%s%s%s%s",
             ranked ? "; * fastest of its group; = cannot be told from the "
                      "fastest"
                    : "",
             half ? "; +/- half the 95 % interval of the median" : "",
             bound ? "; t/bound: over the least time that these chunks can "
                     "take"
                   : "",
             slower ? ", below 1 where the machine was slower when costs were "
                      "measured"
                    : "");
    fputc('\n', out);
    if (text[0] != '\0')
        table_heading(out, 0, text + 2);
}

/* How results were compared with the serial loop's. */
static void print_verified(FILE *out, const struct summary_counts *counts)
{
    int compared = counts->ok - counts->simulated - counts->unchecked;
    bool all = counts->unverified == 0;
    const char *between = "";
    if (compared > 0) {
        fprintf(out, "%s results equal those of the serial loop",
                all ? "all" : "the other");
        if (counts->sampled > 0)
            fprintf(out, " (%d compared in samples)", counts->sampled);
        between = "; ";
    }
    if (counts->simulated > 0) {
        fprintf(out, "%s%seach iteration was handed out once", between,
                all ? "" : "in the other cells ");
        between = "; ";
    }
    if (counts->unchecked > 0)
        fprintf(out, "%s%d not compared", between, counts->unchecked);
    fputs(counts->ok > 0 ? "\n" : "", out);
}

void summary_end(FILE *out, const char *dir, struct summary_counts counts,
                 int skipped)
{
    fprintf(out, "%d cell%s ok, %d failed", counts.ok, text_s(counts.ok),
            counts.failed);
    if (counts.unverified > 0)
        fprintf(out, ", %d unverified", counts.unverified);
    if (counts.incomplete > 0)
        fprintf(out, ", %d not complete", counts.incomplete);
    if (skipped > 0)
        fprintf(out, ", %d impossible combinations skipped", skipped);
    fputc('\n', out);
    print_verified(out, &counts);
    fprintf(out, "results: %s\n", dir);
}
