#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# When each node has a file, beside the time that the largest flow to it takes, headers of
# Ethernet, IP and TCP counted: 1514 bytes of a link carry 1448 of payload. Runs in
# a test machine in virtual time, and prints tab-separated lines:
#
#	PLATFORM PLANNER NODE TIME_US BOUND_US
#
# where NODE is "all" for the last one beside the bound of the broadcast.

set -euo pipefail

. selftests/lib/lab.sh
. selftests/lib/module.sh

HBCAST_KO=build/$(uname -r)/hbcast.ko
HBCAST_CTL=$PWD/tools/hbcastctl/hbcastctl
work=$(mktemp -d)
root=1
group=7
port=9
size=$((32 << 20))

# clusters: four of them, of two nodes each, whose ways to each other get narrower.
clusters()
{
	jq -n '{hbcast: "platform", version: 1,
		nodes: ([range(1; 9) | {id: ., kind: "host"}] +
			[range(100; 105) | {id: ., kind: "switch"}]),
		links: [(range(1; 9) | {from: ., to: (101 + (. - 1) / 2 | floor), bandwidth_mbps: 100}),
			(range(1; 5) | {from: (100 + .), to: 100, bandwidth_mbps: (100 - 20 * (. - 1))}) |
			. + {latency_us: 1000, symmetric: true}]}'
}

# broadcast NAME PLANNER WORD...: by that planner's plan of the platform NAME.
broadcast()
{
	local name=$1 planner=$2

	"$HBCAST_CTL" plan "$work/$name.json" algorithm "$planner" root "$root" \
		message-size "$size" "${@:3}" output "$work/plan"
	at "$root" apply "$work/plan" group "$group" wait 20s >/dev/null
	lab_receive
	at "$root" -j send "$work/file" group "$group" port "$port" >"$work/sent"
	lab_compare "$sum" >&2
	jq -r --slurpfile plan "$work/plan" --arg name "$name" --arg planner "$planner" '
		(.nodes | map({(.node | tostring): .time_us}) | add) as $time |
		$plan[0].predicted as $p |
		($p.nodes | map({(.id | tostring): (.bound_us * 1514 / 1448)}) | add) as $bound |
		($p.nodes[] | [$name, $planner, .id, $time[.id | tostring], $bound[.id | tostring]]),
		[$name, $planner, "all", ($time | to_entries | map(.value) | max),
		 ($bound | to_entries | map(.value) | max)] | @tsv' "$work/sent"
}

cleanup()
{
	"$HBCAST_CTL" lab down >/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

load_hbcast
head -c "$size" /dev/urandom >"$work/file"
sum=$(sha256sum <"$work/file")
cp demo/platform.json "$work/switches.json"
clusters >"$work/clusters.json"
for name in switches clusters; do
	lab_up "$work/$name.json" >/dev/null
	lab_join >/dev/null
	broadcast "$name" stable
	broadcast "$name" mtp model multi-port
	"$HBCAST_CTL" lab down >/dev/null
done
