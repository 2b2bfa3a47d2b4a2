/* The calls of MPI that a net makes on a communicator, under the names that tools and libraries in between do not see.
 *
 * libsuperstep-pmpi defines MPI's own names itself: its copies of these files are compiled with SUP_MPI_INSIDE and go
 * straight to the library. The plug-ins are programs like any other, and what profiles MPI may see them. */
#ifndef SUP_NET_MPI_CALLS_H
#define SUP_NET_MPI_CALLS_H

#include <mpi.h>

#ifdef SUP_MPI_INSIDE
#define MPI_Allgather PMPI_Allgather
#define MPI_Allreduce PMPI_Allreduce
#define MPI_Cancel PMPI_Cancel
#define MPI_Comm_create PMPI_Comm_create
#define MPI_Comm_free PMPI_Comm_free
#define MPI_Comm_group PMPI_Comm_group
#define MPI_Comm_rank PMPI_Comm_rank
#define MPI_Comm_set_errhandler PMPI_Comm_set_errhandler
#define MPI_Comm_size PMPI_Comm_size
#define MPI_Comm_test_inter PMPI_Comm_test_inter
#define MPI_Error_class PMPI_Error_class
#define MPI_Finalized PMPI_Finalized
#define MPI_Get_processor_name PMPI_Get_processor_name
#define MPI_Group_free PMPI_Group_free
#define MPI_Iprobe PMPI_Iprobe
#define MPI_Irecv PMPI_Irecv
#define MPI_Isend PMPI_Isend
#define MPI_Recv PMPI_Recv
#define MPI_Test PMPI_Test
#define MPI_Test_cancelled PMPI_Test_cancelled
#define MPI_Wait PMPI_Wait
#endif

#endif
