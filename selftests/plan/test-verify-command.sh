#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl verify: good plans are good, and plans in which one thing is altered
# are not.
# here: timeout=300

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

# alter NAME SENTENCE FILTER: the plan with this done to it is refused.
alter()
{
	jq "$3" plan.json >altered.json || echo "# jq has failed"
	refuse "$1" "altered.json: $2" verify altered.json on "$net"
}

# Bandwidths of payload. Two trees: 2 over 1-2-3, 1 over 1-2 1-3, 1 over 1-3-2 are as much as enters 2
# or 3, which is 4.
cat >triangle.json <<-'END'
	{"hbcast":"platform","version":1,"headers":false,
	 "nodes":[{"id":3,"kind":"host"},{"id":1,"kind":"host"},{"id":2,"kind":"host"},
	          {"id":9,"kind":"switch"}],
	 "links":[{"from":1,"to":2,"bandwidth_mbps":3,"latency_us":1000},
	          {"from":1,"to":3,"bandwidth_mbps":2,"latency_us":1000},
	          {"from":2,"to":3,"bandwidth_mbps":2,"latency_us":1000},
	          {"from":3,"to":2,"bandwidth_mbps":1,"latency_us":1000}]}
END
net=triangle.json

# By hand: 1,000,000 bytes; two ms to whom is behind another.
cat >plan.json <<-'END'
	{"hbcast":"plan","version":1,"algorithm":"hand","root":1,"message_bytes":1000000,
	 "trees":[{"slot":0,"rate_mbps":2,"edges":[[1,2],[2,3]]},
	          {"slot":1,"rate_mbps":1,"edges":[[1,3],[1,2]]},
	          {"slot":5,"rate_mbps":1,"edges":[[3,2],[1,3]]}],
	 "bound_mbps":4,
	 "certificate":{"model":"fluid",
	  "prices":[{"link":[1,3],"price_mbps":2},{"link":[2,3],"price_mbps":2}],
	  "cuts":[{"nodes":[2],"links":[[1,2],[3,2]]},{"nodes":[3],"links":[[1,3],[2,3]]}]},
	 "predicted":{"model":"fluid","completion_us":2002000,"bound_us":2001000,
	  "gap":0.00049975,"slowest":2,"nodes":[
	  {"id":2,"rate_mbps":4,"completion_us":2002000,"bound_us":2001000},
	  {"id":3,"rate_mbps":4,"completion_us":2002000,"bound_us":2001000}]}}
END
run verify plan.json on triangle.json
check_equal 'a plan made by hand, three trees, is good' \
	'0 good: 3 trees, slot 0 of which spans 3 nodes
rates can be kept: nothing is busy for more than 100.00 % of the time
what is predicted by fluid is right, and its bounds are
proven by fluid: no trees are faster together than 4.000000 Mbit/s ' "$status $out $said"
run -j verify plan.json on triangle.json
check_equal 'the same as JSON' \
	'{"good":true,"trees":3,"nodes":3,"model":"fluid","busiest":1,"predicted":true,"proven":true,"bound_mbps":4}' \
	"$(jq -c . <<<"$out")"

alter 'an edge to nobody' 'trees[0].edges[1]: triangle.json has no host 4' '.trees[0].edges[1][1] = 4'
alter 'an edge to a switch' 'trees[0].edges[1]: triangle.json has no host 9' '.trees[0].edges[1][1] = 9'
alter 'an edge with one end' 'trees[0].edges[1] is no id of a node' '.trees[0].edges[1] |= .[:1]'
alter 'a node with two parents' \
	'the tree of slot 1: node 2 has two parents, 1 and 1' '.trees[1].edges[0][1] = 2'
alter 'a node that sends to the root' \
	'the tree of slot 5: node 3 sends to the root, 1' '.trees[2].edges[0][1] = 1'
alter 'a cycle' 'the tree of slot 0: the edges form a cycle through node 3' \
	'.trees[0].edges = [[3,2],[2,3]]'
