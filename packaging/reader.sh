#!/bin/sh
# dlsbench-report and its like, where they are installed.
name=${0##*/}
if ! command -v python3 >/dev/null; then
    echo "$name: Python is not installed: apt-get install python3-pandas python3-scipy python3-matplotlib python3-jinja2" >&2
    exit 1
fi
exec python3 "$(dirname "$(readlink -f "$0")")/analysis/$name" "$@"
