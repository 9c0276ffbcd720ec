#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# When each node has a file, beside the time that the largest flow to it takes, headers
# counted. Runs in a test machine in virtual time, and prints tab-separated lines:
#
#	PLATFORM PLANNER NODE TIME_US BOUND_US
#
# where NODE is "all" for the last one beside the bound of the broadcast.

set -euo pipefail

root=1

. bench/lab.sh

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

# compare NAME PLANNER WORD...: a broadcast by that planner's plan of the platform NAME.
compare()
{
	local name=$1 planner=$2

	"$HBCAST_CTL" plan "$work/$name.json" algorithm "$planner" root "$root" \
		message-size "$size" "${@:3}" output "$work/plan"
	broadcast "$work/plan"
	jq -r --slurpfile plan "$work/plan" --arg name "$name" --arg planner "$planner" '
		(.nodes | map({(.node | tostring): .time_us}) | add) as $time |
		$plan[0].predicted as $p |
		($p.nodes | map({(.id | tostring): .bound_us}) | add) as $bound |
		($p.nodes[] | [$name, $planner, .id, $time[.id | tostring], $bound[.id | tostring]]),
		[$name, $planner, "all", ($time | to_entries | map(.value) | max),
		 ($bound | to_entries | map(.value) | max)] | @tsv' "$work/sent"
}

make_file "$size"
cp demo/platform.json "$work/switches.json"
clusters >"$work/clusters.json"
for name in switches clusters; do
	lab_up "$work/$name.json" >/dev/null
	lab_join >/dev/null
	compare "$name" stable
	compare "$name" mtp model multi-port
	"$HBCAST_CTL" lab down >/dev/null
done
