/* Regions of all kinds but loops with a schedule: kinds WHICH.  Each prints a
 * number that says whether it did its work. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sleeping takes as long on a loaded machine, nearly. */
static void work(int us)
{
    usleep((useconds_t)us);
}

enum { UNIT = 1000 };

static long tasks(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(i) shared(sum)
        {
            work(UNIT / 10);
#pragma omp atomic
            sum += i;
        }
    }
    return sum;
}

static long fibonacci(int n)
{
    long a = 0, b = 0;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 5)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 5)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static long recursion(void)
{
    long result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    result = fibonacci(16);
    return result;
}

static long depends(void)
{
    long value = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : value) shared(value)
        value = value * 3;
#pragma omp task depend(inout : value) shared(value)
        value = value + 4;
#pragma omp taskgroup
        {
#pragma omp task shared(value) depend(in : value)
            work(UNIT);
        }
    }
    return value;
}

static long taskloop(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(10) shared(sum)
    for (int i = 0; i < 100; i++) {
        work(UNIT / 50);
#pragma omp atomic
        sum += i;
    }
    return sum;
}

static long sections(void)
{
    long a = 0, b = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        work(200 * UNIT), a = 1;
#pragma omp section
        work(20 * UNIT), b = 2;
    }
    return a + b;
}

static long inner(void)
{
    long a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            work(UNIT), a = 1;
#pragma omp section
            work(UNIT), b = 2;
#pragma omp section
            work(100 * UNIT), c = 4;
        }
#pragma omp for
        for (int i = 0; i < 100; i++)
            work(UNIT / 50);
    }
    return a + b + c;
}

static long single(void)
{
    long sum = 0, copied = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) firstprivate(copied)
    {
#pragma omp single copyprivate(copied)
        work(200 * UNIT), copied = 7;
        sum += copied;
#pragma omp barrier
#pragma omp master
        work(100 * UNIT);
    }
    return sum;
}

static long locked(void)
{
    long sum = 0, other = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 40; i++) {
        omp_set_lock(&lock);
        work(UNIT), sum += i;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        other++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return sum + other;
}

static long critical(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 40; i++) {
#pragma omp critical(named)
        work(UNIT), sum += i;
    }
    return sum;
}

static long in_order(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(2) ordered schedule(dynamic, 1)
    for (int i = 0; i < 40; i++) {
#pragma omp ordered
        work(UNIT), sum += i;
    }
    return sum;
}

static long team(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(1) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        work(2 * UNIT), sum += i;
    return sum;
}

/* Two parts: before the barrier one thread has three times as much. */
static long parts(void)
{
    static const int units[] = {300, 100};
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        work(units[omp_get_thread_num() & 1] * UNIT);
#pragma omp barrier
        work(200 * UNIT);
        sum += 1;
    }
    return sum;
}

static long nested(void)
{
    long sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp parallel sections num_threads(2) reduction(+ : sum)
        {
#pragma omp section
            work(UNIT), sum += 1;
#pragma omp section
            work(UNIT), sum += 2;
        }
#pragma omp barrier
        work(UNIT);
    }
    return sum;
}

/* Ends inside of a region, in the way that is named. */
static void end(const char *how)
{
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "_exit") == 0)
        _exit(4);
    if (strcmp(how, "exec") == 0)
        execl("/bin/sleep", "sleep", "0.3", (char *)NULL);
    raise(atoi(how));
}

static long ends(const char *how)
{
    long sum = 0;
#pragma omp parallel for schedule(dynamic) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 1000000; i++) {
        work(UNIT);
        if (i == 300)
            end(how);
    }
    return sum;
}

int main(int count, char **word)
{
    static const struct {
        const char *name;
        long (*run)(void);
    } all[] = {
        {"tasks", tasks},       {"recursion", recursion},
        {"depends", depends},   {"taskloop", taskloop},
        {"sections", sections}, {"inner", inner},
        {"single", single},     {"locked", locked},
        {"critical", critical}, {"ordered", in_order},
        {"team", team},         {"parts", parts},
        {"nested", nested},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (count < 2 || strcmp(word[1], all[i].name) == 0)
            printf("%s %ld\n", all[i].name, all[i].run());
    fflush(stdout);
    if (count > 2)
        ends(word[2]);
    return 0;
}
