#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=180 kcsan 6.1 debug

exec selftests/socket/run pieces
