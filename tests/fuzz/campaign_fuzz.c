/* Campaign files with --set: the lines before the first that is "%%" are
 * settings, what follows it is the file. */
#include "tests/fuzz/fuzz.h"

#include "bench/campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

/* The stored text must be a campaign that runs the same cells. */
static void check_stored(const struct campaign *campaign)
{
    const struct campaign_setup plain = {.cores = 4};
    struct campaign again;
    struct error err = {""};
    fuzz_need(campaign_parse("stored.yaml", campaign->text, &plain, &again,
                             &err) == 0,
              err.text);
    fuzz_need(again.seed == campaign->seed, "the stored campaign has its seed");
    fuzz_need(again.all.count == campaign->all.count,
              "the stored campaign has its cells");
    for (int i = 0; i < again.all.count; i++)
        fuzz_need(
            strcmp(again.all.cells[i].hash, campaign->all.cells[i].hash) == 0,
            "the stored cells have their hashes");
    campaign_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct campaign_setup setup = {.cores = 4};
    struct campaign campaign;
    struct error err = {""};
    char *text = fuzz_text(data, size), *rest = text, *line;
    if (strncmp(text, "%%\n", 3) == 0 || strstr(text, "\n%%\n") != NULL)
        while ((line = fuzz_line(&rest)) != NULL && strcmp(line, "%%") != 0)
            if (setup.sets < CAMPAIGN_SETS_MAX)
                setup.set[setup.sets++] = line;
    if (campaign_parse("fuzz.yaml", rest, &setup, &campaign, &err) == 0) {
        check_stored(&campaign);
        campaign_free(&campaign);
    } else {
        fuzz_message(&err);
    }
    free(text);
    return 0;
}
