! libdls over ranks for Fortran 2008; dls_mpi.h has the manual.  Compile dls.f90
! and this file with the program, and link with -ldls-mpich or -ldls-openmpi.
!
!     use dls
!     use dls_mpi
!     type(dls_loop) :: loop
!     ! all ranks; comm: an integer of mpi, or comm%MPI_VAL of mpi_f08
!     if (dls_mpi_open(loop, comm, "fss", iterations, threads) /= 0) error stop
!     do while (dls_next(loop, worker, first, last) == 1)
!         ...
!     end do
!     code = dls_close(loop)
!
! Iterations count from 1, except in the functions that pack: those are C's
! (bind(C)), and count from 0.
module dls_mpi
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use dls, only: dls_loop, dls_close
    implicit none
    private
    public :: dls_data, dls_mpi_open, dls_poll, dls_input, dls_collect
    public :: dls_everywhere

    integer, parameter :: dls_everywhere = -1

    ! dls_contiguous(array, bytes per iteration) makes one; or, packed, set the
    ! functions with c_funloc.
    type, bind(C) :: dls_data
        integer(c_size_t) :: size = 0, bytes = 0
        type(c_ptr) :: memory = c_null_ptr
        type(c_funptr) :: measure = c_null_funptr, pack = c_null_funptr
        type(c_funptr) :: unpack = c_null_funptr
        type(c_ptr) :: arg = c_null_ptr
    end type
    public :: dls_contiguous

    type, bind(C) :: c_options
        integer(c_size_t) :: size = 0
        type(c_ptr) :: name = c_null_ptr, text = c_null_ptr
        type(c_ptr) :: power = c_null_ptr, context = c_null_ptr
    end type

    type, bind(C) :: c_mpi_options
        integer(c_size_t) :: size = 0
        type(c_ptr) :: mutex = c_null_ptr
        type(c_ptr) :: input = c_null_ptr, output = c_null_ptr
    end type

    interface
        integer(c_int) function c_mpi_open(loop, comm, scheme, iterations, &
                workers, options, mpi) bind(C, name="dls_mpi_open_f")
            import
            type(c_ptr), intent(out) :: loop
            integer(c_int), value :: comm, workers
            character(kind=c_char), intent(in) :: scheme(*)
            integer(c_int64_t), value :: iterations
            type(c_options), intent(in) :: options
            type(c_mpi_options), intent(in) :: mpi
        end function
        integer(c_int) function c_poll(loop) bind(C, name="dls_poll")
            import
            type(c_ptr), value :: loop
        end function
        integer(c_int) function c_input(loop, worker, pointer, first) &
                bind(C, name="dls_input")
            import
            type(c_ptr), value :: loop
            integer(c_int), value :: worker
            type(c_ptr), intent(inout) :: pointer
            integer(c_int64_t), intent(inout) :: first
        end function
        integer(c_int) function c_collect(loop, root) &
                bind(C, name="dls_collect")
            import
            type(c_ptr), value :: loop
            integer(c_int), value :: root
        end function
    end interface

contains

    ! memory: c_loc of the array, whose last index is the iteration.
    function dls_contiguous(memory, bytes) result(data)
        type(c_ptr), intent(in) :: memory
        integer, intent(in) :: bytes
        type(dls_data) :: data
        data%size = c_sizeof(data)
        data%bytes = int(bytes, c_size_t)
        data%memory = memory
    end function

    integer function dls_mpi_open(loop, comm, scheme, iterations, workers, &
            name, options, power, input, output) result(code)
        type(dls_loop), intent(inout) :: loop
        integer, intent(in) :: comm, workers
        character(*), intent(in) :: scheme
        integer(int64), intent(in) :: iterations
        character(*), intent(in), optional :: name, options
        real(real64), intent(in), optional, target :: power(workers)
        type(dls_data), intent(in), optional, target :: input, output
        character(kind=c_char, len=:), allocatable, target :: c_name, c_text
        type(c_options) :: all
        type(c_mpi_options) :: mpi
        ! A loop that is open already is closed first.
        code = dls_close(loop)
        all%size = c_sizeof(all)
        mpi%size = c_sizeof(mpi)
        if (present(name)) then
            c_name = trim(name) // c_null_char
            all%name = c_loc(c_name)
        end if
        if (present(options)) then
            c_text = trim(options) // c_null_char
            all%text = c_loc(c_text)
        end if
        if (present(power)) all%power = c_loc(power)
        if (present(input)) mpi%input = c_loc(input)
        if (present(output)) mpi%output = c_loc(output)
        code = c_mpi_open(loop%handle, int(comm, c_int), &
            trim(scheme) // c_null_char, iterations, workers, all, mpi)
    end function

    integer function dls_poll(loop) result(code)
        type(dls_loop), intent(in) :: loop
        code = c_poll(loop%handle)
    end function

    ! pointer, for c_f_pointer, is at the input of iteration `first`.
    integer function dls_input(loop, worker, pointer, first) result(code)
        type(dls_loop), intent(in) :: loop
        integer, intent(in) :: worker
        type(c_ptr), intent(inout) :: pointer
        integer(int64), intent(inout) :: first
        integer(c_int64_t) :: begin
        begin = first - 1
        code = c_input(loop%handle, worker, pointer, begin)
        first = begin + 1
    end function

    integer function dls_collect(loop, root) result(code)
        type(dls_loop), intent(in) :: loop
        integer, intent(in) :: root
        code = c_collect(loop%handle, root)
    end function

end module
