#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl plan and compare: what they print, write and refuse.

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh

top=$PWD
formats=$PWD/Documentation/formats.md
readings=$PWD/Documentation/planners/README.md
undocumented=
enter_empty_directory

# Times are microseconds: 1 byte at 8 Mbit/s is 1. Bandwidths are of payload.
cat >costs.json <<-'END'
	{"hbcast":"costs","version":1,"headers":false,
	 "nodes":[{"id":1,"name":"a"},{"id":2,"name":"b \"2\""},{"id":3}],
	 "latency_us":[[0,9,14],[49,0,11],[49,11,0]],
	 "bandwidth_mbps":[[null,8,8],[8,null,8],[8,8,null]]}
END

run plan costs.json algorithm chain root 1 message-size 1B graph text
check_equal 'graph text' "1 a
└─ 2 b \"2\", 8.0 Mbit/s, 10 us
   └─ 3 8.0 Mbit/s, 22 us" "$out"
check_equal 'no warning without a reason' '0 ' "$status $said"
sed 's/"version"/"note":0,"version"/' costs.json >odd.json
run plan odd.json algorithm flat root 1 output plan.json
check_equal 'an unknown key is warned of' \
	'0 hbcastctl: warning: odd.json: note is not known and is ignored' \
	"$status $said"
run plan costs.json algorithm flat root 1 strict output strict.json
check_equal 'a strict plan says so, and others do not' 'true false' \
	"$(jq .strict strict.json) $(jq 'has("strict")' plan.json)"
run plan costs.json algorithm flat root 1 forward message output whole.json
check_equal 'so does one that hands on whole messages' 'message false' \
	"$(jq -r .forward whole.json) $(jq 'has("forward")' plan.json)"
run -j replan whole.json on costs.json strategy path link 1 2
check_equal 'replan keeps that' 'message' "$(jq -r .forward <<<"$out")"
rm whole.json
run plan costs.json algorithm mtp model multi-port root 1 forward message
check_equal 'nor along several trees' \
	'1 hbcastctl: costs.json: whole messages go along one tree, not 2: forward packets, or plan one tree' \
	"$status $said"
run plan costs.json algorithm flat root 1 forward bytes
check_equal 'it is packets or messages' \
	'1 hbcastctl: forward "bytes" is unknown: write packet or message' "$status $said"
run -j replan strict.json on costs.json strategy path link 1 2
rm strict.json
check_equal 'and replan keeps it' 'true' "$(jq .strict <<<"$out")"
run plan costs.json algorithm flat root 1 message-size 1B graph dot
check_equal 'graph dot' 'digraph hbcast {
	1 [label="1\na"];
	2 [label="2\nb \"2\", 8.0 Mbit/s, 10 us"];
	3 [label="3\n8.0 Mbit/s, 15 us"];
	1 -> 2 [label="1"];
	1 -> 3 [label="2"];
}' "$out"

run plan costs.json algorithm flat root 1 message-size 1B
check_equal 'a plan on standard output' \
	'{"hbcast":"plan","version":1,"algorithm":"flat","root":1,"message_bytes":1,"trees":[{"slot":0,"rate_mbps":8,"edges":[[1,2],[1,3]]}],"predicted":{"model":"completion","completion_us":15,"bound_us":15,"gap":0,"slowest":3,"nodes":[{"id":2,"rate_mbps":8,"completion_us":10,"bound_us":10},{"id":3,"rate_mbps":8,"completion_us":15,"bound_us":15}]}}' \
	"$(jq -c . <<<"$out")"
printed=$out
run plan costs.json algorithm flat root 1 message-size 1B output plan.json
check_equal 'a plan in a file, nothing printed' "0  $printed" \
	"$status $out $(<plan.json)"
check_equal 'no other file is left behind' 'costs.json odd.json plan.json said' "$(echo *)"
run plan costs.json algorithm flat root 1
check_equal 'the message size is 64 MiB by default' 67108864 \
	"$(jq .message_bytes <<<"$out")"
run plan costs.json algorithm chain root 3 message-size 100k output plan.json graph text
check_equal 'a file and a graph at once' 'chain 100000 3 3' \
	"$(jq -r '"\(.algorithm) \(.message_bytes) \(.root)"' plan.json) $(wc -l <<<"$out")"

