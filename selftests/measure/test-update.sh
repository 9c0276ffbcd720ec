#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two broadcasts along plans of a network of which five links are known wrong, by 2 or 4:
# each is a measurement of those that its plan used.
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

# Of host, switch, Mbit/s up, down, and times what it carries down is known.
hosts='[[1, 100, 20, 20, 1], [2, 100, 10, 10, 2], [3, 100, 20, 20, 1], [4, 101, 10, 10, 0.5],
	[5, 101, 10, 5, 4], [6, 101, 20, 20, 1], [7, 102, 10, 2.5, 2], [8, 102, 10, 5, 0.25]]'

# platform NAME WRONG: as it is, or as it is known.
platform()
{
	gojq -n --argjson hosts "$hosts" --argjson wrong "$2" \
		'def link(f; t; m): {from: f, to: t, bandwidth_mbps: m, latency_us: 1000};
		{hbcast: "platform", version: 1,
		nodes: [($hosts[] | {id: .[0], kind: "host"}),
			({id: (100, 101, 102), kind: "switch"})],
		links: [($hosts[] | link(.[0]; .[1]; .[2]),
				link(.[1]; .[0]; .[3] * if $wrong then .[4] else 1 end)),
			link(100; 101; 20), link(101; 100; 20),
			link(101; 102; 10), link(102; 101; 10)]}' >"$work/$1.json"
}

# broadcast: along a plan of what is known, and what is known then.
broadcast()
{
	"$HBCAST_CTL" plan "$work/known.json" algorithm stable root 1 message-size 6291456 \
		output "$work/plan.json" >/dev/null &&
		at 1 apply "$work/plan.json" group 7 wait 20s >/dev/null || return
	lab_receive
	at 1 -j send "$work/file" group 7 port 9 >"$work/sent.json" &&
		lab_compare "$work/file" && lab_lanes || return
	run 1 -j measure update "$work/known.json" group 7 "${words[@]}"
	echo "# $out $err"
	return "$status"
}

# known HOST: what the link to it is known to carry.
known()
{
	gojq ".links[] | select(.to == $1).bandwidth_mbps" "$work/known.json"
}

load_hbcast || exit
platform true false
platform known true
head -c 6291456 /dev/urandom >"$work/file"
check "a lab" lab_up "$work/true.json"
check "its group" lab_join
check "a broadcast along a plan of what is known" broadcast
out=$(gojq '[.links[].to] | sort' <<<"$out")
check_jq "it shows the links that carry less, and blames none that is known right" true \
	'. - [4, 8] == [2, 5, 7]'
check "a broadcast along a plan of what is known by now" broadcast
for link in "2 10" "5 5" "7 2.5"; do
	read -r host mbps <<<"$link"
	out=$(known "$host")
	check_jq "the link to node $host carries less than was known" true \
		"(. - $mbps | fabs) < 0.15 * $mbps"
done
# Lanes of several trees try together what others leave, so that a link which carries more than
# all think is found a step at a time, and nothing beyond what is there.
for link in "4 10 5" "8 5 1.25"; do
	read -r host mbps wrong <<<"$link"
	out=$(known "$host")
	check_jq "the link to node $host carries more than was known" true \
		". > 1.15 * $wrong and . < 1.05 * $mbps"
done
out=$(gojq -c --slurpfile true "$work/true.json" '[.links, $true[0].links] | transpose |
	map(select(.[0].to | IN(2, 4, 5, 7, 8) | not) |
		.[0].bandwidth_mbps / .[1].bandwidth_mbps)' "$work/known.json")
check_jq "what was known right stays so" true 'length == 15 and all(. > 0.9 and . < 1.1)'
check "the lab ends" "$HBCAST_CTL" lab down
tap_done
