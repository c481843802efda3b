/* Control groups of this process, of version 1 and 2. */
#ifndef BASE_SYSTEM_GROUPS_H
#define BASE_SYSTEM_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

/* One group: the folder that its files are in, and the version. */
typedef void groups_look(void *into, const char *folder, int version);

/* Calls `look` for the group of this process under a controller of version 1,
 * for all groups above it, and the same for version 2.  Groups are found by
 * /proc/self/cgroup and /proc/self/mountinfo below `root` ("" is the system;
 * tests have another).  Groups above a container's own cannot be seen.
 *
 * False: a group is not known, and why[size] has the reason.  A system without
 * control groups is known to have none. */
bool groups_visit(const char *root, const char *controller, groups_look *look,
                  void *into, char *why, size_t size);

#endif
