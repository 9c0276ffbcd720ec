#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A machine that stands still for longer than the dead-interval has not lost its
# neighbours: all nodes are here, and real-time processes take all processors.
# vm: cpus=2

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Nothing is kept back for others while a real-time process runs.
unfair()
{
	local file

	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	for file in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$file" ] || echo 0 >"$file"
	done
}

# hog CPU: becomes a process that takes it for some seconds once the start has a
# writer.
hog()
{
	# shellcheck disable=SC2016
	exec taskset -c "$1" chrt -f 50 bash -c \
		': <"$1"; end=$((SECONDS + 3)); while ((SECONDS < end)); do :; done' \
		bash "$dir/start"
}

# Whether all these processes wait for the start.
ready()
{
	local pid

	for pid; do
		grep -q wait_for_partner "/proc/$pid/wchan" || return
	done
}

load_hbcast && nodes_up 3 || exit
at 1 group keygen "$dir/key"
nodes_join 3 7 "$dir/key" || exit
for node in 1 2 3; do
	at "$node" group set 7 dead-interval 500ms
done
plan 1 '[1,2],[2,3]' >"$dir/plan"
check "a plan" at 1 apply "$dir/plan" group 7 wait 20s

# Whether others stood still is seen by one who wants to look every 0.1 s.
while sleep 0.1; do
	cut -d ' ' -f 1 /proc/uptime
done >"$dir/looks" &
looks=$!
check "one who looks" wait_for 20 [ -s "$dir/looks" ]
unfair
mkfifo "$dir/start"
hogs=()
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	hog $cpu &
	hogs+=($!)
done
check "a process for each processor, which takes it" wait_for 20 ready "${hogs[@]}"
# All at once, or the first would keep from the other what it takes to start.
exec 3>"$dir/start"
wait "${hogs[@]}"
seen=$(wc -l <"$dir/looks")
until [ "$(wc -l <"$dir/looks")" -gt "$seen" ]; do
	sleep 0.1
done
kill $looks
still=$(awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { print int(1000 * most) }' \
	"$dir/looks")
echo "# longest time without a look: $still ms"
check "the others stood still for longer than the dead-interval" test "$still" -gt 500

# Time enough to find out who is silent.
sleep 3
run 1 -j show lane
check_jq "the root's lane has not broken" '[["ready",1]]' 'map([.state, .connects])'
run 2 -j show lane
check_jq "nor has the relay's" '[["ready",1]]' \
	'map(select(.direction == "down") | [.state, .connects])'
tap_done
