#!/bin/sh
# The plans of Beaumont et al.'s figures (bench/papers/run_papers.py starts this).
#
#   bench/papers/beaumont/also.sh DLSBENCH OUT [option of plans.py]...
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/plans.py" "$@"
