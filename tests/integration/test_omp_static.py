"""dlsbench omp --static: which regions of a program may be cut into smaller
blocks, by its machine code.  What uses the thread's number, or what each
thread does once, is never called safe."""
import pathlib
import shutil
import subprocess

import pytest

from conftest import ROOT

DLSBENCH = ROOT / "build/dlsbench"
HEAD = r"""
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int n = 10007;
long a[20000], out[64], cnt;
double s;
__thread int tl;
int thr;
#pragma omp threadprivate(thr)
static void __attribute__((noinline)) put(int t, long v) { out[t & 63] += v; }
static long __attribute__((noinline)) own(long i) { a[i] += i; return i; }
static double __attribute__((noinline)) passes(double k, long i)
{ return i % 7 ? k : i; }
static void __attribute__((noinline)) until(volatile int *flag, int p)
{ while (*flag < p); }
int main() {
"""
TAIL = r"""
long h = 0;
for (int i = 0; i < 20000; i++) h = h * 31 + a[i];
for (int i = 0; i < 64; i++) h = h * 31 + out[i];
printf("%ld %ld %.6g\n", h, cnt, s);
}
"""
# Each has something in it that depends on the thread, or may.
UNSAFE = {
    "store": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) out[omp_get_thread_num()]+=i;
""",
    "ptr": r"""
#pragma omp parallel for
for(int i=0;i<n;i++){int t; int*p=&t; *p=omp_get_thread_num(); out[*p]+=i;}
""",
    "struct": r"""
