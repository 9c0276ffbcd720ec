#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl's commands that set up, apply, show and watch, from end to end at
# three nodes.
# vm: timeout=300

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ctl=$HBCAST_CTL
version=$(awk '$2 == "HBCAST_VERSION" { gsub(/"/, ""); print $3 }' include/hbcast_version.h)
status=''
out=''
err=''

nodes_up 3 || exit

### Versions.
refused "no module" 1 'the kernel has no hbcast: .*modprobe hbcast' 1 node show
refused "no module, send" 1 'the kernel has no hbcast' 1 send "$0" group 5 port 9
run 1 -j version
check_equal "no module: version" "1 [\"$version\",2,null]" \
	"$status $(gojq -c '[.tool.version, .tool.interface, .module]' <<<"$out")"
load_hbcast || exit
run 1 version
check_equal "version" "0 hbcastctl $version, interface 2
module    $version, interface 2, wire 4" "$status $out"
run 1 -j version
check_jq "version as JSON" "[2,\"$version\",2,4]" \
	'[.tool.interface, .module.version, .module.interface, .module.wire]'

### The node.
refused "no node" 2 'the node cannot be shown: ' 1 node show
refused "an address of nobody here" 2 'node 1 cannot be set: ' 1 node set 1 address 10.9.0.2
refused "an address that cannot be reached" 2 'node 1 cannot be set: ' 1 node set 1 address 0.0.0.0
run 1 node set 1 address 10.9.0.1:7400
check_equal "node set: says nothing" "0 " "$status $out$err"
run 1 node set id 1 address 10.9.0.1 port 7400
check_equal "node set: the same again" "0 " "$status $out$err"
refused "node set: another id" 2 'node 2 cannot be set: ' 1 node set 2 address 10.9.0.1
run 1 -j node
check_jq "node show" '[1,"10.9.0.1",7400,0,0,0,0]' \
	'[.id, .address, .port, .peers, .groups, .lanes, .half_open]'
run 1 -j node del
check_equal "node del" "0 {}" "$status $out$err"
run 1 -j node set 1 address ::1
check_jq "node set: IPv6" '["::1",7310,1]' '[.address, .port, .id]'
run 1 -j node
check_jq "node show: IPv6" '["::1",7310]' '[.address, .port]'
at 1 node del
run 1 -j node set 1 address 10.9.0.1
check_jq "node set as JSON" '["10.9.0.1",7310,1]' '[.address, .port, .id]'

### Peers.
check "peer add" at 1 peer add 2 address 10.9.0.2
check "peer add: IPv6 and a port" at 1 peer add id 77 address [2001:db8::7]:81
refused "peer add: another address" 2 'peer 2 cannot be added: ' 1 peer add 2 address 10.9.0.9
refused "peer add: this node" 2 'peer 1 cannot be added: ' 1 peer add 1 address 10.9.0.1
run 1 -j peer
check_jq "peer show" '[[2,"10.9.0.2",7310],[77,"2001:db8::7",81]]' 'map([.id, .address, .port])'
check "peer del" at 1 peer del 77
refused "peer del: unknown" 2 'peer 77 cannot be forgotten: ' 1 peer del 77

nodes()
{
	printf '{"nodes": [%s]}\n' "$1" >"$dir/nodes.json"
}

nodes '{"id": 1, "address": "10.9.0.1"}, {"id": 2, "address": "10.9.0.2", "port": 7310},
	{"id": 3, "address": "10.9.0.3"}, {"id": 100, "kind": "switch"}'
run 1 -j peer import "$dir/nodes.json"
check_equal "peer import" '0 {"added":1,"known":1}' "$status $out$err"
run 1 peer import "$dir/nodes.json"
check_equal "peer import: again" "0 0 peers added, 2 were known" "$status $out$err"
nodes '{"id": 4, "address": "10.9.0.4"}, {"id": 3, "address": "10.9.0.33"}'
refused "peer import: another address" 1 '.*node 3 is at 10.9.0.33 port 7310, but is known at 10.9.0.3' \
	1 peer import "$dir/nodes.json"
