#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The debug kernel sees what it was built to see.
#
# here: timeout=900

. selftests/vm/planted.sh

# Locks come first, because those that follow make the kernel stop to watch them.
# kmemleak knows what is lost when its owner has gone.
planted 6.12-debug "make order; make freed; make beyond; make shift; make sleep
	make timer; make list; make leak; make page; make slab; unshare -n bash -c 'make netns'
	. selftests/lib/tap.sh
	wait_for 20 eval 'dmesg | grep -q ref_tracker'
	echo scan >/sys/kernel/debug/kmemleak; sleep 6
	echo scan >/sys/kernel/debug/kmemleak; cat /sys/kernel/debug/kmemleak
	rmmod faults
	echo scan >/sys/kernel/debug/kmemleak; sleep 6
	echo scan >/sys/kernel/debug/kmemleak; cat /sys/kernel/debug/kmemleak
	selftests/vm/lost-pages /sys/kernel/debug/page_owner_stacks/show_stacks | tee /run/lost
	echo lost stacks: \$(grep -c lost: /run/lost)"
seen "memory that is free" "KASAN: slab-use-after-free in make_freed"
seen "memory beyond its end" "KASAN: vmalloc-out-of-bounds in make_beyond"
seen "a shift too wide" "UBSAN: shift-out-of-bounds"
seen "locks in two orders" "possible circular locking dependency"
seen "sleep where it must not be" "BUG: (sleeping function|scheduling while atomic)"
seen "a timer that runs in memory that is free" "ODEBUG: free active.*timer_list"
seen "a list that is broken" "list_del corruption"
seen "memory that is lost" "kmemleak: .* new suspected memory leaks"
check_match "and where" "make_leak" "$(<"$work/out")"
check_match "a page that is lost" "lost stacks: 1" "$(<"$work/out")"
seen "a namespace that is held" "ref_tracker: net refcnt@.* has 1/1 users"
planted_done
