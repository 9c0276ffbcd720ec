#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl measure where something is wrong: nodes that have another key, that are no
# members, or that die; two measurements at once; clocks that are set; events that come
# faster than they are read.
# vm: timeout=600 debian-only

. selftests/lib/lab.sh
. selftests/lib/tap.sh
. selftests/lib/module.sh

work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
root=1
group=7

# Four hosts at one switch, 20 Mbit/s each.
gojq -n '{hbcast: "platform", version: 1,
	nodes: ([range(1; 5) | {id: ., kind: "host"}] + [{id: 100, kind: "switch"}]),
	links: [range(1; 5) | {from: ., to: 100, bandwidth_mbps: 20, latency_us: 500,
		symmetric: true}]}' >"$work/net.json"

# measure NODE WORD...: from there; its result, notes and status are in files.
measure()
{
	at "$1" -j measure group $group "${@:2}" >"$work/out-$1" 2>"$work/err-$1" </dev/null
	echo $? >"$work/status-$1"
}

# found NODE FILTER: what the result says.
found()
{
	gojq -c "$2" "$work/out-$1"
}

load_hbcast || bail_out "the module cannot be loaded"
lab_up "$work/net.json" >"$work/log" || bail_out "no lab"
lab_join >"$work/log" || bail_out "no group"
at 2 peer import "$work/lab.json" >"$work/log"

# What both need of a node is given to one of them, and the other one waits.
measure 1 nodes 1,2,3 & one=$!
measure 2 nodes 1,2,3 & two=$!
wait $one $two
check_equal "two measurements at once: both succeed" "0 0" \
	"$(cat "$work/status-1" "$work/status-2" | xargs)"
for node in 1 2; do
	check_equal "that of node $node is complete" '[true,[]]' \
		"$(found "$node" '[.complete, .lost]')"
done

measure 1 nodes 1,2,3 output "$work/before.json"
measure 1 nodes 1,2,3 output "$work/after.json" & one=$!
for hours in 5 -9 4; do
	sleep 1
	date -s "$hours hours" >"$work/log"
done
wait $one
check_equal "clocks that jump: all is measured" '[0,true,[]]' \
	"[$(<"$work/status-1"),$(found 1 '.complete, .lost' | paste -sd,)]"
check_equal "and no rate is another one" true "$(gojq -n --slurpfile a "$work/before.json" \
	--slurpfile b "$work/after.json" '[range($a[0].links | length) as $i |
	$a[0].links[$i].bandwidth_mbps / $b[0].links[$i].bandwidth_mbps - 1 | fabs < 0.04] | all')"

# As soon as the link to node 3 was filled somebody else sends 12 of its 20 Mbit/s.
address=$(sed -n 's/^3 //p' "$work/hosts")
check_equal "nobody else sends: all links are steady" '[]' "$(found 1 .unsteady)"
measure 1 & one=$!
"$HBCAST_CTL" lab exec 3 -- python3 - >"$work/log" <<'END'
import time
def received():
    with open("/proc/net/dev") as f:
        return int(next(line for line in f if "eth0" in line).split()[1])
began = last = received()
while last - began < 1e6 or received() - last > 1e4:
    last = received()
    time.sleep(0.1)
END
"$HBCAST_CTL" lab exec 2 -- python3 - "$address" >"$work/log" <<'END' & other=$!
import socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
began = time.monotonic()
for number in range(10 ** 9):
    time.sleep(max(0, began + number * 1500 * 8 / 12e6 - time.monotonic()))
    out.sendto(bytes(1458), (sys.argv[1], 9))
END
wait $one
kill $other
check_equal "others use a link: it is told" '[0,true]' \
	"[$(<"$work/status-1"),$(found 1 '[.unsteady[] | select(.to == 3)] | length == 1')]"

# Its socket has room for some events only, and it sleeps while more of them come.
most=$(sysctl -n net.core.rmem_max)
sysctl -qw net.core.rmem_max=2304
measure 1 nodes 1,2,3 output "$work/after.json" & one=$!
while kill -0 $one 2>"$work/log"; do
	pkill -STOP -f "measure group $group"
	sleep 0.3
	pkill -CONT -f "measure group $group"
	sleep 0.2
done
wait $one
sysctl -qw "net.core.rmem_max=$most"
check_equal "events that are lost: complete all the same" '[0,true,[]]' \
	"[$(<"$work/status-1"),$(found 1 '.complete, .lost' | paste -sd,)]"
check_match "and told" 'samples were lost' "$(<"$work/err-1")"

at 4 group del $group
(umask 077 && head -c 32 /dev/urandom >"$work/other")
at 4 group add id $group key-file "$work/other"
measure 1
check_equal "another key: without that node" '[0,true,[4]]' \
	"[$(<"$work/status-1"),$(found 1 '.complete, (.lost | map(.id))' | paste -sd,)]"
check_match "and why" 'key' "$(found 1 '.lost[0].reason')"
measure 1 nodes 1,2,4 method matrix
check_equal "a matrix: nothing is known of that node's pairs" '[[4],2,4]' "$(found 1 \
	'[(.lost | map(.id)), ([.pairs[] | select(.mbps)] | length),
	 ([.pairs[] | select(.from == 4 or .to == 4) | select(.mbps == null and .rtt_us == null)] | length)]')"
at 4 group del $group
measure 1
check_equal "no member: without that node" '[0,true,[4]]' \
	"[$(<"$work/status-1"),$(found 1 '.complete, (.lost | map(.id))' | paste -sd,)]"
check_match "and why" 'group' "$(found 1 '.lost[0].reason')"
at 4 group add id $group key-file "$work/key"

# It dies when flows go on, without a word.
measure 1 output "$work/found.json" & one=$!
sleep 3
"$HBCAST_CTL" lab exec 4 -- ip link set eth0 down
began=$SECONDS
wait $one
check_equal "a node dies: the others are measured" '[0,true]' \
	"[$(<"$work/status-1"),$(found 1 .complete)]"
check_equal "the dead one is named" '[4]' "$(found 1 '.lost | map(.id)')"
check "in less than a minute" [ $((SECONDS - began)) -lt 60 ]

"$HBCAST_CTL" lab down >"$work/log"
rmmod hbcast
check "the module unloads" test ! -d /sys/module/hbcast
tap_done
