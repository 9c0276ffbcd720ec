# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that plant mistakes (faults/) in a kernel that watches itself.

. selftests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# planted KERNEL COMMAND: a kernel that goes on after what it sees runs it, with
# make NAME to make a mistake.
planted()
{
	local kernel=$1

	# The module that makes them; not by a caller's make.
	unset MAKEFLAGS MFLAGS MAKELEVEL
	cp -r selftests/vm/faults "$work"
	make -s -C "$(selftests/vm/kernel dir "$kernel")/headers" M="$work/faults" modules \
		>"$work/build" 2>&1 || sed 's/^/# /' "$work/build"
	selftests/vm/run --kernel "$kernel" --timeout 400 --log "$work/log" --cpus 2 \
		--append "panic_on_warn=0 kasan_multi_shot" --file "$work/faults/faults.ko" \
		bash -c "nproc; insmod $work/faults/faults.ko
			make() { echo \$1 >/sys/module/faults/parameters/make; }
			export -f make
			$2" >"$work/out" 2>&1
	check_equal "a kernel that reports is status 125" 125 $?
	check_equal "it has two processors" 2 "$(head -n 1 "$work/out")"
}

# seen NAME PATTERN: the kernel's log has it.
seen()
{
	check_match "$1" "$2" "$(grep -E "$2" "$work/log" | head -n 1)"
}

planted_done()
{
	[ "$tap_failed" = 0 ] || tail -n 100 "$work/log" "$work/out" | sed 's/^/# /'
	tap_done
}
