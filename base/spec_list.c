/* Lists of numbers, as powers and costs are given. */
#include "base/spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Keeps the part that is read next.  One without room is not a number. */
static void keep_word(struct spec_list *found, const char *text, size_t length)
{
    bool fits = length < sizeof(found->wrong) - 3;
    snprintf(found->wrong, sizeof(found->wrong), "%.*s%s",
             (int)(fits ? length : sizeof(found->wrong) - 4), text,
             fits ? "" : "...");
}

/* The entry [text, text + length), "v" or "n:v". */
static int read_entry(const char *text, size_t length, int64_t times_max,
                      int64_t *times, double *value, struct spec_list *found)
{
    const char *colon = memchr(text, ':', length);
    const char *number = colon != NULL ? colon + 1 : text;
    *times = 1;
    if (colon != NULL) {
        keep_word(found, text, (size_t)(colon - text));
        found->wrong_times = true;
        if (spec_integer(found->wrong, times) != 0 || *times < 1 ||
            *times > times_max)
            return -EINVAL;
        found->wrong_times = false;
    }
    keep_word(found, number, length - (size_t)(number - text));
    return spec_real(found->wrong, value) != 0 || *value < 0 ? -EINVAL : 0;
}

int spec_list(const char *text, int64_t times_max, double *value, int64_t room,
              struct spec_list *found)
{
    *found = (struct spec_list){.smallest = INFINITY};
    for (const char *entry = text; entry != NULL;) {
        size_t length = strcspn(entry, ",");
        int64_t times;
        double number;
        if (read_entry(entry, length, times_max, &times, &number, found) != 0)
            return -EINVAL;
        for (int64_t i = found->count; i < found->count + times && i < room;
             i++)
            value[i] = number;
        found->count += times;
        found->smallest = fmin(found->smallest, number);
        found->largest = fmax(found->largest, number);
        entry = entry[length] != '\0' ? entry + length + 1 : NULL;
    }
    return 0;
}
