#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl measure update: lists of lanes that are written here, and those it refuses.

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

net=net.json
built=$tool
jq -n '{hbcast: "platform", version: 1, nodes: [{id: 1, kind: "host"}, {id: 2, kind: "host"},
	{id: 3, kind: "host"}, {id: 100, kind: "switch"}],
	links: [range(1; 4) | {from: ., to: 100, bandwidth_mbps: 100, latency_us: 50,
		symmetric: true}]}' >"$net"

# lane NODE PEER MBPS LIMITED-MBPS [TIME]: a list of one lane, of two seconds, one second
# ago, and of one that is not limited, to another node.
lane()
{
	jq -n --argjson node "$1" --argjson peer "$2" --argjson mbps "$3" --argjson limited "$4" \
		--arg time "${5-$(date -u +%Y-%m-%dT%H:%M:%SZ)}" '[{node: $node, peer: $peer,
		group: 7, direction: "down", time: $time, spell_us: 2000000, spell_age_us: 1000000,
		spell_bytes: ($mbps * 250000), limited_bytes: ($limited * 187500),
		limited_us: (if $limited > 0 then 1500000 else 0 end)}]
		| . + [.[0] + {peer: ([1, 2, 3] - [$node, $peer] | .[0]), limited_us: 0}]' >"$1.lanes"
}

# update_of FILE LANES...: group 7's
update_of()
{
	local file=$1 words=() lanes

	shift
	for lanes in "$@"; do
		words+=(lanes "$lanes.lanes")
	done
	run -j measure update "$file" group 7 "${words[@]}"
}

# no NAME TEXT: the last command said no, for one reason.
no()
{
	check_equal "$1: status" 1 "$status"
	check_match "$1: sentence" "$2" "$said"
}

cp "$net" "one.json"
lane 1 2 24 25
lane 2 3 24 0
chmod 640 "one.json"
update_of "one.json" 1 2
check_equal "two nodes' lanes" 0 "$status"
check_equal "who may read the file stays" 640 "$(stat -c %a "one.json")"
check_equal "what is told" '[4,[[100,2,100,25,1]]]' \
	"$(jq -c '[.lanes, [.links[] | [.from, .to, .before_mbps, .mbps, .lanes]]]' <<<"$out")"
check_equal "what the file says of that link" '[25,"broadcast"]' \
	"$(jq -c '.links[] | select(.from == 100 and .to == 2) | [.bandwidth_mbps, .measured.bandwidth_method]' "one.json")"
check_equal "all other links are as they were" '[100,100,100]' \
	"$(jq -c '[.links[] | select(.to != 2).bandwidth_mbps]' "one.json")"
check "the file can be planned from" "$tool" plan "one.json" root 1 algorithm tps \
	output "plan.json"

# 25 Mbit/s with headers, of 1514 bytes 1432 of payload, are 23.645.
jq '.headers = false' "$net" >"payload.json"
update_of "payload.json" 1 2
check_equal "a file that counts payload alone gets payload" '[[100,2,100,23645]]' \
	"$(jq -c '[.links[] | [.from, .to, .before_mbps, (.mbps * 1000 | floor)]]' <<<"$out")"

# A link that was measured later keeps its figure; another one that the lanes tell of does not.
jq '.links |= map(if .to == 100 and .from == 2 then .measured = {bandwidth_method: "flows",
	bandwidth_time: "2026-06-01T00:00:00Z"} else . end)' "$net" >"newer.json"
lane 1 2 24 25 2026-05-31T23:59:59Z
newer=$(sha256sum <"newer.json")
update_of "newer.json" 1
check_equal "what the file has of a link is newer" '[[],1]' "$(jq -c '[.links, .older]' <<<"$out")"
check_equal "what the file has stays" "$newer" "$(sha256sum <"newer.json")"
run measure update "newer.json" group 7 lanes "1.lanes"
check_match "and that is said" 'left as the file has them, as it is newer: 1 figures' "$out"
sed s/2026-06-01T/2999-06-01T/ "newer.json" >"future.json"
run measure update "future.json" group 7 lanes "1.lanes"
check_match "a figure that nothing can be newer than is warned of" \
	'future.json has bandwidths of 2999-06-01T00:00:00Z, which is in the future' "$said"
lane 1 2 24 25 2026-06-01T00:00:05Z
update_of "newer.json" 1
check_equal "what is newer than the file is taken" '[1,0]' \
	"$(jq -c '[(.links | length), .older]' <<<"$out")"

