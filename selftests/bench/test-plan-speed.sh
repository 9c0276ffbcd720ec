#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Planners keep to their limits of processor time.

. selftests/lib/tap.sh

out=$(bench/plan/bench-plan check)
check_equal 'planners keep to their limits' 0 $?
printf '%s\n' "$out" | sed 's/^/# /'

tap_done
