#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What hbcastctl recv has of a file when it is killed, or its node, or the sender, does not
# come again.
# vm: timeout=400

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh
. selftests/lib/partial.sh

size=8000000
partial_up 16 $size || exit

### A receiver is killed outright; another one goes on.
both large
begin "$dir/large"
check "killed: there is a list" wait_for 60 listed 3 2000000
kill -KILL $three
both_end
wait $send
check_equal "killed: what is there" ".large.list .large.part " "$(files 3)"
check_equal "killed: whose list" '["partial",1,"large",8000000]' \
	"$(gojq -c '[.hbcast, .version, .name, .bytes]' "$dir/3/.large.list")"
before=$(came 3)
both large
begin "$dir/large"
whole "killed" "$dir/large"
check "killed: what was there was used" [ "$(of 3 resumed)" -ge 2000000 ]
check_equal "killed: the other had nothing" 0 "$(of 2 resumed)"
check "killed: what was there has not come again" little 3 "$before" $((size - $(of 3 resumed)))

### The sender is killed outright; both go on, one behind the other.
rm "$dir"/[23]/large
both large
begin "$dir/large"
wait_for 60 listed 3 3000000
kill -KILL $send
wait $send
both_end
check_equal "sender killed: status" "2 2" "$two $three"
check_match "sender killed: sentence" 'failed after [0-9]+ of 8000000 bytes, which are kept: its sender gave it up, or had counted this node as failed' \
	"$(<"$dir/3.err")"
before=$(came 2)
before3=$(came 3)
both large
begin "$dir/large"
whole "sender killed" "$dir/large"
check "sender killed: node 2 had much" [ "$(of 2 resumed)" -ge 3000000 ]
check "sender killed: node 3 had much" [ "$(of 3 resumed)" -ge 3000000 ]
# Node 2 has a child, and gets a fragment of each of its pieces, of 8 KiB here.
check "sender killed: not again to node 2" little 2 "$before" $((size - $(of 2 resumed) * 3 / 4))
check "sender killed: not again to node 3" little 3 "$before3" $((size - $(of 3 resumed)))

### The module goes, and all nodes with it; node 3 has lost what it had: node 2's file has it.
rm "$dir"/[23]/large
both large
begin "$dir/large"
wait_for 60 listed 2 3000000
kill -KILL $two $three $send
both_end
wait $send
rm "$dir"/3/.large.*
wait_for 30 rmmod hbcast
check "rebooted" joined
before=$(came 2)
both large
begin "$dir/large"
whole "rebooted" "$dir/large"
check "rebooted: node 2 had much" [ "$(of 2 resumed)" -ge 3000000 ]
check_equal "rebooted: node 3 had nothing" 0 "$(of 3 resumed)"
check "rebooted: not again to node 2" little 2 "$before" $((size - $(of 2 resumed) * 3 / 4))
tap_done