run plan show plan.json
check_equal 'show draws a plan' '3
└─ 1 8.0 Mbit/s, 100.05 ms
   └─ 2 8.0 Mbit/s, 200.06 ms' "$out"
run -j plan show plan.json
check_equal 'show with -j prints it' "$(jq -cS . plan.json)" "$(jq -cS . <<<"$out")"
cat >two.json <<-'END'
	{"hbcast":"plan","version":1,"algorithm":"x","root":1,"message_bytes":1,
	 "trees":[{"slot":0,"rate_mbps":2,"edges":[[1,2],[2,3],[2,4],[1,5],[4,6]]},
		  {"slot":7,"rate_mbps":1.5,"edges":[[1,2]]}]}
END
run plan show two.json
check_equal 'several trees' 'slot 0, 2 Mbit/s
1
├─ 2
│  ├─ 3
│  └─ 4
│     └─ 6
└─ 5
slot 7, 1.5 Mbit/s
1
└─ 2' "$out"
run plan show two.json graph dot
check_equal 'several trees for Graphviz' '1 -> 2 [label="0: 1"];1 -> 5 [label="0: 2"];2 -> 3 [label="0: 1"];2 -> 4 [label="0: 2"];4 -> 6 [label="0: 1"];1 -> 2 [label="7: 1"];' \
	"$(grep -e '->' <<<"$out" | tr -d '\t\n')"

run compare costs.json root 1 message-size 1B
check_equal 'compare' 'ALGORITHM MODEL COMPLETION BOUND RATIO SLOWEST MEAN RATE PLANNED IN
flat completion 15 us 15 us 1.000 3 12 us 8.0 Mbit/s
chain completion 22 us 15 us 1.467 3 16 us 8.0 Mbit/s
binomial completion 15 us 15 us 1.000 3 12 us 8.0 Mbit/s
tps completion 15 us 15 us 1.000 3 12 us 8.0 Mbit/s' \
	"$(tr -s ' ' <<<"$out" | grep -E '^(ALGORITHM|flat|chain|binomial|tps) ' |
		sed -E 's/ [0-9.]+ [mu]?s$//')"
# A link of 10 Mbit/s carries 10 * 1432 / 1514 of payload. In a chain, and in the
# binomial tree, it also carries acknowledgements of what its host hands on, 66 / 3028 of
# that: 1.011 and 2.001, without them, and a 46th of all but latencies more.
run -j compare "$demo" root 1 message-size 4MiB
check_equal 'compare with -j on a platform' \
	'[["flat","fluid",1.597],["chain","fluid",1.032],["binomial","fluid",2.022],["tps","fluid",1]]' \
	"$(jq -c '.planners | map(select(.algorithm | IN("flat", "chain", "binomial", "tps"))
		| [.algorithm, .model, (.ratio * 1000 | round / 1000)])' <<<"$out")"
sed 's/"bandwidth_mbps".*/"bandwidth_mbps":[[null,8,null],[8,null,8],[8,8,null]]}/' costs.json >holes.json
run compare holes.json root 1
check_equal 'compare goes on when a planner cannot' '0 chain ecef tps; flat binomial' \
	"$status $(sed -nE 's/^(chain|ecef|tps) +completion.*/\1/p' <<<"$out" | paste -sd ' '); \
$(sed -nE 's/^(flat|binomial): .* which have no link$/\1/p' <<<"$out" | paste -sd ' ')"

run plan algorithms
check_equal 'algorithms' 'NAME INPUT PARAMETERS PAPER OBJECTIVE WHAT IT TRIES
tps costs, platform 002 section 4 completion completion time, slow nodes as leaves' \
	"$(tr -s ' ' <<<"$out" | grep -E '^(NAME|tps) ')"
algorithms=$(awk 'NR > 1 { print $1 }' <<<"$out")
run -j plan algorithms
check_equal 'algorithms with -j' '{"name":"tps","inputs":["costs","platform"],"parameters":[],"objectives":["completion"],"paper":"002 section 4"}' \
	"$(jq -c '.[] | select(.name == "tps") | del(.objective)' <<<"$out")"
