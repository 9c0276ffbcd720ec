#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What hbcastctl recv has of a file does not come again, in a directory and over two trees;
# of another file it does.
# vm: timeout=400

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh
. selftests/lib/partial.sh

size=8000000
partial_up 16 $size || exit

### Interrupted, which keeps all; then the file is another one of the same name and length.
both large
begin "$dir/large"
wait_for 60 listed 3 2000000
kill -INT $three
both_end
wait $send
check_match "interrupted: sentence" 'interrupted after 0 of 1 messages; what has come of files is kept' \
	"$(<"$dir/3.err")"
check "interrupted: it is kept" listed 3 2000000
head -c $size /dev/urandom >"$dir/new"
cat "$dir/new" >"$dir/large"
rm "$dir/2/large"
both large
begin "$dir/large"
whole "changed" "$dir/new"
check_equal "changed: nothing was used" 0 "$(of 3 resumed)"

### One command, into a directory: the message fails, and goes on when it is sent again.
rm "$dir"/[23]/large
both . count 2
begin "$dir/large"
wait_for 60 listed 3 2000000
kill -INT $send
wait $send
check "again: the first has failed" wait_for 30 grep -q 'which are kept' "$dir/3.err"
begin "$dir/large"
wait $send
both_end
check_equal "again: status" "2 2" "$two $three"
check "again: what was there was used" [ "$(of 3 resumed)" -ge 2000000 ]
check "again: the same bytes" cmp "$dir/large" "$(of 3 file)"
check_equal "again: nothing else" "1-$(of 3 id) " "$(files 3)"
rm "$dir"/[23]/*

### Two trees, by each of which a node gets what the other one has from it: node 3 has scattered
### pieces, and then both have, not the same.
gojq '.trees = [{slot: 0, rate_mbps: 7, edges: [[1, 2], [2, 3]]}, {slot: 1, rate_mbps: 7, edges: [[1, 3], [3, 2]]}]' \
	"$dir/chain" >"$dir/trees"
at 1 apply "$dir/trees" group 5 wait 30s >/dev/null
both large
begin "$dir/large"
wait_for 60 listed 3 3000000
kill -KILL $three
both_end
wait $send
rm "$dir/2/large"
before=$(came 3)
both large
begin "$dir/large"
wait_for 60 listed 2 3000000
kill -KILL $two
wait $send
both_end
check_equal "two trees: status" "0" "$three"
check "two trees: node 3 had much" [ "$(of 3 resumed)" -ge 3000000 ]
check "two trees: not again to node 3" little 3 "$before" $((size - $(of 3 resumed) * 3 / 4))
check "two trees: the same bytes" cmp "$dir/large" "$dir/3/large"
rm "$dir/3/large"
both large
begin "$dir/large"
wait_for 60 listed 3 2000000
kill -KILL $two $three $send
both_end
wait $send
before=$(came 2)
before3=$(came 3)
both large
begin "$dir/large"
whole "two trees, two parts" "$dir/large"
check "two trees, two parts: node 2 had much" [ "$(of 2 resumed)" -ge 3000000 ]
check "two trees, two parts: node 3 had much" [ "$(of 3 resumed)" -ge 2000000 ]
check "two trees, two parts: not again to node 2" little 2 "$before" $((size - $(of 2 resumed) * 3 / 4))
check "two trees, two parts: not again to node 3" little 3 "$before3" $((size - $(of 3 resumed) * 3 / 4))
tap_done
