#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The debug kernel sees what it was built to see.
#
# here: timeout=900 debug-only

. selftests/lib/tap.sh

KERNEL=6.12-debug
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The module that makes the mistakes; not by a caller's make.
unset MAKEFLAGS MFLAGS MAKELEVEL
cp -r selftests/vm/faults "$work"
make -s -C "$(selftests/vm/kernel dir $KERNEL)/headers" M="$work/faults" modules \
	>"$work/build" 2>&1 || sed 's/^/# /' "$work/build"

# vm COMMAND: in the debug kernel, which goes on after what it sees.
vm()
{
	selftests/vm/run --kernel $KERNEL --timeout 400 --log "$work/log" \
		--append "panic_on_warn=0 kasan_multi_shot" \
		bash -c "$1" >"$work/out" 2>&1
	status=$?
}

# seen NAME PATTERN: the kernel's log has it.
seen()
{
	check_match "$1" "$2" "$(grep -E "$2" "$work/log" | head -n 1)"
}

# Locks come first, because those that follow make the kernel stop to watch them.
# kmemleak knows what is lost when its owner has gone.
vm "insmod $work/faults/faults.ko
	make() { echo \$1 >/sys/module/faults/parameters/make; }
	export -f make
	make order; make freed; make beyond; make shift; make sleep
	make timer; make list; make leak; unshare -n bash -c 'make netns'
	. selftests/lib/tap.sh
	wait_for 20 eval 'dmesg | grep -q ref_tracker'
	rmmod faults
	echo scan >/sys/kernel/debug/kmemleak; sleep 6
	echo scan >/sys/kernel/debug/kmemleak; cat /sys/kernel/debug/kmemleak"
check_equal "a kernel that reports is status 125" 125 $status
seen "memory that is free" "KASAN: slab-use-after-free in make_freed"
seen "memory beyond its end" "KASAN: vmalloc-out-of-bounds in make_beyond"
seen "a shift too wide" "UBSAN: shift-out-of-bounds"
seen "locks in two orders" "possible circular locking dependency"
seen "sleep where it must not be" "BUG: (sleeping function|scheduling while atomic)"
seen "a timer that runs in memory that is free" "ODEBUG: free active.*timer_list"
seen "a list that is broken" "list_del corruption"
seen "memory that is lost" "kmemleak: .* new suspected memory leaks"
check_match "and where" "make_leak" "$(<"$work/out")"
seen "a namespace that is held" "ref_tracker: net refcnt@.* has 1/1 users"
[ $tap_failed = 0 ] || tail -n 100 "$work/log" "$work/out" | sed 's/^/# /'
tap_done
