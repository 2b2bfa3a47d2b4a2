! BSPlib for Fortran 2018: the calls of bsp.h, for arrays and scalars of any type and rank.
!
!     program hello
!       use bsp
!       integer, asynchronous :: from_left = -1
!       call bsp_begin(bsp_nprocs())
!       call bsp_push_reg(from_left, 4)
!       call bsp_sync()
!       call bsp_put(modulo(bsp_pid() + 1, bsp_nprocs()), bsp_pid(), from_left, 0, 4)
!       call bsp_sync()
!       print *, bsp_pid(), 'has', from_left
!       call bsp_end()
!     end program
!
! Compile with bspfc. Sizes and offsets are bytes, both as default integers or both as integer(c_size_t); costs and
! rules are those of bsp.h. An array is handed over by its address: it must be contiguous, which is checked, and what
! other processes write or a get fills must be declared asynchronous, target or volatile, or the compiler may not look
! again after the sync. bsp_init takes a subroutine without arguments. Collective functions do not belong into a
! condition, where the compiler may leave one out.
module bsp
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t, c_ptrdiff_t, c_float, c_double, c_char, c_ptr, &
    c_funptr, c_loc, c_funloc, c_null_ptr, c_null_char
  implicit none
  private

  public :: bsp_init, bsp_begin, bsp_end, bsp_abort, bsp_nprocs, bsp_pid, bsp_time, bsp_dtime, bsp_cputime, bsp_sync
  public :: bsp_push_reg, bsp_pop_reg, bsp_put, bsp_hpput, bsp_get, bsp_hpget, bsp_direct_get
  public :: bsp_set_tagsize, bsp_send, bsp_qsize, bsp_get_tag, bsp_move, bsp_hpmove
  public :: bsp_bcast, bsp_gather, bsp_scatter, bsp_allgather, bsp_total_exchange
  public :: bsp_sum, bsp_product, bsp_min, bsp_max, bsp_sum_prefix, bsp_product_prefix, bsp_min_prefix, bsp_max_prefix
  public :: bsp_all, bsp_any

  ! As in bsp.h: what a pointer points to.
  integer(c_int), parameter :: as_int = 1, as_long = 3

  abstract interface
    subroutine bsp_section()
    end subroutine
  end interface

  ! ---- calls that need no help
  interface
    subroutine bsp_begin(maxprocs) bind(c, name='bsp_begin')
      import :: c_int
      integer(c_int), value :: maxprocs
    end subroutine
    subroutine bsp_end() bind(c, name='bsp_end')
    end subroutine
    subroutine bsp_sync() bind(c, name='bsp_sync')
    end subroutine
    integer(c_int) function bsp_nprocs() bind(c, name='bsp_nprocs')
      import :: c_int
    end function
    integer(c_int) function bsp_pid() bind(c, name='bsp_pid')
      import :: c_int
    end function
    real(c_double) function bsp_time() bind(c, name='bsp_time')
      import :: c_double
    end function
    real(c_double) function bsp_dtime() bind(c, name='bsp_dtime')
      import :: c_double
    end function
    real(c_double) function bsp_cputime() bind(c, name='bsp_cputime')
      import :: c_double
    end function
    integer(c_ptrdiff_t) function bsp_hpmove(tag, payload) bind(c, name='bsp_hpmove')
      import :: c_ptr, c_ptrdiff_t
      type(c_ptr), intent(out) :: tag, payload
    end function
  end interface

  ! ---- calls of the library behind those below
  interface
    subroutine c_init(spmd, argc, argv) bind(c, name='bsp_init')
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: spmd
      integer(c_int), value :: argc
      type(c_ptr), value :: argv
    end subroutine
    subroutine c_abort(text) bind(c, name='bsp_abort_text')
      import :: c_char
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
    subroutine c_push_reg(addr, nbytes) bind(c, name='bsp_push_reg')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: addr
      integer(c_size_t), value :: nbytes
    end subroutine
    subroutine c_pop_reg(addr) bind(c, name='bsp_pop_reg')
      import :: c_ptr
      type(c_ptr), value :: addr
    end subroutine
    subroutine c_put(pid, src, dst, offset, nbytes) bind(c, name='bsp_put')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: pid
      type(c_ptr), value :: src, dst
      integer(c_size_t), value :: offset, nbytes
    end subroutine
    subroutine c_hpput(pid, src, dst, offset, nbytes) bind(c, name='bsp_hpput')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: pid
      type(c_ptr), value :: src, dst
      integer(c_size_t), value :: offset, nbytes
    end subroutine
    subroutine c_get(pid, src, offset, dst, nbytes) bind(c, name='bsp_get')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: pid
      type(c_ptr), value :: src
      integer(c_size_t), value :: offset
      type(c_ptr), value :: dst
      integer(c_size_t), value :: nbytes
    end subroutine
    subroutine c_hpget(pid, src, offset, dst, nbytes) bind(c, name='bsp_hpget')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: pid
      type(c_ptr), value :: src
      integer(c_size_t), value :: offset
      type(c_ptr), value :: dst
      integer(c_size_t), value :: nbytes
    end subroutine
    subroutine c_direct_get(pid, src, offset, dst, nbytes) bind(c, name='bsp_direct_get')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: pid
      type(c_ptr), value :: src
      integer(c_size_t), value :: offset
      type(c_ptr), value :: dst
      integer(c_size_t), value :: nbytes
    end subroutine
    subroutine c_set_tagsize(nbytes, width) bind(c, name='bsp_set_tagsize_as')
      import :: c_int, c_ptr
      type(c_ptr), value :: nbytes
      integer(c_int), value :: width
    end subroutine
    subroutine c_send(pid, tag, payload, nbytes) bind(c, name='bsp_send')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: pid
      type(c_ptr), value :: tag, payload
      integer(c_size_t), value :: nbytes
    end subroutine
    subroutine c_qsize(packets, packets_width, nbytes, nbytes_width) bind(c, name='bsp_qsize_as')
      import :: c_int, c_ptr
      type(c_ptr), value :: packets
      integer(c_int), value :: packets_width
      type(c_ptr), value :: nbytes
      integer(c_int), value :: nbytes_width
    end subroutine
    subroutine c_get_tag(status, width, tag) bind(c, name='bsp_get_tag_as')
      import :: c_int, c_ptr
      type(c_ptr), value :: status
      integer(c_int), value :: width
      type(c_ptr), value :: tag
    end subroutine
    subroutine c_move(payload, nbytes) bind(c, name='bsp_move')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: payload
      integer(c_size_t), value :: nbytes
    end subroutine
    subroutine c_broadcast(root, at, nbytes) bind(c, name='sup_bsp_broadcast')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: root
      type(c_ptr), value :: at
      integer(c_size_t), value :: nbytes
    end subroutine
    subroutine c_gather(root, src, nbytes, dst) bind(c, name='sup_bsp_gather')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: root
      type(c_ptr), value :: src
      integer(c_size_t), value :: nbytes
      type(c_ptr), value :: dst
    end subroutine
    subroutine c_scatter(root, src, nbytes, dst) bind(c, name='sup_bsp_scatter')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: root
      type(c_ptr), value :: src
      integer(c_size_t), value :: nbytes
      type(c_ptr), value :: dst
    end subroutine
    subroutine c_allgather(src, nbytes, dst) bind(c, name='sup_bsp_allgather')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: src
      integer(c_size_t), value :: nbytes
      type(c_ptr), value :: dst
    end subroutine
    subroutine c_total_exchange(src, nbytes, dst) bind(c, name='sup_bsp_total_exchange')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: src
      integer(c_size_t), value :: nbytes
      type(c_ptr), value :: dst
    end subroutine
    integer(c_int) function c_all(x) bind(c, name='bsp_all')
      import :: c_int
      integer(c_int), value :: x
    end function
    integer(c_int) function c_any(x) bind(c, name='bsp_any')
      import :: c_int
      integer(c_int), value :: x
    end function
  end interface

  ! ---- one value of each process: of all, or of those up to this one (prefix)
  interface bsp_sum
    integer(c_int) function sum_i(x) bind(c, name='bsp_sumI')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function sum_r(x) bind(c, name='bsp_sumR')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function sum_d(x) bind(c, name='bsp_sumD')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  interface bsp_sum_prefix
    integer(c_int) function sum_i_prefix(x) bind(c, name='bsp_sumI_prefix')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function sum_r_prefix(x) bind(c, name='bsp_sumR_prefix')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function sum_d_prefix(x) bind(c, name='bsp_sumD_prefix')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  interface bsp_product
    integer(c_int) function product_i(x) bind(c, name='bsp_productI')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function product_r(x) bind(c, name='bsp_productR')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function product_d(x) bind(c, name='bsp_productD')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  interface bsp_product_prefix
    integer(c_int) function product_i_prefix(x) bind(c, name='bsp_productI_prefix')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function product_r_prefix(x) bind(c, name='bsp_productR_prefix')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function product_d_prefix(x) bind(c, name='bsp_productD_prefix')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  interface bsp_min
    integer(c_int) function min_i(x) bind(c, name='bsp_minI')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function min_r(x) bind(c, name='bsp_minR')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function min_d(x) bind(c, name='bsp_minD')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  interface bsp_min_prefix
    integer(c_int) function min_i_prefix(x) bind(c, name='bsp_minI_prefix')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function min_r_prefix(x) bind(c, name='bsp_minR_prefix')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function min_d_prefix(x) bind(c, name='bsp_minD_prefix')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  interface bsp_max
    integer(c_int) function max_i(x) bind(c, name='bsp_maxI')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function max_r(x) bind(c, name='bsp_maxR')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function max_d(x) bind(c, name='bsp_maxD')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  interface bsp_max_prefix
    integer(c_int) function max_i_prefix(x) bind(c, name='bsp_maxI_prefix')
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_float) function max_r_prefix(x) bind(c, name='bsp_maxR_prefix')
      import :: c_float
      real(c_float), value :: x
    end function
    real(c_double) function max_d_prefix(x) bind(c, name='bsp_maxD_prefix')
      import :: c_double
      real(c_double), value :: x
    end function
  end interface

  ! ---- any type and rank; sizes and offsets of two kinds
  interface bsp_push_reg; module procedure push_reg_int, push_reg_long; end interface
  interface bsp_put; module procedure put_int, put_long; end interface
  interface bsp_hpput; module procedure hpput_int, hpput_long; end interface
  interface bsp_get; module procedure get_int, get_long; end interface
  interface bsp_hpget; module procedure hpget_int, hpget_long; end interface
  interface bsp_direct_get; module procedure direct_get_int, direct_get_long; end interface
  interface bsp_send; module procedure send_int, send_long; end interface
  interface bsp_move; module procedure move_int, move_long; end interface
  interface bsp_bcast; module procedure bcast_int, bcast_long; end interface
  interface bsp_gather; module procedure gather_int, gather_long; end interface
  interface bsp_scatter; module procedure scatter_int, scatter_long; end interface
  interface bsp_allgather; module procedure allgather_int, allgather_long; end interface
  interface bsp_total_exchange; module procedure total_exchange_int, total_exchange_long; end interface
  interface bsp_set_tagsize; module procedure set_tagsize_int, set_tagsize_long; end interface
  interface bsp_get_tag; module procedure get_tag_int, get_tag_long; end interface
  interface bsp_qsize; module procedure qsize_int, qsize_long; end interface

