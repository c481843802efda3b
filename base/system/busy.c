#include "base/system/busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line of /proc/stat; busy is all but idle and waiting for a disk.  USER and
 * NICE include the time of guests. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };

static void take_line(const char *line, const struct allowed_set *set,
                      struct busy *busy)
{
    unsigned long long tick[FIELDS] = {0};
    int processor;
    if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu",
               &processor, &tick[USER], &tick[NICE], &tick[SYSTEM], &tick[IDLE],
               &tick[IOWAIT], &tick[IRQ], &tick[SOFTIRQ], &tick[STEAL]) < 5 ||
        processor < 0 || !allowed_has(set, processor))
        return;
    for (int i = 0; i < FIELDS; i++)
        if (i != IDLE && i != IOWAIT)
            busy->seconds += (double)tick[i] / (double)sysconf(_SC_CLK_TCK);
    busy->stolen_s += (double)tick[STEAL] / (double)sysconf(_SC_CLK_TCK);
    busy->processors++;
}

void busy_read(const char *root, const struct allowed_set *set,
               struct busy *busy)
{
    char path[256], *line = NULL;
    size_t room = 0;
    *busy = (struct busy){.seconds = 0};
    snprintf(path, sizeof(path), "%.200s/proc/stat", root);
    FILE *file = fopen(path, "r");
    while (file != NULL && getline(&line, &room, file) > 0)
        if (strncmp(line, "cpu", 3) == 0 && line[3] != ' ')
            take_line(line, set, busy);
    free(line);
    if (file != NULL)
        fclose(file);
}