alter 'a sender that receives nothing' \
	'the tree of slot 0: node 2 sends, but nobody sends to it' '.trees[0].edges = [[2,3]]'
alter 'a node that slot 0 does not reach' \
	'the tree of slot 0 does not reach node 3 of triangle.json' '.trees[0].edges = [[1,2]]'
alter 'no slot 0' 'trees: no tree has slot 0' '.trees[0].slot = 7'
alter 'a slot for two trees' 'slot 5 is given to two trees' '.trees[1].slot = 5'
alter 'a slot of 64' 'trees[1].slot must be 0 to 63' '.trees[1].slot = 64'
alter 'no trees' 'trees must hold 1 to 64 trees, not 0' '.trees = []'
alter 'a root that is a switch' 'root: triangle.json has no host 9' '.root = 9'
alter 'no size' 'message_bytes is no size' '.message_bytes = 0'
alter 'another kind of file' 'the file is no plan of version 1' '.hbcast = "costs"'
alter 'a tree that is faster than a link' \
	'trees[2].rate_mbps is 1.500000, but from node 3 to node 2 only 1.000000 can pass' \
	'.trees[2].rate_mbps = 1.5'
alter 'trees that are together faster than a link' \
	'trees: at their rate_mbps the link from node 1 to node 3 would be busy for 105.0000 % of the time' \
	'.trees[1].rate_mbps = 1.1'
alter 'a rate below nothing' 'trees[1].rate_mbps is no rate' '.trees[1].rate_mbps = -1'
alter 'an unknown model' \
	'predicted.model is none that can be checked: fluid, completion, one-port, multi-port or hnow' \
	'.predicted.model = "guess"'
alter 'a node that is said to be faster' \
	'predicted.nodes: node 3: rate_mbps is 4.100, but by fluid it is 4.000' \
	'.predicted.nodes[1].rate_mbps = 4.1'
alter 'a node that is said to be earlier' \
	'predicted.nodes: node 2: completion_us is 2001000.000, but by fluid it is 2002000.000' \
	'.predicted.nodes[0].completion_us = 2001000'
alter 'a bound that is said to be later' \
	'predicted.nodes: node 2: bound_us is 2001500.000, but by fluid it is 2001000.000' \
	'.predicted.nodes[0].bound_us = 2001500'
alter 'a node twice' 'predicted.nodes[1].id is no node that receives, or comes twice' \
	'.predicted.nodes[1].id = 2'
alter 'a node left out' 'predicted.nodes has 1 nodes, but 2 receive' '.predicted.nodes |= .[:1]'
alter 'another slowest node' \
	'predicted.slowest is 3.000000, but from predicted.nodes follows 2.000000' \
	'.predicted.slowest = 3'
alter 'no gap' 'predicted.gap is 0.000000, but from predicted.nodes follows 0.000500' \
	'.predicted.gap = 0'
alter 'a lower bound than is proven' \
	'bound_mbps is 3.900000, but the sum of certificate.prices is 4.000000' '.bound_mbps = 3.9'
alter 'a price that is too low' \
	'certificate.prices prove no more than 4.000000: there is a tree that pays 0.750000000, not 1' \
	'.bound_mbps = 3 | .certificate.prices |= map(.price_mbps = 1.5)'
alter 'prices of which only one tree pays its part' \
	'certificate.prices prove no more than 4.285714: there is a tree that pays 0.875000000, not 1' \
	'.bound_mbps = 3.75 | .certificate.prices[0].price_mbps = 2 | .certificate.prices[1].price_mbps = 1.75'
alter 'a price for what is not there' \
	'certificate.prices[1] is for nothing that triangle.json has by the fluid model' \
	'.certificate.prices[1].link = [2,1]'
alter 'a price for a port of a node without ports' \
	'certificate.prices[1] is for nothing that triangle.json has by the fluid model' \
	'.certificate.prices[1] = {"sender":2,"price_mbps":2}'
