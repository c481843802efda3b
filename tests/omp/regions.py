"""Random parallel regions with a static loop, for the reader of machine code.

Each prints a line that depends on what it computed.  With a given number of
threads it is the same in each run, also where the region uses its thread's
number, counts threads or carries something from one iteration to the next: so
a region that is cut and must not be prints another line."""
import random
import re

HEAD = r"""
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 5003
#define HIDDEN __attribute__((noinline))
struct pair { int x, y; long z; };
struct box { struct pair p[3]; int *at; };
long a[N + 64], b[N + 64], out[256];
double d[N + 64];
long total, seen, once;
int limit = 97, none; /* not known to the compiler */
static HIDDEN void put(int t, long v)
{ __atomic_fetch_add(&out[t & 255], v, __ATOMIC_RELAXED); }
static HIDDEN long twice(long v) { return 2 * v + limit; }
static HIDDEN double passes(double k, long v) { return v % 7 ? k : v; }
static HIDDEN long deep(long v) { return v > 9 ? deep(v / 3) + 1 : twice(v); }
static HIDDEN void fill(struct pair *p, int t, long v)
{ p->x = t; p->y = (int)v; p->z = v + t; }
static HIDDEN long by_pair(const struct pair *p) { return p->x * 7 + p->z; }
static HIDDEN long by_value(struct pair p) { return p.x * 7 + p.z; }
static HIDDEN long by_fields(int s, int t, int u, int v, int w, int x, int y,
                             long z)
{ return s + t + u + v + w + x + 100 * y + z; }
static inline int me(void) { return omp_get_thread_num(); }
static HIDDEN int me_too(void) { return omp_get_thread_num(); }
static HIDDEN void me_at(int *p) { *p = omp_get_thread_num(); }
static inline int all(void) { return omp_get_num_threads(); }
static __thread long own;
static long (*volatile far)(long) = twice;
static void line(const char *name)
{
    unsigned long h = 1469598103934665603ul;
    for (int i = 0; i < N; i++) h = (h ^ (unsigned long)(a[i] + 3 * b[i] +
        (long)(d[i] * 8))) * 1099511628211ul;
    for (int i = 0; i < 256; i++) h = (h ^ (unsigned long)out[i]) * 31;
    printf("%s %016lx %ld %ld %ld\n", name, h, total, seen, once);
    memset(a, 0, sizeof a); memset(b, 0, sizeof b); memset(d, 0, sizeof d);
    memset(out, 0, sizeof out); total = seen = once = 0;
}
"""

# Of an iteration alone.
PLAIN = [
    "a[i] = {e};",
    "a[i] += {e} * 3;",
    "if ({e} % 3 == 1) a[i] = {e}; else b[i] = i;",
    "for (int j = 0; j < (int)(i % 13); j++) a[i] += j * {e};",
    "for (long j = 0; j < (long)i; j++) a[i] += b[i] ^ j;",
    "for (int j = 0; j < (int)i; j++) d[i] += sqrt(j + {c});",
    "if ((int)i > {c}) d[i] += sqrt({e} & 255); else b[i] = 2;",
    "d[i] = sqrt((double)i) + {e};",
    "b[i] = twice({e});",
    "b[i] ^= deep({e} & 1023);",
    "{{ struct pair q; fill(&q, 5, {e}); a[i] += by_pair(&q); }}",
    "{{ long q[4] = {{i, 2, 3, {e}}}; a[i] += q[i & 3] + q[3]; }}",
    "switch (i % 5) {{ case 0: a[i] = 3; break; case 1: a[i] = i; break; "
    "case 2: b[i] = {e}; break; case 3: a[i] = 9 * i; break; "
    "default: b[i] = 1; }}",
    "{{ long m = i > 40 ? {e} : 17; a[i] = m; b[i] = m * m; }}",
    "{{ char t[32]; memset(t, (int)(i & 7), sizeof t); a[i] += t[i & 31]; }}",
    "{{ long *q = (long *)malloc(16); q[0] = {e}; q[1] = i; a[i] += q[i & 1]; "
    "free(q); }}",
    "if (i == {c}) b[i] = {e};",
]
EXPRESSIONS = ["i", "(i + {c})", "(i * {c})", "(i ^ {c})", "(long)limit",
               "(a[i] + {c})", "(i & 255)"]
SUMS = ["s += {e};", "s += i & 1;", "if (i % 7 == 0) s += {e};",
        "s += twice(i & 63);"]
TOGETHER = ["_Pragma(\"omp atomic\") total += {e};",
            "_Pragma(\"omp critical\") {{ total += {e}; seen ^= i; }}",
            "if (i % 5 == 0) {{ _Pragma(\"omp atomic\") seen += 2; }}"]