check_equal 'the list as text is that of -j' "$(jq -r '.[].name' <<<"$out")" "$algorithms"
hnow_only=$(jq -r '.[] | select(.inputs == ["hnow"]) | .name' <<<"$out" | paste -sd ' ')
for name in $algorithms; do
	grep -qx "\.B $name" "$page" || undocumented+=" $name"
	grep -q "^\*\*$name\*\*" "$readings" || undocumented+=" $name"
done
check_equal 'every planner is in the manual page and in the list of readings' '' "$undocumented"
check_equal 'every planner but flat has an objective, auto all' \
	'["flat"] ["completion","throughput","mean-completion"]' \
	"$(jq -c 'map(select(.objectives == []).name), (.[] | select(.name == "auto").objectives)' \
		<<<"$out" | paste -sd ' ')"
run plan help
check_equal 'help' 0 "$status"
check_match 'help tells the keys' 'algorithm NAME root ID' "$out"

# An HNOW of two types: 16 + 8 + 8 us and 8 us a byte; or 16 more, and 16 a byte.
hosts=
links=
for id in 1 2 3 4; do
	speed=$(printf '"send_const_us":%d,"send_byte_us":%d,"recv_const_us":8,"recv_byte_us":0' \
		$((16 + id / 3 * 16)) $((4 + id / 3 * 8)))
	hosts+=",{\"id\":$id,\"kind\":\"host\",\"speed\":{$speed}}"
	links+=",{\"from\":$id,\"to\":9,\"bandwidth_mbps\":8,\"latency_us\":1,\"symmetric\":true}"