alter 'a price given twice' 'certificate.prices[1] prices something a second time' \
	'.certificate.prices[1].link = [1,3]'
alter 'a negative price' 'certificate.prices[1].price_mbps must be positive' \
	'.certificate.prices[1].price_mbps = -2'
alter 'no certificate' 'bound_mbps is given, but certificate, which proves it, is not' \
	'del(.certificate)'
alter 'no prices' 'bound_mbps is given, but certificate.prices, which proves it, is not' \
	'.certificate.prices = []'
alter 'prices without a bound' \
	'certificate.prices are given, but bound_mbps, which they prove, is not' 'del(.bound_mbps)'
alter 'a certificate of another model' \
	'certificate.model is one-port, but the plan is judged by fluid' '.certificate.model = "one-port"'
alter 'a cut that a link is left out of' \
	'certificate.cuts[0]: without these links node 2 is still reached' \
	'.certificate.cuts[0].links = [[1,2]]'
alter 'a cut of a link that is not there' \
	'certificate.cuts[0].links[0] is no link of triangle.json, or comes twice' \
	'.certificate.cuts[0].links[0] = [2,1]'
alter 'a node in two cuts' \
	'certificate.cuts[1].nodes[0] is no node of triangle.json, or is in two cuts' \
	'.certificate.cuts[1].nodes = [2]'

jq '.links[0].bandwidth_mbps = 2.5' triangle.json >slower.json
refuse 'a network in which a link is slower' \
	'plan.json: trees: at their rate_mbps the link from node 1 to node 2 would be busy for 120.0000 % of the time' \
	verify plan.json on slower.json
jq 'del(.links[0])' triangle.json >without.json
refuse 'a network without a link' \
	'plan.json: without.json has no route from node 1 to node 2, which an edge joins' \
	verify plan.json on without.json
jq '.nodes += [{"id":4,"kind":"host"}]' triangle.json >more.json
refuse 'a network with one host more' \
	'plan.json: the tree of slot 0 does not reach node 4 of more.json' \
	verify plan.json on more.json
refuse 'no network' 'plan.json: the file is no cost matrix and no platform' \
	verify plan.json on plan.json
refuse 'no plan' 'triangle.json: the file is no plan of version 1' \
	verify triangle.json on triangle.json
refuse 'no words' 'verify needs the name of a plan: hbcastctl verify help tells more' verify
refuse 'no file' '"on" is missing: it must be given' verify plan.json

# 4 receives at 9: 1 from the root, 5 from 3 and 3 from 2, which are replicas.
cat >near.json <<-'END'
	{"hbcast":"platform","version":1,"headers":false,"nodes":[{"id":9,"kind":"switch"},
	 {"id":1,"kind":"host"},{"id":2,"kind":"host"},{"id":3,"kind":"host"},
	 {"id":4,"kind":"host"}],"links":[
	 {"from":1,"to":9,"bandwidth_mbps":1,"latency_us":2,"symmetric":true},
	 {"from":2,"to":9,"bandwidth_mbps":5,"latency_us":1,"symmetric":true},
	 {"from":3,"to":9,"bandwidth_mbps":5,"latency_us":3,"symmetric":true},
	 {"from":4,"to":9,"bandwidth_mbps":9,"latency_us":1,"symmetric":true}]}
END
net=near.json
# 9,000,000 bits: 1 s; the farthest source is 4 us away, the nearest 2.
cat >plan.json <<-'END'
	{"hbcast":"plan","version":1,"algorithm":"hand","root":1,"replicas":[2,3],"message_bytes":1125000,
	 "trees":[{"slot":0,"rate_mbps":1,"edges":[[1,4]]},
	          {"slot":1,"root":3,"rate_mbps":5,"edges":[[3,4]]},
	          {"slot":2,"root":2,"rate_mbps":3,"edges":[[2,4]]}],
	 "certificate":{"model":"fluid","cuts":[{"nodes":[4],"links":[[9,4]]}]},
	 "predicted":{"model":"fluid","nodes":[
	  {"id":4,"rate_mbps":9,"completion_us":1000004,"bound_us":1000002}]}}
