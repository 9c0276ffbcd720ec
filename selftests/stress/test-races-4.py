#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 timeout=300 debug-only slow
"""A storm on four processors."""

from hbtest import races

races.main()
