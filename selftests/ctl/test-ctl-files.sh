#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl send and recv: files from one node to two others over a chain, whole,
# or told to be not.
# vm: timeout=300

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ctl=$HBCAST_CTL
status=''
out=''
err=''

# receive NODE NAME WORD...: starts recv, output to $dir/NAME.log; sets $!.
receive()
{
	local node=$1 name=$2

	shift 2
	mkdir -p "$dir/$node"
	rm -f "$dir/$name.log"
	ip netns exec "n$node" "$ctl" -j recv "$@" >"$dir/$name.log" 2>"$dir/$name.err" &
}

ready()
{
	local name

	for name in "$@"; do
		wait_for 30 grep -qs '"ready":true' "$dir/$name.log" || return
	done
}

# files NODE: what is in a receiver's directory, hidden files too.
files()
{
	find "$dir/$1" -mindepth 1 -printf '%f\n' | LC_ALL=C sort | tr '\n' ' '
}

# part NODE NAME: some of the file has come.
part()
{
	[ -n "$(find "$dir/$1" -name ".$2.part" -size +0)" ]
}

# on_screen COMMAND: runs it with a terminal, whose output goes on.
on_screen()
{
	/usr/bin/python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", sys.argv[1]])))' "$1" </dev/null
}

sum()
{
	cksum <"$1"
}

# both_receive NAME WORD...: recv at nodes 2 and 3 into their directories.
both_receive()
{
	receive 2 two "$dir/2/$1" group 5 port 9 "${@:2}"
	two=$!
	receive 3 three "$dir/3/$1" group 5 port 9 "${@:2}"
	three=$!
	ready two three
}

# both_end: what the two ended with.
both_end()
{
	wait $two
	two=$?
	wait $three
	three=$?
}

load_hbcast && nodes_up 3 && small_buffers 3 && at 1 group keygen "$dir/key" && nodes_join 3 5 "$dir/key" || exit
plan 1 '[1,2],[2,3]' >"$dir/chain"
head -c 3000001 /dev/urandom >"$dir/file"

### Refusals.
refused "send: no plan" 2 '.*file" cannot be sent to group 5: this node has no plan' \
	1 send "$dir/file" group 5 port 9
at 1 apply "$dir/chain" group 5 wait 30s >/dev/null
refused "send: no such group" 2 'this node does not take part in group 6' 1 send "$dir/file" group 6 port 9
refused "send: no such file" 1 '.*none" cannot be opened: ' 1 send "$dir/none" group 5 port 9
refused "send: a directory" 1 '.* is no regular file' 1 send "$dir" group 5 port 9
refused "send: no port" 1 '"port" is missing' 1 send "$dir/file" group 5
refused "send: port 0" 1 'port "0" is no whole number' 1 send "$dir/file" group 5 port 0
refused "recv: no such group" 2 'this node does not take part in group 6' 2 recv "$dir/x" group 6 port 9
refused "recv: two messages, one file" 1 '2 messages do not fit into the one file' \
	2 recv "$dir/x" group 5 port 9 count 2
refused "recv: no directory" 1 '.*/none/" is no directory' 2 recv "$dir/none/" group 5 port 9

### A file to both.
umask 027
both_receive copy
run 1 -j send "$dir/file" group 5 port 9 timeout $((60 * HBCAST_SLOWNESS))s
both_end
check_equal "send: status" "0 0 0" "$status $two $three"
check_jq "send: result" "[\"$dir/file\",5,9,3000001,3000001,2,2,0]" \
	'[.file, .group, .port, .bytes, .sent_bytes, .members, .delivered, .failed]'
check_jq "send: nodes" '[[2,"delivered","none",3000001],[3,"delivered","none",3000001]]' \
	'.nodes | sort_by(.node) | map([.node, .state, .reason, .bytes])'
check_jq "send: times" 'true' '([.nodes[].time_us] | min > 0) and .time_us == ([.nodes[].time_us] | max)'
id=$(gojq -r .id <<<"$out")
check_equal "recv: result" "[5,9,1,\"$id\",3000001,\"$dir/3/copy\"]" \
	"$(gojq -c 'select(.file) | [.group, .port, .root, .id, .bytes, .file]' "$dir/three.log")"
check_equal "recv: the same bytes" "$(sum "$dir/file") $(sum "$dir/file")" \
	"$(sum "$dir/2/copy") $(sum "$dir/3/copy")"
check_equal "recv: nothing else" "copy |copy " "$(files 2)|$(files 3)"
check_equal "recv: mode as the umask says" "640" "$(stat -c %a "$dir/2/copy")"
umask 022

### As text; replaced; standard input; progress.
ip netns exec n2 "$ctl" recv "$dir/2/copy" group 5 port 10 >"$dir/text" &
two=$!
wait_for 30 grep -q '^ready to receive from group 5 at port 10$' "$dir/text"
head -c 70000 "$dir/file" | ip netns exec n1 "$ctl" send - group 5 port 10 progress >"$dir/out" 2>"$dir/err"
check_equal "send -: not all have it" 2 $?
wait $two
check_equal "recv: replaces" "0 $(head -c 70000 "$dir/file" | cksum)" "$? $(sum "$dir/2/copy")"
check_match "recv: as text" ' of node 1, 68.4 KiB: .*/2/copy' "$(tail -n 1 "$dir/text")"
check_equal "send -: who has it not" \
	"hbcastctl: \"-\" did not reach 1 of 2 members: node 3 (no-receiver)" "$(<"$dir/err")"
