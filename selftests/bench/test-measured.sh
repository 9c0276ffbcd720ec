#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What 'make bench-measure' says of networks that were measured well, and badly.

. selftests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# found NAME FILTER: the network that is the truth, but for what the filter changes.
# Broadcasts take as long as it says.
found()
{
	jq "$2 | . + {said: {rounds: 12}, seconds: (.seconds // 20), broadcasts: [
		{planner: \"stable\", of: \"truth\", slowest_us: 1000, mean_us: 800},
		{planner: \"stable\", of: \"found\", slowest_us: (.slowest // 1000), mean_us: 800}]}" \
		"$dir/$1.truth.json" >"$dir/$1.json"
	out=$(bench/measure/report "$dir" "$1" 2>&1)
	status=$?
}

check_equal "networks of that many hosts" "tree-9 9 tree-17 17 tree-33 33 racks-far 12 racks-near 12" \
	"$(bench/measure/networks "$dir" 1 | while read -r name; do
		echo "$name $(jq '[.nodes[] | select(.kind == "host")] | length' "$dir/$name.truth.json")"
	done | paste -sd ' ')"
# 36,000 frames of 1514 bytes are 436.03 Mbit/s, of which 435.6 is the most in steps of a
# thousandth of 12 * 100. Its ways are too short for packets of several segments.
check_equal "all hosts together send what a machine can carry" 4356 \
	"$(jq '[.links[] | select(.from < 1000) | .bandwidth_mbps] | add * 10 | round' \
		"$dir/racks-near.truth.json")"
# Its longest ways take 4.2 ms, and three segments at 100 Mbit/s less than a tenth of that.
check_equal "with longer ways they send as fast as they are" 1200 \
	"$(jq '[.links[] | select(.from < 1000) | .bandwidth_mbps] | add | round' \
		"$dir/racks-far.truth.json")"

# One switch, four hosts of 20 Mbit/s, of which the first is the root.
jq -n '{hbcast: "platform", version: 1,
	nodes: ([range(1; 5) | {id: ., kind: "host"}] + [{id: 9, kind: "switch"}]),
	links: [range(1; 5) | {from: ., to: 9, bandwidth_mbps: 20, latency_us: 1000, symmetric: true}]}' \
	>"$dir/star.truth.json"
found star .
check_equal "as it is: good" 0 "$status"
check_match "hosts, rounds, seconds; nothing is off" \
	'star +4 +12 +20 +0\.0 +0 +0\.00' "$out"
check_match "nothing is lost by it in the model" 'star +stable +fluid +1\.000 +1\.000' "$out"
check_match "nor in a broadcast" 'star +stable +sent +1\.000 +1\.000' "$out"
found star '.links[3].bandwidth_mbps = 18'
check_equal "a link 10 % off: bad" 1 "$status"
check_match "that is said" 'star: links up to 10\.0 % off' "$out"
check_match "and what plans lose by it" 'a plan by stable takes 1\.11[0-9] times' "$out"
found star '.links[0].latency_us = 1200'
check_match "a trip of 4 ms is 400 us off" 'star: a round trip is further off' "$out"
found star '.slowest = 1100'
check_match "a broadcast that takes longer" 'a plan by stable takes 1\.100 times as long \(sent' "$out"
found star '.seconds = 31'
check_match "too slow" 'star: 31 seconds, goal 30' "$out"
found star '.nodes += [{"id": 10, "kind": "switch"}] | .links[2].to = 10 | .links[3].to = 10 |
	.links += [{"from": 9, "to": 10, "bandwidth_mbps": 500, "latency_us": 0, "symmetric": true}]'
check_equal "a switch too many that bounds nobody: good" 0 "$status"

tap_done
