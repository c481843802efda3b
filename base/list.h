/* Lists that grow. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Moves a list to at least twice its room; only list_grow calls it. */
int list_move(void *list, int64_t *room, int64_t count, size_t size);

/* Makes room for `count` elements of `size` bytes.  `list` is the address of
 * the pointer to the first element, which may move; NULL with *room 0 is an
 * empty list; free() frees any list.  New elements are not zeroed.  Returns 0,
 * or -ENOMEM with the list and its room unchanged. */
static inline int list_grow(void *list, int64_t *room, int64_t count,
                            size_t size)
{
    return count <= *room ? 0 : list_move(list, room, count, size);
}

#endif