contains

  ! Where x is. A section with gaps would have to be copied, and nobody would copy it back.
  function address_of(call, x) result(p)
    character(*), intent(in) :: call
    type(*), dimension(..), intent(in), target :: x
    type(c_ptr) :: p
    if (.not. is_contiguous(x)) call bsp_abort(call // ': the array is not contiguous')
    p = c_loc(x)
  end function

  subroutine bsp_init(spmd)
    procedure(bsp_section) :: spmd
    call c_init(c_funloc(spmd), 0_c_int, c_null_ptr)
  end subroutine

  subroutine bsp_abort(text)
    character(*), intent(in) :: text
    call c_abort(text // c_null_char)
  end subroutine

  subroutine bsp_pop_reg(x)
    type(*), dimension(..), intent(in), target :: x
    call c_pop_reg(address_of('bsp_pop_reg', x))
  end subroutine

  logical function bsp_all(x)
    logical, intent(in) :: x
    bsp_all = c_all(merge(1_c_int, 0_c_int, x)) /= 0
  end function

  logical function bsp_any(x)
    logical, intent(in) :: x
    bsp_any = c_any(merge(1_c_int, 0_c_int, x)) /= 0
  end function

  subroutine push_reg_int(x, nbytes)
    type(*), dimension(..), intent(inout), target :: x
    integer(c_int), intent(in) :: nbytes
    call c_push_reg(address_of('bsp_push_reg', x), int(nbytes, c_size_t))
  end subroutine

  subroutine push_reg_long(x, nbytes)
    type(*), dimension(..), intent(inout), target :: x
    integer(c_size_t), intent(in) :: nbytes
    call c_push_reg(address_of('bsp_push_reg', x), nbytes)
  end subroutine

  subroutine put_int(pid, src, dst, offset, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src, dst
    integer(c_int), intent(in) :: offset, nbytes
    call c_put(pid, address_of('bsp_put', src), address_of('bsp_put', dst), int(offset, c_size_t), int(nbytes, &
      c_size_t))
  end subroutine

  subroutine put_long(pid, src, dst, offset, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src, dst
    integer(c_size_t), intent(in) :: offset, nbytes
    call c_put(pid, address_of('bsp_put', src), address_of('bsp_put', dst), offset, nbytes)
  end subroutine

  subroutine hpput_int(pid, src, dst, offset, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src, dst
    integer(c_int), intent(in) :: offset, nbytes
    call c_hpput(pid, address_of('bsp_hpput', src), address_of('bsp_hpput', dst), int(offset, c_size_t), &
      int(nbytes, c_size_t))
  end subroutine

  subroutine hpput_long(pid, src, dst, offset, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src, dst
    integer(c_size_t), intent(in) :: offset, nbytes
    call c_hpput(pid, address_of('bsp_hpput', src), address_of('bsp_hpput', dst), offset, nbytes)
  end subroutine

  subroutine get_int(pid, src, offset, dst, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src
    integer(c_int), intent(in) :: offset
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_int), intent(in) :: nbytes
    call c_get(pid, address_of('bsp_get', src), int(offset, c_size_t), address_of('bsp_get', dst), int(nbytes, &
      c_size_t))
  end subroutine

  subroutine get_long(pid, src, offset, dst, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src
    integer(c_size_t), intent(in) :: offset
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_size_t), intent(in) :: nbytes
    call c_get(pid, address_of('bsp_get', src), offset, address_of('bsp_get', dst), nbytes)
  end subroutine

  subroutine hpget_int(pid, src, offset, dst, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src
    integer(c_int), intent(in) :: offset
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_int), intent(in) :: nbytes
    call c_hpget(pid, address_of('bsp_hpget', src), int(offset, c_size_t), address_of('bsp_hpget', dst), &
      int(nbytes, c_size_t))
  end subroutine

  subroutine hpget_long(pid, src, offset, dst, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src
    integer(c_size_t), intent(in) :: offset
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_size_t), intent(in) :: nbytes
    call c_hpget(pid, address_of('bsp_hpget', src), offset, address_of('bsp_hpget', dst), nbytes)
  end subroutine

  subroutine direct_get_int(pid, src, offset, dst, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src
    integer(c_int), intent(in) :: offset
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_int), intent(in) :: nbytes
    call c_direct_get(pid, address_of('bsp_direct_get', src), int(offset, c_size_t), address_of('bsp_direct_get', &
      dst), int(nbytes, c_size_t))
  end subroutine

  subroutine direct_get_long(pid, src, offset, dst, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: src
    integer(c_size_t), intent(in) :: offset
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_size_t), intent(in) :: nbytes
    call c_direct_get(pid, address_of('bsp_direct_get', src), offset, address_of('bsp_direct_get', dst), nbytes)
  end subroutine

  subroutine send_int(pid, tag, payload, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: tag, payload
    integer(c_int), intent(in) :: nbytes
    call c_send(pid, address_of('bsp_send', tag), address_of('bsp_send', payload), int(nbytes, c_size_t))
  end subroutine

  subroutine send_long(pid, tag, payload, nbytes)
    integer(c_int), intent(in) :: pid
    type(*), dimension(..), intent(in), target :: tag, payload
    integer(c_size_t), intent(in) :: nbytes
    call c_send(pid, address_of('bsp_send', tag), address_of('bsp_send', payload), nbytes)
  end subroutine

  subroutine move_int(payload, nbytes)
    type(*), dimension(..), intent(inout), target :: payload
    integer(c_int), intent(in) :: nbytes
    call c_move(address_of('bsp_move', payload), int(nbytes, c_size_t))
  end subroutine

  subroutine move_long(payload, nbytes)
    type(*), dimension(..), intent(inout), target :: payload
    integer(c_size_t), intent(in) :: nbytes
    call c_move(address_of('bsp_move', payload), nbytes)
  end subroutine

  subroutine bcast_int(root, x, nbytes)
    integer(c_int), intent(in) :: root
    type(*), dimension(..), intent(inout), target :: x
    integer(c_int), intent(in) :: nbytes
    call c_broadcast(root, address_of('bsp_bcast', x), int(nbytes, c_size_t))
  end subroutine

  subroutine bcast_long(root, x, nbytes)
    integer(c_int), intent(in) :: root
    type(*), dimension(..), intent(inout), target :: x
    integer(c_size_t), intent(in) :: nbytes
    call c_broadcast(root, address_of('bsp_bcast', x), nbytes)
  end subroutine

  subroutine gather_int(root, src, dst, nbytes)
    integer(c_int), intent(in) :: root
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_int), intent(in) :: nbytes
    call c_gather(root, address_of('bsp_gather', src), int(nbytes, c_size_t), address_of('bsp_gather', dst))
  end subroutine

  subroutine gather_long(root, src, dst, nbytes)
    integer(c_int), intent(in) :: root
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_size_t), intent(in) :: nbytes
    call c_gather(root, address_of('bsp_gather', src), nbytes, address_of('bsp_gather', dst))
  end subroutine

  subroutine scatter_int(root, src, dst, nbytes)
    integer(c_int), intent(in) :: root
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_int), intent(in) :: nbytes
    call c_scatter(root, address_of('bsp_scatter', src), int(nbytes, c_size_t), address_of('bsp_scatter', dst))
  end subroutine

  subroutine scatter_long(root, src, dst, nbytes)
    integer(c_int), intent(in) :: root
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_size_t), intent(in) :: nbytes
    call c_scatter(root, address_of('bsp_scatter', src), nbytes, address_of('bsp_scatter', dst))
  end subroutine

  subroutine allgather_int(src, dst, nbytes)
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_int), intent(in) :: nbytes
    call c_allgather(address_of('bsp_allgather', src), int(nbytes, c_size_t), address_of('bsp_allgather', dst))
  end subroutine

  subroutine allgather_long(src, dst, nbytes)
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_size_t), intent(in) :: nbytes
    call c_allgather(address_of('bsp_allgather', src), nbytes, address_of('bsp_allgather', dst))
  end subroutine

  subroutine total_exchange_int(src, dst, nbytes)
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_int), intent(in) :: nbytes
    call c_total_exchange(address_of('bsp_total_exchange', src), int(nbytes, c_size_t), &
      address_of('bsp_total_exchange', dst))
  end subroutine

  subroutine total_exchange_long(src, dst, nbytes)
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer(c_size_t), intent(in) :: nbytes
    call c_total_exchange(address_of('bsp_total_exchange', src), nbytes, address_of('bsp_total_exchange', dst))
  end subroutine

  subroutine set_tagsize_int(nbytes)
    integer(c_int), intent(inout), target :: nbytes
    call c_set_tagsize(c_loc(nbytes), as_int)
  end subroutine

  subroutine qsize_int(packets, nbytes)
    integer(c_int), intent(out), target :: packets, nbytes
    call c_qsize(c_loc(packets), as_int, c_loc(nbytes), as_int)
  end subroutine

  subroutine get_tag_int(status, tag)
    integer(c_int), intent(out), target :: status
    type(*), dimension(..), intent(inout), target :: tag
    call c_get_tag(c_loc(status), as_int, address_of('bsp_get_tag', tag))
  end subroutine

  subroutine set_tagsize_long(nbytes)
    integer(c_size_t), intent(inout), target :: nbytes
    call c_set_tagsize(c_loc(nbytes), as_long)
  end subroutine

  subroutine qsize_long(packets, nbytes)
    integer(c_size_t), intent(out), target :: packets, nbytes
    call c_qsize(c_loc(packets), as_long, c_loc(nbytes), as_long)
  end subroutine

  subroutine get_tag_long(status, tag)
    integer(c_size_t), intent(out), target :: status
    type(*), dimension(..), intent(inout), target :: tag
    call c_get_tag(c_loc(status), as_long, address_of('bsp_get_tag', tag))
  end subroutine

end module bsp
