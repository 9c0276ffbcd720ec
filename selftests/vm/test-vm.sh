#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# vm/run returns what the command returns, tells a broken kernel from a failing
# command, ends what hangs, leaves nothing behind, and runs the same again.
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

# Its first line is here while it still runs: for longer than the test lasts.
test_stream()
{
	local pid

	$RUN --timeout 0 bash -c 'echo first; while :; do :; done' >"$work/out" & pid=$!
	check "its output comes while it runs" wait_for 120 grep -q first "$work/out"
	kill -TERM $pid
	wait $pid
	check_equal "ended by a signal, the status tells" 143 $?
}

test_place()
{
	echo kept >"$work/given"
	# shellcheck disable=SC2016
	vm --keep "$work/keep" --file "$work/given" --mem 512M bash -c '
		pwd; echo $1 $2; id -u; nproc; ls -d /lib/modules/$(uname -r)/kernel; ls /sys/class/net
		cp '"$work/given"' /run/keep/file; echo lost >selftests/lost' \
		- "$PWD/selftests" "${PWD}er"
	check_equal "success is 0" 0 $status
	check_equal "the command runs in its copy, as root, on one processor, without network" \
		"/hbcast /hbcast/selftests ${PWD}er 0 1 /lib/modules/$(selftests/vm/kernel dir 6.12 | xargs basename)/kernel lo" \
		"$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
	check_equal "a file is given to it, and one kept" kept "$(cat "$work/keep/file")"
	check "what it writes elsewhere is not kept" [ ! -e selftests/lost ]
	# shellcheck disable=SC2016
	HBCAST_WORD='two words' vm --cpus 4 bash -c 'echo "$HBCAST_WORD, $(nproc)"'
	check_equal "HBCAST_ variables are passed on, and there are four processors" \
		"two words, 4" "$out"
}

# More is written than the machine has memory, and read again.
test_disk()
{
	# shellcheck disable=SC2016
	local job='cd /mnt; head -c 5M /dev/urandom >part; for i in {0..59}; do cat part; done >file
		for i in {0..59}; do cmp -i 0:$((5 * i))M -n 5M part file || exit; done; echo same
		stat -f /mnt; date +%s.%N'
	local first

	vm --mem 512M --disk 2G bash -c "$job"
	check_match "a disk has room for more than memory has" "^same.*ext" "$out"
	first=$out
	vm --mem 512M --disk 2G bash -c "$job"
	check_equal "it is empty again, and the same run" "$first" "$out"
}

test_broken_kernel()
{
	vm bash -c 'echo c >/proc/sysrq-trigger'
	check_equal "a panic is status 125" 125 $status
	check_match "its trace is printed" 'Kernel panic.*sysrq_handle_crash' "$err"
	vm --file "$work/warn.ko" insmod "$work/warn.ko"
	check_equal "a kernel warning is status 125" 125 $status
	check_match "its trace is printed, too" 'WARNING: CPU.*warn_init' "$err"
	vm bash -c 'echo WARN: not at the start of a line, WARNINGS: neither >/dev/kmsg'
	check_equal "words in the log that only look like it do not matter" 0 $status
}

