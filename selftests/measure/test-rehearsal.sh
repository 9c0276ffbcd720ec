#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl measure plan: plans from platforms that are right, or say twice what a link
# carries, are rehearsed in a lab; and what it says when it cannot.
# vm: timeout=600 debian-only

. selftests/lib/lab.sh
. selftests/lib/tap.sh
. selftests/lib/module.sh

work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
root=1
group=7
port=9

# platform HOSTS SHARED US: hosts 1 and 2 at switch 100, 3 and 4 at 101; Mbit/s.
platform()
{
	gojq -n --argjson hosts "$1" --argjson shared "$2" --argjson us "$3" '{hbcast: "platform",
		version: 1, nodes: ([range(1; 5) | {id: ., kind: "host"}] +
			[range(100; 102) | {id: ., kind: "switch"}]),
		links: ([range(1; 5) | {from: ., to: (if . < 3 then 100 else 101 end),
			bandwidth_mbps: $hosts, latency_us: $us, symmetric: true}] +
			[{from: 100, to: 101, bandwidth_mbps: $shared, latency_us: $us,
			symmetric: true}])}'
}

# plan NAME: from the platform of that name.
plan()
{
	"$HBCAST_CTL" plan "$work/$1.json" algorithm mtp root 1 output "$work/$1-plan.json"
}

# rehearse PLAN WORD...: at node 1; leaves the exit status and both outputs.
rehearse()
{
	at 1 -j measure plan "$work/$1.json" "${@:2}" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	out=$(<"$work/out")
	err=$(<"$work/err")
}

# refuse NAME STATUS SENTENCE PLAN WORD...: a rehearsal is refused for that reason.
refuse()
{
	rehearse "${@:4}"
	check_equal "$1: refused" "$2" "$status"
	check_match "$1: and why" "$3" "$err"
	check_equal "$1: in one sentence" 1 "$(grep -c . "$work/err")"
}

# What is planned is payload, of 5 Mbit/s 4.6; acknowledgements have their part.
platform 10 5 2000 >"$work/net.json"
platform 10 5 2000 >"$work/right.json"
platform 10 10 2000 >"$work/wrong.json"

load_hbcast || bail_out "the module cannot be loaded"
lab_up "$work/net.json" >"$work/log" || bail_out "no lab"
lab_join >"$work/log" || bail_out "no group"
for node in 2 3 4; do
	at "$node" peer import "$work/lab.json" >"$work/log"
done
plan right || bail_out "no plan"
plan wrong || bail_out "no plan"

rehearse right-plan group $group on "$work/right.json" output "$work/same.json" \
	costs "$work/same-net.json"
gojq -c . <<<"$out" | sed 's/^/# /'
check_equal "a right platform: trusted at once" '[0,true,[0]]' \
	"[$status,$(gojq -c '.trusted, (.rehearsals | map(.short))' <<<"$out" | paste -sd,)]"
check_equal "each edge is told" "$(gojq -c '[.trees[].edges[]] | unique' "$work/right-plan.json")" \
	"$(gojq -c '.rehearsals[0].edges | map([.from, .to])' <<<"$out")"
check "and what is planned for it" gojq -e --slurpfile plan "$work/right-plan.json" '
	.rehearsals[0].edges | all(. as $edge | [$plan[0].trees[] | select(any(.edges[];
		. == [$edge.from, $edge.to])) | .rate_mbps] | add - $edge.planned_mbps | fabs < 0.001)' \
	<<<"$out"
check_equal "the plan is as before" "$(gojq -c .trees "$work/right-plan.json")" \
	"$(gojq -c .trees "$work/same.json")"
check_equal "and so is the platform" "$(gojq -c . "$work/right.json")" \
	"$(gojq -c . "$work/same-net.json")"
at 1 measure plan "$work/right-plan.json" group $group >"$work/out"
sed 's/^/# /' "$work/out"
check_match "without the platform, as a table" 'FROM +TO +PLANNED +REACHED +PART' "$(<"$work/out")"
check_match "and the verdict" 'trusted: every edge reaches 97 %' "$(<"$work/out")"

# The link between the switches carries 5 Mbit/s each way; the platform says 10.
rehearse wrong-plan group $group on "$work/wrong.json" output "$work/mended.json" \
	costs "$work/mended-net.json"
