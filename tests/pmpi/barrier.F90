! A Fortran program that knows nothing of us: 50 barriers through the bindings that USE_MPI, USE_F08 or neither name.
program barrier
#ifdef USE_F08
    use mpi_f08
#endif
#ifdef USE_MPI
    use mpi
#endif
    implicit none
#if !defined(USE_F08) && !defined(USE_MPI)
    include 'mpif.h'
#endif
    integer :: i, rank, total, error
#ifdef USE_F08
    type(MPI_Comm) :: copy
#else
    integer :: copy
#endif
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    do i = 1, 25
        call MPI_Barrier(MPI_COMM_WORLD, error)
        if (error /= MPI_SUCCESS) stop 1
        call MPI_Barrier(copy, error)
        if (error /= MPI_SUCCESS) stop 1
    end do
    call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, copy, error)
    call MPI_Comm_free(copy, error)
    if (rank == 0) print '(a, i0)', 'sum ', total
    call MPI_Finalize(error)
end program