# Of the thread, in the body.
OWN = [
    "out[me()] += {e};",
    "put(omp_get_thread_num(), {e});",
    "a[i] = me();",
    "a[i] = all() * i;",
    "{{ int t; int *p = &t; *p = me(); out[t & 63] += i; }}",
    "{{ int t; me_at(&t); out[t & 63] += i; }}",
    "out[me_too() & 63] += i;",
    "{{ struct pair q = {{me(), 2, i}}; a[i] = by_pair(&q); }}",
    "{{ struct pair q = {{me(), 2, i}}; a[i] = by_value(q); }}",
    "{{ struct box o; o.p[1].x = me(); o.at = &o.p[1].x; a[i] = *o.at + i; }}",
    "{{ struct pair q; fill(&q, me(), i); out[q.x & 31] += q.z; }}",
    "{{ int t[4]; t[i & 3] = me(); a[i] = t[i & 3]; }}",
    "if (me() == 1) b[i] = i;",
    "a[i] = me() & 1 ? i : -i;",
    "a[i] = i / all();",
    "a[i] = i % all();",
    "a[i] = (i / all()) * me();",
    "b[i] = snprintf(0, 0, \"%d %d %d %d %d\", 1, 2, 3, 4, me() * 100);",
    "d[i] = me() * 0.5;",
    "own += i; a[i] = own;",
    "a[i] = omp_get_max_threads() + omp_in_parallel() + me();",
    "{{ volatile int t = me(); a[i] = t; }}",
    "for (int j = 0; j < me() + 2; j++) a[i] += j;",
    "{{ unsigned char t = (unsigned char)me(); a[i] = t << 3; }}",
    "{{ long t = me(); memcpy(&b[i], &t, sizeof t); }}",
    "{{ struct pair q = {{1, 2, 3}}; q.y = all(); struct pair *p = &q; "
    "a[i] = p->y * i; }}",
    "{{ int *p = (int *)malloc(4); *p = me(); a[i] = *p; free(p); }}",
    "{{ struct pair *q = (struct pair *)malloc(sizeof *q); fill(q, me(), i); "
    "b[i] = q->x; free(q); }}",
    "a[i] = far(me());",
    "{{ int (*f)(void) = omp_get_thread_num; a[i] = f(); }}",
    "a[i] = i * me() / all();",
    "{{ long double t = me(); d[i] = (double)(t / 2); }}",
    "if (me() == all() - 1) b[i] = 1;",
    "a[i] = omp_get_ancestor_thread_num(omp_get_level());",
    "a[i] = omp_get_team_size(omp_get_level());",
    "b[i] = deep(me() + i);",
    "{{ char t[16]; sprintf(t, \"%d\", me()); a[i] = t[0]; }}",
    "for (int j = 0; j < 8; j++) a[i] += me() * j;",
    "{{ struct box o; struct box *p = &o; p->at = &o.p[2].y; *p->at = me(); "
    "a[i] = o.p[2].y; }}",
    "{{ int t[3] = {{1, me(), 3}}; int *p = t; a[i] = p[i & 1]; }}",
    "b[i] = by_fields(1, 2, 3, 4, 5, 6, me(), i);",
    "{{ union {{ int x; float y; }} u; u.x = me(); d[i] = u.y * 1e30; }}",
]
# Of the thread, or once for each, before or behind the loop.  A variable is
# changed in one way only: a lock does not keep an atomic addition out.
BEFORE = [
    "int t0 = me();", "int t0 = all();",
    "struct pair q0 = {{me(), all(), 1}};",
    "int t0; me_at(&t0);", "int t0 = me_too();",
    "int t0; int *p0 = &t0; *p0 = me();",
    "long t0 = me() < {c} % all();", "int t0 = {c} / all();",
    "int t0 = {c} % all();", "int t0 = ({c} / all()) * me();",
    "int t0 = ({c} / all()) * me() + {c} % all();",
    "int t0 = {c} / all() + 1;", "int t0 = ({c} / all() + 1) * me();",
    "int t0 = {c} / all() + (me() < {c} % all());",
    "int t0 = me() < {c} % all() ? 0 : {c} % all();",
    "int q1 = {c} / all(), r1 = {c} % all(); "
    "if (me() < r1) {{ q1++; r1 = 0; }} "
    "int t0 = q1 * me() + r1;",
    "int q1 = {c} / all(), r1 = {c} % all(); "
    "if (me() < r1) {{ q1++; r1 = 0; }} "
    "int t0 = q1;",
    "int q1 = 5000 / all(), r1 = 5000 % all(); if (me() < r1) {{ q1++; "
    "r1 = 0; }} int t0 = q1 * me() + r1;",
]
USES = ["a[i] = t0 + i;", "b[i] += out[(int)t0 & 63] + t0;",
        "if (t0) b[i] = i;",
        "put((int)t0, i);"]