END
run verify plan.json on near.json
check_equal 'a plan with replicas, made by hand, is good' \
	'0 good: 3 trees, slot 0 of which spans 4 nodes' "$status $(head -n 1 <<<"$out")"
alter 'a tree that begins at nobody with the message' \
	'trees[1].root: node 4 is no replica that this tree may begin at' '.trees[1].root = 4'
alter 'slot 0 that begins at a replica' \
	'trees[1].root: node 3 is no replica that this tree may begin at' \
	'.trees[1].slot = 0 | .trees[0].slot = 1'
alter 'a tree that begins elsewhere than it says' \
	'the tree of slot 1: node 3 sends, but nobody sends to it' '.trees[1].root = 2'
alter 'a replica that receives' 'the tree of slot 1: node 3 sends to a replica, 2' \
	'.trees[1].edges = [[3,2]]'
alter 'the root as a replica' 'replicas: node 1 is a source already' '.replicas = [1]'
alter 'a replica that is no host' 'replicas: near.json has no host 9' '.replicas = [9]'
alter 'replicas by another model' 'predicted.model must be fluid for a plan with replicas' \
	'.predicted.model = "one-port"'
alter 'a replica left out' 'the tree of slot 0 does not reach node 2 of near.json' \
	'.replicas = [3]'
alter 'a cut that a replica is not behind' \
	'certificate.cuts[0]: without these links node 4 is still reached' \
	'.certificate.cuts[0].links = [[1,9]]'
alter 'more than replicas have' 'predicted.nodes: node 4: rate_mbps is 9.500, but by fluid it is 9.000' \
	'.predicted.nodes[0].rate_mbps = 9.5'
alter 'a bound from the root alone' \
	'predicted.nodes: node 4: bound_us is 1000004.000, but by fluid it is 1000002.000' \
	'.predicted.nodes[0].bound_us = 1000004'

# Routes, ports, costs with overheads, and several sizes.
cat >costs.json <<-'END'
	{"hbcast":"costs","version":1,
	 "nodes":[{"id":5,"send_overhead_us":3},{"id":2,"recv_overhead_us":4},{"id":7},{"id":4}],
	 "latency_us":[[0,9,14,20],[49,0,11,8],[49,11,0,30],[5,6,7,0]],
	 "bandwidth_mbps":[[null,80,30,20],[80,null,50,10],[30,50,null,40],[20,30,40,null]]}
END
# An HNOW: 3 and 5 are slow, 4 is slower; 101 has no hosts.
speed()
{
	printf '"speed":{"send_const_us":%s,"send_byte_us":%s,"recv_const_us":%s,"recv_byte_us":%s}' "$@"
}
for pair in 1-100 2-100 3-102 4-102 5-103 100-101 101-102 102-103 103-100; do
	printf '{"from":%s,"to":%s,"bandwidth_mbps":1,"latency_us":1,"symmetric":true}\n' \
		"${pair%-*}" "${pair#*-}"
done >links
cat >hnow.json <<-END
	{"hbcast":"platform","version":1,"wormhole":{"const_us":16,"byte_us":0.125},
	 "nodes":[{"id":103,"kind":"switch"},{"id":101,"kind":"switch"},{"id":100,"kind":"switch"},
	          {"id":102,"kind":"switch"},
	          {"id":4,"kind":"host",$(speed 120 1.6 170 1.28)},
	          {"id":1,"kind":"host",$(speed 60 0.05 110 0.03)},
	          {"id":2,"kind":"host",$(speed 60 0.05 110 0.03)},
	          {"id":3,"kind":"host",$(speed 90 0.4 140 0.32)},
	          {"id":5,"kind":"host",$(speed 90 0.4 140 0.32)}],
	 "links":[$(paste -sd , links)]}
