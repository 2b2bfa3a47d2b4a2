/* The processes below this one, children of children included. Used by the monitor and its guard. */
#ifndef SUP_NET_LAUNCH_MONITOR_TREE_H
#define SUP_NET_LAUNCH_MONITOR_TREE_H

#include <stdbool.h>
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

/* Whatever a run left behind is our child now, or below one. A look at /proc takes its time and can miss a process
 * whose parent dies meanwhile, so only having no child at all counts; unless some are spared. */
bool sup_tree_is_empty(const sup_tree *tree);

/* Is any of them there but `pid` and those with one of these names (NULL at the end)? */
bool sup_tree_has_others(const sup_tree *tree, pid_t pid, const char *const *names);

#endif
