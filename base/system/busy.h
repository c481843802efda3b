/* How long the processors of this process were busy, for any process. */
#ifndef BASE_SYSTEM_BUSY_H
#define BASE_SYSTEM_BUSY_H

#include "base/system/allowed.h"

struct busy {
    double seconds;  /* sum over the set's processors: used by any process, by
                        the  system, or by the host of a virtual machine */
    double stolen_s; /* of these, used by that host */
    int processors;  /* those found; 0: nothing is known */
};

/* Since the system's start, from /proc below `root` ("" is the system). */
void busy_read(const char *root, const struct allowed_set *set,
               struct busy *busy);

#endif
