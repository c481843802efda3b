#!/bin/sh
# Which of the libraries that building uses are here, and how they are linked.
# Each is asked for by itself: by a program that is linked with it.
#
#   find.sh config            a line for each: what is found, or what is lost
#   find.sh make FILE         variables for make into FILE, unless it is there
#                             and nothing has changed since; an error is printed
#   find.sh debian [NAME...]  Debian's packages, without those of NAMEs
#
# In the environment: CC and CFLAGS; MPI (empty: whichever is here); OFF and ON,
# the names that are left out, or must be there; BLAS and BLAS_INCLUDE, folders.
# shellcheck disable=SC2086,SC3013 # flags are lists of words; every sh has -nt

# NAME: what make's option is called; `need`: nothing is built without it.
# pkg-config's name (-: none) and the flags where it knows nothing; headers; a
# function; its version, for printf; Debian's, Fedora's and Spack's package.
table() {
    cat <<'END'
HWLOC|need|hwloc|-lhwloc|hwloc.h|hwloc_topology_set_io_types_filter|"%s", HWLOC_VERSION|libhwloc-dev|hwloc-devel|hwloc|hwloc 2, the machine's cores
JANSSON|need|jansson|-ljansson|jansson.h|json_loads|"%s", JANSSON_VERSION|libjansson-dev|jansson-devel|jansson|result files
YAML|need|yaml-0.1|-lyaml|yaml.h|yaml_parser_parse|"%s", yaml_get_version_string()|libyaml-dev|libyaml-devel|libyaml|campaign files
PAPI|may|papi|-lpapi|papi.h|PAPI_library_init|"%d.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION)|libpapi-dev|papi-devel|papi|no PAPI events; those of the kernel (cycles:u) remain
SIM|may|-|-lsimgrid|simgrid/engine.h simgrid/version.h|simgrid_init|"%d.%d", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR|libsimgrid-dev g++|simgrid-devel gcc-c++|simgrid|no simulations (make sim)
LIBDW|may|libdw libelf|-ldw -lelf|elfutils/libdwfl.h elfutils/libdwelf.h elfutils/version.h gelf.h|dwfl_begin|"0.%d", _ELFUTILS_VERSION|libdw-dev|elfutils-devel|elfutils|loops of programs have an address in place of file:line
NETPBM|may|netpbm|-lnetpbm|netpbm/pgm.h|pgm_readpgminit|"%s", ""|libnetpbm-dev|netpbm-devel|netpbm|images are read as P5 only, not as text (P2)
CAPSTONE|may|capstone|-lcapstone|capstone/capstone.h|cs_open|"%d.%d", CS_API_MAJOR, CS_API_MINOR|libcapstone-dev|capstone-devel|capstone|static loops of gcc's programs cannot be changed
ZLIB|may|zlib|-lz|zlib.h|inflate|"%s", ZLIB_VERSION|zlib1g-dev|zlib-devel|zlib-api|no files compressed by gzip
LZMA|may|liblzma|-llzma|lzma.h|lzma_code|"%s", LZMA_VERSION_STRING|liblzma-dev|xz-devel|xz|no files compressed by xz
ZSTD|may|libzstd|-lzstd|zstd.h zstd_errors.h|ZSTD_decompressStream|"%s", ZSTD_VERSION_STRING|libzstd-dev|libzstd-devel|zstd|no files compressed by zstd
EXPAT|may|expat|-lexpat|expat.h|XML_Parse|"%d.%d.%d", XML_MAJOR_VERSION, XML_MINOR_VERSION, XML_MICRO_VERSION|libexpat1-dev|expat-devel|expat|simulations of large fat trees begin more slowly
XXHASH|may|libxxhash|-lxxhash|xxhash.h|XXH3_64bits|"%d.%d.%d", XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE|libxxhash-dev|xxhash-devel|xxhash|packaging/xxhash takes its place
BLAS|may|-||cblas.h|cblas_dgemm|"serial BLIS"|libblis-serial-dev|blis-devel|blis|matmul uses a dgemm of its own, which is slower
END
}

has() { # WORD WORDS
    case " $2 " in *" $1 "*) return 0 ;; esac
    return 1
}

