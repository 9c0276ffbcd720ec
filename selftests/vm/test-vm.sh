#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# vm/run returns what the command returns, tells a broken kernel from a failing
# command, ends what hangs, and leaves nothing behind.
#
# here: timeout=900

. selftests/lib/tap.sh

RUN=selftests/vm/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# vm OPTION... COMMAND...: leaves the result in status, out and err.
vm()
{
	$RUN --timeout 120 "$@" >"$work/out" 2>"$work/err"
	status=$?
	out=$(<"$work/out")
	err=$(<"$work/err")
}

test_status()
{
	vm --kernel 6.1 bash -c 'uname -r; exit 1'
	check_equal "a failing command's status is 1" 1 $status
	check_match "it ran in 6.1" '^6\.1\..*-cloud-amd64$' "$out"
	vm --kernel 6.12 bash -c 'uname -r; echo err >&2; sleep 1000 & exit 42'
	check_equal "another one's is 42" 42 $status
	check_match "it ran in 6.12" '^6\.12\..*-cloud-amd64$' "$out"
	check_equal "what it wrote to standard error came there" err "$err"
}

# The command goes on when its first line has been seen here.
test_stream()
{
	local share=$work/stream line

	mkdir "$share"
	while read -r line; do
		touch "$share/$line"
	done < <($RUN --timeout 120 --share "$share" bash -c "
		. selftests/lib/tap.sh
		echo first; wait_for 60 [ -e $share/first ] && echo second")
	check "its output comes while it runs" [ -e "$share/second" ]
}

test_place()
{
	mkdir "$work/share"
	# shellcheck disable=SC2016
	vm --share "$work/share" --cpus 1 --mem 512M bash -c '
		pwd; id -u; nproc; ls -d /lib/modules/$(uname -r)/kernel; ls /sys/class/net
		echo kept >'"$work/share/file"'; echo lost >'"$work/lost"
	check_equal "success is 0" 0 $status
	check_equal "the command runs here, as root, on one processor, without network" \
		"$PWD 0 1 /lib/modules/$(selftests/vm/kernel dir 6.12 | xargs basename)/kernel lo" \
		"$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
	check_equal "what it writes to a share is kept" kept "$(cat "$work/share/file")"
	check "what it writes elsewhere is not" [ ! -e "$work/lost" ]
	HBCAST_WORD='two words' vm bash -c 'echo "$HBCAST_WORD"'
	check_equal "HBCAST_ variables are passed on" "two words" "$out"
}

test_broken_kernel()
{
	vm bash -c 'echo c >/proc/sysrq-trigger'
	check_equal "a panic is status 125" 125 $status
	check_match "its trace is printed" 'Kernel panic.*sysrq_handle_crash' "$err"
	vm insmod "$work/warn.ko"
	check_equal "a kernel warning is status 125" 125 $status
	check_match "its trace is printed, too" 'WARNING: CPU.*warn_init' "$err"
	vm bash -c 'echo WARN: not at the start of a line, WARNINGS: neither >/dev/kmsg'
	check_equal "words in the log that only look like it do not matter" 0 $status
}

test_hang()
{
	local pid

	vm --timeout 2 sleep 1000
	check_equal "when the time is over the status is 124" 124 $status
	check_match "it is told as such" 'the time was over after [0-9]+ seconds' "$err"
	$RUN --timeout 0 bash -c 'echo started; sleep 1000' >"$work/out" 2>"$work/err" & pid=$!
	wait_for 120 grep -q started "$work/out"
	kill -USR1 $pid
	wait $pid
	check_equal "ended by a signal, the status is 124, too" 124 $?
	check_match "what the kernel does is told" 'sysrq: Show Blocked State' "$(<"$work/err")"
}

test_side_by_side()
{
	local one two

	$RUN --timeout 120 bash -c 'echo one; exit 11' >"$work/one" & one=$!
	$RUN --timeout 120 --kernel 6.1 bash -c 'echo two; exit 12' >"$work/two" & two=$!
	wait $one
	check_equal "the first of two machines side by side" 11 $?
	wait $two
	check_equal "the second of them" 12 $?
	check_equal "each has its own output" "one two" "$(cat "$work/one") $(cat "$work/two")"
}

# Virtual time does not depend on how busy this machine is.
test_icount()
{
	local first began

	# shellcheck disable=SC2016
	local job='work() { local i; for ((i = 0; i < 20000; i++)); do :; done; }
		work; a=${EPOCHREALTIME/./}; work; echo $((${EPOCHREALTIME/./} - a))'

	vm --icount bash -c "$job"
	first=$out
	vm --icount bash -c "$job"
	echo "# virtual time of the same work: $first us and $out us"
	check "the same work takes the same virtual time, within 1 %" \
		[ $((first > out ? first - out : out - first)) -le $((first / 100)) ]
	began=$SECONDS
	vm --icount bash -c 'a=${EPOCHREALTIME/./}
		for ((i = 0; i < 10; i++)); do ip link; done >/dev/null
		echo $((${EPOCHREALTIME/./} - a)); sleep 600'
	check "waiting takes no real time" [ $((SECONDS - began)) -lt 300 ]
	echo "# virtual time of ten programs: $out us"
	check "the host's files take no virtual time" [ "$out" -lt 2000000 ]
}

test_refusals()
{
	vm --kernel 5.10 true
	check_equal "an unknown kernel is status 126" 126 $status
	check_equal "in one sentence" 1 "$(wc -l <"$work/err")"
	vm --cpus none true
	check_match "a bad number is refused" "--cpus 'none' is not a number" "$err"
	vm --icount --cpus 2 true
	check_match "--icount with two processors is refused" 'one processor only' "$err"
	vm
	check_match "no command is refused" 'no command is given' "$err"
	mkdir "$work/bin"
	ln -s /usr/bin/* "$work/bin"
	rm "$work/bin/qemu-system-x86_64"
	err=$(PATH=$work/bin $RUN true 2>&1)
	check_match "no QEMU is told" 'QEMU is missing; run .make deps' "$err"
	err=$(setpriv --reuid 65534 --clear-groups $RUN true 2>&1)
	check_match "not being root is told" 'root is needed' "$err"
}

# A module that does nothing but warn.
build_warn()
{
	mkdir "$work/warn"
	cat >"$work/warn/warn.c" <<-END
		#include <linux/module.h>
		static int __init warn_init(void)
		{
			WARN(1, "a test");
			return 0;
		}
		module_init(warn_init);
		MODULE_DESCRIPTION("warns");
		MODULE_LICENSE("GPL");
	END
	echo 'obj-m := warn.o' >"$work/warn/Kbuild"
	make -s -C "$(selftests/vm/kernel dir 6.12)/headers" M="$work/warn" modules \
		>"$work/warn/log" 2>&1 || sed 's/^/# /' "$work/warn/log"
	mv "$work/warn/warn.ko" "$work"
}

build_warn
test_status
test_place
test_broken_kernel
test_hang
test_side_by_side
test_icount
test_stream
test_refusals
check_equal "nothing is left in the temporary directory" "" "$(ls -A "$TMPDIR")"
tap_done
