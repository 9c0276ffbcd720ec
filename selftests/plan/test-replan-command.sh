#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl evaluate and replan: what they print, write and refuse. The matrices
# are tables 1 and 5 of paper 000, in microseconds, with a byte at 8 Mbit/s.

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

# matrix ROW...: a cost matrix of nodes 0, 1, ..., with bandwidths of payload
matrix()
{
	printf '%s\n' "$@" | jq -R -s '(split("\n") | map(select(. != "") | split(" ") | map(tonumber))) as $m
		| {hbcast: "costs", version: 1, headers: false,
		   nodes: [range($m | length) | {id: .}], latency_us: $m,
		   bandwidth_mbps: ($m | map(map(8)))}'
}

# tree: the edges of the plan in $out
tree()
{
	jq -r '[.trees[0].edges[] | map(tostring) | join("-")] | join(" ")' <<<"$out"
}

# did: steps, cost, previous cost and increased cost of the plan in $out
did()
{
	jq -c '[.steps, .cost, .previous_cost, .increased_cost]' <<<"$out"
}

matrix '0 2 2 0 3 3 0 0' '2 0 0 2 5 5 2 2' '2 0 0 2 5 5 2 2' '0 2 2 0 3 3 0 0' \
	'3 5 5 3 0 0 3 3' '3 5 5 3 0 0 3 3' '0 2 2 0 3 3 0 0' \
	'0 2 2 0 3 3 0 0' >table1.json
matrix '0 2 2 0 3 3 0 0 4' '2 0 0 2 5 5 2 2 2' '2 0 0 2 5 5 2 2 5' \
	'0 2 2 0 3 3 0 0 0' '3 5 5 3 0 0 3 3 0' '3 5 5 3 0 0 3 3 4' \
	'0 2 2 0 3 3 0 0 4' '0 2 2 0 3 3 0 0 3' '4 2 5 0 0 4 4 3 0' >table5.json
run plan table1.json algorithm balanced-path root 0 message-size 1B output plan.json
run plan table1.json algorithm balanced-path root 0 message-size 1B
check_equal 'a binomial plan tells its cost' '3 0-3 0-7 0-5 3-6 3-2 7-4 6-1' \
	"$(jq .cost <<<"$out") $(tree)"

run evaluate plan.json on table1.json model path
check_equal 'evaluate: the sums of table 2' 'MODEL COMPLETION BOUND RATIO SLOWEST MEAN RATE
path 3 us 3 us 1.000 4 1 us -

path:
NODE NAME COMPLETION BOUND RATIO RATE
1 - 2 us 2 us 1.000 -
2 - 2 us 2 us 1.000 -
3 - 0 us 0 us 1.000 -
4 - 3 us 3 us 1.000 -
5 - 3 us 3 us 1.000 -
6 - 0 us 0 us 1.000 -
7 - 0 us 0 us 1.000 -' "$(tr -s ' ' <<<"$out" | sed 's/^ //; s/ $//')"
run -j evaluate plan.json on table1.json
check_equal 'evaluate: all models that apply to a matrix' \
	'["balanced-path",0,1,["completion","path","one-port","multi-port"]]' \
	"$(jq -c '[.algorithm, .root, .message_bytes, [.models[].model]]' <<<"$out")"
# 0-3-6-1 is 1 + 1 + 3, 0-7-4 is 1 + 4; 4 + 4 at best.
check_equal 'evaluate: completion' \
	'{"model":"completion","completion_us":5,"bound_us":4,"ratio":1.25,"slowest":1,"mean_completion_us":3.142,"rate_mbps":8}' \
	"$(jq -c '.models[0] | del(.nodes)' <<<"$out")"
check_equal 'evaluate: a node' \
	'{"id":4,"rate_mbps":8,"completion_us":5,"bound_us":4,"ratio":1.25}' \
	"$(jq -c '.models[0].nodes[3]' <<<"$out")"
run -j evaluate plan.json on table1.json model completion message-size 101B
check_equal 'evaluate: another message size' '[101,303,104]' \
	"$(jq -c '[.message_bytes, .models[0].nodes[0].completion_us - 2, .models[0].nodes[4].completion_us]' <<<"$out")"
run plan "$demo" algorithm tps root 1 message-size 8MiB output demo.json
run -j evaluate demo.json on "$demo"
check_equal 'evaluate: models and names on a platform' \
	'[["completion",true],["path",true],["one-port",true],["multi-port",true],["fluid",true]]' \
	"$(jq -c '[.models[] | [.model, all(.nodes[]; has("name"))]]' <<<"$out" |
		jq -c '.[:5]')"
