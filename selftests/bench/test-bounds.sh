#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 'make bench-bounds' with the smallest network, and what it says of times that are good
# and of others, when a relay is lost, and when plans change.
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
	gojq -c "$1" "$dir/sent" >"$dir/star.jsonl"
	report
}

# One switch, four hosts of 70 Mbit/s, of which the first is the root: three receive as much.
gojq -n '{hbcast: "platform", version: 1,
	nodes: ([range(1; 5) | {id: ., kind: "host"}] + [{id: 9, kind: "switch"}]),
	links: [range(1; 5) | {from: ., to: 9, bandwidth_mbps: 70, latency_us: 1000, symmetric: true}]}' \
	>"$dir/star.platform.json"
check_equal "three nodes receive more than a machine carries" "star 2" \
	"$(bench/bounds/networks "$dir" 1 "$dir/star.platform.json")"
check_equal "half as wide, twice as long" "35 2000" \
	"$(gojq -r '.links[0] | "\(.bandwidth_mbps) \(.latency_us)"' "$dir/star.slow.json")"

broadcast()
{
	bench/bounds/inside.sh "$dir/star.slow.json" 2 1MiB stable >"$dir/all.jsonl"
}

# only PART: of the broadcasts.
only()
{
	gojq -c "select($1)" "$dir/all.jsonl" >"$dir/star.jsonl"
}

# holds FILTER: is true of the broadcast.
holds()
{
	[ "$(gojq "$1" "$dir/star.jsonl")" = true ]
}

check "broadcasts" broadcast
check_equal "as planned, with a relay lost, with changes" \
	"planned lost changed" "$(gojq -r 'if has("relay") then "lost" elif has("changes") then "changed"
		else "planned" end' "$dir/all.jsonl" | paste -sd ' ')"
only 'has("relay") or has("changes") | not'
check_equal "what was sent, and by whose plan" '["stable","1MiB",2,1048576,[2,3,4]]' \
	"$(gojq -c '[.planner, .size, .slower, .bytes, [.nodes[].node]]' "$dir/star.jsonl")"
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

only 'has("relay")'
check "a relay: it is lost at half time, or somewhat later" holds \
	'.died_us > 120000 and .died_us < 250000'
check "the others lack something, and have all" holds \
	'.lacks > 0.1 and .lacks < 0.7 and [.nodes[].node] == [2, 3, 4] - [.relay]'
check "who was below it waits for dead-interval" holds \
	'.dead_us == 5000000 and ([.nodes[].time_us] | max > 4000000)'
cp "$dir/star.jsonl" "$dir/sent"
# 0.1 s; 6 s by the clock, half of them as if it were twice as fast; 1.05 of 0.2 s.
said '.busy = 0.5 | .died_us = 200000 | .rest_us = 400000 | .nodes[].time_us = 6619000'
check_equal "soon enough: good" "0 0 goals missed" "$status $(grep goals <<<"$out")"
said '.busy = 0.5 | .died_us = 200000 | .rest_us = 400000 | .nodes[].time_us = 6700000'
check_equal "later: bad" 1 "$status"
check_match "without the relay" 'star, 1MiB, stable: without node [2-4] the slowest takes 1\.012' \
	"$out"

only 'has("changes")'
check "the plan was applied again" holds '.changes >= 1'
gojq -c '.busy = 0.5 | .nodes[].plan_us = 258000 | (., del(.changes)) | .nodes[].time_us = 258000' \
	"$dir/star.jsonl" | tac >"$dir/sent"
said .
check_equal "as long as without changes: good" "0 0 goals missed" \
	"$status $(grep goals <<<"$out")"
said 'if has("changes") then .nodes[].time_us = 286400 else . end'
check_equal "a ninth longer: bad" 1 "$status"
check_match "with changes" 'star, 1MiB, stable: with changes the slowest takes 1\.11' "$out"

tap_done
