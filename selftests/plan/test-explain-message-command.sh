#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl show message sent FILE explain PLAN: a broadcast that is written here.

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

# plan FILE ROOT NODE...: a chain of 80 Mbit/s through the nodes, that predicts a second for each
plan()
{
	local file=$1

	shift
	jq -n '$ARGS.positional | map(tonumber) | {hbcast: "plan", version: 1, algorithm: "chain",
		root: .[0], message_bytes: 10000000, trees: [{slot: 0, root: .[0], rate_mbps: 80,
			edges: [range(1; length) as $i | [.[$i - 1], .[$i]]]}],
		predicted: {model: "fluid", nodes: (.[1:] | map({id: ., rate_mbps: 80,
			completion_us: 1000000, bound_us: 1000000}))}}' --args "$@" >"$file"
}

# no NAME TEXT: the last command said no, for one reason.
no()
{
	check_equal "$1: status" 1 "$status"
	check_match "$1: sentence" "$2" "$said"
	check_equal "$1: in one sentence" 1 "$(grep -c . said)"
}

explain()
{
	run "$@" show message sent sent.json explain plan.json lanes lanes.json
}

plan plan.json 1 2 3
jq -n '{group: 7, message: 1, bytes: 10000000, nodes: [{node: 2, state: "delivered",
	time_us: 1000000}, {node: 3, state: "delivered", time_us: 2500000}]}' >sent.json
# 80 Mbit/s of payload are 84.6 of 1514 bytes for 1432; the second lane got half of that.
jq -n '[{node: 1, peer: 2, spell_bytes: 10575000, limited_us: 0, limited_bytes: 0},
	{node: 2, peer: 3, spell_bytes: 5287500, limited_us: 900000, limited_bytes: 4700000}]
	| map(. + {id: 1, group: 7, root: 1, slot: 0, direction: "down", mss_bytes: 1448,
		time: "2026-01-01T00:00:00Z", spell_us: 1000000, spell_age_us: 0,
		busy_us: 1000000, rwnd_limited_us: 0, retransmits: 0,
		spell_mbps: (.spell_bytes * 8 / 1e6)})' >lanes.json
explain -j
check_equal "predicted and actual" '[[2,1000000,1],[3,1000000,2.5]]' \
	"$(jq -c '[.nodes[] | [.node, .predicted_us, .ratio]]' <<<"$out")"
check_equal "which edge was slower, and why" '[2,[[2,3,84.6,"network"]]]' \
	"$(jq -c '[.edges, [.slower[] | [.from, .to, (.planned_mbps * 10 | round / 10), .held_by]]]' <<<"$out")"
jq '[.[0]]' lanes.json >first.json
mv first.json lanes.json
explain
check_match "none of those that are known" 'no edge was slower than planned, of 1 that are known' \
	"$out"
echo '[]' >lanes.json
explain
check_match "of no edge anything is known" 'nothing is known of the edges' "$out"
check_equal "and so it says" 0 "$status"

plan plan.json 2 1 3
explain -j
no "a plan of another root" 'is not the plan that the message went by: it begins at node 2'
plan plan.json 1 2 4
explain -j
no "a plan of other nodes" 'is not the plan that the message went by: it lacks node 3'
plan plan.json 1 2 3 4
explain -j
no "a plan of more nodes" 'that had 2 nodes beside the root, and this has 3'
plan plan.json 1 2 3
run show message group 8 sent sent.json explain plan.json
no "another group" 'sent.json is of group 7, not 8'
jq '.group = 4294967303' sent.json >other.json
run show message sent other.json explain plan.json
no "an id that is none" 'other.json: tells of no message'
tap_done
