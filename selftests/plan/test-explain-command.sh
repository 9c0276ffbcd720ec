#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl explain: what limits a plan, and that upgrading it gains what is said:
# the network's file is changed, and the plan judged and made anew.
# here: timeout=300

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

# Host 1 sends at 10, 2 receives at 4, 3 at 8; all others are 10.
cat >star.json <<-'END'
	{"hbcast":"platform","version":1,"headers":false,
	 "nodes":[{"id":1,"kind":"host"},{"id":2,"kind":"host"},{"id":3,"kind":"host"},
	          {"id":9,"kind":"switch"}],
	 "links":[{"from":1,"to":9,"bandwidth_mbps":10,"latency_us":0,"symmetric":true},
	          {"from":9,"to":2,"bandwidth_mbps":4,"latency_us":0},
	          {"from":2,"to":9,"bandwidth_mbps":10,"latency_us":0},
	          {"from":9,"to":3,"bandwidth_mbps":8,"latency_us":0},
	          {"from":3,"to":9,"bandwidth_mbps":10,"latency_us":0}]}
END
# 8,000,000 bits, to 2 at 4, to 3 at 6. If 2 receives at 8, both have 5 of the
# root's 10; the chain would have 8. The root's link is full, too, but not the limit.
run plan star.json algorithm flat root 1 message-size 1000000 output flat.json
run -j explain flat.json on star.json
check_equal 'what limits the flat tree, by hand' \
	'{"algorithm":"flat","root":1,"message_bytes":1000000,"model":"fluid","upgrade":2,"limits":[{"link":[9,2],"busy":1,"price":1,"completion_us":1600000,"rate_mbps":5,"planned_anew_us":1600000,"bound_us":1000000,"bound_mbps":8},{"link":[1,9],"busy":1,"price":0,"completion_us":2000000,"rate_mbps":4,"planned_anew_us":2000000,"bound_us":2000000,"bound_mbps":4}],"completion_us":2000000,"rate_mbps":4,"planned_anew_us":2000000,"bound_us":2000000,"bound_mbps":4}' \
	"$(jq -c 'walk(if type == "number" then . * 1000 | round / 1000 else . end)' <<<"$out")"
run explain flat.json on star.json
check_equal 'the same as a table' \
	'what limits flat by fluid, and what comes if one of it is 2 times as fast:
LIMIT BUSY PRICE THIS PLAN RATE PLANNED ANEW BOUND MOST
(as it is) - - 2.000 s 4.0 Mbit/s 2.000 s 2.000 s 4.0 Mbit/s
from 9 to 2 100.0 % 100.0 % 1.600 s 5.0 Mbit/s 1.600 s 1.000 s 8.0 Mbit/s
from 1 to 9 100.0 % 0.0 % 2.000 s 4.0 Mbit/s 2.000 s 2.000 s 4.0 Mbit/s' \
	"$(tr -s ' ' <<<"$out" | sed 's/ $//')"

# One port: 1 sends to 2 and 3, 1 us and 4 us a Mbit: 5 together. If all that it
# sends is twice as fast, 2.5. Only pairs that 1 sends over lead anywhere.
cat >costs.json <<-'END'
	{"hbcast":"costs","version":1,"headers":false,"nodes":[{"id":1},{"id":2},{"id":3}],
	 "latency_us":[[0,0,0],[0,0,0],[0,0,0]],
	 "bandwidth_mbps":[[null,8,2],[8,null,null],[8,null,null]]}
END
run plan costs.json algorithm grow root 1 model one-port message-size 1M output grow.json
run -j explain grow.json on costs.json
check_equal 'the port of a root that sends all, by hand' \
	'[{"sender":1,"busy":1,"price":1,"completion_us":2500000,"rate_mbps":3.2,"bound_mbps":3.2}]' \
	"$(jq -c '.limits | map(del(.planned_anew_us, .bound_us)) |
		walk(if type == "number" then . * 1000 | round / 1000 else . end)' <<<"$out")"