#pragma omp parallel for
for(int i=0;i<n;i++){struct{int x,y;}q={i,omp_get_thread_num()}; put(q.y,q.x);}
""",
    "callee": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) put(omp_get_thread_num(),i);
""",
    "count": r"""
#pragma omp parallel
{
#pragma omp atomic
cnt++;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "count2": r"""
#pragma omp parallel reduction(+:cnt)
{ cnt+=1;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "countd": r"""
#pragma omp parallel reduction(+:s)
{ s+=1;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "countn": r"""
int k=n;
#pragma omp parallel reduction(+:cnt)
{ cnt+=k;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "active": r"""
#pragma omp parallel
{ int any=0;
#pragma omp for nowait
for(int i=0;i<n;i++){a[i]=i;any=1;}
if(any){
#pragma omp atomic
cnt++;
}}
""",
    "active2": r"""
#pragma omp parallel reduction(+:cnt)
{ int any=0;
#pragma omp for nowait
for(int i=0;i<n;i++){a[i]=i;any=1;}
cnt+=any;}
""",
    "square": r"""
#pragma omp parallel
{ long p=0;
#pragma omp for nowait
for(int i=0;i<n;i++)p+=i;
#pragma omp atomic
cnt+=p*p;
}
""",
    "tls": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) {tl++; a[i]=tl;}
""",
    "thrp": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) {thr+=i; a[i]=thr;}
""",
    "fp": r"""
long c=3;
#pragma omp parallel for firstprivate(c)
for(int i=0;i<n;i++) a[i]=c++;
""",
    "fp0": r"""
#pragma omp parallel
{long c=0;
#pragma omp for nowait
for(int i=0;i<n;i++) a[i]=c++;}
""",
    "lcg": r"""
unsigned c=3;
#pragma omp parallel for firstprivate(c)
for(int i=0;i<n;i++) {c=c*1103515245+12345; a[i]=c>>3;}
""",
    "fparr": r"""
long c[4]={1,2,3,4};
#pragma omp parallel for firstprivate(c)
for(int i=0;i<n;i++) {c[i&3]+=i; a[i]=c[(i+1)&3];}
""",
    "fpst": r"""
struct{long x,y,z;}c={1,2,3};
#pragma omp parallel for firstprivate(c)
for(int i=0;i<n;i++) {c.x+=i; c.y^=c.x; a[i]=c.y;}
""",
    "fpcond": r"""
long c=5;
#pragma omp parallel for firstprivate(c)
for(int i=0;i<n;i++) {if(i%3==0)c+=i; if(c>50) a[i]=1;}
""",
    "prev": r"""
#pragma omp parallel
{long last=-1;
#pragma omp for nowait
for(int i=0;i<n;i++) {a[i]=last; last=i*3;}}
""",
    "low": r"""
#pragma omp parallel
{ int t=omp_get_thread_num(), N=omp_get_num_threads(); if (t < n%N) {
#pragma omp atomic
cnt++;
}
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "low2": r"""
#pragma omp parallel
{ int t=omp_get_thread_num(), N=omp_get_num_threads(); long lo = t < n%N ? 7:9;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i*lo;}
""",
    "per": r"""
#pragma omp parallel
{ int per=n/omp_get_num_threads();
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=per;}
""",
    "rem": r"""
#pragma omp parallel
{ int per=n%omp_get_num_threads();
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=per;}
""",
    "prod": r"""
#pragma omp parallel
{ int per=(n/omp_get_num_threads())*omp_get_thread_num();
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=per;}
""",
    "lock": r"""
omp_lock_t l; omp_init_lock(&l);
#pragma omp parallel
{ omp_set_lock(&l); cnt++; omp_unset_lock(&l);
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "crit": r"""
#pragma omp parallel
{
#pragma omp critical
cnt++;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "loopcount": r"""
#pragma omp parallel
{ for(int k=0;k<n/100;k++){
#pragma omp atomic
cnt+=k;
}
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "after": r"""
#pragma omp parallel
{
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;
for(int k=0;k<n/100;k++){
#pragma omp atomic
cnt+=k;
}}
""",
    "ownout": r"""
#pragma omp parallel
{ put(3,1);
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "chunk": r"""
#pragma omp parallel for schedule(static,16)
for(int i=0;i<n;i++)a[i]+=i;
""",
    "part": r"""
#pragma omp parallel
{ long p=0;
#pragma omp for nowait
for(int i=0;i<n;i++)p+=i;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=p;
}
""",
    "heap": r"""
#pragma omp parallel
{ long*p=calloc(4,8);
#pragma omp for nowait
for(int i=0;i<n;i++){p[i&3]+=i;a[i]=p[0];}
free(p);}
""",
    "scratch": r"""
#pragma omp parallel
{ long p[4]; memset(p,0,sizeof p);
#pragma omp for nowait
for(int i=0;i<n;i++){p[i&3]+=i;a[i]=p[0];}
}
""",
    "maxs": r"""
#pragma omp parallel
{ long m=0;
#pragma omp for nowait
for(int i=0;i<n;i++){ if (i%7>m) {m=i%7; a[i]=1;} }
}
""",
    "print": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) if(i%1000==0) printf("%d\n",i);
""",
    "rand": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) a[i]=rand();
""",
    "ind": r"""
long(*f)(long)=n>3?own:0;
#pragma omp parallel for
for(int i=0;i<n;i++) f(i);
""",
    "maxth": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) a[i]=omp_get_max_threads();
""",
    "tailc": r"""
#pragma omp parallel
{
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;
put(1,1);}
""",
    "byhand": r"""
#pragma omp parallel
{int t=omp_get_thread_num(),N=omp_get_num_threads(); int lo=t*(n/N),
    hi=t==N-1?n:lo+n/N; for(int i=lo;i<hi;i++) a[i]=i; }
""",
    "args": r"""
#pragma omp parallel for
for(int i=0;i<n;i++)
    a[i]=snprintf(0,0,"%d%d%d%d",i,i,i,omp_get_thread_num());
""",
    "sec": r"""
#pragma omp parallel
{
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;
if(omp_get_thread_num()==0) cnt++;}
""",
    "asm": r"""
#pragma omp parallel for
for(int i=0;i<n;i++){ long r=186; __asm__
    volatile("syscall":"+a"(r)::"rcx","r11","memory"); a[i]=r; }
""",
    "dcount": r"""
#pragma omp parallel reduction(*:s)
{ s*=2;
#pragma omp for nowait
for(int i=0;i<n;i++)a[i]=i;}
""",
    "addrstk": r"""
#pragma omp parallel for
for(int i=0;i<n;i++){ int x=i; a[i]=(long)&x; }
""",
    "vla": r"""
int m=n&7;
#pragma omp parallel
{ long p[m+1]; p[0]=0;
#pragma omp for nowait
for(int i=0;i<n;i++){p[0]+=i;a[i]=p[0];}
}
""",
    "lastcar": r"""
long c=0;
#pragma omp parallel for firstprivate(c) lastprivate(c)
for(int i=0;i<n;i++) {c+=i;}
out[0]=c;
""",
    "swap": r"""
#pragma omp parallel
{ long x=1,y=1;
#pragma omp for nowait
for(int i=0;i<n;i++){long z=x+y; x=y; y=z; a[i]=x&255;}
}
""",
    "fcarry": r"""
double c=1;
#pragma omp parallel for firstprivate(c)
for(int i=0;i<n;i++) {c=c*0.5+i; a[i]=(long)c;}
""",
    "idx": r"""
#pragma omp parallel
{int k=0;
#pragma omp for nowait
for(int i=0;i<n;i++) {out[k&63]+=i; k++;}}
""",
    "seen": r"""
#pragma omp parallel
{int seen=0;
#pragma omp for nowait
for(int i=0;i<n;i++) if(seen||(i^3)>5){seen=1;a[i]+=sqrt(i);} else a[i]=2;}
""",
    "first": r"""
#pragma omp parallel
{int first=0,seen=0;
#pragma omp for nowait
for(int i=0;i<n;i++) if(i>5){if(!seen){seen=1;first=i;}
    a[i]=sqrt(i-first);} else a[i]=2;}
""",
    "idx2": r"""
#pragma omp parallel
{int k=0;
#pragma omp for nowait
for(int i=0;i<n;i++) {a[k+1]=i; k+=2;}}
""",
    "chain": r"""
#pragma omp parallel
{struct node{struct node*next;long v;}*last=0;
#pragma omp for nowait
for(int i=0;i<n;i++) {struct node*q=malloc(sizeof*q); q->next=last; q->v=i;
    last=q; a[i]=q->next?q->next->v:-1;}}
""",
    "result": r"""
#pragma omp parallel
{long k=0;
#pragma omp for nowait
for(int i=0;i<n;i++) {a[i]=k; k=own(i);}}
""",
    "result, real": r"""
#pragma omp parallel
{double k=0;
#pragma omp for nowait
for(int i=0;i<n;i++) {a[i]=(long)k; k=sin(i);}}
""",
    "result, passed on": r"""
#pragma omp parallel
{double k=0;
#pragma omp for nowait
for(int i=0;i<n;i++) {a[i]=(long)k; k=passes(k,i);}}
""",
    "flags of sums": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) {unsigned f; a[i]=(long)(i/7.0);
    __asm__ volatile("stmxcsr %0":"=m"(f)); out[f&32]=1;}
""",
}
# A loop that is split by hand as gcc does it, but for what is in it.
SPLIT = r"""
#pragma omp parallel
{ int p=omp_get_num_threads(),t=omp_get_thread_num(),q=n/p,e=n%%p;
if(t<e){q++;e=0;}
int lo=q*t+e,hi=lo+q; %s }
"""
BY_HAND = {
    "step": "long s=lo; for(int i=lo;i<hi;i++){a[i]+=s;s+=3;}",
    "pointer": "long*s=a+lo; for(int i=lo;i<hi;i++){*s+=i;s+=i&1;}",
    "later": "for(int i=lo;i<=hi;i++)a[i]+=i;",
    "earlier": "for(int i=lo-1;i<hi;i++)a[i+1]+=i;",
    "not equal": "for(int i=lo;i!=hi+1;i++)a[i]+=1;",
    "stride": "for(int i=lo;i<hi;i+=2)a[i]+=i;",
    "strides": "for(int i=lo;i<hi;){a[i]=i;i+=1+(i%3==0);}",
    "break": "for(int i=lo;i<hi;i++){if(a[i]>n-500)break;a[i]+=i;}",
    "compact": "int k=lo;for(int i=lo;i<hi;i++)if(i*7%5==1)a[k++]=i;",
    "count": "int k=0;for(int i=lo;i<hi;i++)if(i*7%5==1)a[lo+k++]=i;",
    "triple": "int k=0;for(int i=lo;i<hi;i++){a[(lo+k)%n]+=i;k+=3;}",
    "length": "for(int i=lo;i<hi;i++)put(hi-lo,i);",
    "end": "for(int i=lo;i<hi;i++)put(hi,i);",
    "begin": "for(int i=lo;i<hi;i++)put(lo+5,i);",
    "down": "int j=hi;for(int i=lo;i<hi;i++){j--;a[j]=i;}",
    "square": "long s=(long)lo*lo;for(int i=lo;i<hi;i++){a[i]=s;s+=2*i;}",
    "wrap": "int k=lo%7;for(int i=lo;i<hi;i++){a[i]=k;if(++k==8)k=0;}",
    "real": "double x=lo*.5;for(int i=lo;i<hi;i++){a[i]=(long)(x*4);x+=.25;}",
    "xor": "long s=lo;for(int i=lo;i<hi;i++){a[i]=s;s^=i;}",
    "double": "long s=lo;for(int i=lo;i<hi;i++){a[i]=s;s=s*2+1;}",
    "before": "long s=lo;for(int i=lo;i<hi;i++){a[i]=s;s=i;}",
    "inner": "long s=lo;for(int i=lo;i<hi;i++){for(int j=0;j<i%3;j++)s++;"
             "a[i]=s;}",
    "short": "short s=lo;for(int i=lo;i<hi;i++){a[i]=s;s+=2;}",
    "end twice": "while(lo<hi){a[lo]+=1;if(lo==hi-1&&a[lo]>5)break;lo++;}",
}
# What each thread makes of its iterations; then it goes to what all share.
PARTS = r"""
#pragma omp parallel
{ %s; long l=0;
#pragma omp for nowait
for(int i=0;i<n;i++){ %s }
#pragma omp atomic
%s;
}
"""
SUMS = {
    "or, then sum": ("long k=0", "k|=i*13;", "cnt+=k"),
    "xor, then sum": ("long k=0", "k^=i*13;", "cnt-=k"),
    "sum, then or": ("long k=0", "k+=i*13;", "cnt|=k"),
    "sum, then xor": ("long k=0", "k-=i*13;", "cnt^=k"),
    "sum and or": ("long k=0", "k+=i;l|=2*i;", "cnt+=k-l"),
    "of a sum": ("long k=0", "k+=i;l+=k;", "cnt+=l"),
    "alternating": ("long k=0", "k=i*5-k;", "cnt+=k"),
    "alternating, real": ("double k=0", "k=i*5-k;", "s+=k"),
    "set back": ("long k=0", "if(i%7==0)k=0;k+=i;", "cnt+=k"),
    "set": ("long k=0", "if(i%97==5)k=i;", "cnt+=k"),
    "found": ("long k=0", "if(i%97==5)k=1;", "cnt+=k"),
    "found, or": ("long k=0", "k|=i%97==5;", "cnt+=k"),
    "doubled": ("long k=0", "k=k+k+i;", "cnt+=k"),
    "byte": ("unsigned char k=0", "k+=i;", "cnt+=k"),
    "short": ("short k=0", "k+=i*77;", "cnt+=k"),
    "unsigned": ("unsigned k=0", "k+=i*654321;", "cnt+=k"),
    "cut off": ("long k=0", "k+=i*100;", "cnt+=(short)k"),
}
UNSAFE.update((f"parts, {name}", PARTS % text) for name, text in SUMS.items())
# Iterations that wait for others, which may come later in the same thread.
WAITS = r"""
int *flag = calloc(64, 4), p = omp_get_max_threads();
#pragma omp parallel for
for (int t = 0; t < p; t++) {
    __atomic_fetch_add(flag, 1, __ATOMIC_SEQ_CST);
    %s
    a[t] += t;
}
"""
SPINS = {
    "load": "while (*(volatile int *)flag < p);",
    "atomic load": "while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < p);",
    "add": "while (__sync_fetch_and_add(flag, 0) < p);",
    "function": "until(flag, p);",
    "counted": "int k = 0; while (*(volatile int *)flag < p) k++;",
    "pauses": "while (*(volatile int *)flag < p)"
              " for (int k = 0; k < 9; k++) __builtin_ia32_pause();",
    "exchange": "while (!__sync_bool_compare_and_swap(flag + 9, t, t + 1));",
}
UNSAFE.update((f"waits, {name}", WAITS % text) for name, text in SPINS.items())
UNSAFE["x87"] = r"""
long double c=1;
#pragma omp parallel for firstprivate(c)
for(int i=0;i<n;i++) {c=c*0.5L+i; a[i]=(long)c;}
"""
UNSAFE.update((f"by hand, {name}", SPLIT % text)
              for name, text in BY_HAND.items())
SAFE = {
    "list": r"""
struct list {struct list *next; long v;} *x = calloc(100, sizeof *x);
for (int i = 0; i < 99; i++) { x[i].next = x + i + 1; x[i + 1].v = i; }
#pragma omp parallel for
for(int i=0;i<n;i++) { struct list*q=x; while(q->v<i%90) q=q->next; a[i]=q->v;}
""",
    "newton": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) { double x=i+1,y;
    do { y=x; x=.5*(x+(i+1)/x); } while (fabs(x-y)>1e-9); a[i]=(long)(x*1e3); }
""",
    "exchange": r"""
long m=-5;
#pragma omp parallel for
for(int i=0;i<n;i++) { long v=i*7919L%10007,o=__atomic_load_n(&m,0);
    while(o<v && !__atomic_compare_exchange_n(&m,&o,v,0,5,5)); }
out[0]=m;
""",
    "int sum": PARTS % ("int k=0", "k+=i&3;", "cnt+=k"),
    "byte sum": r"""
signed char g=0;
#pragma omp parallel for reduction(+:g)
for(int i=0;i<n;i++) g+=i*3;
out[0]=g;
""",
    "xor": r"""
unsigned short g=0;
#pragma omp parallel for reduction(^:g)
for(int i=0;i<n;i++) g^=i*7;
out[0]=g;
""",
    "by hand": SPLIT % "for(int i=lo;i<hi;i++)a[i]=i*3;",
    "by hand, pointer": SPLIT % "long*s=a+lo;for(int i=lo;i<hi;i++)*s++=i*3;",
    "by hand, slope":
        SPLIT % "long s=3L*lo+7;for(int i=lo;i<hi;i++){a[i]=s;s+=3;}",
    "copies": r"""
long (*rows)[16]=calloc(n,sizeof*rows); int w=n>5?16:8;
#pragma omp parallel for
for(int i=1;i<n;i++) memcpy(rows[0]+i*w,rows[0],8*(size_t)w);
a[3]=rows[1][1];
""",
    "plain": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) a[i]=i;
