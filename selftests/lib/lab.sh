# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A group in an emulated network, and files from one node to all others; for scripts
# in a test machine. They set work to a directory, root to a node's id, and group
# and port to numbers. shellcheck cannot know that.
# shellcheck disable=SC2154

# at NODE COMMAND...: hbcastctl at one node of the lab.
at()
{
	local node=$1

	shift
	"$HBCAST_CTL" lab exec "$node" -- "$HBCAST_CTL" "$@"
}

# lab_up PLATFORM: sets others to the nodes that receive.
lab_up()
{
	"$HBCAST_CTL" lab up "$1"
	"$HBCAST_CTL" -j lab show >"$work/lab.json"
	gojq -r '.nodes[] | select(.kind == "host") | "\(.id) \(.address)"' \
		"$work/lab.json" >"$work/hosts"
	others=$(cut -d ' ' -f 1 "$work/hosts" | grep -vx "$root")
}

# Every node takes part; the root knows the others.
lab_join()
{
	local node address

	[ -e "$work/key" ] || "$HBCAST_CTL" group keygen "$work/key"
	while read -r node address <&3; do
		at "$node" node set id "$node" address "$address"
		at "$node" group add id "$group" key-file "$work/key"
	done 3<"$work/hosts"
	at "$root" peer import "$work/lab.json"
}

# lab_receive: one at each node; sets pids.
lab_receive()
{
	local node

	pids=()
	for node in $others; do
		rm -f "$work/copy-$node" "$work/recv-$node"
		at "$node" -j recv "$work/copy-$node" group "$group" port "$port" \
			>"$work/recv-$node" &
		pids+=($!)
	done
	for node in $others; do
		until grep -q ready "$work/recv-$node" 2>/dev/null; do
			sleep 0.05
		done
	done
}

# lab_lanes: what the lanes of all nodes have shown; sets words, for "measure update".
lab_lanes()
{
	local node

	words=()
	for node in "$root" $others; do
		at "$node" -j show lane >"$work/lanes-$node" || return
		words+=(lanes "$work/lanes-$node")
	done
}

# lab_compare FILE: waits for the receivers; fails, and names the node, if a copy differs from it.
lab_compare()
{
	local node pid

	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	for node in $others; do
		cmp -s "$1" "$work/copy-$node" && continue
		echo "node $node's copy differs from the file" >&2
		return 1
	done
}

# lab_sent NODE: bytes that have left it.
lab_sent()
{
	"$HBCAST_CTL" lab exec "$1" -- awk '/eth0/ { sub(/.*:/, ""); print $9 }' /proc/net/dev
}

# lab_sends NODE BEFORE: much more than that has left it.
lab_sends()
{
	[ $(($(lab_sent "$1") - $2)) -gt 500000 ]
}
