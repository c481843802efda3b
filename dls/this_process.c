#include "dls/this_process.h"

#include "base/text.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No function here allocates memory: a process has a name even if memory ran
 * out. */

/* All of a small file of the system's; empty without it. */
static size_t read_whole(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    length = length < 0 ? 0 : length;
    text[length] = '\0';
    return (size_t)length;
}

/* Ticks since the system started: value 22 of /proc/self/stat, whose second may
 * hold blanks and ends with the last parenthesis. */
static long long started_ticks(void)
{
    char text[1024];
    read_whole("/proc/self/stat", text, sizeof(text));
    const char *at = strrchr(text, ')');
    for (int value = 2; at != NULL && value < 22; value++)
        at = strchr(at + 1, ' ');
    return at != NULL ? atoll(at) : 0;
}

/* Adds the next characters of /proc/stat; true: the number is complete. */
static bool take_boot(const char *text, ssize_t length, size_t *matched,
                      long long *seconds)
{
    static const char word[] = "\nbtime ";
    for (ssize_t i = 0; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (*matched < sizeof(word) - 1)
            *matched =
                text[i] == word[*matched] ? *matched + 1 : text[i] == '\n';
        else if (digit)
            *seconds = 10 * *seconds + (text[i] - '0');
        else
            return true;
    }
    return false;
}

/* The system's own start, in seconds of UTC. */
static long long booted(void)
{
    char block[4096];
    long long seconds = 0;
    size_t matched = 0;
    ssize_t length;
    int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && (length = read(file, block, sizeof(block))) > 0)
        if (take_boot(block, length, &matched, &seconds))
            break;
    if (file >= 0)
        close(file);
    return seconds;
}

/* Nothing has to be kept: what the system knows of the process does not
 * change. */
void process_name(char name[PROCESS_NAME_MAX])
{
    long rate = sysconf(_SC_CLK_TCK);
    long long ticks = started_ticks();
    struct timespec when = {.tv_sec = (time_t)(booted() + ticks / rate),
                            .tv_nsec =
                                (long)(ticks % rate * (1000000000 / rate))};
    stamp_launch(&when, name);
}

void process_command(char *text, size_t size)
{
    char words[4096];
    size_t length = read_whole("/proc/self/cmdline", words, sizeof(words));
    for (size_t i = 0; i + 1 < length; i++)
        if (words[i] == '\0')
            words[i] = ' ';
    text_line(text, size, words);
}

int process_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}
