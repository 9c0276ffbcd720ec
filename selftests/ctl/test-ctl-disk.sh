#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl recv and the disk: it is slow, a list cannot be written, other commands have left
# files, or the kernel still has one.
# vm: timeout=400

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh
. selftests/lib/partial.sh

size=8000000
partial_up 16 $size || exit

slower=$PWD/selftests/ctl/slow-sync.so

# started NODE: some of the file is there.
started()
{
	[ -n "$(find "$dir/$1" -name '.*.part' -size +100)" ]
}

# clear: nothing is left at the receivers.
clear()
{
	find "$dir/2" "$dir/3" -mindepth 1 -delete
	rm -f "$dir"/[23].*
}

# has NODE BYTES: it has told of a message of that length.
has()
{
	grep -q "\"bytes\":$2," "$dir/$1.log"
}

# sum FILE...: of each.
sum()
{
	local file

	for file in "$@"; do
		cksum <"$file"
	done
}

### A disk that takes very long holds up no other message, and a kill leaves no process behind.
receive 2 . count 2
two=$!
LD_PRELOAD=$slower SYNC_SECONDS=300 receive 3 . count 2
three=$!
ready 2 3
begin "$dir/large"
wait_for 30 started 3
sleep 2
echo word | ip netns exec n1 Documentation/examples/sender 5 9 >/dev/null &
check "slow: a short message comes" wait_for 30 has 3 5
wait $send
check_equal "slow: the file is there, too" 0 $?
check "slow: the other has it" wait_for 30 has 2 $size
check_equal "slow: it has its name only when it is on the disk" "" "$(gojq 'select(.bytes > 5)' "$dir/3.log")"
kill -KILL $three
both_end
check "slow: nothing of the command stays" wait_for 30 sh -c '! ip netns pids n3 | grep -q .'
clear

### One that takes a little.
export LD_PRELOAD=$slower SYNC_SECONDS=3
both large
unset LD_PRELOAD SYNC_SECONDS
begin "$dir/large"
whole "some seconds" "$dir/large"
clear

### A list that cannot be written: nothing is said to be kept. When it can be, it is.
both large
begin "$dir/large"
wait_for 30 started 3
mkdir "$dir/3/.large.list.new"
check "no list: told" wait_for 30 grep -q 'list\\" cannot be written: Is a directory' "$dir/3.err"
kill -INT $three
wait $three
check_match "no list: sentence" 'interrupted after 0 of 1 messages"' "$(<"$dir/3.err")"
check_equal "no list: nothing is left" ".large.list.new " "$(files 3)"
rmdir "$dir/3/.large.list.new"
kill -INT $two $send
wait $two $send
clear
both large
begin "$dir/large"
wait_for 30 started 3
mkdir "$dir/3/.large.list.new"
wait_for 30 grep -q 'list\\" cannot be written: Is a directory' "$dir/3.err"
rmdir "$dir/3/.large.list.new"
check "a list again" wait_for 30 listed 3 1000000
check_equal "a list again: told once" 1 "$(grep -c warning "$dir/3.err")"
whole "a list again" "$dir/large"
clear

### Names of which only the end differs.
name=$(printf '%0210d' 0)
receive 3 "${name}a"
two=$!
mv "$dir/3.log" "$dir/2.log"
mv "$dir/3.err" "$dir/2.err"
receive 3 "${name}b"
three=$!
ready 2 3
begin "$dir/large"
both_end
wait $send
check_equal "long names: both" "0 0 $(sum "$dir"/large "$dir"/large | tr '\n' ' ')" \
	"$two $three $(sum "$dir/3/$name"? | tr '\n' ' ')"
check_equal "long names: no warning" "" "$(cat "$dir"/[23].err)"
clear

### A relay's command is killed, and its node still reads the file for node 3, which is slower.
ip netns exec switch tc qdisc change dev port3 root tbf rate $((4 / HBCAST_SLOWNESS))mbit \
	burst 16kb latency 50ms

# killed: node 2 has much of the file that node 3 gets.
killed()
{
	receive 3 . count 2
	three=$!
	(umask 077 && exec ip netns exec n2 "$ctl" -j recv "$dir/2/large" group 5 port 9) \
		>"$dir/2.log" 2>"$dir/2.err" &
	two=$!
	ready 2 3
	begin "$dir/large"
	first=$send
	wait_for 60 listed 2 5000000
	kill -KILL $two
	wait $two
	receive 2 large
	two=$!
	ready 2
}

killed
begin "$dir/large"
wait $two
check_equal "relay: the next has it" "0 $(sum "$dir/large")" "$? $(sum "$dir/2/large")"
check "relay: of which much was there" [ "$(of 2 resumed)" -ge 5000000 ]
check_equal "relay: no warning" "" "$(<"$dir/2.err")"
check_equal "relay: its mode is the last one's" 644 "$(stat -c %a "$dir/2/large")"
wait $three $first $send
check_equal "relay: node 3 has both" "$(sum "$dir"/large "$dir"/large)" "$(sum "$dir"/3/1-*)"
clear

### Then another file is to have that name.
mkdir "$dir/other"
head -c 1000000 /dev/urandom >"$dir/other/large"
killed
begin "$dir/other/large"
wait $two
check_equal "another: it comes" "0 $(sum "$dir/other/large")" "$? $(sum "$dir/2/large")"
check_equal "another: nothing was used" 0 "$(of 2 resumed)"
wait $three $first $send
check_equal "another: node 3 has both" "$(sum "$dir/large" "$dir/other/large" | sort)" \
	"$(sum "$dir"/3/1-* | sort)"
check_equal "another: from its parent" "" "$(<"$dir/3.err")"
tap_done
