#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl auto-plan: a network that is measured, a plan that is rehearsed, asked for and
# applied, in a lab; and what it says when it cannot.
# vm: timeout=900 debian-only

. selftests/lib/lab.sh
. selftests/lib/tap.sh
. selftests/lib/module.sh

work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
root=1
group=7
port=9

# ends: leaves the exit status and both outputs.
ends()
{
	status=$?
	out=$(<"$work/out")
	err=$(<"$work/err")
}

# auto WORD...: at node 1, in the folder of this test.
auto()
{
	(cd "$work" && at 1 auto-plan group $group "$@") >"$work/out" 2>"$work/err" </dev/null
	ends
}

# refuse NAME STATUS SENTENCE WORD...: that is refused for that reason.
refuse()
{
	auto "${@:4}"
	check_equal "$1: refused" "$2" "$status"
	check_match "$1: and why" "$3" "$err"
}

terminal='import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'

# asked: on a terminal, where what comes from ./keys is typed, until an answer is wanted; of
# two nodes, which are measured in few rounds.
asked()
{
	: >"$work/out"
	(cd "$work" && python3 -c "$terminal" "$HBCAST_CTL" lab exec 1 -- "$HBCAST_CTL" \
		auto-plan group $group nodes 1,2 <"$work/keys" >"$work/out" 2>"$work/err") & pid=$!
	exec 4>"$work/keys"
	wait_for 120 grep -q 'apply this plan to group 7' "$work/out"
}

# answer WORD: leaves what auto leaves.
answer()
{
	echo "$1" >&4
	exec 4>&-
	wait $pid
	ends
}

epoch()
{
	at 1 -j show plan | gojq "[.[] | select(.root == 1) | .epoch] | max"
}

# Hosts 1 and 2 at one switch, 3 and 4 at another; 10 Mbit/s each, 5 between the switches.
gojq -n '{hbcast: "platform", version: 1, nodes: ([range(1; 5) | {id: ., kind: "host"}] +
	[range(100; 102) | {id: ., kind: "switch"}]),
	links: ([range(1; 5) | {from: ., to: (if . < 3 then 100 else 101 end),
		bandwidth_mbps: 10, latency_us: 1000, symmetric: true}] +
		[{from: 100, to: 101, bandwidth_mbps: 5, latency_us: 2000, symmetric: true}])}' \
	>"$work/net.json"
mkfifo "$work/keys"
load_hbcast || bail_out "the module cannot be loaded"
lab_up "$work/net.json" >"$work/log" || bail_out "no lab"
lab_join >"$work/log" || bail_out "no group"

before=$(lab_sent 1)
refuse "nobody to ask" 1 'standard input is no terminal, .* add -y or dry-run'
refuse "a folder that is not there" 1 'nowhere/x.json cannot be written: No such file' -y \
	costs nowhere/x.json
refuse "a message of nothing" 1 'message-size must be 1 byte to 1024TiB' -y message-size 0
refuse "what nobody plans for" 1 'objective "speed" is unknown' -y objective speed
at 1 -j auto-plan group $group >"$work/out" 2>"$work/err" </dev/null
ends
check_equal "nobody to ask, as JSON: refused" 1 "$status"
check_match "nobody to ask, as JSON: and why" 'with -j nobody is asked .* add -y or dry-run' "$err"
refuse "both ways" 1 '-y applies the plan, and dry-run does not' -y dry-run
refuse "one file for both" 1 'costs and output are both x.json' -y costs x.json output x.json
refuse "a picture" 1 'costs x.dot would be a picture' -y costs x.dot
refuse "a folder" 1 '/tmp is a folder: give a file in it with output' -y output /tmp
refuse "without this node" 1 'nodes lacks 1, this node' -y nodes 2,3
refuse "with a stranger" 1 'node 9 is no peer of this one: add it' -y nodes 1,2,9
at 1 group set $group members 1,2,3,4
refuse "without a member" 1 'nodes lacks 3, which is on the list of group 7' -y nodes 1,2,4
at 1 group set $group members any
check "nothing was sent for that" [ $(($(lab_sent 1) - before)) -lt 20000 ]

