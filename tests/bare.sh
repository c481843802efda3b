#!/bin/sh
# A bare Debian in a folder of its own, which is removed at the end.
#
#   tests/bare.sh packages SAID DEB...   what the packages of `make deb` add,
#                                        whether they work there, and go again
#   tests/bare.sh sizes SAID ARCHIVE     what `make deps bench` adds
#   tests/bare.sh container SAID ARCHIVE whether the steps of the container file
#                                        make what its test asks for
#
# SAID gets a line for each result.  Exit code 77: no bare Debian can be made.
set -e
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

outside() { # PART SAID FILE...
    command -v mmdebstrap >/dev/null || { echo 'mmdebstrap is not installed' >&2; exit 77; }
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
    part=$1 said=$2
    shift 2
    cp "$0" "$made/bare.sh"
    for file; do
        case $file in
        *.tar.xz) tar -xf "$file" -C "$made" ;;
        *) cp "$file" "$made/" ;;
        esac
    done
    mmdebstrap --quiet --variant=apt \
        --customize-hook="touch '$made/began'; cp -r '$made' \"\$1/given\"" \
        --customize-hook="chroot \"\$1\" sh /given/bare.sh '$part'" \
        --customize-hook="cp \"\$1/given/said\" '$said'" \
        "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" /dev/null && return
    [ -e "$made/began" ] || exit 77
    exit 1
}

say() {
    echo "$*" | tee -a /given/said
}

# Without what apt downloaded.
megabytes() {
    apt-get clean
    du -smx --exclude=/given --exclude=/var/lib/apt/lists --exclude=/var/cache/apt --exclude=/home / | cut -f 1
}

added() { # WHAT COMMAND...
    what=$1
    shift
    before=$(megabytes)
    "$@" >/given/log 2>&1 || { tail -n 50 /given/log; exit 1; }
    say "$what: $(($(megabytes) - before)) MB"
}

plain_install() {
    apt-get install -y -q --no-install-recommends "$@"
}

# As a user who has no name and owns nothing but a home.
user() {
    (cd /home/u && setpriv --reuid=1000 --regid=1000 --clear-groups \
        env HOME=/home/u "$@" 2>&1) >/given/log || { cat /given/log >&2; exit 1; }
}

expect() { # PATTERN: in what the last command said
    grep -q -- "$1" /given/log || { cat /given/log; echo "not said: $1"; exit 1; } >&2
}

# Names that only DLSBench leaves, and what anybody forgot.
left() {
    find / -xdev '(' -path /given -o -path /home -o -path /proc -o -name 'mmdebstrap.*' ')' -prune -o \
        '(' -name '*dls*' -o -path '/tmp/*' -o -path '/var/tmp/*' ')' -print
}

matmul() { # THREADS
    user env OMP_NUM_THREADS="$1" BLIS_NUM_THREADS="$1" OPENBLAS_NUM_THREADS="$1" \
        dlsbench run --kernel matmul:tasks=100,min=100,max=200 --scheme ss --ranks 1 --threads 1 \
        --repetitions 3 --repetitions-max 3 --out "./matmul-$1"
    expect '1 cells\{0,1\} ok, 0 failed'
    user sh -c "cat matmul-$1/runs-*.jsonl"
    sed -n 's/.*"type":"run".*"time_s":\([0-9.e+-]*\).*/\1/p' /given/log | sort -g | head -n 1
}

write_loop() {
    cat >/home/u/loop.c <<'END'
int main(void)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 2000; i++)
        for (int j = 0; j < 20 * i; j++)
            __asm__ volatile("");
}
END
}

inside_packages() {
    cd /given
    mkdir /home/u && chown 1000:1000 /home/u
    write_loop
    added package plain_install ./dlsbench_*.deb
    user dlsbench run smoke --out ./smoke
    expect '^37 cells ok, 0 failed'
    user dlsbench run --kernel mandelbrot --scheme ss,gss --out ./two
    one=$(matmul 1)
    four=$(matmul 4)
    say "matmul with OMP_NUM_THREADS=1: $one s, 4: $four s"
    user sh -c '! dlsbench report two'
    expect 'needs Python: apt-get install python3-'
    added 'what it recommends' plain_install python3-pandas python3-scipy \
        python3-matplotlib python3-jinja2
    user dlsbench report two
    test -s /home/u/two/report.html
    added 'libdls-dev' plain_install ./libdls1_*.deb ./libdls-dev_*.deb gcc libc6-dev pkg-config
    # shellcheck disable=SC2016 # the user's shell
    user sh -c 'gcc -pthread -o threads /usr/share/doc/dls/examples/threads.c \
        $(pkg-config --cflags --libs libdls) && ./threads'
    user sh -c 'gcc -g -O1 -fopenmp -o loop loop.c && dlsbench omp -- ./loop'
    expect 'main loop.c:[34]'
    expect '^Answer: '
    plain_install ./python3-dlsbench_*.deb >/given/log 2>&1
    user python3 -c "import dlsbench
print(len(dlsbench.load('two').cells), 'cells,', sum(dlsbench.schemes('fss', 97, 4)['size']))"
    expect '^2 cells, 97$'
    added 'libdls-mpich-dev and dlsbench-sim' plain_install ./libdls-mpich1_*.deb \
        ./libdls-mpich-dev_*.deb ./dlsbench-sim_*.deb ./dlsbench-doc_*.deb
    # shellcheck disable=SC2016
    user sh -c 'mpicc -fopenmp -o ranks /usr/share/doc/dls/examples/mandelbrot.c \
        $(pkg-config --cflags --libs libdls-mpich) && mpiexec -n 2 ./ranks fss'
    user dlsbench sim --platform bench/papers/andronikos/kids.xml --workers 4 \
        --kernel null:size=99 --scheme gss --out ./sim
    expect '1 cells\{0,1\} ok, 0 failed'
    apt-get purge -y -q 'dlsbench*' 'libdls*' python3-dlsbench >/given/log 2>&1
    say "left behind: $(left | tr '\n' ' ')"
}

inside_sizes() {
    cd /given/dlsbench-*/
    added make plain_install make
    added 'make deps bench PLOTS=0' make deps-bench PLOTS=0
    added 'the page of make deps bench' make deps-bench
}

inside_container() {
    mv /given/dlsbench-*/ /opt/dlsbench
    for section in post test; do
        awk -v "name=%$section" '/^%/ { inside = $0 == name; next } inside' \
            /opt/dlsbench/packaging/apptainer.def >"/given/$section"
        grep -q dlsbench "/given/$section"
        (cd /tmp && sh -e "/given/$section") >/given/log 2>&1 ||
            { tail -n 50 /given/log; exit 1; }
    done
    expect '^1 cells\{0,1\} ok, 0 failed'
    say "whole: $(megabytes) MB"
}

case $1,$# in
packages,1 | sizes,1 | container,1) "inside_$1" ;;
packages,[3-9] | packages,[1-9][0-9] | sizes,3 | container,3) outside "$@" ;;
*) sed -n '2,/^# SAID/p' "$0" >&2; exit 2 ;;
esac