# By completion the way to the last node counts: 1-3 takes 4 s, and nothing else.
run plan costs.json algorithm flat root 1 message-size 1M output flat.json
run -j explain flat.json on costs.json
check_equal 'the way to the last node, by hand' \
	'completion [{"link":[1,3],"busy":1,"completion_us":2000000,"rate_mbps":4}]' \
	"$(jq -cr '"\(.model) \(.limits | map(del(.planned_anew_us, .bound_us)))"' <<<"$out" | sed 's/\.0\b//g')"

# Each hop is the sender's overhead, latency and 1000 bytes, the receiver's overhead:
# 10 + 30 + 100 + 20, 40 + 50 + 200 + 100, 0 + 44 + 100 + 6. All of them in a row.
cat >row.json <<-'END'
	{"hbcast":"costs","version":1,"headers":false,
	 "nodes":[{"id":1,"send_overhead_us":10},{"id":2,"send_overhead_us":40,"recv_overhead_us":20},
	          {"id":3,"recv_overhead_us":100},{"id":4,"recv_overhead_us":6}],
	 "latency_us":[[0,30,900,900],[30,0,50,900],[30,50,0,44],[900,900,44,0]],
	 "bandwidth_mbps":[[null,80,1,1],[80,null,40,1],[80,40,null,80],[1,1,80,null]]}
END
run plan row.json algorithm ecef root 1 message-size 1000 output row-plan.json
run -j explain row-plan.json on row.json
check_equal 'what the last node has waited for, by hand' \
	'700 1 [[{"from":1,"to":2,"send_us":10,"hop_us":130,"receive_us":20,"done_us":160},{"from":2,"to":3,"send_us":40,"hop_us":250,"receive_us":100,"done_us":550},{"from":3,"to":4,"send_us":0,"hop_us":144,"receive_us":6,"done_us":700}]]' \
	"$(jq -cr '"\(.completion_us) \(.last) \(.paths)"' <<<"$out" | sed 's/\.0\b//g')"
# Half of each: 200, 100, 100, 100, 50, 44, 40, 30, 20, 10; the eleventh is left out.
check_equal 'what less of each part of it would gain, by hand' \
	'[[{"link":[2,3]},600],[{"link":[1,2]},650],[{"link":[3,4]},650],[{"recv_overhead":3},650],[{"latency":[2,3]},675],[{"latency":[3,4]},678],[{"send_overhead":2},680],[{"latency":[1,2]},685],[{"recv_overhead":2},690],[{"send_overhead":1},695]]' \
	"$(jq -c '[.limits[] | [with_entries(select(.value | arrays)) + with_entries(select(.key | endswith("overhead"))), .completion_us]]' <<<"$out" | sed 's/\.0\b//g')"

# 2 is done after 10 + 130 + 1000 + 20 us, 3 after 10 + 50 + 1000 + 100: what only one
# of them waits for gains nothing.
jq '.bandwidth_mbps[0] = [null, 8, 8, 8] | .latency_us[0] = [0, 130, 50, 0]' row.json >even.json
run plan even.json algorithm flat root 1 message-size 1000 output even-plan.json
run -j explain even-plan.json on even.json
check_equal 'two that are done last, by hand' \
	'2 [[[1,2,1160]],[[1,3,1160]]] [[{"send_overhead":1},1155],[{"link":[1,2]},1160],[{"link":[1,3]},1160],[{"latency":[1,2]},1160],[{"recv_overhead":3},1160],[{"latency":[1,3]},1160],[{"recv_overhead":2},1160]]' \
	"$(jq -cr '"\(.last) \(.paths | map(map([.from, .to, .done_us]))) \(.limits | map([({link, latency, send_overhead, recv_overhead} | with_entries(select(.value))), .completion_us]))"' <<<"$out" | sed 's/\.0\b//g')"
run explain even-plan.json on even.json
check_equal 'two that are done last, as tables' 'what 2 has waited for, one of 2 that are done last:
FROM TO SEND HOP RECEIVE DONE
1 2 10 us 1.13 ms 20 us 1.16 ms
what 3 has waited for, one of 2 that are done last:
FROM TO SEND HOP RECEIVE DONE
1 3 10 us 1.05 ms 100 us 1.16 ms' "$(tail -n 7 <<<"$out" | grep . | tr -s ' ' | sed 's/^ //')"

