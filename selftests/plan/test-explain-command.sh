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
	{"hbcast":"platform","version":1,
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
	{"hbcast":"costs","version":1,"nodes":[{"id":1},{"id":2},{"id":3}],
	 "latency_us":[[0,0,0],[0,0,0],[0,0,0]],
	 "bandwidth_mbps":[[null,8,2],[8,null,null],[8,null,null]]}
END
run plan costs.json algorithm grow root 1 model one-port message-size 1M output grow.json
run -j explain grow.json on costs.json
check_equal 'the port of a root that sends all, by hand' \
	'[{"sender":1,"busy":1,"price":1,"completion_us":2500000,"rate_mbps":3.2,"bound_mbps":3.2}]' \
	"$(jq -c '.limits | map(del(.planned_anew_us, .bound_us)) |
		walk(if type == "number" then . * 1000 | round / 1000 else . end)' <<<"$out")"

# By completion the way to the last node counts: 1-3 takes 4 s.
run plan costs.json algorithm flat root 1 message-size 1M output flat.json
run -j explain flat.json on costs.json
check_equal 'the way to the last node, by hand' \
	'completion [{"link":[1,3],"busy":1,"completion_us":2000000,"rate_mbps":4}]' \
	"$(jq -cr '"\(.model) \(.limits | map(del(.planned_anew_us, .bound_us)))"' <<<"$out" | sed 's/\.0\b//g')"

# upgrade LIMIT FILE: the file with the limit twice as fast.
upgrade()
{
	jq --argjson limit "$1" '
		def meant($from; $to):
			if $limit.sender then $from == $limit.sender
			elif $limit.receiver then $to == $limit.receiver
			else [$from, $to] == $limit.link end;
		if .hbcast == "costs" then
			(.nodes | map(.id)) as $ids |
			.bandwidth_mbps |= (to_entries | map(.key as $i | .value | to_entries |
				map(if .value and meant($ids[$i]; $ids[.key]) then .value * 2
				    else .value end)))
		else
			.links |= (map(if .symmetric then ., . + {"from":.to,"to":.from} else . end |
				       del(.symmetric)) |
				map(if meant(.from; .to) then .bandwidth_mbps *= 2 else . end))
		end' "$2"
}

# What the plan, its planner and all trees reach on a file.
outlook()
{
	local ports=()

	[ "$2" = fluid ] || [ "$2" = completion ] || ports=(model "$2")
	"$tool" -j evaluate plan.json on "$1" model "$2" |
		jq '.models[0] | .completion_us, .rate_mbps, .bound_us'
	"$tool" plan "$1" algorithm "$3" root "$4" "${ports[@]}" output anew.json
	"$tool" -j evaluate anew.json on "$1" model "$2" | jq '.models[0].completion_us'
	[ "$2" = completion ] ||
		"$tool" plan "$1" algorithm mtp root "$4" "${ports[@]}" | jq .bound_mbps
}

cat >mesh.json <<-'END'
	{"hbcast":"costs","version":1,
	 "nodes":[{"id":5},{"id":2,"recv_overhead_us":4},{"id":7},{"id":4}],
	 "latency_us":[[0,9,14,20],[49,0,11,8],[49,11,0,30],[5,6,7,0]],
	 "bandwidth_mbps":[[null,80,30,20],[80,null,50,10],[30,50,null,40],[20,30,40,null]]}
END
for case in 'star.json mtp 1 fluid' 'star.json binomial 3 fluid' 'mesh.json mtp 2 one-port' \
	'mesh.json mtp 5 multi-port' 'mesh.json lp-prune 5 one-port' 'mesh.json tps 5 completion' \
	"$demo flat 1 fluid" "$demo stable 1 fluid" "$demo mtp 1 one-port"; do
	read -r net name root model <<<"$case"
	keys=
	[ "$model" = fluid ] || [ "$model" = completion ] || keys="model $model"
	# shellcheck disable=SC2086
	"$tool" plan "$net" algorithm "$name" root "$root" $keys output plan.json
	run -j explain plan.json on "$net"
	printf '%s\n' "$out" >explained.json
	keys='.completion_us, .rate_mbps, .bound_us, .planned_anew_us, (.bound_mbps // empty)'
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

refuse 'no words' 'explain needs the name of a plan: hbcastctl explain help tells more' explain
refuse 'no file' '"on" is missing: it must be given' explain plan.json
"$tool" plan mesh.json algorithm flat root 5 output other.json
refuse 'a network with other nodes' \
	'star.json: the plan is predicted by completion, which tells what limits it on a cost matrix only' \
	explain other.json on star.json

tap_done
