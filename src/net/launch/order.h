/* What `superstep run` tells the processes around the ranks that an MPI starts (`superstep run --as-rank`), and nobody
 * else: which program with which arguments. Nothing of it is a secret: the program and others of its user can read it.
 *
 * It travels in variables, whose values have no byte but letters, digits and ./_-+%: MPI's launchers take words of
 * their command line for their own (":" begins another program), put them into one variable of limited length, and send
 * them through the shell of another host. */
#ifndef SUP_NET_LAUNCH_ORDER_H
#define SUP_NET_LAUNCH_ORDER_H

#include "base/status.h"

#define SUP_ORDER_PART 100000 /* bytes of a variable: the kernel takes 128 KiB */
#define SUP_ORDER_PARTS 64    /* more than the kernel takes in all */
#define SUP_ORDER_NAME 32     /* bytes of a variable's name */

typedef struct sup_order {
    char *program; /* where it is */
    char **argv;   /* as the user gave it, NULL at the end */
    char *text;    /* where the words of a taken order lie */
} sup_order;

/* Puts the order into the environment of this process, for those that it starts. *parts: how many variables hold the
 * program; sup_order_name says their names. SUP_EINVAL: longer than the system can hand on. */
sup_status sup_order_put(const sup_order *order, sup_diag *diag, int *parts);
void sup_order_name(int part, char name[SUP_ORDER_NAME]);

/* Takes the order out of the environment, so that nothing started from here on finds it. SUP_ENOENT: there is none;
 * SUP_EPARSE: it is not whole. To be freed with sup_order_free. */
sup_status sup_order_take(sup_diag *diag, sup_order *out);
void sup_order_free(sup_order *order);

/* The words as they travel: "echo+hello+%3A". To be freed; NULL: no memory. */
char *sup_order_encode(char *const words[]);

#endif
