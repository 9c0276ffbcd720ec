# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Files that node 1 sends to hbcastctl recv at nodes 2 and 3, which are in a chain, into
# $dir/2 and $dir/3, which go with the test.
# shellcheck disable=SC2034

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ctl=$HBCAST_CTL
two='' three='' send='' status=''

# partial_up MBIT BYTES: the nodes, each held to that rate, and $dir/large, as long as that.
partial_up()
{
	mkdir "$dir/2" "$dir/3"
	nodes_up 3 && small_buffers 3 && "$ctl" group keygen "$dir/key" || return
	plan 1 '[1,2],[2,3]' >"$dir/chain"
	joined || return
	node_shape 2 $(($1 / HBCAST_SLOWNESS))mbit
	node_shape 3 $(($1 / HBCAST_SLOWNESS))mbit
	head -c "$2" /dev/urandom >"$dir/large"
}

# receive NODE PATH WORD...: starts recv, output to $dir/NODE.log; sets $!.
receive()
{
	local node=$1

	ip netns exec "n$node" "$ctl" -j recv "$dir/$node/$2" group 5 port 9 "${@:3}" \
		>"$dir/$node.log" 2>"$dir/$node.err" &
}

# ready NODE...: recv is there.
ready()
{
	local node

	for node in "$@"; do
		wait_for 30 grep -qs '"ready":true' "$dir/$node.log" || return
	done
}

# both NAME WORD...: recv at nodes 2 and 3.
both()
{
	rm -f "$dir"/[23].log
	receive 2 "$@"
	two=$!
	receive 3 "$@"
	three=$!
	ready 2 3
}

both_end()
{
	wait $two
	two=$?
	wait $three
	three=$?
}

# begin FILE: it is being sent.
begin()
{
	ip netns exec n1 "$ctl" send "$1" group 5 port 9 >/dev/null 2>&1 &
	send=$!
}

# files NODE: what is in a receiver's directory.
files()
{
	find "$dir/$1" -mindepth 1 -printf '%f\n' | LC_ALL=C sort | tr '\n' ' '
}

# of NODE FIELD: of what recv has said of its last file there.
of()
{
	gojq -r "select(.file) | .$2" "$dir/$1.log" | tail -n 1
}

# whole NAME FILE: both have it, and nothing else.
whole()
{
	both_end
	wait $send
	status=$?
	check_equal "$1: status" "0 0 0" "$status $two $three"
	check "$1: the same bytes at node 2" cmp "$2" "$(of 2 file)"
	check "$1: the same bytes at node 3" cmp "$2" "$(of 3 file)"
	check_equal "$1: nothing else" "large |large " "$(files 2)|$(files 3)"
}

# joined: the module, the nodes, and their plan.
joined()
{
	load_hbcast && nodes_join 3 5 "$dir/key" && at 1 apply "$dir/chain" group 5 wait 30s >/dev/null
}

# listed NODE BYTES: there is a list of at least so much of a file.
listed()
{
	cat "$dir/$1"/.*.list 2>/dev/null |
		gojq -es "(map(.ranges | map(.[1] - .[0]) | add // 0) | add) >= $2" >/dev/null
}

# came NODE: bytes that have come to a node over its lanes.
came()
{
	at "$1" -j show lane group 5 | gojq 'map(select(.root == 1).rx_bytes) | add'
}

# little NODE BEFORE BYTES: since then no more has come there than that, with a tenth for
# headers, and what was on its way when the file was given.
little()
{
	[ $(($(came "$1") - $2)) -lt $(($3 * 11 / 10 + 600000)) ]
}
