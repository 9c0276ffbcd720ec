#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# selftests/run counts what passed, and takes everything else for a failure:
# skips, early ends, missing plans, hangs, leaks and broken kernels.

. selftests/lib/tap.sh

# Others are asked for here.
unset HBCAST_SEED HBCAST_SECONDS HBCAST_THOROUGH
work=$(mktemp -d)
trap 'rm -rf "$work" "$work-further-away"' EXIT
mkdir -p "$work"/selftests/{machine,here,fault,vm}
cp -r selftests/{run,runner} "$work/selftests"
for file in run agent kernel kernel-log init {mailbox,warp}.c packages {machine,image,tree,cache}.py; do
	cp "selftests/vm/$file" "$work/selftests/vm"
done

# program PATH: a test made of standard input.
program()
{
	{ echo '#!/bin/bash'; cat; } >"$work/selftests/$1"
	chmod +x "$work/selftests/$1"
}

# runner ARGUMENT...: leaves its output, last line and status.
runner()
{
	out=$("$work/selftests/run" "$@" 2>&1)
	status=$?
	last=${out##*$'\n'}
}

has_ended()
{
	[ ! -e "/proc/$(<"$work/pid")" ] || grep -q '^State:.*Z' "/proc/$(<"$work/pid")/status"
}

# expect NAME LAST STATUS WORDS: what the runner told.
expect()
{
	check_equal "$1: the count" "$2" "$last"
	check_equal "$1: the status" "$3" $status
	check_match "$1: the reason" "$4" "$out"
}

here()
{
	program here/test-it.sh
	runner here
	expect "$@"
}

here "all pass" "2 passed, 0 failed" 0 "ok selftests/here/test-it.sh: b" <<'END'
echo 1..2; echo ok 1 - a; echo ok 2 - b
END
here "one fails" "1 passed, 1 failed" 1 "not ok selftests/here/test-it.sh: b" <<'END'
echo 1..2; echo ok 1 - a; echo not ok 2 - b; exit 1
END
here "failures are told once more" "1 passed, 2 failed" 1 \
	$'\n# not ok [^ ]*: a\n#   # why\n# not ok [^ ]*: b # SKIP no\n1 passed, 2' <<'END'
echo 1..3; echo '# why'; echo not ok 1 - a; echo 'ok 2 - b # SKIP no'; echo ok 3 - c
END
here "a skip" "1 passed, 1 failed" 1 "not ok .*: b # SKIP no reason" <<'END'
echo ok 1 - a; echo 'ok 2 - b # SKIP no reason'; echo 1..2
END
here "all skipped" "0 passed, 1 failed" 1 "ran nothing # SKIP" <<'END'
echo '1..0 # SKIP no reason'
END
here "no plan" "1 passed, 1 failed" 1 "printed no plan" <<'END'
echo ok 1 - a
END
here "an early end" "1 passed, 1 failed" 1 "planned 2 results and printed 1" <<'END'
echo 1..2; echo ok 1 - a
END
here "no output" "0 passed, 1 failed" 1 "ended with status 3" <<'END'
exit 3
END
here "a bad status" "1 passed, 1 failed" 1 "ended with status 7" <<'END'
echo 1..1; echo ok 1 - a; exit 7
END
here "a gap" "2 passed, 1 failed" 1 "printed result 3 where 2 was due" <<'END'
echo ok 1 - a; echo ok 3 - b; echo 1..3
END
here "nested results" "1 passed, 0 failed" 0 "ok .*: outer" <<'END'
echo 1..1; echo '    not ok 1 - inner'; echo ok 1 - outer
END
now_and_then()
{
	cat <<-END
		echo 1..1; [ -e $work/once ] && echo ok 1 - a || echo "not ok 1 - a"; touch $work/once
	END
}
here "one that fails now and then" "1 passed, 0 failed" 0 \
	"flaky selftests/here/test-it.sh: failed, and passed with the same seed" < <(now_and_then)
check_equal "what it said each time is kept" "1..1 not ok 1 - a 1..1 ok 1 - a" \
	"$(cat "$work"/build/flaky/* | xargs)"
rm "$work/once"
runner --all here
expect "where all has to be exact" "1 passed, 1 failed" 1 "not ok .*test-it.sh: is flaky"
here "one that fails with one seed" "1 passed, 0 failed" 0 "passed with another seed" <<'END'
echo 1..1; [ "$HBCAST_SEED" = 2 ] && echo ok 1 - a || echo "not ok 1 - a"
END
here "several seeds, one of which fails" "2 passed, 1 failed" 1 \
	"not ok selftests/here/test-it.sh seed 2: a" <<'END'
# here: seeds=3
echo 1..1; [ "$HBCAST_SEED" = 2 ] && echo not ok 1 - a || echo ok 1 - a
END
check_match "the others are told apart" "ok [^ ]*test-it.sh seed 1: a.*ok [^ ]* seed 3: a" \
	"$(sort <<<"$out")"
runner --seed 7 --seeds 2 here
expect "others than it asks for" "2 passed, 0 failed" 0 "ok [^ ]*test-it.sh seed 8: a"
runner --seed 2 --seeds 1 here
expect "one alone" "0 passed, 1 failed" 1 "not ok [^ ]*test-it.sh seed 2: a"
runner --seeds 0 here
expect "none" "selftests/run: error: argument -n/--seeds: '0' is no number of runs; give 1 or more" 2 usage
runner --list
check_match "they are listed" "test-it.sh here timeout=300 seeds=3$" "$out"
here "processes that are left behind" "1 passed, 1 failed" 1 "not ok .*: left processes" <<END
setsid sleep 1000 & echo \$! >$work/pid; echo 1..1; echo ok 1 - a
END
check "they are ended" wait_for 10 has_ended
here "one without an environment" "1 passed, 1 failed" 1 "not ok .*: left processes" <<END
env -i sleep 1000 & echo \$! >$work/pid; echo 1..1; echo ok 1 - a
END
check "it is ended" wait_for 10 has_ended
here "one with no environment and no session" "1 passed, 1 failed" 1 "not ok .*: left proc" <<END
env -i setsid sleep 1000 & echo \$! >$work/pid; echo 1..1; echo ok 1 - a
END
check "it is ended, too" wait_for 10 has_ended
program here/test-it.sh <<'END'
# here: slow
echo 1..1; echo ok 1 - a
END
runner here
expect "a slow test" "0 passed, 0 failed" 1 "nothing of here runs in this tier"
runner --all here
expect "a slow test, where all are asked for" "1 passed, 0 failed" 0 "ok .*test-it.sh: a"
program here/test-it.sh <<<'# here: timeout=10 thorough=700'
runner --list
check_match "a limit" "test-it.sh here timeout=10$" "$out"
HBCAST_THOROUGH=1 runner --list
check_match "another one for what is thorough" "test-it.sh here timeout=700$" "$out"
program here/test-it.sh <<<'# here: thorough=700 timeout=10'
HBCAST_THOROUGH=1 runner --list
check_match "in any order" "test-it.sh here timeout=700$" "$out"
# refused NAME WORDS: the header in standard input, and what the runner told.
refused()
{
	program here/test-it.sh
	runner here
	expect "$1" "0 passed, 1 failed" 1 "$2"
}

refused "a word that is not known" "test-it.sh: 'fast' is nothing a test" <<<'# here: fast'
refused "no time at all" "test-it.sh: 'timeout=0' is no time" <<<'# here: timeout=0'
refused "no seed at all" "'seeds=0' is nothing a test" <<<'# here: seeds=0'
refused "two headers" "test-it.sh: asks twice" <<<$'# here: slow\n# vm: 6.1'
refused "words that contradict each other" "'debug-only' and '6.1' leave no kernel" \
	<<<'# vm: 6.1 debug-only'
program machine/test-it.sh <<'END'
# vm: 6.1 debug
END
program fault/test-it.sh <<'END'
# vm: debug-only
END
program fault/test-one.sh <<'END'
# vm: 6.12-only
END
program fault/test-two.sh <<'END'
# vm: debian-only
END
rm "$work/selftests/here/test-it.sh"
runner --list
check_equal "kernels of make check" \
	"fault/test-it.sh 6.12-debug fault/test-one.sh 6.12 fault/test-two.sh 6.12 machine/test-it.sh 6.1 machine/test-it.sh 6.12 machine/test-it.sh 6.12-debug" \
	"$(sed 's,selftests/,,; s/ timeout.*//' <<<"$out" | sort | xargs)"
runner --list --all
check_equal "kernels of make check-all" \
	"fault/test-it.sh 6.1-debug fault/test-it.sh 6.12-debug fault/test-one.sh 6.12 fault/test-one.sh 6.12-debug fault/test-two.sh 6.1 fault/test-two.sh 6.12 machine/test-it.sh 6.1 machine/test-it.sh 6.1-debug machine/test-it.sh 6.12 machine/test-it.sh 6.12-debug" \
	"$(sed 's,selftests/,,; s/ timeout.*//' <<<"$out" | sort | xargs)"
rm "$work"/selftests/*/test-{it,one,two}.sh

# ended SIGNAL STATUS: what a runner that it ends tells, and whether its test ends, too.
ended()
{
	rm -f "$work/pid"
	env --default-signal=INT "$work/selftests/run" here >/dev/null 2>&1 &
	check "it runs" wait_for 30 [ -s "$work/pid" ]
	kill -"$1" $!
	wait $!
	check_equal "ended by $1: the status" "$2" $?
	check "and the test ends with it" wait_for 30 has_ended
}

program here/test-it.sh <<END
echo \$\$ >$work/pid.new; mv $work/pid.new $work/pid; exec sleep 1000
END
ended TERM 143
ended INT 130
ended KILL 137
rm "$work/selftests/here/test-it.sh"
touch "$work/selftests/here/test-built.c"
runner here
expect "a program that was not built" "0 passed, 1 failed" 1 "is not there or not executable"
runner no-such-test
expect "no test at all" "0 passed, 1 failed" 1 "no test matches no-such-test"
runner here no-such-test
expect "no test for one of two patterns" "0 passed, 1 failed" 1 "no test matches no-such-test"
rm "$work/selftests/here/test-built.c"
program here/test-old </dev/null
runner --list
check_equal "a program whose source is gone is no test" "" "$(grep test-old <<<"$out")"

# An exception in a thread.
out=$(PYTHONPATH=selftests/lib python3 - <<'END'
import threading
from hbtest.tap import check, done
one = threading.Thread(target=lambda: {}[1], name="one")
one.start()
one.join()
check(True, "a")
done()
END
)
check_equal "a thread that an exception ends: the status" 1 $?
check_match "a thread that an exception ends: told" "# KeyError: 1.*not ok 2 - one came to its" "$out"

# In a kernel that no longer looks nothing is seen.
while read -r line; do
	selftests/vm/kernel-log <<<"[    1.000000] $line" >/dev/null
	check_equal "a fault: $line" 1 $?
done <<'END'
kmemleak: Kernel memory leak detector disabled
ODEBUG: Out of memory. ODEBUG disabled
watchdog: Watchdog detected hard LOCKUP on cpu 1
Out of memory: Killed process 411 (hbcastctl)
sysfs: cannot create duplicate filename '/module/hbcast'
Memory cgroup out of memory: Killed process 411 (hbcastctl)
kobject (00000000c0ffee00): tried to init an initialized object, something is seriously wrong.
debugfs: Directory 'hbcast' with parent '/' already present!
END

program machine/test-a.sh <<'END'
# vm:
echo 1..1; ip netns add left; sleep 1000 & [ $$ != 1 ] && echo ok 1 - it ran in $(uname -r)
END
program machine/test-b.sh <<'END'
# vm:
ip netns list | grep . || { echo 1..1; echo ok 1 - nothing is left of the one before; }
END
program machine/test-c.sh <<'END'
# vm:
echo 1..1; [ "$HBCAST_SEED" != 1 ] || echo c >/proc/sysrq-trigger; echo ok 1 - another seed
END
program machine/test-d.sh <<'END'
# vm: timeout=5
echo 1..2; echo ok 1 - before the hang; sleep 1000
END
program machine/test-e.sh <<'END'
# vm: timeout=5
echo 1..1; echo ok 1 - after the others
[ "$HBCAST_SEED" != 1 ] || echo 'BUG: said by a test' >/dev/kmsg
END
program machine/test-f.sh <<'END'
# vm: timeout=5
echo 1..1; dmesg | grep BUG: || echo ok 1 - what the kernel reported is gone with it
END
# Another seed would pass where a kernel was at fault, and must not be tried.
runner --kernel 6.12 machine
expect "in a machine" "5 passed, 3 failed" 1 "test-a.sh \[6.12\]: it ran in 6.12"
check_match "the panic's trace is told" "test-c.sh \[6.12\]: .*sysrq_handle_crash" "$out"
check_match "the panic is its test's" "not ok .*test-c.sh \[6.12\]: the kernel failed" "$out"
check_match "the hang is told" "not ok .*test-d.sh.*: did not end within 5 seconds" "$out"
check_match "the next test ran" "ok .*test-e.sh \[6.12\]: after the others" "$out"
check_match "what the kernel reports is its test's" \
	"not ok .*test-e.sh \[6.12\]: the kernel reported a fault" "$out"
check_match "and the next test has a kernel of its own" "ok .*test-f.sh \[6.12\]: what" "$out"
program machine/test-a.sh <<'END'
# vm:
echo 1..1; date '+# it is %s.%N'; echo ok 1 - it ran
END
rm "$work"/selftests/machine/test-[b-f].sh
runner -v machine/test-a
first=$(grep 'it is' <<<"$out")
check_match "a time" "it is [0-9]+\.[0-9]{9}$" "$first"
runner -v machine/test-a
check_equal "the same seed is the same run, to the nanosecond" "$first" \
	"$(grep 'it is' <<<"$out")"
mkdir "$work-further-away"
cp -a "$work" "$work-further-away/there"
work=$work-further-away/there runner -v machine/test-a
check_equal "and in another place, too" "$first" "$(grep 'it is' <<<"$out")"
[ $tap_failed = 0 ] || sed 's/^/# /' <<<"$out"
tap_done
