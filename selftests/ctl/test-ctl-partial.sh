#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lists of what hbcastctl recv has of a file, and files, that it did not write, or not of this
# one: they are not used. ctl/test-partial.c tries many more lists.
# vm: timeout=400

. selftests/lib/tap.sh
. selftests/lib/module.sh
. selftests/lib/nodes.sh
. selftests/lib/partial.sh

partial_up 4 400000 || exit
time_ns=$(date -r "$dir/large" +%s%N)

# list JSON: for node 3, beside a file of which the first half is right and the rest is not there.
list()
{
	rm -rf "$dir"/3/.large.*
	head -c 200000 "$dir/large" >"$dir/3/.large.part"
	echo "$1" >"$dir/3/.large.list"
}

# says RANGES [TIME]: a list of these. gojq would not keep all digits of the time.
says()
{
	list "{\"hbcast\": \"partial\", \"version\": 1, \"name\": \"large\", \"bytes\": 400000,
		\"time_ns\": ${2:-$time_ns}, \"ranges\": $1}"
}

# comes NAME WARNS USED: the file comes, whatever lies there.
comes()
{
	both large
	begin "$dir/large"
	whole "$1" "$dir/large"
	check "$1: bytes of it that were used" [ "$(($(of 3 resumed) > 0))" = "$3" ]
	check_match "$1: warning" "$2" "$(<"$dir/3.err")"
	rm "$dir"/[23]/large
}

none='"warning":".*large.list\\" is damaged; the whole file comes again'
says '[[0, 100000], [100000, 200000]]'
comes "by hand" '^$' 1
says '[[0, 200000]]' $((time_ns - 1))
comes "another time" '^$' 0
says '[[0, 200001]]'
comes "beyond the file" "$none" 0
says '[[0, 100000]]'
rm "$dir/3/.large.part"
comes "a list alone" '^$' 0
says '[[0, 100000]]'
chown 65534 "$dir/3/.large.list"
comes "somebody else's list" "$none" 0

# kept NAME: the message comes, and what lies there stays.
kept()
{
	both large
	begin "$dir/large"
	both_end
	wait $send
	check_equal "$1: status" "0 0" "$two $three"
	check "$1: the same bytes" cmp "$dir/large" "$dir/3/large"
	check_equal "$1: nothing was used" 0 "$(of 3 resumed)"
	check_equal "$1: what was there stays" ".large.list .large.part large " "$(files 3)"
	check_match "$1: warning" 'large.part\\" cannot be used: .* is not kept for later' "$(<"$dir/3.err")"
	rm -f "$dir"/[23]/large
}

says '[[0, 200000]]'
chown 65534 "$dir/3/.large.part"
kept "somebody else's"
says '[[0, 200000]]'
(
	flock 9
	exec sleep 1000
) 9<"$dir/3/.large.part" &
other=$!
wait_for 30 sh -c "! flock -n '$dir/3/.large.part' true"
kept "in use"
kill $other
tap_done
