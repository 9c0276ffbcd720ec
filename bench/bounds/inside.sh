#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# inside.sh PLATFORM TIMES "SIZE..." PLANNER...: in a test machine; broadcasts a file of each
# size along each planner's plan of the platform, which is so many times slower than the
# network, and prints a line of JSON for each: when each node had the file, when the plan says
# that it has, and how busy the processor was. The same again for each plan with a relay that
# is lost at half time, and once for each size with all planners' plans in turn.

set -euo pipefail

platform=$1
slower=$2
sizes=$3
root=$(gojq '[.nodes[] | select(.kind == "host") | .id] | min' "$platform")
shift 3

. bench/lab.sh

network_up()
{
	lab_up "$platform" >/dev/null
	lab_join >/dev/null
}

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

# plan PLANNER SIZE PLATFORM FILE: for a file of that size.
plan()
{
	"$HBCAST_CTL" plan "$3" algorithm "$1" root "$root" message-size "$2" output "$4"
}

# told PLANNER SIZE ALSO: what came of a broadcast along $work/plan, and an object's fields.
told()
{
	gojq -c --slurpfile plan "$work/plan" --arg planner "$1" --arg size "$2" --argjson also "$3" \
		--argjson slower "$slower" --argjson busy "$(busiest)" '
		($plan[0].predicted.nodes | map({(.id | tostring): .completion_us}) | add) as $says |
		{planner: $planner, size: $size, slower: $slower, busy: $busy,
		 trees: ($plan[0].trees | length), bytes: $plan[0].message_bytes,
		 nodes: [.nodes[] | select(.node != $also.relay) |
			 {node, time_us, plan_us: $says[.node | tostring]}]} + $also' \
		"$work/sent"
}

# along PLANNER SIZE COMMAND...: a file of that size along its plan, sent by the command.
along()
{
	plan "$1" "$2" "$platform" "$work/plan"
	make_file "$(gojq .message_bytes "$work/plan")"
	broadcast "$work/plan" "${@:3}"
}

# relay_of_plan: the node, not the root, that has most nodes below it in all trees together.
relay_of_plan()
{
	gojq 'def below($edges): . as $node | $edges[] | select(.[0] == $node) | .[1] |
			., below($edges);
		.root as $root | [.trees[].edges] as $trees | [$trees[][][0]] | unique - [$root] |
		map({node: ., below: [below($trees[])] | unique | length}) |
		max_by([.below, -.node]).node // empty' "$work/plan"
}

# cut_off: the relay, at half of the planned time; says when, and what others lack then.
cut_off()
{
	local start=${EPOCHREALTIME/./} now node

	sleep "$half"
	now=${EPOCHREALTIME/./}
	"$HBCAST_CTL" lab exec "$relay" -- ip link set group default down
	for node in $others; do
		at "$node" -j show store
	done | gojq -s --argjson died_us "$((now - start))" \
		'{died_us: $died_us, lacks: map(.[0] | 1 - .whole / .pieces) | max}' >"$work/death"
}

# bereft COMMAND...: the relay is cut off meanwhile. It may fail, so the command may; what the
# others have got is compared as always.
bereft()
{
	local cutter half i=0 node

	half=$(gojq '.predicted.completion_us / 2e6' "$work/plan")
	for node in $others; do
		[ "$node" = "$relay" ] && lost=${pids[i]} && unset "pids[i]"
		i=$((i + 1))
	done
	others=$(grep -vx "$relay" <<<"$others")
	cut_off &
	cutter=$!
	watched "$@" || true
	wait "$cutter"
}

# without PLANNER: how long a plan without the relay takes for what was lacking.
without()
{
	local bytes

	bytes=$(gojq --slurpfile plan "$work/plan" \
		'.lacks * $plan[0].message_bytes | ceil' "$work/death")
	[ "$bytes" -gt 0 ] || { echo 0; return; }
	gojq --argjson relay "$relay" '.nodes |= map(select(.id != $relay)) |
		.links |= map(select(.from != $relay and .to != $relay))' "$platform" >"$work/rest.json"
	plan "$1" "$bytes" "$work/rest.json" "$work/rest"
	gojq .predicted.completion_us "$work/rest"
}

# losing PLANNER SIZE: along its plan, if that has a relay, which is lost on the way. When it has
# given up, too, there is another network.
losing()
{
	local lost

	plan "$1" "$2" "$platform" "$work/plan"
	relay=$(relay_of_plan)
	[ -n "$relay" ] || return 0
	along "$1" "$2" bereft
	wait "$lost" || true
	told "$1" "$2" "$(gojq -c --argjson relay "$relay" --argjson rest_us "$(without "$1")" \
		--argjson dead_us "$(at "$root" -j show group | gojq '.[0].dead_interval_ms * 1000')" \
		'. + {$relay, $rest_us, $dead_us}' "$work/death")"
	"$HBCAST_CTL" lab down >/dev/null
	network_up
}

# change: all planners' plans in turn, each applied for half a second of the network's time.
change()
{
	local planner period

	period=$(gojq -n "$slower / 2")
	while :; do
		for planner in "${planners[@]}"; do
			[ -e "$work/changing" ] || return 0
			at "$root" apply "$work/plan-$planner" group "$group" >/dev/null
			echo "$planner" >>"$work/changes"
			sleep "$period"
		done
	done
}

# changed COMMAND...: plans change meanwhile.
changed()
{
	local changer

	: >"$work/changes"
	: >"$work/changing"
	change &
	changer=$!
	watched "$@"
	rm "$work/changing"
	wait "$changer"
}

# changing SIZE: begins along the last planner's plan.
changing()
{
	local planner

	for planner in "${planners[@]}"; do
		plan "$planner" "$1" "$platform" "$work/plan-$planner"
	done
	along "$planner" "$1" changed
	told "${planners[*]}" "$1" "{\"changes\": $(wc -l <"$work/changes")}"
}

network_up
planners=("$@")
for size in $sizes; do
	for planner; do
		along "$planner" "$size" watched
		told "$planner" "$size" '{}'
	done
	for planner; do
		losing "$planner" "$size"
	done
	changing "$size"
done
