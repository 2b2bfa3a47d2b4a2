/* The processes below this one, children of children included. Used by the monitor alone. */
#ifndef SUP_NET_MONITOR_TREE_H
#define SUP_NET_MONITOR_TREE_H

#include <stddef.h>
#include <sys/types.h>

/* Processes that were children of this one before the run: a shell that became us through exec may have left some. */
typedef struct sup_tree {
    pid_t *spared;
    size_t spared_count;
} sup_tree;

void sup_tree_init(sup_tree *tree);
void sup_tree_clear(sup_tree *tree);

/* Sends `sig` to every descendant that is not spared (nor below a spared one); 0 only counts. Zombies do not count.
 * Returns how many there were. Cost: one pass over /proc. */
size_t sup_tree_signal(const sup_tree *tree, int sig);

#endif