END
net=hnow.json
run plan hnow.json algorithm vbbs root 1 message-size 2048 output plan.json
run verify plan.json on hnow.json
check_equal 'a plan of an HNOW is good' \
	'good: 1 trees, slot 0 of which spans 5 nodes
what is predicted by hnow is right, and its bounds are' "$out"
# 1 to 2 over 2 links takes 606.09; 2 to 3 over 4 links 1230.26, and to 4, before, 3226.34.
alter 'another order of sending' \
	'predicted.nodes: node 3: completion_us is 5062.690, but by hnow it is 1836.350' \
	'.trees[0].edges = [[1,2],[2,3],[2,4],[4,5]]'
run convert hnow.json to costs output pairs.json
refuse 'hnow on no HNOW' \
	'plan.json: predicted.model is hnow, which needs an HNOW, and pairs.json is none' \
	verify plan.json on pairs.json
run plan hnow.json algorithm two-ebs root 1 message-size 2048 output plan.json
alter 'two trees that are no sub-networks' \
	'trees: these 2 are no two sub-networks, which hnow needs' \
	'.trees[1].edges = .trees[0].edges'

# A third of 0.1 Mbit/s is not a whole number of bit/s.
cat >slow.json <<-'END'
	{"hbcast":"costs","version":1,"nodes":[{"id":1},{"id":2},{"id":3},{"id":4}],
	 "latency_us":[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]],
	 "bandwidth_mbps":[[null,0.1,0.1,0.1],[null,null,null,null],[null,null,null,null],
	                   [null,null,null,null]]}
END
run plan slow.json algorithm grow root 1 output plan.json
run verify plan.json on slow.json
check_equal 'a plan for very slow links is good' '0 ' "$status $said"
# Several ports let 1 / 0.8 of the fastest through, 41666.25 bit/s.
cat >slow.json <<-'END'
	{"hbcast":"costs","version":1,"headers":false,"nodes":[{"id":1},{"id":2},{"id":3}],
	 "latency_us":[[0,0,0],[0,0,0],[0,0,0]],
	 "bandwidth_mbps":[[null,0.033333,0.033333],[0.033333,null,0.033333],[0.033333,0.033333,null]]}
END
run plan slow.json algorithm grow root 1 model multi-port message-size 1000000 output plan.json
run verify plan.json on slow.json
check_equal 'a plan for slow links and several ports is good' '0  191998464.012' \
	"$status $said $(jq .predicted.bound_us plan.json)"
# A file does not tell 9007199254741.992 us and 2 ns more apart.
cat >long.json <<-'END'
	{"hbcast":"costs","version":1,"nodes":[{"id":1},{"id":2},{"id":3}],
	 "latency_us":[[0,1,1.002],[1,0,9],[1,9,0]],
	 "bandwidth_mbps":[[null,1000,1000],[1000,null,1],[1000,1,null]]}
END
run plan long.json algorithm flat root 1 message-size 1024TiB output plan.json
run verify plan.json on long.json
check_equal 'a plan that takes a hundred days is good' '0  3' \
	"$status $said $(jq .predicted.slowest plan.json)"

# With several ports 1 receives 10 from 5, and 10 over the link between switches from
# all others: of equal links those nearer to 1 count. 8,000,000 bits take 0.4 s.
while read -r from to mbps; do
	printf '{"from":%s,"to":%s,"bandwidth_mbps":%s,"latency_us":1,"symmetric":true}\n' \
		"$from" "$to" "$mbps"
done >links <<-'END'
	1 101 1000
	5 101 10
	101 102 10
	2 102 1000
	3 102 1000
	4 102 10
	6 102 10
END
cat >tree.json <<-END
	{"hbcast":"platform","version":1,"headers":false,
	 "nodes":[{"id":101,"kind":"switch"},{"id":102,"kind":"switch"},
	          $(printf '{"id":%s,"kind":"host"},' 1 2 3 4 5){"id":6,"kind":"host"}],
	 "links":[$(paste -sd , links)]}
