#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Platform files that a lab cannot be made of: each is refused in one sentence
# before anything is made.

. selftests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

HEAD='"hbcast": "platform", "version": 1'
A='{"id": 1, "name": "a", "kind": "host"}'
B='{"id": 2, "name": "b", "kind": "host"}'
AB='"from": 1, "to": 2, "bandwidth_mbps": 10, "latency_us": 5'

# refused NAME PATTERN JSON [WORD...]: one sentence that names the file.
refused()
{
	local name=$1 pattern=$2 json=$3 status

	shift 3
	printf '%s\n' "$json" >"$dir/file.json"
	"$HBCAST_CTL" lab up "$dir/file.json" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	check_equal "$name: status" 1 "$status"
	check_equal "$name: one line" "1 0" \
		"$(wc -l <"$dir/err") $(wc -c <"$dir/out")"
	check_match "$name: the sentence" "^hbcastctl: .*$pattern" \
		"$(<"$dir/err")"
}

# bad_link NAME PATTERN MEMBERS: two hosts and one symmetric link.
bad_link()
{
	refused "$1" "$2" \
		"{$HEAD, \"nodes\": [$A, $B], \"links\": [{$3, \"symmetric\": true}]}"
}

# bad_nodes NAME PATTERN NODES: a link between 1 and 2.
bad_nodes()
{
	refused "$1" "$2" \
		"{$HEAD, \"nodes\": [$3], \"links\": [{$AB, \"symmetric\": true}]}"
}

refused "not JSON" 'file\.json' '{"hbcast": '
refused "another type of file" '"?platform"?' \
	"{\"hbcast\": \"costs\", \"version\": 1, \"nodes\": [$A, $B], \"links\": []}"
refused "another version" 'version' \
	"{\"hbcast\": \"platform\", \"version\": 2, \"nodes\": [$A, $B], \"links\": []}"
refused "no nodes" 'nodes' "{$HEAD, \"links\": []}"
refused "no links" 'links' "{$HEAD, \"nodes\": [$A, $B]}"
bad_nodes "an id given twice" 'id 1 .*two nodes' "$A, $B, $A"
bad_nodes "a node without a kind" 'nodes\[1\]\.kind' "$A, {\"id\": 2}"
bad_nodes "an id that has no address" 'host 65535 .* from 1 to 65534' \
	"$A, $B, {\"id\": 65535, \"kind\": \"host\"}"
bad_nodes "the id 0" 'host 0 .* from 1 to 65534' \
	"$A, $B, {\"id\": 0, \"kind\": \"host\"}"
bad_nodes "a name with a slash" '"x/y" of host 2' \
	"$A, {\"id\": 2, \"name\": \"x/y\", \"kind\": \"host\"}"
bad_nodes "a name given twice" 'hosts 1 and 2 .*hbc-lab-a' \
	"$A, {\"id\": 2, \"name\": \"a\", \"kind\": \"host\"}"
bad_nodes "a name that is the id of another" 'hosts [12] and [12] .*hbc-lab-1' \
	"{\"id\": 1, \"kind\": \"host\"}, {\"id\": 2, \"name\": \"1\", \"kind\": \"host\"}"
bad_nodes "a host named as the switches" 'host 2 .*hbc-lab-switches' \
	"$A, {\"id\": 2, \"name\": \"switches\", \"kind\": \"host\"}, {\"id\": 9, \"kind\": \"switch\"}"

bad_link "an unknown node" 'links\[0\]\.to: .*no node 3' \
	'"from": 1, "to": 3, "bandwidth_mbps": 10, "latency_us": 5'
bad_link "a link to itself" 'node 1 .*itself' \
	'"from": 1, "to": 1, "bandwidth_mbps": 10, "latency_us": 5'
bad_link "bandwidth 0" 'links\[0\]\.bandwidth_mbps' \
	'"from": 1, "to": 2, "bandwidth_mbps": 0, "latency_us": 5'
bad_link "a negative bandwidth" 'links\[0\]\.bandwidth_mbps' \
	'"from": 1, "to": 2, "bandwidth_mbps": -1, "latency_us": 5'
bad_link "no bandwidth" 'links\[0\]\.bandwidth_mbps' \
	'"from": 1, "to": 2, "latency_us": 5'
bad_link "a bandwidth in words" 'links\[0\]\.bandwidth_mbps' \
	'"from": 1, "to": 2, "bandwidth_mbps": "fast", "latency_us": 5'
bad_link "a negative latency" 'links\[0\]\.latency_us' \
	'"from": 1, "to": 2, "bandwidth_mbps": 10, "latency_us": -5'
bad_link "no latency" 'links\[0\]\.latency_us' \
	'"from": 1, "to": 2, "bandwidth_mbps": 10'
refused "a link given twice" 'from 1 to 2 is given twice' \
	"{$HEAD, \"nodes\": [$A, $B], \"links\": [{$AB}, {$AB, \"symmetric\": true}]}"
refused "no way back" 'from 1 to 2 has no way back' \
	"{$HEAD, \"nodes\": [$A, $B], \"links\": [{$AB}]}"

good="{$HEAD, \"nodes\": [$A, $B], \"links\": [{$AB, \"symmetric\": true}]}"
refused "a lab's name with a slash" '"\.\./x" cannot name a lab' "$good" name ../x
refused "a lab's name that is long" 'cannot name a lab' "$good" \
	name abcdefghijklmnopqrstuvwxyz012345

"$HBCAST_CTL" lab up "$dir/none.json" 2>"$dir/err"
check_equal "no file: status" 1 $?
check_match "no file: the sentence" "^hbcastctl: .*none\.json" "$(<"$dir/err")"
tap_done
