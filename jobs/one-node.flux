#!/usr/bin/env bash
# shellcheck shell=bash
# An example to read and to change: a campaign as one job of Flux on one node.
# Tested with a stand-in for flux only, not on a real Flux.
#
#   flux batch jobs/one-node.flux CAMPAIGN.yaml DIR
#
# Submitted again with the same DIR, it runs the missing cells.
# flux: --job-name=dlsbench
# flux: --nodes=1
# flux: --exclusive
# flux: --time-limit=2h
# flux: --signal=SIGTERM@60s
# flux: --output=dlsbench-{{id}}.out
set -u
campaign=$1 dir=$2/
dlsbench=${DLSBENCH:-dlsbench}

# Makes DIR, or checks that it holds this campaign: --resume wants it there.
"$dlsbench" run "$campaign" --out "$dir" --prepare || exit

# Ranks are started by flux itself.
exec "$dlsbench" run "$campaign" --out "$dir" --resume \
    --launcher 'flux run --nodes=1 -n {ranks} -c {threads}'