ONCE = [
    "_Pragma(\"omp atomic\") once++;",
    "_Pragma(\"omp critical\") once += limit;",
    "put(1, 1);",
    "if (me() == 0) once += 5;",
    "{{ long k = 0; for (int j = 0; j < limit; j++) k += twice(j); "
    "_Pragma(\"omp atomic\") once += k; }}",
    "out[me()] = 1;",
]
# From one iteration to the next: (clause, declared in the region, statement)
CARRY = [
    ("firstprivate(c0)", "", "a[i] = c0++;"),
    ("firstprivate(c0)", "", "c0 = c0 * 5 + i; a[i] = c0 & 1023;"),
    ("firstprivate(c0)", "",
     "if (i % 3 == 0) c0 += 2; if (c0 > 40) b[i] = 1;"),
    ("", "long c1 = 0;", "a[i] = c1; c1 = i * 3;"),
    ("", "long c1 = 0;", "put((int)(c1 & 63), i); c1++;"),
    ("", "long c1 = 1, c2 = 1;", "{{ long z = c1 + c2; c1 = c2; c2 = z & 255; "
     "a[i] = z; }}"),
    ("", "double c3 = 1;", "c3 = c3 * 0.5 + (i & 7); d[i] = c3;"),
    ("", "long c4[4] = {{0, 0, 0, 0}};",
     "c4[(i / 7) & 3] += i; a[i] = c4[0];"),
    ("", "struct pair c5 = {{0, 0, 0}};", "c5.z += i; a[i] = c5.z ^ c5.x;"),
    ("", "int c6 = 0;", "if (i % 11 > c6) {{ c6 = i % 11; b[i] = 1; }}"),
    ("", "int c7 = 0;", "if (!c7) {{ c7 = 1; b[i] = i + 1; }}"),
    ("reduction(+ : s)", "int c7 = 0;", "if (!c7) {{ c7 = 1; s += 100; }}"),
    ("reduction(+ : s)", "int c7 = 0;", "if (!c7) {{ c7 = 1; s += i; }}"),
    ("reduction(+ : s)", "int c7 = 0;", "if (!c7) {{ c7 = 1; s++; }} s += 2;"),
    ("reduction(+ : s)", "long c7 = 0;", "c7 += i; s += c7 & 7;"),
    ("reduction(+ : s) firstprivate(c0)", "", "s += c0++;"),
    ("lastprivate(c0) firstprivate(c0)", "", "c0 += 2;"),
    ("", "long c7 = 5;", "c7 -= i; b[i] = twice(c7);"),
    ("", "long c7 = 0;", "if (i & limit) put(3 + (int)(c7++ & 7), 0 * i); "
     "b[i] = c7;"),
    ("", "int c7 = -1;", "if (c7 < 0) c7 = i; a[i] = i - c7;"),
    ("", "int c7 = 0;", "a[i] = i * ++c7;"),
    ("", "unsigned c7 = 3;",
     "c7 = c7 * 1103515245u + 12345u; d[i] = c7 >> 16;"),
    ("", "long *c8 = (long *)calloc(4, 8);",
     "c8[(i / 7) & 3]++; a[i] = c8[0];"),
    ("", "char c9[16]; memset(c9, 0, 16);", "c9[i & 15] ^= 1; "
     "a[i] = c9[(i / 3) & 15];"),
    ("firstprivate(c0)", "", "c0 ^= i; if (c0 & 64) a[i] = c0;"),
    # Only a call writes the register.
    ("", "long c7 = 0;", "a[i] = c7; c7 = twice(i);"),
    ("", "double c3 = 0;", "d[i] = c3; c3 = sqrt(i);"),
    ("", "double c3 = 0;", "d[i] = c3; c3 = passes(c3, i);"),
    ("", "long *c8 = 0;", "long *c9 = (long *)malloc(16); c9[0] = i; "
     "b[i] = c8 ? c8[0] : -1; free(c8); c8 = c9;"),
    # gcc makes two loops of these.
    ("", "int c7 = 0;", "if (c7 || ((int)i ^ 3) > 5) {{ c7 = 1; "
     "d[i] = sqrt(i & 63); }} else b[i] = i;"),
    ("", "int c7 = 0; long c6 = 0;", "if ((int)i > 5) {{ if (!c7) {{ c6 = i; "
     "c7 = 1; }} d[i] = sqrt(i - c6); }} else b[i] = 1;"),
    ("", "int c7 = 0;", "if (c7 || (int)i * 3 % 64 > 50) {{ c7 = 1; "
     "d[i] = sqrt(i & 63); }} else b[i] = i;"),
]
# A loop that was split by hand with gcc's own formula: (begin, its head, its
# statement, whether it has to do with the block).
HAND = [
    ("", "for (int i = lo; i < hi; i++)", "a[i] = {e};", False),
    ("long *p = a + lo;", "for (int i = lo; i < hi; i++)", "*p++ += {e};",
     False),
    ("long k = 3 * lo + 7;", "for (int i = lo; i < hi; i++)",
     "b[i] = k; k += 3;", False),
    ("long k = lo;", "for (int i = lo; i < hi; i++)", "b[i] += k; k += 3;",
     True),
    ("long k = lo;", "for (int i = lo; i < hi; i++)",
     "b[i] = k; k = k * 2 + 1;", True),
    ("long k = lo;", "for (int i = lo; i < hi; i++)",
     "b[i] = k; k += i & 1;", True),
    ("long k = lo;", "for (int i = lo; i < hi; i++)", "b[i] = k ^ 1; k ^= i;",
     True),
    ("long k = lo;", "for (int i = lo; i < hi; i++)", "b[i] = k; k = i;",
     True),
    ("long k = lo * (long)lo;", "for (int i = lo; i < hi; i++)",
     "b[i] = k; k += 2 * i;", True),
    ("int k = lo % 7;", "for (int i = lo; i < hi; i++)",
     "b[i] = k; if (++k == 8) k = 0;", True),
    ("double k = lo * 0.5;", "for (int i = lo; i < hi; i++)",
     "d[i] = k; k += 0.25;", True),
    ("struct pair q = {{lo, 0, 0}};", "for (int i = lo; i < hi; i++)",
     "b[i] = q.x; q.x += 2;", True),
    ("int k = lo, *p = &k;", "for (int i = lo; i < hi; i++)",
     "b[i] = *p; *p += 2;", True),
    ("int k = lo;", "for (int i = lo; i < hi; i++)",
     "if (i * 7 % 5 == 1) b[k++] = i;", True),
    ("int k = 0;", "for (int i = lo; i < hi; i++)",
     "if (i * 7 % 5 == 1) b[lo + k++] = i;", True),
    ("int k = 0;", "for (int i = lo; i < hi; i++)",
     "b[i] = lo + k; k += 3;", True),
    ("", "for (int i = lo; i <= hi; i++)",
     "_Pragma(\"omp atomic\") b[i & 4095] += 1;", True),
    ("", "for (int i = lo - 1; i < hi; i++)",
     "_Pragma(\"omp atomic\") b[i & 4095] += 1;", True),
    ("", "for (int i = lo; i < hi; i += 2)", "b[i] = i + 1;", True),
    ("", "for (int i = lo; i < hi;)", "b[i] = i + 1; i += 1 + (i % 3 == 0);",
     True),
    ("", "for (int i = lo; i < hi; i++)", "b[i] = twice(hi - lo);", True),
    ("", "for (int i = lo; i < hi; i++)", "b[i] = twice(hi);", True),
    ("", "for (int i = lo; i < hi; i++)", "b[i] = twice(lo + 5);", True),
    ("", "for (int i = lo; i < hi; i++)", "b[i] = hi - i;", True),
    ("", "for (int i = lo; i < hi; i++)",
     "if (i == lo) b[i] = 1; else b[i] = 2;", True),
    ("", "for (int i = lo; i < hi; i++)",
     "if (i % 100 == 99) break; b[i] = i + 1;", True),
    ("int k = hi;", "for (int i = lo; i < hi; i++)", "b[--k] = i;", True),
]
FORS = ["for (int i = 0; i < {n}; i++)", "for (long i = 0; i < {n}; i++)",
        "for (int i = {n} - 1; i >= 0; i--)",
        "for (int i = 1; i < {n}; i += 3)",
        "for (unsigned i = 0; i < (unsigned){n} + 1; i++)",
        "for (long i = {n} - 1; i > 3; i -= 2)",
        "for (unsigned long i = 5; i <= (unsigned long){n} + 9; i += 4)",
        "for (int i = lo; i < hi; i++)"]


