#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl measure plan: plans that fill links, of many hosts whose rates differ much, from
# platforms that are right. They are trusted at once.
# vm: timeout=300 debian-only

. selftests/lib/lab.sh
. selftests/lib/tap.sh
. selftests/lib/module.sh

work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
root=1
group=7

# make_network HOSTS SWITCHES: links are arrays of from, to, Mbit/s there and back, and us.
make_network()
{
	gojq --argjson hosts "$1" --argjson switches "$2" '{hbcast: "platform", version: 1, nodes:
		([range(1; $hosts + 1) | {id: ., kind: "host"}] +
			[range(101; 101 + $switches) | {id: ., kind: "switch"}]),
		links: map({from: .[0], to: .[1], bandwidth_mbps: .[2], latency_us: .[4]},
			{from: .[1], to: .[0], bandwidth_mbps: .[3], latency_us: .[4]})}'
}

# Three switches in a row, three hosts at each: the fast ones are next to the root.
chain()
{
	gojq -n '[[101, 102, 16, 16, 5000], [102, 103, 8, 8, 10000],
		(range(9) | ([20, 20, 10, 20, 10, 4, 20, 10, 4][.]) as $mbps |
			[. + 1, 101 + (. / 3 | floor), $mbps, $mbps, 500 + 500 * (. % 3)])]' |
		make_network 9 3
}

# Four clusters far from each other; what leaves host 5, 9 or 14 fills a link of 2 Mbit/s.
clusters()
{
	gojq -n '[(range(4) | [101, 102 + ., 200, 200, 1000 + 1000 * .]),
		(range(17) | (if . == 4 or . == 8 or . == 13 then 2 else 20 end) as $mbps |
			[. + 1, 102 + . % 4, $mbps, $mbps, 100])]' | make_network 17 5
}

# Switches in a tree, hosts anywhere, most of them with other rates up than down.
uneven()
{
	gojq -n '[[101, 102, 16, 16, 1000], [102, 103, 8, 8, 10000], [101, 104, 40, 40, 10000],
		[101, 105, 8, 8, 10000], [105, 106, 40, 40, 10000], [103, 107, 8, 8, 10000],
		[103, 108, 16, 16, 1000], (range(33) | [. + 1, 101 + . * 3 % 8,
			[20, 10, 20, 4, 10][. % 5], [20, 20, 4, 20, 10, 4, 10][. % 7],
			[100, 2500, 1000][. % 3]])]' | make_network 33 8
}

# idle: hundredths of a second that the machine has had nothing to do, and all.
idle()
{
	awk '/^cpu / { print $5 + $6, $2 + $3 + $4 + $5 + $6 + $7 + $8 }' /proc/stat
}

# rehearse ALGORITHM: its plan of the network that is up.
rehearse()
{
	local name="$network, $1" before after

	"$HBCAST_CTL" plan "$work/net.json" algorithm "$1" root $root message-size 16MiB \
		output "$work/plan.json" >"$work/log" || bail_out "$name: no plan"
	before=$(idle)
	at $root -j measure plan "$work/plan.json" group $group on "$work/net.json" \
		output "$work/same.json" >"$work/out"
	check_equal "$name: trusted" '[0,true]' "[$?,$(gojq .trusted "$work/out")]"
	after=$(idle)
	gojq -c '.rehearsals[] | {short, least: (.edges | map(.part) | min),
		edges: (.edges | length)}' "$work/out" | sed 's/^/# /'
	check "$name: at once" gojq -e '.rehearsals | length == 1' "$work/out"
	check "$name: every edge" gojq -e --slurpfile plan "$work/plan.json" \
		'.rehearsals[0].edges | map([.from, .to]) ==
		($plan[0].trees | map(.edges[][0:2]) | unique)' "$work/out"
	check "$name: reaches 97 %" gojq -e '.rehearsals[0].edges |
		all(.reached_mbps + .grain_mbps >= 0.97 * .planned_mbps)' "$work/out"
	# Else the machine, and not the links, would bound what edges reach.
	check "$name: a machine that has time" \
		awk '{ exit !(5 * ($3 - $1) > $4 - $2) }' <<<"$before $after"
}

# try NETWORK ALGORITHM...: in a lab.
try()
{
	network=$1
	"$network" >"$work/net.json"
	lab_up "$work/net.json" >"$work/log" || bail_out "$network: no lab"
	lab_join >"$work/log" || bail_out "$network: no group"
	for algorithm in "${@:2}"; do
		rehearse "$algorithm"
	done
	"$HBCAST_CTL" lab down >"$work/log"
}

load_hbcast || bail_out "the module cannot be loaded"
try clusters stable mtp auto
if [ "${HBCAST_THOROUGH:-}" ]; then
	try chain stable mtp auto
	try uneven stable mtp
fi
tap_done