gojq -c . <<<"$out" | sed 's/^/# /'
echo "$err" | sed 's/^/# /'
check_equal "a link that carries half: trusted in the end" '[0,true]' \
	"[$status,$(gojq .trusted <<<"$out")]"
check_equal "it was found, and nothing else" '[[100,101]]' \
	"$(gojq -c '[.rehearsals[].corrected[] | [.from, .to]] | unique' <<<"$out")"
check "what it carries is what was seen to cross it" gojq -e '[.links[] | select(.from == 100 and
	.to == 101) | .bandwidth_mbps] | length == 1 and .[0] > 4.75 and .[0] < 5.25' "$work/mended-net.json"
check_equal "the other direction is as it was" 10 \
	"$(gojq '.links[] | select(.from == 101 and .to == 100) | .bandwidth_mbps' "$work/mended-net.json")"
check "edges fell short only before" gojq -e '.rehearsals | .[0].short > 0 and .[-1].short == 0 and
	length <= 4 and (.[-1].edges | all(.part + .grain_mbps / .planned_mbps >= 0.97))' <<<"$out"
rehearse mended group $group on "$work/mended-net.json"
check_equal "the new plan is trusted at once" '[0,1]' \
	"[$status,$(gojq '.rehearsals | length' <<<"$out")]"
refuse "nobody gets the plan made again" 2 'but the plan made again can: add output FILE' \
	wrong-plan group $group on "$work/wrong.json"
refuse "without the platform" 2 'cannot be trusted, as [0-9]+ of [0-9]+ edges fall short: give the platform' \
	wrong-plan group $group
gojq '.algorithm = "hand"' "$work/wrong-plan.json" >"$work/hand.json"
refuse "a planner that nobody knows" 2 'no planner called hand plans from a platform' \
	hand group $group on "$work/wrong.json"

# Two at once, of two nodes: one waits.
for node in 1 2; do
	at $node measure plan "$work/right-plan.json" group $group >"$work/out-$node" \
		2>"$work/err-$node" &
	pids[node]=$!
done
wait "${pids[1]}"; one=$?
wait "${pids[2]}"; two=$?
check_equal "two rehearsals at once: both are trusted" "0 0" "$one $two"
check_match "and one was told to wait" 'waiting for node [0-9], as it has a part in another measurement' \
	"$(cat "$work/err-1" "$work/err-2")"

# The second one is interrupted while it waits.
before=$(lab_sent 1)
at 1 measure plan "$work/right-plan.json" group $group >"$work/log" & first=$!
wait_for 20 lab_sends 1 "$before"
"$HBCAST_CTL" lab exec 2 -- env --default-signal=INT "$HBCAST_CTL" \
	measure plan "$work/right-plan.json" group $group >"$work/out" 2>"$work/err" & pid=$!
wait_for 20 grep -q 'waiting for node' "$work/err"
kill -INT $pid
wait $pid
check_equal "who is interrupted while it waits: no verdict" 2 $?
wait $first
check_equal "and does not disturb the first one" 0 $?

# 1.5 MB take three seconds over the link between the switches.
head -c 1500000 /dev/urandom >"$work/file"
at 1 apply "$work/right-plan.json" group $group wait 30s >"$work/log"
lab_receive
at 1 send "$work/file" group $group port $port >"$work/log" & sender=$!
before=$(lab_sent 1)
wait_for 20 lab_sends 1 "$before"
rehearse right-plan group $group
check_equal "while a broadcast goes on: trusted" '[0,true]' "[$status,$(gojq .trusted <<<"$out")]"
check_match "but not before that is over" 'waiting for node [0-9], as a broadcast goes on there' "$err"
wait $sender
check "which has arrived" lab_compare "$work/file"

# Else a shell has what it starts in the background ignore that.
before=$(lab_sent 1)
"$HBCAST_CTL" lab exec 1 -- env --default-signal=INT "$HBCAST_CTL" \
	measure plan "$work/right-plan.json" group $group >"$work/out" 2>"$work/err" & pid=$!
wait_for 20 lab_sends 1 "$before"
kill -INT $pid
wait $pid
check_equal "an interrupt: no verdict" 2 $?
check_match "which is said" 'was interrupted, and nothing is sent any more' "$(<"$work/err")"
sleep 1
before=$(lab_sent 1)
sleep 1
check "a second later nothing is sent" [ $(($(lab_sent 1) - before)) -lt 20000 ]

