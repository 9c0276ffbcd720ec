#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Packets as a network card gives them: of the size of an Ethernet frame, and merged by GRO.
# A buffer has room for 17 of them; what comes after hangs on it as a list of buffers.
# vm:

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# received NODE: how many buffers its IP has got.
received()
{
	ip netns exec "n$1" nstat -asz IpInReceives | sed -n 's/^IpInReceives *\([0-9]*\) .*/\1/p'
}

load_hbcast && nodes_up 3 || exit
for node in 1 2 3; do
	ip netns exec "n$node" ethtool -K eth0 tso off gro on >/dev/null || exit
	ip netns exec switch ethtool -K "port$node" tso off gro on >/dev/null || exit
	# TCP gives away a slow sender's in smaller lots.
	ip netns exec "n$node" sysctl -qw net.ipv4.tcp_min_tso_segs=44
done
at 1 group keygen "$dir/key"
nodes_join 3 7 "$dir/key" || exit
plan 1 '[1,2],[2,3]' >"$dir/plan"
check "a plan" at 1 apply "$dir/plan" group 7 wait 20s

size=8388608
head -c $size /dev/urandom >"$dir/file"
for node in 2 3; do
	at "$node" -j recv "$dir/copy-$node" group 7 port 9 \
		timeout $((60 * HBCAST_SLOWNESS))s >"$dir/recv-$node" &
	wait_for 30 grep -qs ready "$dir/recv-$node"
done
before=$(received 3)
run 1 -j send "$dir/file" group 7 port 9
wait
check_jq "a file is delivered" 2 .delivered
check "node 2 has it" cmp "$dir/file" "$dir/copy-2"
check "node 3 has it" cmp "$dir/file" "$dir/copy-3"
buffers=$(($(received 3) - before))
# A segment has 1448 bytes, and one is in the buffer's head. A slow machine merges fewer.
segments=$((HBCAST_SLOWNESS > 1 ? 2 : 18))
check "in buffers that have lists ($buffers)" test $((buffers * segments * 1448)) -lt $size

tap_done
