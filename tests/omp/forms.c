/* Loops of OpenMP in every form, over iterations of type T that begin at BASE:
 * prints what each has done, to be compared with a run without libdls-omp. */
#include <stdio.h>
#include <string.h>

#ifndef T
#define T int
#define BASE 0
#endif

enum { ROOM = 1200, SIZE = sizeof(T) == 1 ? 60 : 997 };

static long seen[ROOM];

static void hit(long i)
{
    if (i < 0 || i >= ROOM)
        i = ROOM - 1;
#pragma omp atomic
    seen[i]++;
}

/* How often the iterations ran, and the last value of the loop. */
static void say(const char *name, const char *form, long sum, T last)
{
    long least = seen[0], most = 0, all = 0;
    unsigned long mix = 0;
    for (int i = 0; i < ROOM; i++) {
        least = seen[i] < least ? seen[i] : least;
        most = seen[i] > most ? seen[i] : most;
        all += seen[i];
        mix = mix * 31 + (unsigned long)seen[i];
    }
    printf("%s %s: %ld %ld %ld %lx sum %ld last %lld\n", name, form, least,
           most, all, mix, sum, (long long)last);
    memset(seen, 0, sizeof(seen));
}

static const T low = (T)BASE, high = (T)(BASE + SIZE);
static int none, one = 1; /* not known to the compiler */

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define NUMBER(i, first) ((long)((T)((i) - (first))))

