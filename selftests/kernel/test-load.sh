#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The module loads and unloads, again and again, and is seen to.

tests=0

check()
{
	tests=$((tests + 1))
	if "${@:2}"; then
		echo "ok $tests - $1"
	else
		echo "not ok $tests - $1"
	fi
}

loaded()
{
	grep -q '^hbcast ' /proc/modules
}

again_and_again()
{
	local i

	for ((i = 0; i < 20; i++)); do
		insmod "$HBCAST_KO" && rmmod hbcast || return
	done
}

check "it is for the running kernel" \
	[ "$(modinfo -F vermagic "$HBCAST_KO" | cut -d ' ' -f 1)" = "$(uname -r)" ]
check "it loads" insmod "$HBCAST_KO"
check "it is there" loaded
check "it unloads" rmmod hbcast
check "it has gone" eval '! loaded'
check "it loads and unloads twenty times" again_and_again
echo "1..$tests"
