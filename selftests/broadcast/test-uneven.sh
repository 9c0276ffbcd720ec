#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes with fast links have a file before the others, in virtual time.
# vm: timeout=300 debian-only

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh
. selftests/lib/planned.sh

# shape_uneven: links as the platform has them; a lane would take what they leave.
shape_uneven()
{
	local node rate

	for ((node = 1; node <= NODES; node++)); do
		rate=$(gojq ".links[] | select(.from == $node).bandwidth_mbps * 1000 | round" \
			"$dir/uneven.json")kbit
		node_shape $node "$rate" &&
			ip netns exec n$node tc qdisc add dev eth0 root tbf rate "$rate" \
				burst 16kb latency 50ms || return
	done
}

five_nodes || exit
uneven
shape_uneven || exit
for name in stable stable-graph; do
	planned $name "$dir/uneven.json"
	# Each at its own rate, whatever the others can take.
	check_equal "$name: fast nodes have it first" true "$(gojq '.nodes | sort_by(.node) |
		map(.time_us) | (.[0] * 1.2 < .[2]) and (.[1] * 1.2 < .[2]) and (.[2] * 1.2 < .[3])' "$dir/.out")"
done

tap_done