check_equal 'evaluate: fluid is what the plan predicts' \
	"$(jq -c '[.predicted.completion_us, .predicted.bound_us]' demo.json)" \
	"$(jq -c '.models[] | select(.model == "fluid") | [.completion_us, .bound_us]' <<<"$out")"
jq '.latency_us[0][3] = 7' table1.json >far.json
run -j evaluate plan.json on far.json model path
# 3 is at 0 by way of 6; the tree has it at 7, so there is no ratio.
check_equal 'evaluate: a bound of 0 has no ratio' '{"id":3,"completion_us":7,"bound_us":0}' \
	"$(jq -c '.models[0].nodes[2]' <<<"$out")"

run replan plan.json on table5.json join 8
check_equal 'replan: join, tables 4 to 6' '[2,3,3,4] 0-6 0-3 0-7 0-5 3-8 3-2 7-4 8-1' \
	"$(did) $(tree)"
run replan plan.json on table1.json leave 7
check_equal 'replan: leave, table 7' '[0,7,3,7] 0-3 0-1 0-5 3-6 3-2 1-4' "$(did) $(tree)"
run replan plan.json on table1.json leave 7 strategy path
check_equal 'replan: leave, figure 6, left' '[1,7,3,7]' "$(did)"
run replan plan.json on table1.json leave 7 strategy position output new.json
check_equal 'replan: into a file, nothing printed' '0 ' "$status $out"
out=$(<new.json)
check_equal 'replan: leave, table 8' '[2,3,3,7] 0-3 0-5 0-1 3-6 3-2 5-4' "$(did) $(tree)"
run plan show new.json
check_equal 'a plan that was adapted is a plan' '0 ' "$status $said"
# The file may have forgotten node 7 already: rows and columns 0 to 6 are the same.
jq 'del(.nodes[7]) | .latency_us |= (.[:7] | map(.[:7])) | .bandwidth_mbps |= (.[:7] | map(.[:7]))' \
	table1.json >gone.json
run replan plan.json on gone.json leave 7 strategy position
check_equal 'replan: who has left is not in the file' '[2,3,3,7] 0-3 0-5 0-1 3-6 3-2 5-4' \
	"$(did) $(tree)"

# The link 3-6 costs 9 more: 1 is at 11. Node 6 with its child 1: 0-3-1-6 is 4.
# With its parent 3: 0-6-3 is 9. With its sibling 2: 0-3-2-1 is 2, 0-3-6 is 9.
# So 1 is best for family; it has been tried first.
jq '.latency_us[3][6] = 9 | .latency_us[6][3] = 9' table1.json >dear.json
run replan plan.json on dear.json strategy family link 3 6
check_equal 'replan: link, family' '[3,4,3,11] 0-3 0-7 0-5 3-1 3-2 7-4 1-6' "$(did) $(tree)"
# 3 cannot go up, so path tries 6 with 1 only.
run replan plan.json on dear.json strategy path link 6 3
check_equal 'replan: link, path, ends the other way round' '[1,4,3,11] 0-3 0-7 0-5 3-1 3-2 7-4 1-6' \
	"$(did) $(tree)"
# 3 is at position 4: with 2 at 5 0-2-6-1 is 6; with 4 at 3 it is worse; with 6
# at 6 the link stays; with 7 at 2 0-7-6-1 is 2 and 0-3-4 is 3.
run replan plan.json on dear.json strategy position link 3 6
check_equal 'replan: link, position' '[4,3,3,11] 0-7 0-3 0-5 7-6 7-2 3-4 6-1' "$(did) $(tree)"
# Leaves are 5 4 2 1 at 1 3 5 7: 3/5 6/5 3/4 6/4 and so on, none as good as 3.
run replan plan.json on dear.json strategy leaf link 3 6
check_equal 'replan: link, leaf, tries all eight' 8 "$(jq .steps <<<"$out")"
run replan plan.json on table1.json strategy leaf link 0 7
check_equal 'replan: nothing to do' '[0,3,3,3] 0-3 0-7 0-5 3-6 3-2 7-4 6-1' "$(did) $(tree)"
jq 'del(.cost)' plan.json >silent.json
run replan silent.json on dear.json strategy position link 3 6
check_equal 'replan: a plan that does not tell its cost' '[6,null,11]' \
	"$(jq -c '[.steps, .previous_cost, .increased_cost]' <<<"$out")"