check_match "send: as text" '1 of 2 members have it.*NODE  STATE .*2  delivered .*3  failed     no-receiver' \
	"$(tr '\n' ' ' <"$dir/out")"

### An empty file, and many into a directory.
: >"$dir/empty"
both_receive . count 3
for name in empty file empty; do
	at 1 send "$dir/$name" group 5 port 9 timeout $((60 * HBCAST_SLOWNESS))s >/dev/null
	check_equal "three messages: $name" 0 $?
done
both_end
check_equal "three messages: received" "0 0" "$two $three"
mapfile -t names < <(gojq -r '.file | select(.)' "$dir/three.log")
check_equal "three messages: lengths" "0 3000001 0" "$(stat -c %s "${names[@]}" | xargs)"
check_equal "three messages: names" "$(gojq -r '.id | select(.) | "1-\(.)"' "$dir/three.log" | xargs)" \
	"$(basename -a "${names[@]}" | xargs)"
check_equal "three messages: the same bytes" "$(sum "$dir/file")" "$(sum "${names[1]}")"
rm -rf "${dir:?}/2" "${dir:?}/3"

### What ends in the middle: both get little for seconds, as nobody has it sooner because
### another one is slow, nor later.
node_shape 2 $((16 / HBCAST_SLOWNESS))mbit
node_shape 3 $((16 / HBCAST_SLOWNESS))mbit
head -c 12000000 /dev/urandom >"$dir/large"

both_receive large
ip netns exec n1 "$ctl" -j send "$dir/large" group 5 port 9 timeout $((60 * HBCAST_SLOWNESS))s progress \
	>"$dir/out" 2>"$dir/err" &
send=$!
check "recv killed: in the middle" wait_for 30 part 3 large
kill -TERM $three
wait $send
status=$?
both_end
out=$(grep -v '"progress"' "$dir/out")
check_equal "recv killed: status" "2 0 2" "$status $two $three"
check_jq "recv killed: told to the sender" '[[2,"delivered","none"],[3,"failed","closed"]]' \
	'.nodes | sort_by(.node) | map([.node, .state, .reason])'
check_match "recv killed: sentence" 'did not reach 1 of 2 members: node 3 \(closed\)' "$(<"$dir/err")"
check_match "recv killed: its own" 'interrupted after 0 of 1 messages' "$(<"$dir/three.err")"
check_equal "recv killed: no file of that name" ".large.list .large.part " "$(files 3)"
check_equal "recv killed: the other has it" "large  $(sum "$dir/large")" "$(files 2) $(sum "$dir/2/large")"
check_equal "send: progress as JSON" true "$(gojq -s 'map(select(.progress)) | length > 0 and
	all(.[]; .progress.bytes == 12000000 and (.progress.nodes | length) == 2)' "$dir/out")"
check_equal "send: progress names who has failed" '[3,"closed"]' \
	"$(gojq -sc '[.[].progress | select(.)] | last.nodes[] | select(.state == "failed") | [.node, .reason]' "$dir/out")"
rm -rf "${dir:?}/2" "${dir:?}/3"

both_receive large
ip netns exec n1 "$ctl" send "$dir/large" group 5 port 9 progress >"$dir/out" 2>/dev/null &
send=$!
wait_for 30 part 3 large
check "recv killed outright: progress before" \
	wait_for 30 grep -q ' sent, every node has at least [0-9]* %, 0 of 2 delivered, 0 failed$' "$dir/out"
kill -KILL $three
wait $send
both_end
check_equal "recv killed outright: no file of that name" "" "$(find "$dir/3" -name large)"
check_match "recv killed outright: progress names it" \
	' sent, every other node has at least [0-9]+ %, 0 of 2 delivered, 1 failed: node 3 \(closed\)' "$(<"$dir/out")"
rm -rf "${dir:?}/2" "${dir:?}/3"

both_receive large
ip netns exec n1 "$ctl" send "$dir/large" group 5 port 9 >"$dir/out" 2>"$dir/err" &
send=$!
wait_for 30 part 3 large
kill -INT $send
wait $send
status=$?
both_end
check_equal "send interrupted: status" "2 2 2" "$status $two $three"
check_match "send interrupted: sentence" 'interrupted, so the message is given up: .* did not reach 2 of 2' \
	"$(<"$dir/err")"
check_match "send interrupted: told to the receivers" \
	'message [0-9]+ of node 1 failed after [0-9]+ of 12000000 bytes, which are kept: its sender gave it up' \
	"$(<"$dir/three.err")"
check_equal "send interrupted: no file of that name" ".large.list .large.part " "$(files 3)"

