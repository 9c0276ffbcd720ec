#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# inside.sh PLATFORM PLANNER...: in a test machine; prints the file that 'hbcastctl
# measure' makes of the platform, with what it said in "said", in "seconds" how long that
# took, and in "broadcasts" how long a file takes along each planner's plan of what was
# found, and along that of the truth.

set -euo pipefail

platform=$1
root=$(gojq '[.nodes[] | select(.kind == "host") | .id] | min' "$platform")
shift

. bench/lab.sh

size=$((16 << 20))

# sent PLANNER FOUND|TRUTH PLATFORM: the slowest node and the mean, in microseconds.
sent()
{
	"$HBCAST_CTL" plan "$3" algorithm "$1" root "$root" message-size "$size" \
		output "$work/plan" >/dev/null
	broadcast "$work/plan"
	gojq -c --arg planner "$1" --arg of "$2" '[.nodes[].time_us] |
		{planner: $planner, of: $of, slowest_us: max, mean_us: (add / length)}' "$work/sent"
}

lab_up "$platform" >/dev/null
lab_join >/dev/null
begin=$(date +%s%3N)
at "$root" -j measure group "$group" output "$work/found.json" >"$work/said"
end=$(date +%s%3N)
make_file "$size"
for planner; do
	sent "$planner" truth "$platform"
	sent "$planner" found "$work/found.json"
done >"$work/broadcasts"
gojq -c --argjson ms $((end - begin)) --slurpfile said "$work/said" \
	--slurpfile broadcasts "$work/broadcasts" \
	'. + {said: $said[0], seconds: ($ms / 1000), broadcasts: $broadcasts}' "$work/found.json"
