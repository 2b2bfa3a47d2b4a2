/* A net over any intracommunicator of a program that uses MPI itself: signals, published words, messages, single copies
 * and hosts. Made for barriers and collective operations in unmodified MPI programs. It needs hosts.c, board.c,
 * common.c, message.c, signal.c, single_copy.c, net/vm_copy.c, net/wait.c and base/clock.c beside open_comm.c, compiled
 * with SUP_MPI_INSIDE where MPI's own names are the includer's. */
#ifndef SUP_NET_MPI_OPEN_COMM_H
#define SUP_NET_MPI_OPEN_COMM_H

#include "net/mpi/calls.h"
#include "net/net.h"

typedef struct sup_mpi_comm_options {
    int slots;           /* signal slots, 1 … SUP_NET_SLOTS */
    bool oversubscribed; /* processes exceed cores, whoever the members are; they find out themselves as well */
    bool no_kernel_copy; /* processes leave each other's memory alone */
} sup_mpi_comm_options;

/* Signals and messages share one communicator: the tags that messages may have. */
enum { SUP_MPI_COMM_TAG = 128, SUP_MPI_COMM_TAG_LAST = 255 };

/* What opening would otherwise do the first time it is called: where nobody waits for it yet. Local; MPI need not have
 * begun. */
void sup_mpi_hosts_prepare(void);

/* Collective over comm. The result has no regions and no abort; a message's tag is one of the above. Attributes of comm
 * are not copied. Either all members have it, or none has: SUP_EINVAL: options, or an intercommunicator; SUP_ENOMEM;
 * SUP_EPEER: MPI failed. One thread at a time uses a net; two threads may use two at once if MPI permits. */
sup_status sup_mpi_open_comm(MPI_Comm comm, const sup_mpi_comm_options *options, sup_diag *diag, sup_net **out);
/* Collective over the members, as MPI_Comm_free; nobody is in a wait. After MPI_Finalize only memory is given back. */
void sup_mpi_close_comm(sup_net *net);

#endif
