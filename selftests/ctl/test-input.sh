#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the commands that talk to the module refuse before they talk to it: bad
# words, files, keys. Needs neither the module nor root.

. selftests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# refused NAME SENTENCE WORD...: status 1, exactly this sentence, no result.
refused()
{
	local name=$1 sentence=$2 status

	shift 2
	"$HBCAST_CTL" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	check_equal "$name" "1 hbcastctl: $sentence" "$status $(cat "$dir/out" "$dir/err")"
}

not_a_number()
{
	echo "$1 \"$2\" is no whole number from $3 to $4: write one"
}

out_of_range()
{
	echo "$1 $2 is out of range: write $3"
}

### Keys.
check "keygen" "$HBCAST_CTL" group keygen "$dir/key"
check_equal "keygen: 32 bytes that only the owner reads" "32 600" "$(stat -c '%s %a' "$dir/key")"
"$HBCAST_CTL" group keygen "$dir/key2"
check_equal "keygen: another one each time" 1 "$(cmp -s "$dir/key" "$dir/key2"; echo $?)"
sum=$(sha256sum <"$dir/key")
refused "keygen: what is there stays" \
	"\"$dir/key\" is there already and may be a key in use: remove it first or name another file" \
	group keygen "$dir/key"
check_equal "keygen: it is untouched" "$sum" "$(sha256sum <"$dir/key")"
refused "keygen: no directory" "key file \"$dir/none/key\" cannot be made: No such file or directory" \
	group keygen "$dir/none/key"
if [ -w /dev/full ]; then
	ln -s /dev/full "$dir/full"
	refused "keygen: a link is not followed" \
		"\"$dir/full\" is there already and may be a key in use: remove it first or name another file" \
		group keygen "$dir/full"
fi

# key_file NAME BYTES MODE
key_file()
{
	head -c "$2" /dev/zero >"$dir/$1"
	chmod "$3" "$dir/$1"
}

wrong_mode()
{
	echo "key file \"$dir/$1\" has mode $2, so others than its owner can read or change it: chmod 600 it and make a new key if it has been read"
}

wrong_length()
{
	echo "key file \"$dir/$1\" holds $2 bytes and a key has 16 to 64: make one with \"hbcastctl group keygen\""
}

key_file g 32 640
refused "a key that the group may read" "$(wrong_mode g 0640)" group add 5 key-file "$dir/g"
key_file o 32 604
refused "a key that others may read" "$(wrong_mode o 0604)" group add 5 key-file "$dir/o"
key_file w 32 622
refused "a key that others may write" "$(wrong_mode w 0622)" group set 5 key-file "$dir/w"
key_file short 15 600
refused "a key too short" "$(wrong_length short 15)" group add 5 key-file "$dir/short"
key_file long 65 600
refused "a key too long" "$(wrong_length long 'at least 65')" group add 5 key-file "$dir/long"
key_file empty 0 600
refused "an empty key" "$(wrong_length empty 0)" group add 5 key-file "$dir/empty"
mkdir -m 700 "$dir/d"
refused "a directory as a key" "key file \"$dir/d\" is a directory: name a file" group add 5 key-file "$dir/d"
refused "no key file" \
	"key file \"$dir/none\" cannot be opened (No such file or directory): name a file that you may read, or make one with \"hbcastctl group keygen\"" \
	group add 5 key-file "$dir/none"
refused "no key at all" '"key-file" is missing: it must be given' group add 5

### Settings of a group.
k=(group add 5 key-file "$dir/key")
refused "group 0" "$(not_a_number id 0 1 4294967295)" group add 0 key-file "$dir/key"
refused "a group too large" "$(not_a_number id 4294967296 1 4294967295)" group add 4294967296 key-file "$dir/key"
refused "a mode beyond 0666" 'mode "0777" is no mode: write octal digits of 0666, for example 0660' "${k[@]}" mode 0777
refused "a mode that is not octal" 'mode "0680" is no mode: write octal digits of 0666, for example 0660' "${k[@]}" mode 0680
refused "no such user" 'owner "no one" is no user of this system: write the name of one' "${k[@]}" owner "no one"
refused "no such group" 'group "no one" is no group of this system: write the name of one' "${k[@]}" group "no one"
refused "a dead interval too short" "$(out_of_range dead-interval 99ms '100ms to 600s')" "${k[@]}" dead-interval 99ms
refused "a stall interval too long" "$(out_of_range stall-interval 11m '100ms to 600s')" "${k[@]}" stall-interval 11m
refused "a window too short" "$(out_of_range window 63KiB '64KiB to 256MiB')" "${k[@]}" window 63KiB
refused "a window too long" "$(out_of_range window 257MiB '64KiB to 256MiB')" "${k[@]}" window 257MiB
refused "a tree of one node" "$(out_of_range max-nodes 1 '2 to 4096')" "${k[@]}" max-nodes 1
refused "more nodes than a tree has" "$(out_of_range max-nodes 4097 '2 to 4096')" "${k[@]}" max-nodes 4097
refused "neither on nor off" 'probe "yes" is not understood: write on or off' "${k[@]}" probe yes
refused "a rate without a unit" \
	'probe-rate "94" is not understood: write a number with a unit, for example 94mbit or 10gbit' \
	"${k[@]}" probe-rate 94
