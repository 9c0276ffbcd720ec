#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=2G timeout=400 slow
"""A short soak, or as long as one likes."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import soak

soak.main()