END
run plan tree.json algorithm mtp root 2 model multi-port message-size 1000000 output plan.json
run verify plan.json on tree.json
check_equal 'a plan for a tree with equal links is good' '0  400003' \
	"$status $said $(jq '.predicted.nodes[] | select(.id == 1).bound_us' plan.json)"

# A list of all pairs would take more. Each of the hosts' links carries 100 * 1432 / 1514:
# 1000 of them 999 times the message, and 66 / 3028 of that as acknowledgements.
nodes=$(seq -f '{"id":%g,"kind":"host"}' -s , 1000)
links=$(seq -f '{"from":0,"to":%g,"bandwidth_mbps":100,"latency_us":1,"symmetric":true}' -s , 1000)
echo '{"hbcast":"platform","version":1,"nodes":[{"id":0,"kind":"switch"},' \
	"$nodes],\"links\":[$links]}" >star.json
for model in one-port multi-port; do
	out=$(ulimit -v 131072
	      "$tool" plan star.json algorithm mtp root 1 model $model output plan.json 2>&1 &&
	      "$tool" verify plan.json on star.json 2>&1 | tail -n 1)
	check_equal "a plan for 1000 hosts, $model, needs less than 128 MiB" \
		"proven by $model: no trees are faster together than 92.658916 Mbit/s" "$out"
done

# Large frames here and there, and a host that sends and receives over one link.
cat >mixed.json <<-'END'
	{"hbcast":"platform","version":1,
	 "nodes":[{"id":1,"kind":"host"},{"id":2,"kind":"host"},{"id":3,"kind":"host"},{"id":4,"kind":"host"},
	          {"id":101,"kind":"switch"},{"id":102,"kind":"switch"},
	          {"id":21,"kind":"switch"},{"id":22,"kind":"switch"}],
	 "links":[{"from":1,"to":101,"bandwidth_mbps":90,"latency_us":5,"mtu":9000,"symmetric":true},
	          {"from":2,"to":101,"bandwidth_mbps":70,"latency_us":5,"mtu":9000,"symmetric":true},
	          {"from":101,"to":102,"bandwidth_mbps":40,"latency_us":9,"mtu":1400,"symmetric":true},
	          {"from":3,"to":102,"bandwidth_mbps":50,"latency_us":5,"symmetric":true},
	          {"from":1,"to":102,"bandwidth_mbps":10,"latency_us":2},
	          {"from":4,"to":21,"bandwidth_mbps":60,"latency_us":0},
	          {"from":102,"to":21,"bandwidth_mbps":60,"latency_us":0},
	          {"from":21,"to":22,"bandwidth_mbps":60,"latency_us":5},
	          {"from":22,"to":4,"bandwidth_mbps":60,"latency_us":0},
	          {"from":22,"to":102,"bandwidth_mbps":60,"latency_us":0}]}
END

bad=
tried=0
for name in $("$tool" -j plan algorithms | jq -r '.[].name'); do
	for keys in '' 'model one-port' 'model multi-port' 'message-size 1' 'objective throughput'; do
		for net in costs.json "$demo" triangle.json mixed.json hnow.json; do
			root=$([ "$net" = costs.json ] && echo 2 || echo 1)
			# shellcheck disable=SC2086
			"$tool" plan "$net" algorithm "$name" root "$root" $keys output made.json 2>said || continue
			tried=$((tried + 1))
			run verify made.json on "$net"
			[ "$status" = 0 ] || bad+="$name $keys $net: $said; "
		done
	done
done
check_equal 'what planners make is good' '' "$bad"
check_equal 'many planners have planned' 1 "$((tried > 120))"