refused "a rate of nothing" 'probe-rate 7bit is next to nothing: write more, or any for no limit' \
	"${k[@]}" probe-rate 7bit
refused "a total of nothing" 'probe-total 0 is next to nothing: write more, or any for no limit' \
	"${k[@]}" probe-total 0
refused "members: not a number" "$(not_a_number members b 1 4294967295)" "${k[@]}" members 1,b
refused "members: an empty one" "$(not_a_number members '' 1 4294967295)" "${k[@]}" members 1,,2
refused "members: 0" "$(not_a_number members 0 1 4294967295)" "${k[@]}" members 0

### Addresses.
refused "no address" '"address" is missing: it must be given' node set 1
refused "an address of one link" \
	"an address with a % belongs to one link and cannot be a node's: give one that is valid everywhere" \
	node set 1 address fe80::1%lo
refused "a part of an address" \
	'address "10.1" is no address: write 10.0.0.1, 10.0.0.1:7310, ::1 or [::1]:7310' peer add 2 address 10.1
refused "port 0" "$(not_a_number port 0 1 65535)" peer add 2 address 10.0.0.2 port 0
refused "a port too large" "$(not_a_number port 65536 1 65535)" node set 2 address 10.0.0.2 port 65536
refused "node 0" "$(not_a_number id 0 1 4294967295)" node set 0 address 10.0.0.2

### Files.
refused "import: no file" \
	"unable to open $dir/none: No such file or directory: name a file of nodes with addresses" \
	peer import "$dir/none"
echo '{"nodes": [' >"$dir/bad"
refused "import: no JSON" "$dir/bad: line 2: ']' expected near end of file" peer import "$dir/bad"
echo '{"nodes": {}}' >"$dir/bad"
refused "import: no list" \
	"$dir/bad has no list \"nodes\": use a cost file, or what \"hbcastctl -j lab show\" prints" \
	peer import "$dir/bad"
refused "apply: no file" "$dir/none: cannot be opened: No such file or directory" apply "$dir/none" group 5
refused "apply: no group" '"group" is missing: it must be given' apply "$dir/none"
refused "apply: a wait without unit" \
	'wait "5" is not understood: write a number with a unit, for example 5s or 200ms' \
	apply "$dir/none" group 5 wait 5
refused "send: no file" "\"$dir/none\" cannot be opened: No such file or directory" send "$dir/none" group 5 port 9
refused "send: a directory" \
	"\"$dir\" is no regular file, so its length is not known: name a file, or - to send standard input" \
	send "$dir" group 5 port 9
mkfifo "$dir/fifo"
refused "send: a pipe does not hang" \
	"\"$dir/fifo\" is no regular file, so its length is not known: name a file, or - to send standard input" \
	send "$dir/fifo" group 5 port 9
refused "send: port 0" "$(not_a_number port 0 1 65535)" send "$dir/key" group 5 port 0
refused "recv: no directory" "\"$dir/none/\" is no directory: make it first or name a file" \
	recv "$dir/none/" group 5 port 9
refused "recv: two messages and one file" \
	"2 messages do not fit into the one file \"$dir/x\": name a directory that exists" \
	recv "$dir/x" group 5 port 9 count 2
refused "recv: none" "$(not_a_number count 0 1 4294967295)" recv "$dir" group 5 port 9 count 0
refused "a message without its group" 'messages are counted in each group: give the group beside the id' \
	show message 5
refused "a graph that is neither" 'graph "png" is unknown: write dot or text' show plan graph png
tap_done
