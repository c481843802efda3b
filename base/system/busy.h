/* How long the processors of this process were busy, whoever had them. */
#ifndef BASE_SYSTEM_BUSY_H
#define BASE_SYSTEM_BUSY_H

#include "base/system/allowed.h"

struct busy {
    double
        seconds; /* of all processors of the set together: by any process, by
                    the system, or taken by the machine below a virtual one */
    double stolen_s; /* of them, taken by that machine */
    int processors;  /* that were found; 0: nothing is known */
};

/* Since the system's start, with /proc below `root` ("" is the system). */
void busy_read(const char *root, const struct allowed_set *set,
               struct busy *busy);

#endif
