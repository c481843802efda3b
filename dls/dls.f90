! libdls for Fortran 2008; dls.h has the manual.  Compile this file with the
! program, and link with -ldls.
!
!     type(dls_loop) :: loop
!     integer(int64) :: first, last
!     if (dls_open(loop, "fss", iterations, threads) /= 0) error stop
!     ! in each thread, worker = 0 to threads - 1:
!     do while (dls_next(loop, worker, first, last) == 1)
!         do i = first, last
!             call work(i)
!         end do
!     end do
!     ! when all threads are back:
!     code = dls_close(loop)
!
! Iterations count from 1 and both bounds belong to the chunk.  Workers count
! from 0, as omp_get_thread_num does.  Functions return what those of C return.
!
! Costs of iterations, schemes of the program and dls_mutex are left to C:
! a function of C opens such a loop, and its handle goes into a dls_loop here.
module dls
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64, real64
    implicit none
    private
    public :: dls_loop, dls_stats
    public :: dls_open, dls_next, dls_leave, dls_again, dls_close
    public :: dls_unfinished, dls_statistics, dls_error, dls_scheme_of

    ! handle: the dls_loop of C, for module dls_mpi and for functions of C.
    type :: dls_loop
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(C) :: dls_stats
        integer(c_size_t) :: size = 0
        integer(c_int64_t) :: iterations = 0, chunks = 0
        real(c_double) :: busy_s = 0, ask_s = 0, imbalance = 0
    end type

    type, bind(C) :: c_options
        integer(c_size_t) :: size = 0
        type(c_ptr) :: name = c_null_ptr, text = c_null_ptr
        type(c_ptr) :: power = c_null_ptr, context = c_null_ptr
    end type

    interface
        integer(c_int) function c_open(loop, scheme, iterations, workers, &
                options) bind(C, name="dls_open")
            import
            type(c_ptr), intent(out) :: loop
            character(kind=c_char), intent(in) :: scheme(*)
            integer(c_int64_t), value :: iterations
            integer(c_int), value :: workers
            type(c_options), intent(in) :: options
        end function
        integer(c_int) function c_next(loop, worker, first, last) &
                bind(C, name="dls_next")
            import
            type(c_ptr), value :: loop
            integer(c_int), value :: worker
            integer(c_int64_t), intent(inout) :: first, last
        end function
        integer(c_int) function c_leave(loop, worker) bind(C, name="dls_leave")
            import
            type(c_ptr), value :: loop
            integer(c_int), value :: worker
        end function
        integer(c_int) function c_again(loop, iterations) &
                bind(C, name="dls_again")
            import
            type(c_ptr), value :: loop
            integer(c_int64_t), value :: iterations
        end function
        integer(c_int) function c_close(loop, unfinished) &
                bind(C, name="dls_close")
            import
            type(c_ptr), value :: loop
            integer(c_int64_t), intent(out) :: unfinished
        end function
        integer(c_int64_t) function c_unfinished(loop) &
                bind(C, name="dls_unfinished")
            import
            type(c_ptr), value :: loop
        end function
        integer(c_int) function c_statistics(loop, worker, stats) &
                bind(C, name="dls_statistics")
            import
            type(c_ptr), value :: loop
            integer(c_int), value :: worker
            type(dls_stats), intent(inout) :: stats
        end function
        type(c_ptr) function c_error(loop) bind(C, name="dls_error")
            import
            type(c_ptr), value :: loop
        end function
        type(c_ptr) function c_scheme_of(loop) bind(C, name="dls_scheme_of")
            import
            type(c_ptr), value :: loop
        end function
        integer(c_size_t) function c_length(text) bind(C, name="strlen")
            import
            type(c_ptr), value :: text
        end function
    end interface

contains

    ! name, options and power are dls_options' name, text and power.
    integer function dls_open(loop, scheme, iterations, workers, name, &
            options, power) result(code)
        type(dls_loop), intent(inout) :: loop
        character(*), intent(in) :: scheme
        integer(int64), intent(in) :: iterations
        integer, intent(in) :: workers
        character(*), intent(in), optional :: name, options
        real(real64), intent(in), optional, target :: power(workers)
        character(kind=c_char, len=:), allocatable, target :: c_name, c_text
        type(c_options) :: all
        ! A loop that is open already is closed first.
        code = dls_close(loop)
        all%size = c_sizeof(all)
        if (present(name)) then
            c_name = trim(name) // c_null_char
            all%name = c_loc(c_name)
        end if
        if (present(options)) then
            c_text = trim(options) // c_null_char
            all%text = c_loc(c_text)
        end if
        if (present(power)) all%power = c_loc(power)
        code = c_open(loop%handle, trim(scheme) // c_null_char, iterations, &
            workers, all)
    end function

    ! 1 with iterations first to last, 0 or an error.
    integer function dls_next(loop, worker, first, last) result(code)
        type(dls_loop), intent(in) :: loop
        integer, intent(in) :: worker
        integer(int64), intent(inout) :: first, last
        integer(c_int64_t) :: begin, end
        code = c_next(loop%handle, worker, begin, end)
        if (code /= 1) return
        first = begin + 1
        last = end
    end function

    integer function dls_leave(loop, worker) result(code)
        type(dls_loop), intent(in) :: loop
        integer, intent(in) :: worker
        code = c_leave(loop%handle, worker)
    end function

    integer function dls_again(loop, iterations) result(code)
        type(dls_loop), intent(in) :: loop
        integer(int64), intent(in) :: iterations
        code = c_again(loop%handle, iterations)
    end function

    integer function dls_close(loop, unfinished) result(code)
        type(dls_loop), intent(inout) :: loop
        integer(int64), intent(out), optional :: unfinished
        integer(c_int64_t) :: left
        code = c_close(loop%handle, left)
        loop%handle = c_null_ptr
        if (present(unfinished)) unfinished = left
    end function

    integer(int64) function dls_unfinished(loop) result(left)
        type(dls_loop), intent(in) :: loop
        left = c_unfinished(loop%handle)
    end function

    ! Of one worker, or of all with worker = -1.
    integer function dls_statistics(loop, worker, stats) result(code)
        type(dls_loop), intent(in) :: loop
        integer, intent(in) :: worker
        type(dls_stats), intent(out) :: stats
        stats%size = c_sizeof(stats)
        code = c_statistics(loop%handle, worker, stats)
    end function

    function dls_error(loop) result(text)
        type(dls_loop), intent(in) :: loop
        character(:), allocatable :: text
        text = text_at(c_error(loop%handle))
    end function

    function dls_scheme_of(loop) result(text)
        type(dls_loop), intent(in) :: loop
        character(:), allocatable :: text
        text = text_at(c_scheme_of(loop%handle))
    end function

    function text_at(at) result(text)
        type(c_ptr), intent(in) :: at
        character(:), allocatable :: text
        character(kind=c_char), pointer :: bytes(:)
        integer :: i, length
        length = int(c_length(at))
        call c_f_pointer(at, bytes, [length])
        allocate (character(length) :: text)
        do i = 1, length
            text(i:i) = bytes(i)
        end do
    end function

end module