nodes '{"id": 4, "address": "10.9.0.4"}, {"id": 5}'
refused "peer import: no address" 1 '.*node 5 has no "address"' 1 peer import "$dir/nodes.json"
nodes '{"id": 4, "address": "10.9.0.4"}, {"id": 0, "address": "10.9.0.5"}'
refused "peer import: id 0" 1 '.*nodes\[1\].id is no whole number' 1 peer import "$dir/nodes.json"
nodes '{"id": 4, "address": "10.9.0.4", "port": 65536}'
refused "peer import: a port too large" 1 '.*"port" of node 4' 1 peer import "$dir/nodes.json"
run 1 -j peer
check_jq "peer import: nothing of the refused files" '[2,3]' 'map(.id)'

### Groups.
check "keygen" at 1 group keygen "$dir/key"
check_equal "keygen: length and mode" "32 600" "$(stat -c '%s %a' "$dir/key")"
check "group add" at 1 group add 5 key-file "$dir/key"
run 1 -j group
check_jq "group show: what is so unless set" '[[5,0,0,"0600",5000,10000,0,[]]]' \
	'map([.id, .uid, .gid, .mode, .dead_interval_ms, .stall_interval_ms, .receivers, .members])'
check_jq "group show: bounds that are so unless set" '[[4194304,1073741824,4096]]' \
	'map([.window_bytes, .spool_bytes, .max_nodes])'
check_jq "group show: who may measure" '[["on",null,0,0]]' \
	'map([.probe, .probe_rate_mbps, .probe_total_bytes, .probed_bytes])'
check_jq "group show: nothing dropped" '[0,0,0,0,0,0,0]' \
	'.[0].drops | [.stale, .twice, .no_receiver, .checksum, .stalled, .no_memory, .spool]'
refused "group add: again" 2 'group 5 cannot be added: ' 1 group add 5 key-file "$dir/key"
check "group set" at 1 group set 5 owner nobody group nogroup mode 0620 dead-interval 2s \
	stall-interval 1500ms window 256KiB spool 64MiB max-nodes 100 members 3,1,2
run 1 -j group show id 5
check_jq "group set: shown" '[[5,65534,65534,"0620",2000,1500,[1,2,3]]]' \
	'map([.id, .uid, .gid, .mode, .dead_interval_ms, .stall_interval_ms, .members])'
check_jq "group set: its bounds" '[[262144,67108864,100]]' \
	'map([.window_bytes, .spool_bytes, .max_nodes])'
run 1 group show
check_match "group show: as text" '5  nobody  nogroup  0620  2.000 s  1.500 s  256.0 KiB +64.0 MiB +0  1,2,3' "$out"
check "group set: less of measuring" at 1 group set 5 probe off probe-rate 94mbit probe-total 2GB
run 1 -j group
check_jq "group set: as was said" '[["off",94,2000000000]]' \
	'map([.probe, .probe_rate_mbps, .probe_total_bytes])'
check "group set: all of it again" at 1 group set 5 probe on probe-rate any probe-total any
run 1 -j group
check_jq "group set: without limits" '[["on",null,0]]' \
	'map([.probe, .probe_rate_mbps, .probe_total_bytes])'
refused "group set: a member twice" 2 'group 5 cannot be changed: .*twice' 1 group set 5 members 1,1
refused "group set: unknown" 2 'group 6 cannot be changed: ' 1 group set 6 mode 0600
check "group set: any member" at 1 group set 5 members any mode 0600 owner root
run 1 -j group
check_jq "group set: any member is shown" '["0600",0,[]]' '.[0] | [.mode, .uid, .members]'
check "group add: a second one" at 1 group add 9 key-file "$dir/key" members 1,2
run 1 -j group
check_jq "group show: all" '[5,9]' 'map(.id)'
run 1 -j group show 9
check_jq "group show: one" '[9]' 'map(.id)'
check "group del" at 1 group del 9
refused "group del: unknown" 2 'group 9 cannot be left: ' 1 group del 9

many=$(seq -s , 1 4096)
check "group add: 4096 members" at 1 group add 9 key-file "$dir/key" members "$many"
run 1 -j group show 9
check_jq "group show: 4096 members" '[4096,1,4096]' '.[0].members | [length, .[0], .[4095]]'
refused "group set: 4097 members" 1 'members has more than 4096 ids' 1 group set 9 members "$many,4097"
at 1 group del 9

### Who may.
nobody()
{
	ip netns exec n1 setpriv --reuid=65533 --regid=65533 --clear-groups "$ctl" "$@"
}

