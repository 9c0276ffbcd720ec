#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# selftests/checkstyle finds what is planted in a small project, each time it is
# asked, and checks again what has changed, but nothing else.

. selftests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels=${HBCAST_CACHE-}
export HBCAST_CACHE=$work/cache
tree=$work/tree

# Programs that note what they are called with. What is in version-TOOL is added
# to what a tool tells of itself, a hook may come before shellcheck, and make may be
# killed.
mkdir "$work/bin" "$work/source"
for tool in perl shellcheck sparse make; do
	cat >"$work/bin/$tool" <<-END
		#!/bin/bash
		if [ "\$*" = --version ]; then
			cat "$work/version-$tool" 2>/dev/null
		else
			echo "$tool \$*" >>"$work/log"
			[ $tool != make ] || [ ! -e "$work/kill" ] || kill -KILL \$\$
			[ $tool != shellcheck ] || [ ! -e "$work/hook" ] || . "$work/hook"
		fi
		exec $(command -v $tool) "\$@"
	END
done
chmod +x "$work"/bin/*
PATH=$work/bin:$PATH

# put FILE: makes it of standard input.
put()
{
	mkdir -p "$(dirname "$tree/$1")"
	cat >"$tree/$1"
}

# called TOOL: the files that it was called with in the last run, each once.
called()
{
	local before

	case $1 in
	checkpatch)	before='perl .*/checkpatch.pl .* --file ' ;;
	kernel-doc)	before="perl $work/source/.*/kernel-doc -none -Werror " ;;
	shellcheck)	before='shellcheck .* -S [a-z]* ' ;;
	sparse)		before='sparse .*/build/[^/]*/' ;;
	esac
	sed -n "s|^$before||p" "$work/log" | tr ' ' '\n' | sort -u | paste -sd' '
}

# checkstyle: leaves its output, its last line, what failed, and its status.
checkstyle()
{
	: >"$work/log"
	out=$("$tree/selftests/checkstyle" 2>&1)
	status=$?
	last=${out##*$'\n'}
	failures=$(sed -n 's/^not ok - //p' <<<"$out" | sort)
	[ $status = 0 ] || sed 's/^/# /' <<<"$out"
}

# expect NAME LAST FAILURES...: what the last run told.
expect()
{
	check_equal "$1: the count" "$2" "$last"
	check_equal "$1: the status" "$(($# > 2))" "$status"
	check_equal "$1: what failed" "$(printf '%s\n' "${@:3}")" "$failures"
}

# expect_calls NAME CHECKPATCH SHELLCHECK SPARSE: the files of the last run.
expect_calls()
{
	check_equal "$1: checkpatch" "$2" "$(called checkpatch)"
	check_equal "$1: shellcheck" "$3" "$(called shellcheck)"
	check_equal "$1: sparse" "$4" "$(called sparse)"
}

# The project. Its C files are of four kinds of checks, one of a fifth, all of it of two
# kernels' modules and of the budget, its scripts of three, those in Python of three:
# 4 * 4 + 1 + 2 + 1 + 3 * 3 + 3 * 3, and two licences.
ALL=40
C_FILES="include/tiny.h kmod/lane/answer.c kmod/main.c tools/user.c"
SHELL_FILES="lib.sh run.sh selftests/vm/kernel"
MODULE="kmod/lane/answer.c kmod/main.c"

cp -r "$(HBCAST_CACHE=$kernels selftests/vm/kernel source)/scripts" "$work/source"
for series in 6.1 6.12; do
	mkdir -p "$work/kernel-$series/usr"
	dir=$(HBCAST_CACHE=$kernels selftests/vm/kernel dir "$series")
	ln -s "$dir/headers" "$work/kernel-$series"
done
put selftests/vm/kernel <<END
#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
case \$1 in
dir)	echo "$work/kernel-\$2" ;;
*)	echo "$work/source" ;;
esac
END
chmod +x "$tree/selftests/vm/kernel"
cp selftests/checkstyle "$tree/selftests"
cp selftests/vm/cache.py "$tree/selftests/vm"
cp Makefile "$tree"
put Kbuild <<'END'
# SPDX-License-Identifier: GPL-2.0
obj-m := hbcast.o
hbcast-y := kmod/main.o kmod/lane/answer.o
ccflags-y := -I$(src)/include
END
put include/tiny.h <<'END'
/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TINY_H
#define TINY_H

#define tinyMixed 1

/**
 * tiny_answer() - the answer
 * @question: any
 *
 * Return: always the same.
 */
int tiny_answer(int question);

#endif
END
put kmod/main.c <<'END'
// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include "tiny.h"

static int __init tiny_init(void)
{
	return tiny_answer(1) ? 0 : -EINVAL;
}
module_init(tiny_init);

