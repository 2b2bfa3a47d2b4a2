! A Fortran program with the module bsp: arrays of any type and rank, sections, scalars, messages, collective operations.
! With an argument it hands over a section with gaps, which must be refused.
module work
  use, intrinsic :: iso_c_binding
  use bsp
  implicit none
  integer :: rules = 0
  type, bind(c) :: particle
    real(c_double) :: x, y
    integer(c_int) :: owner
  end type
contains

  subroutine rule(holds, text)
    logical, intent(in) :: holds
    character(*), intent(in) :: text
    rules = rules + 1
    if (.not. holds) print '(a,i0,2a)', 'not ok ', rules, ' - ', text
    if (.not. bsp_all(holds)) call bsp_abort('fortran: 100% is not all: ' // text)
    if (bsp_pid() == 0) print '(a,i0,2a)', 'ok ', rules, ' - ', text
  end subroutine

  subroutine same(x, y, text)
    real(c_double), intent(in) :: x, y
    character(*), intent(in) :: text
    call rule(abs(x - y) < 1d-12, text)
  end subroutine

  subroutine memory()
    integer, asynchronous :: ring, fetched
    real(c_double), asynchronous :: matrix(4, 3)
    type(particle), asynchronous, allocatable :: swarm(:)
    type(particle) :: mine
    integer(c_size_t) :: wide
    integer :: p, s, right, left, now
    p = bsp_nprocs()
    s = bsp_pid()
    right = modulo(s + 1, p)
    left = modulo(s - 1, p)
    allocate (swarm(p))
    ring = -1
    matrix = -1
    wide = c_sizeof(mine) * p
    call bsp_push_reg(ring, 4)
    call bsp_push_reg(matrix, 12 * 8)
    call bsp_push_reg(swarm, wide)
    call bsp_sync()
    call bsp_put(right, s, ring, 0, 4)
    call bsp_put(right, [real(c_double) :: s, s + 0.5d0, 7, 8], matrix, 4 * 8, 4 * 8)
    mine = particle(0.25d0 * s, -1, s)
    do now = 0, p - 1
      call bsp_put(now, mine, swarm, c_sizeof(mine) * s, c_sizeof(mine))
    end do
    call bsp_sync()
    call rule(ring == left, 'a scalar is put')
    call rule(all(matrix(:, 2) == [real(c_double) :: left, left + 0.5d0, 7, 8]) .and. all(matrix(:, 1) == -1) &
      .and. all(matrix(:, 3) == -1), 'a column of a matrix is put')
    call rule(all(swarm%owner == [(now, now=0, p - 1)]) .and. swarm(p)%x == 0.25d0 * (p - 1), 'a derived type is put')
    matrix(2:3, 3) = -5
    fetched = -1
    call bsp_get(right, ring, 0, fetched, 4)
    call bsp_get(right, matrix, 4 * 8, matrix(2:3, 3), 2 * 8)
    call bsp_sync()
    call rule(fetched == s .and. all(matrix(2:3, 3) == [s + 0d0, s + 0.5d0]) .and. matrix(1, 3) == -1, &
      'gets into a scalar and a section')
    now = -1
    call bsp_direct_get(right, ring, 0, now, 4)
    call rule(now == s, 'a direct get is there at once')
    call bsp_sync()
    ring = -2
    call bsp_hpput(left, swarm(1:1), swarm, 0, 8)
    call bsp_hpget(right, matrix, 0, matrix(1:1, 3), 8)
    call bsp_pop_reg(swarm)
    call bsp_pop_reg(matrix)
    call bsp_pop_reg(ring)
    call bsp_sync()
    call rule(matrix(1, 3) == -1, 'unbuffered transfers')
  end subroutine

  subroutine messages()
    integer :: tag_size, packets, status, tag, k, s, p
    integer(c_size_t) :: wide_packets, wide_bytes
    real :: payload(8)
    logical :: right
    type(c_ptr) :: tag_at, payload_at
    real, pointer :: there(:)
    p = bsp_nprocs()
    s = bsp_pid()
    tag_size = 4
    call bsp_set_tagsize(tag_size)
    call bsp_sync()
    payload = 0.5 * s
    do k = 0, p - 1
      call bsp_send(k, s, payload, 4 * min(k, 8))
    end do
    call bsp_sync()
    call bsp_qsize(packets, status)
    call bsp_qsize(wide_packets, wide_bytes)
    right = tag_size == 0 .and. packets == p .and. wide_bytes == 4 * min(s, 8) * p .and. wide_packets == p
    do k = 1, p - 1
      call bsp_get_tag(status, tag)
      payload = -1
      call bsp_move(payload, 32)
      right = right .and. status == 4 * min(s, 8) .and. all(payload(1:min(s, 8)) == 0.5 * tag)
    end do
    status = int(bsp_hpmove(tag_at, payload_at))
    call c_f_pointer(payload_at, there, [status / 4])
    right = right .and. size(there) == min(s, 8)
    status = int(bsp_hpmove(tag_at, payload_at))
    call rule(right .and. status == -1, 'messages with tags, copied and in place')
    tag_size = 0
    call bsp_set_tagsize(tag_size)
    call bsp_sync()
  end subroutine

  subroutine collectives()
    integer :: p, s, k, mine(2)
    integer, allocatable :: table(:, :), row(:), column(:)
    real(c_double) :: x(3)
    logical :: right
    p = bsp_nprocs()
    s = bsp_pid()
    allocate (table(2, p), row(p), column(p))
    x = s
    call bsp_bcast(p - 1, x, 24)
    mine = [s, -s]
    table = 0
    call bsp_gather(0, mine, table, 8)
    call rule(all(x == p - 1) .and. (s > 0 .or. all(table(2, :) == [(-k, k=0, p - 1)])), 'broadcast and gather')
    call bsp_scatter(0, table, mine, 8)
    call bsp_allgather(mine, table, 8)
    row = s
    call bsp_total_exchange(row, column, 4)
    call rule(all(mine == [s, -s]) .and. all(table(1, :) == column), 'scatter, allgather, total exchange')
    call same(1d0 * bsp_sum(s), 0.5d0 * p * (p - 1), 'a sum of integers')
    call same(1d0 * bsp_max(0.5 * s), 0.5d0 * (p - 1), 'the greatest real')
    call same(bsp_min(-1d0 * s), 1d0 - p, 'the least double')
    call same(bsp_product_prefix(2d0), 2d0**(s + 1), 'a product of the processes up to this one')
    call same(1d0 * bsp_sum_prefix(1), s + 1d0, 'a sum of the processes up to this one')
    right = bsp_any(s == p - 1)
    call rule(right, 'any')
  end subroutine

  subroutine gaps()
    integer, asynchronous :: square(3, 3)
    call bsp_push_reg(square, 36)
    call bsp_sync()
    square = 1
    call bsp_put(0, square(2, :), square, 0, 12)
    call bsp_sync()
  end subroutine

  subroutine spmd()
    real(c_double) :: clocks(3)
    call bsp_begin(bsp_nprocs())
    if (command_argument_count() > 0) call gaps()
    call memory()
    call messages()
    call collectives()
    clocks = [bsp_time(), bsp_dtime(), bsp_cputime()]
    call rule(all(clocks >= 0), 'clocks')
    if (bsp_pid() == 0) print '(a,i0)', '1..', rules
    call bsp_end()
  end subroutine
end module

program main
  use work
  call bsp_init(spmd)
  call spmd()
end program