nobody group del 5 2>"$dir/err"
check_equal "nobody may not change groups" \
	"2 hbcastctl: group 5 cannot be left: you lack CAP_NET_ADMIN in this network namespace: use sudo" \
	"$? $(<"$dir/err")"
check_equal "anybody may look" "5" "$(nobody -j group | gojq '.[].id')"

# shows NODE JSON FILTER: what show plan says there.
shows()
{
	run "$1" -j show plan
	[ "$(gojq -c "$3" <<<"$out")" = "$2" ]
}

### Plans.
for i in 2 3; do
	at "$i" node set "$i" address "10.9.0.$i"
	at "$i" group add 5 key-file "$dir/key"
done
plan 1 '[1,2],[2,3]' >"$dir/chain"
plan 1 '[1,3],[1,2]' >"$dir/flat"
run 1 -j apply "$dir/chain" group 5 dry-run
check_equal "dry-run" '0 {"group":5,"epoch":1,"changed":true,"dry_run":true}' "$status $out$err"
run 1 -j show plan
check_equal "dry-run: nothing is there" "0 []" "$status $out$err"
run 1 -j apply "$dir/chain" group 5 wait 30s
check_equal "apply" '0 {"group":5,"epoch":1,"changed":true,"dry_run":false,"ready":true}' \
	"$status $out$err"
run 1 apply "$dir/chain" group 5
check_equal "apply: again" "0 nothing to change, epoch 1 holds this plan" "$status $out$err"
run 1 apply "$dir/chain" group 5 dry-run wait 1s
check_equal "dry-run: again" "0 nothing to change, epoch 1 holds this plan" "$status $out$err"
run 1 show plan graph text
check_equal "show plan: drawn" "group 5, root 1, epoch 1, slot 0: 3 nodes, all ready
1
└─ 2 ready
   └─ 3" "$out"
run 2 show plan graph dot
check_match "show plan: for dot" 'digraph .*2 -> 3' "$out"
run 3 show plan graph text
check_equal "show plan: a leaf" "group 5, root 1, epoch 1, slot 0: 1 nodes, all ready
3" "$out"
refused "show plan: a graph is no JSON" 1 '.*' 1 show plan graph tree
run 2 -j show lane
check_jq "show lane" '[["up",1,"ready"],["down",3,"ready"]]' \
	'sort_by(.peer) | map([.direction, .peer, .state])'
run 2 -j show lane peer 3
check_jq "show lane: of one peer" '[[5,1,0,3,"down","none","10.9.0.3",7310,1]]' \
	'map([.group, .root, .slot, .peer, .direction, .reject, .address, .port, .connects])'
check "group set: dead-interval" at 2 group set 5 dead-interval 500ms
ip -n switch link set port3 down
check "show plan: who is lost" wait_for 30 shows 1 '[false,[3]]' '.[0] | [.ready, .lost]'
run 1 show plan graph text
check_equal "show plan: who is lost, drawn" "group 5, root 1, epoch 1, slot 0: 3 nodes, not all ready
1
└─ 2 waiting
   └─ 3 lost" "$out"
run 1 show plan
check_match "show plan: who is lost, as text" 'CHILDREN  *LOST.*2 waiting  *3$' "$out"
ip -n switch link set port3 up
check "show plan: it is back" wait_for 30 shows 1 '[true,[]]' '.[0] | [.ready, .lost]'

run 1 -j apply "$dir/flat" group 5 wait 30s
check_jq "apply: another plan" '[2,true,true]' '[.epoch, .changed, .ready]'
run 1 -j show plan group 5 root 1
check_jq "show plan: the newest epoch" '[[2,[[1,3],[1,2]],[3,2]]]' \
	'[.[] | select(.epoch == 2) | [.epoch, .edges, [.children[].node]]]'
run 1 -j show plan group 6
check_equal "show plan: of another group" "0 []" "$status $out"

refused "apply: at another node" 1 "the plan's root is node 1 and this is node 2" \
	2 apply "$dir/chain" group 5
refused "apply: unknown group" 2 'no plan can be uploaded to group 6: ' 1 apply "$dir/chain" group 6
plan 1 '[1,2],[2,8]' >"$dir/bad"
refused "apply: unknown node" 2 'the plan cannot be applied to group 5: .*8' 1 apply "$dir/bad" group 5
refused "apply: unknown node, dry-run" 2 'the plan cannot be applied to group 5: .*8' \
	1 apply "$dir/bad" group 5 dry-run
