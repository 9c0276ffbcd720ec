#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: 6.1 debug
#
# The module loads and unloads, again and again, and is seen to.

. selftests/lib/tap.sh

loaded()
{
	grep -q '^hbcast ' /proc/modules
}

gone()
{
	! loaded
}

again_and_again()
{
	local i

	for ((i = 0; i < 12 / HBCAST_SLOWNESS; i++)); do
		insmod "$HBCAST_KO" && rmmod hbcast || return
	done
}

check_equal "it is for the running kernel" "$(uname -r)" \
	"$(modinfo -F vermagic "$HBCAST_KO" | cut -d ' ' -f 1)"
check "it loads" insmod "$HBCAST_KO"
check "it is there" loaded
check "it unloads" rmmod hbcast
check "it has gone" gone
check "it loads and unloads many times" again_and_again
tap_done
