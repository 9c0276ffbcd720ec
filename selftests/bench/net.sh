#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The network of the benchmark: ten nodes, each a network namespace with one
# address (10.77.0.1 and following), joined by veth links that are not shaped.
#
#   0 root, 1 relay, 2 to 5 sinks
#   root - relay, relay - each sink, root - each sink (for direct transfers)
#   0 - 1 - 2 - ... - 9 the chain of eight relays (1 to 8)
#
# net.sh up|down

set -euo pipefail

last=9

link_up()
{
	local a=$1 b=$2

	ip link add "to$b" netns "bench$a" type veth \
		peer name "to$a" netns "bench$b"
	ip -n "bench$a" link set "to$b" up
	ip -n "bench$b" link set "to$a" up
	ip -n "bench$a" route add "10.77.0.$((b + 1))" dev "to$b" \
		src "10.77.0.$((a + 1))"
	ip -n "bench$b" route add "10.77.0.$((a + 1))" dev "to$a" \
		src "10.77.0.$((b + 1))"
}

up()
{
	local i

	for ((i = 0; i <= last; i++)); do
		ip netns add "bench$i"
		ip netns exec "bench$i" sysctl -qw \
			net.ipv6.conf.all.disable_ipv6=1 \
			net.ipv6.conf.default.disable_ipv6=1
		ip -n "bench$i" address add "10.77.0.$((i + 1))/32" dev lo
		ip -n "bench$i" link set lo up
	done
	for ((i = 0; i < last; i++)); do
		link_up "$i" "$((i + 1))"
	done
	for i in 3 4 5; do
		link_up 1 "$i"
	done
	for i in 2 3 4 5; do
		link_up 0 "$i"
	done
}

down()
{
	local i

	for ((i = 0; i <= last; i++)); do
		ip netns del "bench$i"
	done
}

case ${1:-} in
up | down)
	"$1"
	;;
*)
	echo "net.sh: say 'up' or 'down'" >&2
	exit 1
	;;
esac
