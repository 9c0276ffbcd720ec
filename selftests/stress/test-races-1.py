#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 timeout=300 debug-only slow
"""A storm on one processor."""

from hbtest import races

races.main()