# A program of these headers, this function and what printf says, linked.
links() { # AT HEADERS FUNCTION PRINTED FLAGS
    {
        echo '#include <stdio.h>'
        printf '#include <%s>\n' $2
        echo "int main(void) { printf($4); return (void *)$3 == (void *)main; }"
    } > "$1.c"
    $CC ${CFLAGS:-} -o "$1" "$1.c" $5 > "$1.log" 2>&1 || return
    "$1" > "$1.version" 2> "$1.log" || :
}

# Libraries in folders that the loader does not know are found there, too.
with_rpath() { # FLAGS
    for flag; do
        echo "$flag"
        folder=${flag#-L}
        case $flag in
        -L/usr/lib/*/*) echo "-Wl,-rpath,$folder" ;;
        -L/usr/lib | -L/usr/lib/* | -L/usr/lib64 | -L/lib*) ;;
        -L*) echo "-Wl,-rpath,$folder" ;;
        esac
    done
}

# Flags for the compiler, and for the linker, of words that have both.
split() { # AT WORDS
    at=$1
    shift
    cflags='' libs=''
    for flag; do
        case $cflags in *-isystem) cflags="$cflags $flag"; continue ;; esac
        case $flag in
        -l*) has "$flag" "$libs" || libs="$libs $flag" ;;
        -I* | -D* | -isystem*) cflags="$cflags $flag" ;;
        -L* | -Wl,*) libs="$libs $(with_rpath "$flag" | tr '\n' ' ' | sed 's/ $//')" ;;
        esac
    done
    printf '%s\n' "$cflags" > "$at.cflags"
    printf '%s\n' "$libs" > "$at.libs"
}

# The compiler itself may be MPI's; else its mpicc says what it would call.
look_mpi() { # AT
    for wrapper in '' ${MPI:+"mpicc.$MPI"} ${MPI:-mpicc.mpich} mpicc mpicc.openmpi; do
        path='' words=''
        if [ -z "$wrapper" ]; then
            for word in $CC; do
                case $word in -*) ;; *) path=$(command -v "$word") ;; esac
            done
        else
            path=$(command -v "$wrapper") || continue
            words=$("$path" -show 2> /dev/null) || continue
        fi
        split "$1" $words
        for kind in 'mpich|"%s", MPICH_VERSION' \
            'openmpi|"%d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION'; do
            name=${kind%%|*}
            links "$1" mpi.h MPI_Win_allocate_shared "${kind#*|}" \
                "$cflags $libs" || continue
            # A compiler of another MPI is not bent to this one.
            [ "${MPI:-$name}" = "$name" ] || if [ -n "$wrapper" ]; then continue; else return; fi
            start=${path%/*}/mpiexec
            # Debian's names say whose they are, wherever PATH leads.
            [ "$(command -v "mpiexec.$name")" != "$start.$name" ] || start=mpiexec.$name
            # Ranks find their cores themselves (--bind), as root too.
            [ "$name" = mpich ] ||
                start="$start --allow-run-as-root --oversubscribe --bind-to none"
            echo "$name $start" > "$1.found"
            return
        done
    done
}

look() { # AT NAME PKG LIBS HEADERS FUNCTION VERSION
    if [ "$2" = BLAS ]; then
        folder=${BLAS:-$(for x in /usr/lib/*/blis-serial; do echo "$x"; done)}
        headers=${BLAS_INCLUDE:-$(echo "$folder" | sed 's|^/usr/lib/|/usr/include/|')}
        set -- "$1" "$2" - "-L${folder%/} -lblis -lm" "$5" "$6" "$7" "-isystem $headers"
    elif [ "$2" = SIM ]; then
        command -v smpicc > /dev/null && command -v "${CXX:-g++}" > /dev/null || return
    fi
    if [ "$3" != - ] && words=$(pkg-config --cflags --libs $3 2> /dev/null); then
        split "$1" $words $4
        if links "$1" "$5" "$6" "$7" "$cflags $libs"; then
            echo "$2" > "$1.found"
            return
        fi
    fi
    split "$1" ${8:-} $4
    ! links "$1" "$5" "$6" "$7" "$cflags $libs" || echo "$2" > "$1.found"
}

look_all() {
    links "$dir/CC" stdlib.h exit '""' '' || return
    look_mpi "$dir/MPI" &
    table | {
        while IFS='|' read -r name _ pkg libs headers call version _; do
            has "$name" "$OFF" ||
                look "$dir/$name" "$name" "$pkg" "$libs" "$headers" "$call" "$version" &
        done
        wait
    }
    wait
}