# Nothing has changed, but nothing tells that, so that all is tried in vain.
run replan silent.json on table1.json strategy leaf link 0 7 output again.json
run verify again.json on table1.json
check_equal 'replan: whether nothing has changed is not told' '0 [4,null,3] ' \
	"$status $(jq -c '[.steps, .previous_cost, .increased_cost]' again.json) $said"
jq '.previous_cost = 3' again.json >altered.json
refuse 'replan: a cost that would have made all swaps needless' \
	'altered.json: steps is 4, but leaf tries 0 swaps for a cost of previous_cost' \
	verify altered.json on table1.json
run plan "$demo" algorithm balanced-path root 1 output demo.json
run replan demo.json on "$demo" leave 5 strategy position
check_equal 'replan: a host leaves a platform' '0 fluid 7' \
	"$status $(jq -r '"\(.predicted.model) \(.trees[0].edges | length)"' <<<"$out")"

for command in evaluate replan; do
	refuse "$command without a file" \
		"$command needs the name of a plan: hbcastctl $command help tells more" $command
	refuse "$command without a network" '"on" is missing: it must be given' \
		$command plan.json
	run $command help
	check_match "$command has help" "hbcastctl $command PLAN\\.json on FILE" "$out"
done
refuse 'evaluate of what is no plan' 'table1.json: hbcast must be "plan", not "costs"' \
	evaluate table1.json on table1.json
refuse 'replan of what is no plan' 'table1.json: hbcast must be "plan", not "costs"' \
	replan table1.json on table1.json leave 7
for words in '' 'join 8 leave 7' 'link 3' 'leave 7 6' 'join 8 link 3 6'; do
	# shellcheck disable=SC2086
	refuse "not one change: $words" \
		'replan needs one change: link A B, join ID or leave ID' \
		replan plan.json on table1.json strategy leaf $words
done
refuse 'a link without a strategy' \
	'a link needs a strategy: write strategy family, path, leaf or position' \
	replan plan.json on table1.json link 3 6
refuse 'an unknown strategy' \
	'strategy "best" is unknown: write family, path, leaf or position' \
	replan plan.json on table1.json strategy best link 3 6
refuse 'two nodes that are no neighbours' \
	'plan.json: nodes 5 and 6 are not parent and child, so that the plan does not use their link' \
	replan plan.json on table1.json strategy leaf link 5 6
refuse 'a node that has not been measured' \
	'plan.json: table1.json: nodes: node 8 of the plan is missing' \
	replan plan.json on table1.json join 8
jq '.bandwidth_mbps[0] |= map(null)' gone.json >holes.json
refuse 'a network that falls apart' \
	'plan.json: holes.json: bandwidth_mbps: balanced-path sends from node 0 to node 3, which have no link' \
	replan plan.json on holes.json leave 7
jq '.cost = -1' plan.json >bad.json
refuse 'a cost that is none' 'bad.json: cost must be microseconds from 0 to 9e15, not -1' \
	replan bad.json on table1.json leave 7
refuse 'fluid on a matrix' 'table1.json: the fluid model needs a platform, not a cost matrix' \
	evaluate plan.json on table1.json model fluid
refuse 'another network' 'table5.json: the plan does not reach member 8' \
	evaluate plan.json on table5.json
refuse 'a message of no length' 'message-size must be 1 byte to 1024TiB, not 0 bytes' \
	evaluate plan.json on table1.json message-size 0

# What evaluate knows is in its help and its manual page.
run evaluate plan.json on table1.json model best
models=$(sed -n 's/.*: write //p' <<<"$said" | sed 's/, / /g; s/ or / /')
help=$("$tool" evaluate help)
for model in $models; do
	grep -q "[ |]${model}[ |]" <<<"$help" || undocumented+=" $model"
	grep -qx "\\.B $model" "$page" || undocumented+=" $model"
done
check_equal 'every model is in the help and in the manual page' '' "${undocumented:-}"

# What comes out is what it says, by code that plans nothing.
jq 'del(.nodes[7]) | (.latency_us, .bandwidth_mbps) |= (map(del(.[7])) | del(.[7]))' table1.json >left.json
for strategy in family path leaf position; do
	for change in 'far.json link 0 3' 'table5.json join 8' 'left.json leave 7'; do
		read -r file words <<<"$change"
		# shellcheck disable=SC2086
		run replan plan.json on "$file" $words strategy "$strategy" output again.json
		run verify again.json on "$file"
		check_equal "verify: $words by $strategy" '0 ' "$status $said"
	done