done
cat >hnow.json <<-END
	{"hbcast":"platform","version":1,"wormhole":{"const_us":8,"byte_us":4},
	 "nodes":[{"id":9,"kind":"switch"}$hosts],"links":[${links#,}]}
END
# Each way has 2 links: 16 + 4 * 100 + 8 + 4 * 102 + 8 = 840 us from 1 and 2, 1656 from 3.
run plan hnow.json algorithm doubling root 1 message-size 100B graph text
check_equal 'a plan from an HNOW' '1
├─ 3 1.0 Mbit/s, 840 us
│  └─ 4 0.5 Mbit/s, 2.50 ms
└─ 2 1.0 Mbit/s, 1.68 ms' "$out"
run plan hnow.json algorithm two-vbbs root 1 message-size 100B output two-vbbs.json
check_equal 'a plan of two sub-networks' '["two-vbbs","hnow",[[1,3],[1,2],[3,4]],[[1,2],[2,4],[4,3]]]' \
	"$(jq -c '[.algorithm, .predicted.model, .trees[].edges]' two-vbbs.json)"
run -j evaluate two-vbbs.json on hnow.json
check_equal 'the models that apply to it' '["one-port","multi-port","hnow"]' \
	"$(jq -c '[.models[].model]' <<<"$out")"
run compare hnow.json root 1
check_equal 'compare: what plans from costs plans from an HNOW, too' 'flat hnow
mtp one-port
doubling hnow
ebs hnow
vbbs hnow
vbbswf hnow
two-ebs hnow
two-vbbs hnow
cfoot hnow' \
	"$(awk '/^(flat|mtp|doubling|ebs|vbbs|vbbswf|two-ebs|two-vbbs|cfoot) / { print $1, $2 }' <<<"$out")"
run plan hnow.json algorithm auto root 1 message-size 100B output auto-hnow.json
check_equal 'auto judges plans of an HNOW by its model' '0 hnow hnow true' \
	"$status $(jq -r '"\(.why.model) \(.predicted.model) \(.why.planners | any(.algorithm == "two-vbbs" and .planned))"' auto-hnow.json)"
cat >slow.json <<-'END'
	{"hbcast":"costs","version":1,"nodes":[{"id":1},{"id":2}],
	 "latency_us":[[0,1],[1,0]],"bandwidth_mbps":[[null,0.000001],[0.000001,null]]}
END
for words in 'plan slow.json algorithm auto' 'compare slow.json'; do
	# shellcheck disable=SC2086
	refuse "what no planner can do, $words" \
		'slow.json: no planner can plan from it, and mtp says why: by mtp node 2 would need more than 285 years' \
		$words root 1 message-size 1024TiB
done
refuse 'a planner that needs an HNOW' \
	'costs.json: hbcast: two-ebs does not plan from a cost matrix, it needs an HNOW' \
	plan costs.json algorithm two-ebs root 1
refuse 'a planner that needs links' \
	'hnow.json: hbcast: stable does not plan from an HNOW, it needs a platform' \
	plan hnow.json algorithm stable root 1
refuse 'a model that needs an HNOW' \
	'costs.json: the hnow model needs an HNOW, not a cost matrix' \
	evaluate plan.json on costs.json model hnow
refuse 'a root that is a switch of an HNOW' \
	'hnow.json: nodes: there is no host 9 to be the root' \
	plan hnow.json algorithm vbbs root 9
run convert hnow.json to platform
check_equal 'an HNOW stays one as a platform' "$(jq -cS '.nodes | sort_by(.id)' hnow.json)" \
	"$(jq -cS .nodes <<<"$out")"
run convert hnow.json to costs
check_equal 'costs of an HNOW' '[1,0.5,16,32,16]' \
	"$(jq -c '[.bandwidth_mbps[0][1], .bandwidth_mbps[2][0], .nodes[0].send_overhead_us, .nodes[2].send_overhead_us, .latency_us[0][1]]' <<<"$out")"

refuse 'an unknown algorithm' \
	'algorithm "best" is unknown: hbcastctl plan algorithms lists them' \
	plan costs.json algorithm best root 1
refuse 'no algorithm' '"algorithm" is missing: it must be given' plan costs.json root 1
refuse 'no root' '"root" is missing: it must be given' plan costs.json algorithm flat
refuse 'a root that is not there' \
	'costs.json: nodes: there is no node 9 to be the root' \
	plan costs.json algorithm flat root 9
refuse 'a root that is a switch' \
	"$demo: nodes: there is no host 101 to be the root" \
	compare "$demo" root 101
refuse 'a root that is no number' \
	'root "one" is no whole number from 0 to 4294967295: write one' \
	plan costs.json algorithm flat root one
refuse 'a message of no length' \
	'message-size must be 1 byte to 1024TiB, not 0 bytes' \
	plan costs.json algorithm flat root 1 message-size 0
refuse 'a key that the planner does not take' \
	'flat has no use for "seed": leave it out' \
	plan costs.json algorithm flat root 1 seed 5
refuse 'a seed that no plan can tell' \
	'seed must be 0 to 9223372036854775807, not 9223372036854775808: write a smaller one' \
	plan costs.json algorithm random-pipeline root 1 seed 9223372036854775808
refuse 'an unknown update' 'update "slow" is unknown: write weighted or literal' \
	plan costs.json algorithm grow root 1 update slow
run plan costs.json algorithm grow root 1 update literal
check_equal 'the plan tells which update it was asked for' '0 {"update":"literal"}' \
	"$status $(jq -c .asked <<<"$out")"
run plan costs.json algorithm grow root 1 update weighted
check_equal '... but not the usual one' '0 null' "$status $(jq -c .asked <<<"$out")"
refuse 'an objective that the planner does not have' \
	'tps does not plan for throughput: hbcastctl plan algorithms tells which planners do' \
	plan costs.json algorithm tps root 1 objective throughput
refuse 'an objective for a planner that has none' \
	'flat does not plan for completion: hbcastctl plan algorithms tells which planners do' \
	plan costs.json algorithm flat root 1 objective completion
refuse 'an unknown objective' \
	'objective "speed" is unknown: write completion, throughput or mean-completion' \
	plan costs.json algorithm flat root 1 objective speed
refuse 'no objective at all' \
	'objective "any" is unknown: write completion, throughput or mean-completion' \
	compare costs.json root 1 objective any
refuse 'a model that is none of ports' \
	'model "fluid" is unknown to planners: write one-port or multi-port' \
	plan costs.json algorithm flat root 1 model fluid
refuse 'more trees than a plan has' \
	'trees must be 1 to 64, not 65: a plan has no more trees' \
	plan costs.json algorithm flat root 1 trees 65
refuse 'a replica where it is of no use' \
	'chain has no use for "replica": leave it out' \
	plan costs.json algorithm chain root 1 replica 2
refuse 'replicas that are no host' \
	"$demo: nodes: there is no host 4000 to be a replica" \
	plan "$demo" algorithm stable root 1 replica 2 replica 4000
# 4 could have 9: 1 from the root, 5 from 3, which comes first, the rest from 2.
cat >near.json <<-'END'
	{"hbcast":"platform","version":1,"headers":false,"nodes":[{"id":9,"kind":"switch"},
	 {"id":1,"kind":"host"},{"id":2,"kind":"host"},{"id":3,"kind":"host"},
	 {"id":4,"kind":"host"}],"links":[
	 {"from":1,"to":9,"bandwidth_mbps":1,"latency_us":1,"symmetric":true},
	 {"from":2,"to":9,"bandwidth_mbps":5,"latency_us":1,"symmetric":true},
	 {"from":3,"to":9,"bandwidth_mbps":5,"latency_us":1,"symmetric":true},
	 {"from":4,"to":9,"bandwidth_mbps":9,"latency_us":1,"symmetric":true}]}
	END
run plan near.json algorithm stable root 1 replica 3 replica 2 output many.json
check_equal 'a plan with several sources' '0  [2,3] [[1,1],[3,5],[2,3]]' \
	"$status $said $(jq -c '.replicas, [.trees[] | [.root // 1, .rate_mbps]]' many.json | tr '\n' ' ' | sed 's/ $//')"
refuse 'several sources, which the kernel does not have' \
	'many.json: node 2 is a replica, but the kernel sends a message from its root alone, here node 1: plan without replica' \
	apply many.json group 5
run verify many.json on near.json
check_match 'several sources are checked' '^good: 3 trees, slot 0 of which spans 4 nodes' "$out"
run explain many.json on near.json
check_match 'several sources are explained' '^what limits stable by fluid' "$out"
run compare costs.json root 1 model multi-port seed 5 trees 2
check_equal 'compare gives keys to whom they are of use' '0 ' "$status $said"
refuse 'a graph of another kind' 'graph "png" is unknown: write dot or text' \
	plan costs.json algorithm flat root 1 graph png
refuse 'a file that is not there' \
	'none.json: cannot be opened: No such file or directory' \
	plan none.json algorithm flat root 1
refuse 'a plan as input' \
	'plan.json: hbcast must be "costs" or "platform", not "plan"' \
	plan plan.json algorithm flat root 1
refuse 'an input as plan' 'costs.json: hbcast must be "plan", not "costs"' \
	plan show costs.json
refuse 'a place that cannot be written' \
	'/nowhere/plan.json: cannot be written: No such file or directory' \
	plan costs.json algorithm flat root 1 output /nowhere/plan.json
refuse 'no words' 'plan needs a command: hbcastctl plan help lists them' plan
refuse 'no file to compare' \
	'compare needs the name of a file: hbcastctl compare help tells more' compare
head -c 100 costs.json >cut.json
run plan cut.json algorithm flat root 1
check_match 'refused: a file cut short' \
	'^hbcastctl: cut\.json: line [0-9]+, column [0-9]+: not JSON: ' "$said"
run -j plan costs.json algorithm flat root 9
check_equal 'errors are JSON with -j' \
	'{"error":"costs.json: nodes: there is no node 9 to be the root","exit":1}' "$said"
run -j plan costs.json algorithm flat root 1 graph text
check_equal 'refused: a graph with -j' \
	'{"error":"a graph is not JSON: leave out -j or graph","exit":1}' "$said"
cp costs.json show
run plan ./show algorithm flat root 1
check_equal 'a file may be named as a command is' 0 "$status"
run plan costs.json algorithm flat root 1 output /dev/stdout
check_equal 'a device is written to, not replaced' 'flat' "$(jq -r .algorithm <<<"$out")"
ln -s linked.json link
echo old >linked.json
run plan costs.json algorithm flat root 1 output link
check_equal 'a link stays, and its file is replaced' 'linked.json flat' \
	"$(readlink link) $(jq -r .algorithm linked.json)"

# 1 byte from node 1, one port: two sends take 2 us, so that 3 has it at 14 + 2.
run plan costs.json algorithm auto root 1 message-size 1B objective completion
check_match 'auto says why' \
	'^hbcastctl: (flat|binomial|tps|[a-z-]*) is taken: of [0-9]+ planners, [0-9]+ of which could plan, it has the best mean-completion by one-port, [0-9.]+ us, of all within 2 % of the best completion, its own being 16 us; of others [a-z-]+ has the best completion, 16 us, and the mean-completion [0-9.]+ us\.?$' "$said"
check_equal 'auto names whose plan it is, and how it was judged' \
	'true completion one-port one-port 16' \
	"$(jq -r '"\(.algorithm == .why.algorithm) \(.why.objective) \(.why.model) \(.predicted.model) \(.predicted.completion_us)"' <<<"$out")"
check_equal 'auto tells what it has considered' \
	"$(jq -c '.planners | map(.algorithm) - ["auto"]' <<<"$(run -j compare costs.json root 1; echo "$out")")" \
	"$(jq -c '.why.planners | map(.algorithm)' <<<"$out")"
run -j plan costs.json algorithm auto root 1 output auto.json
check_equal 'with -j auto says why in the plan only' '0 ' "$status $said"
run plan show auto.json
check_equal 'a plan that says why is taken' '0 ' "$status $said"

for objective in completion throughput mean-completion; do
	case $objective in
	completion)	key=.completion_us ;;
	throughput)	key='(-.rate_mbps)' ;;
	*)		key=.mean_completion_us ;;
	esac
	for file in costs.json "$demo"; do
		run -j compare "$file" root 1 objective $objective
		check_equal "compare for $objective: one model, the best first, auto within 2 %" \
			'true 1 true' \
			"$(jq -r ".planners | \"\(map($key) | . == sort) \(map(.model) | unique | length) \(.[0] as \$best | .[] | select(.algorithm == \"auto\") | ($key - (\$best | $key)) <= 0.02 * (\$best | $key | fabs))\"" <<<"$out")"
	done