auto dry-run message-size 1500KB
sed 's/^/# /' "$work/out"
check_equal "dry-run: done" 0 "$status"
check_match "the network is drawn" 'switch [0-9]+' "$out"
check_match "the plan is rehearsed" 'trusted: every edge reaches 97 %' "$out"
check_match "and drawn, with times" 'Mbit/s, [0-9.]+ s' "$out"
check_match "and not applied" 'not applied: "hbcastctl apply group-7.plan.json group 7" does that' \
	"$out"
check_equal "indeed not" null "$(epoch)"
check "the network is kept, with what is between its switches" gojq -e '[.links[] | .bandwidth_mbps |
	select(. > 4.75 and . < 5.25)] | length == 2' "$work/group-7.costs.json"
check "and the plan" gojq -e '.algorithm and .message_bytes == 1500000' "$work/group-7.plan.json"

at 1 -j auto-plan group $group -y costs "$work/c.json" output "$work/p.json" \
	>"$work/out" 2>"$work/err" </dev/null
ends
check_equal "-y: applied, and ready" '[true,true,true,true]' \
	"$(gojq -c '[.measured.complete, .rehearsed.trusted, .applied.changed, .applied.ready]' <<<"$out")"
check_equal "the plan is told as it was written" "$(gojq -c .trees "$work/p.json")" \
	"$(gojq -c .plan.trees <<<"$out")"
check_equal "and where" "[7,\"$work/c.json\",\"$work/p.json\"]" \
	"$(gojq -c '[.group, .costs, .output]' <<<"$out")"
seq 200000 >"$work/file"
lab_receive
check "a broadcast along it" at 1 send "$work/file" group $group port $port
check "has arrived" lab_compare "$work/file"

first=$(epoch)
asked
answer n
check_equal "no: done" 0 "$status"
check_match "but not applied" 'not applied' "$out"
check_equal "indeed not" "$first" "$(epoch)"
asked
answer y
check_equal "yes: done" 0 "$status"
check_match "and applied" 'all nodes are ready' "$out"
asked
at 1 peer add id 9 address 10.77.255.9
answer y
check_equal "a node that comes meanwhile: refused" 2 "$status"
check_match "which one it was" 'node 9 has come to group 7 since its network was measured' "$out"
asked
at 1 peer del 9
answer y
check_equal "a node that leaves meanwhile: refused" 2 "$status"
check_match "which one it was" 'node 9 has left group 7 since its network was measured' "$out"
at 1 group set $group members 1,2,3,4

before=$(lab_sent 1)
"$HBCAST_CTL" lab exec 1 -- env --default-signal=INT "$HBCAST_CTL" auto-plan group $group -y \
	costs "$work/c.json" output "$work/none.json" >"$work/out" 2>"$work/err" & pid=$!
wait_for 60 lab_sends 1 "$before"
kill -INT $pid
wait $pid
ends
check_equal "an interrupt: no plan" '2 no' "$status $([ -e "$work/none.json" ] && echo yes || echo no)"
check_match "which is said, and where the rest is" 'ended before it was complete.*c.json' "$err"

"$HBCAST_CTL" lab exec 4 -- ip link set eth0 down
refuse "a member that is not there" 2 'node 4, a member of group 7, is not reached: ' -y
at 1 group set $group members any
auto -y
check_equal "without a list: planned for the others" '0 [1,2,3]' \
	"$status $(gojq -c '[.trees[0].edges[][]] | unique' "$work/group-7.plan.json")"
check_match "and who has no part is told" 'node 4 is not reached, so it is in no plan: ' "$err"

"$HBCAST_CTL" lab down >"$work/log"
rmmod hbcast
check "the module unloads" test ! -d /sys/module/hbcast
tap_done
