#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl measure on a lab of two switches, and what it says when it cannot.
# vm: timeout=300 debian-only

. selftests/lib/lab.sh
. selftests/lib/tap.sh
. selftests/lib/module.sh

dir=$(mktemp -d)
chmod 755 "$dir"
trap 'rm -rf "$dir"' EXIT

# run WORD...: at node 1; leaves the exit status and both outputs.
run()
{
	at 1 "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	out=$(<"$dir/out")
	err=$(<"$dir/err")
}

# link FROM TO MBPS US
link()
{
	printf '{"from": %d, "to": %d, "bandwidth_mbps": %s, "latency_us": %s, "symmetric": true}' "$@"
}

host()
{
	printf '{"id": %d, "kind": "host"}' "$1"
}

# Five hosts; 4 and 5 are behind a link of 30 Mbit/s, and 5 is slow itself.
cat >"$dir/net.json" <<END
{"hbcast": "platform", "version": 1, "nodes": [$(host 1), $(host 2), $(host 3), $(host 4),
 $(host 5), {"id": 100, "kind": "switch"}, {"id": 101, "kind": "switch"}],
 "links": [$(link 1 100 40 500), $(link 2 100 40 500), $(link 3 100 40 1000),
 $(link 100 101 30 5000), $(link 4 101 40 500), $(link 5 101 10 2000)]}
END

# near FILE FROM TO MBPS: the link's rate, within 4 %.
near()
{
	gojq -e --argjson from "$2" --argjson to "$3" --argjson mbps "$4" '
		[.links[] | select(.from == $from and .to == $to) | .bandwidth_mbps]
		| length == 1 and (.[0] / $mbps - 1 | fabs) < 0.04' "$1" >/dev/null
}

load_hbcast || bail_out "the module cannot be loaded"
"$HBCAST_CTL" lab up "$dir/net.json" >"$dir/out" || bail_out "no lab"
(umask 077 && head -c 32 /dev/zero >"$dir/key")
for node in 1 2 3 4 5; do
	{
		echo "node set id $node address 10.77.0.$node"
		echo "group add 7 key-file $dir/key"
		for peer in 1 2 3 4 5; do
			[ "$peer" = "$node" ] || echo "peer add id $peer address 10.77.0.$peer"
		done
	} >"$dir/batch"
	at "$node" -batch "$dir/batch" || bail_out "node $node"
done

run measure group 7 output "$dir/found.json"
check_equal "a tree is measured" 0 "$status"
check_match "what it will take is said before" '5 nodes: about [0-9]* rounds in [0-9]* s' "$err"
check_equal "five hosts and two switches" '[5,2]' "$(gojq -c '.nodes | [map(select(.kind == "host")), map(select(.kind == "switch"))] | map(length)' "$dir/found.json")"
near=$(gojq '.links[] | select(.from == 1) | .to' "$dir/found.json")
far=$(gojq '.links[] | select(.from == 5) | .to' "$dir/found.json")
for node in 1 2 3; do
	check "node $node sends at its rate" near "$dir/found.json" "$node" "$near" 40
	check "node $node receives at its rate" near "$dir/found.json" "$near" "$node" 40
done
check "the link between the switches" near "$dir/found.json" "$near" "$far" 30
check "and back" near "$dir/found.json" "$far" "$near" 30
check "the slow host" near "$dir/found.json" "$far" 5 10
check_equal "it is complete, and a tree fits" '[true,true,[]]' \
	"$(gojq -c '.measured | [.complete, .fits, .lost]' "$dir/found.json")"
check_equal "what short messages cost each host" '[5,true]' "$(gojq -c '[.nodes[] | select(.kind == "host")]
	| [length, all(.send_overhead_us > 0 and .recv_overhead_us > 0 and
		.measured.send_overhead_method == "bursts" and .measured.send_overhead_tests > 0 and
		.measured.recv_overhead_tests > 0 and (.measured.recv_overhead_time | length) > 0)]' \
	"$dir/found.json")"
gojq -c '.nodes[] | select(.kind == "host")' "$dir/found.json" | sed 's/^/# /'
check "a planner takes it" "$HBCAST_CTL" plan "$dir/found.json" algorithm auto root 1 output "$dir/plan.json"
"$HBCAST_CTL" plan "$dir/found.json" algorithm ecef root 1 output "$dir/plan.json" 2>"$dir/err"
check_match "and says how old it is" 'bandwidths in .*found.json were measured [0-9]+ seconds? ago' \
	"$(<"$dir/err")"
check_equal "without a warning" 1 "$(grep -c . "$dir/err")"

# A test sends one way here: 0.8 s of 10 Mbit/s are 1 MB.
run -j measure group 7 nodes 1,5
check_equal "two nodes" '[0,true]' "[$status,$(gojq .complete <<<"$out")]"
gojq -c '[.rounds, .sent_bytes]' <<<"$out" | sed 's/^/# /'
check "no test fills a link for more than 0.8 s" gojq -e '.sent_bytes <= .rounds * 1e6' <<<"$out"

run measure group 7 nodes 1,2,4 output "$dir/found.dot"
check_equal "three nodes, as a picture" 0 "$status"
check_match "for Graphviz" '^graph|^digraph' "$(head -n 1 "$dir/found.dot")"

run -j measure group 7 nodes 1,2,3 method matrix output "$dir/costs.json"
check_equal "a matrix" 0 "$status"
check_equal "of all pairs" 6 "$(gojq '[.pairs[] | select(.mbps > 35 and .rtt_us > 500)] | length' <<<"$out")"
check "a planner takes that" "$HBCAST_CTL" plan "$dir/costs.json" algorithm ecef root 1 output "$dir/plan.json"

at 3 group set 7 probe off
run -j measure group 7
check_equal "without a node that refuses" 0 "$status"
check_equal "it is named" '[[3,"it does not let the group measure"]]' \
	"$(gojq -c '.lost | map([.id, .reason])' <<<"$out")"
at 3 group set 7 probe on

run -j measure group 7 traffic 1MB
check_equal "little traffic: ended early" '[0,false]' "[$status,$(gojq .complete <<<"$out")]"
run -j measure group 7 time 2s
check_equal "little time: ended early" '[0,false]' "[$status,$(gojq .complete <<<"$out")]"

out=$("$HBCAST_CTL" lab exec 1 -- timeout --foreground --preserve-status -s INT 3 "$HBCAST_CTL" -j \
	measure group 7 2>"$dir/err")
check_equal "an interrupt: what is known is told" '[0,false]' "[$?,$(gojq .complete <<<"$out")]"

run measure group 8
check_equal "another group: the kernel refuses" 2 "$status"
check_match "and says why" 'add the group first' "$err"
run measure group 7 nodes 1
check_equal "one node is no network" 1 "$status"
check_match "what would be" 'choose 2 to 256' "$err"
run measure group 7 nodes 1,2,2
check_match "a node twice" 'node 2 twice' "$err"
run measure group 7 nodes 1,9
check_equal "no peer: refused" 1 "$status"
check_match "and named" 'node 9 is no peer of this one: add it' "$err"
run measure group 7 method star
check_match "an unknown method" 'write tree or matrix' "$err"

"$HBCAST_CTL" lab down >"$dir/out"
rmmod hbcast
check "the module unloads" test ! -d /sys/module/hbcast
tap_done
