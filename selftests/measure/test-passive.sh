#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What broadcasts show of the network beside what they are for: figures of lanes that the
# network limits are true within 5 %, and lanes that something else limits say so.
# vm: timeout=600 debian-only

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh
. selftests/lib/lab.sh

work=$(mktemp -d)
# shellcheck disable=SC2034 # root, group and port: lab.sh
root=1 group=7 port=9
dir=$work
trap 'rm -rf "$work"' EXIT

# platform NAME UP DOWN2 DOWN3 [US]: Mbit/s of node 1 up, and of nodes 2 and 3 down, and the
# latency of each link; else 10 ms for each round trip.
platform()
{
	gojq -n --argjson up "$2" --argjson two "$3" --argjson three "$4" --argjson us "${5-2500}" \
		'def link(f; t; m): {from: f, to: t, bandwidth_mbps: m, latency_us: $us};
		{hbcast: "platform", version: 1,
		nodes: [{id: 1, kind: "host"}, {id: 2, kind: "host"}, {id: 3, kind: "host"},
			{id: 100, kind: "switch"}],
		links: [link(1; 100; $up), link(100; 1; 100), link(2; 100; 100),
			link(100; 2; $two), link(3; 100; 100), link(100; 3; $three)]}' \
		>"$work/$1.json"
}

# plan EDGES [RATE]: one tree; a strict one with a rate.
plan()
{
	gojq -n --argjson edges "$1" --argjson rate "${2-null}" \
		'{hbcast: "plan", version: 1, algorithm: "test", root: 1, message_bytes: 1000000,
		strict: ($rate != null),
		trees: [{slot: 0, edges: $edges} + if $rate then {rate_mbps: $rate} else {} end]}' \
		>"$work/plan.json"
	at 1 apply "$work/plan.json" group 7 wait 20s >/dev/null
}

# broadcast BYTES: a file from node 1 to the others.
broadcast()
{
	head -c "$1" /dev/zero >"$work/file"
	lab_receive
	at 1 -j send "$work/file" group 7 port 9 >"$work/sent.json" &&
		lab_compare "$work/file"
}

# lane FROM TO: of the lane, by gojq.
lane()
{
	run "$1" -j show lane group 7 peer "$2"
	out=$(gojq 'map(select(.direction == "down"))[0]' <<<"$out")
}

# near VALUE EXPECTED: gojq's condition for 5 %.
near()
{
	echo "($1 - $2 | fabs) <= 0.05 * $2"
}

# update FILE: by what all nodes' lanes have shown; the answer is in $out.
update()
{
	lab_lanes
	run 1 -j measure update "$1" group 7 "${words[@]}"
	echo "# $out $err"
}

# rested FROM TO: the lane's next data is another spell.
rested()
{
	lane "$1" "$2"
	gojq -e '.spell_age_us > 1000000' >/dev/null <<<"$out"
}

join()
{
	lab_up "$work/$1.json" && lab_join
}

load_hbcast || exit
platform narrow 100 20 100
join narrow || exit
check "a plan of a star" plan '[[1,2],[1,3]]'
lane 1 2
check_jq "nothing is known of a spell before the first one" true \
	'has("spell_us") or .limited_mbps != null | not'
at 1 -j monitor >"$work/events" 2>/dev/null &
monitor=$!
check "a broadcast to a slow node and a fast one" broadcast 6000000
lane 1 2
echo "# $(gojq -c . <<<"$out")"
check_jq "what limits the slow node's lane is its link" true "$(near .limited_mbps 20)"
check_jq "for much of the time" true '.limited_us > 0.4 * .spell_us'
check_jq "its round trip is the way's" true "$(near .min_rtt_us 10000)"
check_jq "TCP was busy, and not for the other end's sake" true \
	'.busy_us > 2000000 and .rwnd_limited_us < 0.1 * .busy_us'
check_jq "all of it crossed, with headers" true "$(near .spell_bytes 6340000)"
lane 1 3
echo "# $(gojq -c . <<<"$out")"
check_jq "the fast node's lane does not wait for it" true '.spell_mbps > 60'
check_jq "its smallest round trip is the way's, too" true "$(near .min_rtt_us 10000)"
wait_for 10 grep -q 'lane-changed.*"peer":2.*rate_mbps' "$work/events"
kill "$monitor"
wait "$monitor"
out=$(gojq -s 'map(select(.event == "lane-changed" and .peer == 2 and .rate_mbps))' "$work/events")
echo "# $(gojq -c . <<<"$out")"
check_jq "listeners are told what limits it" true \
	"length > 0 and (.[0] | $(near .rate_mbps 20) and .slot == 0 and .direction == \"down\")"
check_jq "and not all the time" true 'length <= 3'

(umask 077 && head -c 32 /dev/urandom >"$work/other")
broadcast 6000000 & sending=$!
sleep 1
printf 'group set 7 key-file %s\n' "$work/other" "$work/key" | at 2 -batch -
check "a broadcast whose lane breaks and comes again" wait "$sending"
lane 1 2
echo "# $(gojq -c . <<<"$out")"
check_jq "its spell goes on" true '.connects == 2 and .spell_bytes > 5700000'

check "a second without data" wait_for 10 rested 1 2
check "a plan that holds lanes back" plan '[[1,2],[1,3]]' 8
check "a broadcast that is held back" broadcast 2000000
for node in 2 3; do
	lane 1 $node
	echo "# $(gojq -c . <<<"$out")"
	check_jq "the network does not limit the lane to node $node" true \
		'.limited_us < 0.1 * .spell_us'
	check_jq "what crossed is the plan's rate" true "$(near .spell_mbps 8.46)"
