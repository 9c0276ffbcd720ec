#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory is bounded by the settings, not by the message: sends a file of 64 MiB and one of
# 512 MiB through one relay to four sinks, all of which have files for it, in a test machine
# whose memory holds these files. Compares by how much the memory in use beside the files rises
# at most with what the buffers of TCP may hold for five lanes, and the stores of six nodes of
# what is in their files, too. 'run' calls it.
#
# usage: memory.sh KERNEL

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
mib=$((1 << 20))
lanes=5
nodes=6
cache=$((4 * mib))
# Page tables, slabs and per-CPU lists grow a little with time.
allowance=$((16 * mib))

inside()
{
	"$here/net.sh" up
	"$here/hbcast.sh" >&2
	"$here/hbbench" fill /tmp/message-64m $((64 * mib))
	"$here/hbbench" fill /tmp/message-512m $((512 * mib))
	"$here/hbbench" memory /tmp/message-64m
	"$here/hbbench" memory /tmp/message-512m
	settings
}

# What the lanes may hold.
settings()
{
	local sends receives

	sends=$(cut -f 3 /proc/sys/net/ipv4/tcp_wmem)
	receives=$(cut -f 3 /proc/sys/net/ipv4/tcp_rmem)
	echo $((lanes * (sends + receives) + nodes * cache))
}

outside()
{
	local small large limit
	local -a rows

	mapfile -t rows < <("$here/../../selftests/vm/run" --kernel "$1" --mem 5G \
		--timeout 1800 -- "$here/memory.sh" --inside)
	if [ ${#rows[@]} != 3 ]; then
		echo "memory: the machine did not measure both messages" >&2
		exit 1
	fi
	read -ra small <<<"${rows[0]}"
	read -ra large <<<"${rows[1]}"
	echo "kernel $1: a file to a relay and four sinks, machine of 5 GiB: MiB more in use at most"
	printf '  %8s %8s %8s %8s\n' message all slab TCP
	show '64 MiB' "${small[@]}"
	show '512 MiB' "${large[@]}"
	limit=$((rows[2] + allowance))
	echo "  the settings allow $((limit / mib)) MiB, whatever the message's size"
	if ((small[0] > limit || large[0] > limit)); then
		echo "  MISSED"
		exit 1
	fi
	echo "  met"
}

show()
{
	printf '  %8s %8d %8d %8d\n' "$1" $(($2 / mib)) $(($3 / mib)) $(($4 / mib))
}

case ${1:-} in
--inside)
	inside
	;;
6.*)
	outside "$1"
	;;
*)
	echo "usage: memory.sh KERNEL" >&2
	exit 1
	;;
esac
