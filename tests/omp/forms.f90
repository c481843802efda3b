! Loops of OpenMP in Fortran: prints what each has done, to be compared with a
! run without libdls-omp.
module counted
    implicit none
    integer, parameter :: long = selected_int_kind(18)
    integer :: seen(-20:1200) = 0
contains
    subroutine hit(i)
        integer, intent(in) :: i
        !$omp atomic
        seen(i) = seen(i) + 1
    end subroutine hit

    subroutine say(name, total, last)
        character(*), intent(in) :: name
        integer(long), intent(in) :: total, last
        integer(long) :: mix
        integer :: i
        mix = 0
        do i = lbound(seen, 1), ubound(seen, 1)
            mix = mod(mix*31 + seen(i), 1000003_long)
        end do
        print '(a, 5(1x, i0))', name, minval(seen), maxval(seen), mix, total, &
            last
        seen = 0
    end subroutine say

    subroutine orphan()
        integer :: i
        !$omp do schedule(dynamic, 2)
        do i = 1, 500
            call hit(i)
        end do
    end subroutine orphan
end module counted

program forms
    use counted
    implicit none
    integer :: i, j, last
    integer(long) :: k, total, far
    total = 0
    last = 0
    !$omp parallel do schedule(runtime) reduction(+:total) lastprivate(last)
    do i = 1000, -5, -3
        call hit(i)
        total = total + i
        last = i
    end do
    call say("runtime down", total, int(last, long))
    !$omp parallel do collapse(2) schedule(dynamic, 3)
    do i = 0, 9
        do j = 0, 99
            call hit(i*100 + j)
        end do
    end do
    call say("collapse", 0_long, 0_long)
    total = 0
    far = 0
    !$omp parallel
    !$omp do schedule(guided) reduction(+:total) lastprivate(far)
    do k = 3000000000_long, 3000001000_long
        call hit(int(k - 3000000000_long))
        total = total + k
        far = k
    end do
    !$omp end do nowait
    call orphan()
    !$omp do schedule(runtime)
    do i = 1, 700
        call hit(i)
    end do
    !$omp end do
    !$omp end parallel
    call say("guided", total, far)
    call orphan()
    !$omp parallel do schedule(dynamic)
    do i = 1, 8
        !$omp parallel do schedule(runtime) num_threads(2)
        do j = 1, 50
            call hit(j)
        end do
    end do
    call say("nested", 0_long, 0_long)
    call kinds()
    call clauses()
contains
    ! The types of loops other than integer.
    subroutine kinds()
        integer(selected_int_kind(2)) :: tiny
        integer(selected_int_kind(4)) :: small
        !$omp parallel
        !$omp do schedule(runtime)
        do tiny = -100, 100
            call hit(int(tiny) + 100)
        end do
        !$omp do schedule(dynamic, 4)
        do small = 32000, 31000, -2
            call hit(32000 - int(small))
        end do
        !$omp end parallel
        call say("kinds", 0_long, 0_long)
    end subroutine kinds

    subroutine clauses()
        integer :: i, before, wrong
        integer(long) :: chained
        wrong = 0
        !$omp parallel private(before) reduction(+:wrong)
        before = 0
        !$omp do schedule(monotonic: runtime)
        do i = 1, 600
            call hit(i)
            if (i <= before) wrong = wrong + 1
            before = i
        end do
        !$omp do schedule(nonmonotonic: guided, 3)
        do i = 1, 600
            call hit(i)
        end do
        !$omp do schedule(static, 7)
        do i = 1, 600
            call hit(i)
        end do
        !$omp do schedule(auto)
        do i = 1, 600
            call hit(i)
        end do
        !$omp do
        do i = 1, 600
            call hit(i)
        end do
        !$omp end parallel
        call say("clauses", int(wrong, long), 0_long)
        chained = 0
        !$omp parallel do ordered schedule(dynamic, 2)
        do i = 1, 50
            call hit(i)
            !$omp ordered
            chained = mod(chained*3 + i, 1000_long)
            !$omp end ordered
        end do
        call say("ordered", chained, 0_long)
        !$omp parallel do schedule(runtime) if (wrong > 0)
        do i = 1, 50
            call hit(i)
        end do
        call say("one thread", 0_long, 0_long)
    end subroutine clauses
end program forms
