# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Plans of several trees, from the planner to a file at all of five nodes; for tests that
# have sourced tap.sh, module.sh and nodes.sh. shellcheck cannot know what they have.
# shellcheck disable=SC2154

NODES=5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ctl=$HBCAST_CTL
size=$((6000000 / HBCAST_SLOWNESS + 1))

# send_all NAME: the file from node 1 to all others: what they ended with.
send_all()
{
	local name=$1 node pids=() ended=''

	for ((node = 2; node <= NODES; node++)); do
		ip netns exec "n$node" "$ctl" -j recv "$dir/$name.$node" group 5 port 9 \
			>"$dir/log.$node" 2>"$dir/err.$node" &
		pids+=($!)
	done
	for ((node = 2; node <= NODES; node++)); do
		wait_for 30 grep -qs '"ready":true' "$dir/log.$node" || return
	done
	run 1 -j send "$dir/file" group 5 port 9 timeout $((60 * HBCAST_SLOWNESS))s
	ended=$status
	for node in "${pids[@]}"; do
		wait "$node"
		ended+=" $?"
	done
	echo "$ended"
}

# copies NAME: how many nodes have the file.
copies()
{
	local node n=0

	for ((node = 2; node <= NODES; node++)); do
		cmp -s "$dir/file" "$dir/$1.$node" && n=$((n + 1))
	done
	echo $n
}

# carried: bytes that the root has sent in each slot.
carried()
{
	at 1 -j show lane group 5 | gojq -c '[.[] | select(.direction == "down")] | group_by(.slot) |
		map({"\(.[0].slot)": (map(.tx_bytes) | add)}) | add'
}

# planned NAME INPUT WORD...: the planner's plan of several trees, applied and used.
planned()
{
	local name=$1 input=$2 trees before

	shift 2
	check "$name: a plan" "$ctl" plan "$input" algorithm "$name" root 1 "$@" \
		output "$dir/$name.json" || return
	trees=$(gojq '.trees | length' "$dir/$name.json")
	check "$name: several trees" [ "$trees" -gt 1 ]
	run 1 -j apply "$dir/$name.json" group 5 wait $((30 * HBCAST_SLOWNESS))s
	check_equal "$name: applied, and ready" "0 true" "$status $(gojq .ready <<<"$out")"
	check_equal "$name: what the kernel has" "$(gojq -c '[.trees[].slot]' "$dir/$name.json")" \
		"$(at 1 -j show plan group 5 | gojq -c --argjson epoch "$(gojq .epoch <<<"$out")" \
			'[.[] | select(.epoch == $epoch) | .slot]')"
	before=$(carried)
	check_equal "$name: send and recv" "0 0 0 0 0" "$(send_all "$name")"
	check_equal "$name: all have the file" $((NODES - 1)) "$(copies "$name")"
	check_equal "$name: each tree carried some of it" "$trees" \
		"$(gojq -n --argjson a "$before" --argjson b "$(carried)" --argjson least $((size / 20)) \
			'[$b | to_entries[] | select(.value - ($a[.key] // 0) > $least)] | length')"
}

# five_nodes: in a group, and a file of size bytes that node 1 has.
five_nodes()
{
	load_hbcast && nodes_up $NODES && small_buffers $NODES && at 1 group keygen "$dir/key" &&
		nodes_join $NODES 5 "$dir/key" || return
	head -c $size /dev/urandom >"$dir/file"
}

# uneven: a platform of nodes whose links are from 24 Mbit/s down to 4. A slow machine
# carries less: it is the links that are to be narrow, not the processor.
uneven()
{
	gojq -n --argjson slowness "$HBCAST_SLOWNESS" '{hbcast: "platform", version: 1,
		nodes: ([range(1; 6) | {id: ., kind: "host"}] + [{id: 100, kind: "switch"}]),
		links: [range(1; 6) | {from: ., to: 100,
			bandwidth_mbps: ([24, 16, 16, 8, 4][. - 1] / $slowness),
			latency_us: 100, symmetric: true}]}' >"$dir/uneven.json"
}
