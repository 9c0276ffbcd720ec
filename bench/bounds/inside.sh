#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# inside.sh PLATFORM TIMES "SIZE..." PLANNER...: in a test machine; broadcasts a file of each
# size along each planner's plan of the platform, which is so many times slower than the
# network, and prints a line of JSON for each: when each node had the file, when the plan says
# that it has, and how busy the processor was.

set -euo pipefail

platform=$1
slower=$2
sizes=$3
root=$(jq '[.nodes[] | select(.kind == "host") | .id] | min' "$platform")
shift 3

. bench/lab.sh

# watch_idle: each second, for how long there has been nothing to do, in seconds.
watch_idle()
{
	while cat /proc/uptime; do
		sleep 1
	done
}

# watched COMMAND...: how idle the processor is meanwhile comes to be in $work/idle.
watched()
{
	local watcher

	watch_idle >"$work/idle" &
	watcher=$!
	"$@"
	kill "$watcher"
	cat /proc/uptime >>"$work/idle"
}

# busiest: the busiest second of those that were watched, as a part; what is left of the
# last one does not count, unless it is all there is.
busiest()
{
	awk 'NR > 1 && ($1 - up > 0.5 || NR == 2) {
			busy = 1 - ($2 - idle) / ($1 - up)
			most = busy > most ? busy : most
		}
		{ up = $1; idle = $2 }
		END { print most + 0 }' "$work/idle"
}

# along PLANNER SIZE: a file of that size along its plan.
along()
{
	"$HBCAST_CTL" plan "$platform" algorithm "$1" root "$root" message-size "$2" \
		output "$work/plan"
	make_file "$(jq .message_bytes "$work/plan")"
	broadcast "$work/plan" watched
	jq -c --slurpfile plan "$work/plan" --arg planner "$1" --arg size "$2" \
		--argjson slower "$slower" --argjson busy "$(busiest)" '
		($plan[0].predicted.nodes | map({(.id | tostring): .completion_us}) | add) as $says |
		{planner: $planner, size: $size, slower: $slower, busy: $busy,
		 trees: ($plan[0].trees | length), bytes: $plan[0].message_bytes,
		 nodes: [.nodes[] | {node, time_us, plan_us: $says[.node | tostring]}]}' \
		"$work/sent"
}

lab_up "$platform" >/dev/null
lab_join >/dev/null
for size in $sizes; do
	for planner; do
		along "$planner" "$size"
	done
done
