#include "base/stamp.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void stamp_time(time_t when, char text[STAMP_TIME_SIZE])
{
    struct tm utc;
    strftime(text, STAMP_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(&when, &utc));
}

void stamp_host_name(char *host, size_t size)
{
    if (gethostname(host, size) != 0)
        snprintf(host, size, "host");
    host[size - 1] = '\0';
}

void stamp_host(char host[STAMP_HOST_SIZE])
{
    stamp_host_name(host, STAMP_HOST_SIZE);
    host[strcspn(host, ".")] = '\0';
    for (char *c = host; *c != '\0'; c++)
        if (*c == '/' || *c == ' ')
            *c = '_';
}

void stamp_launch(const struct timespec *when, char name[STAMP_LAUNCH_SIZE])
{
    struct tm utc;
    char second[32], host[STAMP_HOST_SIZE];
    stamp_host(host);
    strftime(second, sizeof(second), "%Y%m%dT%H%M%S",
             gmtime_r(&when->tv_sec, &utc));
    snprintf(name, STAMP_LAUNCH_SIZE, "%s.%03ldZ-%s-%d", second,
             when->tv_nsec / 1000000, host, (int)getpid());
}
