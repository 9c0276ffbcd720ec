#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short run of the fuzzer, the same every time; 'make long' runs longer.

set -u
. selftests/lib/tap.sh

RUNS=${HBCAST_THOROUGH:+200000}
RUNS=${RUNS:-60000}

cd "$(dirname "$0")" || exit
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT

# fuzz WORD...: runs the fuzzer and shows what it said if that went wrong.
fuzz()
{
	./fuzz -artifact_prefix="$work/bad-" "$@" >"$work/log" 2>&1 && return
	sed 's/^/# /' "$work/log"
	return 1
}

mkdir "$work/corpus"
check 'the seeds do no harm' fuzz seeds/*.*
check "$RUNS mutated files do no harm" \
	fuzz -runs=$RUNS -seed=1 -max_len=4000 -dict=words "$work/corpus" seeds
check 'all of them were tried' grep -q "Done $RUNS runs" "$work/log"
tap_done