#define FORMS(name, ...)                                                          \
    static void name##_orphan(void)                                               \
    {                                                                             \
        PRAGMA(omp for schedule(__VA_ARGS__))                                     \
        for (T i = low; i < high; i++)                                            \
            hit(NUMBER(i, low));                                                  \
    }                                                                             \
    static void name(void)                                                        \
    {                                                                             \
        long sum = 0;                                                             \
        T last = 0;                                                               \
        PRAGMA(omp parallel for schedule(__VA_ARGS__) reduction(+ : sum)       \
                   lastprivate(last))                                             \
        for (T i = low; i < high; i++) {                                          \
            hit(NUMBER(i, low));                                                  \
            sum += NUMBER(i, low);                                                \
            last = i;                                                             \
        }                                                                         \
        say(#name, "combined", sum, last);                                        \
        sum = 0;                                                                  \
        PRAGMA(omp parallel for schedule(__VA_ARGS__) lastprivate(last))          \
        for (T i = high; i > (T)(low + 8); i -= (T)7) {                           \
            hit(NUMBER(high, i));                                                 \
            last = i;                                                             \
        }                                                                         \
        say(#name, "down", 0, last);                                              \
        PRAGMA(omp parallel for schedule(__VA_ARGS__) if (none))                  \
        for (T i = low; i < high; i += (T)3)                                      \
            hit(NUMBER(i, low));                                                  \
        say(#name, "if0", 0, 0);                                                  \
        name##_orphan();                                                          \
        say(#name, "alone", 0, 0);                                                \
        PRAGMA(omp parallel reduction(+ : sum))                                   \
        {                                                                         \
            PRAGMA(omp for schedule(__VA_ARGS__) nowait)                          \
            for (T i = low; i < high; i++)                                        \
                hit(NUMBER(i, low));                                              \
            PRAGMA(omp for schedule(__VA_ARGS__) nowait)                          \
            for (T i = low; i < high; i += (T)5)                                  \
                hit(NUMBER(i, low));                                              \
            PRAGMA(omp for schedule(__VA_ARGS__) lastprivate(last))               \
            for (T i = low; i < high; i += (T)2) {                                \
                last = i;                                                         \
                sum += NUMBER(i, low);                                            \
            }                                                                     \
            name##_orphan();                                                      \
        }                                                                         \
        say(#name, "nowait", sum, last);                                          \
        PRAGMA(omp parallel for schedule(__VA_ARGS__) collapse(2))                \
        for (T i = low; i < (T)(low + 9); i++)                                    \
            for (int j = 6; j > -one; j -= 2)                                     \
                hit(NUMBER(i, low) * 8 + j);                                      \
        say(#name, "collapse", 0, 0);                                             \
        PRAGMA(omp parallel for schedule(__VA_ARGS__) num_threads(2))             \
        for (int j = 0; j < 6; j++) {                                             \
            PRAGMA(omp parallel for schedule(__VA_ARGS__) num_threads(1 + j % 3)) \
            for (T i = low; i < (T)(low + 20); i++)                               \
                hit(NUMBER(i, low));                                              \
        }                                                                         \
        say(#name, "nested", 0, 0);                                               \
        for (int n = 0; n < 12; n++) { /* also none after some */                 \
            PRAGMA(omp parallel for schedule(__VA_ARGS__))                        \
            for (T i = low; i < (T)(low + n % 5); i++)                            \
                hit(NUMBER(i, low));                                              \
        }                                                                         \
        say(#name, "short", 0, 0);                                                \
    }

FORMS(runtime, runtime)
FORMS(dynamic, dynamic)
FORMS(dynamic_3, dynamic, 3)
FORMS(guided, guided)
FORMS(guided_4, guided, 4)
FORMS(static_5, static, 5)
FORMS(nonmonotonic, nonmonotonic : dynamic, 2)
FORMS(nonmonotonic_runtime, nonmonotonic : runtime)
FORMS(automatic, auto)

/* Each thread's iterations ascend. */
#define MONOTONIC(name, ...)                                                   \
    static void name(void)                                                     \
    {                                                                          \
        long wrong = 0;                                                        \
        for (int round = 0; round < 5; round++) {                              \
            PRAGMA(omp parallel reduction(+ : wrong))                          \
            {                                                                  \
                long before = -1;                                              \
                PRAGMA(omp for schedule(monotonic : __VA_ARGS__) nowait)       \
                for (T i = low; i < high; i++) {                               \
                    hit(NUMBER(i, low));                                       \
                    wrong += NUMBER(i, low) <= before;                         \
                    before = NUMBER(i, low);                                   \
                }                                                              \
            }                                                                  \
        }                                                                      \
        say(#name, "ascending", wrong, 0);                                     \
    }

MONOTONIC(monotonic, dynamic)
MONOTONIC(monotonic_runtime, runtime)
MONOTONIC(monotonic_guided, guided, 3)
#ifndef __clang__ /* 14 compiles it so that each thread runs all of it */
MONOTONIC(monotonic_static, static, 4)
#endif

/* Clauses that the others have not, a loop each. */
#define CLAUSE(name, ...)                                                      \
    static void name(void)                                                     \
    {                                                                          \
        T last = 0;                                                            \
        long sum = 0, first = 5;                                               \
        PRAGMA(omp parallel)                                                   \
        {                                                                      \
            PRAGMA(omp for reduction(+ : sum) lastprivate(last)                \
                       firstprivate(first) __VA_ARGS__)                        \
            for (T i = low; i < high; i++) {                                   \
                hit(NUMBER(i, low));                                           \
                sum += NUMBER(i, low) + first;                                 \
                last = i;                                                      \
            }                                                                  \
        }                                                                      \
        say(#name, "clause", sum, last);                                       \
    }

CLAUSE(chunk_of_a_variable, schedule(dynamic, one + 6))
CLAUSE(chunk_of_all, schedule(dynamic, 5000))
CLAUSE(guided_of_all, schedule(guided, 5000))
CLAUSE(nonmonotonic_guided, schedule(nonmonotonic : guided, 2))
#ifndef __clang__ /* as above */
CLAUSE(nonmonotonic_static, schedule(nonmonotonic : static, 2))
#endif
CLAUSE(static_alone, schedule(static))
CLAUSE(no_schedule, )

#define ORDERED(name, ...)                                                     \
    static void name(void)                                                     \
    {                                                                          \
        long sum = 0;                                                          \
        PRAGMA(omp parallel for ordered schedule(__VA_ARGS__))                 \
        for (T i = low; i < (T)(low + 30); i++) {                              \
            hit(NUMBER(i, low));                                               \
            PRAGMA(omp ordered)                                                \
            sum = sum * 3 % 1000 + NUMBER(i, low);                             \
        }                                                                      \
        say(#name, "in order", sum, 0);                                        \
    }

ORDERED(ordered_runtime, runtime)
ORDERED(ordered_guided, guided, 2)
ORDERED(ordered_static, static, 2)

/* Loops of vectors, three at once, and inside a single thread's task. */
static void others(void)
{
    static double cell[ROOM];
    double sum = 0;
#pragma omp parallel for simd schedule(runtime)
    for (int i = 0; i < 900; i++)
        cell[i] += i;
#pragma omp parallel for simd schedule(simd : dynamic, 5)
    for (int i = 0; i < 900; i++)
        cell[i] += i;
    for (int i = 0; i < 900; i++)
        sum += cell[i];
    say("simd", "vectors", (long)sum, 0);
#pragma omp parallel for schedule(runtime) collapse(3)
    for (T i = low; i < (T)(low + 5); i++)
        for (int j = 0; j < 7; j++)
            for (long k = 20; k > 0; k -= 3)
                hit(NUMBER(i, low) * 150 + j * 21 + k);
    say("collapse", "three", 0, 0);
#pragma omp parallel
#pragma omp single
    for (int n = 0; n < 4; n++)
#pragma omp task firstprivate(n)
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (T i = low; i < (T)(low + 20); i++)
            hit(NUMBER(i, low) + 100 * n);
    say("tasks", "with loops", 0, 0);
}

/* Left alone, between loops that are not. */
static void ordered(void)
{
    long sum = 0, at = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic) ordered
        for (T i = low; i < (T)(low + 30); i++) {
            hit(NUMBER(i, low));
#pragma omp ordered
            {
                sum = sum * 3 % 1000 + NUMBER(i, low);
            }
        }
#pragma omp for schedule(runtime) nowait
        for (T i = low; i < high; i++)
            hit(NUMBER(i, low));
#pragma omp for schedule(dynamic, 2) ordered(1)
        for (int i = 0; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
            at = at * 3 % 1001 + i;
#pragma omp ordered depend(source)
        }
    }
    say("ordered", "in order", sum, (T)(at % 50));
}

/* Iterations after a cancel may run or not: the loops behind it do. */
static void cancelled(void)
{
    long ran = 0;
    for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(runtime)
            for (int i = 0; i < 500; i++) {
#pragma omp atomic
                ran++;
#pragma omp cancel for if (i == 20)
#pragma omp cancellation point for
            }
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 100; i++)
                hit(i);
        }
    }
    say("cancelled", "behind", ran > 0, 0);
}

int main(void)
{
    runtime();
    dynamic();
    dynamic_3();
    guided();
    guided_4();
    static_5();
    nonmonotonic();
    nonmonotonic_runtime();
    automatic();
    monotonic();
    monotonic_runtime();
    monotonic_guided();
#ifndef __clang__
    monotonic_static();
    nonmonotonic_static();
#endif
    chunk_of_a_variable();
    chunk_of_all();
    guided_of_all();
    nonmonotonic_guided();
    static_alone();
    no_schedule();
    ordered_runtime();
    ordered_guided();
    ordered_static();
    others();
    ordered();
#ifdef CANCEL
    cancelled();
#else
    (void)cancelled;
#endif
    return 0;
}