both_receive large
run 1 send "$dir/large" group 5 port 9 timeout 1s
both_end
check_equal "send, time over: status" "2 2 2" "$status $two $three"
check_match "send, time over: sentence" 'the time is over, so the message is given up: .* of 2 members: ' "$err"
check_equal "send, time over: no files of that name" "" "$(find "$dir/2" "$dir/3" -name large)"
rm -rf "${dir:?}/2" "${dir:?}/3"

### A receiver that is stopped holds up nobody: the kernel writes its file.
both_receive large
ip netns exec n1 "$ctl" -j send "$dir/large" group 5 port 9 >"$dir/out" 2>"$dir/err" &
send=$!
wait_for 30 part 3 large
kill -STOP $three
wait $send
status=$?
out=$(<"$dir/out")
check_equal "recv stopped: not under its name" "1 0" \
	"$(find "$dir/3" -name .large.part | wc -l) $(find "$dir/3" -name large | wc -l)"
kill -CONT $three
both_end
check_equal "recv stopped: status" "0 0 0" "$status $two $three"
check_jq "recv stopped: told to the sender" '[[2,"delivered","none"],[3,"delivered","none"]]' \
	'.nodes | sort_by(.node) | map([.node, .state, .reason])'
check_equal "recv stopped: has it" "large  $(sum "$dir/large")" "$(files 3) $(sum "$dir/3/large")"
rm -rf "${dir:?}/2" "${dir:?}/3"

### A receiver whose disk is full has no file; the other one has.
mkdir "$dir/3"
mount -t tmpfs -o size=4m none "$dir/3"
both_receive large
# On a screen that has no line for each.
on_screen "stty rows 2 cols 40; exec ip netns exec n1 $ctl -j send $dir/large group 5 port 9 >$dir/out" >"$dir/screen"
status=$?
out=$(<"$dir/out")
both_end
check_equal "disk full: status" "2 0 2" "$status $two $three"
check_match "disk full: on the screen" 'failed: node 3 \(file\)' "$(<"$dir/screen")"
check_jq "disk full: told to the sender" '[[2,"delivered","none"],[3,"failed","file"]]' \
	'.nodes | sort_by(.node) | map([.node, .state, .reason])'
check_match "disk full: sentence" \
	'message [0-9]+ of node 1 failed after [0-9]+ of 12000000 bytes.*/3/.large.part..? cannot be written: No space left on device \([0-9]{7,8} bytes more are needed, [0-9]+ are free\): make room in .*/3/.*, then start recv and send again: it resumes' \
	"$(<"$dir/three.err")"
check_equal "disk full: no file of that name" "" "$(find "$dir/3" -name large)"

### With room it resumes.
mount -o remount,size=32m "$dir/3"
both_receive large
run 1 send "$dir/large" group 5 port 9
both_end
check_equal "room again: has it" "0 0 0 $(sum "$dir/large")" "$status $two $three $(sum "$dir/3/large")"
check_equal "room again: some was there" true "$(gojq 'select(.file) | .resumed > 0' "$dir/three.log")"
umount "$dir/3"

run 2 recv "$dir/2/x" group 5 port 9 timeout 200ms
check_equal "recv: time over" \
	"2 hbcastctl: the time is over after 0 of 1 messages" "$status $err"
### Who may.
nobody()
{
	ip netns exec n1 setpriv --reuid=65534 --regid=65534 --clear-groups "$ctl" "$@"
}

chmod 755 "$dir"
nobody send "$dir/file" group 5 port 9 2>"$dir/err"
check_equal "nobody may not send" "2" $?
check_match "nobody may not send: sentence" 'you may not send to group 5: .*mode' "$(<"$dir/err")"
nobody recv /tmp/nobody group 5 port 9 2>"$dir/err"
check_equal "nobody may not receive" "2" $?
check_match "nobody may not receive: sentence" 'you may not receive from group 5' "$(<"$dir/err")"
at 1 group set 5 mode 0602
nobody send "$dir/file" group 5 port 11 timeout $((60 * HBCAST_SLOWNESS))s >/dev/null 2>"$dir/err"
check_match "others may send when the mode says so" 'did not reach 2 of 2 members: .*no-receiver' "$(<"$dir/err")"

### The node goes while a file comes, then a group.
rm -rf "${dir:?}/2" "${dir:?}/3"
both_receive large
ip netns exec n1 "$ctl" send "$dir/large" group 5 port 9 >/dev/null 2>"$dir/err" &
send=$!
wait_for 30 part 3 large
at 3 node del
wait $three
check_equal "recv: the node goes" 2 $?
check_match "recv: the node goes: sentence" \
	'of 12000000 bytes.*: the plan, the group or the node was removed, here or at its sender' "$(<"$dir/three.err")"
wait $send $two
check_match "send: a dead node: sentence" \
	'did not reach 1 of 2 members: node 3 \(node-dead\); when one .* is back, start "hbcastctl recv" there and send again' \
	"$(<"$dir/err")"
receive 2 two "$dir/2/x" group 5 port 9
two=$!
ready two
at 2 group del 5
wait $two
check_equal "recv: the group goes" 2 $?
check_match "recv: the group goes: sentence" 'this node does not take part in the group any more' "$(<"$dir/two.err")"
tap_done
