#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 'make bench-hostile' with two attacks of a second: one that fills all places of a source, and
# one by somebody with the key, whose messages go on a lane of its own.
# vm: timeout=200 debian-only

. selftests/lib/tap.sh

said=$(bench/hostile/inside.py 1 0 10 2>&1)
check_equal "goals are met" "0 0 goals missed" "$? $(grep goals\ missed <<<"$said")"
# Handshakes, lanes, the file's time and that of a new lane: three lanes at most are the node's own.
check_match "128 connections wait" \
	'says nothing \| 200 \| [0-9]+ \| 12[0-8] \| 1[23][0-9] \| [0-9.]+ \| 1\.0[0-5] \| [0-9]+ \|  \|' \
	"$said"
check_match "a lane takes messages for nobody" \
	'nobody, without data \| 100 \| [1-9][0-9]* \| [0-1] \| [3-7] \| [0-9.]+ \| 1\.0[0-5] \|' "$said"
tap_done