MODULE_DESCRIPTION("tiny");
MODULE_LICENSE("GPL");
END
put kmod/lane/answer.c <<'END'
// SPDX-License-Identifier: GPL-2.0
#include <linux/compiler.h>
#include "tiny.h"

int tiny_answer(int question)
{
#ifdef TINY_MIXED
	return tinyMixed;
#endif
	return 42;
}
END
put tools/user.c <<'END'
// SPDX-License-Identifier: GPL-2.0
int answer(int question)
{
	if (question)
		return 42;
	return 0;
}
END
put lib.sh <<'END'
#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
export greeting=hello
END
put run.sh <<'END'
#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
. ./lib.sh
echo "$greeting" $1
END
put tool.py <<'END'
# SPDX-License-Identifier: GPL-2.0
print("hello")
END
git -C "$tree" init -q
git -C "$tree" add -A
git -C "$tree" -c user.name=t -c user.email=t@example.org commit -qm tiny
git clone -q "$tree" "$work/second"
git clone -q "$tree" "$work/third"

"$work/second/selftests/checkstyle" >"$work/out" 2>&1 &
checkstyle
expect "a first run" "$ALL passed, 0 failed"
expect_calls "a first run" "$C_FILES" "$SHELL_FILES" "$MODULE"
check "another one beside it" wait $!
check_equal "another one beside it: the count" "$ALL passed, 0 failed" "$(tail -n 1 "$work/out")"

checkstyle
expect "once more" "$ALL passed, 0 failed"
expect_calls "once more" "" "" ""
check_match "once more: it tells so" "shellcheck: 3 passed, 3 of them before" "$out"
tree=$work/third checkstyle
expect "another clone" "$ALL passed, 0 failed"
expect_calls "another clone" "" "" ""

# One mistake of each kind, in what has passed before and in new files.
put kmod/lane/answer.c <<'END'
// SPDX-License-Identifier: GPL-2.0
#include <linux/compiler.h>
#include "tiny.h"

int tiny_answer(int question)
{
	int __user *there = (int __user *)0;
	int *here = there;

	return !here;
}
END
sed -i 's/if (question)/if(question)/' "$tree/tools/user.c"
sed -i 's/@question/@other/' "$tree/include/tiny.h"
echo unused=1 >>"$tree/run.sh"
echo 'print(nobody_knows)' >>"$tree/tool.py"
put long.sh <<END
#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
fine()
{
$(yes '	:' | head -n 49)
}
long()
{
$(yes '	:' | head -n 50)
}
END
put big.sh <<END
#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
$(yes : | head -n 598)
END
put bare.sh <<'END'
#!/bin/bash
echo bare
END
put long.py <<END
# SPDX-License-Identifier: GPL-2.0
def fine():
$(yes '    print()' | head -n 49)


def long():
$(yes '    print()' | head -n 50)
END
# What a layer may include is all but the last two.
for name in up queue; do
	put "kmod/$([ $name = up ] && echo lane || echo $name)/$name.h" <<-'END'
		/* SPDX-License-Identifier: GPL-2.0 */
		#include <linux/list.h>
		#include "trace.h"
		#include "wire/wire.h"
		#include "lane/rx.h"
		#include "rx.h"
		#include "session/session.h"
		#include "../root/origin.h"
	END
done
planted=(
	"bare.sh: licence" "big.sh: size" "include/tiny.h: kernel-doc" "kmod/lane/up.h: layers"
	"kmod/queue/queue.h: layers" "long.py: size" "long.sh: size"
	"run.sh: shellcheck" "the module for 6.12: sparse and W=1"
	"the module for 6.1: sparse and W=1" "tool.py: flake8" "tools/user.c: checkpatch"
)
mapfile -t planted < <(printf '%s\n' "${planted[@]}" | sort)
# Three more scripts and one in Python with three checks each, two headers with five, and
# 12 mistakes.
checkstyle
expect "mistakes" "50 passed, 12 failed" "${planted[@]}"
for reason in "bare.sh: no SPDX" "big.sh: a file of 600 lines" "tiny.h:[0-9]+: warning: " \
	      "long.sh:56: a function of 50 lines" "long.py:54: a function of 50 lines" \
	      "lane includes session/session.h, but session is" "lane includes root/origin.h" \
	      "queue/queue.h: queue is no layer" "SC2034" "F821 undefined name 'nobody_knows'" \
	      "# kmod/lane/answer.c:8:.*address spaces" "tools/user.c:4: ERROR:SPACING"; do
	check_match "mistakes: $reason" "$reason" "$out"
