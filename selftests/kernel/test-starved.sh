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

# hog CPU SECONDS
hog()
{
	# shellcheck disable=SC2016
	taskset -c "$1" chrt -f 50 bash -c \
		'end=$((SECONDS + $1)); while ((SECONDS < end)); do :; done' bash "$2"
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
unfair
hog 0 3 &
one=$!
hog 1 3 &
wait $one $!
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
