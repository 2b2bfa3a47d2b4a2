/* Lists that grow one element at a time.
 *
 *     if (!sup_list_room(&hosts->at, hosts->count, sizeof *hosts->at)) … out of memory
 *     hosts->at[hosts->count++] = host;
 *
 * The room is the next power of two, which the count alone tells: a list must be grown by this function only. */
#ifndef SUP_BASE_LIST_H
#define SUP_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Room for one element more than `count` of `size` bytes; `list` is the address of the pointer to the first. false: no
 * memory, and the list is as it was. */
static inline bool sup_list_room(void *list, size_t count, size_t size) {
    if (count & (count - 1)) return true;
    void *first;
    memcpy(&first, list, sizeof first); /* whatever it points to */
    first = reallocarray(first, count ? 2 * count : 1, size);
    if (first) memcpy(list, &first, sizeof first);
    return first != NULL;
}

#endif