def statement(rand, choices):
    e = rand.choice(EXPRESSIONS).replace("{c}", str(rand.randrange(1, 500)))
    text = rand.choice(choices)
    number = str(rand.randrange(1, 99))
    return text.replace("{e}", e).replace("{c}", number).replace(
        "{{", "{").replace("}}", "}")


def by_hand(rand, number):
    """A region that a program splits itself."""
    begin, loop, body, own = rand.choice(HAND)
    # Beyond the block two threads would write the same.
    work = "" if "_Pragma" in body else statement(
        rand, rand.choice([PLAIN, [""]]))
    body = statement(rand, [body])
    begin = begin.replace("{{", "{").replace("}}", "}")
    text = f"""#pragma omp parallel
{{
int t = omp_get_thread_num(), n = omp_get_num_threads();
int q_ = size / n, r_ = size % n;
if (t < r_) {{ q_++; r_ = 0; }}
int lo = t * q_ + r_, hi = lo + q_;
{begin}
{loop} {{ {work}
 {body} }}
}}
"""
    return (f"static HIDDEN void region{number}(int lo_, int size, long base, "
            "long c0)\n{\n(void)lo_; (void)base; (void)c0;\n" + text
            + f'line("region{number}");\n}}\n', own)


def region(rand, number):
    """(text of a function, whether it uses what depends on the thread)"""
    kind = rand.choice(["plain"] * 5 +
                       ["own", "own", "before", "once", "carry", "hand"])
    if kind == "hand":
        return by_hand(rand, number)
    body = [statement(rand, PLAIN) for _ in range(rand.randrange(1, 4))]
    clauses, before, behind, last = [], [], [], False
    if rand.random() < 0.4:
        clauses.append("reduction(+ : s)")
        body.append(statement(rand, SUMS))
    if rand.random() < 0.2:
        body.append(statement(rand, TOGETHER))
    if rand.random() < 0.2:
        clauses.append("lastprivate(last)")
        last = True
        body.append("last = i * 2 + a[i];")
    if rand.random() < 0.2:
        clauses.append("firstprivate(base)")
        body.append("b[i] += base;")
    split = kind in ("before", "once") or rand.random() < 0.3
    rand.shuffle(body)
    # The last statement of an iteration: nothing makes up for it.
    if kind == "own":
        body.append(statement(rand, OWN))
    elif kind == "before":
        first = statement(rand, BEFORE)
        before.append(first)
        body.append("a[i] += by_pair(&q0);" if "q0" in first
                    else rand.choice(USES))
    elif kind == "once":
        rand.choice([before, behind]).append(statement(rand, ONCE))
    elif kind == "carry":
        clause, made, text = rand.choice(CARRY)
        clauses += [c for c in re.findall(r"\w+\(.*?\)", clause)
                    if c not in clauses]
        if made:
            split = True
            before.append(made.replace("{{", "{").replace("}}", "}"))
        body.append(text.replace("{{", "{").replace("}}", "}"))
    # Without an iteration the value of a lastprivate is not defined.
    size = rand.choice([5, 7, 33, 100, 1000, 5000] + [0, 1, 2] * (not last))
    if rand.random() < 0.15:
        clauses.append("num_threads(3)")
    # A compiler knows what is in the way of so few iterations.
    known = str(size) if kind == "plain" or size > 100 else f"({size} + none)"
    loop = rand.choice(FORS).replace("{n}", known)
    inner = loop + " { " + "\n ".join(body) + " }"
    whole = [c for c in clauses if c.startswith("num_threads")]
    rest = " ".join(c for c in clauses if c not in whole)
    if split:
        text = (f"#pragma omp parallel {' '.join(whole)}\n{{\n"
                + "\n".join(before)
                + f"\n#pragma omp for nowait {rest}\n{inner}\n"
                + "\n".join(behind) + "\n}\n")
    else:
        text = f"#pragma omp parallel for {' '.join(clauses)}\n{inner}\n"
    return (f"static HIDDEN void region{number}(int lo, int hi, long base, "
            "long c0)\n{\nlong s = 0, last = 0; (void)base; (void)c0;\n"
            + text + "total += s + last;\n"
            + f'line("region{number}");\n}}\n', kind != "plain")


def program(seed, count):
    """(source, for each region whether it depends on the thread)"""
    rand = random.Random(seed)
    made = [region(rand, i) for i in range(count)]
    calls = "".join(f"region{i}(3, {rand.randrange(1, 4000)}, 11, 5);\n" * 2
                    for i in range(count))
    return (HEAD + "".join(text for text, _ in made)
            + "int main(void)\n{\n" + calls + "}\n", [own for _, own in made])


if __name__ == "__main__":
    import sys
    print(program(int(sys.argv[1]), int(sys.argv[2]))[0])
