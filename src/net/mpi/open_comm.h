/* A net over any intracommunicator of a program that uses MPI itself: signals, published words and hosts, nothing else.
 * Made for barriers in unmodified MPI programs. It needs hosts.c, board.c, common.c, signal.c, net/wait.c and
 * base/clock.c beside open_comm.c, compiled with SUP_MPI_INSIDE where MPI's own names are the includer's. */
#ifndef SUP_NET_MPI_OPEN_COMM_H
#define SUP_NET_MPI_OPEN_COMM_H

#include "net/mpi/calls.h"
#include "net/net.h"

typedef struct sup_mpi_comm_options {
    int slots;           /* signal slots, 1 … SUP_NET_SLOTS */
    bool oversubscribed; /* processes exceed cores, whoever the members are; they find out themselves as well */
} sup_mpi_comm_options;

/* Collective over comm. Of the result only rank, size, host, signal, await, peek, shares, publish, await_published,
 * progress, failure and close may be used. Attributes of comm are not copied. Either all members have it, or none has:
 * SUP_EINVAL: options, or an intercommunicator; SUP_ENOMEM; SUP_EPEER: MPI failed. One thread at a time uses a net; two
 * threads may use two at once if MPI permits. */
sup_status sup_mpi_open_comm(MPI_Comm comm, const sup_mpi_comm_options *options, sup_diag *diag, sup_net **out);
/* Collective over the members, as MPI_Comm_free; nobody is in a wait. After MPI_Finalize only memory is given back. */
void sup_mpi_close_comm(sup_net *net);

#endif