""",
    "sum": r"""
#pragma omp parallel for reduction(+:s)
for(int i=0;i<n;i++) s+=i*0.5;
""",
    "function": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) a[i]=own(i);
""",
    "down": r"""
#pragma omp parallel for
for(int i=n-1;i>=0;i-=3) a[i]=i;
""",
    "triangle": r"""
#pragma omp parallel for
for(int i=0;i<n;i++) for(int j=0;j<i;j++) a[i]+=sqrt(out[j&63]);
""",
    "lastprivate": r"""
long x=0;
#pragma omp parallel for lastprivate(x)
for(int i=0;i<n;i++) {x=i*2;a[i]=x;}
out[0]=x;
""",
    "clauses": r"""
#pragma omp parallel for num_threads(3) if(n>5)
for(int i=0;i<n;i++) {a[i]+=3;}
""",
    "atomic": r"""
#pragma omp parallel for
for(int i=0;i<n;i++){long q=0; for(int j=0;j<i;j++) q+=a[j&7];
#pragma omp atomic
cnt+=q;
}
""",
    "critical": r"""
#pragma omp parallel for
for(int i=0;i<n;i++){
#pragma omp critical
cnt+=i;
}
""",
}


def classes(tmp_path, text, *flags, compiler="gcc"):
    """The class and the word of each region."""
    source = tmp_path / ("x.cc" if compiler == "g++" else "x.c")
    source.write_text(HEAD + text + TAIL)
    subprocess.run([compiler, "-w", "-fopenmp", *flags, source, "-o",
                    tmp_path / "x", "-lm"], check=True)
    done = subprocess.run([DLSBENCH, "omp", "--static", tmp_path / "x"],
                          capture_output=True, text=True, timeout=60,
                          check=True)
    return [line.split()[:2] for line in done.stdout.splitlines()[:-1]]


