#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Plans of several trees, from the planner to the files at all nodes.
# vm: timeout=300

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh
. selftests/lib/planned.sh

five_nodes || exit
# Behind one switch, with half as much up as down: no relay can feed another one alone.
# All ways up carry (16 + 4 * 8) Mbit/s: to each of four nodes 12 at the most, of which a
# frame of 1514 bytes has 1432 of payload, and for each two goes back a frame of 66. That is
# 12 / (1514 / 1432 + 66 / (2 * 1432)) = 11.11 Mbit/s of payload.
gojq -n --argjson n $NODES '{hbcast: "platform", version: 1,
	nodes: ([range(1; $n + 1) | {id: ., kind: "host"}] + [{id: 100, kind: "switch"}]),
	links: [range(1; $n + 1) | {from: ., to: 100, bandwidth_mbps: (if . == 1 then 16 else 8 end)},
		{from: 100, to: ., bandwidth_mbps: 16} | .latency_us = 100]}' >"$dir/platform.json"
planned mtp "$dir/platform.json" model multi-port
check_equal "mtp: as much as all ways up carry" 111 \
	"$(gojq '[.trees[].rate_mbps] | add * 10 | round' "$dir/mtp.json")"
gojq '.links |= map(.bandwidth_mbps = 16) | .wormhole = {const_us: 16, byte_us: 0.5} |
	.nodes |= map(if .kind == "host" then .speed = {send_const_us: 60, send_byte_us: 0.5,
		recv_const_us: 60, recv_byte_us: 0.5} else . end)' "$dir/platform.json" >"$dir/hnow.json"
planned two-vbbs "$dir/hnow.json" message-size $size

uneven
planned stable "$dir/uneven.json"
planned stable-graph "$dir/uneven.json"

tap_done
