/* Control groups of this process, of version 1 and 2. */
#ifndef BASE_SYSTEM_GROUPS_H
#define BASE_SYSTEM_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

/* Called for one group: the folder with its files, and the version. */
typedef void groups_look(void *into, const char *folder, int version);

/* Calls `look` for this process's group under a controller of version 1, for
 * all groups above it, and the same for version 2.  /proc/self/cgroup and
 * /proc/self/mountinfo below `root` name the groups ("" is the system; tests
 * use another).  Groups above a container's are invisible.
 *
 * False: a group is unknown; why[size] has the reason.  A system without
 * control groups is known to have none. */
bool groups_visit(const char *root, const char *controller, groups_look *look,
                  void *into, char *why, size_t size);

#endif
