! A Fortran program that knows nothing of us: every collective operation, also in place, through the bindings that
! USE_MPI, USE_F08 or neither name.
program collectives
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
    integer, parameter :: most = 64
    integer :: rank, p, error, i, wrong
    integer :: a(most), b(most), counts(most), places(most)
    double precision :: x(3), y(3)
    logical :: truth, all
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, p, error)
    wrong = 0

    a = 0
    if (rank == 0) a(1:3) = (/ 1, 2, 3 /)
    call MPI_Bcast(a, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call check(error == MPI_SUCCESS .and. a(1) == 1 .and. a(3) == 3 .and. a(4) == 0)

    x = (/ 1d0, 2d0, 0.5d0 /) * (rank + 1)
    call MPI_Allreduce(x, y, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call check(y(1) == p * (p + 1) / 2 .and. y(3) == 0.25d0 * p * (p + 1))
    call MPI_Allreduce(MPI_IN_PLACE, x, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call check(x(1) == y(1) .and. x(2) == y(2) .and. x(3) == y(3))
    truth = rank == 0
    call MPI_Allreduce(truth, all, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, error)
    call check(all .eqv. p == 1)

    a = rank + 1
    b = 0
    call MPI_Reduce(a, b, 2, MPI_INTEGER, MPI_MAX, p - 1, MPI_COMM_WORLD, error)
    if (rank == p - 1) call check(b(1) == p .and. b(2) == p .and. b(3) == 0)
    if (rank == 0) then
        call MPI_Reduce(MPI_IN_PLACE, a, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
        call check(a(1) == p * (p + 1) / 2 .and. a(2) == 1)
    else
        call MPI_Reduce(a, b, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    end if
    a = rank + 1
    call MPI_Scan(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call check(b(1) == (rank + 1) * (rank + 2) / 2)
    call MPI_Exscan(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (rank > 0) call check(b(1) == rank * (rank + 1) / 2)

    a = rank
    b = -1
    call MPI_Allgather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check_row(b, 1)
    b = -1
    b(rank + 1) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check_row(b, 1)
    b = -1
    call MPI_Gather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank == 0) call check_row(b, 1)
    counts = 1
    places = (/ (2 * i, i = 0, most - 1) /)
    b = -1
    call MPI_Allgatherv(a, 1, MPI_INTEGER, b, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check_row(b, 2)
    b = -1
    call MPI_Gatherv(a, 1, MPI_INTEGER, b, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank == 0) call check_row(b, 2)
    a = (/ (i, i = 0, most - 1) /)
    b = -1
    call MPI_Scatter(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call check(b(1) == rank .and. b(2) == -1)
    call MPI_Scatterv(a, counts, places, MPI_INTEGER, b, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call check(b(1) == 2 * rank .and. b(2) == -1)
    a = rank
    b = -1
    call MPI_Alltoall(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check_row(b, 1)
    b = rank
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check_row(b, 1)
    b = -1
    call MPI_Alltoallv(a, counts, places, MPI_INTEGER, b, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check_row(b, 2)
    a = (/ (i, i = 0, most - 1) /)
    call MPI_Reduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call check(b(1) == p * rank)
    call MPI_Reduce_scatter_block(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call check(b(1) == p * rank)

    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (rank == 0 .and. wrong == 0) print '(a)', 'all is well'
    if (rank == 0 .and. wrong /= 0) print '(i0, a)', wrong, ' checks failed'
    call MPI_Finalize(error)

contains

    subroutine check(fine)
        logical, intent(in) :: fine
        if (.not. fine) wrong = wrong + 1
    end subroutine

    subroutine check_row(row, step)
        integer, intent(in) :: row(:), step
        integer :: k
        do k = 1, p
            call check(row(step * (k - 1) + 1) == k - 1)
        end do
        call check(row(step * p + 1) == -1 .or. row(step * p + 1) == rank)
    end subroutine

end program
