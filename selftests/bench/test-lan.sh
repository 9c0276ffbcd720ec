#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The experiment with a LAN in the kernel: nothing beats the link of the root, which
# sends everything twice. Whole messages need as long as packets there, but for the first
# ones.
# vm: timeout=300

. selftests/lib/tap.sh

table=$(mktemp)
trap 'rm -f "$table"' EXIT
lan()
{
	bench/figures/lan.py >"$table"
}
check 'it runs' lan
check_equal 'a row for each size' '100 200 300 400 500 600 700 800 900 1000' \
	"$(awk '!/^#/ && $1 + 0 { printf "%s%s", sep, $1; sep = " " }' "$table")"
# KB at 100 Mbit/s, twice: 0.16 ms each.
check 'no faster than the link' awk '!/^#/ && $1 + 0 && $3 < 0.16 * $1 { exit 1 }' "$table"
check 'packets are no later, and earlier by a third at most' \
	awk '!/^#/ && $1 + 0 && ($3 > $2 || $3 < 0.66 * $2) { exit 1 }' "$table"

tap_done