plan 1 '[1,2],[2,3],[3,2]' >"$dir/bad"
refused "apply: a cycle" 1 '.*bad: ' 1 apply "$dir/bad" group 5
at 1 group set 5 max-nodes 2
refused "apply: more nodes than the group lets in" 2 'the plan cannot be applied to group 5: .*3 nodes.*max-nodes' \
	1 apply "$dir/chain" group 5
at 1 group set 5 max-nodes 100
run 1 -j show plan
check_jq "apply: what is refused changes nothing" '2' 'map(.epoch) | max'

### A node with another key, which does not count as lost for that.
at 2 group set 5 dead-interval 10m
at 3 group del 5
head -c 32 /dev/zero >"$dir/other"
chmod 600 "$dir/other"
at 3 group add 5 key-file "$dir/other"
run 1 -j apply "$dir/chain" group 5 wait 8s
check_equal "another key: status" "2 false 3" "$status $(gojq -r '"\(.ready) \(.epoch)"' <<<"$out")"
check_match "another key: what is not ready" \
	'epoch 3 of group 5 is applied but not ready after 8 s: node 2 is connected, but not all nodes below it, node 3' "$err"
check_match "another key: who refused" 'node 3 refused \(its key differs\)' "$err"
run 2 -j show lane peer 3
check_jq "another key: shown" '["key"]' 'map(.reject)'

### A child that is not reached lacks all that its parent has.
# here NODE FILTER: what the filter says of the node's stores is true.
here()
{
	run "$1" -j show store
	[ "$(gojq "$2" <<<"$out")" = true ]
}

run 2 -j show store
check_equal "show store: nothing" "0 []" "$status $out$err"
head -c 100000 /dev/urandom >"$dir/file"
ip netns exec n1 "$ctl" send "$dir/file" group 5 port 9 >/dev/null 2>&1 &
send=$!
check "show store: all has come to the relay" wait_for 30 here 2 'map(.pieces > 9 and .whole == .pieces) == [true]'
check_jq "show store: what it has" '[[5,1,9,true,100000,0,"no-receiver",2,0,1]]' \
	'map([.group, .root, .port, .file, .bytes, .filed_bytes, .reason, .nodes, .delivered, .failed])'
check_jq "show store: and its child has not" '[[3,0,0,true,0,"lane"]]' \
	'map(.pieces as $all | .children[] | [.node, .slot, .sent, .behind == $all, .arrived_bytes, .wait])'
run 1 -j show store root 1 group 5
check_jq "show store: at the root" '[[100000,100000,[[2,true,0,"over"]]]]' \
	'map([.bytes, .filed_bytes, (.pieces as $all | .children | map([.node, .sent == $all, .behind, .wait]))])'
run 1 -j show store root 2
check_equal "show store: of another root" "0 []" "$status $out"
run 2 show store
check_match "show store: as text" \
	'GROUP  ROOT  MESSAGE .*5  +1  +1  +97.7 KiB .*CHILD .*5  +1  +1  +3  +0 .* lane' "$(tr '\n' ' ' <<<"$out")"
check_equal "show store: not to everybody" "[]" "$(nobody -j show store)"
kill -INT $send
wait $send
check "show store: it is over" wait_for 30 here 2 'length == 0'
run 1 show lane peer 2
check_match "show lane: how old its figures are" \
	' LIMITED +AGE +RETRANS .* ready .* (-|[0-9.]+ Mbit/s) +[0-9.]+ [mu]?s +[0-9]+ +[0-9]+ $' "$(tr '\n' ' ' <<<"$out")"
at 2 group set 5 dead-interval 5s

at 3 group set 5 key-file "$dir/key"
run 1 -j apply "$dir/chain" group 5 wait 30s
check_jq "the right key: ready" '[4,true,true]' '[.epoch, .changed, .ready]'

### All at once.
run 1 -j show all
check_jq "show all" '[1,[2,3],[5],[],[]]' \
	'[.node.id, (.peers | map(.id)), (.groups | map(.id)), .messages, .stores]'
check_match "show all: as text" 'NODE .*PEER .*GROUP .*EPOCH .*LANE ' "$(at 1 show | tr '\n' ' ')"