@pytest.mark.cross(part=8)
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize("case", sorted(UNSAFE))
def test_what_depends_on_the_thread_is_not_safe(tmp_path, case, level):
    found = classes(tmp_path, UNSAFE[case], level)
    assert found and all(kind in "C-" for kind, _ in found), found


@pytest.mark.parametrize("case", sorted(SAFE))
def test_loops_of_iterations_only_are_safe(tmp_path, case):
    found = classes(tmp_path, SAFE[case], "-O2")
    assert found and all(kind in "AB" for kind, _ in found), found


def test_stripped_and_position_independent_programs_are_read(tmp_path):
    for flags in (["-s", "-O2"], ["-O2", "-no-pie", "-fno-pie"],
                  ["-O2", "-fPIC", "-Wl,-z,now", "-fno-plt"]):
        assert classes(tmp_path, SAFE["plain"], *flags) == [["A", "-"]], flags
        assert classes(tmp_path, UNSAFE["store"], *flags)[0][0] == "-", flags


def test_other_files_and_wrong_use_are_said(tmp_path):
    def static(*args):
        return subprocess.run([DLSBENCH, "omp", "--static", *args],
                              capture_output=True, text=True, check=False)
    text = tmp_path / "text"
    text.write_text("no program\n")
    assert "no parallel region" in static(text).stderr
    for done in (static(tmp_path / "none"), static(text, "--", "true")):
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    cut = tmp_path / "cut"
    whole = pathlib.Path(shutil.which("gcc")).resolve().read_bytes()
    for size in (0, 10, 63, 64, 100, 5000, len(whole) // 2, len(whole) - 40):
        cut.write_bytes(whole[:size])
        assert static(cut).returncode in (0, 2), size
