#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the instructions of a benchmark case go: runs one case of hbbench in a
# test machine in virtual time, once alone and once sampled by perf's timer
# event, and prints each symbol's instructions per payload byte.
#
# usage: profile.sh [-g] KERNEL bulk PATH CHILDREN BYTES discard|copy
#   -g  print call chains of the most expensive symbols, too
# example: profile.sh 6.12 bulk splice 2 67108864 discard

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
period_ns=10000

# Idle samples are left out; the rest are scaled to the unsampled run, since
# taking a sample costs instructions, too.
symbols()
{
	perf report -i "$1" --stdio --no-children -g none -F sample,sym \
		-w 10,60 2>/dev/null |
	awk -v busy="$2" -v bytes="$3" '
	/^ *[0-9]+ / && !/safe_halt|default_idle/ {
		count[NR] = $1; all += $1
		$1 = ""; name[NR] = $0
	}
	END {
		for (i in count)
			if (count[i] * busy / all / bytes >= 0.001)
				printf "%8.4f %5.1f%% %s\n",
				       count[i] * busy / all / bytes,
				       100 * count[i] / all, name[i]
	}' | sort -rn
}

inside()
{
	local data busy

	data=$(mktemp)
	"$here/net.sh" up
	busy=$("$here/hbbench" "$@" | cut -f 1)
	perf record -q -a -e cpu-clock -c $period_ns \
		${HBCAST_PROFILE_GRAPH:+-g} -o "$data" -- \
		"$here/hbbench" "$@" >/dev/null
	echo "hbbench $*: $busy instructions for $4 bytes"
	echo "per byte  share  symbol"
	symbols "$data" "$busy" "$4"
	[ -z "${HBCAST_PROFILE_GRAPH:-}" ] ||
		perf report -i "$data" --stdio --no-children -g caller \
			--percent-limit 1 2>/dev/null
}

if [ "${1:-}" = --inside ]; then
	shift
	inside "$@"
	exit
fi
if [ "${1:-}" = -g ]; then
	export HBCAST_PROFILE_GRAPH=1
	shift
fi
if [ $# -lt 6 ]; then
	sed -n 's/^# \?//; /^usage/,/^example/p' "$0" >&2
	exit 1
fi
kernel=$1
shift
exec "$here/../vm/run" --kernel "$kernel" --icount --append clearcpuid=297 -- \
	"$here/profile.sh" --inside "$@"
