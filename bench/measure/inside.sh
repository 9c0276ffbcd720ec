#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# inside.sh PLATFORM: in a test machine; prints the file that 'hbcastctl measure' makes of
# it, what it said in "said", and in "seconds" how long that took.

set -euo pipefail

. selftests/lib/lab.sh
. selftests/lib/module.sh

HBCAST_KO=build/$(uname -r)/hbcast.ko
HBCAST_CTL=$PWD/tools/hbcastctl/hbcastctl
work=$(mktemp -d)
root=$(jq '[.nodes[] | select(.kind == "host") | .id] | min' "$1")
group=7

load_hbcast
lab_up "$1" >/dev/null
lab_join >/dev/null
begin=$(date +%s%3N)
at "$root" -j measure group "$group" output "$work/found.json" >"$work/said"
end=$(date +%s%3N)
jq -c --argjson ms $((end - begin)) --slurpfile said "$work/said" \
	'. + {said: $said[0], seconds: ($ms / 1000)}' "$work/found.json"
"$HBCAST_CTL" lab down >/dev/null
rm -rf "$work"
