#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Loads the module and makes hbcast nodes of the namespaces of net.sh: namespace
# n is node n + 1. One group for each tree of the benchmark (hbcast.h):
#
#   10  root to sink 2
#   20, 21, 23  root to relay to 1, 2 and 4 sinks
#   30  the chain of eight relays

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
top=$here/../..
tool=$top/tools/hbcastctl/hbcastctl
HBCAST_KO=$top/build/$(uname -r)/hbcast.ko
export HBCAST_KO
# shellcheck source-path=SCRIPTDIR source=../../selftests/lib/module.sh
. "$here/../../selftests/lib/module.sh"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

on()
{
	local node=$1

	shift
	ip netns exec "bench$((node - 1))" "$tool" "$@"
}

# make_group ID PARENT,CHILD...
make_group()
{
	local group=$1 edges node

	shift
	printf -v edges '[%s],' "$@"
	cat >"$work/plan.json" <<-END
		{"hbcast": "plan", "version": 1, "algorithm": "bench", "root": 1,
		 "message_bytes": 268435456,
		 "trees": [{"slot": 0, "edges": [${edges%,}]}]}
	END
	for node in $(tr -s ' ,' '\n' <<<"$*" | sort -un); do
		on "$node" group add "$group" key-file "$work/key"
	done
	on 1 apply "$work/plan.json" group "$group" wait 10s
}

load_hbcast
"$tool" group keygen "$work/key"
for node in {1..10}; do
	on "$node" node set "$node" address "10.77.0.$node"
	[ "$node" = 1 ] || on 1 peer add "$node" address "10.77.0.$node"
done
make_group 10 1,3
make_group 20 1,2 2,3
make_group 21 1,2 2,3 2,4
make_group 23 1,2 2,3 2,4 2,5 2,6
make_group 30 1,2 2,3 3,4 4,5 5,6 6,7 7,8 8,9 9,10
