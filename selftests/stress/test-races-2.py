#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 debug-only
"""A storm on two processors."""

from hbtest import races

races.main()
