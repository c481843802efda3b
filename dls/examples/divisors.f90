! The sum of the divisors of all numbers up to 20,000, in an OpenMP region.
! gfortran -fopenmp PREFIX/include/dls.f90 divisors.f90 \
!     $(pkg-config --cflags --libs libdls)
program divisors
    use, intrinsic :: iso_fortran_env, only: int64
    use omp_lib
    use dls
    implicit none
    integer(int64), parameter :: numbers = 20000
    type(dls_loop) :: loop
    integer(int64) :: first, last, i, total
    integer :: code, failed
    character(80) :: scheme = "fss"

    if (command_argument_count() > 0) call get_command_argument(1, scheme)
    if (dls_open(loop, scheme, numbers, omp_get_max_threads(), &
            name="divisors") /= 0) then
        print '(a)', dls_error(loop)
        code = dls_close(loop)
        stop 1
    end if
    total = 0
    failed = 0
    !$omp parallel private(first, last, i, code) reduction(+: total, failed)
    do
        code = dls_next(loop, omp_get_thread_num(), first, last)
        if (code /= 1) exit
        do i = first, last
            total = total + divisors_of(i)
        end do
    end do
    if (code < 0) failed = 1
    !$omp end parallel
    print '(a, i0, 2a)', "sum ", total, " under ", dls_scheme_of(loop)
    if (dls_close(loop) /= 0 .or. failed > 0) stop 1

contains

    pure integer(int64) function divisors_of(n) result(total)
        integer(int64), intent(in) :: n
        integer(int64) :: d
        total = 0
        do d = 1, n
            if (mod(n, d) == 0) total = total + d
        end do
    end function

end program
