#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=120 6.1
#
# The programs of Documentation/examples do what they say.

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh

EXAMPLES=Documentation/examples
dir=$(mktemp -d)

set -e
load_hbcast
"$HBCAST_CTL" group keygen "$dir/key"
nodes_up 3
nodes_join 3 5 "$dir/key"
plan 1 '[1,2],[1,3]' >"$dir/plan"
at 1 apply "$dir/plan" group 5 wait 10s
set +e

receive_at()
{
	ip netns exec "n$1" "$EXAMPLES/receiver" 5 77 >>"$dir/out$1" 2>"$dir/err$1" &
}

receive_at 2
two=$!
receive_at 3

# bound NODE: a message gets there.
bound()
{
	echo "are you there?" | ip netns exec n1 "$EXAMPLES/sender" 5 77 2>/dev/null
	[ -s "$dir/out$1" ]
}

check "node 2 receives" wait_for 10 bound 2
check "node 3 receives" wait_for 10 bound 3
: >"$dir/out2"
: >"$dir/out3"
printf 'one\ntwo\nthree\n' | ip netns exec n1 "$EXAMPLES/sender" 5 77 2>"$dir/err1"
check_equal "sender succeeds" 0 $?
check_equal "it complains of nobody" "" "$(<"$dir/err1")"
check_equal "node 2 has all" "one two three" "$(xargs <"$dir/out2")"
check_equal "node 3 has all" "one two three" "$(xargs <"$dir/out3")"
check_match "from whom" "a message from node 1" "$(<"$dir/err3")"
kill "$two"
wait "$two"
echo four | ip netns exec n1 "$EXAMPLES/sender" 5 77 2>"$dir/err1"
check_equal "who does not receive is told" "sender: node 2: nobody receives there" \
	"$(<"$dir/err1")"
tap_done