printf '%s\n' 'peer add 40 address 10.9.0.40' '# a comment' 'group set 5 \' ' mode 0640' \
	'peer del 41' 'peer del 40' >"$dir/batch"
run 1 -j -batch "$dir/batch"
check_equal "batch: stops" "2 $dir/batch 5" "$status $(gojq -r '"\(.file) \(.line)"' <<<"$err")"
run 1 -force -batch "$dir/batch"
check_equal "batch: goes on" "2 0640 [2,3]" \
	"$status $(at 1 -j group | gojq -r '.[].mode') $(at 1 -j peer | gojq -c 'map(.id)')"

### Events.
# listen COUNT [NODE]: so many sockets are subscribed to events at node 1, or that one.
listen()
{
	[ "$(ip netns exec "n${2:-1}" awk '$2 == 16 && $4 != "00000000"' /proc/net/netlink | wc -l)" = "$1" ]
}

# Nobody has events at node 1 that were not read.
all_read()
{
	[ -z "$(ip netns exec n1 awk '$2 == 16 && $5 > 0' /proc/net/netlink)" ]
}

# Somebody without rights.
cat >"$dir/nobody" <<END
#!/bin/sh
exec setpriv --reuid=65533 --regid=65533 --clear-groups "$ctl" "\$@"
END
chmod +x "$dir/nobody"
HBCAST_CTL=$dir/nobody refused "monitor: without rights" 2 \
	"the kernel's events cannot be had: you lack CAP_NET_ADMIN in this" 1 monitor
HBCAST_CTL=$dir/nobody run 1 -j group show 5
check_jq "group show: without rights" '[[5,null,null]]' 'map([.id, .receivers, .members])'

ip netns exec n1 "$ctl" -j monitor >"$dir/events" &
json=$!
wait_for 30 listen 1
at 1 apply "$dir/flat" group 5 wait 30s >/dev/null
wait_for 30 grep -q plan-ready "$dir/events"
check_equal "monitor: a plan" '["plan-applied",5,1,5] ["plan-ready",5,1,5]' \
	"$(gojq -c 'select(.event | test("^plan-")) | [.event, .group, .root, .epoch]' "$dir/events" | xargs -d '\n')"
check_equal "monitor: a lane" '["lane-up",5,1,0,3,"down",false]' \
	"$(gojq -c 'select(.event == "lane-up" and .peer == 3) | [.event, .group, .root, .slot, .peer, .direction, .down]' "$dir/events")"
check_match "monitor: the time" '^20[0-9-]{8}T[0-9:]{8}[.][0-9]{6}[+-][0-9:]{5}$' \
	"$(gojq -rs '.[0].time' "$dir/events")"

# One that does not read; what is thrown away is told, and the state follows.
ip netns exec n1 "$ctl" monitor >"$dir/slow" &
slow=$!
wait_for 30 listen 2
kill -STOP $slow
for ((i = 0; i < 200; i++)); do
	echo "apply $dir/chain group 5"
	echo "apply $dir/flat group 5"
done >"$dir/batch"
at 1 -batch "$dir/batch" >/dev/null
kill -CONT $slow
check "monitor: lost events are told" wait_for 30 grep -q 'events-lost' "$dir/slow"
check "monitor: the state follows" wait_for 30 grep -Eq ' lane id [0-9]+ group 5 root 1 slot 0 peer 2' "$dir/slow"
# Else this one might be lost as well.
check "monitor: all is read" wait_for 30 all_read
ip netns exec n2 "$ctl" monitor >"$dir/other" &
other=$!
wait_for 30 listen 1 2
at 1 node del
check "monitor: the other side has ended a lane" wait_for 30 grep -Eq \
	' lane-down .* peer 1 direction up as planned( by the other side)?$' "$dir/other"
check "monitor: goes on" wait_for 30 grep -Eq \
	'^20[0-9-]{8} [0-9:]{8}[.][0-9]{6}  node-down node 1 \(this node\)$' "$dir/slow"
check "monitor: this one has ended a lane" grep -Eq ' lane-down .* peer 2 direction down as planned$' "$dir/slow"
check "monitor: the end of the node" wait_for 30 grep -q '"node-down"' "$dir/events"
kill -INT $json $slow $other
wait $json
check_equal "monitor: ends well when interrupted" 0 $?
wait $slow $other
tap_done
