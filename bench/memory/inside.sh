#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# inside.sh fast|slow MIB: in a test machine with a disk; sends a file of so many MiB, and
# prints lines of JSON: what the network is, what memory is used meanwhile (watch), and when
# each node had the file.
#
#	1 --- 2 --- 3	1 and 2 have 200 Mbit/s, 3 a hundredth of that
#	 `--- 4 --- 5	likewise; 4 has no file, and so no more than "spool" of the message
#
# 3, 4 and 5 are there in the slow network alone. They would take a hundred times as long: the
# message ends half a minute after 2 has it. In virtual time an instruction takes a nanosecond, so
# that a gigabit is too fast for what one processor carries to all nodes.

set -euo pipefail

network=$1
bytes=$(($2 << 20))
fast_mbit=200
slow_mbit=2
spool=$((16 << 20))
group=7
port=9

. selftests/lib/module.sh
. selftests/lib/nodes.sh

HBCAST_KO=build/$(uname -r)/hbcast.ko
export HBCAST_CTL=$PWD/tools/hbcastctl/hbcastctl
work=/mnt
nodes=2
edges='[1,2]'
if [ "$network" = slow ]; then
	nodes=5
	edges+=',[2,3],[1,4],[4,5]'
fi

# shape NODE: the slow ones get less at a time, too.
shape()
{
	local mbit=$fast_mbit burst=128kb

	case $1 in
	3 | 5)
		mbit=$slow_mbit burst=16kb
		;;
	esac
	ip netns exec switch tc qdisc add dev "port$1" root tbf rate "${mbit}mbit" \
		burst "$burst" latency 50ms
}

up()
{
	local node

	# Real machines load it at boot.
	modprobe crc32c-intel
	load_hbcast
	nodes_up "$nodes"
	"$HBCAST_CTL" group keygen "$work/key"
	nodes_join "$nodes" $group "$work/key"
	for ((node = 1; node <= nodes; node++)); do
		shape "$node"
		at "$node" group set $group spool $spool
	done
	plan 1 "$edges" >"$work/plan"
	at 1 apply "$work/plan" group $group wait 30s >/dev/null
}

uptime()
{
	cut -d ' ' -f 1 /proc/uptime
}

# receive NODE: prints when it had the file, or gave it up.
receive()
{
	local status=0

	at "$1" recv "$work/file-$1" group $group port $port >"$work/said-$1" 2>&1 || status=$?
	printf '{"node": %d, "status": %d, "at": %s}\n' "$1" $status "$(uptime)"
}

receive_all()
{
	local node

	receive 2 &
	fast=$!
	for node in 3 5; do
		[ "$network" = fast ] || receive "$node" &
	done
	[ "$network" = fast ] ||
		ip netns exec n4 Documentation/examples/receiver $group $port >/dev/null &
	for node in 2 3 5; do
		until [ "$node" -gt "$nodes" ] || grep -qs ready "$work/said-$node"; do
			sleep 0.1
		done
	done
}

up
# All holes, since writing it would take as long as the broadcast; pages in memory are alike.
truncate -s "$bytes" "$work/file"
bench/memory/watch "$nodes" &
receive_all
# What the machine uses before.
sleep 5
total=$(awk '/^MemTotal:/ { print 1024 * $2 }' /proc/meminfo)
printf '{"network": "%s", "total": %d, "bytes": %d, "mbit": %d, "slow_mbit": %d, "spool": %d, ' \
	"$network" "$total" "$bytes" $fast_mbit $slow_mbit $spool
printf '"began": %s}\n' "$(uptime)"
ip netns exec n1 "$HBCAST_CTL" send "$work/file" group $group port $port >&2 &
send=$!
wait $fast
sleep 30
[ "$network" = fast ] || kill $send
wait $send || true
sleep 10
