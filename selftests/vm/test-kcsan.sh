#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The kernel that looks for data races sees one.
#
# here: timeout=900 slow

. selftests/vm/planted.sh

planted 6.12-kcsan "make race"
seen "two that count together" "BUG: KCSAN: data-race in (count|make_race)"
planted_done