refuse "output without a platform" 1 'output needs the platform' right-plan group $group \
	output "$work/none.json"
refuse "no such plan" 1 'none.json' none group $group
refuse "a platform for a plan" 1 'right.json' right group $group
gojq '{hbcast: "costs", version: 1, nodes: [range(1; 5) | {id: .}],
	latency_us: [range(4) | [range(4) | 10]], bandwidth_mbps: [range(4) | [range(4) | 10]]}' \
	-n >"$work/costs.json"
refuse "a cost matrix" 1 'costs.json is a cost matrix, of which no links are known' right-plan \
	group $group on "$work/costs.json"
gojq '(.nodes[], .links[]) |= (if .id == 4 then .id = 9 else . end | if .from == 4 then .from = 9 else . end)' \
	"$work/right.json" >"$work/other.json"
refuse "a platform of other nodes" 1 'is no plan for .*other.json: the plan has node 4' right-plan \
	group $group on "$work/other.json"
plan other
refuse "a plan with other nodes" 1 'has node 9, which is no peer of this one' other-plan group $group
gojq 'del(.trees[0].rate_mbps, .predicted)' "$work/right-plan.json" >"$work/bare.json"
refuse "a plan without rates" 1 'slot 0 has no rate_mbps to rehearse' bare group $group
refuse "no such group" 2 'add the group first' right-plan group 8
at 2 group set $group members 1,2,3
at 2 measure plan "$work/right-plan.json" group $group >"$work/out" 2>"$work/err"
check_equal "a plan for another group: refused" 1 $?
check_match "a plan for another group: and why" 'is no plan for group 7: the plan has node 4' \
	"$(<"$work/err")"
at 2 group set $group members 1,2,3,4,5
at 2 measure plan "$work/right-plan.json" group $group >"$work/out" 2>"$work/err"
check_equal "a plan that leaves a member out: refused" 1 $?
check_match "a plan that leaves a member out: and why" 'is no plan for group 7: the plan does not reach member 5' \
	"$(<"$work/err")"
at 2 group set $group members any

# Short packets arrive there, and none of 1024 bytes or more.
"$HBCAST_CTL" lab exec 3 -- tc qdisc add dev eth0 clsact
for bit in 0x0400 0x0800 0x1000 0x2000 0x4000 0x8000; do
	"$HBCAST_CTL" lab exec 3 -- tc filter add dev eth0 ingress protocol ip \
		u32 match u16 $bit $bit at 2 action drop
done
refuse "a way that lets nothing through" 2 \
	'as nothing arrives from node [0-9] at node 3, which answers it: look for an MTU' \
	right-plan group $group on "$work/right.json" output "$work/none.json"
check "and no plan is made of that" [ ! -e "$work/none.json" ]
"$HBCAST_CTL" lab exec 3 -- tc qdisc del dev eth0 clsact

at 1 group set $group probe-rate 2mbit
refuse "a limit below the plan's rates" 2 'as probe-rate of group 7 at node 1 does not let it send' \
	right-plan group $group
at 1 group set $group probe-rate any probe-total 250KB
refuse "a limit below what it takes" 2 'as probe-total of group 7 at node 1 does not let it send' \
	right-plan group $group
at 1 group set $group probe-total any
at 3 group set $group probe off
refuse "a node that refuses" 2 'node 3 is not reached: it does not let the group measure' \
	right-plan group $group
at 3 group set $group probe on
# It leaves the group while the edges are used.
before=$(lab_sent 1)
at 1 measure plan "$work/right-plan.json" group $group >"$work/out" 2>"$work/err" & pid=$!
wait_for 20 lab_sends 1 "$before"
at 4 group del $group >"$work/log"
wait $pid
check_equal "a node that goes meanwhile: no verdict" 2 $?
check_match "and it is named" 'node 4 is not reached: ' "$(<"$work/err")"
at 4 group add id $group key-file "$work/key"
rehearse right-plan group $group
check_equal "and is back: trusted" '[0,true]' "[$status,$(gojq .trusted <<<"$out")]"
"$HBCAST_CTL" lab exec 4 -- ip link set eth0 down
refuse "a node that is not there" 2 'node 4 is not reached: ' right-plan group $group

"$HBCAST_CTL" lab down >"$work/log"
rmmod hbcast
check "the module unloads" test ! -d /sys/module/hbcast
tap_done