# An HNOW: 1000 bytes take the network 10 + 0.01 * (1000 + 2) us, 1 sends for 200,
# 2 for 400, 2 receives for 100, 3 for 900.
cat >hnow.json <<-'END'
	{"hbcast":"platform","version":1,"wormhole":{"const_us":10,"byte_us":0.01},
	 "nodes":[{"id":9,"kind":"switch"},
	  {"id":1,"kind":"host","speed":{"send_const_us":100,"send_byte_us":0.1,"recv_const_us":50,"recv_byte_us":0.02}},
	  {"id":2,"kind":"host","speed":{"send_const_us":200,"send_byte_us":0.2,"recv_const_us":60,"recv_byte_us":0.04}},
	  {"id":3,"kind":"host","speed":{"send_const_us":300,"send_byte_us":0.3,"recv_const_us":400,"recv_byte_us":0.5}}],
	 "links":[{"from":1,"to":9,"bandwidth_mbps":1,"latency_us":0,"symmetric":true},
	          {"from":2,"to":9,"bandwidth_mbps":1,"latency_us":0,"symmetric":true},
	          {"from":3,"to":9,"bandwidth_mbps":1,"latency_us":0,"symmetric":true}]}
END
run plan hnow.json algorithm flat root 1 message-size 1000 output hnow-plan.json
run -j explain hnow-plan.json on hnow.json
check_equal 'an HNOW: 3 waits until 1 has served 2, by hand' \
	'hnow 1440.04 [[[1,2,200,20.02,100,320.02],[1,3,200,20.02,900,1440.04]]]' \
	"$(jq -cr '"\(.model) \(.completion_us) \(.paths | map(map([.from, .to, .send_us, .hop_us, .receive_us, .done_us])))"' <<<"$out" | sed 's/\.0\b//g')"
# 3 receives in 450; 1 sends twice, each time in 100; 2 receives in 50; 2 * 10.01.
check_equal 'an HNOW: what faster hosts and a faster network would gain, by hand' \
	'[[{"recv_overhead":3},990.04],[{"send_overhead":1},1240.04],[{"recv_overhead":2},1390.04],[{"wormhole":true},1420.02]]' \
	"$(jq -c '[.limits[] | [({send_overhead, recv_overhead, wormhole} | with_entries(select(.value))), .completion_us]]' <<<"$out" |
		sed -E 's/:([0-9]+)\.0\b/:\1/g')"
# Half of it to 2: 150 + 15.01 + 80 us; the other half to 3, 2 has nobody; all swap.
run plan hnow.json algorithm two-ebs root 1 message-size 1000 output hnow-plan.json
run -j explain hnow-plan.json on hnow.json
check_equal 'an HNOW: two sub-networks, by hand' \
	'[[1,2,245.02],[1,3,1060.04],[2,3,2025.06]]' \
	"$(jq -c '.paths[0] | map([.from, .to, .done_us])' <<<"$out")"
run explain hnow-plan.json on hnow.json
check_equal 'an HNOW: the same as a table' 'what 3 has waited for, which is done last:
FROM TO SEND HOP RECEIVE DONE
1 2 150 us 15 us 80 us 245 us
1 3 150 us 15 us 650 us 1.06 ms
2 3 300 us 15 us 650 us 2.03 ms' "$(tail -n 5 <<<"$out" | tr -s ' ' | sed 's/^ //; s/ $//')"

# Root 1 sends at 4, replica 4 at 6, all else is 20: 2 and 3 receive 10 together,
# 14 if the root's link is twice as wide, 16 if the replica's is; but not by the
# rates that the plan has. Every tree passes one of the two links.
cat >replica.json <<-'END'
	{"hbcast":"platform","version":1,"headers":false,
	 "nodes":[{"id":1,"kind":"host"},{"id":2,"kind":"host"},{"id":3,"kind":"host"},
	          {"id":4,"kind":"host"},{"id":9,"kind":"switch"}],
	 "links":[{"from":1,"to":9,"bandwidth_mbps":4,"latency_us":0},
	          {"from":4,"to":9,"bandwidth_mbps":6,"latency_us":0},
	          {"from":9,"to":4,"bandwidth_mbps":20,"latency_us":0},
	          {"from":9,"to":2,"bandwidth_mbps":20,"latency_us":0,"symmetric":true},
	          {"from":9,"to":3,"bandwidth_mbps":20,"latency_us":0,"symmetric":true}]}
