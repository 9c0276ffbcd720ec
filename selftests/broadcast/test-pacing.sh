#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A lane's pace: the rate that the newest plan gives it, which is of payload, and what the
# headers of fragments take: 16 bytes of the 1448 of a segment. It grows where others leave
# room, unless the plan is strict.
# vm:

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# pace FROM TO: what TCP is held to on the lane, in bit/s; "none" if nothing.
pace()
{
	ip netns exec "n$1" ss -Htin "dst 10.9.0.$2 and dport = 7310" |
		sed -n 's,.* pacing_rate [0-9]*bps\(/\([0-9]*\)bps\)\? .*,\2,p' | sed 's/^$/none/'
}

# rated TREE-RATE RATE-OF-2 RATE-OF-3 [STRICT]: applies the chain 1, 2, 3 in Mbit/s.
rated()
{
	local figure='"id": %d, "rate_mbps": %s, "completion_us": 9, "bound_us": 8'

	# shellcheck disable=SC2059
	printf '{"hbcast": "plan", "version": 1, "algorithm": "test", "root": 1,
		"message_bytes": 1000000, "strict": %s,
		"trees": [{"slot": 0, "rate_mbps": %s, "edges": [[1,2],[2,3]]}],
		"predicted": {"model": "fluid", "nodes": [{'"$figure}, {$figure"'}]}}\n' \
		"${4-false}" "$1" 2 "$2" 3 "$3" >"$dir/plan"
	at 1 apply "$dir/plan" group 7 wait 20s >/dev/null
}

# broadcast: the file to both, as run leaves it.
broadcast()
{
	local node

	for node in 2 3; do
		rm -f "$dir/recv-$node"
		at "$node" -j recv "$dir/copy-$node" group 7 port 9 \
			timeout $((60 * HBCAST_SLOWNESS))s >"$dir/recv-$node" &
		wait_for 30 grep -qs ready "$dir/recv-$node"
	done
	run 1 -j send "$dir/file" group 7 port 9
	wait
}

load_hbcast && nodes_up 3 || exit
at 1 group keygen "$dir/key"
nodes_join 3 7 "$dir/key" || exit
head -c 2097152 /dev/urandom >"$dir/file"

plan 1 '[1,2],[2,3]' >"$dir/plan"
check "a plan without rates" at 1 apply "$dir/plan" group 7 wait 20s
check_equal "no pace" "none none" "$(pace 1 2) $(pace 2 3)"

check "a plan with rates" rated 16 16 16
check_equal "the root's lane is paced" 16178768 "$(pace 1 2)"
check_equal "a relay's lane is paced" 16178768 "$(pace 2 3)"
broadcast
paced=$(gojq .time_us <<<"$out")
check_jq "a message arrives" 2 .delivered

check "a strict plan" rated 16 16 16 true
check_equal "both lanes are paced as before" "16178768 16178768" "$(pace 1 2) $(pace 2 3)"
run 1 -j show plan
check_jq "and it is shown" '[true]' 'map(.strict)'
broadcast
# 2 MiB less what may leave at once, at 16 Mbit/s and no faster.
check_jq "the message keeps to the pace" true '.delivered == 2 and .time_us > 800000'
check_equal "so do the lanes after it" "16178768 16178768" "$(pace 1 2) $(pace 2 3)"
check_jq "what is not strict was faster" true ".time_us > $paced"
check "node 2 has it" cmp "$dir/file" "$dir/copy-2"
check "node 3 has it" cmp "$dir/file" "$dir/copy-3"

check "a plan that predicts more for node 2" rated 16 32 8
check_equal "its lane may be faster than the tree" 32357536 "$(pace 1 2)"
check_equal "no lane is slower than the tree" 16178768 "$(pace 2 3)"
run 1 -j show lane
check_jq "the lane was kept" '[1]' 'map(.connects)'

plan 1 '[1,2],[2,3]' >"$dir/plan"
check "a plan without rates again" at 1 apply "$dir/plan" group 7 wait 20s
check_equal "no pace again" "none none" "$(pace 1 2) $(pace 2 3)"

tap_done
