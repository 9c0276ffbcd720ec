#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 'make bench-bounds' with the smallest network, and what it says of times that are good
# and of others.
# vm: timeout=300 debian-only

. selftests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# report: of what is there; leaves output and status.
report()
{
	out=$(bench/bounds/report "$dir" star)
	status=$?
}

# said FILTER: what the broadcast was, changed.
said()
{
	jq -c "$1" "$dir/sent" >"$dir/star.jsonl"
	report
}

# One switch, four hosts of 70 Mbit/s, of which the first is the root: three receive as much.
jq -n '{hbcast: "platform", version: 1,
	nodes: ([range(1; 5) | {id: ., kind: "host"}] + [{id: 9, kind: "switch"}]),
	links: [range(1; 5) | {from: ., to: 9, bandwidth_mbps: 70, latency_us: 1000, symmetric: true}]}' \
	>"$dir/star.platform.json"
check_equal "three nodes receive more than a machine carries" "star 2" \
	"$(bench/bounds/networks "$dir" 1 "$dir/star.platform.json")"
check_equal "half as wide, twice as long" "35 2000" \
	"$(jq -r '.links[0] | "\(.bandwidth_mbps) \(.latency_us)"' "$dir/star.slow.json")"

broadcast()
{
	bench/bounds/inside.sh "$dir/star.slow.json" 2 1MiB stable >"$dir/star.jsonl"
}

# holds FILTER: is true of the broadcast.
holds()
{
	[ "$(jq "$1" "$dir/star.jsonl")" = true ]
}

check "a broadcast" broadcast
check_equal "what was sent, and by whose plan" '["stable","1MiB",2,1048576,[2,3,4]]' \
	"$(jq -c '[.planner, .size, .slower, .bytes, [.nodes[].node]]' "$dir/star.jsonl")"
check "the processor was not always busy" holds '.busy > 0 and .busy < 1'
# 1 MiB takes 0.11984 s at 70 Mbit/s, 1514 bytes for 1448 of it, and 2 ms of latency.
report
check_match "beside its bound" \
	'star \| 1MiB \| stable \| [0-9]+ \| 2 \| 0\.[0-9]+ \| 0\.[0-9]+ \| 0\.13 \|' "$out"
check "no node was faster" holds '[.nodes[].time_us] | min > 254500'

cp "$dir/star.jsonl" "$dir/sent"
said '.busy = 0.5 | .nodes[].time_us = 258000 | .nodes[].plan_us = 258000'
check_equal "as planned, and near the bound: good" "0 0 goals missed" "$status $(grep goals <<<"$out")"
check_match "times as without slow motion" \
	'\| 0\.13 \| 0\.13 \| 0\.13 \| 1\.0[0-9]* \| 1\.000 \|.*\| 1\.000 \|' "$out"
said '.busy = 0.5 | .nodes[].time_us = 258000 | .nodes[].plan_us = 287000'
check_equal "better than planned: good" 0 "$status"
said '.busy = 0.5 | .nodes[].time_us = 258000 | .nodes[].plan_us = 258000 |
	.nodes[0].time_us = 287000'
check_equal "one node later: bad" 1 "$status"
check_match "the slowest" 'star, 1MiB, stable: the slowest node takes 1\.112' "$out"
check_match "that node beside the plan" 'star, 1MiB, stable: a node takes 1\.112' "$out"
said '.busy = 0.5 | .nodes[].time_us = 282400 | .nodes[].plan_us = 258000 |
	.nodes[0].plan_us = 287000'
check_equal "the others later than planned: bad" 1 "$status"
check_match "the mean" 'star, 1MiB, stable: the mean takes 1\.055, goal' "$out"
said '.busy = 0.99 | .nodes[].time_us = 258000 | .nodes[].plan_us = 258000'
check_match "a busy processor" 'star, 1MiB, stable: the processor was busy 0\.990' "$out"

tap_done
