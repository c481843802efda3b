! The Mandelbrot set over ranks in Fortran: a column is an iteration, and rank 0
! collects the picture.
!
!     mpif90 dls.f90 dls_mpi.f90 mandelbrot.f90 \
!         $(pkg-config --libs libdls-mpich)
!     mpiexec -n 4 ./a.out fss
program mandelbrot
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
    use mpi
    use dls
    use dls_mpi
    implicit none
    integer, parameter :: rows = 300, columns = 300, steps = 500
    integer(c_int), target :: picture(rows, columns)
    character(100) :: scheme
    type(dls_loop) :: loop
    integer(int64) :: first, last, column
    integer :: code, row, rank, ignored

    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    scheme = "fss"
    if (command_argument_count() > 0) call get_command_argument(1, scheme)
    code = dls_mpi_open(loop, MPI_COMM_WORLD, scheme, int(columns, int64), 1, &
        output=dls_contiguous(c_loc(picture), rows * 4))
    if (code /= 0 .and. rank == 0) write (error_unit, "(a)") dls_error(loop)
    if (code == 0) then
        do while (dls_next(loop, 0, first, last) == 1)
            do column = first, last
                do row = 1, rows
                    picture(row, column) = escape( &
                        -2 + 3 * real(row - 1, real64) / rows, &
                        -1.5_real64 + 3 * real(column - 1, real64) / columns)
                end do
            end do
        end do
        code = dls_collect(loop, 0)
    end if
    if (code == 0 .and. rank == 0) print "(i0, a)", sum(picture), " steps"
    ignored = dls_close(loop)
    call MPI_Finalize(ignored)
    if (code /= 0) stop 1

contains

    integer function escape(cr, ci) result(step)
        real(real64), intent(in) :: cr, ci
        real(real64) :: zr, zi, r
        zr = 0
        zi = 0
        do step = 0, steps - 1
            if (zr * zr + zi * zi >= 4) return
            r = zr * zr - zi * zi + cr
            zi = 2 * zr * zi + ci
            zr = r
        end do
    end function
end program