done
check "a chain of a slow lane and a fast one" plan '[[1,2],[2,3]]'
check "a broadcast down that chain" broadcast 3000000
lane 2 3
echo "# $(gojq -c . <<<"$out")"
check_jq "the fast lane waits for data" true '.limited_us < 0.1 * .spell_us'
check "a chain" plan '[[1,3],[3,2]]'
check "a broadcast down the chain" broadcast 6000000
lane 3 2
echo "# $(gojq -c . <<<"$out")"
check_jq "a relay knows what limits its lane" true "$(near .limited_mbps 20)"

# The file says that node 2 can receive at 80 Mbit/s, and node 1 send at 10.
platform wrong 10 80 100
update "$work/wrong.json"
check_equal "an update by what the chain has shown" 0 "$status"
out=$(<"$work/wrong.json")
check_jq "the link that limits is found" true \
	".links[] | select(.from == 100 and .to == 2).bandwidth_mbps | $(near . 20)"
# All that node 2 got at 20 Mbit/s crossed it before.
check_jq "what carries more than was known is told" true \
	'.links[] | select(.from == 1).bandwidth_mbps > 19'
check_jq "and how, and when" true \
	'.links[] | select(.from == 1).measured | .bandwidth_method == "broadcast" and
	(.bandwidth_time | test("^2025-01-01T00:"))'
update "$work/wrong.json"
check_jq "another update says nothing else" true \
	'.links | length > 0 and all(.mbps == .before_mbps)'
check "the lab ends" "$HBCAST_CTL" lab down

# It takes two seconds until both windows are as large as the way, and before that the broadcast
# ends.
platform long 100 100 100 50000
join long || exit
check "a plan of long ways" plan '[[1,2],[1,3]]'
check "a broadcast that ends in slow start" broadcast 2000000
for node in 2 3; do
	lane 1 $node
	echo "# $(gojq -c . <<<"$out")"
	check_jq "a window that grows is not the network of the lane to node $node" true \
		'.limited_us < 0.1 * .spell_us'
done
check "the lab of long ways ends" "$HBCAST_CTL" lab down

platform shared 30 100 100
join shared || exit
check "a plan of two lanes over one link" plan '[[1,2],[1,3]]'
check "a broadcast" broadcast 6000000
lane 1 2
one=$(gojq '[.limited_mbps, .limited_us / .spell_us]' <<<"$out")
lane 1 3
out=$(gojq --argjson one "$one" '{one: $one, two: [.limited_mbps, .limited_us / .spell_us]}' <<<"$out")
echo "# $(gojq -c . <<<"$out")"
# Each for its own part of the time: when the other one is through it has it all.
check_jq "together they fill the link" true \
	'.one[0] + .two[0] >= 0.95 * 30 and .one[0] <= 1.05 * 30 and .two[0] <= 1.05 * 30'
check_jq "which limits both" true '.one[1] > 0.1 and .two[1] > 0.1 and .one[1] + .two[1] > 0.7'

platform wrong 90 100 100
update "$work/wrong.json"
out=$(<"$work/wrong.json")
# All that crossed does count; but what one brought while the other was limited is taken for its
# average, which is more than that if the other one ends first.
check_jq "a link that several lanes share is found" true \
	'.links[] | select(.from == 1).bandwidth_mbps | . >= 0.95 * 30 and . <= 1.1 * 30'

run 1 show message sent "$work/sent.json" explain "$work/plan.json"
check_equal "a plan that predicts nothing explains nothing" 1 "$status"
check_match "and that is said" 'plan.json: predicts nothing' "$err"
run 1 show message sent "$work/plan.json" explain "$work/plan.json"
check_match "what is no message is not explained" 'plan.json: tells of no message' "$err"
run 1 show message group 7 explain "$work/plan.json"
check_match "no message is explained without its id" 'give explain, and sent' "$err"

# Planned are 28 Mbit/s of payload to both, but the link has 30 with headers: 28.4. The
# prediction is for half of the message.
gojq '.trees[0].rate_mbps = 28 | .message_bytes = 3000000 | .predicted = {model: "fluid",
	nodes: [{id: 2, rate_mbps: 28, completion_us: 857143, bound_us: 857143},
		{id: 3, rate_mbps: 28, completion_us: 857143, bound_us: 857143}]}' \
	"$work/plan.json" >"$work/rated.json"
check "a plan of more than the link has" at 1 apply "$work/rated.json" group 7 wait 20s
check "a broadcast along it" broadcast 6000000
run 1 -j show message sent "$work/sent.json" explain "$work/rated.json"
echo "# $(gojq -c '[.nodes, .slower]' <<<"$out") $err"
check_jq "what was predicted is told of each node, for all of the message" '[1714286,1714286]' \
	'[.nodes[].predicted_us]'
# To send all twice takes 3.38 s. Neither waits for the other, so that one may be sooner.
check_jq "the later took twice as long" true '[.nodes[].ratio] | max > 1.8 and max < 2.2'
check_jq "the other one longer, too, than was predicted" true \
	'[.nodes[].ratio] | min > 1.2 and min < 2.2'
check_jq "both edges were slower" '[[1,2,0],[1,3,0]]' \
	'[.slower[] | [.from, .to, .slot]] | sort'
# As above.
check_jq "by the network" true '[.slower[].held_by] | unique - ["no-data"] == ["network"]'
check_jq "what they were to get, with headers" '[true,true]' \
	"[.slower[].planned_mbps | $(near . 29.6)]"
run 1 show message sent "$work/sent.json" explain "$work/rated.json"
check_match "as a table" 'slower than planned:' "$out"

tap_done
