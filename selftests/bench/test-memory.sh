#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 'make bench-memory' with a small file, and what it says of memory and times that are good
# and of others.
# vm: timeout=300 debian-only

. selftests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# lines NETWORK NODES: good ones, of 4 GiB, for which 200 Mbit/s take 179.63 s.
lines()
{
	gojq -cn --arg network "$1" --argjson nodes "$2" '
		def mib: . * 1048576;
		def look($used): {at: ., idle: (. / 2), oom: 0, used: ($used | mib), slab: (18 | mib),
			stores: ([range($nodes) | {"\(. + 1)": {memory: (5 | mib), reasons: ["none"],
								children: {}}}] | add)};
		(8 | look(200)),
		{network: $network, total: (464 | mib), bytes: (4096 | mib), mbit: 200, slow_mbit: 2,
		 spool: (16 | mib), began: 10},
		(13 | look(210)), (110 | look(220)),
		{node: 2, status: 0, at: 190}, (220 | look(210))'
}

# said NETWORK FILTER: lines, those of this network changed; leaves output and status.
said()
{
	lines fast 2 >"$dir/fast"
	# In 100 s 2 Mbit/s carry 23.91 MB.
	lines slow 5 | gojq -c 'if .at == 110 and .stores then
		.stores["2"].children["3"] = 23500000 | .stores["1"].children["5"] = 23600000
		else . end' >"$dir/slow"
	gojq -c "$2" "$dir/$1" >"$dir/changed"
	mv "$dir/changed" "$dir/$1"
	out=$(bench/memory/report "$dir/fast" "$dir/slow")
	status=$?
}

# bad NETWORK FILTER MISSES: just that goal is missed.
bad()
{
	said "$1" "$2"
	check_equal "$3: status and goals" "1 1 goals missed" "$status $(grep goals <<<"$out")"
	check_match "$3: said" "- $3" "$out"
}

said slow .
check_equal "good" "0 0 goals missed" "$status $(grep goals <<<"$out")"
check_match "its row" \
	'slow \| 4096 \| 464 \| 200 \| 220 \| 18 \| 5 \| 0 \| 0\.50 \| 180\.00 s \| 179\.63 s \| 0\.983 ' "$out"
bad slow 'if .at == 110 then .stores["3"].memory = 15 * 1048576 else . end' \
	"slow: MiB in a node's store: 15"
said slow 'if .at == 110 then .stores["4"].memory = 15 * 1048576 else . end'
check_equal "the one that spools may have more" 0 "$status"
bad slow 'if .at == 220 then .used = 297 * 1048576 else . end' "slow: MiB more in use than before: 97"
bad fast 'if .at == 110 then .oom = 1 else . end' "fast: OOM kills: 1"
bad fast 'if .at == 110 then .idle = 6.5 else . end' "fast: the processor was busy: 0\.975"
bad fast 'if .node then .at = 196 else . end' "fast: of its bound node 2 takes: 1\.035"
bad slow 'if .node then .status = 2 else . end' "slow: nodes without the file: 1"
bad slow 'if .at == 110 then .stores["1"].children["5"] = 22000000 else . end' \
	"slow: of the bound slow children miss: 0.080"
said fast 'if .node then .at = 188 else . end'
check_match "slower than without: said" 'slow: beside fast node 2 takes 1\.0112, goal' "$out"

check "a broadcast" eval 'bench/memory/inside.sh slow 24 >"$dir/slow" 2>"$dir/err"'
check_equal "the fast node has it, the slow ones have not" '[[2,0],[3,2],[5,2]]' \
	"$(gojq -sc 'map(select(.node) | [.node, .status]) | sort' "$dir/slow")"
check_equal "who has no file gave it up" '["spool"]' \
	"$(gojq -sc 'map(select(.stores)) | .[2].stores["4"].reasons' "$dir/slow")"
check "a report" eval 'bench/memory/report "$dir/slow" "$dir/slow" >"$dir/report"; [ -s "$dir/report" ]'
tap_done