# What auto says of its plan, of others' plans, and of why it has taken this one.
net=costs.json
run plan costs.json algorithm auto root 2 message-size 1000 output plan.json
taken=$(jq -r .why.algorithm plan.json)
check_equal 'a plan of auto is good' "0 $taken" "$status $(jq -r .algorithm plan.json)"
mine="(.why.planners[] | select(.algorithm == \"$taken\"))"
bound=$(jq '.predicted.bound_us' plan.json)
for key in completion_us mean_completion_us rate_mbps; do
	now=$(jq "$mine.$key" plan.json)
	alter "another $key" \
		"why.planners: $key of $taken is $(jq -n "$now * 1.01" | xargs printf %.2f), but the plan has $(printf %.2f "$now")" \
		"$mine.$key *= 1.01"
done
alter 'who has not made the plan' 'why.algorithm: it is not the algorithm of the plan' \
	'.why.algorithm = "flat"'
alter 'who is not there' 'why.planners: the algorithm of the plan must be there once, and have planned' \
	"del$mine"
alter 'who is there and has not planned' \
	'why.planners: the algorithm of the plan must be there once, and have planned' \
	"$mine.planned = false"
alter 'another model' 'why.model: it is not the one by which the plan is predicted' \
	'.why.model = "multi-port"'
alter 'an objective that is none' \
	'why.objective: it must be completion, throughput or mean-completion' '.why.objective = "cost"'
flat='(.why.planners[] | select(.algorithm == "flat"))'
alter 'another is better' "why.algorithm is $taken, but flat serves the objective better" \
	"$mine as \$mine | $flat |= (\$mine | .algorithm = \"flat\" | .mean_completion_us -= 1)"
alter 'another is better than can be' 'why.planners: completion_us of flat is below what bounds allow' \
	"$flat.completion_us = $bound - 1"
alter 'another is done later on average than at all' \
	'why.planners: mean_completion_us of flat is above its completion_us' \
	"$flat |= (.mean_completion_us = .completion_us + 1)"
alter 'a planner without a name' \
	'why.planners: each must have an algorithm, and tell whether it has planned' \
	"del($flat.algorithm)"

# What mtp's trees have together lies between those of the plan and the bound.
net=$demo
"$tool" plan "$net" algorithm mtp root 1 model one-port output plan.json
most=$(jq .bound_mbps plan.json)
for uncapped in 0.5 "$(jq -n "$most * 1.1")"; do
	alter "all trees have $uncapped together" \
		"uncapped_mbps is $(printf %.6f "$uncapped"), which is not between the trees' rates and bound_mbps" \
		".uncapped_mbps = $uncapped"
done

# Each number of a plan, made a hundredth larger; ids by one. Slots may be others, and what
# was asked for proves nothing.
for case in 'costs.json mtp 2 model one-port' 'costs.json balanced-path 2' "$demo stable 1" \
	'triangle.json mtp 1' 'mixed.json stable-graph 1' 'costs.json lp-grow 5 model multi-port' 'hnow.json two-vbbs 4' \
	'hnow.json cfoot 2' 'triangle.json stable-graph 1'; do
	read -r net name root keys <<<"$case"
	# shellcheck disable=SC2086
	"$tool" plan "$net" algorithm "$name" root "$root" $keys output plan.json
	jq -c 'del(.why, .version, .asked, .trees[].slot) | paths(numbers)' plan.json >paths
	taken=
	while read -r path; do
		jq --argjson p "$path" \
			'(if any($p[]; IN("edges", "root", "id", "slowest", "link", "nodes", "links", "sender", "receiver") and . != "nodes")
			  then getpath($p) + 1 else getpath($p) * 1.01 + 0.01 end) as $x |
			 setpath($p; $x)' plan.json >altered.json
		run verify altered.json on "$net"
		[ "$status" = 1 ] && [ -n "$said" ] || taken+="$path "
	done <paths
	check_equal "$name on ${net##*/}: each of $(wc -l <paths) numbers, altered, is found out" '' "$taken"
done

tap_done