done
run compare holes.json root 1 objective completion
check_match 'compare for an objective: who cannot plan comes last' \
	$'auto[^\n]*\n(.*\n)*(flat|binomial) ' "$out"

# Every plan carries the bound of its model, and how far it is from it.
for name in $algorithms; do
	file=$demo
	[[ " $hnow_only " != *" $name "* ]] || file=hnow.json
	"$tool" plan "$file" algorithm "$name" root 1 output "of-$name.json" 2>said || cat said
	jq -e '.predicted | .bound_us > 0 and .gap >= 0 and
		((.completion_us / .bound_us - 1 - .gap) | fabs) < 1e-9' \
		"of-$name.json" >said || echo "# $name has no bound"
done >unbounded
check_equal 'every plan carries its bound and gap' '' "$(<unbounded)"

# A frame of 1514 bytes carries what its link, IP, TCP with timestamps and the fragment's
# header leave of it, as many bytes as the kernel's has.
header=$(awk '$2 == "HBC_DATA_LEN" { print $3 }' "$top/kmod/wire/wire.h")
cat >wide.json <<-'END'
	{"hbcast":"platform","version":1,"nodes":[{"id":1,"kind":"host"},{"id":2,"kind":"host"}],
	 "links":[{"from":1,"to":2,"bandwidth_mbps":1514,"latency_us":1,"symmetric":true}]}
END
run plan wide.json algorithm flat root 1
check_equal 'the payload of 1514 Mbit/s' $((1500 - 52 - header)) "$(jq '.trees[0].rate_mbps' <<<"$out")"

# The examples of the documentation are a cost matrix, a platform, an HNOW and a plan.
awk '/^```json/ { n++; on = 1; next } /^```/ { on = 0 } on { print > "example" n }' "$formats"
run compare example1 root 1
check_equal 'the documented cost matrix is taken' '0 ' "$status $said"
run compare example2 root 1
check_equal 'the documented platform is taken' '0 ' "$status $said"
run compare example3 root 1
check_equal 'the documented HNOW is taken' '0 ' "$status $said"
check_equal 'and it is one' 'cfoot hnow' "$(awk '/^cfoot / { print $1, $2 }' <<<"$out")"
run plan show example4
check_equal 'the documented plan is taken' '0 ' "$status $said"

tap_done
