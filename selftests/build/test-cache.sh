#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What was built in one clone is not built in another, and nothing else is taken for
# it. The clones are of a small project with this one's Makefile.
#
# here: timeout=300

. selftests/lib/tap.sh

unset CC CFLAGS BUILD MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernel=$(selftests/vm/kernel dir 6.12) && source=$(selftests/vm/kernel source) || exit
release=$(<"$kernel/release")
export HBCAST_CACHE=$work/cache
mkdir -p "$HBCAST_CACHE" "$work/bin"
ln -s "${kernel%/*}" "$source" "$HBCAST_CACHE"

# A compiler that writes down what it compiles; by its name, ccache takes it for GCC.
cat >"$work/bin/gcc-12" <<END
#!/bin/bash
[[ " \$* " != *" -c "* || " \$* " == *" -E "* ]] || printf '%s\n' "\$@" >>$work/log
exec $(command -v gcc-12) "\$@"
END
chmod +x "$work/bin/gcc-12"
ln -s gcc-12 "$work/bin/cc"
ln -s gcc-12 "$work/bin/x86_64-linux-gnu-gcc-12"
PATH=$work/bin:$PATH

first=$work/first
second=$work/second
mkdir -p "$first"/{include,kmod,tools/tool,selftests/{vm,small}}
cp Makefile "$first"
cp selftests/vm/{module,cache.py,kernel} "$first/selftests/vm"
cat >"$first/Kbuild" <<'END'
obj-m := hbcast.o
hbcast-y := kmod/main.o kmod/other.o
ccflags-y := -I$(src)/include -I$(src)/kmod
END
echo '#define WORD "one"' >"$first/kmod/word.h"
cat >"$first/kmod/main.c" <<'END'
#include <linux/module.h>
#include <word.h>
#ifndef FLAG
#define FLAG ""
#endif
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION(WORD FLAG);
END
echo 'int hbc_other(void); int hbc_other(void) { return 1; }' >"$first/kmod/other.c"
echo 'all:' >"$first/tools/tool/Makefile"
cat >"$first/selftests/small/Makefile" <<'END'
small: small.o
	$(CC) -o $@ $<
small.o: small.c
	$(CC) -g -MMD -I../../include -I../../kmod -c -o $@ $<
-include small.d
END
cat >"$first/selftests/small/small.c" <<'END'
#include <stdio.h>
#include <word.h>
int main(void) { return puts(WORD) < 0; }
END
cp -r "$first" "$second"

# expect NAME WORD COMPILED CLONE ARGUMENT...: what make builds, and compiles for that.
expect()
{
	local name=$1 word=$2 compiled=$3 clone=$4 result

	shift 4
	: >"$work/log"
	make -C "$clone" "$@" >"$work/said" 2>&1 || sed 's/^/# /' "$work/said"
	if [ "$1" = tests ]; then
		result=$("$clone/selftests/small/small")
	else
		result=$(modinfo -F description "$clone/build/$release/hbcast.ko")
	fi
	check_equal "$name: the result" "$word" "$result"
	check_equal "$name: what was compiled" "$compiled" \
		"$(sed -n 's/^\(.*\/\)\?\(main\|other\|small\)\.o$/\2/p' "$work/log" | sort | xargs)"
}

state()
{
	stat -c '%i %y' "$second/build/$release/hbcast.ko"
}

# With a compiler that is asked for there is no ccache: only modules are kept.
cc=CC=$work/bin/cc
expect "a clone" one "main other" "$first" module-6.12 "$cc"
expect "another clone" one "" "$second" module-6.12 "$cc"
before=$(state)
expect "once more" one "" "$second" module-6.12 "$cc"
check_equal "what is there is not touched" "$before" "$(state)"
expect "another flag" one-flag "main other" "$second" module-6.12 "$cc" 'KCFLAGS=-DFLAG=\"-flag\"'
sed -i s/one/two/ "$second/kmod/word.h"
touch -d 2000-01-01 "$second/kmod/word.h"
expect "another header, with an old date" two "main other" "$second" module-6.12 "$cc"
expect "what was there before" one "" "$first" module-6.12 "$cc"
echo "# Another one." >>"$work/bin/gcc-12"
expect "another compiler" one "main other" "$first" module-6.12 "$cc"

expect "a variable that nobody knows" one-flag "main other" \
	"$first" module-6.12 "$cc" 'KCPPFLAGS=-DFLAG=\"-flag\"'
expect "without it" one "" "$first" module-6.12 "$cc"
expect "and with it again" one-flag "" "$first" module-6.12 "$cc" 'KCPPFLAGS=-DFLAG=\"-flag\"'

# Objects are kept, too.
expect "ccache" one "main other" "$first" module-6.12
sed -i s/two/one/ "$second/kmod/word.h"
sed -i 's/return 1/return 2/' "$second/kmod/other.c"
expect "another file" one other "$second" module-6.12
expect "a program" one small "$first" tests
expect "the program in another clone" one "" "$second" tests
echo '#define WORD "three"' >"$second/include/word.h"
expect "a header that is found before the other" three "main other" "$second" module-6.12
touch "$second/selftests/small/small.c"
expect "the program with that header" three small "$second" tests
sed -i s/three/four/ "$second/include/word.h"
expect "the program with that header changed" four small "$second" tests
mkdir "$HBCAST_CACHE/modules/6.9-old"
touch -d '-4 days' "$HBCAST_CACHE/modules/6.9-old"
expect "what was built before" one "" "$first" module-6.12 "$cc"
check "modules of kernels that nobody uses go" test ! -e "$HBCAST_CACHE/modules/6.9-old"
check_equal "of each kind those stay that were used last" "two three four" \
	"$(PYTHONPATH=selftests/vm /usr/bin/python3 -c '
import os, time, cache
cache.MOST = 3
now = time.time()
for at, name in enumerate(("one", "two", "three", "four")):
    path = cache.made("kind", name, os.mkdir)
    os.utime(path, (now, now + at))
print(*sorted(os.listdir(os.path.join(cache.CACHE, "kind")),
              key=("one", "two", "three", "four").index))')"

# A kernel that cannot be built: it writes down what it was asked with.
cat >"$first/selftests/vm/build-kernel" <<END
#!/bin/bash
[ "\$1" != id ] || exec echo 0
env >$work/env
exit 1
END
chmod +x "$first/selftests/vm/build-kernel"
mkdir "$work/none"
ln -s "$(realpath "${source%/*}/archives")" "$work/none"
HBCAST_CACHE=$work/none make -C "$first" module-6.12-debug GCOV_PROFILE=y >/dev/null 2>&1
check "a kernel that is missing is built" test -s "$work/env"
check_equal "what is asked of its module is not asked of it" 0 \
	"$(grep -c 'GCOV_PROFILE\|MAKEFLAGS' "$work/env")"

tap_done