done

# alter NAME SENTENCE FILTER: the plan with this done to it is refused.
alter()
{
	jq "$3" again.json >altered.json || echo "# jq has failed"
	refuse "$1" "altered.json: $2" verify altered.json on "$net"
}

# As above: 6 with its child 1 costs 4, with its parent 3 9, with its sibling 2 9.
net=dear.json
"$tool" replan plan.json on dear.json strategy family link 3 6 output again.json
check_equal 'what has changed, and which two were swapped' \
	'{"link":[3,6],"strategy":"family","swapped":[6,1]}' "$(jq -c .change again.json)"
alter 'fewer steps than were taken' \
	'steps is 2, but family tries 3 swaps for a cost of previous_cost' '.steps = 2'
alter 'a cost before that needs fewer steps' \
	'steps is 3, but family tries 1 swaps for a cost of previous_cost' '.previous_cost = 4'
alter 'a cost before that needs none' \
	'steps is 3, but family tries 0 swaps for a cost of previous_cost' '.previous_cost = 12'
alter 'another strategy' \
	'steps is 3, but leaf tries 8 swaps for a cost of previous_cost' '.change.strategy = "leaf"'
alter 'a strategy that is none' \
	'change.strategy: it must be family, path, leaf, position or none' '.change.strategy = "best"'
alter 'another cost after the change' \
	'increased_cost is 10.000, but before the swap the tree costs 11.000' '.increased_cost = 10'
alter 'no swap' 'change.link: the two were not parent and child before the swap' \
	'del(.change.swapped)'
alter 'a swap with the root' \
	'change.swapped: it must be two nodes of the tree besides the root' '.change.swapped[0] = 0'
alter 'a swap with nobody' \
	'change.swapped: it must be two nodes of the tree besides the root' '.change.swapped[0] = 60'
alter 'another link' 'change.link: the two were not parent and child before the swap' \
	'.change.link = [3,1]'
alter 'no change' 'steps: there is no change from which it would follow' 'del(.change)'
alter 'no change and no steps' 'previous_cost: there is no change from which it would follow' \
	'del(.change, .steps)'
alter 'two changes' 'change: it must have a strategy and one of link, join and leave' \
	'.change.join = 1'
alter 'a node that has left and is there' 'change.leave: the node is still there' \
	'.change |= {strategy, leave: 3}'
alter 'a node that has joined in the middle' \
	'change.join: the node was not at the last position before the swap' \
	'.change |= {strategy, join: 3}'
alter 'a tree that is not binomial' \
	'change: the tree is not binomial, so that replanning has not made it' \
	'del(.cost, .predicted) | .trees[0].edges |= map(if . == [7,4] then [5,4] else . end)'
# 3 with 7 costs 3, which is the fourth swap; with 4 it is worse.
"$tool" replan plan.json on dear.json strategy position link 3 6 output again.json
alter 'no cost before' \
	'steps is 4, but position tries 6 swaps without a previous_cost' 'del(.previous_cost)'
alter 'not the best swap' 'change.swapped: the best swap is that of nodes 3 and 7' \
	'.change.swapped = [3,4] | del(.cost, .predicted) | .increased_cost = 11 |
	 .trees[0].edges = [[0,4],[0,7],[0,5],[4,6],[4,2],[7,3],[6,1]]'
net=left.json
"$tool" replan plan.json on left.json leave 7 strategy position output again.json
check_equal 'who has moved to where a node has left' '{"leave":7,"moved":1,"strategy":"position","swapped":[5,1]}' \
	"$(jq -c .change again.json)"
# 2 with 6 or 3 leaves 0-1-4 at 7; 2 with 4 makes 0-1-2 2 and 0-3-4 3.
alter 'another who has moved' 'steps is 2, but position tries 3 swaps for a cost of previous_cost' \
	'.change.moved = 2'
alter 'nobody who has moved' 'steps is 2, but position tries 0 swaps for a cost of previous_cost' \
	'del(.change.moved)'
alter 'the root has moved' \
	'change.moved: it must be a node of the tree besides the root, when another has left' \
	'.change.moved = 0'

tap_done
