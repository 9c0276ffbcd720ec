#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libhbplan installed: the program in the manual page finds and uses it.

set -u
. selftests/lib/tap.sh

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT

# Into an empty directory, objects elsewhere than other tests have them.
install_library()
{
	make -s -C tools/libhbplan install O="$work/obj" PREFIX="$work/usr" >"$work/log" 2>&1 &&
		return
	sed 's/^/# /' "$work/log"
	return 1
}

# build: compile the program with what pkg-config says.
build()
{
	local flags

	read -ra flags < <(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig \
			   pkg-config --cflags --libs --static libhbplan)
	cc -Wall -Werror -o "$work/program" "$work/program.c" "${flags[@]}"
}

# The manual page's example.
awk '/^#include <hbplan/ { on = 1 } /^\.fi/ { on = 0 } on' \
	Documentation/man/libhbplan.3 >"$work/program.c"

check 'make install' install_library
check 'a program is built with what pkg-config says' build
check_equal 'and plans' '1
├─ 2
│  ├─ 4
│  │  └─ 6
│  └─ 3
├─ 7
│  └─ 8
├─ 5
└─ 9' "$("$work/program" demo/platform.json)"
check_equal 'only functions that begin with hbp_ are visible' '' \
	"$(nm -g --defined-only "$work/usr/lib/libhbplan.a" | awk 'NF == 3 && $3 !~ /^hbp_/')"
tap_done
