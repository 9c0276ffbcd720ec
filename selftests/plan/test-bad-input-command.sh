#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bad input: each command that reads a file says which one, where and why.
# here: timeout=300

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

cat >costs.json <<-'END'
	{"hbcast":"costs","version":1,"nodes":[{"id":1},{"id":2},{"id":3}],
	 "latency_us":[[0,9,14],[49,0,11],[49,11,0]],
	 "bandwidth_mbps":[[null,8,8],[8,null,8],[8,8,null]]}
END
cat >platform.json <<-'END'
	{"hbcast":"platform","version":1,
	 "nodes":[{"id":1,"kind":"host"},{"id":2,"kind":"host"},{"id":3,"kind":"host"},{"id":9,"kind":"switch"}],
	 "links":[{"from":1,"to":9,"bandwidth_mbps":10,"latency_us":5,"symmetric":true},
	  {"from":2,"to":9,"bandwidth_mbps":20,"latency_us":6,"symmetric":true},
	  {"from":3,"to":9,"bandwidth_mbps":30,"latency_us":7,"symmetric":true}]}
END
run plan costs.json algorithm balanced-path root 1 output plan.json

# bad NAME SENTENCE OF-VERIFY: bad.json is refused by all, with one sentence;
# verify, which has a reader of its own, has another.
bad()
{
	local at="bad.json: $2"

	refuse "plan: $1" "$at" plan bad.json algorithm ecef root 1
	refuse "plan by auto: $1" "$at" plan bad.json algorithm auto root 1
	refuse "compare: $1" "$at" compare bad.json root 1
	refuse "evaluate: $1" "$at" evaluate plan.json on bad.json
	refuse "explain: $1" "$at" explain plan.json on bad.json
	refuse "replan: $1" "$at" replan plan.json on bad.json link 1 2 strategy path
	refuse "convert: $1" "$at" convert bad.json to platform
	refuse "verify: $1" "$3" verify plan.json on bad.json
}

between='bad.json: from node 1 to node 2 bandwidth_mbps must be positive and latency_us 0 or more'

head -c 20 costs.json >bad.json
bad 'not JSON' "line 1, column 20: not JSON: premature end of input near '\"v'" \
	"bad.json: line 1, column 20: not JSON: premature end of input near '\"v'"
sed 's/9,14/NaN,14/' costs.json >bad.json
bad 'a latency that is NaN' "line 2, column 21: not JSON: invalid token near 'NaN'" \
	"bad.json: line 2, column 21: not JSON: invalid token near 'NaN'"
echo '[]' >bad.json
bad 'an array' 'the file must hold one JSON object' 'bad.json: the file must hold one JSON object'
sed 's/\[49,0,11\]/[49,0]/' costs.json >bad.json
bad 'a row that is too short' 'latency_us[1] must have 3 columns, as many as nodes, not 2' \
	'bad.json: latency_us must have 3 rows and columns, as many as nodes'
jq -c '.bandwidth_mbps += [[8,8,8]]' costs.json >bad.json
bad 'a row too many' 'bandwidth_mbps must have 3 rows, as many as nodes, not 4' \
	'bad.json: bandwidth_mbps must have 3 rows and columns, as many as nodes'
sed 's/9,14/-9,14/' costs.json >bad.json
bad 'a negative latency' 'latency_us[0][1] must be microseconds from 0 to 1000000000, not -9' "$between"
jq -c '.bandwidth_mbps[0][1] = -8' costs.json >bad.json
bad 'a negative bandwidth' \
	'bandwidth_mbps[0][1] must be null or Mbit/s from 0.000001 to 10000000, not -8' "$between"
jq -c '.bandwidth_mbps[0][1] = "fast"' costs.json >bad.json
bad 'a bandwidth in words' \
	'bandwidth_mbps[0][1] must be null or Mbit/s from 0.000001 to 10000000, not "fast"' \
	'plan.json: bad.json has no link from node 1 to node 2, which an edge joins'
jq -c '.nodes |= .[:1]' costs.json >bad.json
bad 'one node' 'nodes must hold 2 to 4096 nodes, not 1' 'bad.json: nodes must hold 2 to 4096 nodes, not 1'
jq -c '.nodes = [range(100000) | {id: .}]' costs.json >bad.json
bad 'a matrix of 100,000 nodes' 'nodes must hold 2 to 4096 nodes, not 100000' \
	'bad.json: nodes must hold 2 to 4096 nodes, not 100000'
jq -c '.nodes = [range(100000) | {id: ., kind: "host"}]' platform.json >bad.json
bad 'a platform of 100,000 nodes' 'nodes must hold 2 to 32768 nodes, not 100000' \
	'bad.json: nodes must hold 2 to 32768 nodes, not 100000'
jq -c '.nodes[1].id = 1' costs.json >bad.json
bad 'an id given twice' 'nodes: id 1 is given to two nodes' 'bad.json: nodes: id 1 is given twice'
jq -c '.links[0].bandwidth_mbps = -1' platform.json >bad.json
bad 'a link of negative bandwidth' \
	'links[0].bandwidth_mbps must be Mbit/s from 0.000001 to 10000000, not -1' \
	"${between/node 2/node 9}"
