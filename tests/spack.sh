#!/bin/sh
# Installs a release by Spack in a folder of its own, which is removed at the end,
# and runs it.
#
#   tests/spack.sh SPACK REPOSITORY     the program, and build/spack of `make dist`
#
# MPICH and all libraries are Debian's, so that Spack builds and downloads nothing
# else.  Exit code 77: this Spack cannot be used.
set -e
[ $# = 2 ] || { sed -n '2,/^# else/p' "$0" >&2; exit 2; }
spack=$1
repository=$(cd "$2" && pwd -P)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# Nothing of the user's Spack, and nothing of ours stays in it.
export HOME="$made" SPACK_DISABLE_LOCAL_CONFIG=1 SPACK_USER_CACHE_PATH="$made/cache"
"$spack" --version || exit 77

# A prefix of what Debian has in folders of its own.
prefix() { # NAME LINK=FILE...
    name=$1
    shift
    for link; do
        mkdir -p "$made/$name/$(dirname "${link%%=*}")"
        ln -s "${link#*=}" "$made/$name/${link%%=*}"
    done
}

external() { # SPEC PREFIX
    printf '  %s:\n    buildable: false\n    externals:\n    - spec: "%s"\n      prefix: %s\n' \
        "${1%%@*}" "$1" "$2"
}

packages() {
    echo 'packages:'
    external mpich@4.0 "$made/mpich"
    external 'blis@0.9.0+cblas threads=none libs=shared' "$made/blis"
    for spec in gmake@4.3 hwloc@2.9 libyaml@0.2.5 expat@2.5 jansson@2.14 xxhash@0.8.1 netpbm@10.73 \
        elfutils@0.188 zlib@1.2.13 xz@5.4 zstd@1.5.4 capstone@4.0 papi@7.0; do
        external $spec /usr
    done
    printf '  all:\n    providers:\n      mpi: [mpich]\n      zlib-api: [zlib]\n'
}

arch=$(gcc -print-multiarch)
# mpiexec starts the proxy that is beside it.
prefix mpich bin/mpicc=/usr/bin/mpicc.mpich bin/mpiexec=/usr/bin/mpiexec.mpich \
    bin/hydra_pmi_proxy=/usr/bin/hydra_pmi_proxy
prefix blis "lib=/usr/lib/$arch/blis-serial" "include/blis=/usr/include/$arch/blis-serial"
mkdir "$made/config"
packages >"$made/config/packages.yaml"
echo "repos: ['$repository']" >"$made/config/repos.yaml"
cat >"$made/config/config.yaml" <<END
config:
  install_tree:
    root: $made/installed
  build_stage: [$made/stage]
  source_cache: $made/sources
  concretizer: original
END
run() {
    "$spack" -C "$made/config" "$@"
}
run compiler find /usr/bin >/dev/null
run install dlsbench >"$made/log" 2>&1 || { tail -n 60 "$made/log"; exit 1; }
program=$(run location -i dlsbench)/bin/dlsbench
cd "$made"
"$program" --version
"$program" run smoke --out "$made/smoke/" >"$made/log" 2>&1 || { tail -n 30 "$made/log"; exit 1; }
grep ' cells ok' "$made/log"