test_hang()
{
	vm --timeout 8 sleep infinity
	check_equal "when the time is over the status is 124" 124 $status
	check_match "it is told as such" 'the time was over after [0-9]+ seconds' "$err"
	check_match "what the kernel does is told" 'sysrq: Show Blocked State' "$err"
	vm --timeout 8 bash -c 'while :; do :; done'
	check_match "also if its processors never rest" 'sysrq: Show Blocked State' "$err"
	# Processes that are not killed with the command keep both processors busy.
	# shellcheck disable=SC2016
	vm --cpus 2 --timeout 60 bash -c 'for i in 1 2; do
		(echo $BASHPID >/sys/fs/cgroup/cgroup.procs; while :; do :; done) >/dev/null 2>&1 &
		done; exit 7'
	check_equal "the machine ends with the command, whatever else it does" 7 $status
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

# Prints what differs unless all follows from the seed: times, what is random, and
# who of two comes first.
# shellcheck disable=SC2016
same='work() { local i; for ((i = 0; i < 3000; i++)); do :; done; }
	draw() { od -An -N8 -x /dev/urandom; }
	work & work & draw; echo $RANDOM; wait; ip netns add a; ip -n a link add veth1 type veth
	ip -n a link show veth1 | grep ether; mktemp -u; cat /proc/interrupts; date +%s.%N
	dmesg | tail -n 5'

test_same()
{
	local first

	vm --seed 7 bash -c "$same"
	first=$out
	check_match "addresses are drawn" 'link/ether (..:){5}' "$first"
	vm --seed 7 bash -c "$same"
	check_equal "the same seed is the same run" "$first" "$out"
	vm --seed 8 bash -c "$same"
	check "another seed is another run" [ "$out" != "$first" ]
}

# beside CPUS PROGRAM: three machines side by side, whose output goes to $work/beside.N.
beside()
{
	local i

	for i in 1 2 3; do
		$RUN --timeout 120 --seed 7 --cpus "$1" --file "$work/$2" python3 "$work/$2" \
			>"$work/beside.$i" &
	done
	wait
	check_equal "three beside each other are the same run, processors: $1" \
		"$(cat "$work"/beside.{1,1,1})" "$(cat "$work"/beside.{1,2,3})"
}

# Which of several machines the host runs when must not be seen: neither by timers at which
# the only processor sleeps, nor by two programs that take turns on two.
test_same_beside_others()
{
	cat >"$work/timers" <<-'END'
		import hashlib, select, time
		seen = hashlib.sha256()
		for _ in range(5000):
		    select.select([], [], [], 0.0001)
		    seen.update(str(time.monotonic_ns()).encode())
		print(seen.hexdigest(), time.monotonic_ns())
	END
	beside 1 timers
	check_match "5000 timers take half a virtual second, or more" \
		'^[0-9a-f]{64} ([5-9][0-9]{8}|[1-9][0-9]{9})$' "$(<"$work/beside.1")"
	cat >"$work/turns" <<-'END'
		import hashlib, os, select, time
		seen = hashlib.sha256()
		child = os.fork()
		for at in range(3000):
		    if at % 7 == 0:
		        select.select([], [], [], 0.0001 if child else 0.00013)
		    seen.update(str(time.monotonic_ns()).encode() * (at % 50))
		if child:
		    os.wait()
		print(seen.hexdigest())
	END
	beside 2 turns
	check_match "two programs have said what they saw" \
		$'^[0-9a-f]{64}\n[0-9a-f]{64}$' "$(<"$work/beside.1")"
}

# A loop of known length; an instruction takes a nanosecond, however busy the host is.
test_virtual_time()
{
	local began=$SECONDS

	vm bash -c 'a=${EPOCHREALTIME/./}; sleep 10000; echo $((${EPOCHREALTIME/./} - a))'
	check "hours of waiting take seconds" [ $((SECONDS - began)) -lt 100 ]
	echo "# it took $out us"
	check "and are hours of virtual time, but for the starting of a program" \
		[ "$out" -ge 10000000000 -a "$out" -lt 10000020000 ]
}

test_shell()
{
	local keys pid

	mkfifo "$work/keys"
	script -qec "$RUN --shell" /dev/null <"$work/keys" >"$work/out" & pid=$!
	exec {keys}>"$work/keys"
	check "a shell has a prompt" wait_for 200 grep -q 'bash-.*#' "$work/out"
	echo 'echo "[$(nproc)]"; exit 7' >&"$keys"
	wait $pid
	check_equal "its status is passed on" 7 $?
	check "it runs what is typed" grep -q '^\[1\]' "$work/out"
	exec {keys}>&-
}

test_refusals()
{
	vm --kernel 5.10 true
	check_equal "an unknown kernel is status 126" 126 $status
	check_equal "in one sentence" 1 "$(wc -l <"$work/err")"
	vm --cpus none true
	check_match "a bad number is refused" "--cpus: 'none' is not a number" "$err"
	vm --kernel 6.1 --cpus 2 true
	check_match "6.1 with two processors is refused" 'leave out --cpus' "$err"
	vm --kernel 6.12-debug --disk 1G true
	check_match "a kernel that is built here with a disk is refused" 'leave out --disk' "$err"
	vm --file "$work/none" true
	check_match "a file that is not there is refused" 'there is no such file' "$err"
	err=$(cd / && "$OLDPWD/$RUN" true 2>&1)
	check_match "a place that the machine does not have is refused" 'start from a dir' "$err"
	ln -s "$(selftests/vm/kernel dir 6.12 | xargs dirname | xargs dirname)" "$work/a b"
	err=$(HBCAST_CACHE="$work/a b" $RUN true 2>&1)
	check_match "a library that QEMU cannot load is told" 'QEMU does not load .*/a b/' "$err"
	vm
	check_match "no command is refused" 'no command is given' "$err"
	mkdir "$work/bin"
	ln -s /usr/bin/* "$work/bin"
	rm "$work/bin/qemu-system-x86_64"
	err=$(PATH=$work/bin $RUN true 2>&1)
	check_match "no QEMU is told" 'qemu-system-x86_64 is missing; run .make deps' "$err"
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
test_disk
test_broken_kernel
test_hang
test_side_by_side
test_same
test_same_beside_others
test_virtual_time
test_stream
test_shell
test_refusals
check_equal "nothing is left in the temporary directory" "" "$(ls -A "$TMPDIR")"
tap_done
