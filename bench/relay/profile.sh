#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the instructions of a benchmark case go, in a test machine in virtual
# time.
#
# bulk: runs the case once alone and once sampled by perf's timer event, and
# prints each symbol's instructions per payload byte.
# latency: prints the kernel's events while one message goes through the chain,
# each with the microseconds since the one before; tracing itself takes some.
#
# usage: profile.sh [-g] KERNEL bulk PATH CHILDREN BYTES discard|copy
#        profile.sh KERNEL latency PATH
#   -g  print call chains of the most expensive symbols, too
# example: profile.sh 6.12 bulk splice 2 67108864 copy

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
tracing=/sys/kernel/tracing
events=(sched/sched_switch sched/sched_waking irq/softirq_entry
	irq/softirq_exit net/net_dev_xmit net/netif_receive_skb
	raw_syscalls/sys_enter raw_syscalls/sys_exit timer/timer_start
	workqueue/workqueue_queue_work workqueue/workqueue_execute_start
	workqueue/workqueue_execute_end)
period_ns=10000

# Leaves out what is idle and what prepares; the rest is scaled to the run that
# was not sampled, since taking a sample costs instructions, too.
symbols()
{
	perf report -i "$1" --stdio --no-children -g none -F sample,comm,sym \
		-w 10,16,60 2>/dev/null |
	awk -v busy="$2" -v bytes="$3" '
	/^ *[0-9]+ +(bench|kworker|ksoftirqd|swapper)/ &&
	!/safe_halt|default_idle/ {
		all += $1
		task[$2] += $1
		symbol[$NF] += $1
	}
	function show(count, name) {
		count *= busy / all / bytes
		if (count >= 0.002)
			printf "%8.4f %5.1f%%  %s\n", count,
			       100 * count * bytes / busy, name | "sort -rn"
	}
	END {
		for (i in task)
			show(task[i], i)
		close("sort -rn")
		for (i in symbol)
			show(symbol[i], i)
	}'
}

bulk()
{
	local data busy bench=$here/hbbench

	[[ $2 != hbcast* ]] || bench=$here/plain.py
	data=$(mktemp)
	# The first one in a machine costs more.
	"$bench" "$@" >/dev/null
	busy=$("$bench" "$@" | cut -f 1)
	perf record -q -a -e cpu-clock -c $period_ns \
		${HBCAST_PROFILE_GRAPH:+-g} -o "$data" -- \
		"$bench" "$@" >/dev/null
	echo "hbbench $*: $busy instructions for $4 bytes"
	echo "per byte  share  task or symbol"
	symbols "$data" "$busy" "$4"
	[ -z "${HBCAST_PROFILE_GRAPH:-}" ] ||
		perf report -i "$data" --stdio --no-children -g caller \
			--percent-limit 1 2>/dev/null
}

# Traces from the last but one message's send(2) until all is at rest again.
latency()
{
	local event

	echo mono >$tracing/trace_clock
	for event in "${events[@]}"; do
		echo 1 >"$tracing/events/$event/enable"
	done
	"$here/hbbench" "$@" 10 >/dev/null
	echo 0 >$tracing/tracing_on
	awk '
	/sys_enter: NR 44 / { sends++ }
	{ line[NR] = $0; at[NR] = sends }
	END {
		for (i = 1; i <= NR; i++)
			if (at[i] == sends - 1)
				print line[i]
	}' $tracing/trace |
	awk '
	match($0, /[0-9]+\.[0-9]+: /) {
		now = substr($0, RSTART, RLENGTH - 2) + 0
		if (!start)
			start = last = now
		if (now - start > 0.002)
			exit
		printf "%8.0f %+5.0f  %.16s %s\n", (now - start) * 1e6,
		       (now - last) * 1e6, $1, substr($0, RSTART + RLENGTH)
		last = now
	}' | cut -c 1-150
}

inside()
{
	# perf's libraries have come without the links to them.
	ldconfig
	modprobe crc32c-intel
	"$here/net.sh" up
	case $2 in
	hbcast*)
		"$here/hbcast.sh" >/dev/null
		;;
	esac
	"$1" "$@"
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
case $#,${2:-} in
6,bulk | 3,latency)
	;;
*)
	sed -n 's/^# \?//; /^usage/,/^example/p' "$0" >&2
	exit 1
	;;
esac
kernel=$1
shift
# The machine has no perf, so this machine's goes along, and its libraries.
files=()
if [ "$1" = bulk ]; then
	perf=$(command -v perf) || {
		echo "profile.sh: perf is missing; install linux-perf" >&2
		exit 1
	}
	mapfile -t files < <(ldd "$perf" | grep -o '/[^ ]*' | sed 's/^/--file=/')
	files+=(--file="$perf")
fi
exec "$here/../../selftests/vm/run" --kernel "$kernel" --mem 2G "${files[@]}" \
	--append clearcpuid=297 -- "$here/profile.sh" --inside "$@"
