#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl's frame: options, shortened words, batches, errors, completion.

. selftests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# run WORD...: leaves the exit status and both outputs.
run()
{
	"$HBCAST_CTL" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	out=$(<"$dir/out")
	err=$(<"$dir/err")
}

# refused NAME PATTERN WORD...: status 1, one sentence that matches, no result.
refused()
{
	local name=$1 pattern=$2

	shift 2
	run "$@"
	check_equal "$name: status" 1 "$status"
	check_equal "$name: no result" "" "$out"
	check_equal "$name: one line" 1 "$(wc -l <"$dir/err")"
	check_match "$name: the sentence" "^hbcastctl: .*$pattern" "$err"
}

run -V
check_match "the version" '^hbcastctl [0-9]+\.[0-9]+' "$out"
run help
check_match "help lists the objects" $'\n  lab +emulated networks' "$out"
run lab help
check_match "help of an object lists its commands" \
	'hbcastctl lab up FILE.*hbcastctl lab down' "$out"
run lab down help
check_match "help of a command" '^Usage: hbcastctl lab down \[' "$out"
run
check_equal "no words: status" 1 "$status"
check_match "no words: the usage" '^Usage: ' "$err"

run la l
check_equal "shortened words" 0 "$status"
refused "an unknown object" '"nothing" is unknown' nothing
refused "an unknown command" '"nothing" is unknown' lab nothing
refused "an empty word" '"" is unknown' lab ''
refused "an unknown option" '"-x" is unknown' -x lab list
refused "an option without its value" '"-batch" .*lacks its value' -batch
refused "an unknown key" '"colour" is not known' lab list colour
refused "a key without a value" '"name" has no value' lab down name
refused "a key given twice" '"name" is given twice' \
	lab up x name a name b
refused "a missing key" '"file" is missing' lab up check
refused "a batch and more" 'the words from "lab" on' -batch x lab list
refused "no batch file" "\"$dir/none\" cannot be opened" -batch "$dir/none"

run -j lab nothing
check_equal "an error as JSON" '1 1 ["error", "exit"]' "$status $(
	/usr/bin/python3 -c 'import json, sys
error = json.load(sys.stdin)
print(error["exit"], json.dumps(sorted(error)))' <<<"$err")"
run -j $'\xff'
check "an error about words that are not UTF-8 is JSON" \
	/usr/bin/python3 -m json.tool "$dir/err" "$dir/pretty"

cat >"$dir/batch" <<'END'
# a comment, an empty line, quotes, and a line in two

lab list # to the end
'lab' "li"st
la\
b list
END
run -j -batch "$dir/batch"
check_equal "a batch: status" 0 "$status"
check_equal "a batch: three commands" 3 "$(wc -l <"$dir/out")"

printf 'lab nothing\nlab list\nlab "list\n' >"$dir/batch"
run -batch "$dir/batch"
check_equal "a batch ends at an error: status" 1 "$status"
check_equal "a batch ends at an error: no result" "" "$out"
check_match "a batch ends at an error: the line" \
	"^hbcastctl: $dir/batch:1: .*nothing" "$err"
run -j -force -batch "$dir/batch"
check_equal "a forced batch: status" 1 "$status"
check_equal "a forced batch: the good command" 1 "$(wc -l <"$dir/out")"
check_equal "a forced batch: the lines of the bad ones" "1 3" "$(
	/usr/bin/python3 -c 'import json, sys
print(*(json.loads(line)["line"] for line in sys.stdin))' <"$dir/err")"
check_equal "a batch from standard input" 1 \
	"$(echo 'lab list' | "$HBCAST_CTL" -j -b - | wc -l)"

"$HBCAST_CTL" lab list >/dev/full 2>"$dir/err"
check_equal "output that cannot be written: status" 2 $?
check_match "output that cannot be written: the sentence" \
	'could not be written' "$(<"$dir/err")"

. tools/hbcastctl/hbcastctl.bash-completion

# complete_words WORD...: what completion offers for the last word.
complete_words()
{
	COMP_WORDS=(hbcastctl "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_hbcastctl "$HBCAST_CTL"
	echo "${COMPREPLY[*]}"
}

check_match "completion knows a key of a dash" ' -y ' " $(complete_words auto-plan group 7 '') "
known=" $(complete_words '') "
mapfile -t objects < <(sed -n 's/^\t{ "\([a-z]*\)", hbctl_cmd_.*/\1/p' tools/hbcastctl/main.c)
check "there are objects" [ ${#objects[@]} -ge 10 ]
for object in "${objects[@]}"; do
	check_match "completion knows $object" " $object " "$known"
	check "the manual page knows $object" \
		grep -qx "\.B $object" Documentation/man/hbcastctl.8
	offered=" $(complete_words "$object" '') "
	while read -r name; do
		check_match "completion knows $object $name" " $name " "$offered"
	done < <("$HBCAST_CTL" "$object" help |
		 sed -n "s/^.* hbcastctl $object \([a-z][a-z-]*\).*/\1/p")
done
check_equal "completion of a part" "lab" "$(complete_words la)"
check_equal "completion after options" "list" "$(complete_words -j -p lab li)"
check_equal "completion of keys" "name check" "$(complete_words lab up file '')"
tap_done
