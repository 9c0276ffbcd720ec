# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Nodes for tests of hbcast: network namespaces n1, n2, ... on one switch, with
# the addresses 10.9.0.1, 10.9.0.2, ... They are deleted when the test has ended.
# The test has a directory $dir. shellcheck cannot know that.
# shellcheck disable=SC2154

# at NODE WORD...: hbcastctl at a node.
at()
{
	local node=$1

	shift
	ip netns exec "n$node" "$HBCAST_CTL" "$@"
}

# nodes_up COUNT: makes the namespaces; nothing of hbcast yet. Several commands go to
# one ip, because programs are slow to start.
nodes_up()
{
	local i

	{
		echo netns add switch
		for ((i = 1; i <= $1; i++)); do
			echo netns add "n$i"
			echo link add eth0 netns "n$i" type veth peer name "port$i" netns switch
		done
	} | ip -batch - || return
	{
		echo link add sw type bridge
		echo link set sw up
		for ((i = 1; i <= $1; i++)); do
			echo link set "port$i" master sw up
		done
	} | ip -n switch -batch - || return
	for ((i = 1; i <= $1; i++)); do
		printf '%s\n' "link set lo up" "addr add 10.9.0.$i/24 dev eth0" "link set eth0 up" |
			ip -n "n$i" -batch - || return
	done
}

# small_buffers COUNT: TCP of these nodes keeps little.
small_buffers()
{
	local i

	for ((i = 1; i <= $1; i++)); do
		ip netns exec "n$i" sysctl -qw net.ipv4.tcp_rmem='4096 131072 262144' \
			net.ipv4.tcp_wmem='4096 131072 262144' || return
	done
}

# node_shape NODE RATE: what the node receives comes no faster.
node_shape()
{
	ip netns exec switch tc qdisc add dev "port$1" root tbf rate "$2" \
		burst 16kb latency 50ms
}

# nodes_join COUNT GROUP KEY-FILE: all are nodes of the group; node 1 knows the others.
nodes_join()
{
	local i other

	for ((i = 1; i <= $1; i++)); do
		{
			echo node set "$i" address "10.9.0.$i"
			echo group add "$2" key-file "$3"
			for ((other = 2; i == 1 && other <= $1; other++)); do
				echo peer add "$other" address "10.9.0.$other"
			done
		} | at "$i" -batch - || return
	done
}

# plan ROOT EDGES: a plan file on standard output, e.g. plan 1 '[1,2],[2,3]'.
plan()
{
	printf '{"hbcast": "plan", "version": 1, "algorithm": "test", "root": %d,\n' "$1"
	printf ' "message_bytes": 1000000, "trees": [{"slot": 0, "edges": [%s]}]}\n' "$2"
}

# run NODE WORD...: hbcastctl at a node; leaves its exit status and both outputs.
run()
{
	at "$@" >"$dir/.out" 2>"$dir/.err" </dev/null
	status=$?
	out=$(<"$dir/.out")
	err=$(<"$dir/.err")
}

# refused NAME STATUS PATTERN NODE WORD...: one sentence, which matches.
refused()
{
	local name=$1 wanted=$2 pattern=$3

	shift 3
	run "$@"
	check_equal "$name: status" "$wanted" "$status"
	check_match "$name: sentence" "^hbcastctl: ${pattern}[^
]*\$" "$err"
	check_equal "$name: nothing else" "" "$out"
}

# check_jq NAME EXPECTED FILTER: of the JSON in $out.
check_jq()
{
	check_equal "$1" "$2" "$(gojq -c "$3" <<<"$out")"
}
