#!/bin/sh
# Compiles all for aarch64 without a warning, and runs the unit tests of base and
# sched there by qemu.
#
#   tests/cross.sh        exit code 77: a cross compiler, mmdebstrap or qemu is missing
set -e
for tool in aarch64-linux-gnu-gcc mmdebstrap qemu-aarch64; do
    command -v $tool >/dev/null || { echo "$tool is not installed" >&2; exit 77; }
done
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# Debian's libraries for it; none of their programs is run.
packages=$(sh packaging/find.sh debian SIM | tr '\n' ',')
mmdebstrap --quiet --variant=extract --architectures=arm64 \
    --include="${packages}libc6-dev,libgcc-12-dev,libmpich-dev,libcmocka-dev,libglpk-dev" \
    "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$made/root" || exit 77
# As links of that root: gold follows those to /lib into ours.
find "$made/root/usr/lib" -type l -lname '/*' -printf '%p %l\n' |
    while read -r link to; do ln -sfn "$made/root$to" "$link"; done
tests=$(find base sched -name '*_test.c' | sed "s|\(.*\)\.c|$made/build/\1|")
# shellcheck disable=SC2086 # a list of words
make -j"$(nproc)" WERROR=1 CC="aarch64-linux-gnu-gcc --sysroot=$made/root" \
    BUILD="$made/build" all lib $tests >"$made/log" 2>&1 || { tail -n 40 "$made/log"; exit 1; }
passed=0
for test in $tests; do
    qemu-aarch64 -L "$made/root" "$test" >"$made/log" 2>&1 ||
        { echo "FAILED $test"; tail -n 40 "$made/log"; exit 1; }
    passed=$((passed + 1))
done
file -b "$made/build/dlsbench" | cut -d, -f2
echo "$passed unit test programs passed"
