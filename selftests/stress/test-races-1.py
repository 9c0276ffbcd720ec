#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 timeout=300 debug-only slow
"""A storm on one processor."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import races

races.main()
