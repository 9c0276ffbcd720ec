#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=180 kcsan

exec selftests/socket/run resume
