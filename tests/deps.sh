#!/bin/sh
# Installs the Debian packages that are named and not there yet.
missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
        grep -q 'install ok installed' || missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "all packages are installed"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "no apt-get here; install what your system calls:$missing" >&2
    exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q || exit 1
# shellcheck disable=SC2086 # lists of words on purpose
{
    LC_ALL=C apt-get install --assume-no --no-install-recommends $missing 2>/dev/null |
        sed -n 's/^Need to get \(.*\) of archives.*/to download: \1/p
            s/^After this operation, \(.*B\) of.* used.*/to be installed: \1/p'
    exec $sudo apt-get install -y -q --no-install-recommends $missing
}
