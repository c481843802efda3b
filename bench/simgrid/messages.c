/* Messages between simulated ranks, as SimGrid has them take time. */
#include "bench/simgrid/simulate.h"

#include "base/stats.h"
#include "bench/simgrid/ask.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The numbers of a message, and room for those of all pairs. */
enum { MESSAGE_NUMBERS = 4 };

/* Threads are also ranks of SMPI: a pair is the last of a rank and the first of
 * the next.  Returns the number of pairs, at most `most`; number n of pair i is
 * at [n * most + i]. */
static int read_messages(FILE *answer, int threads, int most, double *numbers,
                         char *complaint, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    int count = 0, rank;
    while (getline(&line, &room, answer) > 0) {
        double seconds[MESSAGE_NUMBERS];
        ask_keep_complaint(line, complaint, size);
        if (count == most ||
            sscanf(line, "@message %d %lf %lf %lf %lf", &rank, &seconds[0],
                   &seconds[1], &seconds[2], &seconds[3]) != 5)
            continue;
        if ((rank + 1) % threads != 0)
            continue;
        for (int n = 0; n < MESSAGE_NUMBERS; n++)
            numbers[n * most + count] = seconds[n];
        count++;
    }
    free(line);
    return count;
}

/* Makes the ranks send messages.  Returns 0 if all pairs did, with the numbers
 * of read_messages, for `pairs` pairs. */
static int ask_messages(const struct simulate *simulate,
                        const struct simulate_platform *platform,
                        const struct simulate_files *files, int ranks,
                        int threads, double *numbers, struct error *err)
{
    char path[64], file[PATH_MAX], complaint[400] = "";
    int pairs = ranks - 1, count = 0;
    ask_hostfile(files->hosts, path, sizeof(path));
    simulate_platform_path(platform, files, file);
    FILE *answer = ask_ranks(simulate, platform, file, ranks * threads, path,
                             "--messages");
    if (answer != NULL) {
        count = read_messages(answer, threads, pairs, numbers, complaint,
                              sizeof(complaint));
        pclose(answer);
    }
    return count == pairs
               ? 0
               : error_set(err, EINVAL,
                           "platform: %s: SimGrid sends no messages between "
                           "its ranks%s%s",
                           platform->path, complaint[0] ? ": " : "", complaint);
}

int simulate_messages(const struct simulate *simulate,
                      const struct simulate_platform *platform, int ranks,
                      int threads, struct simulate_messages *take,
                      struct error *err)
{
    struct simulate_files files;
    *take = (struct simulate_messages){.start_s = 0};
    if (ranks == 1)
        return 0;
    int code = simulate_files_open(&files, platform, ranks, threads, err);
    if (code != 0)
        return code;
    int pairs = ranks - 1;
    double *numbers =
        need_zeroed(MESSAGE_NUMBERS * (size_t)pairs, sizeof(*numbers));
    code =
        ask_messages(simulate, platform, &files, ranks, threads, numbers, err);
    simulate_files_close(&files);
    if (code == 0) {
        take->start_s = stats_middle(numbers, pairs);
        take->byte_s = stats_middle(numbers + pairs, pairs);
        take->busy_start_s = stats_middle(numbers + 2 * pairs, pairs);
        take->busy_byte_s = stats_middle(numbers + 3 * pairs, pairs);
    }
    free(numbers);
    return code;
}

/* In a tree, hosts below different children of the last level are farthest
 * apart. */
int simulate_far(const struct simulate_platform *platform, int hosts)
{
    int last = hosts - 1;
    int second =
        platform->tree.text != NULL ? fat_tree_fit(&platform->tree, 1) : last;
    return second < last ? second : last;
}

int simulate_distances(const struct simulate *simulate,
                       const struct simulate_platform *platform, int far,
                       struct simulate_distances *distances, struct error *err)
{
    const struct simulate_host *hosts = platform->hosts;
    enum { RANKS = 3, PAIRS = RANKS - 1 };
    double numbers[MESSAGE_NUMBERS * PAIRS] = {0};
    struct simulate_files files;
    char *text = need_text("%s\n%s\n%s\n", hosts[0].name, hosts[0].name,
                           hosts[far].name);
    int code = simulate_files_make(&files, platform, text, far + 1, err);
    free(text);
    if (code != 0)
        return code;
    code = ask_messages(simulate, platform, &files, RANKS, 1, numbers, err);
    simulate_files_close(&files);
    *distances = (struct simulate_distances){.near_s = numbers[0],
                                             .far_s = numbers[1],
                                             .byte_s = numbers[PAIRS + 1]};
    return code;
}