# Clocks of machines differ.
cp "$net" "clocks.json"
lane 1 2 24 25 "$(date -u -d "+3 seconds" +%Y-%m-%dT%H:%M:%SZ)"
jq '.[0].spell_age_us = 0' "1.lanes" >"4.lanes"
update_of "clocks.json" 4
check_equal "what was seen by a clock that is ahead has no age" '[0]' \
	"$(jq -c '[.links[].age_us]' <<<"$out")"

# Of a matrix the time is that of the newest pair.
jq -n '{hbcast: "costs", version: 1, nodes: [{id: 1}, {id: 2}, {id: 3}],
	latency_us: [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
	bandwidth_mbps: [[null, 100, 100], [100, null, 100], [100, 100, null]]}' >"matrix.json"
lane 1 2 24 25 2026-06-01T00:00:11Z
lane 3 1 24 25 2026-05-01T00:00:11Z
for node in 1 3; do
	jq '[.[0]]' "$node.lanes" >"alone-$node.lanes"
done
update_of "matrix.json" alone-1 alone-3
check_equal "a matrix tells when the newest was seen" "2026-06-01T00:00:10Z" \
	"$(jq -r .measured.bandwidth_time "matrix.json")"
lane 1 2 24 25

sum=$(sha256sum <"$net")
jq '. + .' "1.lanes" >"4.lanes"
update_of "$net" 4
no "a lane twice" 'a lane from node 1 to node 2 is there twice: give it once'
for figure in '.limited_bytes = 0' '.spell_bytes = 0' '.limited_us = -1' '.spell_us = 1e30' \
	'.spell_bytes = "many"' '.limited_bytes = .spell_bytes + 1'; do
	jq ".[0] |= ($figure)" "1.lanes" >"4.lanes"
	update_of "$net" 4
	no "$figure" 'the lane from node 1 to node 2 has figures that cannot be'
done
jq '.[0].node = 4294967297' "1.lanes" >"4.lanes"
update_of "$net" 4
no "an id that is none" 'a lane lacks node, peer or time'
jq -n '{hbcast: "hnow", version: 1, switch_latency_us: 1, nodes: [{id: 1, send_us: 1, receive_us: 1},
	{id: 2, send_us: 1, receive_us: 1}]}' >"hnow.json"
update_of "hnow.json" 1
no "an HNOW" 'hnow.json'
run -j measure update "$net" group 8 lanes "1.lanes"
no "another group" 'no lane is of group 8: it is of another group'
lane 1 2 24 25 2999-01-01T00:00:00Z
update_of "$net" 1
no "from the future" '2999-01-01T00:00:00Z is in the future: set the clocks'
lane 1 9 24 25
update_of "$net" 1
no "of other nodes" 'node 9 has a lane but is no host of the platform'
lane 1 2 24 25
update_of "$net" 1 1
no "the same node twice" 'the lanes of node 1 are in another file, too'
jq 'map(del(.spell_us))' "1.lanes" >"4.lanes"
update_of "$net" 4
no "nothing was broadcast" 'broadcast some megabytes first'
jq 'map(del(.node))' "1.lanes" >"4.lanes"
update_of "$net" 4
no "lanes of nobody" 'a lane lacks node, peer or time'
echo '{' >"4.lanes"
update_of "$net" 4
no "no JSON" '4.lanes: '
echo '{}' >"4.lanes"
update_of "$net" 4
no "no list" 'is no list of lanes'
update_of "$net" 5
no "no file" '5.lanes: '
mkdir 6.lanes
update_of "$net" 6
no "a folder" '6.lanes: cannot be read: Is a directory'
update_of "none.json" 1
no "no platform" 'none.json: '
# Root may write everywhere.
mkdir folder
cp "$net" folder/net.json
chmod a+rx . folder
chmod a+r folder/net.json 1.lanes
tool=$PWD/as-nobody
printf '#!/bin/sh\nexec setpriv --reuid 65534 --clear-groups %s "$@"\n' "$built" >as-nobody
chmod a+rx as-nobody
update_of folder/net.json 1
no "a file that cannot be written" 'net.json: cannot be written'
# Of a file that is larger nothing is written beyond a kibibyte, as on a disk that is full.
printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 1\nexec %s "$@"\n' "$built" >as-nobody
jq '.links[].measured.note = "n" * 400' "$net" >"full.json"
full=$(sha256sum <"full.json")
update_of "full.json" 1
no "a full disk" 'full.json: cannot be written: File too large'
check_equal "a full disk leaves the old file" "$full" "$(sha256sum <"full.json")"
check_equal "and no other one" "full.json" "$(echo full*)"
tool=$built
run measure update "$net"
no "no group" 'group'
check_equal "no refusal has changed anything" "$sum" "$(sha256sum <"$net")"

tap_done
