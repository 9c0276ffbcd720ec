#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The network of the benchmark: ten nodes, each a network namespace with one
# address (10.77.0.1 and following), joined by veth links that are not shaped.
#
#   0 root, 1 relay, 2 to 5 sinks
#   root - relay, relay - each sink, root - each sink (for direct transfers)
#   0 - 1 - 2 - ... - 9 the chain of eight relays (1 to 8)
#   10 the twin of sink 2: see twin.c
#
# usage: net.sh up		make it
#        net.sh mirror		begin to mirror what the root sends to sink 2
#				directly to the twin, which drops it
#        net.sh mirror-accept	the twin takes it from now on
#        net.sh mirror-off	no more mirror
#        net.sh down		take it away

set -euo pipefail

last=9
twin=10

node_up()
{
	ip netns add "bench$1"
	ip netns exec "bench$1" sysctl -qw \
		net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1
	ip -n "bench$1" address add "10.77.0.$2/32" dev lo
	ip -n "bench$1" link set lo up
}

wire_up()
{
	ip link add "to$2" netns "bench$1" type veth \
		peer name "to$1" netns "bench$2"
	ip -n "bench$1" link set "to$2" up
	ip -n "bench$2" link set "to$1" up
}

link_up()
{
	local a=$1 b=$2

	wire_up "$a" "$b"
	ip -n "bench$a" route add "10.77.0.$((b + 1))" dev "to$b" \
		src "10.77.0.$((a + 1))"
	ip -n "bench$b" route add "10.77.0.$((a + 1))" dev "to$a" \
		src "10.77.0.$((b + 1))"
}

# Packets for sink 2 are for the twin, too; what it answers is dropped.
twin_up()
{
	node_up $twin 3
	wire_up 0 $twin
	ip -n bench$twin link set to0 address \
		"$(mac bench2 to0)"
	ip -n bench$twin route add 10.77.0.1 dev to0 src 10.77.0.3
	ip -n bench$twin neighbour add 10.77.0.1 dev to0 \
		lladdr "$(mac bench0 to$twin)"
	tc -n bench$twin qdisc add dev to0 clsact
	tc -n bench$twin filter add dev to0 egress matchall action drop
}

mac()
{
	ip -n "$1" -j link show "$2" | gojq -r '.[0].address'
}

up()
{
	local i

	for ((i = 0; i <= last; i++)); do
		node_up "$i" "$((i + 1))"
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
	twin_up
}

mirror()
{
	tc -n bench$twin filter add dev to0 ingress matchall action drop
	tc -n bench0 qdisc add dev to2 clsact
	tc -n bench0 filter add dev to2 egress matchall \
		action mirred egress mirror dev to$twin
}

down()
{
	local i

	for ((i = 0; i <= twin; i++)); do
		ip netns del "bench$i"
	done
}

case ${1:-} in
up | mirror | down)
	"$1"
	;;
mirror-accept)
	tc -n bench$twin filter del dev to0 ingress
	;;
mirror-off)
	tc -n bench0 qdisc del dev to2 clsact
	;;
*)
	sed -n 's/^# \?//; /^usage/,$p' "$0" | sed '/^$/,$d' >&2
	exit 1
	;;
esac