done
checkstyle
expect "mistakes once more" "50 passed, 12 failed" "${planted[@]}"
expect_calls "mistakes once more" "tools/user.c" "run.sh" "kmod/lane/answer.c"
check_equal "mistakes once more: kernel-doc" "include/tiny.h" "$(called kernel-doc)"

git -C "$tree" checkout -q .
git -C "$tree" clean -fdq
checkstyle
expect "mended" "$ALL passed, 0 failed"
expect_calls "mended" "" "" ""

# The compiler's warnings, those of one file that others hang on, and new contents.
sed -i 's/\treturn/\tint unused = 1;\n\n&/' "$tree/kmod/main.c"
sed -i 's/tinyMixed/tinyOther/' "$tree/include/tiny.h"
sed -i 's/greeting/other/' "$tree/lib.sh"
sed -i 's/42/43/' "$tree/tools/user.c"
checkstyle
expect "what others read" "36 passed, 4 failed" "kmod/lane/answer.c: checkpatch" "run.sh: shellcheck" \
	"the module for 6.12: sparse and W=1" "the module for 6.1: sparse and W=1"
expect_calls "what others read" "$C_FILES" "$SHELL_FILES" ""
check_match "the compiler's warning" "kmod/main.c:7:.*error: unused variable" "$out"
check_match "mixed case" "kmod/lane/answer.c:8: CHECK:CAMELCASE" "$out"
git -C "$tree" checkout -q .

echo 99 >"$work/version-shellcheck"
touch "$work/kernel-6.12/usr/header.h"
checkstyle
expect "another shellcheck and kernel" "$ALL passed, 0 failed"
expect_calls "another shellcheck and kernel" "" "$SHELL_FILES" "$MODULE"
echo '# other' >>"$work/source/scripts/checkpatch.pl"
echo 99 >"$work/version-sparse"
checkstyle
expect "another checkpatch and sparse" "$ALL passed, 0 failed"
expect_calls "another checkpatch and sparse" "$C_FILES" "" "$MODULE"
sed -i 's/"-S", "warning"/"-S", "info"/' "$tree/selftests/checkstyle"
checkstyle
expect "another option" "39 passed, 1 failed" "run.sh: shellcheck"
expect_calls "another option" "$C_FILES" "$SHELL_FILES" "$MODULE"
git -C "$tree" checkout -q .

# The budget is of all lines in kmod/, which are 12 and 11.
for most in 23 22; do
	sed -i "s/^MAX_KMOD = .*/MAX_KMOD = $most/" "$tree/selftests/checkstyle"
	checkstyle
	if [ $most = 23 ]; then
		expect "within the budget" "$ALL passed, 0 failed"
	else
		expect "beyond the budget" "39 passed, 1 failed" "kmod/: budget"
		check_match "beyond the budget: it tells so" "kmod/ has 23 lines; it may have 22" \
			"$out"
	fi
done
git -C "$tree" checkout -q .

# What was read before it was mended is not what has passed.
cp -p "$tree/run.sh" "$work/mended"
echo 'unused=1' >>"$tree/run.sh"
# At once, as other checks read it meanwhile.
echo "cp -p $work/mended $work/new.\$\$; mv $work/new.\$\$ $tree/run.sh" >"$work/hook"
checkstyle
expect "mended meanwhile" "$ALL passed, 0 failed"
rm "$work/hook"
echo 'unused=1' >>"$tree/run.sh"
# Of this only 6.12 warns, and makes the module for all that.
sed -i '/MODULE_DESCRIPTION/d' "$tree/kmod/main.c"
for time in "and spoilt again" "and once more"; do
	checkstyle
	expect "$time" "38 passed, 2 failed" "run.sh: shellcheck" \
		"the module for 6.12: sparse and W=1"
done
git -C "$tree" checkout -q .

touch "$work/kill"
echo "/* other */" >>"$tree/kmod/main.c"
checkstyle
expect "a make that is killed" "38 passed, 2 failed" \
	"the module for 6.12: sparse and W=1" "the module for 6.1: sparse and W=1"
rm "$work/kill"
git -C "$tree" checkout -q .

# Entries in use stay, however old; others go after 30 days.
find "$HBCAST_CACHE/style" -type f -exec touch -d '31 days ago' {} +
touch -d '31 days ago' "$HBCAST_CACHE/style/old"
touch -d '29 days ago' "$HBCAST_CACHE/style/young"
checkstyle
expect "old entries" "$ALL passed, 0 failed"
check "an old entry goes" [ ! -e "$HBCAST_CACHE/style/old" ]
check "a young one stays" [ -e "$HBCAST_CACHE/style/young" ]
checkstyle
expect "those in use" "$ALL passed, 0 failed"
expect_calls "those in use" "" "" ""
tap_done