jq -c '.links[1].mtu = 100' platform.json >bad.json
bad 'an MTU that leaves no room' 'links[1].mtu must be a whole number of bytes from 256 to 65535, not 100' \
	'bad.json: links[1].mtu is none that a link has'
jq -c '.links[1].to = 8' platform.json >bad.json
bad 'a link to nowhere' 'links[1].to: there is no node 8 in nodes' 'bad.json: links[1] does not join two nodes'
echo '{"hbcast":"plan"}' >bad.json
bad 'a file of another kind' 'hbcast must be "costs" or "platform", not "plan"' \
	'bad.json: the file is no cost matrix and no platform'
rm bad.json
bad 'no file' 'cannot be opened: No such file or directory' \
	'bad.json: cannot be opened: No such file or directory'

# Other formats of 100,000 nodes.
seq 100000 | awk 'BEGIN { print "from,to,latency_us" } { print $1 "," $1 % 100000 + 1 ",5" }' >list.csv
refuse 'convert: a list of 100,000 nodes' 'list.csv: a table must tell of 2 to 4096 nodes, not 100000' \
	convert list.csv to costs bandwidth 10
seq 100000 | awk 'BEGIN { print "graph [" } { print "node [ id " $1 " ]" } END { print "]" }' >big.gml
refuse 'convert: a graph of 100,000 nodes' 'big.gml: line 32770: there may be at most 32768 nodes' \
	convert big.gml to platform bandwidth 10 latency 1ms

# Who cannot be reached matters only to those who send.
jq -c '.bandwidth_mbps[0][2] = null | .bandwidth_mbps[1][2] = null' costs.json >apart.json
for command in 'plan apart.json algorithm ecef' 'plan apart.json algorithm auto' 'compare apart.json'; do
	# shellcheck disable=SC2086
	refuse "a node that nobody sends to: $command" \
		'apart.json: bandwidth_mbps: node 3 cannot be reached from root 1, or not within 285 years' \
		$command root 1
done
gap='bandwidth_mbps: balanced-path sends from node 1 to node 3, which have no link'
refuse 'evaluate: a node that nobody sends to' "apart.json: $gap" evaluate plan.json on apart.json
refuse 'explain: a node that nobody sends to' "apart.json: $gap" explain plan.json on apart.json
refuse 'replan: a node that nobody sends to' "plan.json: apart.json: $gap" \
	replan plan.json on apart.json link 1 2 strategy path
refuse 'verify: a node that nobody sends to' \
	'plan.json: apart.json has no link from node 1 to node 3, which an edge joins' verify plan.json on apart.json
jq -c 'del(.links[1])' platform.json >apart.json
for command in 'plan apart.json algorithm mtp' 'plan apart.json algorithm auto' 'compare apart.json'; do
	# shellcheck disable=SC2086
	refuse "a host without a link: $command" \
		'apart.json: links: node 2 cannot be reached from root 1, or not within 285 years' \
		$command root 1
done

# Roots that are not there: asked for, or in a plan.
for name in $("$tool" -j plan algorithms | jq -r '.[].name'); do
	for file in costs.json platform.json; do
		run plan "$file" algorithm "$name" root 7
		[[ $said == "hbcastctl: $file: nodes: there is no "*" 7 to be the root" ||
		   $said == "hbcastctl: $file: hbcast: $name does not plan from a "* ]] || echo "$name: $said"
	done
done >without
check_equal 'no planner plans for a root that is not there' '' "$(<without)"
check 'there are planners' [ "$("$tool" -j plan algorithms | jq length)" -ge 10 ]
refuse 'compare: a root that is not there' 'costs.json: nodes: there is no node 7 to be the root' \
	compare costs.json root 7
jq -c '.root = 7 | .version = 1 | .message_bytes = 1 |
	.trees[0].edges |= map(map(if . == 1 then 7 else . end))' plan.json >other.json
refuse 'evaluate: a plan for another root' 'costs.json: the plan has node 7, which is not a member' \
	evaluate other.json on costs.json
refuse 'explain: a plan for another root' 'costs.json: the plan has node 7, which is not a member' \
	explain other.json on costs.json
refuse 'replan: a plan for another root' 'other.json: costs.json: nodes: node 7 of the plan is missing' \
	replan other.json on costs.json link 7 2 strategy path
refuse 'verify: a plan for another root' 'other.json: root: costs.json has no host 7' \
	verify other.json on costs.json

# Plans that are none.
head -c 30 plan.json >cut.json
run plan show cut.json
cut=$said
for command in evaluate explain replan verify; do
	words=()
	[ $command != replan ] || words=(leave 3)
	refuse "$command: a plan that is cut off" "${cut#hbcastctl: }" \
		$command cut.json on costs.json "${words[@]}"
done
jq -c '.trees[0].edges = [[1,2]] + [range(100000) | [2, . + 3]]' plan.json >long.json
for command in evaluate explain; do
	refuse "$command: a plan of 100,000 nodes" \
		'long.json: trees[0].edges must hold 1 to 32767 edges, not 100001' $command long.json on costs.json
done
refuse 'verify: a plan of 100,000 nodes' 'long.json: trees[0].edges[2]: costs.json has no host 4' \
	verify long.json on costs.json

tap_done