END
run plan replica.json algorithm stable root 1 replica 4 message-size 1000000 output replica-plan.json
run -j explain replica-plan.json on replica.json
check_equal 'a plan with a replica: the cut of both sources, by hand' \
	'{"algorithm":"stable","root":1,"message_bytes":1000000,"model":"fluid","upgrade":2,"limits":[{"link":[4,9],"busy":1,"price":0.6,"completion_us":800000,"rate_mbps":10,"planned_anew_us":500000,"bound_us":500000,"bound_mbps":16},{"link":[1,9],"busy":1,"price":0.4,"completion_us":800000,"rate_mbps":10,"planned_anew_us":571428.571,"bound_us":571428.571,"bound_mbps":14}],"completion_us":800000,"rate_mbps":10,"planned_anew_us":800000,"bound_us":800000,"bound_mbps":10}' \
	"$(jq -c 'walk(if type == "number" then . * 1000 | round / 1000 else . end)' <<<"$out")"

# upgrade LIMIT FILE: the file with the limit twice as fast.
upgrade()
{
	jq --argjson limit "$1" '
		def meant($from; $to):
			if $limit.sender then $from == $limit.sender
			elif $limit.receiver then $to == $limit.receiver
			else [$from, $to] == ($limit.link // $limit.latency) end;
		def speed($what): .["\($what)_const_us"] /= 2 | .["\($what)_byte_us"] /= 2;
		if $limit.wormhole then
			.wormhole.const_us /= 2 | .wormhole.byte_us /= 2
		elif $limit.send_overhead or $limit.recv_overhead then
			(if $limit.send_overhead then "send" else "recv" end) as $what |
			($limit["\($what)_overhead"]) as $id |
			(.nodes[] | select(.id == $id)) |=
				if .speed then .speed |= speed($what)
				else .["\($what)_overhead_us"] /= 2 end
		elif $limit.latency and .hbcast == "costs" then
			(.nodes | map(.id)) as $ids |
			.latency_us[$ids | index($limit.latency[0])][$ids | index($limit.latency[1])] /= 2
		elif .hbcast == "costs" then
			(.nodes | map(.id)) as $ids |
			.bandwidth_mbps |= (to_entries | map(.key as $i | .value | to_entries |
				map(if .value and meant($ids[$i]; $ids[.key]) then .value * 2
				    else .value end)))
		else
			.links |= (map(if .symmetric then ., . + {"from":.to,"to":.from} else . end |
				       del(.symmetric)) |
				map(if meant(.from; .to) | not then .
				    elif $limit.latency then .latency_us /= 2
				    else .bandwidth_mbps *= 2 end))
		end' "$2"
}

is_shared()
{
	[[ $1 =~ fluid|port ]]
}

# What the plan, its planner and all trees reach on a file.
outlook()
{
	local ports=()

	is_shared "$2" && [ "$2" != fluid ] && ports=(model "$2")
	"$tool" -j evaluate plan.json on "$1" model "$2" |
		jq '.models[0] | .completion_us, (.rate_mbps // empty), .bound_us'
	"$tool" plan "$1" algorithm "$3" root "$4" "${ports[@]}" output anew.json
	"$tool" -j evaluate anew.json on "$1" model "$2" | jq '.models[0].completion_us'
	! is_shared "$2" ||
		"$tool" plan "$1" algorithm mtp root "$4" "${ports[@]}" | jq .bound_mbps
}

cat >mesh.json <<-'END'
	{"hbcast":"costs","version":1,"headers":false,
	 "nodes":[{"id":5},{"id":2,"recv_overhead_us":4},{"id":7},{"id":4}],
	 "latency_us":[[0,9,14,20],[49,0,11,8],[49,11,0,30],[5,6,7,0]],
	 "bandwidth_mbps":[[null,80,30,20],[80,null,50,10],[30,50,null,40],[20,30,40,null]]}
END
# Payload is whole bits per second, rounded down, and explain makes twice as much of that.
# So that a link that is twice as wide carries just twice as much, 1514 bytes of frames are
# 1432 of payload.
jq '.links[].bandwidth_mbps *= 1.514' "$demo" >counted.json
for case in 'star.json mtp 1 fluid' 'star.json binomial 3 fluid' 'mesh.json mtp 2 one-port' \
	'mesh.json mtp 5 multi-port' 'mesh.json lp-prune 5 one-port' 'mesh.json tps 5 completion' \
	'mesh.json binomial 7 path' 'star.json ecef 1 completion' 'hnow.json ebs 3 hnow' \
	'hnow.json two-vbbs 2 hnow' 'hnow.json ecef 1 hnow' \
	'counted.json flat 1 fluid' 'counted.json stable 1 fluid' 'counted.json mtp 1 one-port'; do
	read -r net name root model <<<"$case"
	keys=
	is_shared "$model" && [ "$model" != fluid ] && keys="model $model"
	# shellcheck disable=SC2086
	"$tool" plan "$net" algorithm "$name" root "$root" $keys output plan.json
	# A plan is explained by the model that it is predicted by.
	if [ "$(jq -r .predicted.model plan.json)" != "$model" ]; then
		jq --arg model "$model" '.predicted.model = $model' plan.json >other.json
		mv other.json plan.json
	fi
	run -j explain plan.json on "$net"
	printf '%s\n' "$out" >explained.json
	keys='.completion_us, (.rate_mbps // empty), .bound_us, .planned_anew_us, (.bound_mbps // empty)'
	said=
	same=$(diff <(jq "$keys" explained.json) <(outlook "$net" "$model" "$name" "$root") && echo same)
	[ "$same" = same ] || said+="as it is: $same; "
	while read -r limit; do
		upgrade "$limit" "$net" >upgraded.json
		same=$(diff <(jq "$keys" <<<"$limit") \
			<(outlook upgraded.json "$model" "$name" "$root") && echo same)
		[ "$same" = same ] || said+="$limit: $same; "
	done < <(jq -c '.limits[]' explained.json)
	check_equal "$name on ${net##*/} by $model: $(jq '.limits | length' explained.json) limits, upgraded, gain what is said" \
		'' "$said"
	check_equal "... and the one that gains most comes first" true \
		"$(jq '.limits | (length > 0) and (map(.completion_us) | . == sort)' explained.json)"
done

# What the planner was asked for it is asked for again.
"$tool" plan "$demo" algorithm random-pipeline root 1 seed 3 output plan.json
"$tool" plan "$demo" algorithm random-pipeline root 1 output other.json
run -j explain plan.json on "$demo"
check_equal 'lots are drawn from the same seed' '{"seed":3} true true' \
	"$(jq -c .asked plan.json) $(jq '.completion_us == .planned_anew_us' <<<"$out") $(
		jq '.trees' plan.json | cmp -s - <(jq .trees other.json) || echo true)"
"$tool" plan mesh.json algorithm mtp root 5 model multi-port trees 1 objective throughput output plan.json
run -j explain plan.json on mesh.json
check_equal 'no more trees and no other objective are asked for' \
	'{"objective":"throughput","trees":1,"tolerance":0.02} true' \
	"$(jq -c .asked plan.json) $(jq '.completion_us == .planned_anew_us' <<<"$out")"

refuse 'no words' 'explain needs the name of a plan: hbcastctl explain help tells more' explain
refuse 'no file' '"on" is missing: it must be given' explain plan.json
"$tool" plan mesh.json algorithm flat root 5 output other.json
refuse 'a network with other nodes' \
	'star.json: the plan has node 4, which is not a member' \
	explain other.json on star.json

tap_done
