#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A short run of the fuzzer, the same every time; 'make long' runs longer.
RUNS=${HBCAST_THOROUGH:+2000000}
RUNS=${RUNS:-500000}
FRAMES=34

cd "$(dirname "$0")" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

status=0
result() {
	if [ "$1" -eq 0 ]; then
		echo "ok $2 - $3"
	else
		echo "not ok $2 - $3"
		sed 's/^/# /' "$work/log"
		status=1
	fi
}

echo 1..2
./fuzz -runs=0 seeds >"$work/log" 2>&1 &&
	grep -q "seed corpus: files: $FRAMES " "$work/log"
result $? 1 "the seeds are accepted"
mkdir "$work/corpus"
./fuzz -runs=$RUNS -seed=1 -artifact_prefix="$work/bad-" "$work/corpus" seeds >"$work/log" 2>&1 &&
	grep -q "Done $RUNS runs" "$work/log"
result $? 2 "$RUNS mutated streams do no harm"
exit $status