mpi_debian() {
    case $MPI in openmpi) echo 'libopenmpi-dev openmpi-bin' ;; *) echo 'libmpich-dev mpich' ;; esac
}

# What must be there and was not found, with Debian's packages.
missing() {
    [ -e "$dir/CC" ] || { echo "${CC%% *} (gcc libc6-dev)"; return; }
    [ -e "$dir/MPI.found" ] || echo "${MPI:-MPI} ($(mpi_debian))"
    table | while IFS='|' read -r name need _ _ _ _ _ debian _; do
        [ ! -e "$dir/$name.found" ] || continue
        if [ "$need" = need ]; then
            echo "$(echo "$name" | tr '[:upper:]' '[:lower:]') ($debian)"
        elif has "$name" "$ON"; then
            echo "$name=1 ($debian)"
        fi
    done
}

# ---- answers ----

config() {
    bad=$(missing | tr '\n' ' ')
    [ -z "$bad" ] || printf 'MISSING   nothing is built without %s\n' "$bad"
    if [ -e "$dir/MPI.found" ]; then
        read -r name start < "$dir/MPI.found"
        printf '%-9s found: %s %s, started by %s\n' MPI "$name" "$(cat "$dir/MPI.version")" "$start"
    else
        printf '%-9s not found. Debian: %s; Fedora: %s-devel; Spack: %s\n' MPI "$(mpi_debian)" \
            "${MPI:-mpich}" "${MPI:-mpich}"
    fi
    table | while IFS='|' read -r name need _ _ _ _ _ debian fedora spack lost; do
        if [ -e "$dir/$name.found" ]; then
            version=$(cat "$dir/$name.version")
            printf '%-9s found%s\n' "$name" "${version:+: $version}"
            continue
        fi
        how="not found"
        ! has "$name" "$OFF" || how="left out by $name=0"
        [ "$need" = may ] || how="$how, but needed"
        printf '%-9s %s: %s. Debian: %s; Fedora: %s; Spack: %s\n' "$name" "$how" \
            "$lost" "$debian" "$fedora" "$spack"
    done
    [ -z "$bad" ]
}

write_make() { # FILE
    read -r kind start < "$dir/MPI.found"
    mkdir -p "$(dirname "$1")" && {
        echo "# $key"
        echo "WITH = $(table | while IFS='|' read -r name _; do
            [ ! -e "$dir/$name.found" ] || printf '%s ' "$name"; done)"
        echo "MPI = $kind"
        echo "LAUNCHER = $start"
        for found in "$dir"/*.found; do
            at=${found%.found}
            echo "CFLAGS_${at##*/} = $(cat "$at.cflags")"
            echo "LIBS_${at##*/} = $(cat "$at.libs")"
        done
    } > "$1.$$" && mv "$1.$$" "$1"
}

# What the answers depend on, in a line.
key=$(echo "$CC $CFLAGS $MPI off $OFF on $ON $BLAS $BLAS_INCLUDE $PKG_CONFIG_PATH" \
    "$PKG_CONFIG_LIBDIR $CPATH $C_INCLUDE_PATH $LIBRARY_PATH $(for tool in mpicc smpicc pkg-config; do command -v $tool; done)" | tr '\n' ' ')

# Installing a library changes one of these folders.
is_fresh() { # FILE
    [ -e "$1" ] && [ "$(head -n 1 "$1")" = "# $key" ] && [ ! "$0" -nt "$1" ] || return 1
    for folder in /usr/include /usr/local/include /usr/include/*-linux-gnu \
        /usr/lib/*-linux-gnu /usr/lib64 $(echo "$CPATH" | tr : ' '); do
        [ ! "$folder" -nt "$1" ] || return 1
    done
}

case $1 in
debian)
    shift
    table | while IFS='|' read -r name _ _ _ _ _ _ debian _; do
        has "$name" "$*" || echo "$debian"
    done
    exit
    ;;
make) ! is_fresh "$2" || exit 0 ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
look_all
if [ "$1" = config ]; then
    config
elif [ -z "$(missing)" ]; then
    write_make "$2"
else
    echo "not installed: $(missing | tr '\n' ' ' | sed 's/ $//'); install the package in brackets," \
        "or all by \`make build-deps\`; \`make config\` says more"
    exit 1
fi
