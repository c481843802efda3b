#include "base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 4 };

int list_move(void *list, int64_t *room, int64_t count, size_t size)
{
    void *old, *moved;
    size_t bytes;
    int64_t more = 2 * *room > ROOM_MIN ? 2 * *room : ROOM_MIN;
    if (more < count)
        more = count;
    if (__builtin_mul_overflow((size_t)more, size, &bytes))
        return -ENOMEM;
    /* A pointer to any type, copied as bytes: C knows no pointer to those. */
    memcpy(&old, list, sizeof(old));
    moved = realloc(old, bytes);
    if (moved == NULL)
        return -ENOMEM;
    memcpy(list, &moved, sizeof(moved));
    *room = more;
    return 0;
}
