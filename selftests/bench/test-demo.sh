#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The demo runs to its end: each copy is the file, and of the planners auto is the fastest.
# vm: timeout=600 slow

. selftests/lib/tap.sh

shown=$(mktemp)
trap 'rm -f "$shown"' EXIT
demo()
{
	demo/show >"$shown"
}
check 'it runs' demo
check_equal 'all copies are the file, for each planner' "$(seq 160000 | sha256sum | cut -d ' ' -f 1)" \
	"$(awk '/^SHA-256/ { n++; print $NF } END { exit n != 4 }' "$shown" | sort -u)"
check_equal 'a row for the bound, and for each planner' 'bound auto flat chain binomial' \
	"$(awk '/^planner / { rows = 1; next } rows { printf "%s%s", sep, $1; sep = " " }' "$shown")"
check 'nobody is faster than the bound, and none than auto' \
	awk '/^(auto|flat|chain|binomial) / { ratio[$1] = $4 }
	     END { for (name in ratio)
			if (ratio[name] < 1 || ratio[name] < ratio["auto"])
				exit 1 }' "$shown"
grep -A 6 '^planner ' "$shown" | sed 's/^/# /'

tap_done
